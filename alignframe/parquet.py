"""Parquet files, globs and hive-partitioned folders, read in pieces of bounded size.

A folder such as ``hyp/system=giza/domain=news/part-0.parquet`` gives its files the columns
``system`` and ``domain``.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.arrow import BATCH_ROWS, is_links
from alignframe.errors import InputError

_SUFFIXES = (".parquet", ".pq")
DAMAGED = (OSError, pa.ArrowException, UnicodeDecodeError)
"""What reading a damaged Parquet file raises; names of columns may be no text."""

_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


def is_parquet(path: str | PathLike[str]) -> bool:
    """Whether a path means Parquet: a file of that suffix, a glob of such, or a folder.

    Raises
    ------
    InputError
        If the path is empty.
    """
    text = fspath(path)
    if not text:
        raise InputError("the file name is empty", expected="a file")
    return text.endswith(_SUFFIXES) or text.endswith("*") or Path(text).is_dir()


@contextmanager
def open_parquet(path: str | PathLike[str], expected: str = "") -> Iterator[pq.ParquetFile]:
    """Open a single Parquet file.

    Raises
    ------
    InputError
        If it is missing, damaged, or none of Parquet; ``expected`` says what should be there.
    """
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except DAMAGED as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"cannot be read as Parquet ({reason})", path=path, expected=expected
        ) from None


@dataclass(frozen=True)
class Part:
    """Row groups of one file with the sids they span, and the hive columns of its folder.

    ``mixed`` says that other files of the folder have links of another type.
    """

    path: str
    stored: tuple[str, ...]
    row_groups: tuple[int, ...]
    spans: tuple[tuple[int, int] | None, ...]
    keys: tuple[tuple[str, str | None], ...]
    mixed: bool = False

    def narrowed(self, low: int, high: int) -> Part:
        """Return the row groups that may hold a sid from ``low`` to ``high``."""
        kept = [
            (group, span)
            for group, span in zip(self.row_groups, self.spans, strict=True)
            if span is None or (span[0] <= high and span[1] >= low)
        ]
        groups, spans = zip(*kept, strict=True) if kept else ((), ())
        return replace(self, row_groups=groups, spans=spans)

    def batches(
        self, columns: Sequence[str] | None = None, rows: int = BATCH_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """Read the part, ``rows`` rows at a time; hive columns stand last.

        ``columns`` names top-level columns, or fields of the structs in their lists: ``links.i``.
        """
        encoded = [name for name in ("system",) if name in self.stored]
        with pq.ParquetFile(self.path, read_dictionary=encoded) as file:
            wanted = None if columns is None else _paths(file, columns)
            batches = file.iter_batches(
                rows, row_groups=list(self.row_groups), columns=wanted, use_threads=False
            )
            for batch in _undamaged(batches, self.path):
                if self.mixed:
                    batch = _with_plain_links(batch, columns)
                for name, value in self.keys:
                    if name not in self.stored and (columns is None or name in columns):
                        code = None if value is None else 0
                        codes = pa.array([code] * batch.num_rows, pa.int32())
                        words = pa.array([value or ""], pa.string())
                        constant = pa.DictionaryArray.from_arrays(codes, words)
                        batch = batch.append_column(name, constant)
                yield batch


def _paths(file: pq.ParquetFile, columns: Sequence[str]) -> list[str]:
    """Return the file's own paths of columns: what is inside of a list has several names."""
    paths = [file.schema.column(k).path for k in range(len(file.schema))]
    found = []
    for name in columns:
        column, _, field = name.partition(".")
        mine = [path for path in paths if path.split(".")[0] == column]
        whole = mine and pa.types.is_large_list(file.schema_arrow.field(column).type)
        found += [column] if whole else [p for p in mine if not field or p.split(".")[-1] == field]
    return found


def _with_plain_links(batch: pa.RecordBatch, columns: Sequence[str] | None) -> pa.RecordBatch:
    """Return a batch whose links are of the type that those of all files are given."""
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
        return batch  # with an impossible position, which is named where links are read


def _undamaged(batches: Iterator[pa.RecordBatch], path: str) -> Iterator[pa.RecordBatch]:
    """Yield batches; an InputError where the file's pages cannot be read."""
    try:
        yield from batches
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"the Parquet file is damaged ({error})", path=path) from None


