"""Exact counts of n-grams shared with references, for BLEU and chrF.

    matched(n) = sum over n-grams g of min(count of g, maximum count of g in any reference)

(Papineni et al. 2002; Popović 2015), for numbers of words or characters. An n-gram of the
references gets a number, by the number of its first n - 1 items and its last item, so n-grams of
any length are found by one exact key.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I32, I64, U8
from alignframe.kernels.jit import jit

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(32)


@jit
def _find(keys: I64, marks: I64, mark: int, key: int) -> int:
    """Return the slot of a key, or the empty slot for it.

    A slot is empty unless it carries the ``mark`` of the current sequence and order.
    """
    slot = np.int64((np.uint64(key) * _MIX) >> _FOLD) & (keys.size - 1)
    while marks[slot] == mark and keys[slot] != key:
        slot = (slot + 1) & (keys.size - 1)
    return slot


@jit
def count_overlap(
    starts: I64, ends: I64, items: I32, groups: I64, bounds: I64, references: I32, order: int
) -> I64:
    """Count the n-grams of each sequence in its references, clipped to their counts there.

    Sequence r is ``items[starts[r] : ends[r]]``: numbers of words, or characters. Its references
    have the numbers ``groups[r] <= k < groups[r + 1]``, and reference k is
    ``references[bounds[k] : bounds[k + 1]]``. Counts are clipped to the largest in any reference.
    Return them in the shape (sequences, order).

    An n-gram is identified by the number of its first n - 1 items, from the order below, and its
    last item, so that hash collisions do not matter.
    """
    matched = np.zeros((starts.size, order), np.int64)
    widest, longest = 0, 0
    for r in range(starts.size):
        widest = max(widest, bounds[groups[r + 1]] - bounds[groups[r]])
        longest = max(longest, ends[r] - starts[r])
    room = 16
    while room < 2 * widest:
        room *= 2
    keys, marks = np.empty(room, np.int64), np.full(room, -1, np.int64)
    numbers = np.empty(room, np.int64)
    # By number of n-gram: its count in one reference, which one, the maximum, and the matches.
    here, where = np.empty(widest, np.int64), np.empty(widest, np.int64)
    most, used = np.empty(widest, np.int64), np.empty(widest, np.int64)
    prefixes, own_numbers = np.zeros(widest, np.int64), np.zeros(longest, np.int64)
    mark = 0
    for r in range(starts.size):
        first = bounds[groups[r]]
        prefixes[: bounds[groups[r + 1]] - first] = 0
        own_numbers[: ends[r] - starts[r]] = 0
        for n in range(order):
            # All slots are free again.
            mark += 1
            known = 0
            for k in range(groups[r], groups[r + 1]):
                for at in range(bounds[k], bounds[k + 1] - n):
                    key = (prefixes[at - first] << 32) | references[at + n]
                    slot = _find(keys, marks, mark, key)
                    if marks[slot] != mark:
                        marks[slot], keys[slot], numbers[slot] = mark, key, known
                        where[known], most[known], used[known] = -1, 0, 0
                        known += 1
                    number = numbers[slot]
                    # Counted anew in each reference.
                    here[number] = here[number] + 1 if where[number] == k else 1
                    where[number] = k
                    most[number] = max(most[number], here[number])
                    prefixes[at - first] = number
            # No reference has as many items, so none has longer n-grams.
            if not known:
                break
            for at in range(ends[r] - starts[r] - n):
                if own_numbers[at] < 0:  # its prefix is in no reference
                    continue
                slot = _find(keys, marks, mark, (own_numbers[at] << 32) | items[starts[r] + at + n])
                if marks[slot] != mark:
                    own_numbers[at] = -1
                    continue
                number = numbers[slot]
                own_numbers[at] = number
                if used[number] < most[number]:
                    used[number] += 1
                    matched[r, n] += 1
    return matched


@jit
def _is_space(character: int) -> bool:
    """Whether a character is white space to Unicode, as ``str.isspace`` has it."""
    if character < 0x85:
        return character == 32 or 9 <= character <= 13 or 28 <= character <= 31
    return (
        character in (0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
        or 0x2000 <= character <= 0x200A
    )


@jit
def decode(offsets: I64, data: U8, spaces: bool) -> tuple[I64, I32]:
    """Return the characters of texts in UTF-8, with white space if ``spaces``.

    Text r is ``data[offsets[r] : offsets[r + 1]]``, with the characters
    ``characters[bounds[r] : bounds[r + 1]]``.
    """
    bounds = np.zeros(offsets.size, np.int64)
    characters = np.empty(offsets[-1] - offsets[0], np.int32)
    size = 0
    for r in range(offsets.size - 1):
        at = offsets[r]
        while at < offsets[r + 1]:
            lead = np.int32(data[at])
            # The number of bytes that follow.
            more = (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
            character = lead if more == 0 else lead & (0x3F >> more)
            for k in range(1, more + 1):
                character = (character << 6) | (np.int32(data[at + k]) & 0x3F)
            at += more + 1
            if spaces or not _is_space(character):
                characters[size] = character
                size += 1
        bounds[r + 1] = size
    return bounds, characters[:size]
