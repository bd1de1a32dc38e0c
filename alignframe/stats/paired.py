"""Tests of paired differences: their intervals and p-values, alone and as a family.

An interval and the p-value beside it follow one rule, so that an interval leaves 0 out if and only
if its p-value is below the level. A family is corrected by joint resamples, or, where units are
few, by exchanging the labels of the two systems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, Array, Bools
from alignframe.core.arrow import as_array
from alignframe.core.schemas import TESTED
from alignframe.functions.row import numbers, spread
from alignframe.stats.bootstrap import floats, generator, interval, share_of
from alignframe.stats.multiple import PERMUTED, max_t

FEW = 100
"""With fewer units, labels are exchanged: the bootstrap finds too much in a family of tests."""


@dataclass(frozen=True)
class Paired:
    """A difference of two systems, and what it is in resamples of units.

    ``exchanged`` are the differences with the labels of random units exchanged; empty if there are
    none, in which case a family is corrected by ``drawn``.
    """

    observed: float
    drawn: F64
    units: int
    exchanged: F64 = field(default_factory=lambda: np.empty(0))

    @cached_property
    def p_value(self) -> float:
        """The two-sided p-value: 1 less the confidence whose interval just reaches 0."""
        drawn = np.sign(self.observed) * self.drawn[~np.isnan(self.drawn)]
        if not drawn.size or np.isnan(self.observed) or self.units < 2:
            return float("nan")
        # Where the quantile function crosses 0, as interpolated by `interval`.
        is_beyond = drawn <= 1e-12
        beyond = np.count_nonzero(is_beyond)
        if beyond in (0, drawn.size):
            share = float(beyond > 0)
        else:
            below, above = min(drawn[is_beyond].max(), 0.0), drawn[~is_beyond].min()
            share = (beyond - 1 - below / (above - below)) / (drawn.size - 1)
        # Two-sided, the observed sample counts as one resample.
        least = 1 / (1 + drawn.size)
        return 2 * share_of(min(max(share, least), 0.5), self.units)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the difference; undefined for a single unit."""
        ends = interval(self.drawn, confidence, observed=self.observed, units=self.units)
        return self.with_zero(*ends, confidence)

    def with_zero(self, low: float, high: float, confidence: float) -> tuple[float, float]:
        """Return the ends of an interval, which has 0 unless the p-value is below the level."""
        # Resamples of five units or fewer have no tails that could reach 0 when p-values do.
        if self.p_value >= 1 - confidence:
            return min(low, 0.0), max(high, 0.0)
        return low, high


def corrected(tests: Sequence[Paired]) -> F64:
    """Return the p-values of a family of tests, corrected by step-down max-T.

    They are at least those of single tests; a family of one needs no correction. Where labels were
    exchanged, the larger p-value counts: that of the bootstrap is too small if few units differ,
    that of exchanged labels if the systems differ in what is not tested, such as their sizes.
    """
    p_values: F64 = np.array([test.p_value for test in tests])
    if len(tests) < 2:
        return p_values
    resampled = [test.drawn - test.observed for test in tests]
    p_values = np.maximum(p_values, _together(tests, resampled, [test.units for test in tests]))
    if any(test.exchanged.size for test in tests):
        pairs = zip(tests, resampled, strict=True)
        every = [test.exchanged if test.exchanged.size else own for test, own in pairs]
        units = [PERMUTED if test.exchanged.size else test.units for test in tests]
        p_values = np.maximum(p_values, _together(tests, every, units))
    return p_values


def _together(tests: Sequence[Paired], every: Sequence[F64], units: Sequence[int]) -> F64:
    """Return the p-values of tests whose null distributions have other numbers of draws."""
    drawn = np.full((max(map(len, every)), len(tests)), np.nan, order="F")
    for number, own in enumerate(every):
        drawn[: len(own), number] = own
    return max_t(np.array([test.observed for test in tests]), drawn, units)


def exchanged_differences(figures: Callable[[Array], F64], kept: F64, totals: Array) -> F64:
    """Return the differences of two systems, shape (resamples, figures), with labels exchanged.

    ``kept`` are the ``sums_kept`` of the two, of shape (resamples, 2, counts), and ``totals`` their
    sums. Under the null hypothesis neither name belongs to its counts (Noreen 1989, chapter 2).
    """
    first = kept[:, 0] + (totals[1] - kept[:, 1])
    return figures(first) - figures(totals.sum(axis=0) - first)


def sums_kept(counts: Array, resamples: int, seed: int) -> F64:
    """Return the sums of (units, ...) over the units that keep their labels in each resample."""
    kept = _kept(len(counts), resamples, seed).astype(np.float64)
    sums: F64 = np.tensordot(kept, counts.astype(np.float64), 1)
    return sums


@lru_cache(maxsize=1)
def _kept(units: int, resamples: int, seed: int) -> Bools:
    """Return which units keep their labels in each resample, the same for all pairs and counts."""
    # Other draws than those of units; that pairs share them makes their tests joint.
    return generator(seed, stream=3).integers(0, 2, (resamples, units)) > 0


def paired_tests(tests: pa.Array, confidence: object = 0.95) -> pa.Array:
    """Return the intervals and p-values of families of tests, lists of ``PAIRED``."""
    lists = as_array(tests)
    observed, drawn, units, exchanged = lists.flatten().flatten()
    gaps = observed.to_numpy(zero_copy_only=False)  # NaN for null
    made = [
        Paired(gap, floats(own), number, floats(other))
        for gap, own, number, other in zip(gaps, drawn, units.to_pylist(), exchanged, strict=True)
    ]
    ends = np.cumsum([0, *pc.list_value_length(lists).fill_null(0).to_pylist()])
    found = []
    for at, level in zip(range(len(lists)), spread(confidence, len(lists)), strict=False):
        family = made[ends[at] : ends[at + 1]]
        found += [
            (*test.interval(level), test.p_value, p_value)
            for test, p_value in zip(family, corrected(family), strict=True)
        ]
    columns = np.array(found, np.float64).reshape(-1, TESTED.value_type.num_fields).T
    rows = pa.StructArray.from_arrays(
        [pa.array(column, from_pandas=True) for column in columns], fields=list(TESTED.value_type)
    )
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), rows, type=TESTED)


def exchanged_sums(
    counts: pa.Array, others: pa.Array, bootstrap: object = 1000, seed: object = 1
) -> pa.Array:
    """Return sums of a list<double> of counts, in which random units are those of ``others``.

    Each is followed by what is left of both: the sum of ``others`` with the same units exchanged.
    Null where a list is.
    """
    own, other = as_array(counts), as_array(others)
    draws, seeds = numbers(bootstrap, len(own), 1000), numbers(seed, len(own), 1)
    rows: list[F64 | None] = []
    for at, (mine, theirs) in enumerate(zip(own, other, strict=True)):
        if not (mine.is_valid and theirs.is_valid):
            rows.append(None)
            continue
        pair = np.stack([floats(side) for side in (mine, theirs)], axis=1)
        kept, totals = sums_kept(pair, int(draws[at]), int(seeds[at])), pair.sum(axis=0)
        first = kept[:, 0] + (totals[1] - kept[:, 1])
        rows.append(np.stack([first, totals.sum() - first], axis=1).ravel())
    return pa.array(rows, pa.list_(pa.float64()))
