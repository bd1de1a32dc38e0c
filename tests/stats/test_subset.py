"""Subsets of gold: figures equal those of a gold set with only these sentences."""

import csv
import io
import os
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import json_of, run
from helpers.formats import quietly
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import links as reference

from alignframe import formats, links, phrases
from alignframe.core.schemas import COUNTS
from alignframe.errors import DataWarning, InputError, QueryError
from alignframe.stats.subsets import read_sids

sentences = st.lists(st.tuples(reference.links_near, reference.gold_sets()), min_size=1, max_size=8)


def tables(rows, long=False):
    """Return hypothesis and gold, with a domain by sentence; sids are even numbers."""
    sid = [2 * k for k in range(len(rows))]
    hyp = pa.table({"sid": sid, "links": reference.nested([sorted(h) for h, _ in rows])})
    golden = pl.DataFrame(
        {"sid": sid, "domain": ["ab"[k % 2] for k in range(len(rows))]}
    ).to_arrow()
    golden = golden.append_column("links", reference.nested_gold([g for _, g in rows]))
    if long:
        frame = pl.DataFrame(pl.from_arrow(golden)).explode("links").unnest("links")
        golden = frame.filter(pl.col("i").is_not_null()).sample(fraction=1, shuffle=True, seed=1)
    return hyp, golden


@pytest.fixture
def small():
    rows = [
        ({(0, 0)}, ({(0, 0)}, {(0, 0), (1, 1)})),
        ({(1, 1)}, ({(2, 1)}, {(2, 1)})),
        (set(), (set(), set())),
    ]
    return tables(rows)


@settings(max_examples=8)
@given(sentences, st.sets(st.integers(0, 7), min_size=1), st.booleans())
def test_counts_equal_the_rows_of_all_counts(rows, chosen, long):
    hyp, gold = tables([*rows, ({(0, 0)}, ({(0, 0)}, {(0, 0)}))], long)
    every = _counted(hyp, gold)
    wanted = every[sorted({k % every.height for k in chosen})]
    assert _counted(hyp, links.subset(gold, sids=wanted["sid"])).equals(wanted)


def _counted(hyp, gold):
    """Return counts, ignoring the warning that a long table has no sentences without links."""
    return quietly(lambda: links.score(hyp, gold, by=["domain"]).counts).drop("signature")


@settings(max_examples=4)
@given(sentences, st.integers(0, 12), st.booleans())
def test_conditions_equal_those_on_the_table_of_counts(rows, least, long):
    hyp, gold = tables([*rows, ({(0, 0)}, ({(0, 0)}, {(0, 0)}))], long)
    every = _counted(hyp, gold)
    wanted = every.filter(
        (pl.col("n_possible") >= least) & (pl.col("n_sure") < 5), pl.col("domain") == "a"
    )
    where = f"n_possible >= {least} and domain = 'a' and n_sure < 5  -- the rest"
    if wanted.height:
        assert _counted(hyp, links.subset(gold, where=where)).equals(wanted)
    else:
        with pytest.raises(InputError, match="none"):
            links.subset(gold, where=where)


def test_both_kinds_of_selection_apply(small):
    hyp, gold = small
    both = links.subset(gold, sids=np.array([2, 4]), where="sid < 4")
    assert links.score(hyp, both).counts["sid"].to_list() == [2]
    assert both.mark.startswith("subset:1of3,")


def test_parquet_of_several_row_groups(small, tmp_path):
    hyp, gold = small
    pq.write_table(gold, tmp_path / "gold.parquet", row_group_size=1)
    for choice in ({"sids": [4]}, {"where": "domain = 'b'"}, {"sids": pa.table({"sid": [0, 4]})}):
        ours = links.score(hyp, links.subset(str(tmp_path / "gold.parquet"), **choice)).counts
        assert ours.equals(links.score(hyp, links.subset(gold, **choice)).counts)


def test_hansards_as_a_smaller_gold(corpora):
    gold = formats.read(corpora / "hansards-wpt03" / "plain" / "test.en-fr.naacl")
    folder = corpora / "hansards-outputs" / "lilt" / "giza"
    hyp = {
        name: formats.read(folder / f"test.enfr.{name}.talp") for name in ("union", "intersection")
    }
    first = links.subset(gold, where="sid < 110")
    cut = pl.DataFrame(gold).filter(pl.col("sid") < 110)
    parts = {name: pl.DataFrame(one).filter(pl.col("sid") < 110) for name, one in hyp.items()}
    whole = {"alpha": [0.1, 0.5], "bootstrap": 50}
    ours = links.score(hyp, first, strict=True, **whole).scores
    assert ours.drop("signature").equals(links.score(parts, cut, **whole).scores.drop("signature"))
    assert "|subset:110of447," in ours["signature"][0]
    tests = links.score(hyp, first, bootstrap=100).compare("union")
    others = links.score(parts, cut, bootstrap=100).compare("union")
    assert tests.drop("signature").equals(others.drop("signature"))


def test_phrases_of_a_subset(bundled):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    hyp, gold = (formats.read(bundled / f"{name}.talp") for name in ("eager", "gold"))
    chosen = pl.col("sid").is_between(10, 19)
    some = links.subset(gold, sids=range(10, 20))
    parts = [pl.DataFrame(one).filter(chosen) for one in (hyp, gold)]
    ours = phrases.score(hyp, some, text, strict=True).scores
    assert ours.drop("signature").equals(phrases.score(*parts, text).scores.drop("signature"))
    assert "subset:10of72" in ours["signature"][0]
    study = phrases.study(hyp, some, text)
    assert study.scores.equals(phrases.study(*parts, text).scores)
    assert "subset:10of72" in study.signature


