"""Correlation on the command line, its charts and its report."""

import re
import warnings

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.pages import specs_of
from hypothesis import given
from hypothesis import strategies as st
from reference.correlation import COLUMNS, external_of, keyed, made_counts, saved

from alignframe import formats, links
from alignframe.errors import DataWarning, InputError
from alignframe.links import correlation_charts as charts
from alignframe.links.correlation_page import summary_of
from alignframe.pages.plane import placed
from alignframe.stats import correlate, measure_values

# --- the command


@pytest.fixture(scope="module")
def typed(bundled, tmp_path_factory):
    scores = saved(
        tmp_path_factory.mktemp("scores") / "scores.csv",
        "system,score,group\neager,29.5,one\ncautious,25.1,two\nforward,28.4,one\n",
    )
    names = ("eager", "cautious", "forward")
    hyps = [word for name in names for word in ("--hyp", f"{name}={bundled / f'{name}.talp'}")]
    return ["--gold", bundled / "gold.talp", *hyps, "--external", scores]


def test_command_as_json(typed, bundled, tmp_path):
    target = tmp_path / "out.parquet"
    out, said = run("links", "correlate", *typed, "--json", "-o", target)
    rows = json_of(out)
    assert said == f"28 rows written to {target}\n"
    assert len(rows) == 28  # with three systems, none can be left out
    assert all(list(row) == COLUMNS for row in rows)
    counts = links.score(
        {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")},
        bundled / "gold.talp",
    ).counts
    wanted = correlate(counts, {"eager": 29.5, "cautious": 25.1, "forward": 28.4})
    assert rows == wanted.to_dicts()
    assert pl.read_parquet(target).equals(wanted)


def test_command_as_table(typed):
    out, _ = run("links", "correlate", *typed, "--score-name", "BLEU")
    lines = out.splitlines()
    assert "predicts BLEU best" in out
    assert lines[0].strip() == "Correlation with scores.csv, 3 systems"
    assert max(len(line) for line in lines if not line.startswith(("alignframe:", "v:"))) <= 80
    figures = [line for line in lines if line.startswith((" f_", " 1-aer"))]
    assert len(figures) == 28
    assert sum(" * " in line for line in figures) == 3
    assert lines[-1].startswith("v:")
    out, _ = run("links", "correlate", *typed, "--alpha", ",".join(str(k / 20) for k in range(21)))
    assert "32 of 64 measures" in out
    shown = [line for line in out.splitlines() if line.startswith((" f_", " 1-aer"))]
    assert len(shown) == 32
    assert sum(" * " in line for line in shown) == 3


def test_command_with_options(typed):
    words = ["--alpha", "0.5", "--bootstrap", "30", "--set", "seed=4", "--set", "confidence=0.9"]
    out, _ = run("links", "correlate", *typed, *words, "--lower-is-better", "--json")
    (first, *_) = rows = json_of(out)
    assert len(rows) == 4
    for part in ("better:lower", "bootstrap:30,of:sentences+systems,seed:4,confidence:0.9"):
        assert part in first["signature"].split("|")


@pytest.mark.parametrize(("alphas", "starred"), [("0.5", False), ("0.2,0.5", True)])
def test_a_single_alpha_has_no_star(typed, alphas, starred):
    out, _ = run("links", "correlate", *typed, "--bootstrap", 0, "--alpha", alphas)
    assert ("*" in out) == starred


def test_command_with_bad_scores(typed, tmp_path):
    bad = saved(tmp_path / "bad.csv", "system,score\neager,29.5\ncautious,high\n")
    _, said = run("links", "correlate", *typed[:-1], bad, code=2)
    assert f"error: {bad}:3: the score 'high' of the system 'cautious'; expected a finite" in said


def test_a_perfect_measure_causes_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [1, 2, 3]})
        out = correlate(frame, {"a": 1, "b": 2, "c": 3})
    assert out["pearson"][0] == 1
    assert out["p_value"][0] == pytest.approx(0, abs=1e-6)


# --- charts and report

FIGURES = {
    "one-minus-aer",
    "f-sure-possible-even",
    "f-sure-even",
    "f-sure-possible-best",
    "f-sure-best",
    "f-possible-best",
    "r2-by-alpha",
}


