"""Opening Parquet files, local or in an object store, and their footers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property, lru_cache
from os import PathLike
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.errors import InputError, in_file
from alignframe.stores.remote import reached
from alignframe.stores.store import file_mark

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

DAMAGED = (OSError, pa.ArrowException, UnicodeDecodeError)
"""Exceptions raised for damaged Parquet files; column names may be invalid text."""

_GONE = "no such file; it was there when the place was listed"
_ENDS = """
    select row_group_id, path_in_schema, type, stats_min_value, stats_max_value
    from parquet_metadata(?)
    where type in ('INT32', 'INT64', 'BYTE_ARRAY')
        and stats_min_value is not null and stats_max_value is not null
"""


@contextmanager
def reading(path: str | PathLike[str], what: str, gone: str = _GONE, **told: Any) -> Iterator[None]:
    """Turn errors of a missing or damaged file into InputErrors."""
    with in_file(path):
        try:
            yield
        except FileNotFoundError:
            raise InputError(gone) from None
        except DAMAGED as error:
            reason = str(error).partition("\n")[0]
            if "magic bytes not found" in reason:  # as of any file of another format
                what, reason = "is not a Parquet file", ""
            raise InputError(what + (reason and f" ({reason})"), **told) from None


@contextmanager
def open_parquet(path: str | PathLike[str], expected: str = "") -> Iterator[pq.ParquetFile]:
    """Open a single Parquet file."""
    what = "cannot be read as Parquet"
    with reading(path, what, "no such file", expected=expected), pq.ParquetFile(path) as file:
        yield file


def footer(path: str, filesystem: FileSystem | None = None) -> pq.FileMetaData:
    """Return the footer of a Parquet file; damaged files raise Arrow's errors."""
    try:
        return pq.read_metadata(path, filesystem=filesystem)
    except FileNotFoundError:
        raise
    except OSError as error:
        if "AWS Error" in str(error):
            with reached(path):
                raise
        if error.errno:  # set for system errors, but not for Arrow's own
            raise InputError(f"cannot be read ({error.strerror})", path=path) from None
        raise


class Footer(NamedTuple):
    """What a footer says, without Arrow's object, which takes much memory."""

    schema: pa.Schema
    rows: int
    row_groups: int
    unpacked_bytes: int

    @classmethod
    def of(cls, meta: pq.FileMetaData) -> Footer:
        """Return what Arrow's object says."""
        sizes = (meta.row_group(k).total_byte_size for k in range(meta.num_row_groups))
        schema = meta.schema.to_arrow_schema()
        return cls(schema, meta.num_rows, meta.num_row_groups, sum(sizes))


def footer_of(place: object, path: str, filesystem: FileSystem | None) -> Footer:
    """Return what the footer of a file says; ``place`` is that which asks, perhaps repeatedly."""
    if filesystem is not None:
        return Footer.of(footer(path, filesystem))
    try:
        mark = file_mark(path)
    except InputError:  # reading it tells more
        mark = ""
    return _kept(place, path, mark)


@lru_cache(maxsize=64)
def _kept(place: object, path: str, mark: str) -> Footer:  # noqa: ARG001 - what it is kept by
    """Return the footer of a local file: each unit of a job needs it several times."""
    return Footer.of(footer(path))


class Ends:
    """The least and the largest values of columns in the row groups of a file.

    DuckDB reads them: pyarrow ends the process if they are damaged.
    """

    def __init__(self, path: str, filesystem: FileSystem | None) -> None:
        self._path = path
        self._filesystem = filesystem

    def may_hold(self, row_group: int, name: str | None, low: Any, high: Any) -> bool:
        """Whether a row group may have values from ``low`` to ``high`` in a column."""
        least, most = self._known.get((row_group, name), (None, None))
        # Keys of partitions are text; the column may have whole numbers.
        if isinstance(least, int) and isinstance(low, str):
            if not low.removeprefix("-").isdigit():
                return False
            low = high = int(low)
        # Values of another type, as of a damaged or foreign file, exclude nothing.
        return type(least) is not type(low) or (least <= high and most >= low)

    @cached_property
    def _known(self) -> dict[tuple[int, str | None], tuple[Any, Any]]:
        import duckdb

        with ExitStack() as stack:
            path = self._path
            if self._filesystem is not None:
                footer = stack.enter_context(NamedTemporaryFile(suffix=".parquet"))
                footer.write(_footer_of(path, self._filesystem))
                footer.flush()
                path = footer.name
            connection = stack.enter_context(duckdb.connect())
            try:
                ends = connection.execute(_ENDS, [path]).fetchall()
            except duckdb.Error:  # reading the rows tells of a damaged file
                return {}
        return {
            (group, name): (int(low), int(high)) if kind.startswith("INT") else (low, high)
            for group, name, kind, low, high in ends
            # DuckDB gives dates and times, stored as integers too, as text that is no number.
            if not kind.startswith("INT") or f"{low}{high}".replace("-", "").isdigit()
        }


def _footer_of(path: str, filesystem: FileSystem) -> bytes:
    """Return the footer of a remote file as a file of its own."""
    with filesystem.open_input_file(path) as file:
        size = file.size()
        length = int.from_bytes(file.read_at(8, size - 8)[:4], "little")
        # DuckDB reads a file from its end, but wants four bytes before the footer.
        return b"PAR1" + bytes(file.read_at(length + 8, size - length - 8))
