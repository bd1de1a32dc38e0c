"""Registering the row-wise functions and the macros in DuckDB."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Container, Iterable
from functools import cache
from inspect import Parameter, Signature
from itertools import count
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from alignframe.core.lazy import listed
from alignframe.core.parallel import ready_for_threads
from alignframe.engines.scripts import declarations, of_rows, run_script, sql_scripts
from alignframe.errors import InputError
from alignframe.functions import FUNCTIONS, RowFunction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]
__dir__ = listed(__all__)

_NAMES = {
    pa.uint16(): "USMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.bool_(): "BOOLEAN",
    pa.string(): "VARCHAR",
    pa.float64(): "DOUBLE",
}


def type_name(kind: pa.DataType) -> str:
    """Return DuckDB's name for an Arrow type."""
    if pa.types.is_list(kind):
        return f"{type_name(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        fields = ", ".join(f"{field.name} {type_name(field.type)}" for field in kind)
        return f"STRUCT({fields})"
    return _NAMES[kind]


def register(connection: DuckDBPyConnection) -> None:
    """Make every row-wise function and SQL macro known to a connection opened by somebody else.

    All cursors and connections of a database in memory know them from then on. A file of DuckDB
    stays as it is: there each connection and cursor is registered for itself. To register twice
    changes nothing.

    Parameters
    ----------
    connection
        Of DuckDB, such as ``duckdb.connect()`` or ``con.cursor()``; ``con.con`` of Ibis; that of
        duckdb-engine when SQLAlchemy opens it.

    Raises
    ------
    InputError
        If it is not a connection of DuckDB.

    Examples
    --------
    >>> import duckdb
    >>> with duckdb.connect() as con:
    ...     register(con)
    ...     con.cursor().sql("select aer(100, 100, 50, 50)").fetchall()
    [(0.5,)]
    """
    if not hasattr(connection, "create_function"):
        raise InputError(
            f"a connection of type {type(connection).__name__}",
            expected="one of DuckDB, such as duckdb.connect(), con.con of Ibis, or "
            "con.connection.driver_connection of SQLAlchemy",
        )
    # Two cursors that make the same macro at once would stop each other.
    with _LOCK:
        known = set(connection.execute(_KNOWN).fetchall())
        place = place_of(connection)
        add_functions(connection, {name for name, where in known if where == "system"})
        if (_MARK, place) not in known:
            add_macros(connection, temporary=place == "temp")


_LOCK = Lock()
_MARK = "_alignframe_macros"
"""A macro that is made after all others."""
_KNOWN = """
select function_name, database_name from duckdb_functions()
where starts_with(function_name, '_alignframe_')
"""


def place_of(connection: DuckDBPyConnection) -> str:
    """Return the database for macros and views: ``temp`` if not one that cursors begin in.

    They begin in the first schema of a database. If that is a file, it is its owner's.
    """
    asked = (
        "select database_name from duckdb_databases() where path is null "
        "and database_name = current_database() and current_schema() = 'main'"
    )
    return next((name for (name,) in connection.execute(asked).fetchall()), "temp")


def add_functions(
    connection: DuckDBPyConnection,
    known: Container[str] = (),
    functions: Iterable[RowFunction] = (),
) -> None:
    """Create what the macros of row functions call, except the ``known``, once in a database."""
    import duckdb

    ready_for_threads()  # DuckDB calls functions on several
    for function in functions or _functions():
        name = inner_name(function)
        if name in known:
            continue
        if function.call not in _CALLS:
            kinds = (*function.arguments.values(), function.returns)
            types = [connection.sqltype(type_name(kind)) for kind in kinds]
            _CALLS[function.call] = (_with_arguments(function), types[:-1], types[-1])
        given = (name, *_CALLS[function.call])
        create: Any = connection.create_function  # its type stubs lack names of nested types
        try:
            create(*given, type="arrow", null_handling="special")
        except duckdb.NotImplementedException:  # the connection had made it in what was rolled back
            create = connection.cursor().create_function
            create(*given, type="arrow", null_handling="special")


_CALLS: dict[Callable[..., pa.Array], tuple[Callable[..., pa.Array], list[Any], Any]] = {}
"""Functions and their types: a database calls them when the connection that made them is closed."""


def add_macros(
    connection: DuckDBPyConnection, about: tuple[str, ...] | None = None, *, temporary: bool = False
) -> None:
    """Create the macros of row functions, and those of some topics of ``sql/`` or of all."""
    scripts = [_row_macros(), *sql_scripts(about)]
    if about is None:
        scripts.append(f"create or replace temp macro {_MARK}() as true")
    for script in scripts:
        run_script(connection, script, temporary=temporary)


def add_all(connection: DuckDBPyConnection) -> None:
    """Create all functions and macros in a new database in memory."""
    import duckdb

    add_functions(connection)
    if next(_OPENED) == 0:  # a process that opens a single one gains nothing
        add_macros(connection)
        return
    try:
        connection.execute(f"attach '{_macros_file()}' as _alignframe_file (read_only)")
        connection.execute("copy from database _alignframe_file to memory")
    except duckdb.Error:  # files may be locked for a connection, or gone
        add_macros(connection)
    connection.execute("detach database if exists _alignframe_file")


_OPENED = count()


@cache
def _macros_file() -> str:
    """Return a database file with all macros, which are copied faster than they are created."""
    import duckdb

    folder = mkdtemp(prefix="alignframe-")
    atexit.register(rmtree, folder, ignore_errors=True)
    place = f"{folder}/macros.db"
    with duckdb.connect(place) as connection:
        add_functions(connection)
        add_macros(connection)
    return place


@cache
def _functions() -> tuple[RowFunction, ...]:
    """Return the row functions, except those that are plain SQL."""
    plain = {macro.name for macro in declarations()}
    return tuple(function for function in FUNCTIONS if function.name not in plain)


@cache
def _row_macros() -> str:
    """Return the macros of row functions.

    DuckDB requires arguments of exactly the registered types, so a macro with the function's name
    casts them first: links of any integer type, with or without labels.
    """
    macros = []
    for function in _functions():
        kinds = map(type_name, function.arguments.values())
        called = f"{inner_name(function)}({', '.join(map(_cast, function.arguments, kinds))})"
        macros.append(f"create or replace temp macro {of_rows(function).call} as {called}")
    return ";".join(macros)


def inner_name(function: RowFunction) -> str:
    """Return the name of what the macro of a row function calls."""
    return f"_alignframe_{function.name}"


def _cast(name: str, kind: str) -> str:
    """Return an argument cast to its type; a list as text is refused, not cast to '[a, b]'."""
    text = {"VARCHAR": name, "VARCHAR[]": f"{name}[1]"}.get(kind)
    if text is None:
        return f"{name}::{kind}"
    # A branch that is never taken refuses it when a query is bound, at no cost per row.
    checked = f"{text} || ''" if kind == "VARCHAR" else f"[{text} || '']"
    return f"case when false then {checked} else {name}::{kind} end"


def _with_arguments(function: RowFunction) -> Callable[..., pa.Array]:
    """Return the function with an explicit signature, from which DuckDB counts the arguments."""

    def call(*columns: pa.Array) -> pa.Array:
        return function.call(*columns)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, kind) for name in function.arguments]
    )
    return call