def test_missing_sentences_still_cause_a_warning(small):
    hyp, gold = small
    more = pl.concat([pl.DataFrame(hyp), pl.DataFrame(hyp).with_columns(pl.col("sid") + 100)])
    with pytest.warns(DataWarning, match="3 sentences that gold does not have"):
        links.score(more, links.subset(gold, sids=[2])).counts
    with pytest.warns(DataWarning, match="no row for 1 of 1"):
        links.score(pl.DataFrame(hyp).head(1), links.subset(gold, sids=[2])).counts


def test_files_of_sentence_numbers(tmp_path):
    (tmp_path / "a.txt").write_text("4\n\n0\n")
    (tmp_path / "a.csv").write_text('name,sid\n"x, y",4\nz,0\n')
    (tmp_path / "a.tsv").write_text("sid\n4\n0\n")
    pl.DataFrame({"sid": [4, 0]}).write_parquet(tmp_path / "a.parquet")
    for path in tmp_path.iterdir():
        assert read_sids(path).tolist() == [4, 0]


@pytest.mark.parametrize("text", ["4\n\n0\n", "\ufeff 4\n0", "sid\n4\n0\n", "n\tsid\n1\t4\n1\t0\n"])
def test_sentence_numbers_from_a_pipe_are_a_list_or_a_table(tmp_path, text, monkeypatch):
    data = text.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_sids("-").tolist() == [4, 0]
    reads, writes = os.pipe()
    os.write(writes, data)
    os.close(writes)
    with open(reads, "rb"):
        assert read_sids(f"/dev/fd/{reads}").tolist() == [4, 0]


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("a.txt", "1\nx\n", r"a\.txt:2: 'x'"),
        ("a.txt", "1.0\n", ":1: '1.0'"),
        ("a.txt", "99999999999999999999\n", ":1:"),
        ("a.txt", "\n", "no sentence number"),
        ("a.csv", "a,b\n1,2\n", "sid"),
        ("a.csv", "a,sid\n1,0\n2\n", ":3: 1 cell; expected 2"),
        ("a.txt", "0\n1\n", "no sentence 1"),
        ("a.txt", "0\n1\n3\n", "nor 1 other"),
    ],
)
def test_bad_files(small, tmp_path, name, text, match):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=match):
        links.subset(small[1], sids=tmp_path / name)


@pytest.mark.parametrize("sids", [[0.5], ["0"], [[0]], [True]])
def test_an_empty_list_of_sentence_numbers(small, sids):
    with pytest.raises(InputError, match="whole numbers"):
        links.subset(small[1], sids=sids)


def test_bad_conditions(small):
    gold = small[1]
    with pytest.raises(InputError, match=r"'n_posible > 1': .*n_posible.*columns system, sid"):
        links.subset(gold, where="n_posible > 1")
    with pytest.raises(QueryError, match="query was"):
        links.subset(gold, where="domain::int > 1")
    with pytest.raises(InputError, match="syntax error"):
        links.subset(gold, where="true) or (true; drop table gold")
    with pytest.raises(InputError, match="true or false"):
        links.subset(gold, where="sid")
    with pytest.raises(InputError, match="none of 3"):
        links.subset(gold, where="sid > 4")
    with pytest.raises(InputError, match="none of 3"):
        links.subset(gold, where="null::boolean")


def test_duplicate_numbers_count_once(small):
    with pytest.warns(DataWarning, match="more than once"):
        twice = links.subset(small[1], sids=[0, 0, 2])
    assert twice.sids.tolist() == [0, 2]


def test_only_gold_has_subsets(small):
    hyp, gold = small
    some = links.subset(gold, sids=[0])
    for source in (some, {"name": some}):
        with pytest.raises(InputError, match="subset of gold"):
            links.score(source, gold).counts
    with pytest.raises(InputError, match="subset of a subset"):
        links.subset(some, sids=[0])
    assert links.score(hyp, some).counts.columns == ["system", "sid", *COUNTS, "signature"]


def test_reports_name_the_subset(bundled):
    hyp = {name: str(bundled / f"{name}.talp") for name in ("eager", "cautious", "forward")}
    some = links.subset(bundled / "gold.talp", sids=range(30))
    outside = {"eager": 1.0, "cautious": 2.0, "forward": 2.5}
    for page in (
        links.score(hyp, some, bootstrap=0).evaluated().page(sentences=[3]),
        links.correlate(links.score(hyp, some).counts, outside, bootstrap=0).page(),
    ):
        assert some.mark in page.signature


def test_commands(bundled, tmp_path):
    files = ["--gold", bundled / "gold.talp"]
    for name in ("eager", "cautious", "forward"):
        files += ["--hyp", bundled / f"{name}.talp"]
    (tmp_path / "sids.txt").write_text("".join(f"{k}\n" for k in range(30)))
    chosen = ["--set", f"sids={tmp_path / 'sids.txt'}", "--where", "n_possible > 10"]
    rows = json_of(run("links", "score", *files, *chosen, "--json")[0])
    frame = links.subset(bundled / "gold.talp", sids=range(30), where="n_possible > 10")
    mark = frame.mark
    assert rows[0]["sentences"] == frame.sids.size
    assert mark in rows[0]["signature"]
    run("links", "score", "--counts", *files, *chosen, "-o", tmp_path / "counts.csv")
    with open(tmp_path / "counts.csv") as file:
        assert {int(row["sid"]) for row in csv.DictReader(file)} == set(frame.sids.tolist())
    scores = ["--external", bundled / "scores.csv"]
    rows = json_of(run("links", "correlate", *files, *chosen, *scores, "--json")[0])
    assert mark in rows[0]["signature"]
    _, said = run("links", "score", *files, "--where", "n_posible > 1", code=2)
    assert "n_posible > 1" in said
