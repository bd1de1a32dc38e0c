"""Tables of pages, and the pages of results without a report."""

import re

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.pages import sentences

import alignframe as af
from alignframe.pages.tables import interval, number, score_table
from alignframe.report.results import tables_page
from alignframe.stats import Formula, Measure, Ratio, evaluate
from alignframe.stats.conclusions import ranking

FIGURES = pl.DataFrame(
    {
        "system": ["a", "b", "c"],
        "kind": ["x", "x", "y"],
        "n": [1200, None, 3],
        "f": [0.5, None, -0.25],
        "f_low": [0.4, 0.1, -0.5],
        "f_high": [0.6, 0.2, 0.125],
        "bleu": [30.0, 31.0, float("nan")],
    }
)
HEADS = {"system": "System", "n": "N", "f": "F", "bleu": "BLEU"}


def test_cells_show_figures_and_their_intervals():
    table = score_table(FIGURES, HEADS)
    assert table.heads == ["System", "N", "F", "BLEU"]
    assert table.texts == 1
    assert table.rows == [
        ["a", "1,200", "0.5000\n0.4000 – 0.6000", "30.00"],
        ["b", "undefined", "undefined", "31.00"],
        ["c", "3", "−0.2500\n−0.5000 to 0.1250", "undefined"],
    ]
    forms = {"n": lambda n: f"{n} times"}
    table = score_table(FIGURES, HEADS, form=".1f", forms=forms, blank=pl.col("system") == "b")
    assert table.rows[0][1:3] == ["1200 times", "0.5\n0.4 – 0.6"]
    assert table.rows[1] == ["b", "", "", "31.0"]


def test_chosen_rows_are_marked_where_a_figure_is_defined():
    best = dict.fromkeys(["n", "bleu"], pl.col("system") > "a")
    assert score_table(FIGURES, HEADS, best=best).strong == {(2, 1), (1, 3)}
    assert score_table(FIGURES, HEADS, best={"f": pl.lit(True)}).strong == {(0, 2), (2, 2)}
    assert score_table(FIGURES, HEADS).strong == set()


def test_figures_as_text():
    assert number(None) == "undefined"
    assert interval(0.1, None) == ""


LENGTHS = Measure(
    "length",
    ("n", "of"),
    (Ratio("ratio", "n", "of"), Formula("far", lambda s: abs(s["n"] - s["of"]), False)),
)
COUNTS = pl.DataFrame(
    {
        "system": ["<a>"] * 3 + ["b"] * 3,
        "sid": [0, 1, 2] * 2,
        "n": [3, 4, 5, 1, 2, 3],
        "of": [4, 4, 4, 4, 4, 4],
    }
)


def test_a_new_measure_has_a_page(tmp_path):
    longer = pl.when(pl.col("system") == "<a>").then(pl.col("n") + 2).otherwise("n").alias("n")
    counts = pl.concat(COUNTS.with_columns(longer, pl.col("sid") + 3 * k) for k in range(4))
    found = evaluate(LENGTHS, counts, bootstrap=500)
    assert found.scores.equals(LENGTHS.scores(counts, bootstrap=500))
    assert found.comparisons.equals(
        LENGTHS.compare(counts, baseline="<a>", bootstrap=500, pairs=True)
    )
    page = found.page(title="T")
    assert page.lead.startswith("<a> has the best Ratio, 1.5000 (95% interval 1.3750 to 1.6458).")
    assert page.about == "2 systems, 12 sentences."
    assert page.table.heads == ["System", "Ratio", "Ratio rank", "Far", "Far rank"]
    assert [[row[2], row[4]] for row in page.table.rows] == [["1", "1–2"], ["2", "1–2"]]
    # b is significantly worse by Ratio, but as far from the length wanted.
    assert page.table.strong == {(0, 1), (0, 3), (1, 3)}
    assert [(table.choice, table.rows[0][0]) for table in page.tables] == [
        ("Ratio", "b"),
        ("Far", "b"),
    ]
    assert page.signature == found.signature
    page.write(tmp_path / "page.html")
    assert "&lt;a&gt;" in (tmp_path / "page.html").read_text("utf-8")
    names = [path.name for path in page.write_figures(tmp_path, "svg")]
    assert names == ["systems.svg", "differences.svg"]


