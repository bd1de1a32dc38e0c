"""Correlation of measures with outside scores, against plain Python and against SQL."""

import json
import math
import random
import re
import time
import warnings

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from test_cli import run

import alignframe as af
from alignframe import connect, formats, links
from alignframe.charts import correlation as charts
from alignframe.charts.labels import placed
from alignframe.errors import DataWarning, InputError
from alignframe.report.correlation import correlation_report
from alignframe.stats import correlate, measure_values
from alignframe.stats.bootstrap import MAX_UNITS, resample_sums
from alignframe.tables import COUNTS

COLUMNS = [
    "measure",
    "annotation",
    "alpha",
    "systems",
    "pearson",
    "r2",
    "p_value",
    "spearman",
    "kendall",
    "r2_low_sentences",
    "r2_high_sentences",
    "r2_low_systems",
    "r2_high_systems",
    "best",
    "best_share",
    "best_left_out",
    "slope",
    "intercept",
    "signature",
]


# --- slow, obvious versions


def slow_measures(rows, alphas):
    """1 - AER and F of summed counts, in the words of the paper."""
    a, s, p, sa, pa_ = (sum(row[name] for row in rows) for name in COUNTS)
    out = {("1-aer", "sure-possible", None): 1 - (1 - (pa_ + sa) / (s + a))}
    for kind, top, wanted, found in (
        ("sure-possible", pa_, s, sa),
        ("sure", sa, s, sa),
        ("possible", pa_, p, pa_),
    ):
        for alpha in alphas:
            if top == 0 or found == 0:
                f = 0.0
            else:
                f = 1 / (alpha / (top / a) + (1 - alpha) / (found / wanted))
            out[f"f_{alpha:g}", kind, alpha] = f
    return out


def slow_pearson(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    top = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    size = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return top / math.sqrt(size)


def slow_ranks(x):
    """Return mean ranks, near values counting as equal."""
    same = [[abs(a - b) <= 1e-12 for b in x] for a in x]
    return [
        1 + sum(b < a and not same[i][j] for j, b in enumerate(x)) + (sum(same[i]) - 1) / 2
        for i, a in enumerate(x)
    ]


def slow_kendall(x, y):
    x, y = slow_ranks(x), slow_ranks(y)
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    right = sum((x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in pairs)
    wrong = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs)
    untied_x = sum(x[i] != x[j] for i, j in pairs)
    untied_y = sum(y[i] != y[j] for i, j in pairs)
    return (right - wrong) / math.sqrt(untied_x * untied_y)


def slow_best(table, sign=1):
    """Return the best measure of each annotation of {(measure, annotation, alpha): r or None}."""
    best = {}
    for key in sorted((k for k in table if k[2] is not None), key=lambda k: k[2]):
        r = table[key]
        if r is not None and (key[1] not in best or sign * r > sign * table[best[key[1]]] + 1e-12):
            best[key[1]] = key
    return set(best.values())


def made_counts(systems, sentences, seed):
    """Return possible counts: |S∩A| <= |P∩A| <= |A|, gold the same for all systems."""
    rng = random.Random(seed)
    rows = []
    gold = []
    for _ in range(sentences):
        sure = rng.randint(1, 6)
        gold.append((sure, sure + rng.randint(0, 4)))
    for k in range(systems):
        for sid, (sure, possible) in enumerate(gold):
            hyp_sure = rng.randint(0, sure)
            hyp_possible = hyp_sure + rng.randint(0, possible - sure)
            hyp = hyp_possible + rng.randint(0, 4)
            counts = (hyp, sure, possible, hyp_sure, hyp_possible)
            rows.append({"system": f"s{k}", "sid": sid, **dict(zip(COUNTS, counts, strict=True))})
    return pl.DataFrame(rows)


def outside_of(systems, seed):
    rng = random.Random(seed)
    return {f"s{k}": float(rng.randint(0, 12)) for k in range(systems)}


def keyed(frame, column):
    keys = ("measure", "annotation", "alpha")
    return {tuple(row[k] for k in keys): row[column] for row in frame.iter_rows(named=True)}


# --- the paper's formulas


def test_the_papers_example_of_aer():
    """|A| = |S| = 100 with (50, 50) and (75, 25): equal 1 - AER, unequal F (section 3.1)."""
    counts = pl.DataFrame(
        {
            "system": ["even", "uneven"],
            "n_hyp": [100, 100],
            "n_sure": [100, 100],
            "n_possible": [300, 300],
            "n_hyp_sure": [50, 25],
            "n_hyp_possible": [50, 75],
        }
    )
    values = measure_values(counts, alpha=[0.5, 0.1])
    found = {(r["system"], r["measure"], r["annotation"]): r["value"] for r in values.to_dicts()}
    assert found["even", "1-aer", "sure-possible"] == pytest.approx(0.5)
    assert found["uneven", "1-aer", "sure-possible"] == pytest.approx(0.5)
    assert found["even", "f_0.5", "sure-possible"] == pytest.approx(0.5)
    assert found["uneven", "f_0.5", "sure-possible"] == pytest.approx(0.375)
    assert found["uneven", "f_0.5", "sure"] == pytest.approx(0.25)
    assert found["uneven", "f_0.1", "possible"] == pytest.approx(1 / (0.1 / 0.75 + 0.9 / 0.25))


def test_measures_and_their_order():
    frame = correlate(made_counts(4, 5, 0), outside_of(4, 1), resamples=10)
    alphas = [k / 10 for k in range(1, 10)]
    wanted = [("1-aer", "sure-possible", None)]
    for kind in ("sure-possible", "sure", "possible"):
        wanted += [(f"f_{alpha:g}", kind, alpha) for alpha in alphas]
    assert frame.select("measure", "annotation", "alpha").rows() == wanted
    assert frame.columns == COLUMNS
    assert set(frame["systems"]) == {4}


@settings(deadline=None, max_examples=60)
@given(st.integers(3, 8), st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_against_plain_python(systems, sentences, seed, lower):
    counts, outside = made_counts(systems, sentences, seed), outside_of(systems, seed + 1)
    assume(len(set(outside.values())) > 1)
    alphas = [0.1, 0.5, 0.75]
    frame = correlate(counts, outside, alpha=alphas, resamples=0, lower_is_better=lower)
    tables = [
        slow_measures(counts.filter(system=name).to_dicts(), alphas) for name in sorted(outside)
    ]
    y = [outside[name] for name in sorted(outside)]
    correlations = {}
    for row in frame.iter_rows(named=True):
        key = row["measure"], row["annotation"], row["alpha"]
        x = [table[key] for table in tables]
        if max(x) - min(x) < 1e-12:
            assert {row[k] for k in ("pearson", "r2", "p_value", "spearman", "slope")} == {None}
            assert row["best"] is False
            correlations[key] = None
            continue
        r = correlations[key] = slow_pearson(x, y)
        assert row["pearson"] == pytest.approx(r, abs=1e-9)
        assert row["r2"] == pytest.approx(r * r, abs=1e-9)
        assert row["spearman"] == pytest.approx(slow_pearson(slow_ranks(x), slow_ranks(y)))
        assert row["kendall"] == pytest.approx(slow_kendall(x, y))
        middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
        assert row["intercept"] + row["slope"] * middle_x == pytest.approx(middle_y)
        assert row["slope"] * sum((a - middle_x) ** 2 for a in x) == pytest.approx(
            sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)), abs=1e-9
        )
    best = {key for key, is_best in keyed(frame, "best").items() if is_best}
    assert best == slow_best(correlations, -1 if lower else 1)