class ParquetFiles:
    """All Parquet files of a path, a glob or a folder.

    Raises
    ------
    InputError
        If nothing is there, or a file is not Parquet.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.name = fspath(path)
        self.files = _files(self.name)
        stored = _metadata(self.files[0]).schema.to_arrow_schema()
        self.keys = {file: _hive_keys(file) for file in self.files}
        extra = [
            pa.field(name, pa.string())
            for name, _ in self.keys[self.files[0]]
            if name not in stored.names
        ]
        self.schema = pa.schema([*stored, *extra])

    def _check_alike(self, schema: pa.Schema, path: str) -> None:
        """Refuse a file whose columns of links differ from the first file's."""
        for name in ("sid", "links", "i", "j", "sure"):
            if (name in schema.names) != (name in self.schema.names):
                have, lack = (path, self.files[0])[:: 1 if name in schema.names else -1]
                raise InputError(
                    f"{have} has a column {name}, {lack} has none",
                    path=self.name,
                    expected="files of one layout",
                )
        if "links" in schema.names:
            inner, first = (str(one.field("links").type) for one in (schema, self.schema))
            if ("sure" in inner) != ("sure" in first):
                raise InputError(
                    f"the links of {path} and {self.files[0]} differ: {inner} and {first}",
                    path=self.name,
                    expected="labels in all files or in none",
                )

    def parts(self, whole_files: bool = False) -> list[Part]:
        """Return a part for each row group, or for each file."""
        found = []
        kinds = set()
        for path in self.files:
            meta = _metadata(path)
            schema = meta.schema.to_arrow_schema()
            self._check_alike(schema, path)
            kinds |= {schema.field("links").type} if "links" in schema.names else set()
            stored = tuple(schema.names)
            spans = tuple(_sid_span(meta.row_group(k)) for k in range(meta.num_row_groups))
            groups = tuple(range(meta.num_row_groups))
            whole = Part(path, stored, groups, spans, self.keys[path])
            if whole_files:
                found.append(whole)
            else:
                found += [replace(whole, row_groups=(k,), spans=(spans[k],)) for k in groups]
        return found if len(kinds) < 2 else [replace(part, mixed=True) for part in found]

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Read all files one after another."""
        for part in self.parts(whole_files=True):
            yield from part.batches(columns)


def _metadata(file: str) -> pq.FileMetaData:
    try:
        return pq.read_metadata(file)
    except DAMAGED as error:
        raise InputError(
            f"not a Parquet file ({error})", path=file, todo="name its format, or convert it"
        ) from None


def _files(name: str) -> list[str]:
    if Path(name).is_dir():
        found = sorted(_listed(name))
        if not found:
            raise InputError(
                "is a folder without Parquet files",
                path=name,
                expected="a file, or a folder of .parquet files",
            )
        return found
    if glob.has_magic(name) and not Path(name).exists():
        found = sorted(file for file in glob.glob(name, recursive=True) if Path(file).is_file())
        if not found:
            raise InputError("no file matches the pattern", path=name)
        return found
    if not Path(name).exists():
        raise InputError("no such file", path=name)
    if not Path(name).is_file():
        raise InputError("Parquet from a pipe", path=name, expected="a file")
    return [name]


def _listed(folder: str) -> Iterator[str]:
    """Yield the Parquet files in a folder and below; names that begin with _ or . are hidden."""

    def failed(error: OSError) -> None:
        if isinstance(error, FileNotFoundError):
            return  # a folder below that has vanished since its own was listed
        raise InputError(f"cannot be listed ({error.strerror})", path=error.filename or folder)

    for here, below, files in os.walk(folder, onerror=failed):
        below[:] = [name for name in below if not name.startswith(("_", "."))]
        for name in files:
            if name.endswith(_SUFFIXES) and not name.startswith(("_", ".")):
                yield str(Path(here, name))


def _hive_keys(file: str) -> tuple[tuple[str, str | None], ...]:
    steps = (step.partition("=") for step in Path(file).parent.parts)
    return tuple(
        (unquote(name), None if value == _HIVE_NULL else unquote(value))
        for name, mark, value in steps
        if mark and name
    )


def _sid_span(group: pq.RowGroupMetaData) -> tuple[int, int] | None:
    for k in range(group.num_columns):
        column = group.column(k)
        if column.path_in_schema == "sid":
            numbers = column.statistics
            if numbers is not None and numbers.has_min_max:
                return int(numbers.min), int(numbers.max)
    return None
