"""A shared connection for tests of SQL, and the files in tests/sql."""

import re
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from alignframe.engines.scripts import sql_scripts
from alignframe.engines.session import Session
from alignframe.engines.tables import make_views

_IDLE = []


@contextmanager
def connected(**tables):
    """Lend a connection with all macros and tables, and drop what is in it afterwards.

    Opening a connection takes longer than most tests. A second thread costs a fifth of the time of
    a query, and finds nothing to do in tables of one row group.
    """
    session = _IDLE.pop() if _IDLE else Session()
    session.connection.execute("set threads = 1")
    session.learn(sql_scripts())
    try:
        make_views(session.connection, tables)
        yield session.connection
    finally:
        session.forget()
        _IDLE.append(session)


def check_engines(table, calls, expressions):
    """Compare what Python returns for each call of SQL with SQL and with expressions of polars."""
    frame = pl.DataFrame(table).lazy()
    with connected(given_rows=table) as con:
        for (call, wanted), expression in zip(calls.items(), expressions, strict=True):
            found = con.execute(f"select {call} from given_rows").fetchall()
            assert [value for (value,) in found] == wanted.to_pylist(), call
            for engine in ("in-memory", "streaming") if expression is not None else ():
                made = frame.select(made=expression).collect(engine=engine)
                assert made["made"].to_list() == wanted.to_pylist(), (call, engine)


FILES = sorted(Path(__file__).parents[1].joinpath("sql").glob("*.sql"))
_PART = re.compile(r"^-- (given|query|expect) ?(\w*)\n", re.MULTILINE)


def parts_of(file):
    """Return the queries of the given tables by name, and each question: name, query, rows."""
    given, questions = {}, []
    pieces = _PART.split(file.read_text("utf-8"))[1:]
    for kind, name, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        if kind == "given":
            given[name] = text
        elif kind == "query":
            questions.append((name or file.stem, text))
        else:
            rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
            questions[-1] += ([row for row in rows if row != [""]],)
    return given, questions
