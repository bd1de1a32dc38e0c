"""The ranking support vector machine, against a scipy solver, and its properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from alignframe.errors import DataWarning, InputError
from alignframe.tesla.rank_svm import rank_svm


def best_primal(differences, cost):
    """Return the optimum of the quadratic program with one slack per pair."""
    pairs, features = differences.shape
    costs = np.concatenate([np.zeros(features), np.full(pairs, cost)])
    rows = np.hstack([differences, np.eye(pairs)])

    def loss(x):
        return x[:features] @ x[:features] / 2 + costs @ x

    def slope(x):
        return np.concatenate([x[:features], np.zeros(pairs)]) + costs

    kept = {"type": "ineq", "fun": lambda x: rows @ x - 1, "jac": lambda x: rows}
    bounds = [(None, None)] * features + [(0, None)] * pairs
    start = np.concatenate([np.zeros(features), np.ones(pairs)])
    options = {"maxiter": 500, "ftol": 1e-12}
    return minimize(
        loss, start, jac=slope, bounds=bounds, constraints=kept, method="SLSQP", options=options
    ).fun


def primal(weights, differences, cost):
    losses = [max(0.0, 1 - float(row @ weights)) for row in differences]
    return weights @ weights / 2 + cost * sum(losses)


@settings(max_examples=6)
@given(
    st.integers(1, 30), st.integers(1, 5), st.integers(0, 10_000), st.sampled_from([0.01, 1, 30])
)
def test_the_optimum_equals_scipys(pairs, features, seed, cost):
    differences = np.random.default_rng(seed).normal(0.2, 1, (pairs, features)).round(2)
    fit = rank_svm(differences, 4, c=4 * cost, tolerance=1e-9)
    wanted = best_primal(differences, cost)
    assert primal(fit.weights, differences, cost) == pytest.approx(wanted, rel=1e-5, abs=1e-8)
    assert fit.objective == pytest.approx(primal(fit.weights, differences, cost))
    assert fit.gap <= 1e-9


def some(seed=0, pairs=400, features=6):
    draw = np.random.default_rng(seed)
    differences = draw.normal(0, 1, (pairs, features))
    wrong = differences @ np.arange(features) + draw.normal(0, 3, pairs) < 0
    differences[wrong] *= -1
    return differences


def test_weights_scale_with_features_and_cost():
    plain = rank_svm(some(), 10, c=3, tolerance=1e-10).weights
    scaled = rank_svm(some() * 7, 10, c=3 / 49, tolerance=1e-10).weights
    assert scaled * 7 == pytest.approx(plain, rel=1e-3, abs=1e-5)
    more = rank_svm(some(), 30, c=9, tolerance=1e-10).weights
    assert more == pytest.approx(plain)
    twice = rank_svm(np.vstack([some(), some()]), 20, c=3, tolerance=1e-10).weights
    assert twice == pytest.approx(plain, rel=1e-3, abs=1e-5)


def test_separable_pairs_are_separated():
    differences = np.abs(some()) + 0.1
    fit = rank_svm(differences, 1, c=1e4)
    assert (differences @ fit.weights > 0.999).all()
    # The widest margin of one pair is along it.
    one = rank_svm([[3.0, 4.0]], 1, c=10).weights
    assert one == pytest.approx([3 / 25, 4 / 25])


def test_badly_scaled_features_do_no_harm():
    """Language model scores vary twenty times as much as F-measures, and agree."""
    draw = np.random.default_rng(1)
    differences = some(2, 500)
    differences[:, 0] *= 20
    differences[:, 1] = differences[:, 0] + draw.normal(0, 0.05, 500)
    fit = rank_svm(differences, 5, c=1e6)
    assert fit.gap <= 1e-6
    assert fit.steps < 60


def test_equal_translations_only_add_loss():
    both = np.vstack([some(), np.zeros((5, 6))])
    fit, plain = rank_svm(both, 10, c=5), rank_svm(some(), 10, c=5)
    assert fit.weights == pytest.approx(plain.weights, rel=1e-2)
    assert fit.objective == pytest.approx(plain.objective + 5 * 0.5, rel=1e-5)
    assert fit.gap <= 1e-6


def test_too_few_steps_cause_a_warning():
    with pytest.warns(DataWarning, match=r"not exact.* 2 steps"):
        rank_svm(some(), 1, c=1e6, steps=2)


@pytest.mark.parametrize(
    ("given_", "options", "message"),
    [
        (np.zeros((0, 3)), {}, "no pairs to learn from"),
        ([[1.0, np.nan]], {}, "a feature that is missing or not finite"),
        ([[1.0]], {"c": 0}, "`c` is 0; expected a number above 0"),
        ([[1.0]], {"c": float("inf")}, "`c` is inf"),
        ([[1.0]], {"rankings": 0}, "0 rankings"),
    ],
)
def test_bad_input(given_, options, message):
    with pytest.raises(InputError, match=message):
        rank_svm(given_, options.pop("rankings", 1), **options)
