"""UTF-8 text as characters: their classes, the words they form, and what two sides share.

Words are identified by a 64-bit hash of their lower-case code points, in the manner of FNV-1a
(Fowler, Noll and Vo), h = (h ^ point) * PRIME, and not compared letter by letter: a million random
hashes hold two equal ones with a probability of 3e-8.

A text of n lines has n + 1 offsets ``at`` into its bytes. ``classes`` has the class bits of each
code point. ``lower`` maps the first code points to lower case; the others have no case.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I32, I64, U8, U64
from alignframe.kernels.arrays import grown
from alignframe.kernels.jit import jit

LETTER, MARK, NUMBER, CAPITAL, BLANK, LINE, IDEOGRAPH = 1, 2, 4, 8, 16, 32, 64
"""Bits of classes: letters, combining marks, numbers, capitals, white space, the underscore, and
Chinese and Japanese characters."""

RUNS, SPACED, SINGLE = 0, 1, 2
"""How text is split: into runs of letters and numbers, and other characters one by one; at white
space; or into characters."""

BASIS = np.uint64(1469598103934665603)
PRIME = np.uint64(1099511628211)

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: the high bits of a product with it depend on all bits."""

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
"""All 64 bits: products are cut to them where numbers are Python's (see ``kernels.small``)."""

_FREE = np.int32(-1)


@jit
def character(text: U8, x: int) -> tuple[int, int]:
    """Return the code point that begins at a byte of valid UTF-8, and where the next one begins."""
    byte = np.int64(text[x])
    if byte < 0x80:
        return byte, x + 1
    # The first byte tells the number of bytes that follow, each with 6 bits.
    more = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
    point = byte & (0x3F >> more)
    for k in range(1, more + 1):
        point = point << 6 | np.int64(text[x + k]) & 0x3F
    return point, x + more + 1


@jit
def mixed(h: np.uint64, point: int) -> np.uint64:
    """Return a hash of characters, updated with one more."""
    return ((h ^ np.uint64(point)) * PRIME) & _ALL


@jit
def slot_of(h: np.uint64, size: int) -> int:
    """Return the first place to look for a hash in a table of ``size`` slots, a power of two.

    The hashes of short words differ in few bits, so they are spread first; otherwise words such as
    ``s105`` and ``s106`` cluster and take tens of probes to find.
    """
    return np.int64(((h * _SPREAD) & _ALL) >> np.uint64(32)) & (size - 1)


