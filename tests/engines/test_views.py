"""Places and frames as SQL tables, the list of macros, and advice in errors."""

import re
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, run

import alignframe as af
from alignframe.engines.scripts import macros, sql_folder
from alignframe.engines.session import asking
from alignframe.errors import DataWarning, InputError, QueryError

LINKS = pa.list_(pa.struct([("i", pa.uint16()), ("j", pa.uint16())]))
DELTA_LINKS = pa.list_(pa.struct([("i", pa.int32()), ("j", pa.int32())]))
BEADS = Path(__file__).parents[2] / "datasets/mill/mill.beads"


def rows(domain, system, links=LINKS, n=2):
    return pa.table(
        {
            "system": [system] * n,
            "domain": [domain] * n,
            "sid": range(n),
            "links": pa.array([[(k, 0)] for k in range(n)], links),
        }
    )


@pytest.fixture
def lake(tmp_path):
    for domain in ("law", "news"):
        for system in ("a", "b"):
            folder = tmp_path / f"hyp/system={system}/domain={domain}"
            folder.mkdir(parents=True)
            pl.from_arrow(rows(domain, system).select(["sid", "links"])).write_parquet(
                folder / "part-0.parquet"
            )
        folder = tmp_path / f"gold/domain={domain}"
        folder.mkdir(parents=True)
        pl.from_arrow(rows(domain, "a").select(["sid", "links"])).write_parquet(
            folder / "part-0.parquet"
        )
    (tmp_path / "hyp/_temporary").mkdir()
    (tmp_path / "hyp/_temporary/half.parquet").write_bytes(b"PAR1")
    return tmp_path


KEYED = "from link_scores('hyp', 'gold', key := ['domain', 'sid'], by := ['domain'])"
SCORED = [
    (system, domain, 2, 2, 1.0, 1.0, 0.0, 1.0) for system in "ab" for domain in ("law", "news")
]


def test_hive_folders_are_tables(lake):
    with af.connect(tables={"hyp": lake / "hyp", "gold": str(lake / "gold")}) as con:
        assert con.execute(KEYED).fetchall() == SCORED
        kinds = con.execute("select distinct typeof(domain) from hyp").fetchall()
        assert kinds == [("VARCHAR",)]


def test_folders_are_tables_in_the_shell(lake):
    named = ("--table", "hyp=hyp", "--table", "gold=gold")
    printed, _ = run("sql", *named, KEYED, "--json", folder=lake)
    assert [tuple(row.values()) for row in json_of(printed)] == SCORED


def test_files_beside_folders_of_a_key_have_none(lake):
    next((lake / "gold").rglob("*.parquet")).rename(lake / "hyp" / "beside.parquet")
    with af.connect(tables={"hyp": lake / "hyp"}) as con:
        asked = "select count(*), count(*) filter (domain is null) from hyp"
        assert con.execute(asked).fetchall() == [(10, 2)]
        asked = "from link_rows('hyp', key := ['domain', 'sid'])"
        with pytest.raises(QueryError, match="null system of sentence 0; expected"), asking(asked):
            con.execute(asked)


def test_a_suffix_may_be_in_capitals(lake):
    path = next((lake / "hyp").rglob("*.parquet")).rename(lake / "HYP.PARQUET")
    with af.connect(tables={"hyp": path}) as con:
        assert con.execute("select count(links) > 0 from hyp").fetchall() == [(True,)]


@pytest.mark.parametrize("partitioned", [True, False])
def test_only_live_files_of_a_delta_table_are_read(tmp_path, partitioned):
    deltalake = pytest.importorskip("deltalake")
    place = tmp_path / "hyp"
    by = ["domain"] if partitioned else None
    deltalake.write_deltalake(place, rows("old", "a", DELTA_LINKS, 7), partition_by=by)
    deltalake.write_deltalake(
        place, rows("law", "a", DELTA_LINKS), mode="overwrite", partition_by=by
    )
    with af.connect(tables={"hyp": place}) as con:
        asked = "select count(*), min(domain), sum(len(links)) from hyp"
        assert con.execute(asked).fetchall() == [(2, "law", 2)]
        # Read twice in one query.
        assert con.execute("select count(*) from hyp join hyp as other using (sid)").fetchall() == [
            (2,)
        ]
        long = con.sql("select count(*) from long_links('hyp', key := ['domain', 'sid'])")
        assert long.fetchall() == [(2,)]


