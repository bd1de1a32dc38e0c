"""All macros as plain SQL, for a DuckDB without Python.

Row functions are then macros too: their twins in ``sql/plain/``, or where there is none, an error
that says the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from os import PathLike
from typing import TYPE_CHECKING

from alignframe.core.lazy import __version__
from alignframe.core.output import replacing
from alignframe.engines.duckdb import place_of, type_name
from alignframe.engines.scripts import MACRO, Macro, declarations, of_rows, sql_scripts
from alignframe.errors import InputError, warn
from alignframe.functions import FUNCTIONS, RowFunction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ABOVE = """\
-- alignframe {version}: its SQL macros for DuckDB 1.5 and later, without Python.
--   duckdb -init alignframe.sql
--   duckdb -c ".read alignframe.sql" -c "from link_scores('hyp.parquet', 'gold.parquet')"
-- Written by: alignframe sql --export alignframe.sql
"""
_PART = "\n-- {title}\n\n{text}"


def export(path: str | PathLike[str]) -> int:
    """Write all macros as plain SQL, and return how many there are."""
    text = exported()
    with replacing(path) as out:
        out.write(text.encode())
    return len(re.findall(r"^create or replace macro ", text, re.MULTILINE))


def store(connection: DuckDBPyConnection) -> None:
    """Write all macros into the database file of a connection; those of this version stay."""
    import duckdb

    if place_of(connection) != "temp":
        raise InputError("`store` without a file", expected="the path of a database file")
    own = "alignframe_version"
    names = {own, *(macro.name for macro in (*declarations(), *declarations(twins=True)))}
    names |= {function.name for function in FUNCTIONS}
    asked = "select function_name from duckdb_functions() where database_name = current_database()"
    known = {name for (name,) in connection.execute(asked).fetchall()} & names
    if own in known:
        if connection.execute(f"select {own}()").fetchall() == [(version(),)]:
            return
    elif known:
        raise InputError(
            f"a database that has other macros by the name of {', '.join(sorted(known))}",
            expected="none, as they would be replaced",
            todo="store in another file, and attach it",
        )
    try:
        connection.execute(f"begin;{exported()};commit")
    except duckdb.Error as error:
        raise InputError(
            f"a database that cannot be written ({str(error).partition(chr(10))[0]})",
            todo="leave out `store`",
        ) from error


def compare_kept(connection: DuckDBPyConnection, database: str) -> None:
    """Warn if the file of a connection keeps the macros of another version."""
    import duckdb

    try:
        ((kept,),) = connection.execute("select alignframe_version()").fetchall()
    except duckdb.CatalogException:
        return  # it keeps none
    if kept != version():
        warn(
            f"{database}: the file keeps the macros of alignframe {kept}; this is "
            f"{version()}, whose own are used here; replace them with connect(..., store=True) or "
            "with what alignframe sql --export writes",
            database,
        )


@cache
def exported() -> str:
    """Return the SQL that makes all macros in a DuckDB without Python."""
    own = f"create or replace macro alignframe_version() as '{version()}';\n"
    parts = {
        "The version of alignframe, and of these macros.": own,
        "Functions that need Python.": "\n".join(map(_refusal, missing())),
        "Functions of single rows.": "\n".join(map(_statement, _in_order())),
    }
    texts = [_PART.format(title=title, text=text) for title, text in parts.items() if text]
    return _ABOVE.format(version=version()) + "".join([*texts, "\n", *_macros()])


@cache
def version() -> str:
    """Return the version of the package with a digest of the macros: ``0.1.0+8d2f61c4``."""
    texts = [*_macros(), *map(_statement, declarations(twins=True))]
    return f"{__version__}+{blake2b(''.join(texts).encode(), digest_size=4).hexdigest()}"


@cache
def missing() -> tuple[RowFunction, ...]:
    """Return the row functions without a twin."""
    known = {macro.name for macro in (*declarations(), *declarations(twins=True))}
    return tuple(function for function in FUNCTIONS if function.name not in known)


@cache
def needing_python() -> Mapping[str, str]:
    """Return a function without a twin for each macro that calls one, itself or through others."""
    found = {function.name: function.name for function in missing()}
    twins = _in_order()
    own = {twin.name for twin in twins}
    rest = (macro for macro in declarations() if macro.name not in own)
    for macro in (*twins, *rest):  # each after those that it calls
        calls = [called for called in _calls(macro) if called in found]
        if calls:
            found[macro.name] = found[calls[0]]
    return found


def _macros() -> Iterator[str]:
    """Yield the files of ``sql/``, with macros that all connections to a database see.

    Those that have a twin are left out.
    """
    twins = {twin.name for twin in declarations(twins=True)}
    for script in sql_scripts():
        kept = MACRO.sub(lambda found: "" if found[2] in twins else found[0], script)
        yield kept.replace("create or replace temp macro", "create or replace macro")


def _in_order() -> list[Macro]:
    """Return the twins, and macros that they call, each after those that it calls.

    DuckDB makes no macro that calls one unknown to it.
    """
    twins = {twin.name: twin for twin in declarations(twins=True)}
    known = {macro.name: macro for macro in declarations()} | twins
    ordered: dict[str, Macro] = {}

    def add(name: str) -> None:
        for called in _calls(known[name]):
            if called in known and called not in ordered:
                add(called)
        ordered[name] = known[name]

    for name in twins:
        if name not in ordered:
            add(name)
    return [*ordered.values()]


def _calls(macro: Macro) -> list[str]:
    """Return the names of the functions that a macro calls."""
    return re.findall(r"(\w+)\(", re.sub(r"--.*|'[^']*'", "", macro.body))


def _statement(macro: Macro) -> str:
    """Return the SQL that makes a macro, with its comment."""
    comment = "".join(f"-- {line}".rstrip() + "\n" for line in macro.comment.splitlines())
    kind = " table" if macro.is_table else ""
    return f"{comment}create or replace macro {macro.call} as{kind}\n{macro.body};\n"


def _refusal(function: RowFunction) -> str:
    """Return the SQL of a macro that says how to call a function."""
    name, kind = function.name, type_name(function.returns)
    todo = (
        "pip install alignframe, then alignframe sql, or alignframe.register(connection) in Python"
    )
    said = f"error('{name}() needs Python: {todo}')::{kind}"
    return f"create or replace macro {of_rows(function).call} as {said};\n"
