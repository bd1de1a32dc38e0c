"""The log-likelihood ratio of word pairs (Dunning 1993).

Of n sentence pairs, ``n_src`` have the source word, ``n_tgt`` the target word, ``n_both`` both.
With the four cells of that 2x2 table,

    ratio = 2 * sum over cells of cell * log(cell * n / (row total * column total))

which is 0 if the words are independent. Logarithms are natural.
"""

from __future__ import annotations

import math

import numpy as np

from alignframe.arrays import F64, I64, U8
from alignframe.kernels.jit import jit


@jit
def _term(cell: int, row: int, column: int, total: int) -> float:
    """Return ``cell * log(cell / expected)``, 0 where the cell is empty."""
    if cell == 0:
        return 0.0
    return cell * math.log(float(cell) * float(total) / (float(row) * float(column)))


@jit
def llr(n_both: int, n_src: int, n_tgt: int, n: int, signed: bool) -> float:
    """Return the log-likelihood ratio of a 2x2 table; if ``signed``, below 0 where words repel."""
    with_src = _term(n_both, n_src, n_tgt, n) + _term(n_src - n_both, n_src, n - n_tgt, n)
    # Summed by rows, so that swapping the columns gives an identical ratio.
    rest = n - n_src - n_tgt + n_both
    without = _term(n_tgt - n_both, n - n_src, n_tgt, n) + _term(rest, n - n_src, n - n_tgt, n)
    ratio = 2.0 * (with_src + without)
    ratio = max(ratio, 0.0)  # rounding may make it negative
    # In floats, because products of counts overflow.
    if signed and float(n_both) * float(n) < float(n_src) * float(n_tgt):
        return -ratio
    return ratio


@jit
def llr_of_rows(n_both: I64, n_src: I64, n_tgt: I64, n: I64, signed: U8) -> tuple[F64, int]:
    """Return the log-likelihood ratio of each row, and the first invalid row, or -1.

    ``signed`` has one flag per row, or one for all.
    """
    out = np.empty(n_both.size, np.float64)
    each = signed.size > 1
    for k in range(n_both.size):
        both = n_both[k]
        # One of the four cells would be negative.
        if both < 0 or both > min(n_src[k], n_tgt[k]) or n_src[k] + n_tgt[k] - both > n[k]:
            return out, k
        out[k] = llr(both, n_src[k], n_tgt[k], n[k], signed[k if each else 0] != 0)
    return out, -1
