"""Intervals and p-values of few and many units, alone and in families, against definitions."""

from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from reference import paired as slow

from alignframe.core.schemas import PAIRED
from alignframe.errors import InputError
from alignframe.stats.bootstrap import (
    Resampling,
    interval,
    interval_ends,
    least_p,
    resample_sums,
)
from alignframe.stats.correlation import correlate
from alignframe.stats.link_measure import links_measure
from alignframe.stats.multiple import max_t
from alignframe.stats.paired import Paired, corrected, exchanged_sums, paired_tests
from alignframe.stats.sample import Sample

MEASURE = links_measure([0.1])
FIGURES = MEASURE.of
AER = replace(MEASURE, figures=(MEASURE.figures[2],)).of


def made_links(sentences, rng, systems=2):
    """Return counts of links (sentences, systems, 4) of unequal sentences and equal systems."""
    length = rng.integers(5, 31, sentences)
    sure = np.maximum(1, rng.binomial(length, 0.6))
    quality = rng.beta(8, 2, sentences)
    every = []
    for _ in range(systems):
        n_hyp = np.maximum(1, rng.binomial(length, 0.9))
        own = np.clip(quality + rng.normal(0, 0.05, sentences), 0.02, 0.99)
        n_sure = np.minimum(rng.binomial(sure, own), n_hyp)
        n_possible = n_sure + rng.binomial(n_hyp - n_sure, 0.7 * own)
        every.append(np.stack([n_hyp, sure, n_sure, n_possible], axis=-1))
    return np.stack(every, axis=1).astype(np.float64)


@pytest.mark.parametrize("sentences", [10, 20, 40])
def test_intervals_cover_what_they_say(sentences):
    """Of 800 samples, the intervals of every score and difference hold the truth in 94% or more."""
    rng = np.random.default_rng(sentences)
    population = made_links(200_000, rng)
    figures = FIGURES(population.sum(axis=0))
    truth = np.concatenate([figures[0], figures[1] - figures[0]])
    held, times = np.zeros(truth.size), 800
    for _ in range(times):
        counts = population[rng.integers(0, len(population), sentences)]
        sample = Sample.draw(FIGURES, counts, Resampling(400))
        ends = [sample.interval(0, at) for at in range(figures.shape[1])]
        ends += [sample.paired(1, 0, at).interval(0.95) for at in range(figures.shape[1])]
        low, high = np.array(ends).T
        held += (low <= truth) & (truth <= high)
    # 1.5% are two standard errors of a single share; their mean has less.
    assert (held / times).min() >= 0.925
    assert 0.94 <= (held / times).mean() <= 0.975


differences = st.lists(
    st.one_of(st.sampled_from([0.0, np.nan]), st.floats(-1, 1).map(lambda x: round(x, 2))),
    min_size=1,
    max_size=60,
)


@given(differences, st.floats(-1, 1).map(lambda x: round(x, 2)), st.integers(2, 200))
def test_p_values_and_intervals_follow_their_definitions(drawn, observed, units):
    test = Paired(observed, np.array(drawn), units)
    assert test.p_value == pytest.approx(
        slow.p_value(drawn, observed, units), abs=1e-9, nan_ok=True
    )
    found = interval(np.array(drawn), 0.9, observed=observed, units=units)
    assert found == pytest.approx(slow.interval(drawn, 0.9, observed, units), nan_ok=True)


@given(st.integers(0, 10_000), st.integers(2, 40), st.sampled_from([0.5, 0.9, 0.95]))
def test_an_interval_leaves_0_out_if_its_p_value_is_below_the_level(seed, units, confidence):
    rng = np.random.default_rng(seed)
    sample = np.round(rng.normal(rng.normal(), 1, units) * rng.integers(0, 2, units), 1)
    drawn = resample_sums(sample[:, None], 150, 1)[:, 0]
    test = Paired(float(sample.sum()), drawn, units)
    low, high = test.interval(confidence)
    assert (low > 0 or high < 0) == (test.p_value < 1 - confidence)