def test_deleted_rows_of_a_delta_table_are_not_read(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "hyp", rows("law", "a", DELTA_LINKS, 5))
    deltalake.DeltaTable(tmp_path / "hyp").delete("sid < 2")
    with af.connect(tables={"hyp": tmp_path / "hyp"}) as con:
        assert con.execute("select min(sid), count(*) from hyp").fetchall() == [(2, 3)]


def test_frames_and_files_of_links_are_tables(bundled, tmp_path):
    frame = pl.DataFrame({"system": ["eager"], "score": [1.5]})
    frame.write_csv(tmp_path / "it's.csv")
    tables = {
        "hyp": bundled / "eager.talp",
        "gold": bundled / "gold.talp",
        "frame": frame.lazy(),
        "of columns": {"x": [1, 2]},
        "listed": tmp_path / "it's.csv",
    }
    with af.connect(tables=tables) as con:
        asked = "select score, round(aer, 4) from link_scores('hyp', 'gold') join {} using (system)"
        wanted = [(1.5, 0.1158)]
        assert con.execute(asked.format("frame")).fetchall() == wanted
        assert con.execute(asked.format("listed")).fetchall() == wanted
        assert con.execute('select sum(x) from "of columns"').fetchall() == [(3,)]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"hyp": "nowhere/at.parquet"}, "no such file"),
        ({"hyp": "nowhere"}, "no such file"),
        ({"": "x.parquet"}, "without a name"),
        ({"hyp": 3}, "int"),
        ({"hyp": BEADS}, r"convert it with: alignframe convert .*\.beads .*\.parquet"),
    ],
)
def test_other_objects_are_refused(tables, said):
    with pytest.raises(InputError, match=said):
        af.connect(tables=tables)


def test_a_file_of_no_known_format_has_a_way_to_a_table(tmp_path):
    place = tmp_path / "odd"
    place.write_text("0-0 1-x\n")
    with pytest.raises(InputError, match="with alignframe convert --from, which makes a table of"):
        af.connect(tables={"hyp": place})


@pytest.mark.parametrize("text", ["hyp", "=x.parquet", "hyp="])
def test_a_table_of_the_shell_has_a_name_and_a_place(tmp_path, text):
    _, said = run("sql", "--table", text, "select 1", folder=tmp_path, code=2)
    assert "NAME=PLACE" in said


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("from link_scores('lake/hyp', 'gold')", '`tables={"NAME": "lake/hyp"}`'),
        ("from link_scores('hyp', 'gold')", '`tables={"hyp": "PLACE"}`'),
        ("from 'iceberg:here.ns.t'", '`tables={"NAME": "iceberg:here.ns.t"}`'),
    ],
)
def test_an_unknown_table_must_be_named(sql, said):
    with af.connect() as con, pytest.raises(QueryError, match=re.escape(said)), asking(sql):
        con.sql(sql)


@pytest.mark.parametrize(
    ("extension", "said"),
    [("delta", "alignframe[delta]"), ("httpfs", '`tables={"NAME": "PLACE"}`'), ("excel", "CSV")],
)
def test_places_are_advised_instead_of_extensions(extension, said):
    from alignframe.engines.query_errors import reason

    text = f'Failed to download extension "{extension}" at URL "http://x" ... For more info, visit'
    assert said in reason(text)
    assert "http" not in reason(text).replace("httpfs", "")


def test_every_macro_is_listed_with_its_description(tmp_path):
    found = {one.name: one for one in macros()}
    text = " ".join(file.read_text("utf-8") for file in sql_folder().glob("*.sql"))
    assert set(re.findall(r"temp macro (\w+)", text)) <= {*found}
    assert {"count_links", "tesla_m"} <= {*found}
    assert all(len(one.summary) > 10 and "\n" not in one.summary for one in found.values())
    assert found["scores"].call == "scores(counts, alpha := 0.5, by := [])"
    printed, _ = run("sql", "--macros", "--json", folder=tmp_path)
    assert [row["macro"] for row in json_of(printed)] == [one.call for one in macros()]
    listed = run("sql", "--macros", folder=tmp_path)[0].splitlines()
    assert max(map(len, listed)) <= 80
    assert "  aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)" in map(str.rstrip, listed)


def test_macros_can_be_called_as_listed():
    """The parameters are those that DuckDB knows."""
    with af.connect() as con:
        known = dict(
            con.execute(
                "select function_name, parameters from duckdb_functions() "
                "where function_type in ('macro', 'table_macro') and not internal"
            ).fetchall()
        )
    for one in macros():
        assert [part.partition(" ")[0] for part in one.parameters] == known[one.name]


