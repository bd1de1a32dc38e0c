"""Columns of files as columns of their table: names, types, and values of partition keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.core.arrow import is_list, is_text
from alignframe.errors import InputError
from alignframe.stores.store import DataFile, hive_keys, key_text

SAME = "files with the same layout"
_ICEBERG_ID = b"PARQUET:field_id"
_DELTA_NAME = b"delta.columnMapping.physicalName"
# Columns of text, which some writers store as bytes that nothing marks as text.
_TEXTS = frozenset({"system", "doc", "src", "tgt", "text", "tokens", "words", "ref", "judge"})


def origin(field: pa.Field, stored: Iterable[pa.Field]) -> pa.Field | None:
    """Return the stored field that holds a table's field; None if there is none."""
    notes = field.metadata or {}
    # Iceberg numbers its fields, whose names in files may be old ones.
    if _ICEBERG_ID in notes:
        numbers = {(candidate.metadata or {}).get(_ICEBERG_ID): candidate for candidate in stored}
        if set(numbers) != {None}:
            return numbers.get(notes[_ICEBERG_ID])
    # With column mapping, Delta's fields have other names in files.
    name = notes.get(_DELTA_NAME, field.name.encode()).decode()
    return next((candidate for candidate in stored if candidate.name == name), None)


def numbered(stored: pa.Schema, numbers: Iterable[tuple[str, int]]) -> pa.Schema:
    """Return the fields of a file with numbers by their names, if there are any."""
    known = {name: {_ICEBERG_ID: str(number)} for name, number in numbers}
    if not known:
        return stored
    return pa.schema([field.with_metadata(known.get(field.name)) for field in stored])


def _named_as(kind: pa.DataType, wanted: pa.DataType) -> pa.DataType:
    """Return a stored type with the table's names of its fields; others get a name of their own."""
    if is_list(kind) and is_list(wanted):
        inner = kind.value_field.with_type(_named_as(kind.value_type, wanted.value_type))
        return pa.list_(inner) if pa.types.is_list(kind) else pa.large_list(inner)
    if not pa.types.is_struct(kind) or not pa.types.is_struct(wanted):
        return kind
    wanted_fields = {
        stored.name: field for field in wanted if (stored := origin(field, kind)) is not None
    }
    return pa.struct(
        [
            part.with_name(field.name).with_type(_named_as(part.type, field.type))
            if (field := wanted_fields.get(part.name)) is not None
            else part.with_name(f"{part.name} (dropped)")
            for part in kind
        ]
    )


def plain_field(field: pa.Field) -> pa.Field:
    """Return a column without dictionaries, long offsets and bytes for text."""
    return pa.field(field.name, plain_type(field.type, field.name))


def plain_type(kind: pa.DataType, name: str = "") -> pa.DataType:
    """Return a type without dictionaries, long offsets and, in columns of text, bytes."""
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type, name)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.string() if name in _TEXTS else pa.binary()
    if is_list(kind):
        return pa.list_(pa.field("element", plain_type(kind.value_type, name)))
    if pa.types.is_struct(kind):
        return pa.struct([plain_field(part) for part in kind])
    return kind


def common_type(first: pa.DataType, second: pa.DataType) -> pa.DataType | None:
    """Return the type that holds the values of two, such as of integers; None if there is none."""
    # Arrow finds a common type only while it unifies schemas.
    schemas = [pa.schema({"": kind}) for kind in (first, second)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def key_texts(column: pa.Array, name: str) -> pa.Array:
    """Return the values of a partition key as texts; raise an InputError for other types."""
    kind = plain_type(column.type)
    if pa.types.is_floating(kind) or pa.types.is_nested(kind):
        raise InputError(f"a key {name} of type {kind}", expected="strings or whole numbers")
    values = pc.dictionary_encode(column.cast(kind))
    words = pa.array(map(key_text, values.dictionary.to_pylist()), pa.string())
    return words.take(values.indices)


def asked_fields(table: pa.Schema, columns: Iterable[str]) -> list[pa.Field]:
    """Return the fields asked for, with only the asked fields of their structs."""
    asked: dict[str, set[str]] = {}
    for name in columns:
        top, _, part = (name, "", "") if name in table.names else name.partition(".")
        asked.setdefault(top, set()).add(part)
    fields = []
    for name, inner in asked.items():
        if name in table.names:
            field = table.field(name)
            if "" not in inner:
                parts = [
                    inner_field
                    for inner_field in field.type.value_type
                    if inner_field.name in inner
                ]
                field = field.with_type(pa.list_(pa.field("element", pa.struct(parts))))
            fields.append(field)
    return fields


def stored_paths(file: pq.ParquetFile, field: pa.Field, known: pa.Schema) -> list[str]:
    """Return the paths in a file of a table's field; of structs in lists, those asked for."""
    stored = origin(field, known)
    if stored is None:
        return []
    name, kind = stored.name, stored.type
    if not is_list(kind) or not pa.types.is_struct(kind.value_type):
        return [name]
    origins = (origin(inner_field, kind.value_type) for inner_field in field.type.value_type)
    inner = {origin_field.name for origin_field in origins if origin_field is not None}
    paths = (file.schema.column(k).path for k in range(len(file.schema)))
    own = (path for path in paths if path.startswith(f"{name}."))
    return [
        stored_path
        for stored_path in own
        if not inner.isdisjoint(stored_path.removeprefix(name).split("."))
    ]


def fitted(column: pa.Array, field: pa.Field) -> pa.Array:
    """Return a column with the type, and the names of fields, of a table."""
    kind, wanted = _named_as(column.type, field.type), plain_field(field).type
    if pa.types.is_dictionary(kind):  # a damaged file may have numbers of no word
        column.dictionary.validate(full=True)
        low, high = (end.as_py() for end in pc.min_max(column.indices).values())
        if low is not None and not 0 <= low <= high < len(column.dictionary):
            raise pa.ArrowInvalid(f"the word {high} of {len(column.dictionary)}")
        if field.name == "system" and is_text(kind):
            return column  # names of systems repeat
    try:
        if common_type(plain_type(kind, field.name), wanted) is not None:
            return (column if kind == column.type else column.view(kind)).cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    raise InputError(
        f"a column {field.name} of type {column.type}, but {field.type} in other files",
        expected=SAME,
    )


def constant(keys: Mapping[str, str | None], name: str, rows: int, kind: pa.DataType) -> pa.Array:
    """Return a column that a file lacks: the value of its partition's key, or nulls."""
    value = keys.get(name)
    if name in keys and kind == pa.string():
        # A name for all rows is stored once; a null one too, as batches have one type.
        codes = pa.repeat(pa.scalar(None if value is None else 0, pa.int32()), rows)
        return pa.DictionaryArray.from_arrays(codes, pa.array([value or ""]))
    return pa.nulls(rows, kind) if value is None else pa.repeat(pa.scalar(value).cast(kind), rows)


def is_bare(
    file: DataFile, known: pa.Schema, pairs: Iterable[tuple[pa.Field, pa.Field | None]]
) -> bool:
    """Whether DuckDB finds the keys of a file in its path, and its columns by their names."""
    keys = hive_keys(file.path)
    return (
        file.deleted is None
        and all(f"/{name}=" in f"/{file.path}" for name, _ in keys)  # not in capitals
        and set(file.keys) <= set(keys)
        and not any("=" in (value or "") for _, value in keys)
        and all(
            field.name not in known.names
            if stored is None
            else stored.name == field.name and plain_type(stored.type) == plain_field(field).type
            for field, stored in pairs
        )
    )
