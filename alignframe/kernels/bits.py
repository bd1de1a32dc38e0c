"""Bits of 64-bit words, for sets of positions.

A set of positions below 64 n is n words: position x is bit ``x & 63`` of word ``x >> 6``. Kernels
visit its members by taking the lowest bit and clearing it, ``bits &= bits - 1``, so the cost grows
with the members, not with the positions.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(_: Any, word: Any) -> Any:
    """Return the place of the lowest bit of a uint64 that is not 0, as int64."""
    if word != types.uint64:
        return None

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        # One machine instruction; ``True`` leaves the result for 0 undefined, which saves a branch.
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate
