"""Studies of alignments of varying quality, correlated with translation scores."""

import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import formats, links
from alignframe.errors import DataWarning, InputError
from alignframe.links.vary_charts import f_by_text
from alignframe.links.vary_page import agreement, steps, studied_page, text_findings, winners
from alignframe.stats import conclusion, correlate, measure_values

GOLD = 24
TEXT = ["aer-by-text", "f-by-text", "precision-recall"]
METHODS = ["intersection", "refined", "union-closure"]


def chance(src, tgt, out):
    """Link words by their lengths, independently of other text."""
    from datasets.tiny_aligner import align

    align(src, tgt, out)


@pytest.fixture(scope="module")
def study(bundled, tmp_path_factory):
    """The folder of a study, and its table of means."""
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    home = tmp_path_factory.mktemp("study") / "made"
    gold = formats.read(bundled / "gold.talp").slice(0, GOLD)
    made = links.QualityStudy(
        text.slice(GOLD), text.slice(0, GOLD), gold, chance, fractions=[8, 4, 2], symmetrize=METHODS
    )
    return home, made.run(home)


@pytest.fixture(scope="module")
def bleu(study):
    """Return a score that follows F(0.3), with some noise."""
    names = study[1]["system"].to_list()
    shaken = [0.3 * ((7 * k) % 5) for k in range(len(names))]
    return pl.DataFrame({"system": names, "score": 10 * study[1]["f_0.3"] + pl.Series(shaken)})


def test_counts_give_the_means_of_the_study(study):
    home, means = study
    known = links.read_study(home)
    assert known.scores.equals(means)
    assert known.pairs == 72 - GOLD
    assert known.to_polars().equals(means)
    assert repr(means) in repr(known)
    assert known.signature == means["signature"][0]
    page = known.page(title="T")
    assert (page.title, page.lead) == ("T", studied_page(known).lead)
    assert known.counts["sid"].n_unique() == GOLD
    values = measure_values(known.counts).filter(annotation="sure-possible")
    for name in ("1-aer", "f_0.1", "f_0.5", "f_0.9"):
        found = dict(values.filter(measure=name).select("system", "value").iter_rows())
        wanted = means.select("system", 1 - pl.col("aer") if name == "1-aer" else name)
        assert found == pytest.approx(dict(wanted.iter_rows()))


def test_counts_equal_those_of_the_stored_links(study, bundled):
    home, _ = study
    gold = formats.read(bundled / "gold.talp").slice(0, GOLD)
    again = links.score(home / "gold" / "1-4.refined.parquet", gold).counts
    kept = links.read_study(home).counts.filter(system="1-4.refined")
    assert kept["piece"].unique(maintain_order=True).to_list() == ["1", "2", "3", "4"]
    assert kept.drop("system", "run", "group", "piece").equals(again.drop("system", "signature"))


def test_correlations_need_no_names_of_pieces(study, bleu):
    counts, scores = links.read_study(study[0]).against(bleu)
    assert scores["group"].unique(maintain_order=True).to_list() == METHODS
    table = correlate(counts, scores, by_group=True, bootstrap=30)
    assert table["systems"].unique().sort().to_list() == [4, 12]
    assert table["group"].unique(maintain_order=True).to_list() == [None, *METHODS]
    means = study[1].select("system", "f_0.3").join(bleu, on="system")
    r2 = means.select(pl.corr("f_0.3", "score") ** 2).item()
    mine = table.filter(pl.col("group").is_null(), measure="f_0.3", annotation="sure-possible")
    assert mine["r2"][0] == pytest.approx(r2)
    assert mine["r2_low_sentences"].is_not_null().all()


def test_command(study, bleu, tmp_path):
    bleu.write_csv(tmp_path / "bleu.csv")
    words = ["links", "correlate", "--vary", study[0], "--external", tmp_path / "bleu.csv"]
    out, said = run(*words, "--bootstrap", "20", "--json")
    counts, scores = links.read_study(study[0]).against(bleu)
    wanted = correlate(counts, scores, by_group=True, bootstrap=20)
    assert said == ""
    assert json_of(out) == wanted.to_dicts()
    out, _ = run(*words, "--bootstrap", "0", "--alpha", "0.3,0.5")
    said = conclusion(correlate(counts, scores, alpha=[0.3, 0.5], bootstrap=0))
    assert said in " ".join(out.split())
    heads = [line.split() for line in out.splitlines() if "union-closure" in line]
    assert heads == [["measure", "annotation", "all", *METHODS]]


