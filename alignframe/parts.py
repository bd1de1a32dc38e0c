"""Row groups of a Parquet file, read a batch at a time, with the keys of its partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.arrow import BATCH_ROWS, is_links
from alignframe.errors import InputError
from alignframe.stores.store import Keys


@dataclass(frozen=True)
class Part:
    """Row groups of one file with the sids they span, and the partition of the file.

    ``mixed`` means that other files of the place have links of another type; ``expected`` are the
    columns of its first file. Only rows with the values in ``only`` count, without rows that the
    table has ``deleted``.
    """

    path: str
    stored: tuple[str, ...]
    row_groups: tuple[int, ...]
    spans: tuple[tuple[int, int] | None, ...]
    keys: Keys
    mixed: bool = False
    expected: tuple[str, ...] = ()
    only: Keys = ()
    deleted: npt.NDArray[Any] | None = None
    filesystem: Any = None

    def narrowed(self, low: int, high: int) -> Part:
        """Return the row groups that may hold a sid from ``low`` to ``high``."""
        return self.having(
            [span is None or (span[0] <= high and span[1] >= low) for span in self.spans]
        )

    def having(self, kept: Sequence[bool]) -> Part:
        """Return the part with only these row groups."""
        groups = tuple(one for one, keep in zip(self.row_groups, kept, strict=True) if keep)
        spans = tuple(one for one, keep in zip(self.spans, kept, strict=True) if keep)
        return replace(self, row_groups=groups, spans=spans)

    def batches(
        self, columns: Sequence[str] | None = None, rows: int = BATCH_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """Read the part, ``rows`` rows at a time; partition columns come last.

        ``columns`` names top-level columns, or fields of the structs in their lists: ``links.i``.

        Raises
        ------
        InputError
            If the file is damaged, or lacks a column that the first file of its place has.
        """
        names = {name for name, _ in self.keys}
        for name in self.expected if columns is None else columns:
            top = name.partition(".")[0]
            if top in self.expected and top not in self.stored and top not in names:
                raise InputError(
                    f"has no column {top}, unlike other files of the place",
                    path=self.path,
                    expected="files with the same layout",
                )
        also = [] if columns is None else [n for n, _ in self.only if n not in columns]
        for batch in self._read(None if columns is None else [*columns, *also], rows):
            if self.mixed:
                batch = _with_plain_links(batch, columns)
            for name, value in self.only:
                batch = batch.filter(_is_value(batch.column(name), value, self.path, name))
            batch = batch.drop_columns(also) if also else batch
            for name, value in self.keys:
                if name not in self.stored and (columns is None or name in columns):
                    code = None if value is None else 0
                    codes = pa.array([code] * batch.num_rows, pa.int32())
                    words = pa.array([value or ""], pa.string())
                    constant = pa.DictionaryArray.from_arrays(codes, words)
                    batch = batch.append_column(name, constant)
            yield batch

    def _read(self, columns: Sequence[str] | None, rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the stored rows, without deleted ones."""
        encoded = [name for name in ("system",) if name in self.stored]
        with (
            _told(self.path),
            pq.ParquetFile(
                self.path,
                read_dictionary=encoded,
                filesystem=self.filesystem,
                pre_buffer=self.filesystem is not None,
            ) as file,
        ):
            wanted = None if columns is None else _paths(file, columns)
            if self.deleted is None:
                yield from file.iter_batches(
                    rows, row_groups=list(self.row_groups), columns=wanted, use_threads=False
                )
                return
            sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
            for group in self.row_groups:
                start = sum(sizes[:group])
                for batch in file.iter_batches(
                    rows, row_groups=[group], columns=wanted, use_threads=False
                ):
                    alive = ~np.isin(np.arange(start, start + batch.num_rows), self.deleted)
                    start += batch.num_rows
                    yield batch.filter(pa.array(alive))


def _is_value(column: pa.Array, value: str | None, path: str, name: str) -> pa.Array:
    """Return which rows have the value of a partition."""
    texts = key_texts(column, path, name)
    return column.is_null() if value is None else pc.fill_null(pc.equal(texts, value), False)


def key_texts(column: pa.Array, path: str, name: str) -> pa.Array:
    """Return the values of a partition key as texts; raise an InputError for other types."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_floating(kind) or pa.types.is_nested(kind):
        raise InputError(
            f"a key {name} of type {kind}", path=path, expected="strings or whole numbers"
        )
    return column.cast(kind).cast(pa.string())


def _paths(file: pq.ParquetFile, columns: Sequence[str]) -> list[str]:
    """Return the paths of columns in the file; those inside lists have several names."""
    paths = [file.schema.column(k).path for k in range(len(file.schema))]
    found = []
    for name in columns:
        column, _, field = name.partition(".")
        mine = [path for path in paths if path.split(".")[0] == column]
        whole = mine and pa.types.is_large_list(file.schema_arrow.field(column).type)
        found += [column] if whole else [p for p in mine if not field or p.split(".")[-1] == field]
    return found


def _with_plain_links(batch: pa.RecordBatch, columns: Sequence[str] | None) -> pa.RecordBatch:
    """Return a batch with its links in the common type of all files."""
    at = batch.schema.get_field_index("links")
    if at < 0 or not is_links(batch.schema.field(at).type):
        return batch
    asked = {name.partition(".")[2] for name in columns or ()} - {""}
    fields = [
        pa.field(field.name, pa.uint16() if pa.types.is_integer(field.type) else field.type)
        for field in batch.schema.field(at).type.value_type
        if not asked or field.name in asked
    ]
    plain = pa.list_(pa.field("element", pa.struct(fields)))
    try:
        return batch.set_column(at, pa.field("links", plain), batch.column(at).cast(plain))
    except pa.ArrowInvalid:
        return batch  # with an impossible position, which is reported when links are read


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Raise an InputError if the file's pages cannot be read."""
    try:
        yield
    except InputError:
        raise
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            f"the Parquet file is damaged or cannot be read ({error})", path=path
        ) from None


def sid_span(group: pq.RowGroupMetaData) -> tuple[int, int] | None:
    """Return the first and the last sid of a row group, if recorded."""
    found = _span(group, "sid")
    if found is None or not all(isinstance(end, int) for end in found):
        return None  # columns without numbers are refused when read
    return found[0], found[1]


def _span(group: pq.RowGroupMetaData, name: str) -> tuple[Any, Any] | None:
    """Return the minimum and maximum of a column, if recorded."""
    for k in range(group.num_columns):
        column = group.column(k)
        if column.path_in_schema == name:
            noted = column.statistics
            return (noted.min, noted.max) if noted is not None and noted.has_min_max else None
    return None


def may_hold(group: pq.RowGroupMetaData, only: Keys) -> bool:
    """Whether a row group may have rows with all of the values."""
    for name, value in only:
        span = _span(group, name)
        if value is None or span is None:
            continue
        low, high = span
        if isinstance(low, str) and not low <= value <= high:
            return False
        if type(low) is int and not (value.lstrip("-").isdigit() and low <= int(value) <= high):
            return False
    return True