def test_a_single_test_of_few_units_is_about_the_t_test():
    """It is a little more careful, as it allows for sentences of unequal size."""
    rng = np.random.default_rng(5)
    for units, shift in ((8, 0.7), (12, 0.6), (400, 0.1)):
        sample = rng.normal(shift, 1, units)
        drawn = resample_sums(sample[:, None], 20_000, 1)[:, 0]
        found = Paired(float(sample.sum()), drawn, units).p_value
        wanted = scipy.stats.ttest_1samp(sample, 0).pvalue
        assert -0.01 < found - wanted < 0.03


def reference_max_t(observed, drawn, permuted):
    """Correct p-values by the definition, resample by resample; columns of NaN are not tested."""
    sizes = {}
    for test, gap in enumerate(observed):
        known = [row[test] for row in drawn if not np.isnan(row[test])]
        if known and not np.isnan(gap):
            spread = np.sqrt(np.mean(np.square([*known, gap] if permuted else known)))
            sizes[test] = (abs(gap) / spread, spread) if spread else (np.inf * gap if gap else 0, 1)
    found, least = [float("nan")] * len(observed), 0.0
    for test in sorted(sizes, key=lambda one: -abs(sizes[one][0])):
        own = [row for row in drawn if not np.isnan(row[test])]
        left = [one for one in sizes if abs(sizes[one][0]) <= abs(sizes[test][0])]
        most = [max(abs(row[x]) / sizes[x][1] for x in left if row[x] == row[x]) for row in own]
        share = (1 + sum(one >= abs(sizes[test][0]) - 1e-9 for one in most)) / (1 + len(own))
        found[test] = least = max(least, share)
    return found


@given(st.data())
def test_max_t_follows_its_definition(data):
    seed, tests = data.draw(st.integers(0, 1000)), data.draw(st.integers(0, 6))
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(12, tests)) * rng.choice([0.1, 1, 5], tests)
    drawn[rng.random(drawn.shape) < data.draw(st.sampled_from([0, 0.1]))] = np.nan
    observed = rng.normal(size=tests) * 2 * rng.choice([0, 1, np.nan], tests, p=[0.1, 0.8, 0.1])
    for permuted in (False, True):
        found = max_t(observed, drawn, 0 if permuted else 10**12)
        assert found == pytest.approx(reference_max_t(observed, drawn, permuted), nan_ok=True)


def test_many_tests_need_no_more_resamples():
    """Corrected by Holm's method, none of 125 tests could reach .05 with 1,000 resamples."""
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=(1000, 125))
    observed = np.where(np.arange(125) < 60, 8.0, 0.5)
    found = max_t(observed, drawn, 10**6)
    assert (found[:60] == 1 / 1001).all()
    assert (found[60:] > 0.5).all()


@pytest.mark.parametrize("sentences", [6, 12, 150])
def test_the_family_wise_error_is_at_most_its_level(sentences):
    """Of 300 families of 8 systems that differ by chance, about 5% or fewer have a finding."""
    rng = np.random.default_rng(sentences)
    found = []
    for _ in range(300):
        counts = made_links(sentences, rng, 9)
        sample = Sample.draw(AER, counts, Resampling(200))
        tests = [sample.paired(at, 0, 0) for at in range(1, 9)]
        if sample.exchanged:
            tests = [
                replace(test, exchanged=sample.exchanged(at, 0)[:, 0])
                for at, test in enumerate(tests, 1)
            ]
        found.append(corrected(tests).min())
    assert np.mean(np.array(found) < 0.05) < 0.075


def test_a_family_of_one_is_not_corrected_and_others_are_at_least_as_large():
    rng = np.random.default_rng(1)
    tests = [Paired(gap, rng.normal(gap, 1, 300), 30, rng.normal(size=300)) for gap in (3, 1, 0.2)]
    assert corrected(tests[:1]).tolist() == [tests[0].p_value]
    assert (corrected(tests) >= [test.p_value for test in tests]).all()
    assert corrected([]).size == 0


