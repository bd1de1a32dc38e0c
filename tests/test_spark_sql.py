"""The project's SQL on Spark, on Sail: the same rows as in DuckDB."""

import os
import random
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers_sql import FILES, connected, parts_of

from alignframe import formats
from alignframe.engines.macro_trees import all_macros
from alignframe.engines.spark import sql
from alignframe.errors import InputError, QueryError
from alignframe.scripts import sql_folder

THOROUGH = os.environ.get("ALIGNFRAME_HYPOTHESIS") == "thorough"
FAMILIES = ("columns", "measures", "links", "phrases", "tesla", "mt")
OF_TYPES = {"cooccurrence_of_numbers", "n_best_unsigned", "rows_of_tables"}
"""Files that show DuckDB's own type names, or structs as text."""


pytest.importorskip("sqlglot")


def names_of(family):
    (file,) = sql_folder().glob(f"*_{family}.sql")
    return set(re.findall(r"temp macro (\w+)\(", file.read_text("utf-8")))


PROMISED = set(all_macros()) if THOROUGH else set().union(*map(names_of, FAMILIES))


def used_in(file):
    """Return the macros that a file of tests/sql calls."""
    given, query, _ = parts_of(file)
    return set(re.findall(r"\b(\w+)\(", " ".join([*given.values(), query]))) & set(all_macros())


def calls(macro):
    from sqlglot import exp

    names = {str(call.this).lower() for call in macro.body.find_all(exp.Anonymous)}
    return names & set(all_macros())


def called(names):
    """Return the macros of these names, and those that they call."""
    found = set(names)
    while more := set().union(*(calls(all_macros()[name]) for name in found)) - found:
        found |= more
    return found


def chosen():
    """Return the files that together call every promised macro, or in a thorough run, all that
    work.
    """
    able = {
        file: used
        for file in FILES
        if file.stem not in OF_TYPES and (used := called(used_in(file))) and used <= PROMISED
    }
    files, covered = [], set()
    for file in sorted(able, key=lambda file: -len(able[file])):
        if THOROUGH or able[file] - covered:
            files.append(file)
            covered |= able[file]
    return files


@pytest.fixture
def views(spark):
    """Creates temporary views of the session, and drops them afterwards."""
    made = []

    def make(name, frame):
        if isinstance(frame, pa.Table):
            frame = spark.createDataFrame(frame)
        frame.createOrReplaceTempView(name)
        made.append(name)

    yield make
    for name in made:
        spark.catalog.dropTempView(name)


