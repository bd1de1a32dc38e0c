"""Words of similar spelling: longest common subsequences, and common prefixes (Melamed 1995, 4.3).

    LCSR(s, t) = length of the longest common subsequence of s and t / length of the longer word

Words are similar if this is at least a cut-off. Up to 64 letters, a column of the table of dynamic
programming is one 64-bit number, updated in four operations (Hyyrö 2004, Bit-parallel LCS-length
computation revisited). Sets of letters reject most pairs before.

Letters are numbered from 0 over both languages: word w has ``letters[at[w] : at[w + 1]]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32, I64, U64, Bools
from alignframe.kernels.arrays import grown
from alignframe.kernels.jit import jit
from alignframe.kernels.lexicon.cooccurrence import Text, add_up, make_scratch

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
"""All 64 bits: sums are cut to them where numbers are Python's (see ``kernels.small``)."""


@jit
def count_bits(bits: np.uint64) -> int:
    """Return how many bits are set, clearing the lowest one until none is left."""
    n = 0
    while bits:
        bits &= bits - np.uint64(1)
        n += 1
    return n


@jit
def _lcs_of_short(size: int, letters: I32, begin: int, end: int, places: U64) -> int:
    """Return the length of the longest common subsequence; the source has at most 64 letters.

    It has ``size`` letters: ``places[a]`` has bit i if letter i is a. The target has
    ``letters[begin:end]``. Bit i of the column is 0 where the length grows from source letter i - 1
    to i, so the zeros are counted.
    """
    column = _ALL
    # Unsigned, so that numba need not handle negative indices.
    for k in range(np.uint64(begin), np.uint64(end)):
        matches = places[letters[k]]
        both = column & matches
        # The sum's carries move each growth down to the first match above the previous growth; the
        # difference is ``column & ~matches``, which restores the other bits.
        column = ((column + both) & _ALL) | (column - both)
    # Carries may have cleared bits beyond the source word.
    if size < 64:
        column |= (_ALL << np.uint64(size)) & _ALL
    return count_bits(column ^ _ALL)


@jit
def lcs_of_any(source: I32, target: I32) -> int:
    """Return the length of the longest common subsequence, by the table of dynamic programming."""
    row = np.zeros(len(target) + 1, np.int64)
    for i in range(len(source)):
        corner = 0
        for j in range(len(target)):
            # One row, overwritten; ``corner`` is the previous row's value to the left.
            above = row[j + 1]
            row[j + 1] = corner + 1 if source[i] == target[j] else max(above, row[j])
            corner = above
    return row[len(target)]


@jit
def lcs_of_rows(
    src_at: I64, src_letters: I32, tgt_at: I64, tgt_letters: I32, n_letters: int
) -> I64:
    """Return the length of the longest common subsequence of each pair of words."""
    places = np.zeros(n_letters, np.uint64)
    common = np.empty(src_at.size - 1, np.int64)
    for w in range(common.size):
        source = src_letters[src_at[w] : src_at[w + 1]]
        target = tgt_letters[tgt_at[w] : tgt_at[w + 1]]
        if source.size > 64:
            common[w] = lcs_of_any(source, target)
            continue
        for i in range(source.size):
            places[source[i]] |= np.uint64(1) << np.uint64(i)
        common[w] = _lcs_of_short(source.size, tgt_letters, tgt_at[w], tgt_at[w + 1], places)
        # Only these were set.
        for letter in source:
            places[letter] = 0
    return common


@jit
def letter_sets(at: I64, letters: I32) -> U64:
    """Return the letters of each word as bits; letters with numbers 64 apart share a bit."""
    out = np.zeros(len(at) - 1, np.uint64)
    for w in range(len(at) - 1):
        for letter in letters[at[w] : at[w + 1]]:
            out[w] |= np.uint64(1) << np.uint64(letter & 63)
    return out


@jit
def find_alike(
    text: Text,
    low: int,
    high: int,
    cutoff: float,
    src_at: I64,
    src_letters: I32,
    src_sets: U64,
    tgt_at: I64,
    tgt_letters: I32,
    tgt_sets: U64,
    n_letters: int,
) -> tuple[I64, I32]:
    """Find target words similar to a source word that occur in the same sentence pair.

    Words are similar if the longest common subsequence has at least ``cutoff`` times the letters of
    the longer word (Melamed 1995, section 4.3). Source word ``low + w`` is similar to
    ``listed[starts[w] : starts[w + 1]]``, unordered.
    """
    scratch = make_scratch(text.n_tgt_words)
    places = np.zeros(n_letters, np.uint64)
    starts = np.zeros(high - low + 1, np.int64)
    listed = np.empty(1024, np.int32)
    n = 0
    for s in range(low, high):
        source = src_letters[src_at[s] : src_at[s + 1]]
        short = source.size <= 64
        if short:
            for i in range(source.size):
                places[source[i]] |= np.uint64(1) << np.uint64(i)
        n_touched = add_up(text, s, scratch)
        listed = grown(listed, n + n_touched)
        for t in scratch.touched[:n_touched]:
            scratch.row[t] = 0
            size = tgt_at[t + 1] - tgt_at[t]
            longest = max(size, source.size)
            if longest == 0 or min(size, source.size) / longest < cutoff:
                continue
            # A letter that the other word lacks is in no common subsequence.
            lacking = count_bits(tgt_sets[t] & ~src_sets[s])
            if (size - lacking) / longest < cutoff:
                continue
            begin, end = tgt_at[t], tgt_at[t + 1]
            if short:
                common = _lcs_of_short(source.size, tgt_letters, begin, end, places)
            else:
                common = lcs_of_any(source, tgt_letters[begin:end])
            listed[n] = t
            # Written first and kept if similar: no branch. There is room for all words of the row.
            n += common / longest >= cutoff
        if short:
            for letter in source:
                places[letter] = 0
        starts[s - low + 1] = n
    return starts, listed[:n].copy()