def test_several_studies_have_names(study, bleu, tmp_path):
    both = links.read_study({"one": study[0], "two": study[0]})
    assert both.scores["model"].unique(maintain_order=True).to_list() == ["one", "two"]
    assert both.scores["system"][0] == "one.1-8.intersection"
    assert both.counts["system"].n_unique() == 24
    scores = pl.concat(
        bleu.with_columns(system=pl.format("{}.{}", pl.lit(name), "system"))
        for name in ("one", "two")
    )
    scores.write_csv(tmp_path / "bleu.csv")
    folders = ["--vary", f"one={study[0]}", "--vary", f"two={study[0]}"]
    words = ["--external", tmp_path / "bleu.csv", "--bootstrap", "0", "--json"]
    rows = json_of(run("links", "correlate", *folders, *words)[0])
    once = correlate(*links.read_study(study[0]).against(bleu), bootstrap=0)
    assert rows[0]["systems"] == 24
    assert rows[0]["r2"] == pytest.approx(once["r2"][0])
    _, said = run("links", "correlate", "--vary", study[0], "--vary", study[0], *words, code=2)
    assert "NAME=" in said


# --- scores that do not match


def test_alignments_without_a_score_are_left_out(study, bleu):
    fewer = bleu.filter(~pl.col("system").str.ends_with("refined"))
    with pytest.warns(DataWarning, match="4 of 12 alignments"):
        counts, scores = links.read_study(study[0]).against(fewer)
    assert counts["system"].n_unique() == 8
    assert correlate(counts, scores, bootstrap=0)["systems"][0] == 8


def test_scores_of_other_runs(study, bleu, tmp_path):
    known = links.read_study(study[0])
    more = pl.concat([bleu, pl.DataFrame({"system": ["1-16.refined"], "score": [3.0]})])
    with pytest.warns(DataWarning, match=r"1-16\.refined"):
        correlate(*known.against(more), by_group=True, bootstrap=0)
    bleu.with_columns(pl.col("system") + ".1").write_csv(tmp_path / "pieces.csv")
    words = ["--vary", study[0], "--external", tmp_path / "pieces.csv"]
    _, said = run("links", "correlate", *words, code=2)
    assert "0 systems" in said
    assert "1-8.refined" in said


def test_groups_of_scores_are_the_methods(study, bleu):
    known = links.read_study(study[0])
    method = pl.col("system").str.split(".").list.last()
    renamed = bleu.with_columns(group=method.replace({"refined": "Refined, Och & Ney"}))
    assert "Refined, Och & Ney" in known.against(renamed)[1]["group"].to_list()
    moved = pl.when(system="1-4.refined").then(pl.lit("union-closure")).otherwise(method)
    with pytest.raises(InputError, match=r"1-4\.refined"):
        known.against(bleu.with_columns(group=moved))
    with pytest.raises(InputError, match="omit the column group"):
        known.against(bleu.with_columns(group=pl.lit("all")))


# --- folders that are not studies


@pytest.fixture
def copy(study, tmp_path):
    shutil.copytree(study[0], tmp_path / "copy")
    return tmp_path / "copy"


