"""Subsets of gold: figures of some of its sentences."""

from __future__ import annotations

import warnings
from itertools import chain
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from alignframe.arrow import require_columns, sentence_column, to_table
from alignframe.errors import DataWarning, InputError, QueryError
from alignframe.formats.sids import read_sids
from alignframe.kernels.ragged import frozen, locate
from alignframe.links.inputs import Input, Subset
from alignframe.session import limited, query

_LINKS = ("system", "sid", "links", "i", "j", "sure")
_COUNTED = "count_links(links, links).{0} as {0}"


def subset(gold: Any, *, sids: Any = None, where: str | None = None) -> Subset:
    """Choose sentences of gold; every function that takes gold takes the result in its place.

    Parameters
    ----------
    gold
        Gold links: a frame or a path.
    sids
        The numbers of the sentences: a list or array of whole numbers, a table with a column sid,
        or a file: text with a number a line, or .parquet, .csv or .tsv with a column sid.
    where
        An SQL condition over gold's columns, one row a sentence: sid, columns such as a domain,
        links, and n_sure and n_possible as in the table of counts. With ``sids``, sentences have
        to fulfil both.

    Returns
    -------
    Subset
        Sentences outside it are not scored, and are not missed where a system lacks them; the
        signature of scores names it.

    Raises
    ------
    InputError
        If gold lacks one of the sentences, none is left, or gold or a file cannot be read.
    QueryError
        If DuckDB cannot evaluate the condition; the message shows the query.

    Notes
    -----
    Fraser & Marcu 2007, footnote 7: the same figures on part of the annotation.

    Examples
    --------
    >>> from alignframe import links
    >>> first = links.subset("gold.naacl", where="sid < 110")  # doctest: +SKIP
    >>> links.scores({"giza": "giza.talp"}, first)  # doctest: +SKIP
    """
    if isinstance(gold, Subset):
        raise InputError("a subset of a subset", todo="join the conditions with 'and'")
    source = Input(gold).in_memory()
    every = _every(source)
    if not every.size:
        raise InputError("the gold table has no rows", path=source.name)
    kept = every
    if sids is not None:
        kept = _listed(sids, every)
    if where is not None:
        kept = np.intersect1d(kept, _fulfilling(source, where), assume_unique=True)
    if not kept.size:
        raise InputError(
            f"none of {every.size:,} gold sentences is in the subset"
            + (f"; the condition was: {where}" if where is not None else ""),
            expected="at least one",
        )
    return Subset(source, frozen(kept), every.size)


def _every(source: Input) -> npt.NDArray[np.int64]:
    """Return the numbers of all of gold's sentences, ascending."""
    parts = [_each_once(sentence_column(batch)) for batch in source.columns_of("sid")]
    return _each_once(np.concatenate(parts)) if parts else np.zeros(0, np.int64)


def _each_once(sids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return numbers in ascending order, each once; numpy's own way is slow where they ascend."""
    ordered = np.sort(sids, kind="stable")
    return ordered[np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))]


def _listed(sids: Any, every: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the given numbers, ascending, all of which gold has to have."""
    path = sids if isinstance(sids, (str, PathLike)) else None
    given = _numbers(sids) if path is None else read_sids(path)
    kept, times = np.unique(given, return_counts=True)
    unknown = kept[locate(frozen(kept), frozen(every)) < 0]
    if unknown.size:
        raise InputError(
            f"gold has no sentence {unknown[0]}"
            + (f", nor {unknown.size - 1:,} others of the list" if unknown.size > 1 else ""),
            path=path,
            expected=f"numbers of its column sid, which runs from {every[0]} to {every[-1]}",
            todo="see the column sid of 'alignframe links counts'",
        )
    if kept.size < given.size:
        warnings.warn(
            f"sentences listed more than once, which count once: {np.count_nonzero(times > 1):,}",
            DataWarning,
            stacklevel=4,
        )
    return kept


def _numbers(sids: Any) -> npt.NDArray[np.int64]:
    if hasattr(sids, "columns") or isinstance(sids, pa.RecordBatchReader):
        table = to_table(sids)
        require_columns(table.schema, ["sid"], "the table of sentences")
        sids = table["sid"]
    found = np.asarray(sids if hasattr(sids, "__array__") else list(sids))
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InputError(f"sentence numbers of the type {found.dtype}", expected="whole numbers")
    return found.astype(np.int64)


def _fulfilling(source: Input, where: str) -> npt.NDArray[np.int64]:
    """Return the numbers of the sentences that fulfil a condition, ascending."""
    import duckdb

    own = [name for name in source.columns if name not in _LINKS]
    counted = [_COUNTED.format(name) for name in ("n_sure", "n_possible") if name not in own]
    # The line break ends a comment in the condition, and the brackets hold it together.
    table = f"select {', '.join(['*', *counted])} from gold"  # noqa: S608 (the user's own query)
    sql = f"select sid, (\n{where}\n) as chosen\nfrom ({table})"
    if not source.is_nested and not source.in_order():
        source = source.sorted()
    batches = source.nested(own, labels=True)
    first = next(batches)
    given = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    with limited([]) as connection:
        connection.register("gold", given)
        asked = query(connection, sql)
        if asked is None or str(asked.types[1]) != "BOOLEAN":
            raise InputError(
                f"the condition {where!r} gives {'nothing' if asked is None else asked.types[1]}",
                expected="true or false, such as sid < 110",
            )
        try:
            found = asked.filter("chosen").select("sid").to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(sql, str(error)) from error
    return _each_once(found["sid"].to_numpy())
