"""Null links: of words without a link, so that scores count them as well."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from alignframe import functions
from alignframe.core.arrays import I64, frozen
from alignframe.core.arrow import to_links
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import GOLD_LINKS, with_options
from alignframe.errors import InputError, sentence_name
from alignframe.kernels.links.counts import Hits, count_hits
from alignframe.links.gold import Gold
from alignframe.links.inputs import LINK_COLUMNS, links_source
from alignframe.links.text import Text, refuse_outside, system_of
from alignframe.sources.source import Source
from alignframe.typing import IntoBitext, IntoLinks


def add_null_links(links: IntoLinks, bitext: IntoBitext) -> Source:
    """Link every word without a link to nothing. The result can be scored in place of the links.

    Precision and recall then also judge which words a system leaves without translation; gold and
    all systems need null links.

    Parameters
    ----------
    links
        Links of a system, or gold: a frame or a path.
    bitext
        The words of every sentence: a frame with sid, src and tgt, or its path.

    Returns
    -------
    Source
        The links, with a Sure one from each unaligned word to the position after the other side's
        last word.

    Raises
    ------
    InputError
        If a source cannot be read, the text lacks a sentence, or a link lies outside its sentence.

    Notes
    -----
    Carl & Fissaha 2003, section 2.1.

    Examples
    --------
    >>> from alignframe import links
    >>> text = (["hear , hear !"], ["bravo !"])
    >>> gold = links.add_null_links(["0-0 1-0 2-0 3-1"], text)
    >>> system = links.add_null_links(["0-0 3-1"], text)
    >>> links.score(system, gold).scores.select("links", "precision", "recall").row(0)
    (4, 0.5, 0.5)
    """
    return with_null_links(links_source(links), Text(bitext))


def with_null_links(source: Source, text: Text | None) -> Source:
    """Return a source with null links, in memory, if there is a text; see ``add_null_links``."""
    if text is None or source.note("nulls"):
        return source
    batches = []
    own = [name for name in source.columns if name not in {*LINK_COLUMNS, "sid"}]
    for batch in source.batches(own, labels=True):
        sid = sentence_column(batch)
        lengths = text.lengths_of(sid, source.name)
        name = system_of(batch) if source.name == "a table" else source.name
        refuse_outside(to_links(batch.column("links")), sid, lengths, name, hint=text.hint)
        linked = functions.add_null_links(batch.column("links"), *map(pa.array, lengths))
        at = batch.schema.get_field_index("links")
        batches.append(batch.set_column(at, "links", linked))
    table = pa.Table.from_batches(batches) if batches else source.schema.empty_table()
    table = table.replace_schema_metadata(source.schema.metadata)
    table = with_options(table, nulls="linked")
    return replace(source, schema=table.schema, frame=table, files=None, part=None)


def null_hits(system: str, rows: I64, gold: Gold) -> Hits:
    """Count the null links of sentences none of whose words is linked."""
    if gold.lengths is None:
        absent = sentence_name(gold.sid[rows[0]])
        raise InputError(
            f"{system} lacks sentence {absent}, whose null links are unknown",
            expected="the text",
            todo="give it as bitext",
        )
    empty = pa.array([[]] * rows.size, GOLD_LINKS)
    # These lengths have a place past the last word, to which null links lead.
    linked = functions.add_null_links(empty, *map(pa.array, gold.lengths[:, rows] - 1))
    return count_hits(to_links(linked), gold.counted, frozen(rows))
