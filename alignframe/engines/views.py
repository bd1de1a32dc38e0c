"""Tables of a connection, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from alignframe.core.arrow import is_text as is_textual
from alignframe.core.choices import TABLES
from alignframe.engines.duckdb import place_of
from alignframe.errors import AlignframeError, InputError
from alignframe.formats import detect, read
from alignframe.formats.links import is_text
from alignframe.formats.rows import are_links
from alignframe.formats.sentences import text_table
from alignframe.functions.links import parse_links
from alignframe.read.nested import has_links
from alignframe.read.opening import table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.sources.links import LINKS
from alignframe.sources.misread import compare_tables
from alignframe.sources.source import is_path, only
from alignframe.sources.words import table_of

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

_FILE = re.compile(r"'((?:[^'\n]|'')+\.(?:parquet|pq))'")


def check_names(names: Iterable[str]) -> None:
    """Refuse a name of a table given twice, which would be of the last one."""
    seen: dict[str, str] = {}
    for name in names:
        if (before := seen.get(name.lower())) is not None:
            also = f", as SQL takes {before} and {name} for one" * (before != name)
            raise InputError(f"two tables are named {name}{also}", expected="a name for each")
        seen[name.lower()] = name


def _has_texts_of_links(held: pa.Table | ParquetFiles) -> bool:
    """Whether a table of sentences has texts such as ``0-0 1-1`` as links."""
    names = {*held.schema.names}
    if not {"sid", "links"} <= names or not is_textual(held.schema.field("links").type):
        return False
    batches = held.batches(["links"]) if isinstance(held, ParquetFiles) else held.to_batches()
    first = next((text for batch in batches for text in batch["links"].to_pylist() if text), "")
    return are_links(first)


def held_table(name: str, given: object) -> pa.Table | ParquetFiles:
    """Return the table that a name is given to: a place, a file in any format, or a frame."""
    if is_path(given) and is_parquet(given):
        return ParquetFiles(given)
    if not is_path(given) or table_suffix(given) in TABLES:
        held = table_of(given, f"the table {name}")
        if _has_texts_of_links(held):
            at, texts = held.schema.get_field_index("links"), held["links"]
            held = held.set_column(at, "links", parse_links(texts.cast("string")))
        return held
    way = "with alignframe convert --from, which makes a table of it"
    return text_table(given) if is_text(given) else read(given, detect(given, option=way))


def make_views(
    connection: DuckDBPyConnection,
    tables: Mapping[str, object],
    query: str = "",
    *,
    own: bool = False,
) -> dict[str, pa.Table | ParquetFiles]:
    """Make tables known to a connection by name, and return them.

    Their links are checked, and those of files queried. With ``own``, this package's reader reads
    all files, and DuckDB none.
    """
    every: dict[str, pa.Table | ParquetFiles] = {}
    links: dict[str, pa.Table | ParquetFiles] = {}
    check_names(tables)
    lasting = place_of(connection) != "temp"  # so that its cursors know them

    def hold(name: str, held: pa.Table | ParquetFiles) -> None:
        if lasting:
            connection.from_arrow(held).create_view(name)
        else:
            connection.register(name, held)

    for name, given in tables.items():
        if not name:
            raise InputError(f"{given} without a name", expected="NAME=PATH, such as hyp=lake/hyp")
        held = held_table(name, given)
        rows = None if own or not isinstance(held, ParquetFiles) else held.sql()
        if rows is None:  # only the package's own reader can read them, anew for each query
            hold(name, held)
        else:
            if _has_texts_of_links(held):
                rows += " select * replace (parse_links(links) as links)"
            view = name.replace('"', '""')
            kind = "view" if lasting else "temp view"
            connection.execute(f'create or replace {kind} "{view}" as from {rows}')
        every[name] = held
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
    return every
