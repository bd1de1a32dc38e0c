"""Named views of tables in a connection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from alignframe.choices import TABLES
from alignframe.errors import AlignframeError, InputError
from alignframe.formats import detect, read
from alignframe.nested import has_links
from alignframe.read.links import LINKS
from alignframe.read.misread import compare_tables
from alignframe.read.opening import table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.read.source import is_path, only
from alignframe.sources import table_of

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection


_FILE = re.compile(r"'((?:[^'\n]|'')+\.(?:parquet|pq))'")


def make_views(
    connection: DuckDBPyConnection, tables: Mapping[str, object], query: str = ""
) -> None:
    """Make tables known to a connection by name; check their links, and those of files queried."""
    links: dict[str, pa.Table | ParquetFiles] = {}
    for name, given in tables.items():
        if not name:
            raise InputError(f"{given} without a name", expected="NAME=PATH, such as hyp=lake/hyp")
        held: pa.Table | ParquetFiles
        if is_path(given) and is_parquet(given):
            held = ParquetFiles(given)
            rows = held.sql()
            if rows is None:  # only the package's own reader can read them, anew for each query
                connection.register(name, held)
            else:
                view = name.replace('"', '""')
                connection.execute(f'create or replace temp view "{view}" as from {rows}')
        else:
            if is_path(given) and table_suffix(given) not in TABLES:
                way = "with alignframe convert --from, which makes a table of it"
                held = read(given, detect(given, option=way))
            else:
                held = table_of(given, f"the table {name}")
            connection.register(name, held)
        if has_links(held.schema):
            links[name] = held
    for name in dict.fromkeys(_FILE.findall(query)):
        with suppress(AlignframeError):  # which the query will raise
            files = ParquetFiles(name.replace("''", "'"))
            if has_links(files.schema):
                links[name] = files
    if len(links) > 1:
        with suppress(AlignframeError):  # which the query will raise
            compare_tables({name: only(held, LINKS) for name, held in links.items()})
