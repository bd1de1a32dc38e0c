"""SQL macros: each file in tests/sql has tables, queries and the rows they must return.

A file has parts headed ``-- given NAME`` (a query that makes a table), ``-- query`` (with a name,
if it has several) and ``-- expect`` (one row per line, cells separated by ``|``, compared as text).
"""

import csv
import json
import re

import pyarrow.parquet as pq
import pytest
from helpers.cli import run
from helpers.sql import FILES, connected, parts_of

from alignframe import formats, links
from alignframe.engines.scripts import macros, sql_folder
from alignframe.engines.session import asking, query
from alignframe.errors import QueryError


@pytest.fixture(scope="module")
def connection():
    """One connection, since opening one takes longer than most queries."""
    with connected() as con:
        yield con


@pytest.fixture(scope="module")
def asked(request):
    """A connection with the tables of a file, which all its queries share."""
    with connected() as con:
        for name, text in parts_of(request.param)[0].items():
            con.execute(f"create table {name} as {text}")
        yield con


QUESTIONS = [(file, *question) for file in FILES for question in parts_of(file)[1]]


@pytest.mark.parametrize(
    ("asked", "query", "wanted"),
    [pytest.param(file, query, rows, id=name) for file, name, query, rows in QUESTIONS],
    indirect=["asked"],
)
def test_query(asked, query, wanted):
    found = asked.execute(query).fetchall()
    assert [[_show(cell) for cell in row] for row in found] == wanted


def _show(cell):
    return f"{cell:z.4f}" if isinstance(cell, float) else str(cell)  # z: no sign of zero


def test_every_macro_is_tested():
    macros = set()
    for script in sql_folder().glob("*.sql"):
        macros |= set(re.findall(r"create or replace temp macro (\w+)", script.read_text("utf-8")))
    used = " ".join(file.read_text("utf-8") for file in FILES)
    assert {name for name in macros if f"{name}(" not in used} == {"checked_folders", "files_of"}


def test_scores_over_parquet_globs(tmp_path, bundled):
    for name in ("eager", "cautious"):
        pq.write_table(formats.read(bundled / f"{name}.talp"), tmp_path / f"{name}.parquet")
    pq.write_table(formats.read(bundled / "gold.talp"), tmp_path / "gold.parquet")
    hyps = {name: bundled / f"{name}.talp" for name in ("cautious", "eager")}
    wanted = links.score(hyps, bundled / "gold.talp").scores.drop("signature").rows()
    with connected() as con:
        found = con.execute(
            f"select * from link_scores('{tmp_path}/[ce]*.parquet', '{tmp_path}/gold.parquet')"
        ).fetchall()
        con.register("counts", links.score(hyps, bundled / "gold.talp").counts)
        stored = con.execute("from scores('counts')").fetchall()
    assert len(found) == 2
    for one, other in zip([*found, *stored], [*wanted, *wanted], strict=True):
        assert one == pytest.approx(other)


def test_errors_contain_the_query():
    with connected() as con, pytest.raises(QueryError, match="The query was:\nselect nothing"):
        query(con, "select nothing")


RANKED = "select * from (values (1, 0, 'a', 1), (1, 0, 'b', 2)) as t(ranking, sid, system, rank)"


def test_columns_are_known_in_any_case():
    with connected() as con:
        con.execute(f"create table ranked as {RANKED.replace('sid', 'SID')}")
        assert con.execute("select system, other from ranking_pairs('ranked')").fetchall() == [
            ("a", "b")
        ]


def test_positions_of_long_links_can_be_subtracted():
    with connected() as con:
        con.execute("create table links as select 0 as sid, [{'i': 0, 'j': 2}] as links")
        assert con.execute("select i - j, j - i from long_links('links')").fetchall() == [(-2, 2)]


def test_long_links_have_no_duplicates():
    with connected() as con:
        con.execute(
            "create table twice as select * from (values (0, 1, 1, false), (0, 0, 0, false), "
            "(0, 1, 1, true)) as t(sid, i, j, sure)"
        )
        found = con.execute("select i, j, sure from long_links('twice')").fetchall()
    assert found == [(0, 0, False), (1, 1, True)]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select parse_links('x')", "'x' has something that is not a link"),
        ("select f_alpha(2, 1, 1, 1, 1)", "`alpha` is 2.0; expected a number from 0 to 1"),
        (
            "from link_scores('{}/eager.talp', 'gold')",
            "{}/eager.talp: .*; convert it with: alignframe convert {}/eager.talp {}/eager.parquet",
        ),
        ("from bead_types('{}/mill.beads')", "{}/mill.beads: .*alignframe convert {}/mill.beads "),
    ],
)
def test_errors_begin_with_what_is_wrong(tmp_path, sql, said):
    for name in ("eager.talp", "mill.beads"):
        (tmp_path / name).write_text("0-0\n")
    sql = sql.replace("{}", str(tmp_path))
    with connected() as con:
        con.execute("create table gold as select 0 as sid, 0 as i, 0 as j")
        with pytest.raises(QueryError) as caught, asking(sql):
            query(con, sql).fetchall()
    assert re.match(said.replace("{}", re.escape(str(tmp_path))), str(caught.value))
    assert str(caught.value).endswith(f"The query was:\n{sql}")