@settings(deadline=None, max_examples=25)
@given(st.integers(3, 7), st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_sql_agrees(systems, sentences, seed, lower):
    counts, scores = made_counts(systems, sentences, seed), outside_of(systems, seed + 1)
    assume(len(set(scores.values())) > 1)
    wanted = correlate(counts, scores, resamples=0, lower_is_better=lower)
    outside = pl.DataFrame({"system": list(scores), "score": list(scores.values())})
    keys = ["system", "measure", "annotation", "alpha"]
    with connect() as con:
        con.execute("create table counts as select * from counts")
        con.execute("create table measured as select * from measure_values('counts')")
        values = con.sql("select * from measured").pl().sort(keys)
        found = con.sql(
            f"select * from correlations('measured', 'outside', lower_is_better := {lower})"
        ).pl()
    assert outside.height == systems
    same = measure_values(counts).sort(keys)
    assert values.select(keys).equals(same.select(keys))
    assert values["value"].to_list() == pytest.approx(same["value"].to_list(), abs=1e-9)
    for name in found.columns:
        kind = found[name].dtype
        one, other = found[name].to_list(), wanted[name].to_list()
        if kind == pl.Float64:
            assert [v is None for v in one] == [v is None for v in other], name
            one, other = ([v for v in side if v is not None] for side in (one, other))
            assert one == pytest.approx(other, abs=1e-9, rel=1e-9), name
        else:
            assert one == other, name


# --- resampling


def test_intervals_against_resamples_one_by_one():
    counts, outside = made_counts(6, 30, 3), outside_of(6, 4)
    frame = correlate(counts, outside, alpha=[0.3], resamples=80, seed=9)
    names = sorted(outside)
    y = [outside[name] for name in names]
    matrix = counts.sort("sid", "system").select(COUNTS).to_numpy().reshape(30, -1)
    drawn = []
    for line in resample_sums(matrix, 80, 9).reshape(80, 6, 5):
        tables = [
            slow_measures([dict(zip(COUNTS, row, strict=True))], [0.3]) for row in line.tolist()
        ]
        drawn.append({key: slow_pearson([t[key] for t in tables], y) ** 2 for key in tables[0]})
    for row in frame.iter_rows(named=True):
        squares = [one[row["measure"], row["annotation"], row["alpha"]] for one in drawn]
        ends = np.quantile(squares, [0.025, 0.975])
        assert [row["r2_low_sentences"], row["r2_high_sentences"]] == pytest.approx(ends.tolist())
        assert row["r2_low_systems"] <= row["r2"] <= row["r2_high_systems"]
    assert frame["best_share"].to_list() == [None, 1, 1, 1]
    assert frame["best_left_out"].to_list() == [None, 1, 1, 1]


def test_shares_of_the_best():
    counts, outside = made_counts(7, 25, 5), outside_of(7, 6)
    frame = correlate(counts, outside, resamples=200)
    by_kind = frame.filter(pl.col("alpha").is_not_null()).group_by("annotation")
    sums = by_kind.agg(pl.col("best_share", "best_left_out", "best").sum())
    assert sums["best"].to_list() == [1, 1, 1]
    assert sums["best_share"].to_list() == pytest.approx([1, 1, 1])
    assert sums["best_left_out"].to_list() == pytest.approx([1, 1, 1])
    # Leaving one out by hand gives the same.
    times = dict.fromkeys(keyed(frame, "best"), 0)
    for name in outside:
        rest = {key: score for key, score in outside.items() if key != name}
        again = correlate(counts.filter(pl.col("system") != name), rest, resamples=0)
        for key, is_best in keyed(again, "best").items():
            times[key] += is_best
    for key, share in keyed(frame, "best_left_out").items():
        assert share is None if key[2] is None else share == pytest.approx(times[key] / 7)


def test_draws_of_two_systems_are_left_out():
    """Two points lie on a line: counted, they would push the interval to 1."""
    x, y = [0.1, 0.2, 0.3], {"s0": 1.0, "s1": 3.0, "s2": 2.0}
    row = correlate(pl.DataFrame({"system": list(y), "f_0.5": x}), y).row(0, named=True)
    assert row["r2"] == pytest.approx(0.25)
    # All draws with three different systems are the systems themselves.
    assert row["r2_low_systems"] == pytest.approx(0.25)
    assert row["r2_high_systems"] == pytest.approx(0.25)
    assert row["best_left_out"] is None


def test_seed_and_resamples():
    counts, outside = made_counts(5, 20, 7), outside_of(5, 8)
    one = correlate(counts, outside, resamples=50, seed=1)
    assert one.equals(correlate(counts, outside, resamples=50, seed=1))
    other = correlate(counts, outside, resamples=50, seed=2)
    assert one["r2_low_systems"].to_list() != other["r2_low_systems"].to_list()
    assert one["r2_low_sentences"].to_list() != other["r2_low_sentences"].to_list()
    bare = correlate(counts, outside, resamples=0)
    assert bare["r2_low_systems"].null_count() == bare["best_share"].null_count() == bare.height
    assert "bootstrap" not in bare["signature"][0]
    assert "bootstrap:50,of:sentences+systems,seed:1,confidence:0.95" in one["signature"][0]


def test_large_corpora_are_resampled_in_groups():
    sentences, systems = MAX_UNITS + 300, 4
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(5, 9, sentences * systems) for name in COUNTS}
    counts = pl.DataFrame(
        {
            "system": np.repeat([f"s{k}" for k in range(systems)], sentences),
            "sid": np.tile(np.arange(sentences), systems),
            **columns,
        }
    )
    frame = correlate(counts, outside_of(4, 1), resamples=20)
    assert frame["r2_low_sentences"].null_count() == 0
    whole = counts.drop("sid").group_by("system").sum()
    again = correlate(whole, outside_of(4, 1), resamples=20)
    assert again["pearson"].to_list() == pytest.approx(frame["pearson"].to_list())
    assert again["r2_low_sentences"].null_count() == again.height


