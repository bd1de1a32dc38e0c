"""Tables of a connection: views over the files that live, by the names that a query gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from alignframe.arrow import is_text
from alignframe.errors import InputError
from alignframe.formats import read
from alignframe.formats.opening import table_suffix
from alignframe.parquet import ParquetFiles, is_parquet
from alignframe.sources import is_path, table_of
from alignframe.stores.store import hive_keys
from alignframe.table_files import SUFFIXES

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection


def make_views(connection: DuckDBPyConnection, tables: Mapping[str, Any]) -> None:
    """Give tables their names in a connection.

    Parameters
    ----------
    connection
        Where queries are to find them.
    tables
        Each a place (a file, a glob, a folder of Parquet files, hive-partitioned or not, a Delta or
        Iceberg table, or one in an object store), a .csv, .tsv or .jsonl file, a file of links in
        any format, or any frame. Which files of a place live is looked up once, now.

    Raises
    ------
    InputError
        If nothing is there, or it is not a table.
    MissingExtraError
        If the library of a Delta or Iceberg table is not installed.
    """
    for name, given in tables.items():
        if not name:
            raise InputError(f"{given} without a name", expected="NAME=PATH, such as hyp=lake/hyp")
        if not is_path(given):
            connection.register(name, table_of(given, f"the table {name}"))
        elif is_parquet(given):
            _view_place(connection, name, ParquetFiles(given))
        elif table_suffix(given) in SUFFIXES:
            connection.register(name, table_of(given, f"the table {name}"))
        else:
            connection.register(name, read(given))


class _Live:
    """Rows that are read anew for each query, by the package's own reader."""

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
    """Whether DuckDB finds in the bare files what they hold.

    That is so of files of this machine without deleted rows whose folders give their keys, as text,
    and which lack no column.
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
