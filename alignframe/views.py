"""Named views of tables in a connection."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from alignframe.choices import TABLES
from alignframe.errors import AlignframeError, InputError
from alignframe.formats import detect, read
from alignframe.nested import has_links
from alignframe.parquet import ParquetFiles, is_parquet
from alignframe.read.links import LINKS
from alignframe.read.misread import compare_tables
from alignframe.read.opening import table_suffix
from alignframe.read.source import is_path, only
from alignframe.sources import table_of

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection


def make_views(connection: DuckDBPyConnection, tables: Mapping[str, Any]) -> None:
    """Make tables known to a connection by name."""
    links: dict[str, pa.Table | ParquetFiles] = {}
    for name, given in tables.items():
        if not name:
            raise InputError(f"{given} without a name", expected="NAME=PATH, such as hyp=lake/hyp")
        held: pa.Table | ParquetFiles
        if is_path(given) and is_parquet(given):
            held = ParquetFiles(given)
            _view_place(connection, name, held)
        else:
            if is_path(given) and table_suffix(given) not in TABLES:
                way = "with alignframe convert --from, which makes a table of it"
                held = read(given, detect(given, option=way))
            else:
                held = table_of(given, f"the table {name}")
            connection.register(name, held)
        if has_links(held.schema):
            links[name] = held
    if len(links) > 1:
        with suppress(AlignframeError):  # which the query will raise
            compare_tables({name: only(held, LINKS) for name, held in links.items()})


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