def drawn(chart):
    """Return every row of a chart's data."""
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


def many(systems, grouped):
    """Return counts, and external scores of as many systems, optionally in four groups."""
    counts = made_counts(systems, 10, 1)
    frame = pl.DataFrame(
        {
            "system": [f"s{k}" for k in range(systems)],
            "score": [20 + (k * 7 % 11) / 3 for k in range(systems)],
        }
    )
    groups = pl.Series("group", [f"way {k % 4}" for k in range(systems)])
    return counts, frame.with_columns(groups) if grouped else frame


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("systems", [3, 8, 30])
def test_scatter(systems, grouped):
    counts, outside = many(systems, grouped)
    row = correlate(counts, outside, bootstrap=0).filter(measure="f_0.4", annotation="sure")
    chart = charts.measure_against_score(
        measure_values(counts),
        outside,
        measure="f_0.4",
        annotation="sure",
        score_name="BLEU",
    )
    spec = chart.to_dict()
    assert spec["title"]["text"] == "F(α = 0.4) against BLEU"
    assert f"r² = {row['r2'][0]:.2f}" in spec["title"]["subtitle"]
    axes = [spec["layer"][0]["encoding"][side]["title"] for side in "xy"]
    assert axes == ["F(α = 0.4), Sure links only", "BLEU"]
    line, *_ = (layer for layer in spec["layer"] if layer["mark"]["type"] == "line")
    for end in spec["datasets"][line["data"]["name"]]:
        on_line = row["intercept"][0] + row["slope"][0] * end["value"]
        assert end["score"] == pytest.approx(on_line)
    (points,) = (layer for layer in spec["layer"] if layer["mark"]["type"] == "point")
    assert len(spec["datasets"][points["data"]["name"]]) == systems
    assert {tip["field"] for tip in points["encoding"]["tooltip"]} >= {"system", "value", "score"}
    named = {
        layer["encoding"]["text"]["condition"]["test"]: [
            row["label"] for row in spec["datasets"][layer["data"]["name"]]
        ]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text"
    }
    # Names have other places on a narrow screen.
    for width, share in (("width >= 300", 0.8), ("width < 300", 0.6)):
        assert len(named[width]) == len(set(named[width])) > share * systems
    if grouped:
        for channel in ("color", "shape"):
            assert points["encoding"][channel]["field"] == "group"
            assert points["encoding"][channel]["legend"]["orient"] == "top"
        names = points["encoding"]["shape"]["scale"]["domain"]
        symbols = points["encoding"]["shape"]["scale"]["range"]
        assert len(names) == len(set(symbols)) == min(systems, 4)
    else:
        assert "shape" not in points["encoding"]


def test_scatter_of_a_constant_or_unknown_measure():
    values = pl.DataFrame(
        {
            "system": ["a", "b", "c"],
            "measure": ["f_0.5"] * 3,
            "annotation": ["sure"] * 3,
            "alpha": [0.5] * 3,
            "value": [0.5] * 3,
        }
    )
    outside = {"a": 1, "b": 2, "c": 3}
    chart = charts.measure_against_score(values, outside, measure="f_0.5", annotation="sure")
    assert "no correlation" in chart.to_dict()["title"]["subtitle"]
    with pytest.raises(InputError, match=r"f_0\.1 .* sure.*f_0\.5"):
        charts.measure_against_score(values, outside, measure="f_0.1", annotation="sure")


