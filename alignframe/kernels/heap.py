"""Max-heaps of numbers by key."""

from __future__ import annotations

from alignframe.arrays import F64, I32
from alignframe.kernels.jit import jit


@jit
def push(keys: F64, ids: I32, size: int, key: float, number: int) -> None:
    """Push a number onto a heap of a size; the arrays must have room."""
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
    """Pop the first number from a heap of a size."""
    key, number = keys[size - 1], ids[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        if below + 1 < size - 1 and keys[below + 1] > keys[below]:
            below += 1
        if keys[below] <= key:
            break
        keys[at], ids[at] = keys[below], ids[below]
        at = below
    keys[at], ids[at] = key, number
