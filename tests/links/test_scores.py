"""Scores by group, intervals and comparisons."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import links as reference

from alignframe import links
from alignframe.core.figures import aer
from alignframe.errors import InputError
from alignframe.stats.bootstrap import MAX_UNITS, interval, resample_sums, unit_of
from alignframe.stats.paired import Paired


def tables(size=60, seed=0, systems=("good", "poor")):
    """Return random gold, and systems of different quality."""
    rng = np.random.default_rng(seed)
    truth, made = [], {name: [] for name in systems}
    for _ in range(size):
        length = int(rng.integers(3, 30))
        possible = {(k, int(np.clip(k + rng.integers(-1, 2), 0, 29))) for k in range(length)}
        sure = {link for link in sorted(possible) if rng.random() < 0.7}
        truth.append((sure, possible))
        for name, keep in zip(systems, (0.9, 0.6, 0.9), strict=False):
            kept = {link for link in sorted(possible) if rng.random() < keep}
            made[name].append(kept | {(0, int(rng.integers(30)))})
    hyp = pa.concat_tables(
        pa.table(
            {
                "system": [name] * size,
                "sid": range(size),
                "links": reference.nested([sorted(row) for row in rows]),
            }
        )
        for name, rows in made.items()
    )
    domains = ["news" if sid % 3 else "talk" for sid in range(size)]
    gold = pa.table({"sid": range(size), "links": reference.nested_gold(truth), "domain": domains})
    return hyp, gold, made, truth


def test_corpus_figures_are_ratios_of_sums():
    hyp, gold, made, truth = tables()
    frame = links.score(hyp, gold, alpha=[0.1, 0.5]).scores
    for row in frame.iter_rows(named=True):
        counts = [reference.count(h, *g) for h, g in zip(made[row["system"]], truth, strict=True)]
        n_hyp, n_sure, _, hyp_sure, hyp_possible = map(sum, zip(*counts, strict=True))
        p, r = hyp_possible / n_hyp, hyp_sure / n_sure
        assert row["sentences"] == 60
        assert row["links"] == n_hyp
        assert row["precision"] == pytest.approx(p)
        assert row["recall"] == pytest.approx(r)
        assert row["aer"] == pytest.approx(1 - (hyp_possible + hyp_sure) / (n_hyp + n_sure))
        assert row["f_0.1"] == pytest.approx(1 / (0.1 / p + 0.9 / r))
        assert row["f_0.5"] == pytest.approx(1 / (0.5 / p + 0.5 / r))


def test_groups_add_up_to_the_whole():
    hyp, gold, _, _ = tables()
    whole = links.score(hyp, gold).scores
    for by in (["domain"], ["length"], ["sid"], ["domain", "length"]):
        parts = links.score(hyp, gold, by=by).scores
        sums = parts.group_by("system").agg(pl.col("sentences", "links").sum()).sort("system")
        assert sums.equals(whole.select("system", "sentences", "links"))
        assert set(by) < set(parts.columns)
    assert links.score(hyp, gold, by=["domain"]).scores["domain"].unique().sort().to_list() == [
        "news",
        "talk",
    ]


def test_bands_are_ordered_by_length():
    hyp, gold, _, _ = tables()
    frame = links.score(hyp, gold, by=["length"], bands=[9, 12, 100]).scores
    one = frame.filter(pl.col("system") == "good")
    assert one["length"].to_list() == ["1-9", "10-12", "13-100"]


def test_possible_as_sure():
    hyp, gold, made, truth = tables()
    frame = links.score(hyp, gold, possible_as_sure=True).scores
    hits = sum(len(h & possible) for h, (_, possible) in zip(made["good"], truth, strict=True))
    total = sum(len(possible) for _, possible in truth)
    assert frame["recall"][0] == pytest.approx(hits / total)
    assert frame["aer"][0] == pytest.approx(1 - frame["f_0.5"][0])
    assert "possible:as-sure" in frame["signature"][0]


def test_gold_without_labels_is_all_sure():
    hyp, gold, _, truth = tables()
    plain = reference.nested([sorted(possible) for _, possible in truth])
    bare = pa.table({"sid": range(60), "links": plain})
    one = links.score(hyp, bare).scores.drop("signature")
    assert one.equals(links.score(hyp, gold, possible_as_sure=True).scores.drop("signature"))


def test_undefined_figures_are_null():
    hyp = pa.table({"sid": [0], "links": reference.nested([[]])})
    gold = pa.table({"sid": [0], "links": reference.nested_gold([({(0, 0)}, {(0, 0)})])})
    row = links.score(hyp, gold).scores.row(0, named=True)
    assert (row["precision"], row["recall"], row["f_0.5"], row["aer"]) == (None, 0, 0, 1)
    with pytest.raises(InputError, match="a single sentence; expected two or more"):
        links.score(hyp, gold, bootstrap=10).scores
    assert row["system"] == "hypothesis"


@pytest.mark.parametrize("alpha", [[float("nan")], [-0.1], [2.0]])
def test_bad_alpha(alpha):
    hyp, gold, _, _ = tables(3)
    with pytest.raises(InputError, match="alpha"):
        links.score(hyp, gold, alpha=alpha).scores


def test_resampling_equals_drawing_sentences_one_by_one():
    """Resampled counts give the figures of resampled sentences."""
    rng = np.random.default_rng(5)
    drawn = np.random.default_rng(3).integers(0, 12, (200, 12), dtype=np.int32)
    for size in (9, 2**30):  # sums of large counts need more digits
        counts = rng.integers(-size, size, (12, 4))
        sums = resample_sums(counts, 200, seed=3)
        assert (sums == [counts[row].sum(axis=0) for row in drawn]).all()


@given(st.integers(1, 40), st.integers(1, 50), st.integers(0, 10))
def test_resamples_have_the_same_number_of_units(units, resamples, seed):
    sums = resample_sums(np.ones((units, 1)), resamples, seed)
    assert (sums == units).all()


def test_the_interval_contains_the_normal_one():
    """For a mean of many units, the percentile interval is close to the normal one."""
    values = np.random.default_rng(1).normal(10, 2, (2000, 1))
    means = resample_sums(values, 4000, seed=2)[:, 0] / 2000
    low, high = interval(means, 0.95, observed=values.mean(), units=2000)
    half = 1.96 * values.std() / np.sqrt(2000)
    assert low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert high == pytest.approx(values.mean() + half, abs=0.1 * half)


@given(
    st.lists(st.one_of(st.just(np.nan), st.floats(-1, 1)), max_size=20),
    st.one_of(st.just(np.nan), st.floats(-1, 1)),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_an_interval_never_excludes_its_own_figure(figures, observed, confidence):
    low, high = interval(np.array(figures, float), confidence, observed=observed, units=10**9)
    defined = [one for one in figures if not np.isnan(one)]
    if not defined:
        assert np.isnan([low, high]).all()
        return
    assert np.isnan(observed) or low <= observed <= high
    tails = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    assert low <= tails[0] + 1e-8
    assert tails[1] - 1e-8 <= high
    if tails[0] <= observed <= tails[1]:  # not wider than necessary
        assert (low, high) == pytest.approx(tails, abs=1e-7)


def test_the_interval_contains_the_score():
    hyp, gold, _, _ = tables(200)
    frame = links.score(hyp, gold, bootstrap=500, seed=7).scores
    assert frame.equals(links.score(hyp, gold, bootstrap=500, seed=7).scores)
    assert not frame.equals(links.score(hyp, gold, bootstrap=500, seed=8).scores)
    for name in ("precision", "recall", "aer", "f_0.5"):
        assert (frame[f"{name}_low"] < frame[name]).all()
        assert (frame[name] < frame[f"{name}_high"]).all()
    assert "bootstrap:500,seed:7,confidence:0.95" in frame["signature"][0]


def test_many_sentences_are_resampled_in_groups():
    """Beyond MAX_UNITS sentences, the interval of groups agrees with that of sentences."""
    hyp, gold, made, truth = tables(MAX_UNITS + 500, systems=("good",))
    frame = links.score(hyp, gold, bootstrap=2000).scores
    counts = np.array(
        [reference.count(h, *g) for h, g in zip(made["good"], truth, strict=True)], float
    )[:, [0, 1, 3, 4]]
    drawn = aer(*resample_sums(counts, 2000, 9).T)
    low, high = interval(drawn, observed=frame["aer"][0], units=MAX_UNITS)
    width = frame["aer_high"][0] - frame["aer_low"][0]
    assert width == pytest.approx(high - low, rel=0.12)
    units = unit_of(np.arange(100_000))
    assert np.bincount(units, minlength=MAX_UNITS).min() > 0


def test_compare_finds_only_the_difference_that_exists():
    hyp, gold, _, _ = tables(150, systems=("base", "poor", "twin"))
    frame = links.score(hyp, gold, alpha=[0.5], bootstrap=2000).compare("base")
    by_name = {(row["system"], row["measure"]): row for row in frame.iter_rows(named=True)}
    poor = by_name["poor", "recall"]
    assert poor["difference"] == pytest.approx(poor["value"] - poor["baseline_value"])
    assert poor["difference_high"] < 0
    assert poor["p_value"] < 0.01
    twin = by_name["twin", "recall"]
    assert twin["difference_low"] < 0 < twin["difference_high"]
    assert twin["p_value"] > 0.05


def test_p_values_without_a_difference_are_uniform():
    rng = np.random.default_rng(0)
    values = []
    for seed in range(200):
        counts = rng.normal(0, 1, (40, 1))
        sums = resample_sums(counts, 300, seed)[:, 0]
        values.append(Paired(float(counts.sum()), sums, 40).p_value)
    assert np.mean(np.array(values) < 0.5) == pytest.approx(0.5, abs=0.12)
    assert np.mean(np.array(values) < 0.1) == pytest.approx(0.1, abs=0.08)


def test_compare_needs_its_baseline():
    hyp, gold, _, _ = tables(5)
    with pytest.raises(InputError, match="unknown `baseline` 'x'"):
        links.score(hyp, gold).compare("x")
    with pytest.raises(InputError, match="only the system 'good'"):
        links.score(hyp.slice(0, 5), gold).compare("good")


@pytest.mark.parametrize("bands", [[20, 10], [10, 10], [0, 5], [-5], []])
def test_bands_must_ascend(bands):
    hyp, gold, _, _ = tables(3)
    with pytest.raises(InputError, match=r"ascending lengths|`bands` is .* whole number from 1"):
        links.score(hyp, gold, by=["length"], bands=bands).scores


def test_similar_alphas_have_separate_columns():
    hyp, gold, _, _ = tables(3)
    frame = links.score(hyp, gold, alpha=[0.1234567, 0.1234568, 0.5]).scores
    assert {"f_0.1234567", "f_0.1234568", "f_0.5"} < set(frame.columns)


def test_text_of_the_wrong_length():
    hyp, gold, _, _ = tables(2)
    words = [["w"] * 40] * 2
    good = pa.table({"sid": [1, 0], "src": words, "tgt": words})
    assert links.score(hyp, gold, by="length", bitext=pl.DataFrame(good)).scores.height == 2
    for bad in (
        pa.table({"sid": [0, 0, 1], "src": [*words, ["w"] * 40], "tgt": [*words, ["w"] * 40]}),
        pa.table({"sid": [0, 1], "src": [["w"] * 40, None], "tgt": words}),
    ):
        with pytest.raises(InputError, match=r"the text has a sentence|sentence 1 .* is missing"):
            links.score(hyp, gold, by="length", bitext=bad).scores
