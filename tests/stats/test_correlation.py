"""Correlation of measures with external scores, against plain Python and against SQL."""

import math

import numpy as np
import polars as pl
import pytest
from helpers.sql import connected
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from reference.correlation import (
    COLUMNS,
    GOOD,
    external_of,
    keyed,
    made_counts,
    slow_best,
    slow_kendall,
    slow_measures,
    slow_pearson,
    slow_ranks,
)
from reference.paired import interval as slow_interval
from scipy import stats

import alignframe as af
from alignframe import links
from alignframe.core.schemas import COUNTS
from alignframe.errors import InputError
from alignframe.stats import measure_values
from alignframe.stats.bootstrap import MAX_UNITS, resample_sums
from alignframe.stats.ranks import ranks


def correlate(*given, **options):
    """Correlate, without the rows of a chosen α, which are in test_left_out.py."""
    return af.stats.correlate(*given, **options).filter(pl.col("measure") != "f_chosen")


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
    frame = af.stats.correlate(made_counts(4, 5, 0), external_of(4, 1), bootstrap=10)
    alphas = [k / 10 for k in range(1, 10)]
    kinds = ("sure-possible", "sure", "possible")
    wanted = [("1-aer", "sure-possible", None)]
    wanted += [(f"f_{alpha:g}", kind, alpha) for kind in kinds for alpha in alphas]
    wanted += [("f_chosen", kind, None) for kind in (*kinds, "any")]
    assert frame.select("measure", "annotation", "alpha").rows() == wanted
    assert frame.columns == COLUMNS
    assert set(frame["systems"]) == {4}


