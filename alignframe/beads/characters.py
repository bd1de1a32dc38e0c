"""Classes of characters, looked up by code point in kernels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I32, I64, U8, frozen
from alignframe.kernels.text import characters as kernels

IDEOGRAPHS = r"\p{Han}\p{Hiragana}\p{Katakana}"
"""Characters that are separate words, as a character class of a regular expression."""

POINTS = 0x110000
"""The number of code points."""

# All code points with two cases are below this.
_CASED = 0x20000

# Ranges of code points without surrogates and private use.
_PLANES = ((0, 0xD800), (0xE000, 0x34000), (0xE0000, 0xE1000))

_KINDS = {
    kernels.LETTER: r"\p{L}",
    kernels.MARK: r"\p{M}",
    kernels.NUMBER: r"\p{N}",
    kernels.CAPITAL: r"\p{Lu}",
    kernels.BLANK: r"\s",
    kernels.LINE: "_",
    kernels.IDEOGRAPH: f"[{IDEOGRAPHS}]",
}


@cache
def classes() -> U8:
    """Return the classes of each code point, as bits; see ``kernels.text.characters``."""
    table = np.zeros(POINTS, np.uint8)
    for bit, pattern in _KINDS.items():
        for low, high in runs(pattern):
            table[low:high] |= bit
    return frozen(table)


@cache
def lower() -> I32:
    """Return the lower case of the first code points; both Greek lower-case sigmas are one."""
    table = np.arange(_CASED, dtype=np.int32)
    for low, high in runs(r"\p{Changes_When_Lowercased}"):
        for point in range(low, min(high, _CASED)):
            table[point] = ord(chr(point).lower()[0])
    table[ord("ς")] = ord("σ")
    return frozen(table)


def runs(pattern: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of code points that match a one-character pattern."""
    for run in pl.Series([_all()]).str.extract_all(f"(?:{pattern})+").explode().to_list():
        yield ord(run[0]), ord(run[-1]) + 1


@cache
def _all() -> str:
    """Return the characters of all non-empty planes, in order."""
    return "".join(chr(x) for low, high in _PLANES for x in range(low, high))


def bytes_of(texts: pa.Array) -> tuple[I64, U8]:
    """Return the offsets of the texts' bytes, including the end, and all bytes."""
    wide = texts.cast(pa.large_string())
    _, offsets, data = wide.buffers()
    at = np.frombuffer(offsets, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    empty = data is None or not data.size
    return frozen(at), frozen(np.zeros(1, np.uint8) if empty else np.frombuffer(data, np.uint8))
