"""DuckDB connections with alignframe's functions and macros."""

from __future__ import annotations

import atexit
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.core.arrow import to_table
from alignframe.core.parallel import workers_of
from alignframe.engines.duckdb import add_all, add_functions, add_macros, register
from alignframe.engines.query_errors import reason
from alignframe.engines.scripts import declarations, run_script, sql_scripts, topics_of
from alignframe.engines.tables import compared_in, make_views
from alignframe.errors import AlignframeError, InputError, QueryError, cause_of, check_flags
from alignframe.typing import Arguments, Threads

if TYPE_CHECKING:
    import polars as pl
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def connect(
    database: str = ":memory:",
    *,
    tables: Mapping[str, object] | None = None,
    store: bool = False,
    **config: object,
) -> DuckDBPyConnection:
    """Open a DuckDB connection with every row-wise function and SQL macro.

    Parameters
    ----------
    database
        A file, or ``:memory:``.
    tables
        Tables by the names that queries use: each a place (a file, a glob, a folder of Parquet
        files, optionally hive-partitioned, a Delta or Iceberg table, ``s3://``), a .csv, .tsv or
        .jsonl file, a file of links in any format, or a frame. The files of a place are listed
        once, now.
    store
        Whether to keep the macros in the file, for each DuckDB that opens or attaches it, of this
        version or a newer one. What needs Python says so there. Otherwise a file stays as it is.
    config
        DuckDB's settings, for example ``memory_limit="2GB"`` or ``threads=4``.

    Returns
    -------
    duckdb.DuckDBPyConnection
        Close it when done, or use it in a ``with`` block.

    Raises
    ------
    InputError
        If one of the tables does not exist or is not a table, or macros cannot be stored.

    Examples
    --------
    >>> with connect() as con:
    ...     con.sql("select aer(100, 100, 50, 50)").fetchall()
    [(0.5,)]
    """
    check_flags(store=store)
    connection = _connect(database, config)
    try:
        if store:
            from alignframe.engines.export import store as keep

            keep(connection)
        _learn_all(connection, database)
        if tables:
            make_views(connection, tables)
    except BaseException:
        connection.close()  # an open file cannot be opened with other settings
        raise
    return connection


def _learn_all(connection: DuckDBPyConnection, database: str) -> None:
    """Create all functions and macros."""
    if database == ":memory:":  # of its own, so that nothing is known yet
        add_all(connection)
    else:
        from alignframe.engines.export import compare_kept

        register(connection)
        compare_kept(connection, database)


@contextmanager
def connected(
    sql: str, database: str = ":memory:", **config: object
) -> Iterator[tuple[DuckDBPyConnection, Callable[[], DuckDBPyRelation | None]]]:
    """Open a connection for some SQL, and return it with a function that runs the SQL."""
    import duckdb

    # One statement gets only the macros that it names, as creating all takes longer than most
    # statements; except in a file, whose views may use others, and to list them.
    alone = (
        database == ":memory:" and ";" not in sql.strip("; \n") and "functions" not in sql.lower()
    )
    with _connect(database, config) as connection:
        if alone:
            add_functions(connection)
            notes = {"notes"} if compared_in(sql) else set()
            add_macros(connection, tuple(sorted(topics_of(sql) | notes)))
        else:
            _learn_all(connection, database)

        def ask() -> DuckDBPyRelation | None:
            try:
                return connection.sql(sql)
            except duckdb.CatalogException as error:
                if not alone or "Function with name" not in str(error):
                    raise
            add_macros(connection)  # for DuckDB to suggest the most similar name
            return connection.sql(sql)

        yield connection, ask


def _connect(database: str, config: Arguments) -> DuckDBPyConnection:
    """Open a connection without functions and macros."""
    import duckdb

    try:
        connection = duckdb.connect(database, config=config)
    except duckdb.Error as error:
        if isinstance(error, duckdb.IOException):
            raise InputError(f"cannot be opened ({_first_line(error)})", path=database) from error
        shown = ("memory_limit", "threads")  # others may be secrets
        given = (f"{name} {value!r}" if name in shown else name for name, value in config.items())
        raise InputError(
            f"the setting {', '.join(given)} ({_first_line(error)})",
            expected="a value that DuckDB takes",
        ) from error
    # DuckDB's progress bar goes to standard output and would mix with the results. In Jupyter
    # without ipywidgets there is none, and DuckDB refuses to set it.
    with suppress(duckdb.InvalidInputException):
        connection.execute("set enable_progress_bar = false")
    return connection


@contextmanager
def limited(
    macros: Sequence[str], memory_limit: str | None = None, threads: Threads = None
) -> Iterator[DuckDBPyConnection]:
    """Open a connection that spills to a temporary folder, with the macros of some topics."""
    workers = workers_of(threads)
    if workers is not None and workers < 1:
        raise InputError(f"`threads` is {threads}", expected="1 or more")
    with tempfile.TemporaryDirectory(prefix="alignframe-") as folder:
        session = _IDLE.pop() if _IDLE else Session()
        good = False
        try:
            session.limit(folder, memory_limit, workers)
            # Parsing all files of sql/ takes longer than most queries.
            session.learn(sql_scripts(tuple(macros)))
            with _told():
                yield session.connection
            good = True
        except InputError as error:
            good = error.__cause__ is None  # an invalid input, not a lack of memory
            raise
        finally:
            # DuckDB cannot change its folder once it has written to it.
            if good and not any(Path(folder).iterdir()):
                session.forget()
                _IDLE.append(session)
            else:
                session.connection.close()


