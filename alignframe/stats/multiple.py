"""Correction of p-values for the number of tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64

PERMUTED = 0
"""The units of a test whose statistics are drawn by permutation."""


def max_t(observed: F64, drawn: F64, units: npt.ArrayLike = PERMUTED) -> F64:
    """Return p-values of joint two-sided tests, corrected by the step-down max-T method.

    ``observed`` (tests,) are statistics that are 0 if there is nothing to find; ``drawn``
    (resamples, tests) are theirs in joint resamples, centred on 0, NaN where undefined; ``units``
    are how many each test's bootstrap drew from, ``PERMUTED`` for permutations, which include the
    observed order. As tests share their resamples, the lowest possible p-value does not depend on
    their number.
    """
    known = ~np.isnan(drawn)
    made = known.sum(axis=0)
    size = np.where(known, np.abs(drawn), 0.0)
    drawn_from = np.broadcast_to(units, observed.shape)
    permuted = drawn_from == PERMUTED
    # The observed order is one of the permutations. Without it, the spread would follow it: few
    # systems have few orders, and one that stands out would leave less spread than any other does.
    squares = (size * size).sum(axis=0) + np.where(permuted, np.nan_to_num(observed) ** 2, 0.0)
    spread = np.sqrt(squares / np.maximum(made + permuted, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        extreme = (np.abs(observed) - 1e-12) / spread  # without spread, infinite or none
        size = np.where(spread > 0, size / spread, 0.0)
        # The spread that a bootstrap finds in few units is uncertain, which its resamples do not
        # show: the ratio to it has Student's t-distribution, and is mapped to the normal deviate
        # of equal probability (Wallace 1959), without which the test is too bold.
        n = np.maximum(drawn_from, 2)
        deviate = np.sqrt((n - 1) * np.log1p(extreme**2 / n)) * (8 * n - 7) / (8 * n - 5)
        extreme = np.where(permuted, extreme, np.copysign(deviate, extreme))
    tested = np.flatnonzero((made > 0) & ~np.isnan(observed))
    order = tested[np.argsort(-extreme[tested], kind="stable")]
    # Westfall & Young 1993, algorithm 2.8: the p-value is the share of resamples in which the
    # largest statistic of a test and all less extreme ones, in units of their standard deviations,
    # is as extreme; the observed sample counts as one.
    largest = np.zeros(len(drawn))
    p_values = np.full(observed.shape, np.nan)
    for test in order[::-1]:
        np.maximum(largest, size[:, test], out=largest)
        times = np.count_nonzero((largest >= extreme[test]) & known[:, test])
        p_values[test] = (1 + times) / (1 + made[test])
    p_values[order] = np.maximum.accumulate(p_values[order])
    return p_values
