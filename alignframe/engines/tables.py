"""Tables of queries: what is given to a name becomes a view, and what fits badly is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from alignframe.core.arrow import are_pairs, as_array, from_pairs
from alignframe.core.arrow import is_text as is_textual
from alignframe.core.choices import SEPARATORS, TABLES
from alignframe.engines.duckdb import place_of
from alignframe.engines.query_errors import unread
from alignframe.engines.scripts import declarations
from alignframe.errors import AlignframeError, InputError, warn
from alignframe.formats import detect, read
from alignframe.formats.files import (
    distinct_names,
    files_of,
    is_several,
    system_name,
    translator_name,
)
from alignframe.formats.line_ids import are_behind_ids
from alignframe.formats.links import is_text
from alignframe.formats.rows import are_links
from alignframe.formats.sentences import text_table
from alignframe.functions.links import parse_links
from alignframe.read.lines import TextFile
from alignframe.read.nested import has_links
from alignframe.read.opening import table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.sources.ids import joined_by_id
from alignframe.sources.links import LINKS
from alignframe.sources.misread import compare_tables
from alignframe.sources.source import Source, is_path, only
from alignframe.sources.words import table_of
from alignframe.typing import FilePath

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FILE = re.compile(r"'((?:[^'\n]|'')+\.(?:parquet|pq))'")
# What pandas calls the numbers of rows; they are no column of the frame.
_INDEX = re.compile(r"__index_level_\d+__")
_CALL = re.compile(r"(\w+)\s*\(\s*'([^']+)'\s*,\s*'([^']+)'([^()]*)")
_KEY = re.compile(r"\bkey\s*:=\s*('[^']*'|\[[^\]]*\])", re.IGNORECASE)
# The parameters of macros that compare two tables, and topics whose tables are those of a system.
_COMPARED = (("hyp", "gold"), ("rankings", "segments"), ("lexicon", "dictionary"))
_SCORED = ("links", "link_questions", "beads", "beads_scores", "meta", "lexicon", "lexicon_joined")


def check_names(names: Iterable[str]) -> None:
    """Refuse a name of a table given twice, which would be of the last one."""
    seen: dict[str, str] = {}
    for name in names:
        if (before := seen.get(name.lower())) is not None:
            also = f", as SQL takes {before} and {name} for one" * (before != name)
            raise InputError(f"two tables are named {name}{also}", expected="a name for each")
        if {*name} & {*'."'}:
            other = name.replace(".", "_").replace('"', "_")
            raise InputError(
                f"a table named {name}",
                expected="a name without dots and double quotes, which SQL reads as several",
                todo=f"name it {other}",
            )
        seen[name.lower()] = name


_PAIRS = """[{'i': x[1], 'j': x[2], 'sure': case when len(x) = 2 then true
  when len(x) = 3 and x[3] in (0, 1) then x[3] = 1
  else error('links with other parts; expected (i, j), or (i, j, sure)') end} for x in links]"""


def _links_in_sql(held: pa.Table | ParquetFiles) -> str:
    """Return what makes links of texts such as ``0-0 1-1``, or of pairs; nothing for others."""
    if not {"sid", "links"} <= {*held.schema.names}:
        return ""
    kind = held.schema.field("links").type
    if are_pairs(kind):
        return _PAIRS
    if not is_textual(kind):
        return ""
    batches = held.batches(["links"]) if isinstance(held, ParquetFiles) else held.to_batches()
    first = next((text for batch in batches for text in batch["links"].to_pylist() if text), "")
    return "parse_links(links)" * are_links(first)


def held_table(name: str, given: object) -> pa.Table | ParquetFiles:
    """Return the table that a name is given to: a place, a file in any format, or a frame."""
    if is_path(given) and (files := _several(given)):
        return _together(name, files)
    if is_path(given) and is_parquet(given):
        return ParquetFiles(given)
    suffix = table_suffix(given) if is_path(given) else ""
    lines = is_path(given) and suffix in SEPARATORS and are_behind_ids(TextFile(given))
    if not is_path(given) or (suffix in TABLES and not lines):
        held = table_of(given, f"the table {name}")
        held = held.select([one for one in held.column_names if not _INDEX.fullmatch(one)])
        if _links_in_sql(held):
            at, column = held.schema.get_field_index("links"), as_array(held["links"])
            texts = not are_pairs(column.type)
            made = parse_links(column.cast(pa.string())) if texts else from_pairs(column)
            held = held.set_column(at, "links", made)
        return held
    if suffix == ".beads":
        raise unread(Path(fspath(given)))
    way = "with alignframe convert --from, which makes a table of it"
    return text_table(given) if is_text(given) else read(given, detect(given, option=way))


def _several(path: FilePath) -> list[str]:
    """Return the files of a pattern or a folder, if they are not of Parquet."""
    files = [fspath(file) for file in files_of(path)] if is_several(path) else []
    return [] if any(map(is_parquet, files)) else files


def _together(name: str, files: list[str]) -> pa.Table:
    """Return the rows of several files; each file of links or of sentences is a system."""
    tables = []
    own = translator_name if is_text(files[0]) else system_name
    for file, system in zip(files, distinct_names(files, own), strict=True):
        held = held_table(name, file)
        if isinstance(held, ParquetFiles):
            raise AssertionError
        if table_suffix(file) not in TABLES:
            rest = held.drop_columns([n for n in held.column_names if n == "system"])
            held = rest.add_column(0, "system", pa.array([system] * len(held), pa.string()))
        tables.append(held.replace_schema_metadata(None))
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(
            f"files of different columns for the table {name} ({error})", expected="one layout"
        ) from None


def _joined(name: str, held: pa.Table, first: Source | None) -> tuple[pa.Table, Source | None]:
    """Return links with the numbers of the first table whose sentences have ids, and that table."""
    source = only(held, LINKS, name)
    if first is None:
        return held, source if source.note("ids") is not None else None
    try:
        joined = joined_by_id(source, first)
    except InputError as error:
        warn(f"{error}; sentences are taken in the order of lines")
        return held, first
    return joined.frame, first


def compared_in(query: str) -> dict[tuple[str, str], str]:
    """Return the names of tables that a query compares, in lower case, and the key as in SQL."""
    known = {one.name: one for one in declarations()}
    pairs: dict[tuple[str, str], str] = {}
    for name, hyp, gold, rest in _CALL.findall(query):
        macro = known.get(name.lower())
        if macro and macro.about in _SCORED and tuple(macro.parameters)[:2] in _COMPARED:
            key = _KEY.search(rest)
            pairs[hyp.lower(), gold.lower()] = key[1] if key else "[]"
    return pairs


def _warn_of_pairs(
    connection: DuckDBPyConnection, query: str, held: Mapping[str, pa.Table]
) -> set[frozenset[str]]:
    """Warn of what looks wrong about tables in memory that a query compares; return their names."""
    import duckdb

    names = {name.lower(): name for name in held}
    told = set()
    for pair, key in compared_in(query).items():
        if not names.keys() >= {*pair} or pair[0] == pair[1]:
            continue
        hyp, gold = (names[name] for name in pair)
        given = ", ".join("'" + name.replace("'", "''") + "'" for name in (hyp, gold))
        notes: list[tuple[str, ...]] = []
        with suppress(duckdb.Error):  # which the query will raise
            asked = f"from alignframe_notes({given}, key := {key})"
            notes = connection.execute(asked).fetchall()
        for what, place, expected, todo in notes:
            if not expected:  # an error is for the query to raise
                warn(f"{what}; if so, {todo}" if todo else what, place)
        told.add(frozenset((hyp, gold)))
    return told


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
    in_memory: dict[str, pa.Table] = {}
    first: Source | None = None
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
        if is_path(given) and isinstance(held, pa.Table) and has_links(held.schema):
            held, first = _joined(name, held, first)
        rows = None if own or not isinstance(held, ParquetFiles) else held.sql()
        if rows is None:  # only the package's own reader can read them, anew for each query
            hold(name, held)
        else:
            if made := _links_in_sql(held):
                rows += f" select * replace ({made} as links)"
            kind = "view" if lasting else "temp view"
            connection.execute(f'create or replace {kind} "{name}" as from {rows}')
        every[name] = held
        if has_links(held.schema):
            links[name] = held
        if isinstance(held, pa.Table):
            in_memory[name] = held
    told = _warn_of_pairs(connection, query, in_memory)
    for name in dict.fromkeys(_FILE.findall(query)):
        with suppress(AlignframeError):  # which the query will raise
            files = ParquetFiles(name.replace("''", "'"))
            if has_links(files.schema):
                links[name] = files
    if len(links) > 1:
        with suppress(AlignframeError):  # which the query will raise
            compare_tables({name: only(held, LINKS) for name, held in links.items()}, told)
    return every