class Spelt(NamedTuple):
    """Words as letters, and their ``letter_sets``; strict words are similar only to equal ones."""

    at: I64
    letters: I32
    sets: U64
    strict: Bools


@jit
def may_be_alike(
    size: int,
    letters: np.uint64,
    strict: bool,
    other: int,
    others: np.uint64,
    too: bool,
    cutoff: float,
) -> bool:
    """Return whether two words can be similar, judged by their lengths and sets of letters.

    ``size``, ``letters`` and ``strict`` are those of one word, ``other``, ``others`` and ``too``
    those of the other.
    """
    longest = max(size, other)
    least = longest if strict or too else cutoff * longest
    # A letter that the other word lacks is in no common subsequence.
    most = min(other - count_bits(others & ~letters), size - count_bits(letters & ~others))
    return longest > 0 and most >= least


@jit
def common_letters(
    src: I32, src_begin: int, src_end: int, tgt: I32, tgt_begin: int, tgt_end: int, places: U64
) -> int:
    """Return the length of the longest common subsequence of two words.

    ``places`` has the positions of the source word's letters, if it has at most 64; see
    ``put_letters``. Words are passed as bounds, because slices cost more than short words do.
    """
    if src_end - src_begin <= 64:
        return _lcs_of_short(src_end - src_begin, tgt, tgt_begin, tgt_end, places)
    return lcs_of_any(src[src_begin:src_end], tgt[tgt_begin:tgt_end])


@jit
def put_letters(letters: I32, begin: int, end: int, places: U64, on: bool) -> None:
    """Set or clear the positions of each letter of a source word."""
    if end - begin <= 64:
        for k in range(begin, end):
            bit = np.uint64(1) << np.uint64(k - begin) if on else np.uint64(0)
            places[letters[k]] = (places[letters[k]] | bit) if on else np.uint64(0)


@jit
def alike_cells(
    starts: I64, targets: I32, cutoff: float, src: Spelt, tgt: Spelt, n_letters: int
) -> F32:
    """Return the similarity of the words of each cell (see ``kernels.cells``).

    It grows from 0, if the longest common subsequence has ``cutoff`` times the letters of the
    longer word, to 1 for equal words. For NULL it is 0.
    """
    alike = np.zeros(targets.size, np.float32)
    places = np.zeros(n_letters, np.uint64)
    ends, sets, strict = tgt.at, tgt.sets, tgt.strict
    src_letters, tgt_letters = src.letters, tgt.letters
    for w in range(src.at.size - 1):
        begin, end = src.at[w], src.at[w + 1]
        put_letters(src_letters, begin, end, places, True)
        src_size, src_set, src_strict = end - begin, src.sets[w], src.strict[w]
        for c in range(starts[w + 1], starts[w + 2]):
            t = targets[c]
            tgt_begin, tgt_end = ends[t], ends[t + 1]
            if may_be_alike(
                src_size, src_set, src_strict, tgt_end - tgt_begin, sets[t], strict[t], cutoff
            ):
                wide = max(src_size, tgt_end - tgt_begin)
                common = common_letters(
                    src_letters, begin, end, tgt_letters, tgt_begin, tgt_end, places
                )
                if common >= (wide if src_strict or strict[t] else cutoff * wide):
                    alike[c] = (common / wide - cutoff) / (1 - cutoff)
        put_letters(src_letters, begin, end, places, False)
    return alike


@jit
def find_equal(text: Text, low: int, high: int, src_keys: I32, tgt_keys: I32) -> tuple[I64, I32]:
    """Find target words with the key of a source word that occur in the same sentence pair.

    A key of -1 equals no other. The result is as from ``find_alike``.
    """
    scratch = make_scratch(text.n_tgt_words)
    starts = np.zeros(high - low + 1, np.int64)
    listed = np.empty(1024, np.int32)
    n = 0
    for s in range(low, high):
        key = src_keys[s]
        if key >= 0:
            n_touched = add_up(text, s, scratch)
            listed = grown(listed, n + n_touched)
            for t in scratch.touched[:n_touched]:
                scratch.row[t] = 0
                listed[n] = t
                n += tgt_keys[t] == key
        starts[s - low + 1] = n
    return starts, listed[:n].copy()
