"""Parquet files in any place, read in bounded memory as one table.

A place is a file, a glob, a folder, a Delta or Iceberg table, or one of these in an object store
(see ``alignframe.stores``). Files at paths such as ``hyp/system=giza/domain=news/part-0.parquet``
get the columns ``system`` and ``domain``. The columns of files are united by name, those of a Delta
or Iceberg table are matched as its schema says; a column that a file lacks is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from os import PathLike, fspath

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.errors import InputError
from alignframe.parts import Part, common_type, plain_type
from alignframe.stores import DataFile, Keys, Store, is_place, open_store
from alignframe.stores.remote import footer
from alignframe.stores.store import digest

DAMAGED = (OSError, pa.ArrowException, UnicodeDecodeError)
"""Exceptions raised for damaged Parquet files; column names may be invalid text."""

_ALIKE = ("sid", "links", "i", "j")
"""Columns that either all files of a table have, or none."""
_AT_ONCE = 16
"""Footers read at once from an object store."""


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
    part
        A store that is open already, with its files and the values of columns that count.

    Raises
    ------
    InputError
        If there is nothing, or a file is not Parquet.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        version: str = "",
        *,
        part: tuple[Store, list[DataFile], Keys] | None = None,
    ) -> None:
        self.name = fspath(path)
        store = part[0] if part else open_store(path, version)
        self.store, self._files, self._only = part or (store, store.files, ())
        if len(self._files) == 1 and not part:
            self._columns  # noqa: B018 - a file that cannot be read is told of at once

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the table, or of all files, with the partition keys."""
        if self.store.schema is not None:
            return pa.schema(
                [(one.name, plain_type(one.type, one.name)) for one in self.store.schema]
            )
        return pa.schema({**self._columns, **dict.fromkeys(self._key_names, pa.string())})

    @cached_property
    def _columns(self) -> dict[str, pa.DataType]:
        """The types of the columns of all intact files; reading the others reports errors."""

        def schema_of(file: DataFile) -> pa.Schema | InputError:
            try:
                return self._footer(file.path).schema.to_arrow_schema().remove_metadata()
            except InputError as error:
                return error

        if self.store.filesystem is None:
            found = list(map(schema_of, self._files))
        else:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                found = list(pool.map(schema_of, self._files))
        intact = [one for one in found if isinstance(one, pa.Schema)]
        if found and not intact:
            raise found[0]
        kinds: dict[str, pa.DataType] = {}
        for schema in dict.fromkeys(intact):
            for field in schema:
                kind = plain_type(field.type, field.name)
                known = kinds.setdefault(field.name, kind)
                kinds[field.name] = common_type(known, kind) or known
        return kinds

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
            self._footer(self.paths[0]).schema.to_arrow_schema().metadata
        )
        return found

    @property
    def paths(self) -> list[str]:
        """The names of the files."""
        return [file.path for file in self._files]

    def units(self) -> list[Keys]:
        """Return the distinct partitions, in order."""
        return list(dict.fromkeys(file.keys for file in self._files))

    def files(self, keys: Keys | None = None) -> list[DataFile]:
        """Return the files of a partition, or all of them.

        ``keys`` may be a subset of a partition's keys. Those that are columns of the files instead
        are left to ``reader``.
        """
        wanted = dict(keys or ())
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
        files = self.files(keys)
        found = ParquetFiles(self.name, part=(self.store, files, self._only))
        others = [one for one in keys if one[0] not in found._key_names]
        if not others:
            return found
        only = [one for one in others if one[0] in found.schema.names]
        return ParquetFiles(self.name, part=(self.store, files, (*self._only, *only)))

    def reader(
        self, keys: Keys | None = None, columns: Sequence[str] | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows of a partition, or all rows, as a stream of batches with one schema."""
        chosen = self if keys is None else self.of(keys)
        fields = [one for one in self.schema if columns is None or one.name in columns]
        schema = pa.schema(fields)
        batches = (
            pa.record_batch(
                [_cast(batch.column(field.name), field.type) for field in schema], schema=schema
            )
            for batch in chosen.batches(schema.names)
        )
        return pa.RecordBatchReader.from_batches(schema, batches)

    def parts(self, whole_files: bool = False) -> list[Part]:
        """Return one part per row group, or per file."""
        found: list[Part] = []
        table = self.store.schema or self.schema
        first: tuple[str, list[str]] | None = None
        for file in self._files:
            meta = self._footer(file.path)
            names = meta.schema.to_arrow_schema().names
            first = first or (file.path, names)
            if self.store.schema is None:
                self._check_alike(file.path, names, *first)
            part = Part.of(file, meta, self.store, table, self._only, alone=len(self._files) == 1)
            found += [part] if whole_files else part.row_groups_apart()
        return found

    def unpacked_bytes(self) -> int:
        """Return the uncompressed size of the files, from their footers."""
        every = (self._footer(file.path) for file in self._files)
        return sum(
            meta.row_group(k).total_byte_size for meta in every for k in range(meta.num_row_groups)
        )

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
        """Return what DuckDB selects the same rows from; None if only this package can read them.

        DuckDB reads local files without deleted or renamed columns and deleted rows, and finds
        partition keys in their paths, as text.
        """
        schema, keys = self.schema, self._key_names
        if self.store.filesystem is not None or not self._files or self._only:
            return None
        parts = self.parts(whole_files=True)
        seen = {name for part in parts for name in part.stored} | {*keys}
        texts = all(schema.field(name).type == pa.string() for name in keys)
        if not texts or seen != {*schema.names} or not all(part.bare for part in parts):
            return None
        paths, names = _quoted(self.paths, "'"), _quoted(schema.names, '"')
        options = f"hive_partitioning := {bool(keys)}, hive_types_autocast := false"
        rows = f"read_parquet([{paths}], union_by_name := true, {options})"
        return f"(select {names} from {rows})"  # noqa: S608

    def _footer(self, path: str) -> pq.FileMetaData:
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

    def _check_alike(
        self, path: str, names: Sequence[str], first: str, known: Sequence[str]
    ) -> None:
        """Raise an InputError if a file lacks columns of links that the first file has."""
        for name in _ALIKE:
            if (name in names) != (name in known):
                have, lack = (path, first)[:: 1 if name in names else -1]
                raise InputError(
                    f"{have} has a column {name}, {lack} has none",
                    path=self.name,
                    expected="files with the same layout",
                )


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    return column if column.type == kind else column.cast(kind)


def _quoted(texts: Iterable[str], mark: str) -> str:
    return ", ".join(mark + text.replace(mark, 2 * mark) + mark for text in texts)