def test_it_takes_well_below_a_second():
    counts, outside = made_counts(20, 500, 1), outside_of(20, 2)
    correlate(counts, outside, resamples=10)
    start = time.process_time()
    correlate(counts, outside, resamples=1000)
    assert time.process_time() - start < 2


# --- tables of scores


def test_table_of_scores_gives_the_same_figures(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    outside = {"eager": 29.0, "cautious": 25.0, "forward": 28.5}
    gold = bundled / "gold.talp"
    scores = links.scores(systems, gold, alpha=[0.1, 0.5], bootstrap=10)
    frame = correlate(scores, outside, resamples=100)
    assert frame["measure"].to_list() == ["precision", "recall", "1-aer", "f_0.1", "f_0.5"]
    assert frame["annotation"].to_list() == [None, None, *["sure-possible"] * 3]
    assert frame["alpha"].to_list() == [None, None, None, 0.1, 0.5]
    counts = correlate(links.counts(systems, gold), outside, alpha=[0.1, 0.5], resamples=100)
    for name in ("pearson", "slope", "kendall", "r2_low_systems", "best"):
        same = frame.filter(annotation="sure-possible")[name].to_list()
        assert same == pytest.approx(counts.filter(annotation="sure-possible")[name].to_list())
    assert frame["r2_low_sentences"].null_count() == frame["best_share"].null_count() == 5
    mark = frame["signature"][0].split("|")
    assert {"from:scores", "possible:includes-sure", "better:higher"} <= set(mark)
    assert sum(part.startswith("bootstrap:") for part in mark) == 1


def test_scores_with_all_links_sure(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    outside = {"eager": 29.0, "cautious": 25.0, "forward": 28.5}
    scores = links.scores(systems, bundled / "gold.talp", possible_as_sure=True)
    frame = correlate(scores, outside)
    assert frame["annotation"].to_list() == [None, None, "possible", "possible"]
    counts = correlate(links.counts(systems, bundled / "gold.talp"), outside, alpha=[0.5])
    wanted = counts.filter(annotation="possible")["pearson"][0]
    assert frame.filter(measure="f_0.5")["pearson"][0] == pytest.approx(wanted)


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow", "duckdb"])
def test_any_frame(kind):
    counts, scores = made_counts(4, 6, 1), outside_of(4, 2)
    outside = pl.DataFrame({"system": list(scores), "score": list(scores.values())})
    wanted = correlate(counts, scores, resamples=20)
    with connect() as con:
        make = {
            "polars": lambda frame: frame,
            "lazy": lambda frame: frame.lazy(),
            "pandas": lambda frame: frame.to_pandas(),
            "arrow": lambda frame: frame.to_arrow(),
            "duckdb": lambda frame: con.from_arrow(frame.to_arrow()),
        }[kind]
        assert correlate(make(counts), make(outside), resamples=20).equals(wanted)


def test_reachable_from_the_package():
    assert af.stats.correlate is correlate


# --- constant and undefined measures


def test_a_constant_measure_has_nulls():
    frame = pl.DataFrame({"system": ["a", "b", "c"], "f_0.1": [0.5] * 3, "f_0.5": [0.1, 0.2, 0.4]})
    out = correlate(frame, {"a": 1, "b": 2, "c": 3})
    first, second = out.rows(named=True)
    assert {k for k, v in first.items() if v is None} == set(COLUMNS[4:13]) | set(COLUMNS[14:18])
    assert (first["best"], second["best"]) == (False, True)
    assert first["systems"] == 3


def test_figures_that_differ_in_the_last_bits_are_equal():
    near = [0.3, 0.1 + 0.2, 0.3]
    assert len(set(near)) == 2
    figures = pl.DataFrame({"system": ["a", "b", "c"], "x": near})
    scores = {"a": 1, "b": 2, "c": 3}
    assert correlate(figures, scores)["pearson"][0] is None
    with pytest.raises(InputError, match="every outside score is"):
        correlate(GOOD, dict(zip("abc", near, strict=True)))
    wanted = correlate(figures.with_columns(x=pl.Series([0.4, *near[1:]])), scores)
    assert wanted["kendall"][0] == pytest.approx(-2 / math.sqrt(6))
    outside = pl.DataFrame({"system": list(scores), "score": list(scores.values())})
    rows = pl.DataFrame(
        {"system": ["a", "b", "c"] * 2, "measure": ["x"] * 3 + ["y"] * 3, "value": near * 2}
    ).with_columns(annotation=pl.lit(None, pl.String), alpha=pl.lit(None, pl.Float64))
    measured = rows.with_columns(
        value=pl.when(measure="y", system="a").then(0.4).otherwise("value")
    )
    assert outside.height == measured.height / 2
    with connect() as con:
        found = con.sql("select kendall from correlations('measured', 'outside')").fetchall()
    assert [row[0] for row in found] == [None, pytest.approx(-2 / math.sqrt(6))]


def test_a_measure_undefined_for_one_system_has_nulls():
    frame = pl.DataFrame(
        {"system": ["a", "b", "c"], "f_0.1": [0.5, None, 0.7], "f_0.5": [0.1, float("nan"), 0.4]}
    )
    out = correlate(frame, {"a": 1, "b": 2, "c": 3})
    assert out["pearson"].to_list() == [None, None]
    assert out["best"].to_list() == [False, False]


def test_gold_without_sure_links():
    counts = made_counts(4, 5, 2).with_columns(n_sure=pl.lit(0), n_hyp_sure=pl.lit(0))
    out = correlate(counts, outside_of(4, 3), alpha=[0.5], resamples=20)
    assert keyed(out, "pearson")["f_0.5", "sure", 0.5] is None
    assert keyed(out, "pearson")["f_0.5", "possible", 0.5] is not None


def test_the_wrong_way_is_never_the_best():
    """The highest r2 belongs to the measure that goes the wrong way."""
    frame = pl.DataFrame(
        {"system": ["a", "b", "c"], "f_0.1": [3.0, 2.0, 1.0], "f_0.5": [1.0, 3.0, 2.0]}
    )
    outside = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert correlate(frame, outside)["best"].to_list() == [False, True]
    assert correlate(frame, outside, lower_is_better=True)["best"].to_list() == [True, False]


def test_of_equals_the_smallest_alpha_is_best():
    frame = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [1, 2, 4], "f_0.2": [2, 4, 8]})
    out = correlate(frame, {"a": 1, "b": 2, "c": 3})
    assert dict(out.select("measure", "best").iter_rows()) == {"f_0.5": False, "f_0.2": True}


