"""Tables of pages, and the pages of results without a report."""

import polars as pl
import pytest
from helpers_cli import json_of, run
from hypothesis import given
from hypothesis import strategies as st

import alignframe as af
from alignframe.report.results import tables_page
from alignframe.report.tables import interval, number, score_table
from alignframe.stats import Formula, Measure, Ratio, evaluate

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


def test_the_best_is_marked_if_there_are_several():
    best = {"n": max, "f": min, "bleu": pl.col("system") > "a"}
    # An undefined value is not the best: c has no BLEU.
    assert score_table(FIGURES, HEADS, best=best).strong == {(0, 1), (2, 2), (1, 3)}
    assert score_table(FIGURES, HEADS, best=best, within=["kind"]).strong == {(1, 3)}
    assert score_table(FIGURES, HEADS, best={"bleu": max}, within=["kind"]).strong == {(1, 3)}
    assert score_table(FIGURES.head(1), HEADS, best={"f": max}).strong == set()


@given(st.lists(st.none() | st.floats(allow_infinity=False), min_size=1, max_size=6))
def test_the_best_equals_that_of_a_plain_search(values):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)})
    known = [one for one in values if one is not None and one == one]
    for choose in (min, max):
        wanted = {(k, 0) for k, one in enumerate(values) if known and one == choose(known)}
        found = score_table(frame, {"x": "x"}, best={"x": choose}).strong
        assert found == (wanted if len(known) > 1 else set())


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
    found = evaluate(LENGTHS, COUNTS, bootstrap=50)
    assert found.scores.equals(LENGTHS.scores(COUNTS, bootstrap=50))
    assert found.comparisons.equals(LENGTHS.compare(COUNTS, baseline="<a>", bootstrap=50))
    page = found.page(title="T")
    assert page.lead == "2 systems, 3 sentences."
    assert page.table.heads == ["System", "Ratio", "Far"]
    assert page.table.strong == {(0, 1), (0, 2)}
    assert [row[:2] for row in page.tables[0].rows] == [["b", "Ratio"], ["b", "Far"]]
    assert page.signature == found.signature
    page.write(tmp_path / "page.html")
    assert "&lt;a&gt;" in (tmp_path / "page.html").read_text("utf-8")
    assert [path.name for path in page.write_figures(tmp_path, "svg")] == ["systems.svg"]


@pytest.mark.parametrize("counts", [COUNTS.head(3), COUNTS.filter(sid=1)])
def test_incomparable_figures_are_not_compared(counts):
    found = evaluate(LENGTHS, counts, bootstrap=20)
    assert not found.comparisons.height
    assert found.page().tables == []


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
    rows = kept.page().tables[0].rows
    assert {row[1] for row in rows} == {"yes" if one else "no" for one in kept.lines["kept"]}
    page = tables_page(found)
    assert len(page.tables) + 1 == len(found.tables())
    heads = page.table.heads
    assert not [head for head in heads if head.endswith((" low", " high"))]


def test_the_command_reports_bleu_and_chrf(bundled, tmp_path):
    island = bundled.parent / "island"
    hyps = [word for name in ("careful", "literal") for word in ("--hyp", island / f"{name}.en")]
    words = ["--ref", island / "ref.en", *hyps, "--bootstrap", "20", "-o", "page.html", "--json"]
    out, _ = run("report", "mt", *words, folder=tmp_path)
    assert json_of(out)["report"] == "page.html"
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<h1>Systems by BLEU and chrF</h1>" in page
    assert "Differences from careful" in page
