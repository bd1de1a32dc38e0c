"""Named views of tables in a connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from alignframe.choices import TABLES
from alignframe.errors import InputError
from alignframe.formats import read
from alignframe.formats.recognise import detect
from alignframe.parquet import ParquetFiles, is_parquet
from alignframe.read.opening import table_suffix
from alignframe.read.source import is_path
from alignframe.sources import table_of

if TYPE_CHECKING:
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
            kind = detect(given, "alignframe convert --from, which makes a table of it")
            connection.register(name, read(given, kind))


class _Live:
    """Rows that the package's own reader reads again for each query."""

    def __init__(self, files: ParquetFiles) -> None:
        self._files = files

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._files.reader().__arrow_c_stream__(requested_schema)


def _view_place(connection: DuckDBPyConnection, name: str, files: ParquetFiles) -> None:
    rows = files.sql()
    if rows is None:
        connection.register(name, _Live(files))
    else:
        view = name.replace('"', '""')
        connection.execute(f'create or replace temp view "{view}" as from {rows}')
