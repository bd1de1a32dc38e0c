"""Rounding, so that names of computed numbers do not follow the processor."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from alignframe.core.portable import rounded, weighted_sums

HUGE = 1.7976931348623157e308
numbers = st.lists(st.floats(), max_size=6)
digits = st.integers(1, 15)


@given(numbers, digits)
@example([HUGE, -HUGE], 15)
@example([5e-324, -1e-310], 6)
@example([9.9999996, 0.123454], 6)
@example([-0.0, math.nan, -math.inf], 3)
def test_numbers_move_by_half_a_place_of_the_largest_at_most(values, kept):
    near = rounded(values, kept)
    finite = [abs(value) for value in values if math.isfinite(value)]
    place = 10 ** (math.floor(math.log10(max(finite))) - kept + 1) if any(finite) else 0.0
    for value, other in zip(values, near.tolist(), strict=True):
        if math.isfinite(value):
            # A largest of 9.99... becomes 10, which has a digit more; below 1e-300 is 0.
            assert abs(other - value) <= max(5.001 * place, 1e-300)
            assert math.copysign(1, other) == 1 or other < 0  # no -0
        else:
            assert np.array_equal(other, value, equal_nan=True)
    assert np.array_equal(rounded(near, kept), near, equal_nan=True)


@given(st.lists(st.integers(-(10**6) + 1, 10**6 - 1), min_size=1, max_size=6), st.integers(-22, 16))
def test_short_decimals_stay_as_they_are(whole, power):
    values = [float(f"{number}e{power}") for number in whole]
    assume(max(map(abs, whole)) >= 10**5)
    assert rounded(values, 6).tolist() == values


@given(st.lists(st.integers(-(10**8), 10**8), min_size=2, max_size=6), st.integers(0, 99))
def test_last_bits_change_no_name(whole, seed):
    assume(any(whole))
    # No multiple of 5, none of them lies half way between two places.
    values = np.array([number - number % 100 + 7 for number in whole]) / 3e8
    noise = np.random.default_rng(seed).uniform(-1, 1, values.size)
    nudged = values * (1 + 1e-13 * noise) + 1e-15 * noise * np.abs(values).max()
    assert rounded(nudged, 6).tolist() == rounded(values, 6).tolist()


@pytest.mark.parametrize("columns", [1, 3, 9, 14, 40])
def test_equal_rows_have_equal_sums_wherever_they_stand(columns):
    draw = np.random.default_rng(columns)
    row, weights = draw.normal(size=columns), draw.normal(size=columns)
    rows = np.tile(row, (33, 1))
    sums = {
        sum_
        for some in (rows, rows[:1], rows[:7], np.asfortranarray(rows))
        for sum_ in weighted_sums(some, weights).tolist()
    }
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(math.fsum(row * weights))
