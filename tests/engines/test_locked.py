"""Statements of others read the tables that a connection was opened with, and nothing else."""

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import alignframe as af
from alignframe.engines.locked import MACROS, MOST_ROWS, locked
from alignframe.errors import InputError, QueryError
from alignframe.functions import FUNCTIONS

LINKED = Path("datasets/en-fr").resolve()
WORD = "[{'word': 'a', 'tag': 'NN', 'lemma': 'a', 'content': true}]"


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """A folder with one file that is a table, and another beside it."""
    folder = tmp_path_factory.mktemp("lake")
    gold = af.formats.read(LINKED / "gold.talp")
    for name in ("gold", "other"):
        af.formats.write(gold, folder / f"{name}.parquet")
    (folder / "secret.txt").write_text("house\tbuilding\n")
    return folder


@pytest.fixture(scope="module")
def door(lake):
    """A connection with links of a file of each kind, and of a frame."""
    frame = pl.DataFrame({"sid": [0, 1]})
    tables = {"hyp": LINKED / "eager.talp", "gold": lake / "gold.parquet", "few": frame}
    with locked(tables) as opened:
        yield opened


def test_a_query_over_tables_of_any_kind_has_its_rows(door):
    rows, number = door.ask("select links, round(aer, 4) as aer from link_scores('hyp', 'gold')")
    assert (rows, number) == ([{"links": 1282, "aer": 0.1158}], 1)
    assert door.ask("from few order by sid")[0] == [{"sid": 0}, {"sid": 1}]


def test_of_many_rows_the_first_are_returned_and_all_counted(door):
    rows, number = door.ask("select range as n from range(5000)")
    assert [row["n"] for row in rows] == list(range(MOST_ROWS))
    assert number == 5000


def test_columns_of_one_name_are_kept_apart(door):
    assert door.ask("select 1 as a, 2 as a, 3 as b") == ([{"a": 1, "a_1": 2, "b": 3}], 1)


def test_no_rows_are_no_error(door):
    assert door.ask("from few where sid > 7") == ([], 0)


@pytest.mark.parametrize("sql", ["show tables", "describe hyp", "summarize few", "values (1)"])
def test_queries_in_other_words_are_queries(door, sql):
    assert door.ask(sql)[1] > 0


def test_macros_are_listed(door):
    rows, _ = door.ask(f"select macro, answers from {MACROS} where macro like 'link_scores(%'")
    assert rows[0]["macro"].startswith("link_scores(hyp, gold")


@pytest.mark.parametrize(
    ("kind", "sql"),
    {
        "create": "create table made as from few",
        "insert": "insert into few values (2)",
        "delete": "delete from few",
        "update": "update few set sid = 3",
        "drop": "drop view few",
        "attach": "attach 'made.db'",
        "copy": "copy few to 'made.csv'",
        "export": "export database 'made'",
        "set": "set threads = 1",
        "load": "install httpfs",
        "pragma": "pragma enable_profiling",
        "explain": "explain analyze copy few to 'made.csv'",
        "transaction": "commit",
        "prepare": "prepare made as from few",
    }.items(),
)
def test_a_statement_that_is_no_query_is_refused(door, tmp_path, monkeypatch, kind, sql):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(QueryError, match=f"1 statement: {kind}; expected one query"):
        door.ask(sql)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("number", "sql"), [(0, " ;"), (2, "select 1; drop view few"), (0, "-- a")]
)
def test_other_numbers_of_statements_are_refused(door, number, sql):
    with pytest.raises(QueryError, match=f"{number} statements: .*; expected one query"):
        door.ask(sql)


def test_what_is_no_sql_is_refused(door):
    with pytest.raises(QueryError, match="syntax error"):
        door.ask("range(")


@pytest.mark.parametrize(
    "read",
    [
        "read_text('{}')",
        "read_csv('{}')",
        "read_blob('{}')",
        "read_parquet('{}')",
        "glob('{}')",
        "sniff_csv('{}')",
        "query('from read_text(''{}'')')",
        "parquet_metadata('{}')",
    ],
)
@pytest.mark.parametrize("name", ["secret.txt", "other.parquet", "*", "gold.parquet/../secret.txt"])
def test_no_file_is_read_but_the_tables(door, lake, read, name):
    path = f"{lake}/{name}"
    with pytest.raises(QueryError, match="reads no files but its tables; expected the name of a"):
        door.ask(f"from {read.format(path)}")


@pytest.mark.parametrize("sql", ["from '{}'", "from link_scores('hyp', '{}')"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("secret.txt", "unknown table '.*secret.txt'; expected one of hyp, gold, few"),
        ("missing.txt", "unknown table '.*missing.txt'; expected one of hyp, gold, few"),
        ("other.parquet", "reads no files but its tables"),
        ("missing.parquet", "reads no files but its tables"),
    ],
)
def test_no_file_is_a_table_whether_it_exists_or_not(door, lake, sql, name, said):
    with pytest.raises(QueryError, match=said):
        door.ask(sql.format(lake / name))