@pytest.mark.parametrize("other", ["g", "G"])
def test_a_name_of_two_tables_is_refused(tmp_path, other):
    (tmp_path / "g.talp").write_text("0-0\n")
    words = ("sql", "--table", f"{other}=g.talp", "--table", "g=g.talp", "from g")
    assert "error: two tables are named g" in run(*words, folder=tmp_path, code=2).stderr
    if other == "G":
        with pytest.raises(InputError, match="named g, as SQL takes G and g for one"):
            af.connect(tables={other: ["0-0"], "g": ["0-0"]})


def test_patterns_and_folders_of_text_files_are_tables(tmp_path, bundled):
    """Each file of links or sentences is a system; tables are united by their columns."""
    lines = (bundled / "eager.talp").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "runs").mkdir()
    for name, some in (("a", lines[:3]), ("b", lines[:2])):
        (tmp_path / f"runs/{name}.talp").write_text("".join(some), "utf-8")
        (tmp_path / f"{name}.en").write_text("some words\n" * len(some), "utf-8")
        (tmp_path / f"{name}.csv").write_text(f"sid,i,{name}\n0,1,2\n", "utf-8")
    counted = "select system, count(*) from h group by all order by all"
    for place in ("runs/*.talp", "runs", "*.en"):
        with af.connect(tables={"h": str(tmp_path / place)}) as con:
            assert con.execute(counted).fetchall() == [("a", 3), ("b", 2)]
    with af.connect(tables={"h": tmp_path / "*.csv"}) as con:
        assert con.execute("from h order by a").fetchall() == [(0, 1, 2, None), (0, 1, None, 2)]
    (tmp_path / "b.csv").write_text("sid,i,a\n0,[x],y\n", "utf-8")
    with pytest.raises(InputError, match="files of different columns for the table h"):
        af.connect(tables={"h": tmp_path / "*.csv"})


@pytest.mark.parametrize(("name", "other"), [("h.x", "h_x"), ('a"b', "a_b")])
def test_names_that_sql_reads_as_several(name, other):
    with pytest.raises(InputError, match=f"a name without dots .*; name it {other}"):
        af.connect(tables={name: BEADS})


def test_ids_of_sentences_join_files(tmp_path):
    """Files with ids in another order are joined by them, as in Python; files without are told."""
    for name, text in (
        ("h", "s2\t0-1\ns1\t0-0 1-1\n"),
        ("g", "s1\t0-0 1-1\ns2\t0-1\n"),
        ("bare", "0-0 1-1\n0-1\n"),
        ("other", "t1\t0-0\nt2\t0-1\n"),
    ):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    asked = "select aer from link_scores('h', 'g')"
    with af.connect(tables={name: tmp_path / f"{name}.txt" for name in "hg"}) as con:
        assert con.execute(asked).fetchall() == [(0.0,)]
    for name, said in (("bare", "has no ids to join them by"), ("other", "no id of.*in the order")):
        tables = {"h": tmp_path / "h.txt", "g": tmp_path / f"{name}.txt"}
        with pytest.warns(DataWarning, match=said), af.connect(tables=tables):
            pass


def test_the_index_of_a_frame_is_no_column():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"sid": [0, 0, 1], "i": [0, 1, 0], "j": [0, 1, 0]}, index=[5, 3, 9])
    with af.connect(tables={"h": frame}) as con:
        assert con.execute("select links from link_scores('h', 'h')").fetchall() == [(3,)]
        assert con.sql("from h").columns == ["sid", "i", "j"]


def test_what_a_query_compares_is_told(tmp_path, bundled):
    """The shell warns, as its commands do, if tables that a macro compares fit badly."""
    for name, doc in (("h", "7"), ("g", "007")):
        (tmp_path / f"{name}.csv").write_text(
            f"doc,src_start,src_end,tgt_start,tgt_end\n{doc},0,1,0,1\n", "utf-8"
        )
    named = ("--table", "h=h.csv", "--table", "g=g.csv")
    _, said = run("sql", *named, "select lax_f from bead_scores('h', 'g')", folder=tmp_path)
    assert "h has no beads of 1 document ('007')" in said
    _, said = run("sql", *named, "select count(*) from h", folder=tmp_path)
    assert said == ""
    lines = (bundled / "eager.talp").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "h.talp").write_text("".join(lines[:60]), "utf-8")
    named = ("--table", "H=h.talp", "--table", f"g={bundled / 'gold.talp'}")
    asked = "select aer from link_scores('h', 'g', key := 'sid')"
    _, said = run("sql", *named, asked, folder=tmp_path)
    assert said.count("warning") == 1
    assert "H has no row for 12 of 72 gold sentences, scored as empty" in said
