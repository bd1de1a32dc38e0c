"""Statements of others over named tables: they change nothing, and read no other file."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from alignframe.engines.duckdb import add_functions, inner_name
from alignframe.engines.query_errors import NO_TABLE
from alignframe.engines.scripts import listing
from alignframe.engines.session import asking, connect
from alignframe.engines.tables import make_views
from alignframe.errors import InputError, number_of, unknown_name
from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.read.parquet import ParquetFiles

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_ROWS = 1024
"""The number of rows of an answer."""
MACROS = "alignframe_macros"
"""The table of all macros that statements can call."""

# Arguments of row functions that may name files, which Python would open, and when they do.
_FILES = {
    "model": re.compile(""),
    "synonyms": re.compile(r"^(?!(wordnet|none)\Z)"),
    "filters": re.compile(r"(^|,)\s*(mrbd|pos):"),
}


@dataclass(frozen=True)
class Locked:
    """An open connection, and the tables that its statements may read."""

    connection: DuckDBPyConnection
    held: Mapping[str, pa.Table | ParquetFiles]
    seconds: float

    def ask(self, sql: str) -> tuple[list[dict[str, Any]], int]:
        """Run one query; return its first rows, and the number of all."""
        import duckdb

        with asking(sql), self._in_time():
            kinds = [one.type.name for one in self.connection.extract_statements(sql)]
            if kinds != ["SELECT"]:
                raise InputError(
                    f"{number_of(len(kinds), 'statement')}: {', '.join(kinds).lower() or 'none'}",
                    expected="one query that only reads: select, from, with, values, show, "
                    "describe or summarize",
                )
            self.connection.execute("begin transaction read only")
            try:
                # Nested in another query, DuckDB refuses `with x as (copy ...)`, which would write.
                quoted = sql.replace("'", "''")
                found: Any = self.connection.sql(f"from query('{quoted}')")
                names = found.columns  # DuckDB has renamed those that are given twice
                rows = [
                    dict(zip(names, one, strict=True)) for one in found.limit(MOST_ROWS).fetchall()
                ]
                if len(rows) < MOST_ROWS:
                    return rows, len(rows)
                return rows, found.aggregate("count(*)").fetchall()[0][0]
            except duckdb.CatalogException as error:
                if missing := NO_TABLE.search(str(error)):
                    raise unknown_name("table", missing[1] or missing[2], self.held) from None
                raise
            finally:
                self.connection.execute("rollback")

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """Interrupt a statement that takes too long."""
        timer = threading.Timer(self.seconds, self.connection.interrupt)
        end = time.monotonic() + self.seconds
        timer.start()
        try:
            yield
        except Exception:
            # What is raised depends on where the statement was, and on the version of DuckDB.
            if time.monotonic() < end:
                raise
            raise InputError(
                f"the statement took longer than {self.seconds:g} s, and was stopped",
                todo="ask for less, such as some sentences only, or a longer `time_limit`",
            ) from None
        finally:
            timer.cancel()
            timer.join()


@contextmanager
def locked(tables: Mapping[str, object], *, seconds: float = 60, **config: Any) -> Iterator[Locked]:
    """Open a connection that reads the tables, and nothing else.

    Parameters
    ----------
    tables
        Tables by the names that statements use, as of ``connect``.
    seconds
        The longest time that a statement may take.
    config
        DuckDB's settings, such as ``memory_limit``.
    """
    import duckdb

    # Without a folder for what memory does not hold, there is none to write to.
    connection = connect(**{"temp_directory": "", **config})
    try:
        connection.register(MACROS, pa.Table.from_pylist(listing()))
        # DuckDB reads no files itself: what it may read, it may also write.
        held = make_views(connection, tables, own=True)
        guarded = [
            _guarded(one) for one in FUNCTIONS if not _FILES.keys().isdisjoint(one.arguments)
        ]
        for function in guarded:
            connection.remove_function(inner_name(function))
        add_functions(connection, functions=guarded)
        # Nor is a variable of this process a table.
        connection.execute(
            "set enable_external_access = false; set python_enable_replacements = false; "
            "set lock_configuration = true"
        )
        yield Locked(connection, held, seconds)
    finally:
        connection.interrupt()
        with suppress(duckdb.Error):  # a signal has ended this process amid a statement
            connection.close()


def _guarded(function: RowFunction) -> RowFunction:
    """Return a function that refuses names of files."""

    def call(*columns: pa.Array) -> pa.Array:
        for name, column in zip(function.arguments, columns, strict=True):
            for value in pc.unique(column).to_pylist() if name in _FILES else ():
                if value is not None and _FILES[name].search(value):
                    raise InputError(
                        f"{function.name}: {name} is {value!r}, a file",
                        expected="no file but the tables named at the start",
                    )
        return function.call(*columns)

    return replace(function, call=call)
