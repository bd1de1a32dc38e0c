"""Reading files of links, with the reading options in the metadata."""

from __future__ import annotations

from os import PathLike

from alignframe.core.schemas import option_of
from alignframe.formats import Reading, table_of
from alignframe.result import TableResult
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import IntoBitext

_NOTES = {"order": "order", "min_probability": "min-probability"}


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
    bitext: IntoBitext | None = None,
) -> TableResult:
    """Read a file of word alignments.

    Parameters
    ----------
    path, format, system, base, order, first_sentence, min_probability, encoding
        See ``alignframe.formats.read``.
    bitext
        If given, links outside their sentence pair are an error.

    Returns
    -------
    TableResult
        The columns system, sid and links<i, j, sure>, one row per sentence; src and tgt if the file
        has words. Its metadata have the order and the minimum probability, which is part of score
        signatures.

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
    reading = Reading(base, order, first_sentence, min_probability, encoding)
    text = None if bitext is None else sentence_pairs(bitext).table()
    table = table_of(path, format, reading, system, text)
    said = {mark: option_of(table.schema, name) for name, mark in _NOTES.items()}
    signature = "|".join(f"{mark}:{value}" for mark, value in said.items() if value is not None)
    return TableResult("links", table, signature)