@settings(max_examples=15)
@given(st.integers(3, 8), st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_against_plain_python(systems, sentences, seed, lower):
    counts, outside = made_counts(systems, sentences, seed), external_of(systems, seed + 1)
    assume(len(set(outside.values())) > 1)
    alphas = [0.1, 0.5, 0.75]
    frame = correlate(counts, outside, alpha=alphas, bootstrap=0, lower_is_better=lower)
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


@settings(max_examples=3)
@given(st.integers(3, 7), st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_sql_gives_the_same_figures(systems, sentences, seed, lower):
    counts, scores = made_counts(systems, sentences, seed), external_of(systems, seed + 1)
    assume(len(set(scores.values())) > 1)
    wanted = correlate(counts, scores, bootstrap=0, lower_is_better=lower)
    outside = pl.DataFrame({"system": list(scores), "score": list(scores.values())})
    keys = ["system", "measure", "annotation", "alpha"]
    with connected() as con:
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
    counts, outside = made_counts(6, 30, 3), external_of(6, 4)
    frame = correlate(counts, outside, alpha=[0.3], bootstrap=80, seed=9)
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
        ends = slow_interval(squares, 0.95, row["r2"], 30)
        assert [row["r2_low_sentences"], row["r2_high_sentences"]] == pytest.approx(ends)
        assert row["r2_low_systems"] <= row["r2"] <= row["r2_high_systems"]
    assert frame["best_share"].to_list() == [None, 1, 1, 1]
    assert frame["best_left_out"].to_list() == [None, 1, 1, 1]


def test_intervals_contain_their_own_figures():
    # F follows the score exactly, and hardly any resample of sentences keeps that.
    hit = {"a": 200, "b": 300, "c": 400, "d": 500}
    off = (-100, 1, 2, 4, 8, 16, 32, 37)
    rows = [
        {"system": name, "sid": sid, "n_hyp": 900, "n_sure": 900, "n_possible": 900}
        | dict.fromkeys(("n_hyp_sure", "n_hyp_possible"), n + by * (name in "bd"))
        for name, n in hit.items()
        for sid, by in enumerate(off)
    ]
    counts = pl.DataFrame(rows).with_columns(pl.col("^n_.*$").cast(pl.UInt32))
    found = correlate(counts, hit, alpha=[0.5], bootstrap=200)
    assert found["r2"].to_list() == pytest.approx([1.0] * found.height)
    assert (found["r2_low_sentences"] < 1).all()
    for kind in ("sentences", "systems"):
        assert (found[f"r2_low_{kind}"] <= found["r2"]).all()
        assert (found["r2"] <= found[f"r2_high_{kind}"]).all()


def test_shares_of_the_best():
    counts, outside = made_counts(7, 25, 5), external_of(7, 6)
    frame = correlate(counts, outside, bootstrap=200)
    by_kind = frame.filter(pl.col("alpha").is_not_null()).group_by("annotation")
    sums = by_kind.agg(pl.col("best_share", "best_left_out", "best").sum())
    assert sums["best"].to_list() == [1, 1, 1]
    assert sums["best_share"].to_list() == pytest.approx([1, 1, 1])
    assert sums["best_left_out"].to_list() == pytest.approx([1, 1, 1])
    # Leaving one out manually gives the same.
    times = dict.fromkeys(keyed(frame, "best"), 0)
    for name in outside:
        rest = {key: score for key, score in outside.items() if key != name}
        again = correlate(counts.filter(pl.col("system") != name), rest, bootstrap=0)
        for key, is_best in keyed(again, "best").items():
            times[key] += is_best
    for key, share in keyed(frame, "best_left_out").items():
        assert share is None if key[2] is None else share == pytest.approx(times[key] / 7)


def test_resamples_of_two_systems_are_left_out():
    """Two points lie on a line, so they would push the interval to 1."""
    x, y = [0.1, 0.2, 0.3], {"s0": 1.0, "s1": 3.0, "s2": 2.0}
    row = correlate(pl.DataFrame({"system": list(y), "f_0.5": x}), y).row(0, named=True)
    assert row["r2"] == pytest.approx(0.25)
    # All resamples with three different systems are the systems themselves.
    assert (row["r2_low_systems"], row["r2_high_systems"]) == (None, None)
    assert row["best_left_out"] is None


def test_seed_and_resamples():
    counts, outside = made_counts(5, 20, 7), external_of(5, 8)
    one = correlate(counts, outside, bootstrap=50, seed=1)
    assert one.equals(correlate(counts, outside, bootstrap=50, seed=1))
    other = correlate(counts, outside, bootstrap=50, seed=2)
    assert one["r2_low_systems"].to_list() != other["r2_low_systems"].to_list()
    assert one["r2_low_sentences"].to_list() != other["r2_low_sentences"].to_list()
    bare = correlate(counts, outside, bootstrap=0)
    assert bare["r2_low_systems"].null_count() == bare["best_share"].null_count() == bare.height
    assert "bootstrap" not in bare["signature"][0]
    assert "bootstrap:50,of:sentences+systems,seed:1,confidence:0.95" in one["signature"][0]


def test_large_corpora_are_resampled_in_groups():
    sentences, systems = MAX_UNITS + 300, 4
    rng = np.random.default_rng(0)
    n_hyp_sure, *more = rng.integers(5, 9, (5, sentences * systems))
    n_hyp_possible = n_hyp_sure + more[0]
    columns = {
        "n_hyp": n_hyp_possible + more[1],
        "n_sure": n_hyp_sure + more[2],
        "n_possible": n_hyp_possible + more[2] + more[3],
        "n_hyp_sure": n_hyp_sure,
        "n_hyp_possible": n_hyp_possible,
    }
    counts = pl.DataFrame(
        {
            "system": np.repeat([f"s{k}" for k in range(systems)], sentences),
            "sid": np.tile(np.arange(sentences), systems),
            **columns,
        }
    )
    frame = correlate(counts, external_of(4, 1), bootstrap=20)
    assert frame["r2_low_sentences"].null_count() == 0
    whole = counts.drop("sid").group_by("system").sum()
    again = correlate(whole, external_of(4, 1), bootstrap=20)
    assert again["pearson"].to_list() == pytest.approx(frame["pearson"].to_list())
    assert again["r2_low_sentences"].null_count() == again.height


# --- tables of scores


def test_a_table_of_scores_gives_the_same_figures(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}
    outside = {"eager": 29.0, "cautious": 25.0, "forward": 28.5}
    gold = bundled / "gold.talp"
    scores = links.score(systems, gold, alpha=[0.1, 0.5], bootstrap=10).scores
    frame = correlate(scores, outside, bootstrap=100)
    assert frame["measure"].to_list() == ["precision", "recall", "1-aer", "f_0.1", "f_0.5"]
    assert frame["annotation"].to_list() == [None, None, *["sure-possible"] * 3]
    assert frame["alpha"].to_list() == [None, None, None, 0.1, 0.5]
    counts = correlate(links.score(systems, gold).counts, outside, alpha=[0.1, 0.5], bootstrap=100)
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
    scores = links.score(systems, bundled / "gold.talp", possible_as_sure=True).scores
    frame = correlate(scores, outside)
    assert frame["annotation"].to_list() == [None, None, "possible", "possible"]
    counts = correlate(links.score(systems, bundled / "gold.talp").counts, outside, alpha=[0.5])
    wanted = counts.filter(annotation="possible")["pearson"][0]
    assert frame.filter(measure="f_0.5")["pearson"][0] == pytest.approx(wanted)


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow", "duckdb"])
def test_any_frame(kind):
    counts, scores = made_counts(4, 6, 1), external_of(4, 2)
    outside = pl.DataFrame({"system": list(scores), "score": list(scores.values())})
    wanted = correlate(counts, scores, bootstrap=20)
    with connected() as con:
        make = {
            "polars": lambda frame: frame,
            "lazy": lambda frame: frame.lazy(),
            "pandas": lambda frame: frame.to_pandas(),
            "arrow": lambda frame: frame.to_arrow(),
            "duckdb": lambda frame: con.from_arrow(frame.to_arrow()),
        }[kind]
        assert correlate(make(counts), make(outside), bootstrap=20).equals(wanted)


def test_reachable_from_the_package():
    assert callable(af.stats.correlate)


# --- constant and undefined measures


def test_a_constant_measure_has_nulls():
    frame = pl.DataFrame({"system": ["a", "b", "c"], "f_0.1": [0.5] * 3, "f_0.5": [0.1, 0.2, 0.4]})
    out = correlate(frame, {"a": 1, "b": 2, "c": 3})
    first, second = out.rows(named=True)
    known = {"measure", "annotation", "systems", "best", "signature"}
    assert {k for k, v in first.items() if v is not None} <= known | {"alpha"}
    assert (first["best"], second["best"]) == (False, True)
    assert first["systems"] == 3


def test_figures_equal_to_12_digits_are_ties():
    near = [0.3, 0.1 + 0.2, 0.3]
    assert len(set(near)) == 2
    figures = pl.DataFrame({"system": ["a", "b", "c"], "x": near})
    scores = {"a": 1, "b": 2, "c": 3}
    assert correlate(figures, scores)["pearson"][0] is None
    with pytest.raises(InputError, match="all external scores are"):
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
    with connected() as con:
        found = con.execute("select kendall from correlations('measured', 'outside')").fetchall()
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
    out = correlate(counts, external_of(4, 3), alpha=[0.5], bootstrap=20)
    assert keyed(out, "pearson")["f_0.5", "sure", 0.5] is None
    assert keyed(out, "pearson")["f_0.5", "possible", 0.5] is not None


def test_a_negative_correlation_is_never_the_best():
    """The highest r2 belongs to a measure with a negative correlation."""
    frame = pl.DataFrame(
        {"system": ["a", "b", "c"], "f_0.1": [3.0, 2.0, 1.0], "f_0.5": [1.0, 3.0, 2.0]}
    )
    outside = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert correlate(frame, outside)["best"].to_list() == [False, True]
    assert correlate(frame, outside, lower_is_better=True)["best"].to_list() == [True, False]


def test_among_equals_the_smallest_alpha_is_best():
    frame = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [1, 2, 4], "f_0.2": [2, 4, 8]})
    out = correlate(frame, {"a": 1, "b": 2, "c": 3})
    assert dict(out.select("measure", "best").iter_rows()) == {"f_0.5": False, "f_0.2": True}


def test_a_huge_score_causes_no_ties():
    values = pl.DataFrame({"system": list("abcde"), "m": [0.1, 0.5, 0.3, 0.9, 0.7]})
    scores = dict(zip("abcde", [-5.0, 1e-300, 2e-300, 1e12, 0.135], strict=True))
    found = correlate(values, scores, bootstrap=0)
    wanted = stats.spearmanr(values["m"], list(scores.values())).statistic
    assert found["spearman"][0] == pytest.approx(wanted)


VALUES = arrays(
    np.float64,
    array_shapes(max_dims=3, max_side=6),
    elements=st.sampled_from([-np.inf, -0.0, 0.0, 1.0, 1.5, np.inf, np.nan]),
)


@given(VALUES)
def test_ranks_equal_scipy_s(values):
    assert np.array_equal(ranks(values), stats.rankdata(values, axis=-1), equal_nan=True)
