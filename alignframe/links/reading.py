"""Reading files of links, and selecting gold sentences."""

from __future__ import annotations

from itertools import chain
from os import PathLike

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import frozen
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import option_of
from alignframe.errors import InputError
from alignframe.formats import Reading, table_of
from alignframe.links.inputs import Subset, by_sentence, gold_source, in_order
from alignframe.result import TableResult
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.source import Source
from alignframe.stats.subsets import Sids, choose, each_once
from alignframe.typing import IntoBitext, IntoGold, IntoSids

_NOTES = {"order": "order", "min_probability": "min-probability", "drop_outside": "outside"}


def read(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    system: str | None = None,
    base: int | None = None,
    order: str = "src-tgt",
    first_sentence: int | None = None,
    min_probability: float | None = None,
    encoding: str = "utf-8",
    drop_outside: bool = False,
    probabilities: str | PathLike[str] | None = None,
    bitext: IntoBitext | None = None,
) -> TableResult:
    """Read a file of word alignments.

    Parameters
    ----------
    path, format, system, base, order, first_sentence, min_probability, encoding, drop_outside
        See ``alignframe.formats.read``.
    probabilities
        See ``alignframe.formats.Reading``.
    bitext
        If given, links outside their sentence pair are an error, or left out.

    Returns
    -------
    TableResult
        The columns system, sid and links<i, j, sure>, one row per sentence; probabilities (a list,
        one per link) if the file has some, and src and tgt if it has words. Its metadata have the
        order and the minimum probability, which is part of score signatures.

    Raises
    ------
    InputError
        Gives the file, the line, what was found and what was expected.

    Examples
    --------
    >>> from alignframe import links
    >>> gold = links.read("datasets/en-fr/gold.talp")
    >>> gold.height, gold["links"][1].head(2).to_list()
    (72, [{'i': 0, 'j': 0, 'sure': False}, {'i': 0, 'j': 1, 'sure': True}])
    """
    reading = Reading(
        base, order, first_sentence, min_probability, encoding, drop_outside, probabilities
    )
    text = None if bitext is None else sentence_pairs(bitext).table()
    table = table_of(path, format, reading, system, text)
    said = {mark: option_of(table.schema, name) for name, mark in _NOTES.items()}
    signature = "|".join(f"{mark}:{value}" for mark, value in said.items() if value is not None)
    return TableResult("links", table, signature)


_LINKS = ("system", "sid", "links", "i", "j", "sure")
# Gold counted against itself gives the numbers of its own links.
_COUNTED = "count_links(links, links).{0} as {0}"


def subset(gold: IntoGold, *, sids: IntoSids | None = None, where: str | None = None) -> Subset:
    """Select gold sentences. The result can be passed to any function in place of gold.

    Parameters
    ----------
    gold
        Gold links: a frame or a path.
    sids
        Sentence numbers: a list or array of whole numbers, a table with a column sid, or a file:
        text with one number per line, or .parquet, .csv or .tsv with a column sid.
    where
        An SQL condition over gold's columns, one row per sentence: sid, links, other columns such
        as a domain, and n_sure and n_possible as in the table of counts. With ``sids``, sentences
        must satisfy both.

    Returns
    -------
    Subset
        Other sentences are not scored, and systems may lack them; signatures name the subset.

    Raises
    ------
    InputError
        If gold lacks one of the sentences, none is left, or gold or a file cannot be read.
    QueryError
        If DuckDB cannot evaluate the condition; the message shows the query.

    Notes
    -----
    Fraser & Marcu 2007, footnote 7: scores on part of the annotation.

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> first = links.subset(f"{home}/gold.talp", where="sid < 10")
    >>> found = links.score({"eager": f"{home}/eager.talp"}, first)
    >>> found.scores.select("sentences", "links").row(0)
    (10, 166)
    """
    if isinstance(gold, Subset):
        raise InputError("a subset of a subset", todo="combine the conditions with 'and'")
    source = gold_source(gold).in_memory()
    every = _every(source)
    if not every.size:
        raise InputError("the gold table has no rows", path=source.name)
    own = [name for name in source.columns if name not in _LINKS]
    counted = [_COUNTED.format(name) for name in ("n_sure", "n_possible") if name not in own]
    chosen = choose(
        every,
        lambda: _rows(source, own),
        sids,
        where,
        what="gold",
        select=", ".join(["*", *counted]),
    )
    if chosen is None:
        return Subset(every, every.size, source)
    return Subset(chosen.sids, chosen.of, source)


def _every(source: Source) -> Sids:
    """Return the numbers of all gold sentences, ascending."""
    parts = [each_once(sentence_column(batch)) for batch in source.columns_of("sid")]
    return frozen(each_once(np.concatenate(parts)) if parts else np.zeros(0, np.int64))


def _rows(source: Source, own: list[str]) -> pa.RecordBatchReader:
    """Return one row per sentence: sid, links and gold's other columns."""
    if source.is_long and not in_order(source):
        source = by_sentence(source)
    batches = source.batches(own, labels=True)
    first = next(batches)
    return pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
