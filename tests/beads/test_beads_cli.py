"""``alignframe beads align``: names, languages, the bitext, and messages."""

import re

import polars as pl
import pyarrow.parquet as pq
import pytest
from helpers.beads import lexicon, parallel_text
from helpers.cli import json_of, run
from helpers.sql import connected

from alignframe import formats as f
from alignframe.beads import align
from alignframe.errors import DataWarning

SRC, TGT = parallel_text(30)
SRC = SRC[:10] + SRC[11:]  # so that one sentence has no translation


@pytest.fixture
def folder(tmp_path):
    f.write_sentences(SRC, tmp_path / "a.en")
    f.write_sentences(TGT, tmp_path / "a.fr")
    pq.write_table(lexicon(), tmp_path / "lexicon.parquet")
    return tmp_path


def refused(folder, *words):
    printed, said = run("beads", "align", *words, code=2, folder=folder)
    assert printed == ""
    return said


def test_documents_have_one_name(folder):
    for name in ("x.beads", "x.parquet", "x.ladder", "x.xml"):
        run("beads", "align", "a.en", "a.fr", "-o", name, folder=folder)
        assert set(f.read_beads(folder / name)["doc"].to_pylist()) == {"document"}
    run("beads", "align", "a.en", "a.fr", "-o", "y.parquet", "--doc", "tale", folder=folder)
    assert set(f.read_beads(folder / "y.parquet")["doc"].to_pylist()) == {"tale"}
    run("convert", "x.beads", "z.parquet", "--doc", "tale", folder=folder)
    with connected() as con:
        for gold, hyp in (("x", "z"), ("y", "z")):
            paths = [str(folder / f"{name}.parquet") for name in (hyp, gold)]
            sql = "select strict_f from bead_scores($hyp, $gold) order by all"
            found = con.sql(sql, params={"hyp": paths[0], "gold": paths[1]}).fetchall()
            assert found == [(1.0 if gold == "y" else 0.0,)]
    assert set(align(SRC, TGT, doc="tale")["doc"].to_list()) == {"tale"}


def test_the_bitext_of_the_beads(folder):
    words = ("a.en", "a.fr", "-o", "x.parquet", "--bitext", "pairs.parquet")
    printed, said = run("beads", "align", *words, folder=folder)
    pairs = pl.read_parquet(folder / "pairs.parquet")
    assert printed == ""
    assert f"{pairs.height} pairs of texts written to pairs.parquet\n" in said
    beads = f.read_beads(folder / "x.parquet")
    assert pairs.equals(pl.from_arrow(f.bead_bitext(beads, SRC, TGT)))
    assert 0 < pairs.height < beads.num_rows
    columns = ["doc", "src", "tgt", "score", "src_start", "src_end", "tgt_start", "tgt_end", "type"]
    assert pairs.columns == columns
    assert pairs["src"][0] == SRC[0]
    printed, _ = run("beads", "align", *words, "--json", folder=folder)
    found = json_of(printed)
    assert (found["bitext"], found["written"]) == ("pairs.parquet", beads.num_rows)
    printed, said = run("beads", "align", *words[:2], "--bitext", "p.parquet", folder=folder)
    assert printed.startswith("[0]:[0]:")
    assert said == f"{pairs.height} pairs of texts written to p.parquet\n"


def test_memories_and_ladders_report_what_was_written(folder):
    beads = align(SRC, TGT)
    both = f.bead_bitext(beads, SRC, TGT).num_rows
    _, said = run("beads", "align", "a.en", "a.fr", "-o", "x.tmx", folder=folder)
    assert f"sentences, {both} units (of {beads.height} beads) written to x.tmx (" in said
    assert f.read_tmx(folder / "x.tmx", ("en", "fr"))[0].num_rows == both
    words = ("a.en", "a.fr", "-o", "y.tmx", "--languages", "sv,fi")
    run("beads", "align", *words, folder=folder)
    assert f.read_tmx(folder / "y.tmx", ("sv", "fi"))[0].num_rows == both
    words = ("a.en", "a.fr", "-o", "x.ladder", "--threshold", "0.5", "--set", "skip=0.3")
    _, said = run("beads", "align", *words, folder=folder)
    added = re.search(r"warning: x.ladder: (\d+) beads? added for sentences in none", said)[1]
    written = f.read_beads(folder / "x.ladder").num_rows
    assert f"sentences, {written} beads ({added} of them added) written to x.ladder (" in said


MISTAKES = {
    "-o x.csv": "x.csv: unknown suffix '.csv' for beads; expected",
    "-o x --bitext y.csv": "y.csv: the suffix '.csv'; expected .parquet",
    "-o x.pq --bitext x.pq": "x.pq: the same file for the beads and",
    "-o x --languages a,b": "--languages with the format vecalign;",
    "-o x.tmx --languages a": "--languages a; expected two",
    "--set skip=0": "--skip is 0.0; expected a number above 0 and below 1",
    "--method len --set smoothing=0.1": (
        "--smoothing with the method len; expected one of the methods mre"
    ),
    "--method mre+": (
        "no model for mre+; expected --model: a saved model or a lexicon; make a model with: "
        "alignframe beads align SRC TGT --save-model FOLDER; or use mre, which learns from the "
        "document itself\n"
    ),
}


@pytest.mark.parametrize(("words", "said"), MISTAKES.items(), ids=MISTAKES)
def test_mistakes_end_with_one_line(folder, words, said):
    before = sorted(folder.iterdir())
    told = refused(folder, "a.en", "a.fr", *words.split())
    assert told.startswith(f"error: {said}")
    assert told.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_a_model_that_knows_few_words_causes_a_warning():
    """Numbers, one in ten words, are in no model."""
    model = lexicon()
    assert align(SRC, TGT, "mre+", model=model).height == 30
    turned = model.rename_columns(["tgt", "src"])
    few = model.slice(0, 5)
    for one, shares in ((turned, r"0% of the source's words and 0%"), (few, r"\d\d% of the sou")):
        with pytest.warns(DataWarning, match=rf"tale: the model knows {shares}.*`words`") as told:
            align(SRC, TGT, "mre+", model=one, doc="tale")
        assert len(told) == 1
    assert align([], TGT, "mre+", model=few).height == 30
    assert align([" "], [""], "mre+", model=few).height == 2


def test_gale_church_counts_characters():
    with pytest.warns(DataWarning, match="gale-church in words"):
        align(SRC, TGT, "gale-church", unit="words")
    assert align(SRC, TGT, "gale-church", unit="characters").equals(align(SRC, TGT, "gale-church"))
