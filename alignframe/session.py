"""A DuckDB connection that knows alignframe's functions and macros."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.errors import AlignframeError, QueryError

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
    import duckdb

    from alignframe.engines.duckdb import register

    connection = duckdb.connect(database, config=config)
    # Its progress bar goes to standard output, into results that other programs read.
    connection.execute("set enable_progress_bar = false")
    register(connection)
    for script in sql_scripts():
        connection.execute(script)
    return connection


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
def sql_scripts() -> tuple[str, ...]:
    """Return the text of the files in ``sql/``, in order of their names."""
    return tuple(file.read_text("utf-8") for file in sorted(sql_folder().glob("*.sql")))


def sql_folder() -> Path:
    """Return where the SQL macros lie: in the installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "sql", here.parent / "sql"):
        if folder.is_dir():
            return folder
    raise AlignframeError("the folder sql/ is missing from this installation of alignframe")
