"""Ranges of ranks against their definition, over all pairs of systems."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from reference import paired as slow

from alignframe import links, mt
from alignframe.core.figures import Ratio
from alignframe.stats.bootstrap import Resampling, resample_sums
from alignframe.stats.evaluation import evaluate
from alignframe.stats.measure import Measure
from alignframe.stats.multiple import max_t
from alignframe.stats.standings import rank_ranges
from alignframe.stats.task import Counted

SHARE = Measure(
    "share",
    ("right", "wrong", "words"),
    (
        Ratio("share", "right", "words"),
        Ratio("error", "wrong", "words", higher_is_better=False),
        Ratio("among", "right", "right"),
    ),
)


def counts_of(units, systems=6, seed=1):
    """Return counts of systems that get better by their number, the last two of which are equal."""
    rng = np.random.default_rng(seed)
    words = rng.integers(5, 30, units)
    rows = []
    for at in range(systems):
        right = rng.binomial(words, 0.5 + 0.03 * min(at, systems - 2))
        rows.append(
            pl.DataFrame({"sid": range(units), "right": right, "words": words}).select(
                pl.lit(f"s{at}").alias("system"), "sid", "right", "words"
            )
        )
    rows[-1] = rows[-2].with_columns(system=pl.lit(f"s{systems - 1}"))
    return pl.concat(rows).with_columns(wrong=pl.col("words") - pl.col("right"))


def found_better(counts, resamples):
    """Return the pairs in which the first is significantly better, by the definition of max-T."""
    right, words = (
        counts.pivot("system", index="sid", values=name).drop("sid").to_numpy()
        for name in ("right", "words")
    )
    sums = resample_sums(np.hstack([right, words]), resamples, 1)
    drawn = sums[:, : right.shape[1]] / sums[:, right.shape[1] :]
    whole = right.sum(axis=0) / words.sum(axis=0)
    pairs = [(a, b) for a, b in combinations(range(right.shape[1]), 2)]
    gaps = np.array([whole[a] - whole[b] for a, b in pairs])
    spread = np.array([drawn[:, a] - drawn[:, b] for a, b in pairs]).T - gaps
    together = max_t(gaps, spread, len(right))
    alone = [slow.p_value(list(g + s), g, len(right)) for g, s in zip(gaps, spread.T, strict=True)]
    clear = np.maximum(together, alone) < 0.05
    return {
        (a, b) if gap > 0 else (b, a)
        for (a, b), gap, sure in zip(pairs, gaps, clear, strict=True)
        if sure
    }


def test_ranges_count_who_is_significantly_better_and_worse():
    counts = counts_of(150)
    found = rank_ranges(Counted(counts, SHARE), "sid", Resampling(300))
    better = found_better(counts, 300)
    wanted = {
        f"s{at}": (1 + sum(b == at for _, b in better), 6 - sum(a == at for a, _ in better))
        for at in range(6)
    }
    assert 3 < len(better) < 14  # some are told apart, not all
    ranges = ("rank_low", "rank_high")
    for figure in ("share", "error"):
        rows = found.filter(measure=figure).select("system", *ranges).rows()
        assert {name: own for name, *own in rows} == {name: [*own] for name, own in wanted.items()}
        # The best come first, and equal systems have equal ranges.
        values = found.filter(measure=figure)["value"].to_list()
        assert values == sorted(values, reverse=figure == "share")
        assert wanted["s4"] == wanted["s5"]
    # Where all are equal, every system may have every rank.
    assert set(found.filter(measure="among").select(ranges).rows()) == {(1, 6)}
    assert "|paired-bootstrap:300," in found["signature"][0]


def test_a_higher_confidence_has_wider_ranges():
    counts = counts_of(150)
    ranges = []
    for confidence in (0.9, 0.999):
        drawn = Resampling(10_000, confidence)
        found = rank_ranges(Counted(counts, SHARE), "sid", drawn).filter(measure="share")
        assert "paired-bootstrap:10000," in found["signature"][0]
        ranges.append(found.select(pl.col("rank_high") - pl.col("rank_low"))["rank_high"].sum())
    # Some are told apart even so.
    assert ranges[0] < ranges[1] < 6 * 5


def test_few_units_are_tested_with_exchanged_labels_too():
    counts = counts_of(60, seed=3)
    found = rank_ranges(Counted(counts, SHARE), "sid", Resampling(300))
    assert found["signature"][0].endswith("correction:max-t-all-pairs+exchanged-labels")
    # Of two systems, ranks say what their comparison does.
    for one, other in (("s0", "s4"), ("s0", "s1")):
        pair = counts.filter(pl.col("system").is_in([one, other]))
        test = SHARE.compare(pair, baseline=one, bootstrap=300).filter(measure="share").row(0)
        ranked = rank_ranges(Counted(pair, SHARE), "sid", Resampling(300)).filter(measure="share")
        clear = test[8] < 0.05
        wanted = {(1, 1), (2, 2)} if clear else {(1, 2)}
        assert set(ranked.select("rank_low", "rank_high").rows()) == wanted, (one, other)
        assert clear == (other == "s4")


def test_systems_without_a_figure_have_no_rank():
    counts = counts_of(150, systems=3).with_columns(
        words=pl.when(pl.col("system") == "s0").then(0).otherwise("words")
    )
    found = rank_ranges(Counted(counts, SHARE), "sid", Resampling(100)).filter(measure="share")
    rows = found.select("system", "rank_low", "rank_high").rows()
    assert sorted(rows) == [("s0", None, None), ("s1", 1, 2), ("s2", 1, 2)]
    assert rows[-1][0] == "s0"


def test_without_tests_there_are_no_ranks():
    of = {"a": ["a b", "c"], "b": ["a c", "c"]}
    none = mt.score(of, ["a b", "c"], tokenize="none", bootstrap=0).ranks()
    assert none["rank_low"].null_count() == none.height == 4
    alone = mt.score({"a": ["a"], "b": ["c"]}, ["a b"], tokenize="none").ranks()
    assert alone["rank_high"].null_count() == alone.height
    one = mt.score(["a b", "c"], ["a b", "c"], tokenize="none").ranks()
    assert set(one.select("rank_low", "rank_high").rows()) == {(1, 1)}
    grouped = links.score(["0-0", "0-0"], ["0-0", "0-0"], by="length")
    with pytest.raises(ValueError, match="`by` with ranks"):
        grouped.ranks()


@pytest.mark.parametrize("units", [60, 150])
def test_a_baseline_that_the_counts_chose_is_tested_as_ranks_are(units):
    counts = counts_of(units)
    found = evaluate(SHARE, counts, bootstrap=300)
    given = evaluate(SHARE, counts, bootstrap=300, baseline=found.scores["system"][0])
    assert found.ranks.equals(given.ranks)
    tests = found.comparisons.filter(measure="share")
    assert (tests["p_corrected"] >= given.comparisons.filter(measure="share")["p_corrected"]).all()
    assert "correction:max-t-all-pairs" in tests["signature"][0]
    clear = tests.filter(pl.col("p_corrected") < 0.05)["system"].to_list()
    assert 0 < len(clear) < tests.height
    best = found.ranks.filter(measure="share").row(0, named=True)
    assert (best["rank_low"], best["rank_high"]) == (1, 6 - len(clear))


@pytest.mark.parametrize("baseline", [None, "s0", "s5"])
def test_all_pairs_are_tested_once_and_the_best_follow(baseline, monkeypatch):
    from alignframe.stats import differences as module

    counts, families = counts_of(150), []
    corrected = module.corrected
    monkeypatch.setattr(
        module, "corrected", lambda tests: families.append(len(tests)) or corrected(tests)
    )
    found = evaluate(SHARE, counts, bootstrap=300, baseline=baseline)
    # A family of each of three figures, of 15 pairs; and of five if there is a baseline.
    assert sorted(families) == [5] * (3 if baseline else 0) + [15] * 3
    marks = {*found.comparisons["signature"], *found.ranks["signature"]}
    assert {mark for mark in marks if mark in found.signature} == marks
    assert len(marks) == (2 if baseline else 1)
    # The best are those that the tests of all pairs with the best one do not tell apart.
    for figure in ("share", "error"):
        best = found.ranks.filter(measure=figure).row(0, named=True)["system"]
        tests = SHARE.compare(counts, baseline=best, bootstrap=300, pairs=True)
        alike = tests.filter(pl.col("p_corrected") >= 0.05, measure=figure)["system"]
        bold = found.ranks.filter("best", measure=figure)["system"]
        assert {*bold} == {best, *alike}
        assert 1 < len(bold) < 6
