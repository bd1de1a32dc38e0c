"""Results of ``score``: the parts that flags ask for, alone and together, and former names."""

from pathlib import Path

import helpers.cli as helpers_cli
import polars as pl
import pytest
from helpers.cli import json_of

from alignframe import beads, lexicon, links, mt, phrases, tesla

ROOT = Path(__file__).parents[2]
ALIGNED = {name: f"{ROOT}/datasets/en-fr/{name}.talp" for name in ("cautious", "eager")}
GOLD = f"{ROOT}/datasets/en-fr/gold.talp"
TRANSLATED = {name: f"{ROOT}/datasets/island/{name}.en" for name in ("careful", "literal")}
REF = f"{ROOT}/datasets/island/ref.en"
BEADS = pl.DataFrame(
    [(doc, 0, 1, 0, 1) for doc in "abc"],
    schema=["doc", "src_start", "src_end", "tgt_start", "tgt_end"],
    orient="row",
)


def words(area):
    known = {"links": ("--gold", GOLD, ALIGNED)}
    flag, path, systems = known.get(area, ("--ref", REF, TRANSLATED))
    more = ["--tagger", "none"] if area == "tesla" else []
    return [
        area,
        "score",
        *more,
        flag,
        path,
        *(f"--hyp={name}={own}" for name, own in systems.items()),
    ]


def test_a_page_and_a_table_are_two_outputs(tmp_path):
    for area in ("links", "mt", "tesla"):
        given = ["--page", "p.html", "-o", "s.parquet", "--json"]
        made = json_of(helpers_cli.run(*words(area), *given, folder=tmp_path).stdout)
        assert [*made] == ["report", "figures", "scores", "signature"]
        assert made["report"] == "p.html"
        assert (tmp_path / "p.html").read_text("utf-8").startswith("<!doctype html>")
        scores = pl.read_parquet(tmp_path / "s.parquet")
        assert scores["system"].to_list() == [row["system"] for row in made["scores"]]


def test_every_table_asked_for_goes_to_a_folder_and_the_first_to_a_file(tmp_path):
    asked = ["--counts", "--baseline", "eager", "--worst", 2]
    said = helpers_cli.run(*words("links"), *asked, "-o", "all", folder=tmp_path).stderr
    assert "3 tables written to the folder all" in said
    found = links.score(ALIGNED, GOLD)
    wanted = {"comparisons": found.compare("eager"), "counts": found.counts}
    for name, frame in (wanted | {"worst": found.worst(2)}).items():
        assert pl.read_parquet(tmp_path / "all" / f"{name}.parquet").equals(frame)
    said = helpers_cli.run(*words("links"), *asked, "-o", "one.csv", folder=tmp_path).stderr
    assert "4 rows of the table comparisons written to one.csv; a folder gets counts, worst" in said
    said = helpers_cli.run(*words("links"), "-o", "x.doc", folder=tmp_path, code=2).stderr
    assert "x.doc: unknown suffix '.doc' for a table; expected .parquet, .csv, .tsv or" in said
    assert "or a folder for all; a folder with such a name must exist" in said


def test_segments_are_written_beside_the_table(tmp_path):
    given = ["--segments", "s.csv", "--bootstrap", 0, "--json"]
    for area in ("mt", "tesla"):
        made = json_of(helpers_cli.run(*words(area), *given, folder=tmp_path).stdout)
        assert [*made] == ["segments", "scores", "signature"]
        assert pl.read_csv(tmp_path / "s.csv").height == 60


def test_a_page_that_compares_draws_as_the_comparison_does(tmp_path):
    found = mt.score(TRANSLATED, REF, metrics=["chrf"])
    (wanted,) = found.compare("literal")["p_corrected"]
    assert found.evaluated("literal").comparisons["p_corrected"].to_list() == [wanted]
    given = ["--metric", "chrf", "--baseline", "literal", "--page", "p.html"]
    printed = helpers_cli.run(*words("mt"), *given, folder=tmp_path)
    assert f"{wanted:.4f}" in printed.stdout
    assert f"p = {wanted:.3f}"[1:] in (tmp_path / "p.html").read_text("utf-8")