@pytest.mark.parametrize(
    "call", [one.call for one in macros() if "key :=" in one.call], ids=lambda call: call
)
def test_a_key_of_one_column_needs_no_brackets(call):
    name, _, rest = call.partition("(")
    given = [word for word in rest.rstrip(")").split(", ") if ":=" not in word]
    places = ", ".join("'texts'" if word == "bitext" else "'links'" for word in given)
    with connected() as con:
        con.execute(
            "create table links as select 'x' as system, 0 as sid, [{'i': 0, 'j': 0}] as links, "
            "[0.9] as probabilities; "
            "create table texts as select 0 as sid, ['a'] as src, ['b'] as tgt"
        )
        listed, alone = (
            con.execute(f"from {name}({places}, key := {key})").fetchall()
            for key in ("['sid']", "'sid'")
        )
    assert alone == listed


TABLES = {
    "gold": "select 0 as sid, parse_links('0-0') as links",
    "words": "select 0 as sid, '0-0' as links",
    "negative": "select 0 as sid, -1 as i, 0 as j",
    "lettered": "select 0 as sid, 0 as i, 'a' as j",
    "unsplit": "select 0 as sid, 'a b' as src, 'c' as tgt",
    "far": "select 0 as sid, 70000 as i, 0 as j",
    "twice": "from gold union all from gold",
    "scores": "select * from (values ('a', 0, 0.5), ('b', 0, 0.4)) as t(system, sid, score)",
}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("from link_scores('gold', 'gold', key := ['system', 'sid'])", "system; omit it"),
        ("from link_scores('words', 'gold')", r"'0-0'; .* parse_links\(links\)"),
        ("from link_scores('negative', 'gold')", "-1 in the column i; .* from 0 to"),
        (
            "from link_scores('lettered', 'gold')",
            "links with j varchar of sentence 0; .* whole numbers",
        ),
        ("from link_scores('gold')", r"expected link_scores\(hyp, gold, alpha := 0.5, key"),
        ("select length_band('a b', 'c')", "the text 'a b' where a list"),
        ("from phrase_pairs('gold', 'unsplit')", "the text 'a b' where a list"),
        ("from link_rows('far')", "70000"),
        ("from link_scores('twice', 'gold')", "gives sentence 0 more than once"),
        ("from link_scores('gold', 'twice')", "gold gives sentence 0 more than once"),
        ("from tesla_differences('scores', 'a', 'X')", "X.*a, b"),
        ("select wmt_tau(1, 2, 3, 'wmt10')", "the variant is 'wmt10'; expected wmt12, wmt13 or w"),
        ("select wmt_tau(1, 2, 3, null)", "the variant is null; expected wmt12, wmt13 or wmt14"),
        ("select f_alpha(1.5, 1, 1, 1, 1)", r"`alpha` is 1\.5; expected a number from"),
    ],
)
def test_wrong_values_are_refused_with_advice(connection, asked, said):
    connection.execute("begin")
    for name, made in TABLES.items():
        connection.execute(f"create table {name} as {made}")
    try:
        with pytest.raises(QueryError, match=said), asking(asked):
            connection.execute(asked).fetchall()
    finally:
        connection.execute("rollback")


ODD = {
    "span": ("interval 1 day", "1 day"),
    "never": ("date 'infinity'", "infinity"),
    "early": ("timestamp '0044-03-15 (BC)'", "0044-03-15 (BC) 00:00:00"),
    "hash": ("md5_number('b')", "190532336368564675417118094528692087698"),
    "most": ("170141183460469231731687303715884105727::hugeint", str(2**127 - 1)),
    "raw": ("'ab'::blob", "ab"),
    "day": ("date '2024-01-02'", "2024-01-02"),
    "exact": ("1234567890123456789.123456789::decimal(38,9)", "1234567890123456789.123456789"),
}


def test_values_that_a_frame_cannot_hold_are_text(tmp_path):
    asked = "select " + ", ".join(f"{value} as {name}" for name, (value, _) in ODD.items())
    run("sql", asked, "-o", "odd.csv", folder=tmp_path)
    (row,) = csv.DictReader((tmp_path / "odd.csv").read_text().splitlines())
    assert row == {name: text for name, (_, text) in ODD.items()}
    printed = run("sql", asked, "--json", folder=tmp_path)[0]
    (row,) = json.loads(printed, parse_float=str)["tables"]["rows"]
    assert row == {name: text for name, (_, text) in ODD.items()}
    _, said = run("sql", "select 1 as a, map{'a': 1} as b", "-o", "b.csv", folder=tmp_path, code=2)
    assert "the column b, which holds lists or structs" in said