def test_labels_are_exchanged_unit_by_unit():
    rng = np.random.default_rng(2)
    own, other = rng.integers(0, 9, (2, 4)).astype(float)
    lists = [pa.array([side.tolist(), None]) for side in (own, other)]
    sums, missing = exchanged_sums(*lists, 500).to_pylist()
    every = set()
    for bits in range(16):
        kept = (bits >> np.arange(4)) & 1 > 0
        first, second = np.where(kept, own, other), np.where(kept, other, own)
        every.add((float(first.sum()), float(second.sum())))
    assert set(zip(sums[::2], sums[1::2], strict=True)) == every
    assert missing is None


def test_functions_over_lists_equal_their_parts():
    rng = np.random.default_rng(4)
    tests = [
        Paired(0.4, rng.normal(0.4, 0.2, 50), 20, rng.normal(0, 0.2, 50)),
        Paired(-0.1, np.r_[rng.normal(-0.1, 0.2, 49), np.nan], 20, rng.normal(0, 0.2, 50)),
        Paired(0.2, rng.normal(0.2, 0.1, 50), 500),
    ]
    lists = [
        {
            "observed": test.observed,
            "drawn": [None if np.isnan(x) else x for x in test.drawn.tolist()],
            "units": test.units,
            "exchanged": test.exchanged.tolist(),
        }
        for test in tests
    ]
    families = pa.array([lists, [], None, lists[:1]], PAIRED)
    found = paired_tests(families, 0.9).to_pylist()
    assert [len(rows) for rows in found] == [3, 0, 0, 1]
    for rows, family in ((found[0], tests), (found[3], tests[:1])):
        for row, test, p_value in zip(rows, family, corrected(family), strict=True):
            assert list(row.values()) == [*test.interval(0.9), test.p_value, p_value]
    ends = interval_ends(
        pa.array([tests[0].drawn.tolist(), None]), pa.array([0.4, 1.0]), pa.array([20, 20]), 0.9
    ).to_pylist()
    low, high = interval(tests[0].drawn, 0.9, observed=0.4, units=20)
    assert ends == [{"low": low, "high": high}, None]
    with pytest.raises(InputError, match="figures without units"):
        interval_ends(pa.array([[1.0]]), pa.array([1.0]), pa.array([None], pa.int64()))


@pytest.mark.parametrize(("systems", "most"), [(3, 0.0), (4, 0.07), (5, 0.07)])
def test_few_systems_give_no_more_findings_than_chance(systems, most):
    """Scores that have nothing to do with the measures: 5% of 200 tables may have a finding."""
    rng = np.random.default_rng(systems)
    found = []
    for _ in range(200):
        shared = np.repeat(rng.normal(size=(3, systems)), 4, axis=0)
        figures = shared + 0.3 * rng.normal(size=shared.shape)
        names = [f"s{at}" for at in range(systems)]
        table = pl.DataFrame({"system": names} | {f"m{at}": x for at, x in enumerate(figures)})
        external = dict(zip(names, rng.normal(size=systems).tolist(), strict=True))
        rows = correlate(table, external, bootstrap=1)
        found.append(rows["p_corrected"].min())
    assert np.mean(np.array(found) < 0.05) <= most


def test_a_single_unit_has_neither_interval_nor_test():
    test = Paired(0.4, np.full(9, 0.4), 1)
    assert np.isnan([test.p_value, *test.interval(0.95)]).all()
    ends = interval_ends(pa.array([[0.4, 0.4]]), pa.array([0.4]), pa.array([1])).to_pylist()
    assert ends == [None]


def test_the_lowest_p_value_is_that_of_a_difference_in_every_resample():
    for units, resamples in ((5, 999), (12, 200), (2048, 10_000)):
        p_value = Paired(0.5, np.full(resamples, 0.5), units).p_value
        assert p_value == least_p(resamples, units)
    assert least_p(1000, 7) > 0.05 > least_p(10_000, 7)
