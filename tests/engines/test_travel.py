"""Functions, macros and tables in cursors, threads, files, and connections opened by others."""

import gc
from concurrent.futures import ThreadPoolExecutor

import duckdb
import polars as pl
import pytest

import alignframe as af
from alignframe.errors import InputError

ASKED = "select system, sentences, links, round(aer, 4) from link_scores('hyp', 'gold')"
WANTED = [("eager", 72, 1282, 0.1158)]
ROW = "select count_links(parse_links('0-0 1-1'), parse_links('0-0 1p1')).n_hyp_sure"


@pytest.fixture(scope="module")
def tables(bundled):
    """A file of links, and a frame."""
    gold = pl.DataFrame(af.formats.read(bundled / "gold.talp"))
    return {"hyp": bundled / "eager.talp", "gold": gold}


def _inner(connection):
    """Return what lies in a database of ours, other than in ``temp``."""
    return connection.execute(
        "select database_name, function_name from duckdb_functions() where not internal "
        "and database_name not in ('system', 'temp')"
    ).fetchall()


def test_cursors_and_threads_know_tables_macros_and_functions(tables, tmp_path):
    pl.DataFrame({"sid": [1]}).write_parquet(tmp_path / "few.parquet")
    with af.connect(tables=tables | {"few": tmp_path / "few.parquet"}) as con:
        gc.collect()  # of what was held for the tables
        assert con.cursor().cursor().execute(ASKED).fetchall() == WANTED
        assert con.cursor().execute("from few").fetchall() == [(1,)]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: con.cursor().execute(ASKED).fetchall(), range(8)))
    assert found == [WANTED] * 8


@pytest.mark.parametrize("settings", [{}, {"threads": 1, "enable_external_access": "false"}])
def test_a_connection_of_somebody_else_is_registered(settings):
    with duckdb.connect(config=settings) as con:
        af.register(con)
        before = _inner(con)
        cursor = con.cursor()
        assert cursor.execute(ROW).fetchall() == [(1,)]
        af.register(con)
        af.register(cursor)
        assert _inner(con) == before


def _known(connection):
    """Return the macros, each with its parameters."""
    asked = (
        "select function_name, function_type, parameters from duckdb_functions() "
        "where database_name = 'memory' order by all"
    )
    return connection.execute(asked).fetchall()


@pytest.mark.parametrize("settings", [{}, {"enable_external_access": "false"}])
def test_the_second_connection_has_the_same_macros_as_the_first(tables, settings):
    # The first of a process creates them, others copy them.
    with duckdb.connect() as con:
        af.register(con)
        wanted = _known(con)
    for _ in range(2):
        with af.connect(tables=tables, **settings) as con:
            assert _known(con) == wanted
            assert con.execute("select count(*) from duckdb_databases()").fetchall() == [(3,)]
            assert con.execute(ASKED).fetchall() == WANTED


def test_many_threads_open_connections(tables):
    def ask(_):
        with af.connect(tables=tables) as con:
            return con.execute(ASKED).fetchall()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(8))) == [WANTED] * 8


def test_connections_of_one_database_outlive_the_first(tmp_path):
    first = duckdb.connect(":memory:shared")
    af.register(first)
    with duckdb.connect(":memory:shared") as second:
        af.register(second)
        first.close()
        gc.collect()
        assert second.execute(ROW).fetchall() == [(1,)]


def test_many_threads_register_cursors_of_one_database(tmp_path):
    def ask(cursor):
        af.register(cursor)
        return cursor.execute(ROW).fetchall()

    for place in (":memory:", str(tmp_path / "x.db")):
        with duckdb.connect(place) as con, ThreadPoolExecutor(4) as pool:
            cursors = [con.cursor() for _ in range(4)]
            assert list(pool.map(ask, cursors)) == [[(1,)]] * 4


def test_two_connections_and_four_cursors_of_a_file(tables, tmp_path):
    place = str(tmp_path / "x.db")
    with af.connect(place, tables=tables) as one, af.connect(place, tables=tables) as two:
        for con in (one, two):
            assert con.execute(ASKED).fetchall() == WANTED
            for _ in range(2):
                cursor = con.cursor()
                with pytest.raises(duckdb.CatalogException, match="link_scores"):
                    cursor.execute("from link_scores('hyp', 'gold')")
                af.register(cursor)
                assert cursor.execute(ROW).fetchall() == [(1,)]
        assert _inner(one) == []
    with duckdb.connect(place) as plain:
        assert _inner(plain) == []
        assert plain.execute("show all tables").fetchall() == []