# --- bad input

GOOD = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [0.1, 0.2, 0.4]})


@pytest.mark.parametrize(
    ("outside", "said"),
    [
        ({"a": 1, "b": 2}, r"2 systems .*\(a, b; without a score: c; .* at least 3"),
        ({"a": 1, "b": 2, "d": 3, "e": 4}, "without a score: c; without links: d, e"),
        ({"a": 1, "b": 2, "c": None}, "score of the system 'c' is missing"),
        ({"a": 1, "b": 2, "c": float("nan")}, "score of the system 'c' is missing"),
        ({"a": 1, "b": 2, "c": float("inf")}, "outside score inf of 'c'; expected a finite number"),
        ({"a": 1, "b": 2, "c": "29,1"}, "outside score '29,1' of 'c'"),
        ({"a": 1, "b": 2, "c": True}, "outside score .* of 'c'"),
        ({"a": 2, "b": 2, "c": 2}, "every outside score is 2"),
        (pl.DataFrame({"system": ["a", "b", "c"]}), "the column score"),
        (pl.DataFrame({"system": ["a", "b", "b"], "score": [1, 2, 3]}), "'b' has more than one"),
        (pl.DataFrame({"system": ["a", "b", None], "score": [1, 2, 3]}), "without a system"),
        (pl.DataFrame({"system": ["a", "b", "c"], "score": ["1", "2", "3"]}), "score '1' of 'a'"),
        (17, "an object of type int given as a table"),
    ],
)
def test_bad_outside_scores(outside, said):
    with pytest.raises(InputError, match=said):
        correlate(GOOD, outside)


