"""The bootstrap over additive counts: units are resampled with replacement, and counts summed.

A unit is a sentence, or, in large corpora, a random group of sentences. Resampling is a product of
a matrix of multiplicities with the counts, so that ten thousand resamples cost milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I64, Array
from alignframe.core.arrow import as_array
from alignframe.core.choices import RESAMPLES
from alignframe.core.portable import product
from alignframe.core.schemas import ENDS
from alignframe.core.signatures import exact
from alignframe.errors import FROM_0, INSIDE, InputError, make_plain
from alignframe.functions.row import numbers, spread

MAX_UNITS = 2_048
"""Larger numbers of sentences are put into this many random groups."""

ALL_PAIRS = "-all-pairs"
EXCHANGED = "+exchanged-labels"
"""What signatures have where labels of systems were exchanged, too: see ``paired.FEW``."""

_CELLS = 1 << 22


@dataclass(frozen=True)
class Resampling:
    """Options of resampling; all systems share the resamples."""

    resamples: int = RESAMPLES
    confidence: float = 0.95
    seed: int = 1
    of: str = ""  # the name of the units in signatures

    def __post_init__(self) -> None:
        make_plain(self)
        FROM_0.checked(self.resamples, "`bootstrap`")
        INSIDE.checked(self.confidence, "`confidence`")
        FROM_0.checked(self.seed, "`seed`")

    def check_units(self, units: int) -> None:
        """Raise an InputError if there are resamples, and a single unit to draw."""
        if self.resamples and units < 2:
            raise InputError(
                f"resamples of a single {self.of.removesuffix('s') or 'sentence'}",
                expected=f"two or more, as {self.of or 'sentences'} are resampled",
                todo="give `bootstrap=0` for figures without intervals or tests",
            )

    @property
    def signature(self) -> str:
        """The choices that affect an interval; empty without resamples."""
        return f"bootstrap:{self._choices}" if self.resamples else ""

    def paired_signature(self, *, exchanged: bool = False, pairs: bool = False) -> str:
        """Return the same for a comparison, whose p-values are corrected.

        ``exchanged`` tells that the labels of systems were exchanged as well, ``pairs`` that the
        correction is for all pairs of systems.
        """
        correction = f"correction:max-t{ALL_PAIRS * pairs}{EXCHANGED * exchanged}"
        return f"paired-bootstrap:{self._choices}|{correction}" if self.resamples else ""

    @property
    def _choices(self) -> str:
        units = f"of:{self.of}," if self.of else ""
        return f"{self.resamples},{units}seed:{self.seed},confidence:{exact(self.confidence)}"


def least_p(resamples: int, units: int = MAX_UNITS) -> float:
    """Return the lowest two-sided p-value: the observed sample counts as one resample."""
    return 2 * share_of(1 / (1 + resamples), units)


def drawn_as(unit: str) -> str:
    """Return what signatures call the units of a column; nothing for sentences, as is usual."""
    return {"sid": "", "doc": "documents"}.get(unit, unit)


def resample_sums(counts: npt.ArrayLike, resamples: int, seed: int) -> F64:
    """Return the column sums of each resample of (units, columns), shape (resamples, columns)."""
    matrix = np.asarray(counts)
    units = matrix.shape[0]
    # Counts add up without rounding in half the bytes as long as no sum reaches 2**24.
    exact_in = np.float32 if _largest(matrix) * units < 1 << 24 else np.float64
    matrix = matrix.astype(exact_in, copy=False)
    if resamples < 1:
        raise InputError(f"{resamples} resamples", expected="at least 1")
    if units == 0:
        return np.zeros((resamples, matrix.shape[1]))
    rng = generator(seed)
    out = np.empty((resamples, matrix.shape[1]))
    # Columns of all systems share the draws, which makes their differences paired.
    step = max(1, _CELLS // units)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, units, (size, units), dtype=np.int32)
        # Each resample counts in bins of its own, so that one bincount serves many.
        drawn += np.arange(size, dtype=np.int32)[:, None] * units
        times = np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units)
        out[start : start + size] = product(times.astype(matrix.dtype), matrix)
    return out


def _largest(matrix: Array) -> float:
    """Return the largest absolute value of integers; infinity for other types."""
    whole = matrix.dtype.kind in "iu"
    return max(int(matrix.max(initial=0)), -int(matrix.min(initial=0))) if whole else np.inf


def generator(seed: int, *, stream: int | None = None) -> np.random.Generator:
    """Return numpy's default generator, with independent ``stream`` values per seed."""
    FROM_0.checked(seed, "`seed`")
    seed = int(seed)
    return np.random.default_rng(seed if stream is None else [seed, stream])