def test_r2_by_alpha_has_the_sign_of_r():
    counts, outside = made_counts(6, 12, 4), external_of(6, 2)
    table = correlate(counts, outside, bootstrap=50).drop_nulls("pearson")
    signed = {
        key: value if r > 0 else -value
        for (key, value), r in zip(keyed(table, "r2").items(), table["pearson"], strict=True)
    }
    assert min(signed.values()) < 0
    rows = [row for row in drawn(charts.r2_by_alpha(table)) if "measure" in row]
    for row in rows:
        alpha = None if row["measure"] == "1-aer" else row["alpha"]
        assert row["r2"] == pytest.approx(signed[row["measure"], row["annotation"], alpha])
        assert min(row["low"], row["high"]) <= row["r2"] <= max(row["low"], row["high"])
    level = [row["alpha"] for row in rows if row["measure"] == "1-aer"]
    assert level == [0.1, 0.9]
    best = {(row["annotation"], row["alpha"]) for row in rows if row["best"]}
    assert best == set(table.filter("best").select("annotation", "alpha").iter_rows())
    ends = dict(zip(keyed(table, "r2"), table["pearson_low_sentences"], strict=True))
    for row in rows:
        r = ends[
            row["measure"], row["annotation"], None if "1" in row["measure"][:1] else row["alpha"]
        ]
        assert row["low"] == pytest.approx(r * abs(r))
    assert "r·|r|" in charts.r2_by_alpha(table).to_json(ensure_ascii=False)
    other = drawn(charts.r2_by_alpha(table, interval="systems"))
    assert {row["low"] for row in other if "low" in row} != {r["low"] for r in rows}
    scores = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [1, 2, 4], "f_0.2": [2, 4, 9]})
    charts.r2_by_alpha(correlate(scores, {"a": 1, "b": 2, "c": 3}))
    with pytest.raises(InputError, match="no F whose correlation is defined"):
        charts.r2_by_alpha(correlate(scores.select("system", x="f_0.5"), {"a": 1, "b": 2, "c": 3}))


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 320)), min_size=1, max_size=8),
    st.integers(1, 30),
    st.booleans(),
)
def test_labels_cover_nothing(points, letters, far):
    boxes = []
    places = placed(points, ["x" * letters] * len(points), (400, 320), (-0.8, 320), far=far)
    for (x, y), place in zip(points, places, strict=True):
        if place is None:
            continue
        wide = letters * 5.6
        left = x + place.dx - {"left": 0, "center": wide / 2, "right": wide}[place.align]
        box = (left, left + wide, y + place.dy - 6.5, y + place.dy + 6.5)
        assert box[0] >= 0
        assert box[1] <= 400
        for one in boxes:
            assert box[1] <= one[0] or one[1] <= box[0] or box[3] <= one[2] or one[3] <= box[2]
        for other in points:
            if other != (x, y):
                inside = box[0] < other[0] < box[1] and box[2] < other[1] < box[3]
                assert not inside
        boxes.append(box)