@pytest.mark.parametrize("counts", [COUNTS.head(3), COUNTS.filter(sid=1)])
def test_incomparable_figures_are_not_compared(counts):
    found = evaluate(LENGTHS, counts, bootstrap=20)
    assert not found.comparisons.height
    page = found.page()
    assert page.tables == []
    assert "significant" not in page.lead.replace("whether this is significant was not tested", "")


def concluded(values, p_values=(), *, level=0.95, baseline="a", also=None, lower=(), resamples=999):
    """Return the conclusion for scores with intervals of ±.01, and gaps with intervals of ±.02."""
    x = pl.Series([*values.values()], dtype=pl.Float64)
    scores = pl.DataFrame({"system": [*values], "x": x, "x_low": x - 0.01, "x_high": x + 0.01})
    mark = pl.lit(f"v|bootstrap:{resamples},seed:1,confidence:{level}")
    scores = scores.with_columns(y=pl.Series(also or x.to_list()), signature=mark)
    others = [name for name in values if name != baseline]
    rows = [
        {
            "system": name,
            "baseline": baseline,
            "difference": values[name] - values[baseline],
            "difference_low": values[name] - values[baseline] - 0.02,
            "difference_high": values[name] - values[baseline] + 0.02,
            "p_corrected": p,
        }
        for name, p in zip(others, p_values, strict=False)
    ]
    return ranking(scores, pl.DataFrame(rows), {"x": "X", "y": "Y"}, lower)


SURE, UNSURE = 0.001, 0.2
FIRST = "a has the best X, 0.8000 (95% interval 0.7900 to 0.8100). "
ALIKE = "{} cannot be told apart by X: a has 0.8000 (95% interval 0.7900 to 0.8100). "
FAR = "b follows, 0.3000 worse (0.2800 to 0.3200; p = 0.001), a significant difference."
NEAR = "b follows, 0.0100 worse (−0.0100 to 0.0300; p = 0.200), which is not significant."
TIED = "a and b have the {} X, 0.8000 (95% interval 0.7900 to 0.8100)."


@pytest.mark.parametrize(
    ("said", "values", "p_values", "options"),
    [
        (FIRST + FAR, {"a": 0.8, "b": 0.5}, [SURE], {}),
        (ALIKE.format("a and b") + NEAR, {"b": 0.79, "a": 0.8}, [UNSURE], {}),
        (ALIKE.format("a and b") + NEAR, {"a": 0.8, "b": 0.81}, [UNSURE], {"lower": ("x", "y")}),
        (
            FIRST + FAR + " With 9 resamples, no difference can be significant.",
            {"a": 0.8, "b": 0.5},
            [SURE],
            {"resamples": 9},
        ),
        (
            ALIKE.format("a and b") + NEAR + " The other system is significantly worse.",
            {"a": 0.8, "b": 0.79, "c": 0.1},
            [UNSURE, SURE],
            {},
        ),
        (
            ALIKE.format("a and c") + FAR + " The other 2 systems are significantly worse.",
            {"a": 0.8, "b": 0.5, "c": 0.4, "d": 0.3, "e": 0.2},
            [SURE, UNSURE, SURE, SURE],
            {},
        ),
        (
            ALIKE.format("a, b, c, d, e and 4 more") + NEAR,
            {"a": 0.8, **dict.fromkeys("bcdefghi", 0.79)},
            [UNSURE] * 8,
            {},
        ),
        (
            ALIKE.format("a and b").replace("95", "99")
            + FAR.replace("0.001), a", "0.030), which").replace(
                "which significant difference", "which is not significant"
            ),
            {"a": 0.8, "b": 0.5},
            [0.03],
            {"level": 0.99},
        ),
        (
            FIRST + "b follows, 0.3000 worse; whether this is significant was not tested.",
            {"a": 0.8, "b": 0.5},
            [],
            {},
        ),
        (TIED.format("same"), {"a": 0.8, "b": 0.8}, [1.0], {}),
        (
            TIED.format("best") + " c follows, 0.3000 worse (0.2800 to 0.3200; p < 0.001), a "
            "significant difference.",
            {"a": 0.8, "b": 0.8, "c": 0.5},
            [1.0, 0.0001],
            {},
        ),
        (
            FIRST + "a is 0.3000 better than b, the baseline (0.2800 to 0.3200; p = 0.001), a "
            "significant difference. d cannot be told apart from b. The other system differs "
            "significantly from b.",
            {"a": 0.8, "b": 0.5, "c": 0.6, "d": 0.51},
            [SURE, SURE, UNSURE],
            {"baseline": "b"},
        ),
        (
            FIRST + FAR + " Not tested: the best Y, 70.00, is that of b.",
            {"a": 0.8, "b": 0.5},
            [SURE],
            {"also": [1.0, 70.0]},
        ),
        (
            "The X of a is 0.8000 (95% interval 0.7900 to 0.8100).",
            {"a": 0.8, "b": float("nan")},
            [None],
            {"also": [1.0, None]},
        ),
        ("No system has a defined X.", {"a": None}, [], {}),
    ],
)
def test_a_conclusion_holds_for_its_figures(said, values, p_values, options):
    assert concluded(values, p_values, **options) == said


