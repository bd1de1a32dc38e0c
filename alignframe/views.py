"""Named views of tables in a connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from alignframe.arrow import is_text
from alignframe.choices import TABLES
from alignframe.errors import InputError
from alignframe.formats import read
from alignframe.parquet import ParquetFiles, is_parquet
from alignframe.read.opening import table_suffix
from alignframe.read.source import is_path
from alignframe.sources import table_of
from alignframe.stores.store import hive_keys

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection


def make_views(connection: DuckDBPyConnection, tables: Mapping[str, Any]) -> None:
    """Make tables known to a connection by name."""
    for name, given in tables.items():
        if not name:
            raise InputError(f"{given} without a name", expected="NAME=PATH, such as hyp=lake/hyp")
        if not is_path(given):
            connection.register(name, table_of(given, f"the table {name}"))
        elif is_parquet(given):
            _view_place(connection, name, ParquetFiles(given))
        elif table_suffix(given) in TABLES:
            connection.register(name, table_of(given, f"the table {name}"))
        else:
            connection.register(name, read(given))


class _Live:
    """Rows that the package's own reader reads again for each query."""

    def __init__(self, files: ParquetFiles) -> None:
        self._files = files

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._files.reader().__arrow_c_stream__(requested_schema)


def _view_place(connection: DuckDBPyConnection, name: str, files: ParquetFiles) -> None:
    if not _duckdb_reads(files):
        connection.register(name, _Live(files))
        return
    paths = ", ".join(_quoted(path, "'") for path in files.paths)
    keyed = any(file.keys for file in files.files())
    view = f"create or replace temp view {_quoted(name, chr(34))} as"
    rows = f"read_parquet([{paths}], union_by_name := true, hive_partitioning := {keyed}, "
    connection.execute(f"{view} from {rows} hive_types_autocast := false)")


def _duckdb_reads(files: ParquetFiles) -> bool:
    """Whether DuckDB can read the bare files itself.

    They must be local, without deleted rows or missing columns, and have all partition keys in
    their paths, as text.
    """
    if files.is_plain:
        return True
    listed = files.files()
    schema: pa.Schema = files.schema
    keys = dict.fromkeys(name for file in listed for name, _ in file.keys)
    if files.store.filesystem is not None or not listed:
        return False
    stored = ParquetFiles(listed[0].path).schema.names
    return (
        all(is_text(schema.field(name).type) for name in keys if name in schema.names)
        and all(file.deleted is None for file in listed)
        and all(set(file.keys) <= set(hive_keys(file.path)) for file in listed)
        and {*schema.names} <= {*stored, *keys}
    )


def _quoted(text: str, mark: str) -> str:
    return mark + text.replace(mark, 2 * mark) + mark
