"""How much of two sequences stands in the same order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import I64

I32 = npt.NDArray[np.int32]


@jit
def common_subsequences(starts: I64, ends: I64, items: I32, other: I64, stops: I64) -> I64:
    """Return the length of the longest common subsequence of each two sequences.

    Parameters
    ----------
    starts, ends
        Sequence r is ``items[starts[r] : ends[r]]``.
    other, stops
        The one it is compared with is ``items[other[r] : stops[r]]``.

    Returns
    -------
    numpy.ndarray
        Shape (sequences,).
    """
    found = np.zeros(starts.size, np.int64)
    widest = 0
    for r in range(starts.size):
        widest = max(widest, stops[r] - other[r])
    row = np.zeros(widest + 1, np.int64)
    for r in range(starts.size):
        size = stops[r] - other[r]
        row[: size + 1] = 0
        for i in range(starts[r], ends[r]):
            diagonal = 0
            for j in range(size):
                above = row[j + 1]
                if items[i] == items[other[r] + j]:
                    row[j + 1] = diagonal + 1
                elif row[j] > above:
                    row[j + 1] = row[j]
                diagonal = above
        found[r] = row[size]
    return found