class Session:
    """A connection that is reused from query to query."""

    def __init__(self) -> None:
        # Opening one and parsing macros takes longer than most queries.
        self.connection = _connect(":memory:", {"preserve_insertion_order": False})
        add_functions(self.connection)
        add_macros(self.connection, ())
        self._known: set[str] = set()
        self._limits: dict[str, str | int | None] = {"memory_limit": None, "threads": None}

    def limit(self, folder: str, memory_limit: str | None, threads: int | None) -> None:
        """Set the resources of the next query."""
        import duckdb

        wanted = {"memory_limit": memory_limit, "threads": threads}
        for name, value in wanted.items():
            if value == self._limits[name]:
                continue
            try:
                self.connection.execute(
                    f"reset {name}" if value is None else f"set {name} = '{value}'"
                )
            except duckdb.Error as error:
                raise InputError(
                    f"`memory_limit` is {memory_limit!r} ({_first_line(error)})",
                    expected="a size such as 2GB",
                ) from error
            self._limits[name] = value
        self.connection.execute("set temp_directory = ?", [folder])

    def learn(self, scripts: tuple[str, ...]) -> None:
        """Run the scripts that have not been run yet."""
        for script in scripts:
            if script not in self._known:
                run_script(self.connection, script)
                self._known.add(script)

    def forget(self) -> None:
        """Drop the tables and views of the last query."""
        asked = self.connection.execute
        for (view,) in asked("select view_name from duckdb_views() where not internal").fetchall():
            self.connection.unregister(view)  # releases a Python table
            asked(f'drop view if exists "{view}"')
        for (table,) in asked("select table_name from duckdb_tables()").fetchall():
            asked(f'drop table "{table}"')


_IDLE: list[Session] = []
_INHERITED: list[Session] = []


@atexit.register
def _close() -> None:
    while _IDLE:
        _IDLE.pop().connection.close()


def _after_fork() -> None:
    """Drop the parent's sessions: their threads do not exist in a forked process."""
    _INHERITED.extend(_IDLE)
    _IDLE.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def _told() -> Iterator[None]:
    """Turn DuckDB's memory errors, and InputErrors of functions it calls, into InputErrors."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise InputError(
            f"the memory limit is too low ({_first_line(error)})", todo="raise it"
        ) from error
    except duckdb.Error as error:
        _, mark, said = str(error).partition("InputError: ")
        if mark:
            raise InputError(said.splitlines()[0]) from None
        raise AlignframeError(_first_line(error)) from cause_of(error)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


_UNCHECKED = {
    "link_rows": "from query_table(source)",
    "text_rows": "from query_table(bitext)",
    "entry_rows": "from query_table(entries)",
    "pair_rows": "select *, len(src) as src_words, len(tgt) as tgt_words from query_table(bitext)",
    "lexicon_rows": "from query_table(lexicon)",
    "bead_rows": "from query_table(source)",
    "bead_faults": "select null as system, null as doc, null as fault where false",
}
"""Macros of a table's rows, as they are if the table was checked and has all columns."""


@contextmanager
def unchecked(connection: DuckDBPyConnection, *names: str) -> Iterator[None]:
    """Let some macros take tables as they are, as they were checked when they were loaded."""
    # The checks take as long to plan as the rest of a query.
    macros = [macro for macro in declarations() if macro.name in names]
    run_script(connection, ";".join(macro.created(_UNCHECKED[macro.name]) for macro in macros))
    try:
        yield
    finally:
        run_script(connection, ";".join(macro.created(macro.body) for macro in macros))


def few_rows(
    connection: DuckDBPyConnection, sql: str, given: Mapping[str, object] | None = None
) -> pl.DataFrame:
    """Return the rows of a query that has few, planned once; a relation plans it twice."""
    import polars as pl

    with warnings.catch_warnings():
        # DuckDB advises a relation for many rows, which it copies here.
        warnings.filterwarnings("ignore", "Arrow output on a DB-API result", UserWarning)
        found = connection.execute(sql, given).to_arrow_reader()
    return pl.DataFrame(pl.from_arrow(to_table(found)))


def query(connection: DuckDBPyConnection, sql: str) -> DuckDBPyRelation | None:
    """Run one SQL statement; None if it returns no rows."""
    with asking(sql):
        # Rows are computed on fetching: fetch them within `asking` to get the same errors.
        return connection.sql(sql)


@contextmanager
def asking(sql: str) -> Iterator[None]:
    """Turn DuckDB's errors about a query into QueryErrors."""
    import duckdb

    try:
        yield
    except (duckdb.Error, AlignframeError) as error:
        raise QueryError(sql, reason(str(error), sql)) from cause_of(error)