@pytest.mark.parametrize("baseline", [None, "eager"])
@pytest.mark.parametrize("systems", [2, 3])
def test_pages_say_what_p_values_are_corrected_for(systems, baseline):
    """Bold is of all pairs, what is said of a baseline is not, a single test is not corrected."""
    names = ("eager", "forward", "cautious")[:systems]
    hyps = {name: f"datasets/en-fr/{name}.talp" for name in names}
    page = af.links.score(hyps, "datasets/en-fr/gold.talp", bootstrap=50).page(baseline=baseline)
    (chart,) = (figure.caption for figure in page.figures if figure.name == "differences")
    for text, of_base in (
        (page.lead, baseline),
        (page.table.caption, None),
        (chart, baseline),
        (page.tables[0].caption, baseline),
    ):
        said = {"the number of systems": bool(of_base), "all pairs": not of_base}
        if text is page.lead:
            said["all pairs"] = False  # its interval agrees with its p-value
        for what, is_said in said.items():
            assert (f"corrected for {what}" in text) == (is_said and systems > 2)


def test_conclusions_follow_from_the_data():
    """Every figure is that of the scores; when systems exchange names, sentences do."""
    gold, folder = "datasets/en-fr/gold.talp", "datasets/en-fr"
    hyps = {name: f"{folder}/{name}.talp" for name in ("eager", "cautious", "forward")}
    page = (
        af.links.score(hyps, gold, bootstrap=50, alpha=[0.5, 0.9]).evaluated().page(sentences=[3])
    )
    lead, bold = page.lead, [(page.table.rows[row][0], at) for row, at in page.table.strong]
    scores = {row["system"]: row for row in af.links.score(hyps, gold).scores.iter_rows(named=True)}
    tested = af.links.score(hyps, gold, bootstrap=50).compare("eager").filter(measure="aer")
    together = "eager and forward cannot be told apart by AER: eager has"
    assert lead.startswith(f"{together} {scores['eager']['aer']:.4f} (95% interval ")
    near = tested.row(by_predicate=pl.col("system") == "forward", named=True)
    assert f"forward follows, {near['difference']:.4f} worse" in lead
    assert f"p = {near['p_corrected']:.3f}), which is not significant" in lead
    assert "The other system is significantly worse. cautious has the best F(α = 0.9), 0.94" in lead
    # Bold are the leaders, those of what eager is not best by from tests of all pairs.
    assert sorted(name for name, at in bold if page.table.heads[at] == "AER") == [
        "eager",
        "forward",
    ]
    assert ("eager", page.table.heads.index("Recall")) in bold
    ranks = af.links.score(hyps, gold, bootstrap=50, alpha=[0.5, 0.9]).ranks()
    for head, measure in (("Precision", "precision"), ("F(α = 0.9)", "f_0.9")):
        first = ranks.filter(measure=measure, rank_low=1)["system"].to_list()
        assert [name for name, at in bold if page.table.heads[at] == head] == first
    untested = af.links.score(hyps, gold, bootstrap=0).evaluated().page(sentences=[3])
    assert untested.table.strong == set()
    other = {"eager": hyps["cautious"], "cautious": hyps["eager"], "forward": hyps["forward"]}
    turned = (
        af.links.score(other, gold, bootstrap=50, alpha=[0.5, 0.9])
        .evaluated()
        .page(sentences=[3])
        .lead
    )
    names = {"eager": "cautious", "cautious": "eager"}
    assert turned == re.sub("eager|cautious", lambda found: names[found[0]], lead)


