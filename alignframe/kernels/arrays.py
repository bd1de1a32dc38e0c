"""Arrays that grow and are sorted inside kernels.

``sort`` is quicksort with the median of three as pivot, which leaves runs of up to ``_SHORT``
numbers to one final insertion sort (Sedgewick 1978, Implementing Quicksort programs). ``grown`` at
least doubles an array, so that n appended numbers cost O(n) in all.

NumPy's own functions would take seconds to compile, in each process that compiles a caller.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import Array
from alignframe.kernels.jit import jit

_SHORT = 24
_DEEPEST = 64


@jit
def grown(array: Array, size: int) -> Array:
    """Return the array if it has room for ``size`` numbers, else a copy at least twice as long."""
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
    # No number is further than _SHORT places from its final position, so insertion is fast.
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
    pending = 1
    while pending:
        pending -= 1
        low, high = lows[pending], highs[pending]
        while high - low >= _SHORT:
            left, middle, right = keys[low], keys[(low + high) >> 1], keys[high]
            # The median of the three.
            pivot = max(min(left, middle), min(max(left, middle), right))
            i, j = low, high
            while i <= j:
                # Numbers equal to the pivot stop both sides, so many equal numbers still split in
                # half. They also stop the scans before the ends, so that no bounds are checked.
                while keys[i] < pivot:
                    i += 1
                while keys[j] > pivot:
                    j -= 1
                if i <= j:
                    keys[i], keys[j] = keys[j], keys[i]
                    i += 1
                    j -= 1
            if j - low > high - i:
                lows[pending], highs[pending] = low, j
                low = i
            else:
                lows[pending], highs[pending] = i, high
                high = j
            pending += 1
