"""Numbers that are the same on any processor.

The last bits of a computed number follow the processor: BLAS, numpy and the functions of C's
library choose their code by it, and with it the order of sums.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64, Array

# Powers of ten beyond are not numbers, or not normal ones.
_FARTHEST = 300


def rounded(values: npt.ArrayLike, digits: int) -> F64:
    """Return numbers rounded to as many decimal places as leave the largest ``digits`` digits.

    What is kept, named or printed of computed numbers is rounded, so that last bits do not change
    it. Places are those of the largest, because numbers that are added are uncertain by its last
    bits, and one that should be 0 is not quite. NaN and infinities stay as they are.
    """
    numbers = np.asarray(values, np.float64)
    largest = float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0))
    # The exponent of the largest once rounded, so that rounding again changes nothing.
    exponent = int(f"{largest:.{digits - 1}e}".partition("e")[2])
    places = min(max(digits - 1 - exponent, -_FARTHEST), _FARTHEST)
    # Multiplied and divided by whole powers of ten, which are exact up to 22 places.
    power = float(f"1e{abs(places)}")
    with np.errstate(over="ignore"):
        near = np.rint(numbers * power) / power if places > 0 else np.rint(numbers / power) * power
    kept: F64 = np.where(np.isfinite(near), near, numbers)  # the largest floats stay as they are
    return kept + 0.0  # there is no -0


def product(first: Array, second: Array) -> Array:
    """Return the product of finite matrices, without warnings of what it did not compute.

    BLAS's code for wide registers also computes with what lies beyond the ends of arrays, and numpy
    warns of invalid values there.
    """
    with np.errstate(invalid="ignore"):
        out: Array = first @ second
    return out


def weighted_sums(rows: F64, weights: F64) -> F64:
    """Return the product of a matrix with a vector, in which equal rows have equal sums.

    In BLAS's, the last bits of a row's sum depend on its place and on the processor, so that ties
    are lost.
    """
    sums = np.zeros(len(rows))
    for column, weight in zip(rows.T, weights, strict=True):
        sums += column * weight
    return sums