def test_systems_without_a_score_are_named():
    frame = pl.DataFrame({"system": list("abcde"), "f_0.5": [0.1, 0.2, 0.4, 0.5, 0.6]})
    with pytest.raises(InputError, match=r"no outside score for d, e; .*; add the scores, or"):
        correlate(frame, {"a": 1, "b": 2, "c": 3})


def test_scores_without_a_system_are_ignored_with_a_warning():
    outside = {"a": 1, "b": 2, "c": 3}
    with pytest.warns(DataWarning, match="2 outside scores .* were ignored: x, y"):
        out = correlate(GOOD, {**outside, "y": 4, "x": 5})
    assert out.equals(correlate(GOOD, outside))


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (GOOD.drop("system"), "the column system"),
        (GOOD.drop("f_0.5"), "expected counts"),
        (GOOD.with_columns(**{"f_0.5": pl.lit("x")}), "expected counts"),
        (pl.concat([GOOD, GOOD]), "'a' has more than one row of scores"),
        (GOOD.with_columns(n_hyp=pl.lit(1)), "the column n_sure"),
        (GOOD.with_columns(system=pl.lit(None, pl.String)), "a row without a system"),
    ],
)
def test_bad_tables_of_scores(frame, said):
    with pytest.raises(InputError, match=said):
        correlate(frame, {"a": 1, "b": 2, "c": 3})


