"""Parquet files in any place, read in bounded memory.

A place is a file, a glob, a folder, a Delta or Iceberg table, or one of these in an object store
(see ``alignframe.stores``). Files at paths such as ``hyp/system=giza/domain=news/part-0.parquet``
get the columns ``system`` and ``domain``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from os import PathLike, fspath

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.errors import InputError
from alignframe.parts import Part, may_hold, sid_span
from alignframe.stores import DataFile, Keys, is_place, open_store
from alignframe.stores.footers import footer
from alignframe.stores.store import digest

DAMAGED = (OSError, pa.ArrowException, UnicodeDecodeError)
"""Exceptions raised for damaged Parquet files; column names may be invalid text."""

_ALIKE = ("sid", "links", "i", "j", "sure")
"""Columns that either all files of a table have, or none."""


def is_parquet(path: str | PathLike[str]) -> bool:
    """Whether a path is a Parquet file, a glob of such files, or another place."""
    if not fspath(path):
        raise InputError("the file name is empty", expected="a file")
    return is_place(path)


@contextmanager
def open_parquet(path: str | PathLike[str], expected: str = "") -> Iterator[pq.ParquetFile]:
    """Open a single Parquet file."""
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


class ParquetFiles:
    """All Parquet files of a place.

    Parameters
    ----------
    path
        A file, a glob, a folder, a Delta or Iceberg table, or one in an object store.
    version
        See ``open_store``.

    Raises
    ------
    InputError
        If there is nothing, or a file is not Parquet.
    """

    def __init__(self, path: str | PathLike[str], version: str = "") -> None:
        self.name = fspath(path)
        self.store = open_store(path, version)
        self._files = self.store.files
        self._only: Keys = ()
        self._schema  # noqa: B018 - a place that cannot be read is told of at once

    @property
    def schema(self) -> pa.Schema:
        """The columns of the first file or the table, and the partition keys."""
        return self._schema[0]

    @property
    def stored(self) -> tuple[str, ...]:
        """The names of the columns without the partition keys."""
        return self._schema[1]

    @cached_property
    def _schema(self) -> tuple[pa.Schema, tuple[str, ...]]:
        if self.store.schema is not None or not self._files:
            found = self.store.schema or pa.schema([])
            return found, tuple(found.names)
        stored = self._first_schema()
        keys = self._files[0].keys
        extra = [pa.field(name, pa.string()) for name, _ in keys if name not in stored.names]
        return pa.schema([*stored, *extra]), tuple(stored.names)

    def _first_schema(self) -> pa.Schema:
        """Return the schema of the first intact file; reading the others reports errors."""
        for at, file in enumerate(self._files):
            try:
                return self._metadata(file.path).schema.to_arrow_schema()
            except InputError:
                if at == len(self._files) - 1:
                    self._metadata(self._files[0].path)
                    raise
        raise AssertionError

    @property
    def version(self) -> str:
        """An identifier that changes with the contents.

        The version of a Delta table, the snapshot of an Iceberg table, or else a digest of file
        names, sizes and times.
        """
        return self.store.version

    @property
    def metadata(self) -> dict[bytes, bytes] | None:
        """The schema metadata of the first file, such as a signature."""
        if not self._files:
            return None
        found: dict[bytes, bytes] | None = (
            self._metadata(self.paths[0]).schema.to_arrow_schema().metadata
        )
        return found

    @property
    def paths(self) -> list[str]:
        """The names of the files."""
        return [file.path for file in self._files]

    @property
    def is_plain(self) -> bool:
        """Whether the files are local, and any Parquet reader finds the same rows in them."""
        bare = all(file.deleted is None for file in self._files)
        return self.store.filesystem is None and self.store.schema is None and bare

    def units(self) -> list[Keys]:
        """Return the distinct partitions, in order."""
        return list(dict.fromkeys(file.keys for file in self._files))

    def files(self, keys: Keys | None = None) -> list[DataFile]:
        """Return the files of a partition, or all of them.

        ``keys`` may be a subset of a partition's keys. Those that are columns of the files instead
        are left to ``reader``.
        """
        if not keys:
            return list(self._files)
        wanted = dict(keys)
        names = tuple(name for name in self._key_names if name in wanted)
        if not names:
            return list(self._files)
        if names not in self._found_by:
            index: dict[tuple[str | None, ...], list[DataFile]] = {}
            for file in self._files:
                known = dict(file.keys)
                index.setdefault(tuple(known.get(name) for name in names), []).append(file)
            self._found_by[names] = index
        return list(self._found_by[names].get(tuple(wanted[name] for name in names), ()))

    @cached_property
    def _key_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for file in self._files for name, _ in file.keys))

    @cached_property
    def _found_by(
        self,
    ) -> dict[tuple[str, ...], dict[tuple[str | None, ...], list[DataFile]]]:
        """The files by the values of some of their keys."""
        return {}

    def marks(self) -> str:
        """Return a digest that changes with the files."""
        return digest(self.store.marks(self._files))

    def of(self, keys: Keys) -> ParquetFiles:
        """Return the rows of a partition: those with these values in partition keys or columns."""
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        found._files = self.files(keys)
        for name in ("_schema", "_key_names", "_found_by"):
            found.__dict__.pop(name, None)  # the part has other files
        known = {name for file in found._files for name, _ in file.keys}
        others = [(name, value) for name, value in keys if name not in known]
        if others:
            stored = found.stored
            found._only = (*self._only, *(one for one in others if one[0] in stored))
        return found

    def reader(
        self, keys: Keys | None = None, columns: Sequence[str] | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows of a partition, or all rows, as a stream of batches with one schema."""
        chosen = self if keys is None else self.of(keys)
        schema = _plain_schema(self.schema, columns)
        if any(part.mixed for part in chosen.parts(whole_files=True)):
            at = schema.get_field_index("links")
            schema = schema if at < 0 else schema.set(at, _mixed_links(schema.field(at)))
        return pa.RecordBatchReader.from_batches(
            schema, (_cast(batch, schema, self.name) for batch in chosen.batches(schema.names))
        )

    def parts(self, whole_files: bool = False) -> list[Part]:
        """Return one part per row group, or per file."""
        found = []
        kinds = set()
        for file in self._files:
            meta = self._metadata(file.path)
            schema = meta.schema.to_arrow_schema()
            self._check_alike(schema, file.path)
            kinds |= {schema.field("links").type} if "links" in schema.names else set()
            groups = [meta.row_group(k) for k in range(meta.num_row_groups)]
            whole = Part(
                file.path,
                tuple(schema.names),
                tuple(range(len(groups))),
                tuple(sid_span(group) for group in groups),
                file.keys,
                expected=self.stored,
                only=self._only,
                deleted=file.deleted,
                filesystem=self.store.filesystem,
            )
            if self._only:
                whole = whole.having([may_hold(group, self._only) for group in groups])
            if whole_files:
                found.append(whole)
            else:
                pairs = zip(whole.row_groups, whole.spans, strict=True)
                found += [replace(whole, row_groups=(k,), spans=(span,)) for k, span in pairs]
        return found if len(kinds) < 2 else [replace(part, mixed=True) for part in found]

    def unpacked_bytes(self) -> int:
        """Return the uncompressed size of the files, from their footers."""
        every = (self._metadata(file.path) for file in self._files)
        return sum(
            meta.row_group(k).total_byte_size for meta in every for k in range(meta.num_row_groups)
        )

    def check_keys(self) -> None:
        """Raise an InputError if a column has the name of a partition key and other values."""
        for part in self.parts(whole_files=True):
            for name, value in part.keys if self.store.schema is None else ():
                if name not in part.stored:
                    continue
                for batch in part.batches([name]):
                    others = set(pc.unique(batch.column(name)).to_pylist()) - {value}
                    wrong = sorted(str(one) for one in others if str(one) != value)
                    if wrong:
                        raise InputError(
                            f"a column {name} with {wrong[0]!r} in a folder {name}={value}",
                            path=part.path,
                            expected="the same value in both",
                            todo="drop the column from the file, or rename the folder"
                            + (", or write the file with --system" if name == "system" else ""),
                        )

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Read all files one after another."""
        for part in self.parts(whole_files=True):
            yield from part.batches(columns)

    def _metadata(self, path: str) -> pq.FileMetaData:
        try:
            return footer(path, self.store.filesystem)
        except FileNotFoundError:
            raise InputError(
                "no such file; it was there when the place was listed", path=path
            ) from None
        except DAMAGED as error:
            raise InputError(
                f"not a Parquet file ({error})",
                path=path,
                todo="name its format, or convert it"
                if path == self.name
                else "write the file again, or remove it",
            ) from None

    def _check_alike(self, schema: pa.Schema, path: str) -> None:
        """Raise an InputError if a file's link columns differ from those of the first file."""
        for name in _ALIKE:
            if (name in schema.names) != (name in self.stored):
                have, lack = (path, self.paths[0])[:: 1 if name in schema.names else -1]
                raise InputError(
                    f"{have} has a column {name}, {lack} has none",
                    path=self.name,
                    expected="files with the same layout",
                )
        if "links" in schema.names:
            inner, first = (str(one.field("links").type) for one in (schema, self.schema))
            if ("sure" in inner) != ("sure" in first):
                raise InputError(
                    f"the links of {path} and {self.paths[0]} differ: {inner} and {first}",
                    path=self.name,
                    expected="labels in all files or none",
                )


def _plain_schema(schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    """Return the fields of columns, with dictionary-encoded text as plain text."""
    return pa.schema(
        [
            field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
            for field in schema
            if columns is None or field.name in columns
        ]
    )


def _mixed_links(field: pa.Field) -> pa.Field:
    parts = [
        pa.field(one.name, pa.uint16() if pa.types.is_integer(one.type) else one.type)
        for one in field.type.value_type
    ]
    return pa.field(field.name, pa.list_(pa.field("element", pa.struct(parts))))


def _cast(batch: pa.RecordBatch, schema: pa.Schema, name: str) -> pa.RecordBatch:
    """Return a batch in a schema."""
    columns = []
    for field in schema:
        column = batch.column(field.name)
        try:
            columns.append(column if column.type == field.type else column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise InputError(
                f"a file whose column {field.name} is of type {column.type}, but {field.type} in "
                "others",
                path=name,
                expected="files with the same layout",
            ) from None
    return pa.record_batch(columns, schema=schema)