def cell(value):
    """Return a value as shown by the files in tests/sql, whatever its number type."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    try:
        return str(value) if isinstance(value, bool) else f"{float(value):.4f}"
    except (TypeError, ValueError):
        return str(value)


def rows_of(frame):
    return sorted([cell(value) for value in row] for row in frame.collect())


@pytest.mark.parametrize("file", chosen(), ids=lambda file: file.stem)
def test_file(spark, views, file):
    given, query, wanted = parts_of(file)
    for name, text in given.items():
        views(name, sql(spark, text))
    assert rows_of(sql(spark, query)) == sorted([cell(value) for value in row] for row in wanted)


def test_every_promised_macro_is_tested():
    assert set() == PROMISED - set().union(*(called(used_in(file)) for file in chosen()))


def table_of_macros():
    """Return the table of docs/engines.md: numbers of macros by file, and when they are tested."""
    for file in sorted(sql_folder().glob("*.sql")):
        about = file.stem.partition("_")[2]
        tried = "every change" if about in FAMILIES else "thorough run"
        yield f"| {about.replace('_', ' ')} | {len(names_of(about))} | {tried} |"


def test_the_page_says_what_is_tested():
    page = Path(__file__).parent.parent.joinpath("docs", "engines.md").read_text("utf-8")
    for row in table_of_macros():
        assert row in page


def in_duckdb(tables, query):
    with connected() as con:
        for name, table in tables.items():
            con.register(name, table)
        found = con.sql(query)
        return sorted([cell(value) for value in row] for row in found.fetchall())


def random_links(seed):
    """Return links of two systems and gold, with some sentences and labels missing, and a second
    key.
    """
    drawn = random.Random(seed)
    kind = pa.list_(pa.struct([("i", pa.int32()), ("j", pa.int32()), ("sure", pa.bool_())]))

    def links():
        chosen = {(drawn.randrange(4), drawn.randrange(4)) for _ in range(drawn.randrange(5))}
        labels = [True, False, None]
        return [{"i": i, "j": j, "sure": drawn.choice(labels)} for i, j in sorted(chosen)]

    keys = [(domain, sid) for domain in ("news", "web") for sid in range(6)]

    def table(systems):
        rows = [
            {"system": system, "domain": domain, "sid": sid, "links": links()}
            for system in systems
            for domain, sid in keys
            if drawn.random() < 0.8
        ]
        columns = {name: [row[name] for row in rows] for name in ("system", "domain", "sid")}
        return pa.table(columns | {"links": pa.array([row["links"] for row in rows], kind)})

    return {"hyp": table("ab"), "gold": table("g").drop_columns("system")}


@pytest.mark.parametrize("seed", range(20 if THOROUGH else 1))
def test_random_tables(spark, views, seed):
    tables = random_links(seed)
    for name, table in tables.items():
        views(name, table)
    for query in (
        "select * from link_scores('hyp', 'gold', key := ['domain', 'sid'], by := ['domain'])",
        "select domain, sid, i, j, sure from long_links('hyp', key := ['domain', 'sid'])",
    ):
        found = rows_of(sql(spark, query))
        assert found == in_duckdb(tables, query)
        assert found


def test_bundled_files(spark, tmp_path, bundled):
    for name in ("eager", "gold"):
        pq.write_table(formats.read(bundled / f"{name}.talp"), tmp_path / f"{name}.parquet")
    text = f"from link_scores('{tmp_path}/eager.parquet', '{tmp_path}/gold.parquet', alpha := 0.3)"
    frame = sql(spark, text)
    found = rows_of(frame)
    assert found == in_duckdb({}, text)
    assert found
    assert dict(frame.dtypes)["f"] == "double"


def test_a_key_both_in_folders_and_files_is_refused(spark, tmp_path):
    place = tmp_path / "hyp" / "system=giza"
    place.mkdir(parents=True)
    pq.write_table(pa.table({"system": ["giza"], "sid": [0]}), place / "part.parquet")
    with pytest.raises(InputError, match="system both"):
        sql(spark, f"from '{place.parent}'")
    assert rows_of(sql(spark, f"from '{place}'")) == [["giza", "0.0000"]]


OF_USERS = (
    # Adjacent lists within expressions, each with its own elements.
    "select 'a' as x, unnest([1, 2, 3]) + 1 as a, unnest([10, 20]) as b",
    "with numbered as (select row_number() over () as n, x from (values ('b'), ('a'), ('b')) t(x))"
    " select x, count(distinct n) from numbered group by x",
    "select 1 / n, -1 / n, 0 / n, n / 2, 5 / nullif(n, 0) from (values (0), (4)) as t(n)",
    "select lowered(['Sid', 'N_Hyp']), is_named('SID', ['sid', 'x'])",
    "select g, quantile_cont(x, 0.3) filter (x > 0) from (values (1, 2e0), (1, 4e0), (1, -1e0))"
    " as t(g, x) group by all",
)


def test_sql_of_users(spark):
    for query in OF_USERS:
        assert rows_of(sql(spark, query)) == in_duckdb({}, query)


HYP = "select 's' as system, 0 as sid, parse_links('0-0') as links"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("from link_scores('hyp', 'nothing')", "no table 'nothing'"),
        ("from link_scores('hyp', 'bare')", "columns sid; expected sid, links, or sid, i, j"),
        ("from link_scores('hyp')", "no gold for the macro link_scores; expected hyp, gold"),
        ("from link_scores('hyp', 'hyp', beta := 1)", "beta"),
        ("select from where", "SQL that cannot be parsed"),
        ("create table x as select 1", "expected a query"),
    ],
)
def test_bad_input_is_refused(spark, views, query, said):
    views("hyp", sql(spark, HYP))
    views("bare", sql(spark, "select 0 as sid"))
    with pytest.raises(InputError, match=re.escape(said)):
        sql(spark, query)


def test_a_missing_column_is_refused(spark, views):
    views("hyp", sql(spark, HYP))
    with pytest.raises(QueryError, match="nothing"):
        sql(spark, "with a as (select nothing from hyp) select * from a")


CROSSING = "(0, 0), (0, 1), (1, 0), (1, 1)"


def test_an_error_in_a_macro_reaches_the_user(spark, views):
    links = "parse_links('0-0') as links"
    for name, pairs in (("crossed", "(0, 0), (0, 0), (1, 1), (1, 1)"), ("crossing", CROSSING)):
        views(name, sql(spark, f"select *, {links} from (values {pairs}) as t(d, s)"))
    with pytest.raises(Exception, match="gives sentence 0, 0 more"):
        sql(spark, "from link_scores('crossed', 'crossing', key := ['d', 's'])").collect()
    with pytest.raises(Exception, match="alpha is 2; expected 0 to 1"):
        sql(spark, "select f_alpha(2, 1, 1, 1, 1)").collect()