def test_bad_tables_of_counts():
    counts, outside = made_counts(3, 4, 0), {"s0": 1, "s1": 2, "s2": 3}
    lacking = counts.filter(~((pl.col("system") == "s1") & (pl.col("sid") == 2)))
    with pytest.raises(InputError, match=r"'s1' has counts of 3 of 4 sentences; .*links\.counts"):
        correlate(lacking, outside)
    with pytest.raises(InputError, match="'s0' has counts of sentence 0 more than once"):
        correlate(pl.concat([counts, counts.head(1)]), outside)
    with pytest.raises(InputError, match=r"n_hyp .* expected counts from 0"):
        correlate(counts.with_columns(n_hyp=-pl.col("n_hyp") - 1), outside)
    with pytest.raises(InputError, match=r"n_sure .* 12 missing"):
        correlate(counts.with_columns(n_sure=pl.lit(None, pl.Int64)), outside)
    with pytest.raises(InputError, match="sid of the type String"):
        correlate(counts.with_columns(pl.col("sid").cast(pl.String)), outside)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": [1.5]}, r"alpha of 1\.5"),
        ({"resamples": -1}, "-1 resamples"),
        ({"confidence": 1}, "a confidence of 1"),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(InputError, match=said):
        correlate(GOOD, {"a": 1, "b": 2, "c": 3}, **options)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ("('a', 1), ('b', 2)", "2 systems with measures and an outside score"),
        ("('x', 1), ('y', 2)", "0 systems with measures and an outside score"),
        ("('a', 1), ('b', 2), ('c', null)", "score of the system c is missing"),
        ("('a', 1), ('b', 2), ('c', 'nan'::double)", "score of the system c is missing"),
        ("('a', 1), ('b', 2), ('b', 2), ('c', 3)", "b has more than one outside score"),
        ("('a', 2), ('b', 2), ('c', 2)", "every outside score is the same"),
    ],
)
def test_bad_scores_in_sql(scores, said):
    with connect() as con:
        con.execute("create table counts as select * from made_counts_of_three")
        con.execute("create table measured as select * from measure_values('counts')")
        con.execute(f"create table outside as select * from (values {scores}) as s(system, score)")
        with pytest.raises(Exception, match=said):
            con.sql("select * from correlations('measured', 'outside')").fetchall()


made_counts_of_three = made_counts(3, 4, 0).with_columns(
    pl.col("system").replace({"s0": "a", "s1": "b", "s2": "c"})
)


# --- files of outside scores


def saved(path, text):
    path.write_text(text, "utf-8")
    return path


def test_files_of_scores(tmp_path):
    rows = {"system": ["a", "b"], "score": [1.5, 2.0], "group": ["union", "none"]}
    csv = "\ufeffsystem,score,group\r\na,1.5,union\r\n\r\nb, 2 ,\r\n"
    lines = '{"system": "a", "score": 1.5, "group": "union"}\n\n{"system": "b", "score": 2}\n'
    pq.write_table(pa.table(rows), tmp_path / "s.parquet")
    for path in (
        saved(tmp_path / "s.csv", csv),
        saved(tmp_path / "s.tsv", csv.replace(",", "\t")),
        saved(tmp_path / "s.jsonl", lines),
        tmp_path / "s.parquet",
    ):
        assert formats.read_outside(path).to_pydict() == rows
    plain = formats.read_outside(saved(tmp_path / "t.csv", "score,system\n1,a\n"))
    assert plain.to_pydict() == {"system": ["a"], "score": [1.0]}


def test_other_columns_are_named(tmp_path):
    path = saved(tmp_path / "s.csv", "system,score,ter\na,1,2\n")
    with pytest.warns(DataWarning, match="1 other columns were ignored: ter"):
        formats.read_outside(path)


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("s.csv", "system,score\na,1\nb,x\n", 3, "the score 'x' of the system 'b'; expected a"),
        ("s.csv", 'system,score\na,"28,5"\n', 2, "the score '28,5'"),
        ("s.csv", "system,score\na,nan\n", 2, "expected a finite number"),
        ("s.csv", "system,score\na,\n", 2, "no score for the system 'a'; expected a number"),
        ("s.csv", "system,score\n,3\n", 2, "a row without a system; expected"),
        ("s.csv", "system,score\na,1\n\na,2\n", 4, "the system 'a' again, as in line 2; expected"),
        ("s.csv", "system,score\na\n", 2, "1 cells; expected 2"),
        ("s.csv", "system,bleu\na,1\n", 1, "columns 'system', 'bleu'; expected one column 'score'"),
        ("s.csv", 'system,score\n"a,1\n', 2, "no row of CSV"),
        ("s.csv", "", None, "the file is empty; expected"),
        ("s.csv", "system,score\n", None, "no scores; expected"),
        ("s.jsonl", '{"system": "a", "score": 1}\n{"system"\n', 2, "no JSON"),
        ("s.jsonl", "[1]\n", 1, r"\[1\]; expected an object"),
        ("s.jsonl", '{"system": "a", "score": true}\n', 1, "the score True"),
        ("s.jsonl", '{"system": "a"}\n', 1, "no score for the system 'a'"),
        ("s.txt", "a 1\n", None, r"the suffix '.txt'; expected .csv, .tsv, .jsonl or .parquet"),
        ("s.parquet", "no parquet", None, "cannot be read as Parquet"),
    ],
)
def test_bad_files_of_scores(tmp_path, name, text, line, said):
    path = saved(tmp_path / name, text)
    place = str(path) if line is None else f"{path}:{line}"
    with pytest.raises(InputError, match=said) as caught:
        formats.read_outside(path)
    assert str(caught.value).startswith(f"{place}: ")


