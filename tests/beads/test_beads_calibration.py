"""Probabilities of beads: the calibration of lex, and measuring it."""

import numpy as np
import polars as pl
import pytest
from helpers.beads import parallel_text
from hypothesis import given
from hypothesis import strategies as st

from alignframe.beads import Options, align, calibration
from alignframe.beads.calibration import posterior_of, probability_of
from alignframe.beads.document import document
from alignframe.beads.lex import realigned
from alignframe.core.schemas import SPANS
from alignframe.errors import InputError

SHARES = st.floats(0.0, 0.999)


@given(st.lists(SHARES, min_size=2))
def test_probabilities_keep_their_order_and_are_invertible(shares):
    posteriors = np.sort(shares)
    found = probability_of(posteriors)
    assert ((found >= 0.0) & (found < 1.0)).all()
    assert (np.diff(found) >= 0.0).all()
    assert [posterior_of(one) for one in found] == pytest.approx(posteriors.tolist(), abs=1e-6)


def test_certainty_is_kept():
    assert probability_of(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


def test_a_threshold_applies_to_the_probabilities_written():
    src, tgt = parallel_text(40)
    src, tgt = src[:20] + src[22:], [*tgt[:5], f"{tgt[5]} {tgt[6]}", *tgt[7:]]
    found = realigned(document(src, tgt), Options("lex"))
    assert found.calibrated
    everything = align(src, tgt, threshold=0.5)
    for least in (0.6, 0.9, 0.99):
        some = align(src, tgt, threshold=least)
        assert some.equals(everything.filter(pl.col("score") > least))
    raw = align(src, tgt, "mre", threshold=0.5)["score"]
    assert 0.5 < everything["score"].min() < 1.0
    assert raw.max() <= 1.0


BEAD = st.tuples(st.floats(0.0, 1.0), st.booleans())


@given(st.lists(BEAD, min_size=1, max_size=12), st.integers(1, 4))
def test_calibration_counts_beads_by_probability(beads, bins):
    rows = [(k, k + 1, k, k + 1, score) for k, (score, _) in enumerate(beads)]
    hyp = pl.DataFrame(rows, schema=[*SPANS, "score"], orient="row")
    wrong = len(beads)
    gold = [
        (k, k + 1, k + (not right) * (wrong - k + 3 * k), k + 1 + (not right) * (wrong - k + 3 * k))
        for k, (_, right) in enumerate(beads)
    ]
    found = calibration(hyp, pl.DataFrame(gold, schema=SPANS, orient="row"), bins)
    for row in found.iter_rows(named=True):
        place = round(row["low"] * bins)
        own = [one for one in beads if min(int(one[0] * bins), bins - 1) == place]
        assert row["beads"] == len(own)
        assert row["correct"] == pytest.approx(np.mean([right for _, right in own]))
        assert row["probability"] == pytest.approx(np.mean([score for score, _ in own]))
        assert row["correct_low"] <= row["correct"] + 1e-9
    assert found["beads"].sum() == len(beads)


def test_probabilities_are_needed():
    bead = pl.DataFrame([(0, 1, 0, 1)], schema=SPANS, orient="row")
    with pytest.raises(InputError, match="no bead with a score"):
        calibration(bead, bead)
    with pytest.raises(InputError, match="`bins` is 0"):
        calibration(bead.with_columns(score=0.5), bead, 0)