def interval(
    figures: F64, confidence: float = 0.95, *, observed: float, units: int
) -> tuple[float, float]:
    """Return the expanded percentile interval of figures of resamples of ``units`` units.

    It is widened to include the observed figure. A single unit has none: every resample is itself.
    """
    low, high = intervals(figures[None], confidence, observed=np.array([observed]), units=units)
    return float(low[0]), float(high[0])


def intervals(
    figures: F64, confidence: float = 0.95, *, observed: F64, units: int
) -> tuple[F64, F64]:
    """Return the same of figures of shape (..., resamples) and observed ones of shape (...)."""
    INSIDE.checked(confidence, "`confidence`")
    tail = tail_of((1 - confidence) / 2, units)
    ends = np.full((*observed.shape, 2), np.nan)
    defined = ~np.isnan(figures) if units > 1 else np.zeros(figures.shape, np.bool_)
    everywhere = defined.all(axis=-1)
    if figures.shape[-1]:
        ends[everywhere] = _quantiles(figures[everywhere], (tail, 1 - tail))
    for at in zip(*np.nonzero(defined.any(axis=-1) & ~everywhere), strict=True):
        ends[at] = _quantiles(figures[at][defined[at]], (tail, 1 - tail))
    # Efron & Tibshirani 1993, chapter 13. Resampling biases figures at the end of their range: if
    # systems are ranked exactly as by humans, most resamples rank them slightly differently, and
    # all quantiles may be below a Spearman's rho of 1, hence the widening. Rounding may put the
    # quantile of equal figures slightly off; fmin ignores an observed figure that is undefined.
    low, high = np.moveaxis(ends, -1, 0)
    known = ~np.isnan(low)
    np.fmin(low, observed, out=low, where=known)
    np.fmax(high, observed, out=high, where=known)
    return low, high


# Resamples of n units vary too little, by the factor sqrt((n - 1) / n), and have normal tails where
# an estimated spread calls for Student's t, so that percentiles of few units are too narrow
# (Hesterberg 2015, "What teachers should know about the bootstrap", section 3.3). As sentences
# differ in length, n of them tell no more than fewer equal ones: of the degrees of freedom three
# fifths make 95% intervals of links cover 94 to 97% from 10 sentences on.
_FREEDOM = 0.6

# Of probabilities, which have other last bits in plain SQL, and so would intervals.
_PLACES = 12


@lru_cache  # a page has thousands of intervals of few numbers of units
def tail_of(share: float, units: int) -> float:
    """Return the share of resamples beyond an end of an interval, for ``share`` of its error."""
    from scipy.special import ndtr, stdtrit  # slow to import, and wanted with resamples only

    n = max(units, 2)
    return round(float(ndtr(math.sqrt(n / (n - 1)) * stdtrit(_FREEDOM * (n - 1), share))), _PLACES)


@lru_cache(1 << 14)
def share_of(tail: float, units: int) -> float:
    """Return the share of error for which ``tail_of`` is ``tail``."""
    from scipy.special import ndtri, stdtr

    n = max(units, 2)
    return round(float(stdtr(_FREEDOM * (n - 1), math.sqrt((n - 1) / n) * ndtri(tail))), _PLACES)