def test_a_file_of_other_bytes(tmp_path):
    path = tmp_path / "s.csv"
    path.write_bytes("system,score\né,1\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"s\.csv:2: the byte 0xe9 is not UTF-8"):
        formats.read_outside(path)
    with pytest.raises(InputError, match="no such file"):
        formats.read_outside(tmp_path / "none.csv")


# --- the command


@pytest.fixture(scope="module")
def typed(bundled, tmp_path_factory):
    scores = saved(
        tmp_path_factory.mktemp("scores") / "scores.csv",
        "system,score,group\neager,29.5,one\ncautious,25.1,two\nforward,28.4,one\n",
    )
    names = ("eager", "cautious", "forward")
    hyps = [word for name in names for word in ("--hyp", f"{name}={bundled / f'{name}.talp'}")]
    return ["--gold", bundled / "gold.talp", *hyps, "--scores", scores]


def test_command_as_json(typed, bundled, tmp_path):
    target = tmp_path / "out.parquet"
    out, said = run("links", "correlate", *typed, "--json", "-o", target)
    rows = json.loads(out)
    assert said == ""
    assert len(rows) == 28
    assert all(list(row) == COLUMNS for row in rows)
    counts = links.counts(
        {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")},
        bundled / "gold.talp",
    )
    wanted = correlate(counts, {"eager": 29.5, "cautious": 25.1, "forward": 28.4})
    assert rows == wanted.to_dicts()
    assert pl.read_parquet(target).equals(wanted)


def test_command_as_table(typed):
    out, _ = run("links", "correlate", *typed)
    lines = out.splitlines()
    assert lines[0].strip() == "Correlation with scores.csv, 3 systems"
    assert max(len(line) for line in lines if not line.startswith("alignframe:")) <= 80
    figures = [line for line in lines if line.startswith((" f_", " 1-aer"))]
    assert len(figures) == 28
    assert sum(" * " in line for line in figures) == 3
    assert lines[-1].startswith("alignframe:")
    out, _ = run("links", "correlate", *typed, "--alpha", ",".join(str(k / 20) for k in range(21)))
    assert "28 of 64 measures" in out
    shown = [line for line in out.splitlines() if line.startswith((" f_", " 1-aer"))]
    assert len(shown) == 28
    assert sum(" * " in line for line in shown) == 3


def test_command_with_options(typed):
    words = ["--alpha", "0.5", "--resamples", "30", "--seed", "4", "--confidence", "0.9"]
    out, _ = run("links", "correlate", *typed, *words, "--lower-is-better", "--json")
    (first, *_) = rows = json.loads(out)
    assert len(rows) == 4
    for part in ("better:lower", "bootstrap:30,of:sentences+systems,seed:4,confidence:0.9"):
        assert part in first["signature"].split("|")


def test_command_with_bad_scores(typed, tmp_path):
    bad = saved(tmp_path / "bad.csv", "system,score\neager,29.5\ncautious,high\n")
    _, said = run("links", "correlate", *typed[:-1], bad, code=2)
    assert f"error: {bad}:3: the score 'high' of the system 'cautious'; expected a finite" in said


def test_nothing_warns_of_a_perfect_correlation():
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
    """Return counts, and outside scores of as many systems, in four groups if asked."""
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
    row = correlate(counts, outside, resamples=0).filter(measure="f_0.4", annotation="sure")
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
    assert any(layer["mark"]["type"] == "text" for layer in spec["layer"]) == (systems <= 8)
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
    with pytest.raises(InputError, match=r"no measure f_0\.1 of .* sure; expected f_0\.5"):
        charts.measure_against_score(values, outside, measure="f_0.1", annotation="sure")


def test_r2_by_alpha_carries_the_sign():
    counts, outside = made_counts(6, 12, 4), outside_of(6, 2)
    table = correlate(counts, outside, resamples=50)
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
    other = drawn(charts.r2_by_alpha(table, interval="systems"))
    assert {row["low"] for row in other if "low" in row} != {r["low"] for r in rows}
    scores = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [1, 2, 4], "f_0.2": [2, 4, 9]})
    charts.r2_by_alpha(correlate(scores, {"a": 1, "b": 2, "c": 3}))
    with pytest.raises(InputError, match="no F whose correlation is defined"):
        charts.r2_by_alpha(correlate(scores.select("system", x="f_0.5"), {"a": 1, "b": 2, "c": 3}))


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 320)), min_size=1, max_size=8),
    st.integers(1, 30),
)
def test_names_cover_nothing(points, letters):
    boxes = []
    places = placed(points, ["x" * letters] * len(points), (400, 320), (-0.8, 320))
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
    outside = pl.DataFrame(formats.read_outside(bundled / "scores.csv"))
    with pytest.warns(DataWarning, match="3 outside scores") as warned:
        made = correlation_report(
            systems, bundled / "gold.talp", outside, resamples=50, score_name="BLEU"
        )
    assert len(warned) == 1
    return made