def test_folders_of_something_else(tmp_path, copy):
    with pytest.raises(InputError, match="no such folder"):
        links.read_study(tmp_path / "nowhere")
    with pytest.raises(InputError, match="links vary"):
        links.read_study(tmp_path)
    with pytest.raises(InputError, match="not the folder"):
        links.read_study({})
    (copy / "counts.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"counts\.parquet"):
        links.read_study(copy)


def test_an_unfinished_study(copy, bleu, tmp_path):
    (copy / "counts.parquet").unlink()
    bleu.write_csv(tmp_path / "bleu.csv")
    _, said = run("links", "correlate", "--vary", copy, "--external", tmp_path / "bleu.csv", code=2)
    assert "not finished" in said
    assert "the same" in said


def test_an_interrupted_study_is_unfinished(bundled, tmp_path):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    gold = formats.read(bundled / "gold.talp").slice(0, GOLD)

    def study(aligner):
        return links.QualityStudy(
            text.slice(GOLD), text.slice(0, GOLD), gold, aligner, fractions=[2], symmetrize=["none"]
        )

    study(chance).run(tmp_path)
    links.read_study(tmp_path)
    (tmp_path / "pieces" / "1" / "1" / "forward.talp").unlink()
    (tmp_path / "aligner.txt").write_text(f"{__name__}.broken\n")
    with pytest.raises(OSError, match="no room"):
        study(broken).run(tmp_path)
    with pytest.raises(InputError, match="not finished"):
        links.read_study(tmp_path)


def broken(src, tgt, out):
    raise OSError("no room")


def test_tables_of_different_runs(copy):
    scores = pl.read_parquet(copy / "scores.parquet")
    scores.filter(pl.col("run") != "1").write_parquet(copy / "scores.parquet")
    with pytest.raises(InputError, match="different runs"):
        links.read_study(copy)
    scores.drop("group").write_parquet(copy / "scores.parquet")
    with pytest.raises(InputError, match="group"):
        links.read_study(copy)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gold", "gold.talp"], "--gold with --vary"),
        (["--set", "possible-as-sure=yes"], "--possible-as-sure with --vary"),
        (["--set", "hyp-base=1"], "--hyp-base with --vary"),
    ],
)
def test_options_of_links_with_a_folder(study, bleu, tmp_path, words, said):
    bleu.write_csv(tmp_path / "bleu.csv")
    given = ["--vary", study[0], "--external", tmp_path / "bleu.csv"]
    assert said in run("links", "correlate", *given, *words, code=2)[1]


def test_neither_links_nor_a_folder(bleu, tmp_path):
    bleu.write_csv(tmp_path / "bleu.csv")
    _, said = run("links", "correlate", "--external", tmp_path / "bleu.csv", code=2)
    assert "no --gold" in said


# --- the conclusion


def table(**figures):
    rows = [
        {"measure": "1-aer", "annotation": "sure-possible", "alpha": None, "pearson": 0.4},
        {"measure": "f_0.1", "annotation": "sure", "alpha": 0.1, "pearson": 0.9, "best": True},
        {"measure": "f_chosen", "annotation": "sure", "r2_left_out": 0.7},
    ]
    for row in rows:
        row |= {key: value for key, value in figures.items() if row["measure"] == "f_0.1"}
        r = row.get("pearson")
        row |= {"r2": None if r is None else r * r, "systems": 9, "group": None}
    frame = pl.DataFrame(rows, schema_overrides={"group": pl.String})
    return frame.with_columns(
        pl.col("best").fill_null(False), signature=pl.lit("metric:correlation|better:higher")
    )


def test_the_conclusion_of_a_table():
    said = conclusion(table(), "BLEU")
    for part in ("F(α = 0.1) on Sure links only", "BLEU", "0.81", "9 systems", "0.16", "0.70"):
        assert part in said
    other = conclusion(table(pearson=-0.2), "BLEU")
    assert other.startswith(
        "1 − AER predicts BLEU best of the measures tried: r² = 0.16 over 9 systems. "
    )
    assert "has r² = 0.04 (the wrong way)" in other
    worse = table(pearson=-0.2).with_columns(pl.col("pearson").clip(None, -0.1))
    assert "even the best, 1 − AER, goes the wrong way" in conclusion(worse, "BLEU")
    nothing = table().with_columns(pl.lit(None, pl.Float64).alias("pearson"), best=pl.lit(False))
    assert "none predicts BLEU" in conclusion(nothing, "BLEU")
    down = table(pearson=-0.9).with_columns(signature=pl.lit("better:lower"))
    assert "predicts TER" in conclusion(down, "TER")


# --- the report


def test_report_without_scores(study):
    page = links.read_study(study[0]).page()
    assert [figure.name for figure in page.figures] == TEXT
    assert "12 alignments" in page.about
    assert "48 sentence pairs" in page.about
    assert page.table.heads == ["Joined by", "1/8", "1/4", "1/2", "1"]
    aer = dict(study[1].select("system", "aer").iter_rows())
    assert page.table.rows[1][1] == f"{aer['1-8.refined']:.4f}"
    assert page.table.strong == set()  # nothing was tested
    (every,) = page.tables
    assert len(every.rows) == 12
    assert every.rows[0][4] == f"{100 * aer['1-8.intersection']:.1f}"
    assert page.signature == study[1]["signature"][0]


