"""Scoring subsets of sentences (Fraser & Marcu 2007, footnote 7)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from alignframe.core.arrays import Bools, frozen
from alignframe.core.arrow import require_columns, to_table
from alignframe.core.choices import TABLES
from alignframe.core.keys import sentence_column
from alignframe.engines.session import asking, limited, query
from alignframe.errors import InputError, QueryError, in_file, number_of, warn
from alignframe.kernels.ragged import locate
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream, peek, table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.read.tables import LINE, read_table, whole_numbers

_LOOKED_AT = 1 << 16  # bytes, as where the format of a stream is found
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)

Sids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Chosen:
    """Some of the sentences that could be scored."""

    sids: Sids  # theirs, ascending
    of: int  # the number of all sentences

    @property
    def mark(self) -> str:
        """The signature part for the subset: its size, and a hash of its sids."""
        # Little-endian, so that the mark is the same on every machine.
        code = zlib.crc32(self.sids.astype("<i8").tobytes())
        return f"subset:{self.sids.size}of{self.of},{code:08x}"

    def holds(self, sids: object) -> Bools:
        """Return which sentence numbers are in the subset."""
        rows: Sids = locate(frozen(np.asarray(sids, np.int64)), self.sids)
        return rows >= 0


def signature_part(given: object) -> str:
    """Return the signature part for a subset; empty for None."""
    return given.mark if isinstance(given, Chosen) else ""


def choose(
    every: Sids,
    rows: Callable[[], object],
    sids: object,
    where: str | None,
    *,
    what: str,
    select: str = "*",
) -> Chosen | None:
    """Select sentences by number, by a condition, or both; None if neither is given.

    ``every`` has the numbers of all sentences, in any order, possibly repeated. ``sids`` are
    numbers, a table, a file or a result of this function; ``where`` is a condition over ``select``
    of ``rows()``.
    """
    if sids is None and where is None:
        return None
    if isinstance(sids, Chosen) and where is None:
        return sids
    every = each_once(every)
    kept = every
    if sids is not None:
        kept = _listed(sids.sids if isinstance(sids, Chosen) else sids, every, what)
    if where is not None:
        kept = np.intersect1d(kept, _fulfilling(rows(), where, select), assume_unique=True)
    if not kept.size:
        raise InputError(
            f"none of {number_of(every.size, 'sentence')} of {what} is in the subset"
            + (f"; the condition was: {where}" if where is not None else ""),
            expected="at least one",
        )
    return Chosen(frozen(kept), every.size)


def each_once(sids: Sids) -> Sids:
    """Return distinct numbers, ascending; faster than ``np.unique`` where they already ascend."""
    ordered = np.sort(sids, kind="stable")
    return ordered[np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))]


def _listed(sids: object, every: Sids, what: str) -> Sids:
    """Return the given numbers, ascending, checked to be among ``every``."""
    path = sids if isinstance(sids, (str, PathLike)) else None
    given = _numbers(sids) if path is None else read_sids(path)
    kept, times = np.unique(given, return_counts=True)
    unknown = kept[locate(frozen(kept), frozen(every)) < 0]
    if unknown.size:
        raise InputError(
            f"{what} has no sentence {unknown[0]}"
            + (
                f", nor {number_of(unknown.size - 1, 'other')} of the list"
                if unknown.size > 1
                else ""
            ),
            path=path,
            expected=f"its sids, which run from {every[0]} to {every[-1]}",
        )
    if kept.size < given.size:
        warn(f"sentences listed more than once, counted once each: {np.count_nonzero(times > 1):,}")
    return kept


def _numbers(sids: Any) -> Sids:
    if hasattr(sids, "columns") or isinstance(sids, pa.RecordBatchReader):
        table = to_table(sids)
        require_columns(table.schema, ["sid"], "the table of sentences")
        sids = table["sid"]
    # Sets and other iterables have no array of their own.
    numbers = np.asarray(sids if hasattr(sids, "__array__") else list(sids))
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise InputError(f"sentence numbers of type {numbers.dtype}", expected="whole numbers")
    return numbers.astype(np.int64)


def _fulfilling(rows: object, where: str, select: str) -> Sids:
    """Return the numbers of the sentences that satisfy a condition, ascending."""
    # The line break ends a comment in the condition; the parentheses keep it one expression.
    table = f"select {select} from sentences"  # noqa: S608 (the user's own query)
    sql = f"select sid, (\n{where}\n) as chosen\nfrom ({table})"
    # A condition may read nothing but these rows.
    with limited([]) as connection:
        connection.register("sentences", rows)
        try:
            asked = query(connection, sql)
        except QueryError as error:
            why = str(error).partition("\n")[0]
            names = ", ".join(connection.sql(table).columns)
            raise InputError(
                f"`where` is {where!r}: {why}", expected=f"SQL over the columns {names}"
            ) from error
        if asked is None or str(asked.types[1]) != "BOOLEAN":
            raise InputError(
                f"`where` is {where!r}, and gives {'nothing' if asked is None else asked.types[1]}",
                expected="true or false, such as sid < 110",
            )
        with asking(sql):
            rows_judged = asked.filter("chosen is not null").to_arrow_table()
    sids = rows_judged["sid"].to_numpy().astype(np.int64)
    holds = rows_judged["chosen"].combine_chunks().to_numpy(zero_copy_only=False)
    # A sentence may have several rows: all for which the condition is not null must agree.
    kept = each_once(sids[holds])
    torn = np.intersect1d(kept, each_once(sids[~holds]), assume_unique=True)
    if torn.size:
        raise InputError(
            f"`where` is {where!r}, which holds for one row of sentence {torn[0]} and not for "
            "another",
            expected="a condition on sentences, such as sid < 110, which is the same for all "
            "systems",
        )
    return kept


def read_sids(path: str | PathLike[str]) -> Sids:
    """Read sentence numbers from text, one per line, or from a table with a column sid."""
    with in_file(path):
        if is_parquet(path):
            files = ParquetFiles(path)
            require_columns(files.schema, ["sid"], "the list of sentences")
            parts = [sentence_column(batch) for batch in files.batches(["sid"])]
            sids = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        elif table_suffix(path) in TABLES and not _begins_with_number(path):
            frame = read_table(path, "a list of sentences")
            require_columns(
                frame.drop(LINE, strict=False).to_arrow().schema, ["sid"], "the list of sentences"
            )
            sids = whole_numbers(frame, "sid", 0).to_numpy()
        else:
            texts = ((line, text.strip()) for line, text in TextFile(path, "utf-8").lines())
            sids = np.array([_number(text, line) for line, text in texts if text], np.int64)
        if not sids.size:
            raise InputError("the file has no sentence numbers", expected="one number per line")
        return sids


def _begins_with_number(path: str | PathLike[str]) -> bool:
    """Whether a stream, which has no suffix, is a list of numbers: a table begins with names."""
    words = peek(path, _LOOKED_AT).decode("utf-8-sig", "replace").split(maxsplit=1)
    return is_stream(path) and _NUMBER.fullmatch("".join(words[:1])) is not None


def _number(text: str, line: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{text!r} is not a sentence number", line=line, expected="a whole number")
    return int(text)