def test_an_unknown_table_is_refused_with_those_that_there_are(door):
    with pytest.raises(QueryError, match=r"unknown table 'gould'; .* did you mean 'gold'"):
        door.ask("from link_scores('hyp', 'gould')")


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (f"ngram_match({WORD}, {WORD}, 1, 'ms', 'FILE')", "synonyms"),
        (f"tesla_counts({WORD}, {WORD}, 'FILE')", "synonyms"),
        (f"tesla_m({WORD}, {WORD}, 'FILE')", "synonyms"),
        (f"_alignframe_tesla_m({WORD}, {WORD}, 'FILE', 0.8)", "synonyms"),
        ("align_words(['a'], ['b'], 'FILE')", "model"),
        ("align_sentences(['a'], ['b'], model := 'FILE')", "model"),
        ("removed_candidates(['a'], ['b'], 'cognate, mrbd:FILE')", "filters"),
        ("removed_candidates(['a'], ['b'], 'pos:FILE')", "filters"),
    ],
)
def test_functions_in_python_open_no_files(door, lake, call, name):
    said = rf"{name} is '.*secret.txt', a file; expected no file but the tables"
    with pytest.raises(QueryError, match=said):
        door.ask(f"select {call.replace('FILE', str(lake / 'secret.txt'))}")


@pytest.mark.parametrize(
    "call",
    [
        f"tesla_m({WORD}, {WORD}, 'none')",
        "removed_candidates(['a'], ['b'], 'cognate')",
        "align_sentences(['a b'], ['b c'])",
    ],
)
def test_functions_that_need_no_file_work(door, call):
    assert door.ask(f"select {call} as answer")[0][0]["answer"] is not None


def test_every_option_that_is_a_text_is_known_to_name_no_file_or_is_guarded():
    named = {
        name
        for one in FUNCTIONS
        for name, kind in one.arguments.items()
        if kind == pa.string() and name in one.options
    }
    guarded = {"model", "synonyms", "filters"}
    choices = {"method", "kind", "symmetrize", "similarity", "language", "tokens", "unit", "words"}
    assert named - guarded - choices == {"doc"}


def test_no_environment_or_variable_of_the_process_is_read(door):
    frame = pl.DataFrame({"a": [1]})
    for sql in ("select getenv('HOME')", "from frame", "from duckdb_secrets()"):
        with pytest.raises(QueryError):
            door.ask(sql)
    assert frame.height == 1


@pytest.mark.parametrize(
    "query",
    [
        "with made as ({}) from made",
        "with made as materialized ({}) select 1",
        "(with made as ({}) from made) union all select 1",
        "with other as (with made as ({}) from made) from other",
        "describe with made as ({}) from made",
        "from query('with made as ({}) from made')",
        "from json_execute_serialized_sql(json_serialize_sql('with made as ({}) from made'))",
        "from ({})",
        "select ({})",
    ],
)
@pytest.mark.parametrize(
    "write",
    [
        "copy (select 9 as sid) to '{}' (use_tmp_file false)",
        "copy (select 9 as sid) to '{}' (format csv)",
        "insert into few values (9) returning *",
        "update few set sid = 9 returning *",
        "delete from few returning *",
    ],
)
def test_a_query_within_which_another_writes_changes_nothing(door, lake, query, write):
    file = lake / "gold.parquet"
    before, files = file.read_bytes(), sorted(lake.iterdir())
    inner = write.format(file)
    with pytest.raises(QueryError):
        door.ask(query.format(inner.replace("'", "''") if "('" in query else inner))
    assert (file.read_bytes(), sorted(lake.iterdir())) == (before, files)
    assert door.ask("from few order by sid")[0] == [{"sid": 0}, {"sid": 1}]


@pytest.mark.parametrize("place", ["", "made.csv", "{home}/made.csv", "{temporary}/made.csv"])
def test_no_folder_can_be_written_to_or_listed(door, tmp_path, monkeypatch, place):
    """Also not by a query that DuckDB runs from a text."""
    monkeypatch.chdir(tmp_path)
    (setting,) = door.ask("select current_setting('temp_directory') as d")[0]
    path = place.format(home=tmp_path, temporary=setting["d"])
    write = f"with made as (copy (select 1) to '{path}' (use_tmp_file false)) from made"
    quoted = write.replace("'", "''")
    for sql in (
        write,
        f"from json_execute_serialized_sql(json_serialize_sql('{quoted}'))",
        f"from glob('{path}*')",
    ):
        with pytest.raises(QueryError):
            door.ask(sql)
    assert not list(tmp_path.iterdir())


def test_rows_are_in_the_order_of_the_query(door):
    sql = "select range as n from range(300000) order by hash(range)"
    with af.connect() as free:
        wanted = free.execute(sql).fetchmany(MOST_ROWS)
    rows, number = door.ask(sql)
    assert [(row["n"],) for row in rows] == wanted
    assert number == 300000


@pytest.mark.parametrize("sql", ["select 'it''s' as a -- its", "/* ' */ select 'it''s' as a;"])
def test_quotes_and_comments_of_a_query_are_its_own(door, sql):
    assert door.ask(sql) == ([{"a": "it's"}], 1)


@pytest.mark.parametrize(
    "sql",
    ["from range(100000000000)", "select count(*) from range(100000000000) t(x) where hash(x) = 1"],
)
def test_a_statement_that_takes_too_long_is_stopped_and_the_next_runs(sql):
    with locked({"few": pl.DataFrame({"sid": [0]})}, seconds=0.2) as opened:
        with pytest.raises(QueryError, match=r"took longer than 0\.2 s, and was stopped"):
            opened.ask(sql)
        assert opened.ask("from few") == ([{"sid": 0}], 1)


@given(st.text(max_size=20))
def test_any_text_is_answered_or_refused(door, text):
    try:
        door.ask(text)
    except QueryError:
        assert door.ask("from few")[1] == 2


def test_tables_that_do_not_exist_are_refused_at_the_start():
    with pytest.raises(InputError, match="no such file"), locked({"h": "missing.talp"}):
        pass