def test_report_with_scores(study, bleu):
    page = links.correlate(links.read_study(study[0]), bleu, bootstrap=20, score_name="BLEU").page()
    names = [figure.name for figure in page.figures]
    assert names[0] == "one-minus-aer"
    assert names[-5:] == ["r2-by-alpha", "r2-by-group", *TEXT]
    counts, scores = links.read_study(study[0]).against(bleu)
    table = correlate(counts, scores, by_group=True, bootstrap=20)
    assert page.lead.startswith(conclusion(table, "BLEU"))
    assert page.signature == table["signature"][0]
    assert page.table.heads[-3:] == METHODS
    (r,) = table.filter(measure="1-aer", group="refined")["pearson"]
    assert page.table.rows[0][-2] == f"{r * abs(r):.3f}".replace("-", "−")
    chart = page.figures[0].chart.to_dict()
    shown = {row["label"] for data in chart["datasets"].values() for row in data if "label" in row}
    assert shown == {"1/8", "1/4", "1/2", "1"}
    assert "metric:links" not in page.html()


CORRELATE = ("links", "correlate", "--vary")


def test_report_of_several_models(study, tmp_path):
    out, _ = run(
        *CORRELATE, f"a={study[0]}", "--vary", f"b={study[0]}", "--page", tmp_path / "v.html"
    )
    assert out == ""
    html = (tmp_path / "v.html").read_text("utf-8")
    assert "24 alignments" in html
    page = links.read_study({"a": study[0], "b": study[0]}).page()
    assert page.table.heads[:2] == ["Model", "Joined by"]
    assert [table.title for table in page.tables] == [
        f"Every alignment by {name}, in percent" for name in "ab"
    ]


def test_studies_with_different_alphas_share_a_chart_of_the_common_ones(study):
    """A panel without data would move the others to wrong places."""
    one = links.read_study(study[0])
    rows = [one.scores.with_columns(model=pl.lit("a"))]
    rows.append(rows[0].with_columns(pl.lit("b").alias("model")).drop("f_0.1", "f_0.7", "f_0.9"))
    both = replace(one, scores=pl.concat(rows, how="diagonal"))
    page = both.page()
    chart = next(figure.chart for figure in page.figures if figure.name == "f-by-text").to_dict()
    shown = {row["alpha"] for data in chart["datasets"].values() for row in data}
    assert shown == {"α = 0.3", "α = 0.5"}
    assert page.tables[1].heads[-2:] == ["F(0.3)", "F(0.5)"]
    with pytest.raises(InputError, match="'b' has no F"):
        f_by_text(both.scores, [0.1, 0.5])


def test_report_as_a_command(study, bleu, tmp_path):
    bleu.write_csv(tmp_path / "bleu.csv")
    words = [*CORRELATE, study[0], "--page", tmp_path / "v.html"]
    scored = ["--external", tmp_path / "bleu.csv", "--score-name", "BLEU", "--bootstrap", "0"]
    made = json_of(run(*words, *scored, "--json")[0])
    assert made == {"report": str(tmp_path / "v.html"), "figures": []}
    assert "against BLEU" in (tmp_path / "v.html").read_text("utf-8")
    _, said = run(*CORRELATE, tmp_path, "--page", tmp_path / "v.html", code=2)
    assert "aligner.txt" in said
    _, said = run(*words, "--lower-is-better", code=2)
    assert "--lower-is-better needs --external" in said


def test_a_study_of_one_alignment_has_a_page(bundled, tmp_path):
    """No more text, no other method, and no correct link: empty charts are left out."""
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr").slice(0, 6)
    gold = formats.read(bundled / "gold.talp").slice(0, 3)
    study = links.QualityStudy(
        text.slice(3),
        text.slice(0, 3),
        gold,
        nothing,
        fractions=[],
        symmetrize=["none"],
        alpha=[0.2],
    )
    study.run(tmp_path / "study")
    page = links.read_study(tmp_path / "study").page()
    assert "f-by-text" in [figure.name for figure in page.figures]
    assert "1 alignment from 1 amount of text" in page.about
    assert page.tables[0].rows[0][2] == "undefined"
    page.html()


