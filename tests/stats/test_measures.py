"""The measures on counts: the paper's figures, limits and undefined cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignframe import connect
from alignframe.core.figures import aer, f_alpha, precision, recall
from alignframe.errors import InputError


def counts_of(n_hyp, n_sure, n_hyp_sure, n_hyp_possible):
    return [np.array([float(n)]) for n in (n_hyp, n_sure, n_hyp_sure, n_hyp_possible)]


@pytest.mark.parametrize(
    ("possible", "sure", "f", "accuracy"), [(50, 50, 0.50, 0.5), (75, 25, 0.375, 0.5)]
)
def test_the_papers_counterexample(possible, sure, f, accuracy):
    """Fraser & Marcu 2007, section 3.1: AER does not punish imbalance, F does."""
    counts = counts_of(100, 100, sure, possible)
    assert f_alpha(0.5, *counts)[0] == pytest.approx(f)
    assert 1 - aer(*counts)[0] == pytest.approx(accuracy)


def test_empty_hypothesis():
    counts = counts_of(0, 10, 0, 0)
    assert math.isnan(precision(counts[0], counts[3])[0])
    assert recall(counts[1], counts[2])[0] == 0
    assert f_alpha(0.5, *counts)[0] == 0
    assert aer(*counts)[0] == 1


def test_empty_gold():
    counts = counts_of(10, 0, 0, 0)
    assert precision(counts[0], counts[3])[0] == 0
    assert math.isnan(recall(counts[1], counts[2])[0])
    assert math.isnan(f_alpha(0.5, *counts)[0])
    assert math.isnan(aer(*counts_of(0, 0, 0, 0))[0])


@pytest.mark.parametrize("alpha", [float("nan"), float("inf"), -0.1, 1.1, "0.5", None])
def test_alpha_is_between_0_and_1(alpha):
    with pytest.raises(InputError, match="alpha"):
        f_alpha(alpha, *counts_of(1, 1, 1, 1))


@st.composite
def possible_counts(draw):
    n_sure = draw(st.integers(1, 200))
    n_hyp = draw(st.integers(1, 200))
    hyp_sure = draw(st.integers(0, min(n_sure, n_hyp)))
    hyp_possible = draw(st.integers(hyp_sure, n_hyp))
    return counts_of(n_hyp, n_sure, hyp_sure, hyp_possible)


@given(possible_counts(), st.floats(0, 1))
def test_f_is_between_precision_and_recall(counts, alpha):
    p, r = precision(counts[0], counts[3])[0], recall(counts[1], counts[2])[0]
    f = f_alpha(alpha, *counts)[0]
    if min(p, r) == 0:
        assert f == 0
    else:
        assert min(p, r) - 1e-12 <= f <= max(p, r) + 1e-12
        assert f == pytest.approx(1 / (alpha / p + (1 - alpha) / r))


@given(st.integers(1, 100), st.integers(1, 100), st.data())
def test_aer_is_one_minus_balanced_f_if_all_links_are_sure(n_hyp, n_sure, data):
    hit = data.draw(st.integers(1, min(n_hyp, n_sure)))
    counts = counts_of(n_hyp, n_sure, hit, hit)
    assert aer(*counts)[0] == pytest.approx(1 - f_alpha(0.5, *counts)[0])


@given(possible_counts(), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_sql_equals_python(counts, alpha):
    numbers = [int(n[0]) for n in counts]
    found = (
        _connection()
        .execute(
            "select alignment_precision($1, $4), alignment_recall($2, $3), aer($1, $2, $3, $4), "
            "f_alpha($5, $1, $2, $3, $4)",
            [*numbers, alpha],
        )
        .fetchone()
    )
    wanted = (
        precision(counts[0], counts[3])[0],
        recall(counts[1], counts[2])[0],
        aer(*counts)[0],
        f_alpha(alpha, *counts)[0],
    )
    assert found == tuple(float(one) for one in wanted)


_OPEN = []


def _connection():
    if not _OPEN:
        _OPEN.append(connect())
    return _OPEN[0]


def teardown_module():
    while _OPEN:
        _OPEN.pop().close()
