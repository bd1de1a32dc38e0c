"""Connections that are reused from query to query."""

import os
import re

import duckdb
import polars as pl
import pytest

from alignframe import phrases
from alignframe.engines.scripts import declarations
from alignframe.engines.session import connect, connected, limited
from alignframe.errors import AlignframeError, InputError

TABLES = "select count(*) from duckdb_tables() union all select count(*) from duckdb_views() "


def _left():
    with limited([]) as con:
        tables, views = con.execute(TABLES + "where not internal").fetchall()
    return tables[0], views[0]


def test_a_query_leaves_nothing_behind():
    with limited(["lexicon"]) as con:
        con.register("frame", pl.DataFrame({"a": [1]}))
        con.execute("create table kept as from frame")
        con.execute('create temp table "passing by" as from frame')
        con.execute("create temp view seen as from frame")
    assert _left() == (0, 0)


def test_a_failed_query_leaves_nothing_behind():
    with pytest.raises(AlignframeError, match="nothing"), limited([]) as con:
        con.execute("create table kept as select 1; from nothing")
    assert _left() == (0, 0)


def test_nested_queries_do_not_see_each_others_tables():
    with limited([]) as outer:
        outer.execute("create table kept as select 1")
        assert _left() == (0, 0)
        assert outer.execute("from kept").fetchall() == [(1,)]


def _macros(connection):
    asked = "select function_name from duckdb_functions() where database_name in ('memory', 'temp')"
    return {name for (name,) in connection.execute(asked).fetchall()}


@pytest.fixture(scope="module")
def every():
    """The names of all macros."""
    with connect() as con:
        return frozenset(_macros(con))


@pytest.mark.parametrize("called", ["LINK_SCORES", "bead_scores", "chrf", "aer"])
def test_one_statement_knows_the_macros_it_needs(every, called):
    with connected(f"from {called}('a', 'b')") as (con, _):
        known = _macros(con)
        own = {one.name for one in declarations()}
        bodies = " ".join(one.body for one in declarations() if one.name in known)
        needed = {called.lower()} | own & set(re.findall(r"\w+", bodies))
    assert needed <= known < every


def test_any_macro_is_known_to_several_statements_in_a_file_and_in_a_misspelt_one(every, tmp_path):
    with connected("select 1; select 2") as (con, _):
        assert _macros(con) == every
    with connect(str(tmp_path / "x.db")) as con:
        con.execute("create view v as select share_of(1, 2)")
    with connected("from v", str(tmp_path / "x.db")) as (con, ask):
        assert ask().fetchall() == [(0.5,)]
    with connected("from link_scor('a')") as (_, ask), pytest.raises(duckdb.Error, match="_scores"):
        ask()


def test_limits_apply_to_one_query():
    asked = "select current_setting('threads'), current_setting('memory_limit')"
    with limited([]) as con:
        usual = con.execute(asked).fetchall()
    with limited([], "100MB", 1) as con:
        assert con.execute(asked).fetchall() == [(1, "95.3 MiB")]
    with limited([]) as con:
        assert con.execute(asked).fetchall() == usual


def test_an_invalid_limit_is_refused():
    with pytest.raises(InputError, match="such as 2GB"), limited([], "much"):
        pass
    assert _left() == (0, 0)


def test_spilled_data_does_not_limit_the_next_query():
    sorted_numbers = (
        "create table t as select range, hash(range) as h from range(1500000) order by h"
    )
    for _ in range(2):
        with limited([], "20MB", 1) as con:
            con.execute(sorted_numbers)
            assert con.execute("select count(*) from t").fetchall() == [(1_500_000,)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_opens_its_own_connection():
    with limited([]) as con:
        con.execute("select 1").fetchall()
    child = os.fork()
    if child == 0:
        os._exit(0 if _left() == (0, 0) else 1)
    assert os.waitpid(child, 0)[1] == 0


def _fail(con, error):
    con.execute("create table kept as select 1")
    raise error


def _failed(error):
    """Return the connection of a query that ended in this way."""
    with pytest.raises(type(error)), limited([]) as con:
        _fail(con, error)
    return con


def test_bad_input_leaves_a_connection_to_the_next_query():
    con = _failed(InputError("no rows"))
    with limited([]) as other:
        assert other is con
    assert _left() == (0, 0)
    con = _failed(ZeroDivisionError())
    with limited([]) as other:
        assert other is not con


def test_rows_are_checked_again_after_phrases():
    """Phrases leave out checks of their own tables, in a connection that other queries get next."""
    text = pl.DataFrame({"sid": [0], "src": [["a"]], "tgt": [["b"]]})
    phrases.dictionary(["0-0"], text)
    with pytest.raises(InputError):
        phrases.dictionary(["0-9"], text)
    with limited(["phrases"]) as connection:
        connection.register("given", text.to_arrow())
        for macro in ("link_rows", "entry_rows"):
            with pytest.raises(duckdb.Error, match="a table with the columns sid, src, tgt"):
                connection.execute(f"from {macro}('given')").fetchall()
        connection.execute("create table bare as select sid from given")
        with pytest.raises(duckdb.Error, match="a table with the columns sid"):
            connection.execute("from text_rows('bare')").fetchall()