def nothing(src, tgt, out):
    """Link nothing."""
    Path(out).write_text("\n" * len(Path(src).read_text("utf-8").splitlines()), "utf-8")


def test_findings_in_words():
    rows = [
        {"system": f"{run}.{way}", "run": run, "group": way, "aer": aer, "f_0.1": 1 - aer * factor}
        for way, factor, every in (("one", 0.5, (0.3, 0.2, 0.1)), ("two", 0.2, (0.4, 0.5, 0.2)))
        for run, aer in zip(("1-2", "1", "x2"), every, strict=True)
    ]
    scores = pl.DataFrame(rows)
    assert steps(scores, "aer").select("group", "first", "last", "better", "steps").rows() == [
        ("one", 0.3, 0.1, 2, 2),
        ("two", 0.4, 0.2, 1, 2),
    ]
    best = {row["measure"]: (row["one"], row["two"]) for row in winners(scores).to_dicts()}
    assert best == {"aer": (3, 0), "f_0.1": (1, 3)}
    ranks = agreement(scores).row(0, named=True)
    assert ranks["within"] == pytest.approx(1)
    assert ranks["all"] < 1
    said = text_findings(scores)
    assert "lowers AER at 3 of 4 steps" in said
    assert "by AER one (3 of 3)" in said
    assert "by F(0.1) two (3 of 3)" in said


# --- subsets of gold


def test_a_subset_of_gold_gives_a_study_with_smaller_gold(study, bundled, bleu, tmp_path):
    home, _ = study
    kept = [2, 3, 5, 8, 13, 21]
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    gold = formats.read(bundled / "gold.talp").take(kept)
    with pytest.warns(DataWarning, match="gold has no row"):
        small = links.QualityStudy(
            text.slice(GOLD),
            text.slice(0, GOLD),
            gold,
            chance,
            fractions=[8, 4, 2],
            symmetrize=METHODS,
        )
    shutil.copytree(home, tmp_path / "again")  # finished alignments are not repeated
    wanted = small.run(tmp_path / "again")
    ours = links.read_study(home, sids=kept)
    assert ours.scores.drop("signature").equals(wanted.drop("signature"))
    assert ours.counts.equals(links.read_study(tmp_path / "again").counts)
    assert ours.scores["signature"][0] == f"{study[1]['signature'][0]}|{ours.subset.mark}"
    page = links.correlate(ours, bleu, bootstrap=0).page()
    assert "6 gold sentences" in page.about
    assert ours.subset.mark in page.signature
    assert ours.subset.mark in ours.page().signature


def test_conditions_are_on_the_counts_of_gold(study):
    known = links.read_study(study[0])
    some = links.read_study({"a": study[0], "b": study[0]}, where="n_possible > 12 and sid < 20")
    wanted = known.counts.filter(pl.col("n_possible") > 12, pl.col("sid") < 20)["sid"].unique()
    assert some.subset.sids.tolist() == sorted(wanted)
    assert some.scores.columns[0] == "model"
    assert some.scores["aer"].null_count() == 0


def test_bad_subsets_of_a_study(study):
    with pytest.raises(InputError, match="no sentence 99"):
        links.read_study(study[0], sids=[99])
    with pytest.raises(InputError, match="none of 24"):
        links.read_study(study[0], where="n_sure > 10000")
    with pytest.raises(InputError, match=r"n_hyp.*columns sid, n_sure, n_possible"):
        links.read_study(study[0], where="n_hyp > 3")


def test_commands_on_a_subset_of_gold(study, bleu, tmp_path):
    bleu.write_csv(tmp_path / "bleu.csv")
    (tmp_path / "sids.txt").write_text("".join(f"{k}\n" for k in range(10)))
    chosen = [
        "--set",
        f"sids={tmp_path / 'sids.txt'}",
        "--where",
        "sid > 1",
        "--external",
        tmp_path / "bleu.csv",
    ]
    chosen += ["--bootstrap", "0", "--alpha", "0.5"]
    mark = links.read_study(study[0], sids=range(2, 10)).subset.mark
    rows = json_of(run("links", "correlate", "--vary", study[0], *chosen, "--json")[0])
    assert mark in rows[0]["signature"]
    run(*CORRELATE, study[0], *chosen, "--page", tmp_path / "page.html")
    assert mark in (tmp_path / "page.html").read_text()