def test_results_without_a_report_show_their_tables():
    text = [["a", "b"], ["b", "c", "d"]]
    found = af.lexicon.study(
        pl.DataFrame({"src": text, "tgt": text}),
        pl.DataFrame({"src": text, "tgt": text}),
        ["none"],
        sizes=[1],
        sets=1,
    )
    assert found.page(title="one").html().count("<h1>one</h1>") == 1
    text = ["a b", "c d e f"] * 5
    kept = af.beads.filter(text, text, method="len")
    rows = tables_page(kept).tables[0].rows
    assert {row[1] for row in rows} == {"yes" if one else "no" for one in kept.lines["kept"]}
    page = tables_page(found)
    assert len(page.tables) + 1 == len(found.tables())
    heads = page.table.heads
    assert not [head for head in heads if head.endswith((" low", " high"))]


def test_the_command_reports_bleu_and_chrf(bundled, tmp_path):
    island = bundled.parent / "island"
    hyps = [word for name in ("careful", "literal") for word in ("--hyp", island / f"{name}.en")]
    words = ["--ref", island / "ref.en", *hyps, *"--bootstrap 20 --page page.html --json".split()]
    out, _ = run("mt", "score", *words, folder=tmp_path)
    assert json_of(out)["report"] == "page.html"
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<h1>Systems by BLEU and chrF</h1>" in page
    assert "Differences from careful" in page


def test_sentences_of_translations_have_their_scores_and_texts(bundled):
    home = bundled.parent / "island"
    hyp = {name: home / f"{name}.en" for name in ("literal", "careful")}
    ref = [home / "ref.en", home / "fluent.en"]
    found = af.mt.score(hyp, ref, bootstrap=0, tokenize="none").evaluated()
    assert found.scores.drop("signature").equals(
        af.mt.score(hyp, ref, tokenize="none")
        .scores.drop("signature", "sentences")
        .sort("bleu", descending=True)
    )
    shown = sentences(found.page())
    every = af.mt.score(hyp, ref, tokenize="none").segments
    lines = {name: path.read_text("utf-8").splitlines() for name, path in hyp.items()}
    reads = [path.read_text("utf-8").splitlines() for path in ref]
    assert [one["label"] for one in shown["figures"]] == ["BLEU", "chrF"]
    assert sorted(row["unit"] for row in shown["rows"]) == [*range(len(reads[0]))]
    spreads = []
    for row in shown["rows"]:
        own = every.filter(sid=row["unit"])
        for at, name in enumerate(shown["systems"]):
            values = own.filter(system=name).select("bleu", "chrf").row(0)
            assert [column[at] for column in row["values"]] == pytest.approx(list(values))
            text, other = row["detail"]["at"][str(at)]
            assert row["detail"]["hyp"][text] == lines[name][row["unit"]]
            assert row["detail"]["other"][other] == [side[row["unit"]] for side in reads]
        spreads.append(abs(row["values"][0][0] - row["values"][0][1]))
    assert spreads == sorted(spreads, reverse=True)
