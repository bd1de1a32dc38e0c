"""A DuckDB connection that knows alignframe's functions and macros."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.errors import AlignframeError, InputError, QueryError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def connect(database: str = ":memory:", **config: Any) -> DuckDBPyConnection:
    """Open a DuckDB connection with every row-wise function and SQL macro.

    Parameters
    ----------
    database
        A file, or ``:memory:``.
    config
        DuckDB's settings, for example ``memory_limit="2GB"`` or ``threads=4``.

    Returns
    -------
    duckdb.DuckDBPyConnection
        Close it when done, or use it in a ``with`` block.

    Examples
    --------
    >>> with connect() as con:
    ...     con.sql("select aer(100, 100, 50, 50)").fetchall()
    [(0.5,)]
    """
    return _connect(database, sql_scripts(), config)


def _connect(database: str, scripts: tuple[str, ...], config: dict[str, Any]) -> DuckDBPyConnection:
    import duckdb

    from alignframe.engines.duckdb import register

    connection = duckdb.connect(database, config=config)
    # Its progress bar goes to standard output, into results that other programs read.
    connection.execute("set enable_progress_bar = false")
    register(connection)
    for script in scripts:
        connection.execute(script)
    return connection


@contextmanager
def limited(
    macros: Sequence[str], memory_limit: str | None = None, threads: int | None = None
) -> Iterator[DuckDBPyConnection]:
    """Open a connection that puts in a temporary folder what does not fit in memory.

    Parameters
    ----------
    macros
        What the files in ``sql/`` are about whose macros it knows, such as ``["lexicon"]``, see
        ``sql_scripts``: parsing all of them takes longer than most questions.
    memory_limit
        For example ``2GB``; most of the machine's memory if left out.
    threads
        All cores if left out.

    Raises
    ------
    InputError
        If the limit is none or too low, and for the InputErrors of functions that DuckDB calls.
    """
    if threads is not None and threads < 1:
        raise InputError(f"{threads} threads", expected="1 or more")
    with tempfile.TemporaryDirectory(prefix="alignframe-") as folder:
        settings: dict[str, Any] = {"temp_directory": folder, "preserve_insertion_order": False}
        if memory_limit is not None:
            settings["memory_limit"] = memory_limit
        if threads is not None:
            settings["threads"] = threads
        with _connected(sql_scripts(tuple(macros)), settings) as connection, _told():
            yield connection


def _connected(scripts: tuple[str, ...], settings: dict[str, Any]) -> DuckDBPyConnection:
    import duckdb

    try:
        return _connect(":memory:", scripts, settings)
    except (duckdb.Error, ValueError) as error:
        raise InputError(
            f"the memory limit {settings.get('memory_limit')!r} ({error})", expected="such as 2GB"
        ) from error


@contextmanager
def _told() -> Iterator[None]:
    """Raise as InputErrors what DuckDB says of its memory, and those of the functions it calls."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise InputError(
            f"the memory limit is too low ({str(error).splitlines()[0]})", todo="raise it"
        ) from error
    except duckdb.Error as error:
        _, mark, said = str(error).partition("InputError: ")
        if mark:
            raise InputError(said.splitlines()[0]) from None
        raise AlignframeError(str(error).splitlines()[0]) from error


def query(connection: DuckDBPyConnection, sql: str) -> DuckDBPyRelation | None:
    """Run one SQL statement; None if it returns no rows.

    Raises
    ------
    QueryError
        With DuckDB's reason and the query.
    """
    import duckdb

    try:
        return connection.sql(sql)
    except (duckdb.Error, AlignframeError) as error:
        raise QueryError(sql, str(error)) from error


@cache
def sql_scripts(about: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Return the text of the files in ``sql/``, in order.

    Parameters
    ----------
    about
        What the wanted ones are about, such as ``("lexicon",)`` for ``05_lexicon.sql``; those whose
        macros they use come along. All files if left out.
    """
    texts = {
        file.stem.partition("_")[2]: file.read_text("utf-8")
        for file in sorted(sql_folder().glob("*.sql"))
    }
    if about is None:
        return tuple(texts.values())
    wanted: set[str] = set()
    waiting = [*about]
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        words = set(re.findall(r"\w+", texts[name]))
        waiting += [
            other
            for other, text in texts.items()
            if other not in wanted and not words.isdisjoint(re.findall(r"macro (\w+)\(", text))
        ]
    return tuple(text for name, text in texts.items() if name in wanted)


def sql_folder() -> Path:
    """Return where the SQL macros lie: in the installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "sql", here.parent / "sql"):
        if folder.is_dir():
            return folder
    raise AlignframeError("the folder sql/ is missing from this installation of alignframe")