@pytest.mark.parametrize("given", ["--by sid --baseline eager", "--counts --alpha 0.3"])
def test_what_has_no_effect_is_refused(given, tmp_path):
    said = helpers_cli.run(*words("links"), *given.split(), folder=tmp_path, code=2).stderr
    assert "expected one of them" in said


def test_groups_have_scores_and_counts_only():
    found = links.score(ALIGNED, GOLD, by="length")
    assert "length" in found.counts.columns
    for part in (lambda: found.compare("eager"), lambda: found.worst(1), found.page):
        with pytest.raises(ValueError, match=r"`by` with .*; expected one of them"):
            part()


def test_the_worst_units_come_first():
    found = mt.score(TRANSLATED, REF, metrics=["chrf"])
    each = mt.score(TRANSLATED, REF, metrics=["chrf"], by="sid").scores
    for (system,), own in found.worst(3).group_by("system"):
        lowest = each.filter(pl.col("system") == system).sort("chrf").head(3)
        assert own["sid"].to_list() == lowest["sid"].to_list()
    missed = BEADS.with_columns(tgt_end=pl.when(pl.col("doc") == "b").then(0).otherwise(1))
    assert beads.score({"s": missed}, BEADS).worst(1)["doc"].to_list() == ["b"]


def test_the_first_metric_positional_in_a_former_function_is_the_metric():
    given = TRANSLATED, REF, "f"
    with pytest.warns(DeprecationWarning, match=r"tesla\.scores\(\.\.\.\) is now"):
        found = tesla.scores(*given, tagger="none", bootstrap=0)
    assert found.equals(tesla.score(*given, tagger="none", bootstrap=0).scores)
    with pytest.warns(DeprecationWarning, match=r"systems is now tesla\.score\(\.\.\.\)\.scores"):
        tesla.score(*given, tagger="none", bootstrap=0).systems


def test_an_unknown_baseline_is_refused_before_translations_are_matched():
    told = []
    progress = lambda done, of: told.append((done, of))  # noqa: E731
    found = tesla.score(TRANSLATED, REF, tagger="none", progress=progress)
    with pytest.raises(ValueError, match="unknown `baseline` 'x'"):
        found.compare("x")
    assert told == []
    assert found.counts.height == 60
    assert told == [(1, 2), (2, 2)]


def test_phrases_have_the_parts_of_other_areas(tmp_path):
    bitext = OPTIONS["phrases"]["bitext"]
    given = ["--gold", GOLD, *(f"--hyp={name}={path}" for name, path in ALIGNED.items())]
    given += [f"--src={bitext[0]}", f"--tgt={bitext[1]}", "--page", "p.html", "-o", "all"]
    helpers_cli.run("phrases", "score", *given, "--counts", "--baseline", "eager", folder=tmp_path)
    found = phrases.score(ALIGNED, GOLD, bitext)
    counts = pl.read_parquet(tmp_path / "all" / "counts.parquet")
    assert counts.equals(found.counts)
    assert pl.read_parquet(tmp_path / "all" / "comparisons.parquet").equals(found.compare("eager"))
    assert (tmp_path / "p.html").read_text("utf-8").count("2 systems on 72 gold sentences") == 1
    # Entries of a whole text are those of its sentences, each counted once.
    sums = counts.group_by("system", "dictionary").agg(pl.col("n_both", "n_hyp", "n_gold").sum())
    both = sums.join(found.scores, on=["system", "dictionary"])
    of_text = both.filter(pl.col("dictionary") != "align-dic1")
    assert of_text["n_hyp"].equals(of_text["entries"], check_names=False)
    assert (of_text["n_both"] / of_text["n_hyp"] - of_text["precision"]).abs().max() < 1e-12
    each = phrases.score(ALIGNED, GOLD, bitext, by="sid").scores
    worst = found.worst(3)
    for (system, name), own in worst.group_by("system", "dictionary"):
        same = each.filter(pl.col("system") == system, pl.col("dictionary") == name)
        assert own["f"].to_list() == same["f"].drop_nulls().sort().head(3).to_list()


