"""Arrays that grow and are sorted inside kernels.

NumPy's own functions take seconds to compile, in each process that compiles a caller.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import Array
from alignframe.kernels.jit import jit

_SHORT = 24
_DEEPEST = 64


@jit
def grown(array: Array, size: int) -> Array:
    """Return the array, or a copy with room for at least ``size``."""
    if size <= array.size:
        return array
    larger = np.empty(max(2 * array.size, size), array.dtype)
    for k in range(array.size):
        larger[k] = array[k]
    return larger


@jit
def sort(keys: Array, size: int) -> None:
    """Sort the first ``size`` whole numbers of an array in place."""
    if size > _SHORT:
        _part(keys, size)
    # Remaining elements are near their final positions.
    for k in range(1, size):
        key = keys[k]
        at = k
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            at -= 1
        keys[at] = key


@jit
def _part(keys: Array, size: int) -> None:
    """Quicksort with median of three, until only runs of ``_SHORT`` are unsorted.

    The larger part is deferred, so that at most log2(size) parts are pending.
    """
    lows, highs = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST, np.int64)
    lows[0], highs[0] = 0, size - 1
    waiting = 1
    while waiting:
        waiting -= 1
        low, high = lows[waiting], highs[waiting]
        while high - low >= _SHORT:
            one, two, three = keys[low], keys[(low + high) >> 1], keys[high]
            pivot = max(min(one, two), min(max(one, two), three))
            i, j = low, high
            while i <= j:
                while keys[i] < pivot:
                    i += 1
                while keys[j] > pivot:
                    j -= 1
                if i <= j:
                    keys[i], keys[j] = keys[j], keys[i]
                    i += 1
                    j -= 1
            if j - low > high - i:
                lows[waiting], highs[waiting] = low, j
                low = i
            else:
                lows[waiting], highs[waiting] = i, high
                high = j
            waiting += 1
