"""Numbering the words of texts from their bytes.

Words are looked up in an open-addressing table by their 64-bit FNV-1a hash (Fowler, Noll and Vo),

    h = (h xor byte) * prime

and compared byte by byte, so different words never share a number. The table and the known words
belong to the caller, so that many texts share their numbers.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I32, I64, U8, U64
from alignframe.kernels.jit import jit

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(32)


@jit
def _is_blank(byte: int) -> bool:
    """Whether a byte is ASCII white space."""
    return byte == 32 or 9 <= byte <= 13


@jit
def number_words(
    offsets: I64,
    data: U8,
    whole: bool,
    slots: I32,
    hashes: U64,
    spans: I64,
    known: U8,
    count: int,
) -> tuple[I32, I32, int]:
    """Split texts at ASCII white space and number the words; a new word gets the next number.

    Text r is ``data[offsets[r] : offsets[r + 1]]``; with ``whole``, it is one word, including
    spaces. ``slots`` is a hash table with linear probing: numbers plus 1, 0 where empty; its size
    is a power of two. Word k has the hash ``hashes[k]`` and the bytes
    ``known[spans[k] : spans[k + 1]]``; there must be room for all new words.

    Return lists and numbers: text r has the words ``numbers[lists[r] : lists[r + 1]]``; and the new
    number of known words.
    """
    rows = offsets.size - 1
    mask = slots.size - 1
    lists = np.zeros(rows + 1, np.int32)
    total = offsets[rows] - offsets[0]
    # A text of b bytes has at most (b + 1) // 2 words, of one letter each.
    numbers = np.empty(rows if whole else (total + rows + 1) // 2, np.int32)
    n_numbers = 0
    for r in range(rows):
        at, end = offsets[r], offsets[r + 1]
        # A whole text is one word even if empty; the loop then ends by ``break``.
        while whole or at < end:
            if not whole:
                while at < end and _is_blank(data[at]):
                    at += 1
                if at == end:
                    break
            begin = at
            value = _BASIS
            while at < end and (whole or not _is_blank(data[at])):
                value = (value ^ np.uint64(data[at])) * _PRIME
                at += 1
            size = at - begin
            # The low bits of FNV-1a are weak: the product's high bits depend on all of them.
            mixed = value * _MIX
            slot = np.int64(mixed >> _FOLD) & mask
            number = -1
            while slots[slot] != 0:
                candidate = slots[slot] - 1
                first = spans[candidate]
                if hashes[candidate] == value and spans[candidate + 1] - first == size:
                    same = True
                    for k in range(size):
                        if known[first + k] != data[begin + k]:
                            same = False
                            break
                    if same:
                        number = candidate
                        break
                slot = (slot + 1) & mask
            if number < 0:
                number = count
                count += 1
                # The number plus 1, as ``count`` has grown.
                slots[slot] = count
                hashes[number] = value
                first = spans[number]
                for k in range(size):
                    known[first + k] = data[begin + k]
                spans[number + 1] = first + size
            numbers[n_numbers] = number
            n_numbers += 1
            if whole:
                break
        lists[r + 1] = n_numbers
    return lists, numbers[:n_numbers], count


@jit
def enter(slots: I32, hashes: U64, count: int) -> None:
    """Enter the first ``count`` words, all different, into an empty hash table."""
    mask = slots.size - 1
    for k in range(count):
        slot = np.int64((hashes[k] * _MIX) >> _FOLD) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = k + 1


@jit
def spread(lists: I32, numbers: I32, starts: I64, parts: I32) -> tuple[I64, I32, U8]:
    """Replace each number by its parts, ``parts[starts[n] : starts[n + 1]]``.

    Text r then has the parts ``out[offsets[r] : offsets[r + 1]]``; the last result says whether
    each part opens its text.
    """
    rows = lists.size - 1
    total = 0
    for number in numbers:
        total += starts[number + 1] - starts[number]
    offsets = np.zeros(rows + 1, np.int64)
    out = np.empty(total, np.int32)
    opens = np.zeros(total, np.uint8)
    at = 0
    for r in range(rows):
        begin = at
        for k in range(lists[r], lists[r + 1]):
            for part in range(starts[numbers[k]], starts[numbers[k] + 1]):
                out[at] = parts[part]
                at += 1
        if at > begin:
            opens[begin] = 1
        offsets[r + 1] = at
    return offsets, out, opens