@jit
def words(at: I64, text: U8, classes: U8, lower: I32, how: int) -> tuple[I64, I32, I64, I64]:
    """Split lines into words, and number the distinct ones in order of first occurrence.

    Words are compared in lower case, by ``lower``. Return where each line's words begin among all
    words (and the last one's end), the number of each word, and the bytes at which the first
    occurrence of each distinct word starts and ends.
    """
    n_lines = len(at) - 1
    # An open-addressing table of at least twice as many slots as words, with linear probing.
    size = 1 << 12
    slots = np.full(size, _FREE, np.int32)
    keys = np.empty(size >> 1, np.uint64)
    starts, ends = np.empty(size >> 1, np.int64), np.empty(size >> 1, np.int64)
    n_known = 0
    bounds = np.zeros(n_lines + 1, np.int64)
    numbers = np.empty(max((at[n_lines] - at[0]) // 4, 64), np.int32)
    n = 0
    for s in range(n_lines):
        x = at[s]
        while x < at[s + 1]:
            start = x
            point, x = character(text, x)
            kind = classes[point]
            if kind & BLANK:
                continue
            # Code points beyond the table have no case.
            h = mixed(BASIS, lower[point] if point < len(lower) else point)
            inside = np.uint8(LETTER | MARK | NUMBER | LINE)
            # Chinese and Japanese characters are words by themselves, as no spaces tell where words
            # end.
            if how == SPACED or (how == RUNS and kind & inside and not kind & IDEOGRAPH):
                while x < at[s + 1]:
                    point, after = character(text, x)
                    kind = classes[point]
                    if kind & BLANK or (how == RUNS and (kind & IDEOGRAPH or not kind & inside)):
                        break
                    h = mixed(h, lower[point] if point < len(lower) else point)
                    x = after
            slot = slot_of(h, size)
            while slots[slot] != _FREE and keys[slots[slot]] != h:
                slot = (slot + 1) & (size - 1)
            number = slots[slot]
            if number == _FREE:
                if n_known == len(keys):
                    size *= 2
                    slots = np.full(size, _FREE, np.int32)
                    keys = grown(keys, n_known + 1)
                    starts, ends = grown(starts, n_known + 1), grown(ends, n_known + 1)
                    # Half of the slots were taken: all words are put into a larger table.
                    for other in range(n_known):
                        slot = slot_of(keys[other], size)
                        while slots[slot] != _FREE:
                            slot = (slot + 1) & (size - 1)
                        slots[slot] = other
                    slot = slot_of(h, size)
                    while slots[slot] != _FREE:
                        slot = (slot + 1) & (size - 1)
                number = np.int32(n_known)
                slots[slot] = number
                keys[n_known], starts[n_known], ends[n_known] = h, start, x
                n_known += 1
            numbers = grown(numbers, n + 1)
            numbers[n] = number
            n += 1
        bounds[s + 1] = n
    return bounds, numbers[:n], starts[:n_known], ends[:n_known]


@jit
def pieces(text: U8, starts: I64, ends: I64) -> tuple[I64, U8]:
    """Return some parts of a text as a new text: the offsets of its lines, and its bytes."""
    at = np.zeros(len(starts) + 1, np.int64)
    for k in range(len(starts)):
        at[k + 1] = at[k] + ends[k] - starts[k]
    joined = np.empty(at[-1], np.uint8)
    # Byte by byte: assigning slices takes seconds to compile, for the text of an error.
    for k in range(len(starts)):
        for x in range(ends[k] - starts[k]):
            joined[at[k] + x] = text[starts[k] + x]
    return at, joined


COUNTED = (
    *("src_chars", "tgt_chars", "src_numbers", "tgt_numbers", "numbers", "src_marks", "tgt_marks"),
    *("marks", "src_names", "tgt_names", "src_names_matched", "tgt_names_matched", "src_words"),
    *("tgt_words", "words", "long_words", "same_end"),
)
"""Columns of ``count_shared``: characters, items of each side, and shared items."""


@jit
def count_shared(
    src_at: I64, src: U8, tgt_at: I64, tgt: U8, classes: U8, lower: I32, long: int
) -> I32:
    """Count the characters and items of each line pair, and the items that both sides share.

    The result has one row per line, with the columns ``COUNTED``. Numbers are runs of digits, words
    are runs of letters, names are the parts of words from a capital on, of three letters or more,
    and marks are other characters except underscores and white space. Repeated items are shared as
    often as both sides have them, whatever their case; names are matched with the words of the
    other side. Long words have ``long`` letters or more.
    """
    most = 1
    for s in range(src_at.size - 1):
        most = max(most, src_at[s + 1] - src_at[s], tgt_at[s + 1] - tgt_at[s])
    # By kind: numbers, marks, words, names. No line has more items of a kind than bytes.
    src_items, tgt_items = np.empty((4, most), np.uint64), np.empty((4, most), np.uint64)
    src_sizes, tgt_sizes = np.empty(most, np.int32), np.empty(most, np.int32)
    taken = np.empty(most, np.uint8)
    counts = np.empty((src_at.size - 1, 17), np.int32)
    for s in range(src_at.size - 1):
        # Each is (characters, numbers, marks, words, names, final mark).
        src_counts = _items(src_at[s], src_at[s + 1], src, classes, lower, src_items, src_sizes)
        tgt_counts = _items(tgt_at[s], tgt_at[s + 1], tgt, classes, lower, tgt_items, tgt_sizes)
        row = counts[s]
        row[0], row[1] = src_counts[0], tgt_counts[0]
        row[2], row[3] = src_counts[1], tgt_counts[1]
        row[4] = _shared(src_items[0], src_counts[1], tgt_items[0], tgt_counts[1], taken)
        row[5], row[6] = src_counts[2], tgt_counts[2]
        row[7] = _shared(src_items[1], src_counts[2], tgt_items[1], tgt_counts[2], taken)
        row[8], row[9] = src_counts[4], tgt_counts[4]
        row[10] = _shared(src_items[3], src_counts[4], tgt_items[2], tgt_counts[3], taken)
        row[11] = _shared(tgt_items[3], tgt_counts[4], src_items[2], src_counts[3], taken)
        row[12], row[13] = src_counts[3], tgt_counts[3]
        row[14] = _shared(src_items[2], src_counts[3], tgt_items[2], tgt_counts[3], taken)
        # Last, because only the long words are left in place.
        row[15] = _shared(
            src_items[2], _only_long(src_items[2], src_sizes, src_counts[3], long),
            tgt_items[2], _only_long(tgt_items[2], tgt_sizes, tgt_counts[3], long), taken,
        )  # fmt: skip
        row[16] = src_counts[5] == tgt_counts[5]
    return counts


@jit
def _items(
    low: int, high: int, text: U8, classes: U8, lower: I32, items: U64, sizes: I32
) -> tuple[int, int, int, int, int, int]:
    """Write the hashes of a line's numbers, marks, words and names, and the sizes of its words.

    Return the number of characters, of items of each kind, and the final mark, or 0.
    """
    chars = numbers = marks = n_words = names = end = 0
    number = word = name = BASIS
    number_size = word_size = name_size = 0
    x = low
    while x <= high:
        # Past the end as if a blank followed, which ends the last word and number.
        kind, point, small = np.uint8(BLANK), 0, 0
        if x < high:
            point, x = character(text, x)
            chars += 1
            kind = classes[point]
            small = lower[point] if point < lower.size else point
        else:
            x += 1
        if kind & (LETTER | MARK):
            # Combining marks continue a word, but do not begin one.
            if word_size or kind & LETTER:
                word = mixed(word, small)
                word_size += 1
            # A name goes on to the end of the word, whatever the case of its letters.
            if name_size or kind & CAPITAL:
                name = mixed(name, small)
                name_size += 1
        elif word_size:
            items[2, n_words], sizes[n_words] = word, word_size
            n_words += 1
            if name_size > 2:
                items[3, names] = name
                names += 1
            word = name = BASIS
            word_size = name_size = 0
        if kind & NUMBER:
            number = mixed(number, small)
            number_size += 1
        elif number_size:
            items[0, numbers] = number
            numbers += 1
            number, number_size = BASIS, 0
        if not kind & BLANK:
            end = 0
            if not kind & (LETTER | MARK | NUMBER | LINE):
                items[1, marks] = np.uint64(small)
                marks += 1
                end = point
    return chars, numbers, marks, n_words, names, end


@jit
def _only_long(items: U64, sizes: I32, n: int, least: int) -> int:
    """Move long words to the front, and return their number."""
    n_kept = 0
    for x in range(n):
        if sizes[x] >= least:
            items[n_kept] = items[x]
            n_kept += 1
    return n_kept


@jit
def _shared(first: U64, n: int, second: U64, m: int, taken: U8) -> int:
    """Return the number of shared items; repeated items count as often as both sides have them."""
    taken[:m] = 0
    matches = 0
    for x in range(n):
        # Quadratic, but lines have few items of a kind.
        for y in range(m):
            if first[x] == second[y] and not taken[y]:
                taken[y] = 1
                matches += 1
                break
    return matches
