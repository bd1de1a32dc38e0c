"""Phrase dictionaries of systems."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike

import polars as pl

from alignframe.core.arrow import LINK_ROWS, to_table
from alignframe.core.output import table_writer
from alignframe.links.inputs import hypotheses
from alignframe.options import checked
from alignframe.phrases.workspace import Workspace, check_dictionaries, workspace
from alignframe.typing import ForOutput, FromOne, IntoBitext, IntoHypotheses, Rare

_OF_TEXT = "select system, src, tgt, n from entry_words('entries', 'text')"
_BY_SENTENCE = "select system, sid, src, tgt, n from entry_words('entries', 'text')"


@checked
def dictionary(
    links: IntoHypotheses,
    bitext: IntoBitext,
    name: str = "text-dic1",
    *,
    max_length: FromOne | None = None,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> pl.DataFrame:
    """Build the phrase dictionary of each system.

    Parameters
    ----------
    links
        Links of the systems; see ``alignframe.phrases.extract``.
    bitext
        A frame with sid, src and tgt (lists of words), or the path of such a Parquet file.
    name
        ``align-dic1``: one minimal dictionary per sentence; ``text-dic1``: the minimal dictionary
        of the whole text; ``text-dic2``: its exhaustive dictionary; ``text-moses``: its phrases as
        in Moses.
    max_length
        Maximum phrase length in words, on both sides; by default 7 for ``text-moses`` and unlimited
        for the others.
    memory_limit
        DuckDB's memory limit, for example ``1GB``; it spills to a temporary folder.
    threads
        Number of threads; all cores by default.

    Returns
    -------
    polars.DataFrame
        The columns system, sid (only for ``align-dic1``), src, tgt (words joined by spaces) and n,
        the number of occurrences; sorted by system, then sentence or descending n, then words.

    Raises
    ------
    InputError
        If a source cannot be read, or its links do not fit the text.

    Notes
    -----
    Carl & Fissaha 2003, section 2.2.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import phrases
    >>> text = pl.DataFrame({"sid": [0], "src": [["not", "yet"]], "tgt": [["pas", "encore"]]})
    >>> phrases.dictionary(["0-0 1-1"], text, "text-dic2").select("src", "tgt", "n").rows()
    [('not', 'pas', 1), ('not yet', 'pas encore', 1), ('yet', 'encore', 1)]
    """
    with _entries(links, bitext, name, max_length, memory_limit, threads) as (place, query):
        order = "sid," if name == "align-dic1" else "n desc,"
        entries = place.connection.sql(f"{query} order by system, {order} src, tgt")
        return pl.DataFrame(pl.from_arrow(to_table(entries)))


def write_dictionary(
    links: IntoHypotheses,
    bitext: IntoBitext,
    path: str | PathLike[str],
    name: str = "text-dic1",
    *,
    max_length: int | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> int:
    """Write the result of ``dictionary`` as Parquet, out of core; return the number of rows.

    Rows are unordered. The arguments are those of ``dictionary``, and the ``path`` to write.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import phrases
    >>> text = pl.DataFrame({"sid": [0], "src": [["not", "yet"]], "tgt": [["pas", "encore"]]})
    >>> phrases.write_dictionary(["0-0 1-1"], text, "phrases.parquet")
    2
    """
    with _entries(links, bitext, name, max_length, memory_limit, threads) as (place, query):
        entries = place.connection.sql(query)
        schema = entries.limit(0).to_arrow_table().schema
        with table_writer(path, "parquet", schema=schema) as write:
            for batch in entries.to_arrow_reader(LINK_ROWS):
                write(batch)
        rows: int = place.connection.execute("select count(*) from entries").fetchall()[0][0]
        return rows


@contextmanager
def _entries(
    links: object,
    bitext: IntoBitext,
    name: str,
    max_length: int | None,
    memory_limit: str | None,
    threads: int | None,
) -> Iterator[tuple[Workspace, str]]:
    """Yield a workspace with the entries, and the query for their words."""
    check_dictionaries([name])
    with workspace(bitext, memory_limit, threads) as place:
        place.load("links", hypotheses(links))
        place.make_entries("entries", "links", name, max_length)
        yield place, _BY_SENTENCE if name == "align-dic1" else _OF_TEXT