def test_a_file_or_schema_in_use_is_left_as_it_is(tmp_path):
    with duckdb.connect() as con:
        con.execute(f"attach '{tmp_path / 'x.db'}' as x; use x")
        af.register(con)
        assert con.execute(ROW).fetchall() == [(1,)]
        assert _inner(con) == []
        con.execute("create schema memory.other; use memory.other")
        af.register(con)
        assert _inner(con) == []
        con.execute("use memory")
        af.register(con)
        assert {place for place, _ in _inner(con)} == {"memory"}
        assert con.cursor().execute(ROW).fetchall() == [(1,)]


def test_a_file_that_is_only_read_can_be_registered(tmp_path):
    place = str(tmp_path / "x.db")
    duckdb.connect(place).close()
    with duckdb.connect(place, read_only=True) as con:
        af.register(con)
        assert con.execute(ROW).fetchall() == [(1,)]
    with af.connect(place, access_mode="read_only", tables={"t": {"a": [1]}}) as con:
        assert con.execute("from t").fetchall() == [(1,)]


def test_registering_within_a_transaction_that_is_rolled_back():
    with duckdb.connect() as con:
        con.begin()
        af.register(con)
        af.register(con)
        assert con.execute(ROW).fetchall() == [(1,)]
        con.rollback()
        assert _inner(con) == []
        af.register(con)
        assert con.cursor().execute(ROW).fetchall() == [(1,)]


@pytest.fixture
def stored(tables, tmp_path):
    """A file that keeps the macros, with tables."""
    place = str(tmp_path / "x.db")
    with af.connect(place, tables=tables, store=True) as con:
        assert con.execute(ROW).fetchall() == [(1,)]
        con.execute("create table h as from hyp; create table g as from gold")
    return place


STORED = ASKED.replace("'hyp', 'gold'", "'h', 'g'")
NEEDED = "select align_words(['a'], ['b'], 'model')"


def test_macros_that_a_file_keeps_need_no_python(stored):
    with duckdb.connect(stored) as con:
        assert con.cursor().execute(STORED).fetchall() == WANTED
        with pytest.raises(duckdb.Error, match=r"needs Python: .* alignframe.register\(connection"):
            con.execute(NEEDED)
        af.register(con)
        assert con.execute(STORED).fetchall() == WANTED
        with pytest.raises(duckdb.Error, match="model: no such folder"):
            con.execute(NEEDED)


def test_macros_of_an_attached_file(stored):
    with duckdb.connect() as con:
        con.execute(f"attach '{stored}' as kept (read_only); create table mine as from kept.g")
        assert con.execute("select kept.share_of(1, 2)").fetchall() == [(0.5,)]
        con.execute("set search_path = 'memory,kept'")
        assert con.execute(STORED).fetchall() == WANTED
        assert con.execute("select links from link_scores('mine', 'g')").fetchall() == [(1287,)]
        con.execute("use kept")
        assert con.execute(STORED).fetchall() == WANTED


def test_macros_are_stored_once_and_read_by_others(stored):
    with af.connect(stored) as con:
        before = _inner(con)
        with af.connect(stored, store=True) as other:
            assert _inner(other) == before
    with af.connect(stored, store=True, access_mode="read_only") as con:
        assert con.execute(STORED).fetchall() == WANTED
    with duckdb.connect(stored) as con:
        con.execute("create or replace macro alignframe_version() as 'old'")
        con.execute("create or replace macro share_of(a, b) as 'old'")
        af.register(con)
        assert con.execute("select share_of(1, 2)").fetchall() == [(0.5,)]
        assert con.cursor().execute("select share_of(1, 2)").fetchall() == [("old",)]
    af.connect(stored, store=True).close()
    with duckdb.connect(stored) as con:
        assert con.execute("select share_of(1, 2)").fetchall() == [(0.5,)]


def test_what_cannot_be_stored_is_refused(tmp_path):
    with pytest.raises(InputError, match="`store` without a file; expected the path of a database"):
        af.connect(store=True)
    place = str(tmp_path / "x.db")
    with duckdb.connect(place) as con:
        con.execute("create macro aer(a) as a; create macro bleu(a) as table select a")
    with pytest.raises(InputError, match="other macros by the name of aer, bleu; expected none"):
        af.connect(place, store=True)
    with pytest.raises(InputError, match="`store` is 1; expected True or False"):
        af.connect(place, store=1)
    place = str(tmp_path / "y.db")
    duckdb.connect(place).close()
    with pytest.raises(InputError, match=r"cannot be written .*read-only.*; leave out `store`"):
        af.connect(place, store=True, access_mode="read_only")
    with pytest.raises(InputError, match="no such file"):
        af.connect(place, tables={"hyp": "missing.parquet"})
    # In another mode, a file can be opened only when it is closed.
    with duckdb.connect(place) as con:
        assert _inner(con) == []


@pytest.mark.parametrize("other", ["x.db", None, pl.DataFrame()])
def test_other_than_a_connection_is_refused(other):
    with pytest.raises(InputError, match=f"of type {type(other).__name__}; expected one of DuckDB"):
        af.register(other)