def test_lexicons_have_the_parts_of_other_areas(tmp_path):
    text = pl.DataFrame({"src": [["a", "dog"], ["dog"]], "tgt": [["ein", "Hund"], ["Hund"]]})
    good = {"src": ["a", "dog"], "tgt": ["ein", "Hund"], "rank": [1, 1]}
    poor = {"src": ["a", "dog"], "tgt": ["ein", "Katze"], "rank": [1, 1]}
    for name, entries in (("good", good), ("poor", poor)):
        pl.DataFrame(entries).write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "en").write_text("a dog\ndog\n")
    (tmp_path / "de").write_text("ein Hund\nHund\n")
    given = ["--lexicon", "good.csv", "--lexicon", "poor.csv", "--src", "en", "--tgt", "de"]
    given += ["--page", "p.html", "--counts", "--baseline", "poor", "-o", "all"]
    helpers_cli.run("lexicon", "score", *given, folder=tmp_path)
    found = lexicon.score({"good": good, "poor": poor}, text)
    for name, frame in (("counts", found.counts), ("comparisons", found.compare("poor"))):
        assert pl.read_parquet(tmp_path / "all" / f"{name}.parquet").equals(frame)
    assert "percent" in (tmp_path / "p.html").read_text("utf-8").lower()
    assert found.worst(1).select("lexicon", "src", "hits").rows() == [
        ("good", "a", 1),
        ("poor", "dog", 0),
    ]
    assert found.compare().rows() == found.compare("poor").rows()
    with pytest.raises(ValueError, match="unknown `baseline` 'x'; expected one of good, poor"):
        found.compare("x")
    with pytest.warns(DeprecationWarning, match=r"lexicon\.evaluate\(\.\.\.\) is now"):
        assert lexicon.evaluate(good, text, 1).equals(lexicon.score(good, text, 1).scores)


def test_beads_have_a_page(tmp_path):
    missed = BEADS.with_columns(tgt_end=pl.when(pl.col("doc") == "b").then(0).otherwise(1))
    page = beads.score({"all": BEADS, "most": missed}, BEADS, bootstrap=50).page(title="Beads")
    assert page.title == "Beads"
    assert page.about == "2 systems, 3 documents."


FORMER = {
    "links": (links, ("counts", "scores", "evaluate", "compare", "worst_sentences"), ALIGNED, GOLD),
    "mt": (mt, ("counts", "scores", "evaluate", "compare", "segments"), TRANSLATED, REF),
    "beads": (beads, ("counts", "scores", "compare"), {"a": BEADS, "b": BEADS}, BEADS),
    "tesla": (tesla, ("scores", "compare"), TRANSLATED, REF),
    "phrases": (phrases, ("scores", "compare"), ALIGNED, GOLD),
}
OPTIONS = {
    "tesla": {"metric": "f", "tagger": "none"},
    "phrases": {"bitext": (f"{ROOT}/datasets/en-fr/text.en", f"{ROOT}/datasets/en-fr/text.fr")},
}
PARTS = {"worst_sentences": "worst", "evaluate": "evaluated"}


@pytest.mark.parametrize("area", FORMER)
def test_former_functions_warn_and_give_the_same(area):
    module, names, hyp, gold = FORMER[area]
    assert not {*names} & {*dir(module)}
    for name in names:
        options = {"compare": {"baseline": sorted(hyp)[0]}, "worst_sentences": {"n": 2}}
        given, how = options.get(name, {}), OPTIONS.get(area, {})
        with pytest.warns(DeprecationWarning, match=rf"{area}\.{name}\(\.\.\.\) is now") as said:
            found = getattr(module, name)(hyp, gold, **given, **how)
        assert said[0].filename == __file__
        part = getattr(module.score(hyp, gold, **how), PARTS.get(name, name))
        wanted = part(*given.values()) if callable(part) else part
        if name == "evaluate":
            assert found.tables().keys() == wanted.tables().keys()
            found, wanted = found.scores, wanted.scores
        assert found.equals(wanted)