@pytest.fixture(scope="module")
def page(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    systems["union"] = links.symmetrize(
        bundled / "forward.talp", bundled / "reverse.talp", "union", reverse_is="tgt-src"
    )
    outside = pl.DataFrame(formats.read_external(bundled / "scores.csv"))
    with pytest.warns(DataWarning, match="3 external scores") as warned:
        made = links.correlate(
            links.score(systems, bundled / "gold.talp").counts,
            outside,
            bootstrap=50,
            score_name="BLEU",
        ).page()
    assert len(warned) == 1
    return made


def test_report_needs_no_network(page):
    html = page.html()
    body = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", body)
    specs = specs_of(html)
    assert set(specs) == {*FIGURES, "r2-by-group"}
    for name in specs:
        assert f'<div id="{name}"></div>' in body
    assert page.signature in html


def test_report_shows_the_correlations(page, bundled):
    full, sure = page.tables
    assert len(full.rows) == 28
    assert len(sure.rows) == 9
    assert sum(float(row[1].rstrip("%")) for row in sure.rows) == pytest.approx(100, abs=3)
    assert full.heads[3:5] == ["r²", "over systems"]
    assert "95%" in full.caption
    for table in (page.table, full):
        assert len({row for row, _ in table.strong}) == 3
        assert all(len(row) == len(table.heads) for row in table.rows)
    assert "BLEU" in page.lead
    assert "4 systems" in page.lead
    assert "72 gold sentences" in page.about
    best = next(f for f in page.figures if f.name == "f-sure-best").chart.to_dict()
    strong = sorted({row for row, _ in full.strong})
    names = [full.rows[row][0] for row in strong if full.rows[row][1] == "Sure only"]
    assert best["title"]["text"] == f"{names[0]} against BLEU"
    assert [row[0] for row in page.table.rows[-4:]] == ["F, α chosen on the others"] * 4


def test_no_chart_is_shown_twice(bundled):
    """If all links are Sure, the annotations are the same, and balanced F is 1 - AER."""
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    outside = {"eager": 29.5, "cautious": 25.1, "forward": 28.4}
    gold = bundled / "gold.talp"
    counts = links.score(systems, gold, possible_as_sure=True).counts
    made = links.correlate(counts, outside, bootstrap=0).page()
    names = [figure.name for figure in made.figures]
    assert names == ["one-minus-aer", "f-sure-possible-best", "r2-by-alpha"]
    made = links.correlate(
        links.score(systems, gold).counts, outside, alpha=[0.5], bootstrap=0
    ).page()
    names = [figure.name for figure in made.figures]
    assert len([name for name in names if name.startswith("f-")]) == 3


def test_a_result_has_the_correlations_and_a_title():
    counts, outside = many(4, True)
    found = links.correlate(counts, outside, bootstrap=0, lower_is_better=True)
    wanted = correlate(counts, outside, bootstrap=0, lower_is_better=True)
    assert found.to_polars().filter(pl.col("group").is_null()).equals(wanted)
    assert found.page(title="TER").title == "TER"
    with pytest.raises(InputError, match="expected the column sid"):
        links.correlate(counts.drop("sid"), outside)
    with pytest.raises(TypeError, match="did you mean 'bootstrap'"):
        links.correlate(counts, outside, bootstraps=0)


def test_each_group_has_a_chart_and_columns(bundled):
    counts, outside = many(12, True)
    found = links.correlate(counts, outside, bootstrap=0, score_name="BLEU")
    assert found.groups == [f"way {k}" for k in range(4)]
    table = summary_of(found)
    assert table.heads[-4:] == found.groups
    (r,) = found.correlations.filter(measure="1-aer", group="way 1")["pearson"]
    assert table.rows[0][-3] == f"{r * abs(r):.3f}".replace("-", "−")
    rows = drawn(charts.r2_by_group(found.correlations))
    assert {row["group"] for row in rows} == {"all systems", *found.groups}
    with pytest.raises(InputError, match="by_group"):
        charts.r2_by_group(correlate(counts, outside, bootstrap=0))
    alone = outside.with_columns(group=pl.lit("one"))
    assert links.correlate(counts, alone, bootstrap=0).groups == []


def test_figures_of_the_report(page, tmp_path):
    written = page.write_figures(tmp_path, "svg")
    assert {path.stem for path in written} == {*FIGURES, "r2-by-group"}
    assert all(path.read_bytes().startswith(b"<svg") for path in written)


def test_report_without_resampling(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    outside = {"eager": 29.5, "cautious": 25.1, "forward": 28.4}
    made = links.correlate(
        links.score(systems, bundled / "gold.talp").counts, outside, bootstrap=0
    ).page()
    full, *_ = made.tables
    assert full.heads == ["Measure", "Gold links", "r", "r²", "left out", "p", "ρ", "τ"]
    assert {len(row) for row in full.rows} == {8}
    assert "resamples" not in " ".join(made.notes)
    curve = made.figures[-1].chart.to_dict()
    assert "no intervals" in curve["title"]["subtitle"]


def test_report_of_equal_systems(bundled):
    """Nothing correlates: the page says so, and omits the charts of the best values."""
    systems = dict.fromkeys(("a", "b", "c"), bundled / "eager.talp")
    outside = {"a": 1, "b": 2, "</script><b>": 3}
    with pytest.raises(InputError, match="2 systems with links"):
        links.correlate(links.score(systems, bundled / "gold.talp").counts, outside).page()
    made = links.correlate(
        links.score(
            {**systems, "</script><b>": bundled / "eager.talp"}, bundled / "gold.talp"
        ).counts,
        {**outside, "c": 4},
        bootstrap=5,
    ).page()
    html = made.html()
    assert "undefined" in html
    assert "</script><b>" not in html
    names = {figure.name for figure in made.figures}
    assert names == {"one-minus-aer", "f-sure-possible-even", "f-sure-even"}
