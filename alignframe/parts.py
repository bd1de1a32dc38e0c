"""Row groups of a Parquet file, read a batch at a time as rows of their table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.arrow import BATCH_ROWS, is_list
from alignframe.errors import InputError
from alignframe.stores.store import DataFile, Keys, Store, hive_keys, key_text

_ICEBERG_ID = b"PARQUET:field_id"
_DELTA_NAME = b"delta.columnMapping.physicalName"
_TEXTS = frozenset({"system", "doc", "src", "tgt", "text", "tokens", "words", "ref", "judge"})
"""Columns of text, which some writers store as bytes that nothing marks as text."""


_ENDS = """
    select row_group_id, path_in_schema, type, stats_min_value, stats_max_value
    from parquet_metadata(?)
    where type in ('INT32', 'INT64', 'BYTE_ARRAY')
        and stats_min_value is not null and stats_max_value is not null
"""


@dataclass(frozen=True)
class Part:
    """Row groups of one file, and the partition of the file.

    ``table`` has the columns of the table; ``stored`` are those of the file, with its names for
    them. Only rows with the values in ``only`` count, without rows that the table has ``deleted``.
    Keys that are ``doubled`` are columns of the file too. A file is ``bare`` if DuckDB reads the
    same from it; if it is ``alone``, its lists and texts may have long offsets.
    """

    path: str
    table: pa.Schema
    stored: Mapping[str, str]
    row_groups: tuple[int, ...]
    ends: Ends
    keys: Keys = ()
    only: Keys = ()
    doubled: tuple[str, ...] = ()
    bare: bool = True
    alone: bool = True
    deleted: npt.NDArray[Any] | None = None
    filesystem: Any = None

    @classmethod
    def of(
        cls,
        file: DataFile,
        meta: pq.FileMetaData,
        store: Store,
        table: pa.Schema,
        only: Keys,
        alone: bool,
    ) -> Part:
        """Return the row groups of a file that may have rows with the values in ``only``."""
        known = meta.schema.to_arrow_schema()
        pairs = [(field, origin(field, known)) for field in table]
        names = {field.name: one.name for field, one in pairs if one is not None}
        keys = file.keys if store.schema is None else ()
        doubled = tuple(name for name, _ in keys if name in known.names)
        ends = Ends(file.path, store.filesystem)
        groups = range(meta.num_row_groups)
        return cls(
            file.path,
            table,
            names,
            tuple(k for k in groups if all(ends.may_hold(k, names.get(n), v, v) for n, v in only)),
            ends,
            file.keys,
            only,
            doubled,
            _is_bare(file, known, pairs) and not doubled,
            alone,
            file.deleted,
            store.filesystem,
        )

    def row_groups_apart(self) -> list[Part]:
        """Return a part for each row group."""
        return [replace(self, row_groups=(k,)) for k in self.row_groups]

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

        Raises
        ------
        InputError
            If the file is damaged, or a column differs from the folder or in type from the table.
        """
        keys = dict(self.keys)
        fields = _asked(self.table, self.table.names if columns is None else columns)
        names = [field.name for field in fields]
        fields += _asked(self.table, [name for name, _ in self.only if name not in names])
        with _told(self.path):
            for batch in self._read(fields, rows):
                made = {}
                for field in fields:
                    name = field.name
                    if name in batch.schema.names and name not in self.doubled:
                        made[name] = self._fitted(batch.column(name), field)
                    else:
                        made[name] = _constant(keys.get(name), batch.num_rows, field.type)
                for name in self.doubled:
                    self._check_key(batch.column(name), name, keys[name])
                found = pa.record_batch(made) if made else batch
                for name, value in self.only:
                    found = found.filter(_is_value(found.column(name), value, self.path, name))
                yield found.select(names)

    def _read(self, fields: Sequence[pa.Field], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the stored rows, without deleted ones, with the names of the table."""
        with pq.ParquetFile(
            self.path,
            read_dictionary=[self.stored[one] for one in ("system",) if one in self.stored],
            filesystem=self.filesystem,
            pre_buffer=self.filesystem is not None,
        ) as file:
            names = {stored: name for name, stored in self.stored.items()}
            wanted = [path for field in fields for path in _paths(file, field)]
            options = {"columns": [*wanted, *self.doubled], "use_threads": False}
            if self.deleted is None:
                found = file.iter_batches(rows, row_groups=list(self.row_groups), **options)
                yield from (_renamed(batch, names) for batch in found)
                return
            sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
            for group in self.row_groups:
                start = sum(sizes[:group])
                for batch in file.iter_batches(rows, row_groups=[group], **options):
                    alive = ~np.isin(np.arange(start, start + batch.num_rows), self.deleted)
                    start += batch.num_rows
                    yield _renamed(batch.filter(pa.array(alive)), names)

    def _fitted(self, column: pa.Array, field: pa.Field) -> pa.Array:
        if pa.types.is_dictionary(column.type):  # a damaged file may have numbers of no word
            column.dictionary.validate(full=True)
            low, high = (end.as_py() for end in pc.min_max(column.indices).values())
            if low is not None and not 0 <= low <= high < len(column.dictionary):
                raise pa.ArrowInvalid(f"the word {high} of {len(column.dictionary)}")
        try:
            found = _fitted(column, field.type, field.name)
            kind = plain_type(field.type, field.name)
            exact = self.alone or found.type == kind or pa.types.is_dictionary(found.type)
            return found if exact else found.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise InputError(
                f"a column {field.name} of type {column.type}, but {field.type} in other files",
                path=self.path,
                expected="files with the same layout",
            ) from None

    def _check_key(self, column: pa.Array, name: str, value: str | None) -> None:
        """Raise an InputError if a column has other values than the folder of the file."""
        wrong = sorted(
            map(str, {*pc.unique(key_texts(column, self.path, name)).to_pylist()} - {value})
        )
        if wrong:
            raise InputError(
                f"a column {name} with {wrong[0]!r} in a folder {name}={value}",
                path=self.path,
                expected="the same value in both",
                todo="drop the column from the file, or rename the folder"
                + (", or write the file with --system" if name == "system" else ""),
            )


class Ends:
    """The least and the largest values of columns in the row groups of a file.

    DuckDB reads them: pyarrow ends the process if they are damaged.
    """

    def __init__(self, path: str, filesystem: Any) -> None:
        self._path = path
        self._filesystem = filesystem

    def may_hold(self, row_group: int, name: str | None, low: Any, high: Any) -> bool:
        """Whether a row group may have values from ``low`` to ``high`` in a column."""
        least, most = self._known.get((row_group, name), (None, None))
        if isinstance(least, int) and isinstance(low, str):
            if not low.removeprefix("-").isdigit():
                return False
            low = high = int(low)
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
                found = connection.execute(_ENDS, [path]).fetchall()
            except duckdb.Error:  # reading the rows tells of a damaged file
                return {}
        return {
            (group, name): (int(low), int(high)) if kind.startswith("INT") else (low, high)
            for group, name, kind, low, high in found
            if not kind.startswith("INT") or f"{low}{high}".replace("-", "").isdigit()
        }


def _footer_of(path: str, filesystem: Any) -> bytes:
    """Return the footer of a remote file as a file of its own."""
    with filesystem.open_input_file(path) as file:
        size = file.size()
        length = int.from_bytes(file.read_at(8, size - 8)[:4], "little")
        return b"PAR1" + bytes(file.read_at(length + 8, size - length - 8))


def origin(field: pa.Field, stored: Iterable[pa.Field]) -> pa.Field | None:
    """Return the stored field that holds a table's field; None if there is none.

    Iceberg's fields have numbers, and Delta's may have another name in files.
    """
    notes = field.metadata or {}
    if _ICEBERG_ID in notes:
        numbers = {(one.metadata or {}).get(_ICEBERG_ID): one for one in stored}
        if set(numbers) != {None}:
            return numbers.get(notes[_ICEBERG_ID])
    name = notes.get(_DELTA_NAME, field.name.encode()).decode()
    return next((one for one in stored if one.name == name), None)


def plain_type(kind: pa.DataType, name: str = "") -> pa.DataType:
    """Return the type of a column without dictionaries, long offsets and bytes for text."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type, name)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.string() if name in _TEXTS else pa.binary()
    if is_list(kind):
        return pa.list_(pa.field("element", plain_type(kind.value_type, name)))
    if pa.types.is_struct(kind):
        return pa.struct([(one.name, plain_type(one.type)) for one in kind])
    return kind


def common_type(one: pa.DataType, two: pa.DataType) -> pa.DataType | None:
    """Return the type that holds the values of two, such as of integers; None if there is none."""
    schemas = [pa.schema({"": kind}) for kind in (one, two)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def key_texts(column: pa.Array, path: str, name: str) -> pa.Array:
    """Return the values of a partition key as texts; raise an InputError for other types."""
    kind = plain_type(column.type)
    if pa.types.is_floating(kind) or pa.types.is_nested(kind):
        raise InputError(
            f"a key {name} of type {kind}", path=path, expected="strings or whole numbers"
        )
    values = pc.dictionary_encode(column.cast(kind))
    return pa.array([key_text(one) for one in values.dictionary.to_pylist()], pa.string()).take(
        values.indices
    )


def _is_value(column: pa.Array, value: str | None, path: str, name: str) -> pa.Array:
    """Return which rows have the value of a partition."""
    texts = key_texts(column, path, name)
    return column.is_null() if value is None else pc.fill_null(pc.equal(texts, value), False)


def _asked(table: pa.Schema, columns: Iterable[str]) -> list[pa.Field]:
    """Return the fields asked for, with only the asked fields of their structs."""
    asked: dict[str, set[str]] = {}
    for name in columns:
        top, _, part = (name, "", "") if name in table.names else name.partition(".")
        asked.setdefault(top, set()).add(part)
    found = []
    for name, inner in asked.items():
        if name in table.names:
            field = table.field(name)
            if "" not in inner:
                parts = [one for one in field.type.value_type if one.name in inner]
                field = field.with_type(pa.list_(pa.field("element", pa.struct(parts))))
            found.append(field)
    return found


def _paths(file: pq.ParquetFile, field: pa.Field) -> list[str]:
    """Return the paths in a file of a table's field, of which only some structs may be asked."""
    one = origin(field, file.schema_arrow)
    if one is None:
        return []
    if not pa.types.is_list(one.type) or not pa.types.is_struct(one.type.value_type):
        return [one.name]
    inner = {
        found.name for each in field.type.value_type if (found := origin(each, one.type.value_type))
    }
    paths = (file.schema.column(k).path for k in range(len(file.schema)))
    return [
        path
        for path in paths
        if path.startswith(f"{one.name}.") and path.rpartition(".")[2] in inner
    ]


def _renamed(batch: pa.RecordBatch, names: Mapping[str, str]) -> pa.RecordBatch:
    return batch.rename_columns([names.get(name, name) for name in batch.schema.names])


def _fits(kind: pa.DataType, wanted: pa.DataType, name: str) -> bool:
    """Whether values of a type can stay as they are."""
    if is_list(kind) and is_list(wanted):
        return _fits(kind.value_type, wanted.value_type, name)
    if pa.types.is_struct(kind) and pa.types.is_struct(wanted):
        pairs = [(field, origin(field, kind)) for field in wanted]
        return all(
            one is not None and one.name == field.name and _fits(one.type, field.type, "")
            for field, one in pairs
        )
    if pa.types.is_dictionary(kind) and name == "system":
        kind = kind.value_type  # system names repeat
    large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    return bool(plain_type(wanted, name) == (plain_type(kind) if large else kind))


def _fitted(column: pa.Array, wanted: pa.DataType, name: str) -> pa.Array:
    """Return a column in a type of a table; fields of structs that it lacks are null."""
    kind = column.type
    if _fits(kind, wanted, name):
        return column
    if pa.types.is_dictionary(kind):
        return _fitted(column.dictionary_decode(), wanted, name)
    if is_list(kind) and is_list(wanted):
        sizes = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
        return pa.ListArray.from_arrays(
            pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32()),
            _fitted(column.flatten(), wanted.value_type, name),
            mask=column.is_null() if column.null_count else None,
        )
    if pa.types.is_struct(kind) and pa.types.is_struct(wanted):
        fields = [
            _fitted(column.field(one.name), field.type, "")
            if (one := origin(field, kind)) is not None
            else pa.nulls(len(column), plain_type(field.type))
            for field in wanted
        ]
        return pa.StructArray.from_arrays(
            fields, [field.name for field in wanted], mask=column.is_null()
        )
    kind, wanted = plain_type(kind, name), plain_type(wanted, name)
    if (pa.types.is_integer(kind) and pa.types.is_integer(wanted)) or common_type(
        kind, wanted
    ) == wanted:
        return column.cast(wanted)
    raise pa.ArrowInvalid("values of another type")


def _constant(value: str | None, rows: int, kind: pa.DataType) -> pa.Array:
    """Return a column with the value of a partition's key, or nulls."""
    if value is None:
        return pa.nulls(rows, plain_type(kind))
    if plain_type(kind) == pa.string():
        codes = pa.array(np.zeros(rows, np.int32))
        return pa.DictionaryArray.from_arrays(codes, pa.array([value], pa.string()))
    return pa.repeat(pa.scalar(value).cast(kind), rows)


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Raise an InputError if the file's pages cannot be read."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(
            "no such file; it was there when the place was listed", path=path
        ) from None
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(
            f"the Parquet file is damaged or cannot be read ({error})", path=path
        ) from None


def _is_bare(
    file: DataFile, known: pa.Schema, pairs: Iterable[tuple[pa.Field, pa.Field | None]]
) -> bool:
    """Whether DuckDB finds the keys of a file in its path, and its columns by their names."""
    keys = hive_keys(file.path)
    return (
        file.deleted is None
        and set(file.keys) <= set(keys)
        and not any("=" in (value or "") for _, value in keys)
        and all(
            field.name not in known.names
            if one is None
            else one.name == field.name and _fits(one.type, field.type, field.name)
            for field, one in pairs
        )
    )