def test_report_needs_no_network(page):
    html = page.html()
    body = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", body)
    specs = json.loads(re.search(r"const specs = (\{.*?\});\n", html, re.DOTALL)[1])
    assert set(specs) == FIGURES
    for name in specs:
        assert f'<div id="{name}"></div>' in body
    assert page.signature in html


def test_report_shows_the_correlations(page, bundled):
    assert len(page.table.rows) == 28
    assert len({row for row, _ in page.table.strong}) == 3
    assert page.table.heads[3:5] == ["r² (95%, sentences)", "95%, systems"]
    assert all(len(row) == len(page.table.heads) for row in page.table.rows)
    assert "4 systems on 72 gold sentences, against BLEU" in page.lead
    best = next(f for f in page.figures if f.name == "f-sure-best").chart.to_dict()
    strong = sorted({row for row, _ in page.table.strong})
    names = [page.table.rows[row][0] for row in strong if page.table.rows[row][1] == "Sure only"]
    assert best["title"]["text"].replace("(", " (") == f"{names[0]} against BLEU"


@pytest.mark.parametrize(("format", "start"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_figures_of_the_report(page, tmp_path, format, start):
    written = page.write_figures(tmp_path, format)
    assert {path.stem for path in written} == FIGURES
    for path in written:
        assert path.read_bytes().startswith(start)


def test_report_without_resampling(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    outside = {"eager": 29.5, "cautious": 25.1, "forward": 28.4}
    made = correlation_report(systems, bundled / "gold.talp", outside, resamples=0)
    assert made.table.heads == ["Measure", "Gold links", "r", "r²", "p", "ρ", "τ"]
    assert {len(row) for row in made.table.rows} == {7}
    assert "resamples" not in " ".join(made.notes)
    curve = made.figures[-1].chart.to_dict()
    assert "no intervals" in curve["title"]["subtitle"]


def test_report_of_equal_systems(bundled):
    """Nothing correlates: the page says so, and leaves out the charts of best values."""
    systems = dict.fromkeys(("a", "b", "c"), bundled / "eager.talp")
    outside = {"a": 1, "b": 2, "</script><b>": 3}
    with pytest.raises(InputError, match="2 systems with links"):
        correlation_report(systems, bundled / "gold.talp", outside)
    made = correlation_report(
        {**systems, "</script><b>": bundled / "eager.talp"},
        bundled / "gold.talp",
        {**outside, "c": 4},
        resamples=5,
    )
    html = made.html()
    assert "undefined" in html
    assert "</script><b>" not in html
    assert {figure.name for figure in made.figures} == {
        "one-minus-aer",
        "f-sure-possible-even",
        "f-sure-even",
    }


def test_report_as_a_command(typed, tmp_path):
    words = ["--score-name", "BLEU", "--resamples", "20", "--figures", tmp_path / "figures"]
    out, _ = run("report", "correlation", *typed, *words, "-o", tmp_path / "r.html", "--json")
    made = json.loads(out)
    assert made["report"] == str(tmp_path / "r.html")
    assert len(made["figures"]) == len(FIGURES)
    assert "against BLEU" in (tmp_path / "r.html").read_text("utf-8")


def test_a_huge_score_makes_no_ties():
    values = pl.DataFrame({"system": list("abcde"), "m": [0.1, 0.5, 0.3, 0.9, 0.7]})
    scores = dict(zip("abcde", [-5.0, 1e-300, 2e-300, 1e12, 0.135], strict=True))
    found = correlate(values, scores, resamples=0)
    wanted = stats.spearmanr(values["m"], list(scores.values())).statistic
    assert found["spearman"][0] == pytest.approx(wanted)


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_seeds_are_whole_numbers_from_0(seed):
    values = pl.DataFrame({"system": list("abc"), "m": [0.1, 0.5, 0.3]})
    with pytest.raises(InputError, match="the seed"):
        correlate(values, {"a": 1, "b": 2, "c": 3.5}, seed=seed)


@pytest.mark.parametrize("score", ["1_0", "٣", "0x10"])
def test_numbers_of_other_spellings_are_refused(tmp_path, score):
    path = saved(tmp_path / "s.csv", f"system,score\na,{score}\n")
    with pytest.raises(InputError, match=r"s\.csv:2: the score"):
        formats.read_outside(path)
