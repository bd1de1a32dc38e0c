"""Max-heaps of numbers by key, in two parallel arrays (binary heaps, Williams 1964).

Entry k is above entries 2 k + 1 and 2 k + 2, and its key is at least as large as theirs, so entry 0
has the largest key. Callers keep the size. For a min-heap, keys are negated.
"""

from __future__ import annotations

from alignframe.core.arrays import F64, I32
from alignframe.kernels.jit import jit


@jit
def push(keys: F64, ids: I32, size: int, key: float, number: int) -> None:
    """Push a number with its key onto a heap of ``size`` entries; the arrays must have room."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] >= key:
            break
        keys[at], ids[at] = keys[parent], ids[parent]
        at = parent
    keys[at], ids[at] = key, number


@jit
def pop(keys: F64, ids: I32, size: int) -> None:
    """Remove entry 0 from a heap of ``size`` entries; callers read it before."""
    # The last entry fills the gap, and sinks until no entry below it has a larger key.
    key, number = keys[size - 1], ids[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        # The larger one of both goes up.
        if below + 1 < size - 1 and keys[below + 1] > keys[below]:
            below += 1
        if keys[below] <= key:
            break
        keys[at], ids[at] = keys[below], ids[below]
        at = below
    keys[at], ids[at] = key, number
