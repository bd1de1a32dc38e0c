"""Bits of 64-bit words, for sets of positions."""

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
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate
