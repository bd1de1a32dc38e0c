"""Matching the bags of n-grams of sentence pairs (Dahlmeier, Liu & Ng 2011, section 2), exactly.

    maximum of sum s_ij w_ij, with sum over j of w_ij <= x_i and sum over i of w_ij <= y_j

for weights x and y of n-grams: the product of 1 for a content and 0.1 for a function word. The
similarity s is the mean over words of 1, 1/2 or 0, but 0 if any of them is. Numbers are integers:
weights are in units of 10^-n, similarities in units of 1 / 2n. N-grams are never hashed: the
columns similar to a row are bit sets, those of n-grams follow from shifted sets of words, and
duplicate n-grams have the same maximum matching as merged ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, U64, Bools
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.jit import jit
from alignframe.kernels.tesla.transport import make_room, solve, words_of

CONTENT = 10
"""The weight of a content word, in tenths."""

MAX_ORDER = 6
"""The longest n-grams whose weights, in units of 10^-n, fit the flow."""

SHORT = 64
"""The longest sentences whose sets of positions fit in one 64-bit word."""


class Side(NamedTuple):
    """The tokens of one side: sentence r has ``starts[r] <= k < ends[r]``."""

    starts: I64
    ends: I64
    lemmas: I32
    tags: I32
    content: Bools


class Lexicon(NamedTuple):
    """The synonyms of lemmas.

    ``numbers`` has one entry per lemma of the vocabulary: its number here, or -1. ``table`` is an
    open-addressing set of ``(a << 32 | b) + 1`` of synonyms a < b, and ``neighbours`` has a few
    bits of each number's synonyms, see ``neighbours_of``.
    """

    numbers: I32
    neighbours: U64
    table: U64


@jit
def _bit_of(number: int) -> int:
    """Return the bit, below 64, of a lemma in the filters of its synonyms."""
    return (np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)


@jit
def neighbours_of(table: U64, size: int) -> U64:
    """Return the bits of each lemma's synonyms, of ``size`` lemmas.

    Synonyms must have each other's bit, which leaves few pairs to look up, most of them synonyms.
    """
    neighbours = np.zeros(size, np.uint64)
    for key in table:
        if key != np.uint64(0):
            first = np.int64((key - np.uint64(1)) >> np.uint64(32))
            second = np.int64((key - np.uint64(1)) & np.uint64(0xFFFFFFFF))
            neighbours[first] |= np.uint64(1) << _bit_of(second)
            neighbours[second] |= np.uint64(1) << _bit_of(first)
    return neighbours


@jit
def _are_synonyms(first: int, second: int, table: U64, shift: int) -> bool:
    """Return whether two lemmas, by number, are in the table of synonyms."""
    low, high = min(first, second), max(first, second)
    key = ((np.uint64(low) << np.uint64(32)) | np.uint64(high)) + np.uint64(1)
    slot = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift)
    while table[slot] != np.uint64(0):
        if table[slot] == key:
            return True
        slot = (slot + np.uint64(1)) & np.uint64(table.size - 1)
    return False


@jit
def _shift_of(size: int) -> int:
    """Return the right shift from a product to a slot of a table of ``size``, a power of two."""
    # The product's highest bits are the slot.
    shift = 64
    while size > 1:
        size >>= 1
        shift -= 1
    return shift


@jit
def _gather(kinds: I32, start: int, end: int, wide: int | None, places: I32, sets: U64) -> None:
    """Gather the positions of each kind of word, lemma or tag.

    The set of a kind is stored at its first position, given by ``places``.
    """
    words = words_of(wide)
    for k in range(start, end):
        j = k - start
        if places[kinds[k]] < 0:
            places[kinds[k]] = j
            for w in range(words):
                sets[j * words + w] = 0
        sets[places[kinds[k]] * words + (j >> 6)] |= np.uint64(1) << np.uint64(j & 63)


@jit
def compare_words(
    hyp: Side,
    ref: Side,
    row: int,
    wide: int | None,
    lexicon: Lexicon,
    alike: U64,
    near: U64,
    places: tuple[I32, I32],
    sets: tuple[U64, U64],
) -> None:
    """Write to ``alike`` which words of ``ref`` are similar to each word of ``hyp``.

    Its shape is (4, side, words): same lemma, same tag, similarity 1, similarity one half.
    ``places`` has -1 for every lemma and tag, before and after.
    """
    words = words_of(wide)
    side = np.int64(near.size >> 1)
    step = side * words
    first, start, end = hyp.starts[row], ref.starts[row], ref.ends[row]
    lemma_places, tag_places = places
    lemma_sets, tag_sets = sets
    _gather(ref.lemmas, start, end, wide, lemma_places, lemma_sets)
    _gather(ref.tags, start, end, wide, tag_places, tag_sets)
    for j in range(end - start):
        number = lexicon.numbers[ref.lemmas[start + j]]
        near[j] = lexicon.neighbours[number] if number >= 0 else np.uint64(0)
        # For lemmas without number the bit is not read, as they have no neighbours.
        near[side + j] = _bit_of(number)
    shift = _shift_of(lexicon.table.size)
    for i in range(hyp.ends[row] - first):
        lemma = lemma_places[hyp.lemmas[first + i]]
        tag = tag_places[hyp.tags[first + i]]
        number = lexicon.numbers[hyp.lemmas[first + i]]
        bits = lexicon.neighbours[number] if number >= 0 else np.uint64(0)
        bit = _bit_of(number)
        for w in range(words):
            same_lemma = lemma_sets[lemma * words + w] if lemma >= 0 else np.uint64(0)
            same_tag = tag_sets[tag * words + w] if tag >= 0 else np.uint64(0)
            synonym = np.uint64(0)
            if bits:
                base = w << 6
                # Both must have the other's bit, so few words of the reference are looked up.
                maybe = np.uint64(0)
                for j in range(min(64, end - start - base)):
                    both = (near[base + j] >> bit) & (bits >> near[side + base + j])
                    maybe |= (both & np.uint64(1)) << np.uint64(j)
                maybe &= ~same_lemma
                while maybe:
                    j = lowest_bit(maybe)
                    maybe &= maybe - np.uint64(1)
                    ref_number = lexicon.numbers[ref.lemmas[start + base + j]]
                    if _are_synonyms(number, ref_number, lexicon.table, shift):
                        synonym |= np.uint64(1) << np.uint64(j)
            at = i * words + w
            alike[at] = same_lemma
            alike[step + at] = same_tag
            # Similarity 1: same lemma, or a synonym with the same tag; one half: only one of both.
            alike[2 * step + at] = same_lemma | (synonym & same_tag)
            alike[3 * step + at] = (synonym ^ same_tag) & ~same_lemma
    for k in range(start, end):
        lemma_places[ref.lemmas[k]] = -1
        tag_places[ref.tags[k]] = -1


@jit
def _later(alike: U64, at: int, w: int, wide: int | None, n: int) -> int:
    """Return word w of a set shifted down by n - 1 positions."""
    words = words_of(wide)
    shifted = alike[at + w] >> np.uint64(n - 1)
    # Not for n = 1: a shift by 64 bits is undefined.
    if n > 1 and w + 1 < words:
        shifted |= alike[at + w + 1] << np.uint64(65 - n)
    return shifted


@jit
def lengthen(
    n: int, rows: int, side: int, wide: int | None, alike: U64, same: U64, edges: U64
) -> None:
    """Turn the sets similar to (n - 1)-grams into those similar to n-grams.

    ``same`` has shape (2, side, words): same lemmas, same tags. ``edges`` has shape (n + 1, side,
    words): similar by n, n + 1 ... 2n halves of a word.
    """
    words = words_of(wide)
    step = np.int64(side) * words
    for i in range(rows):
        # An n-gram's columns are those of its first n - 1 words, if its last word is similar to the
        # last word of the column, n - 1 positions on.
        last = (i + n - 1) * words
        for w in range(words):
            at = i * words + w
            for k in range(2):
                last_words = _later(alike, k * step + last, w, wide, n)
                same[k * step + at] = last_words if n == 1 else same[k * step + at] & last_words
            whole = _later(alike, 2 * step + last, w, wide, n)
            half = _later(alike, 3 * step + last, w, wide, n)
            if n == 1:
                edges[at] = half
                edges[step + at] = whole
                continue
            edges[n * step + at] = edges[(n - 1) * step + at] & whole
            # Index v is n + v halves: v before and half a word now, or v - 1 and a whole word.
            # In place, so from the highest.
            for v in range(n - 1, 0, -1):
                edges[v * step + at] = (edges[v * step + at] & half) | (
                    edges[(v - 1) * step + at] & whole
                )
            edges[at] &= half


@jit
def _grouped(
    rows: int,
    columns: int,
    wide: int | None,
    same: U64,
    at: int,
    supply: I64,
    demand: I64,
    sums: I64,
) -> int:
    """Return the matching by a similarity that is an equivalence of n-grams.

    For each group, it is the weight of the smaller side (section 2.2). A group is identified by its
    first column.
    """
    words = words_of(wide)
    for j in range(columns):
        sums[j] = 0
    matched = np.int64(0)
    for i in range(rows):
        first = np.int64(-1)
        here = at + i * words
        for w in range(words):
            if same[here + w]:
                first = (w << 6) + lowest_bit(same[here + w])
                break
        if first < 0:
            continue
        if sums[first] == 0:  # not read again: the rest counts from 1
            total = np.int64(1)
            for w in range(words):
                members = same[here + w]
                while members:
                    total += demand[(w << 6) + lowest_bit(members)]
                    members &= members - np.uint64(1)
            sums[first] = total
        amount = min(supply[i], sums[first] - 1)
        sums[first] -= amount
        matched += amount
    return matched


@jit
def weigh(side: Side, row: int, n: int, function: int, weights: I64, left: I64) -> int:
    """Turn weights of (n - 1)-grams into those of n-grams, copy them, and return their sum.

    ``weights`` has the weights by first word; a word's weight is ``CONTENT`` or ``function``.
    """
    total = np.int64(0)
    start = side.starts[row]
    for k in range(side.ends[row] - start - n + 1):
        unit = CONTENT if side.content[start + k + n - 1] else function
        weights[k] = unit if n == 1 else weights[k] * unit
        left[k] = weights[k]
        total += weights[k]
    return total


@jit
def match_rows(
    hyp: Side,
    ref: Side,
    chosen: I64,
    side: int,
    wide: int | None,
    kinds: tuple[int, int],
    lexicon: Lexicon,
    function: int,
    counts: I64,
) -> None:
    """Count the rows ``chosen``, with at most ``side`` words per sentence.

    ``kinds`` are the numbers of lemmas and tags; ``counts`` has the shape (rows, orders, 5), see
    ``count_bags``.
    """
    words = words_of(wide)
    orders = counts.shape[1]
    room = make_room(side, words, 2 * orders)
    # Taken once for all rows, and large enough for the longest.
    alike = np.empty(4 * side * words, np.uint64)
    same = np.empty(2 * side * words, np.uint64)
    edges = np.empty((orders + 1) * side * words, np.uint64)
    near = np.empty(2 * side, np.uint64)
    places = (np.full(kinds[0], -1, np.int32), np.full(kinds[1], -1, np.int32))
    sets = (np.empty(side * words, np.uint64), np.empty(side * words, np.uint64))
    sums = np.empty(side, np.int64)
    x, y = np.empty(side, np.int64), np.empty(side, np.int64)
    supply, demand = np.empty(side, np.int64), np.empty(side, np.int64)
    for row in chosen:
        n_hyp = hyp.ends[row] - hyp.starts[row]
        n_ref = ref.ends[row] - ref.starts[row]
        compare_words(hyp, ref, row, wide, lexicon, alike, near, places, sets)
        for n in range(1, orders + 1):
            row_counts = counts[row, n - 1]
            row_counts[0] = weigh(hyp, row, n, function, x, supply)
            row_counts[1] = weigh(ref, row, n, function, y, demand)
            rows, columns = n_hyp - n + 1, n_ref - n + 1
            if rows < 1 or columns < 1:
                continue
            lengthen(n, rows, side, wide, alike, same, edges)
            # Before ``solve``, which uses up supply and demand.
            row_counts[3] = _grouped(rows, columns, wide, same, side * words, supply, demand, sums)
            row_counts[4] = _grouped(rows, columns, wide, same, 0, supply, demand, sums)
            row_counts[2] = solve(n, 2 * n, rows, columns, wide, edges, supply, demand, room)


def count_bags(
    hyp: Side, ref: Side, n_tags: int, lexicon: Lexicon, *, orders: int = 3, function: int = 1
) -> I64:
    """Compute the weights of the n-grams of each sentence pair, and their matchings.

    Return them in the shape (rows, orders, 5): the weights of both sides, in units of 10^-n; and
    the maximum matching by s_ms (in units of 10^-n / 2n), by s_pos and by s_lem (10^-n). Both sides
    share a vocabulary. ``function`` is the weight of a function word in tenths; ``orders`` is at
    most ``MAX_ORDER``.
    """
    kinds = (lexicon.numbers.size, n_tags)
    counts = np.zeros((hyp.starts.size, orders, 5), np.int64)
    longest = np.maximum(hyp.ends - hyp.starts, ref.ends - ref.starts)
    # Sets of one word have a kernel of their own, without loops over words.
    short = np.flatnonzero(longest <= SHORT)
    match_rows(hyp, ref, short, SHORT, None, kinds, lexicon, function, counts)
    if short.size < longest.size:
        long = np.flatnonzero(longest > SHORT)
        side = int(longest.max())
        match_rows(hyp, ref, long, side, (side + 63) >> 6, kinds, lexicon, function, counts)
    return counts


# A hash set of pairs of numbers, each pair one 64-bit key.
#
# The table has open addressing with linear probing, and multiplicative hashing by 2^64 over the
# golden ratio (Knuth 1973, section 6.4): the high bits of the product choose the slot.

_MIX = np.uint64(0x9E3779B97F4A7C15)


@jit
def fill_pairs(keys: U64, table: U64) -> None:
    """Insert distinct non-zero keys into an empty table whose size is a power of two."""
    bits = 0
    while (1 << bits) < table.size:
        bits += 1
    shift = np.uint64(64 - bits)
    mask = table.size - 1
    for key in keys:
        slot = np.int64((key * _MIX) >> shift)
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = key
