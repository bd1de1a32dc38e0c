"""Parquet files in any place, read in bounded memory as one table.

A place is a file, a glob, a folder, a Delta or Iceberg table, or one of these in an object store
(see ``alignframe.stores``). Files at paths such as ``hyp/system=giza/domain=news/part-0.parquet``
get the columns ``system`` and ``domain``. The columns of files are united by name, those of a Delta
or Iceberg table are matched as its schema says; a column that a file lacks is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.core.arrow import BATCH_ROWS
from alignframe.core.choices import PARQUET
from alignframe.core.parallel import ThreadPool
from alignframe.errors import InputError
from alignframe.read.columns import (
    SAME,
    asked_fields,
    common_type,
    constant,
    fitted,
    is_bare,
    key_texts,
    numbered,
    origin,
    plain_field,
    stored_paths,
)
from alignframe.stores import DataFile, Keys, Store, kind_of, open_store
from alignframe.stores.footers import Ends, Footer, footer_of, reading
from alignframe.stores.remote import is_remote
from alignframe.stores.store import digest

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

# Columns of which each system has rows, unlike counts and what users compute.
_DATA = {"links", "i", "text"}
# Columns that either all files of a table have, or none.
_ALIKE = ("sid", "links", "i", "j")


def is_parquet(path: str | PathLike[str]) -> bool:
    """Whether a path is a Parquet file, a glob of such files, or another place."""
    name = fspath(path)
    if not name:
        raise InputError("the file name is empty", expected="a file")
    known = name.lower().endswith((*PARQUET, "*")) or is_remote(name) or Path(name).is_dir()
    return known or kind_of(name) != ""


class ParquetFiles:
    """All Parquet files of a place, which is refused if it has none."""

    def __init__(
        self,
        path: str | PathLike[str],
        version: str = "",
        *,
        part: tuple[Store, list[DataFile], Keys] | None = None,
    ) -> None:
        self.name = fspath(path)
        # A part is an open store with some of its files, and the values of columns that count.
        store = part[0] if part else open_store(path, version)
        self.store, self._files, self._only = part or (store, store.files, ())
        self._place = object()  # what footers are kept by: this place as it was listed
        self._found_by: dict[tuple[str, ...], dict[tuple[str | None, ...], list[DataFile]]] = {}
        if len(self._files) == 1 and not part:
            self._columns  # noqa: B018 - reports a file that cannot be read

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the table, or of all files, with the partition keys."""
        if self.store.schema is not None:
            return pa.schema([plain_field(field) for field in self.store.schema])
        return pa.schema({**self._columns, **dict.fromkeys(self._key_names, pa.string())})

    @cached_property
    def _columns(self) -> dict[str, pa.DataType]:
        """The types of the columns of all intact files; reading the others reports errors."""

        def schema_of(file: DataFile) -> pa.Schema | InputError:
            try:
                return self._footer(file.path).schema.remove_metadata()
            except InputError as error:
                return error

        if len(self._files) == 1:  # as most units of jobs: a pool would take longer than reading
            schemas = [schema_of(self._files[0])]
        else:
            with ThreadPool(16) as pool:
                schemas = list(pool.map(schema_of, self._files))
        intact = [found_schema for found_schema in schemas if isinstance(found_schema, pa.Schema)]
        if schemas and not intact:
            raise schemas[0]
        kinds: dict[str, pa.DataType] = {}
        for schema in dict.fromkeys(intact):
            for field in map(plain_field, schema):
                known = kinds.setdefault(field.name, field.type)
                kinds[field.name] = common_type(known, field.type) or known
        return kinds

    @property
    def version(self) -> str:
        """An identifier that changes with the contents: a version, a snapshot, or else a digest."""
        return self.store.version

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """The schema metadata of the first file, such as a signature; damaged ones are left out."""
        metas = (self._footer(path) for path in self.paths)
        notes = next((meta.schema.metadata for meta in metas), None) or {}
        return {
            name: note
            for name, note in notes.items()
            if (name + note).decode("utf-8", "ignore").encode() == name + note  # else polars panics
        }

    @property
    def paths(self) -> list[str]:
        """The names of the files."""
        return [file.path for file in self._files]

    def units(self) -> list[Keys]:
        """Return the distinct partitions, in order."""
        return list(dict.fromkeys(file.keys for file in self._files))

    def files(self, keys: Keys | None = None) -> list[DataFile]:
        """Return the files of a partition, or all; keys that are columns are left to ``reader``."""
        wanted = dict(keys or ())
        if not wanted:
            return list(self._files)
        names = tuple(name for name in self._key_names if name in wanted)
        # An index per set of keys: jobs ask for thousands of partitions.
        if names not in self._found_by:
            index = self._found_by[names] = {}
            for file in self._files:
                known = dict(file.keys)
                index.setdefault(tuple(known.get(name) for name in names), []).append(file)
        return list(self._found_by[names].get(tuple(wanted[name] for name in names), ()))

    @cached_property
    def _key_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for file in self._files for name, _ in file.keys))

    def marks(self) -> str:
        """Return a digest that changes with the files."""
        return digest(self.store.marks(self._files))

    def of(self, keys: Keys) -> ParquetFiles:
        """Return the rows of a partition: those with these values in partition keys or columns."""
        others = [key for key in keys if key[0] not in self._key_names]
        only = [key for key in others if key[0] in self.schema.names]
        return ParquetFiles(self.name, part=(self.store, self.files(keys), (*self._only, *only)))

    def exactly(self, keys: Keys) -> ParquetFiles:
        """Return the rows of the files with these partition keys and no others."""
        own = [file for file in self.files(keys) if file.keys == keys]
        part = ParquetFiles(self.name, part=(self.store, own, self._only))
        part.schema = self.schema  # other files may have more columns
        return part

    def reader(
        self, keys: Keys | None = None, columns: Sequence[str] | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows of a partition, or all rows, as a stream of batches with one schema."""
        chosen = self if keys is None else self.of(keys)
        chosen.schema = self.schema  # other files may have more columns
        schema = pa.schema(
            [field for field in self.schema if columns is None or field.name in columns]
        )
        # Systems are read as dictionaries, but the schema of the table has plain texts.
        batches = (batch.cast(schema) for batch in chosen.batches(schema.names))
        return pa.RecordBatchReader.from_batches(schema, batches)

    def to_arrow_reader(self, _: int = 0) -> pa.RecordBatchReader:
        """Read all rows anew here: errors would lose their type in ``__arrow_c_stream__``."""
        return self.reader()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Read all rows anew, as any library of frames asks for them."""
        return self.reader().__arrow_c_stream__(requested_schema)

    def parts(self, whole_files: bool = False) -> list[Part]:
        """Return one part per row group, or per file."""
        parts: list[Part] = []
        table = self.store.schema or self.schema
        first: tuple[str, list[str]] | None = None
        rows: dict[str | None, int] = {}
        for file in self._files:
            meta = self._footer(file.path)
            known = numbered(meta.schema, file.numbers)
            first = first or (file.path, known.names)
            if self.store.schema is None:
                self._check_alike(file.path, known.names, *first)
            system = dict(file.keys).get("system")
            rows[system] = rows.get(system, 0) + meta.rows
            # A column may repeat a key of the path; it is checked, and the path counts.
            keys = [name for name, _ in file.keys] if self.store.schema is None else []
            doubled = [name for name in keys if name in known.names]
            stored = {
                column.name: field.name
                for column in table
                if column.name not in doubled and (field := origin(column, known)) is not None
            }
            ends = Ends(file.path, self.store.filesystem)
            groups = [
                group
                for group in range(meta.row_groups)
                if all(ends.may_hold(group, stored.get(name), v, v) for name, v in self._only)
            ]
            # A file beside the folders of a key has it as null.
            lacking = [name for name in self._key_names if name not in {*stored, *dict(file.keys)}]
            part = Part(
                replace(file, keys=(*file.keys, *((name, None) for name in lacking))),
                table,
                stored,
                tuple(groups),
                ends,
                self._only,
                tuple(doubled),
                known,
                self.store.filesystem,
            )
            parts += [part] if whole_files else [replace(part, row_groups=(k,)) for k in groups]
        self._check_systems(name for name, size in rows.items() if name is not None and not size)
        return parts

    def unpacked_bytes(self) -> int:
        """Return the uncompressed size of the files, from their footers."""
        return sum(self._footer(path).unpacked_bytes for path in self.paths)

    def check_keys(self) -> None:
        """Raise an InputError if a column has the name of a partition key and other values."""
        for part in self.parts(whole_files=True):
            for _ in part.batches([]) if part.doubled else ():
                pass

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Read all files one after another."""
        for part in self.parts(whole_files=True):
            yield from part.batches(columns)

    def sql(self) -> str | None:
        """Return what DuckDB selects the same rows from; None if only this package reads them."""
        # DuckDB reads local files without renamed columns or deleted rows, and keys as texts.
        schema, keys = self.schema, self._key_names
        if self.store.filesystem is not None or not self._files or self._only:
            return None
        parts = self.parts(whole_files=True)
        seen = {name for part in parts for name in part.stored} | {*keys}
        texts = all(schema.field(name).type == pa.string() for name in keys)
        texts = texts and len({tuple(name for name, _ in file.keys) for file in self._files}) == 1
        if not texts or seen != {*schema.names} or not all(part.bare for part in parts):
            return None
        paths, names = _quoted(self.paths, "'"), _quoted(schema.names, '"')
        options = f"hive_partitioning := {bool(keys)}, hive_types_autocast := false"
        rows = f"read_parquet([{paths}], union_by_name := true, {options})"
        return f"(select {names} from {rows})"  # noqa: S608

    def _footer(self, path: str) -> Footer:
        own = path == self.name
        todo = "name its format, or convert it" if own else "write the file again, or remove it"
        with reading(path, "not a Parquet file", todo=todo):
            return footer_of(self._place, path, self.store.filesystem)

    def _check_systems(self, empty: Iterable[str]) -> None:
        """Raise an InputError if a system of links or texts has no rows in any partition."""
        for system in empty if _DATA & {*self.schema.names} else ():
            own = (file.path for file in self.store.files if ("system", system) in file.keys)
            if not any(self._footer(path).rows for path in own):
                raise InputError(
                    f"the partition system={system} has no rows",
                    path=self.name,
                    expected="rows of each system",
                    todo="remove its folder, or write its sentences with empty links or texts",
                )

    def _check_alike(self, path: str, names: list[str], first: str, known: list[str]) -> None:
        """Raise an InputError if a file lacks columns of links that the first file has."""
        for name in _ALIKE:
            if (name in names) != (name in known):
                have, lack = (path, first)[:: 1 if name in names else -1]
                raise InputError(
                    f"{have} has a column {name}, {lack} has none", path=self.name, expected=SAME
                )


@dataclass(frozen=True)
class Part:
    """Row groups of one file, read a batch at a time as rows of its table."""

    file: DataFile
    table: pa.Schema  # the columns of the table
    stored: Mapping[str, str]  # the name in the file of each column that it has
    row_groups: tuple[int, ...]
    ends: Ends
    only: Keys  # the values of columns of the rows that count
    doubled: tuple[str, ...]  # partition keys that are columns of the file too
    known: pa.Schema  # the columns of the file
    filesystem: FileSystem | None

    @property
    def bare(self) -> bool:
        """Whether DuckDB reads the same from it."""
        pairs = ((field, origin(field, self.known)) for field in self.table)
        return not self.doubled and is_bare(self.file, self.known, pairs)

    def narrowed(self, low: int, high: int) -> Part:
        """Return the row groups that may hold a sid from ``low`` to ``high``."""
        name = self.stored.get("sid")
        near = [k for k in self.row_groups if self.ends.may_hold(k, name, low, high)]
        return replace(self, row_groups=tuple(near))

    def batches(
        self, columns: Sequence[str] | None = None, rows: int = BATCH_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """Read the part, ``rows`` rows at a time; columns that the file lacks are null.

        ``columns`` names top-level columns, or fields of the structs in their lists: ``links.i``.
        """
        path, keys = self.file.path, dict(self.file.keys)
        fields = asked_fields(self.table, self.table.names if columns is None else columns)
        names = [field.name for field in fields]
        fields += asked_fields(self.table, [name for name, _ in self.only if name not in names])
        with reading(path, "the Parquet file is damaged or cannot be read"):
            for batch in self._read(fields, rows):
                for name in self.doubled:
                    self._check_key(batch.column(name), name, keys[name])
                made = {
                    column.name: fitted(batch.column(self.stored[column.name]), column)
                    if self.stored.get(column.name) in batch.schema.names
                    else constant(keys, column.name, batch.num_rows, plain_field(column).type)
                    for column in fields
                }
                kept = pa.record_batch(made) if made else batch
                for name, value in self.only:
                    texts = key_texts(kept.column(name), name)
                    kept = kept.filter(texts.is_null() if value is None else pc.equal(texts, value))
                yield kept.select(names)

    def _read(self, fields: Sequence[pa.Field], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the stored rows, without deleted ones, with the names of the file."""
        with pq.ParquetFile(
            self.file.path,
            read_dictionary=[self.stored[path] for path in ("system",) if path in self.stored],
            filesystem=self.filesystem,
            pre_buffer=self.filesystem is not None,
        ) as file:
            paths = [name for field in fields for name in stored_paths(file, field, self.known)]
            deleted = self.file.deleted
            # Deleted rows are numbered through the file, so then groups are read one at a time.
            together = [self.row_groups] if deleted is None else [(k,) for k in self.row_groups]
            for groups in together:
                before = () if deleted is None else range(groups[0])
                start = sum(file.metadata.row_group(k).num_rows for k in before)
                for batch in file.iter_batches(
                    rows, list(groups), [*paths, *self.doubled], use_threads=False
                ):
                    if deleted is not None:
                        numbers = np.arange(start, start + batch.num_rows)
                        start += batch.num_rows
                        batch = batch.filter(pa.array(~np.isin(numbers, deleted)))
                    yield batch

    def _check_key(self, column: pa.Array, name: str, value: str | None) -> None:
        """Raise an InputError if a column has other values than the folder of the file."""
        others = {*pc.unique(key_texts(column, name)).to_pylist()} - {value}
        if others:
            raise InputError(
                f"a column {name} with {min(map(str, others))!r} in a folder {name}={value}",
                expected="the same value in both",
                todo="drop the column from the file, or rename the folder"
                + (", or write the file with `system`" if name == "system" else ""),
            )


def _quoted(texts: Iterable[str], mark: str) -> str:
    return ", ".join(mark + text.replace(mark, 2 * mark) + mark for text in texts)