def _quantiles(values: F64, shares: Sequence[float]) -> F64:
    """Return the same as ``np.quantile`` along the last axis, in a third of the time."""
    last = values.shape[-1] - 1
    places = [(int(share * last), share * last % 1) for share in shares]
    wanted = {min(at + step, last) for at, _ in places for step in (0, 1)}
    parted = np.partition(values, sorted(wanted))
    quantiles = []
    for at, part in places:
        low, high = parted[..., at], parted[..., min(at + 1, last)]
        step = high - low
        quantiles.append(low + step * part if part < 0.5 else high - step * (1 - part))
    return np.stack(quantiles, axis=-1)


def unit_of(sid: I64, units: int = MAX_UNITS) -> I64:
    """Assign sentences to random groups that depend only on their numbers."""
    # SplitMix64's finaliser, so that groups are the same on any machine.
    x = sid.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    x ^= x >> np.uint64(31)
    return (x % np.uint64(units)).astype(np.int64)


def interval_ends(
    figures: pa.Array, observed: pa.Array, units: pa.Array, confidence: object = 0.95
) -> pa.Array:
    """Return the interval of each list<double> of resampled figures; see ``interval``.

    Null where no figure is defined, or of a single unit.
    """
    rows = []
    for own, value, number, level in zip(
        as_array(figures),
        as_array(observed).to_pylist(),
        as_array(units).to_pylist(),
        spread(confidence, len(figures)),
        strict=False,
    ):
        drawn = floats(own)
        defined = drawn[np.isfinite(drawn)]
        if defined.size and number is None:
            raise InputError(
                "figures without units",
                expected="the column units of resampled_counts(), as intervals of few are wider",
            )
        value = np.nan if value is None else value
        ends = interval(defined, level, observed=value, units=number or 0)
        known = not np.isnan(ends).any()
        rows.append({"low": ends[0], "high": ends[1]} if known else None)
    return pa.array(rows, ENDS)


def floats(given: pa.Scalar) -> F64:
    """Return a list of numbers, NaN for null ones and empty for a null list."""
    if not given.is_valid:
        return np.empty(0)
    values: F64 = given.values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return values


# The number of lists resampled together; more would take too much memory for the time saved.
_LISTS = 64


def resampled_sums(counts: pa.Array, bootstrap: object = 1000, seed: object = 1) -> pa.Array:
    """Return the sum of each resample of a list<double> of counts, null where the list is."""
    lists = as_array(counts)
    rows = len(lists)
    if rows and lists.flatten().null_count:
        raise InputError("a missing count", expected="a number for every unit")
    sizes = pc.list_value_length(lists).fill_null(-1).to_numpy()
    draws, seeds = numbers(bootstrap, rows, 1000), numbers(seed, rows, 1)
    present = sizes >= 0
    sums_of_rows = [np.empty(0)] * rows
    values = lists.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    starts = np.cumsum(np.maximum(sizes, 0)) - np.maximum(sizes, 0)
    # Lists of equal length and seed share the resamples, so that their sums are paired.
    for size, resamples, own_seed in {
        *zip(sizes[present], draws[present], seeds[present], strict=True)
    }:
        alike = np.flatnonzero((sizes == size) & (draws == resamples) & (seeds == own_seed))
        for first in range(0, alike.size, _LISTS):
            some = alike[first : first + _LISTS]
            matrix = np.stack([values[starts[row] : starts[row] + size] for row in some], axis=1)
            sums = resample_sums(matrix, int(resamples), int(own_seed)) if resamples else matrix[:0]
            for place, row in enumerate(some):
                sums_of_rows[row] = sums[:, place]
    ends = np.cumsum([0, *(own_seed.size for own_seed in sums_of_rows)])
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()),
        pa.array(np.concatenate([np.empty(0), *sums_of_rows])),
        mask=pa.array(~present),
    )


def resampling_unit(sid: pa.Array) -> pa.Array:
    """Return the group, of ``MAX_UNITS``, of each sentence, by its number alone."""
    column = as_array(sid).cast(pa.int64())
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return pa.array(unit_of(column.fill_null(0).to_numpy()), mask=missing)
