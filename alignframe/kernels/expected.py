"""Probabilities of the links of sentences that nothing is learnt from, each sentence by itself.

Jumps are summed over by forward-backward (Vogel, Ney & Tillmann 1996); a word's fertility is taken
to be what the other words of the sentence give it in expectation (a mean field).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, F64, I32, I64, U64, Bools
from alignframe.kernels import pair_counts as pc
from alignframe.kernels.cognates import Spelt, likeness, may_be_alike, put_letters
from alignframe.kernels.gibbs import MAX_FERTILITY
from alignframe.kernels.jit import jit
from alignframe.kernels.slots import Slots, remember

_LEAST = 0.01
"""Less probable places are not remembered."""

_TINY = 1e-30

_SLIGHT = np.float32(1e-6)
"""A share that makes no difference to the fertility of the other words."""

BLOCK = 8
"""Sums over places fill blocks of so many."""


class Words(NamedTuple):
    """What is known of the words of a text on their own.

    Source word w has the row ``rows[w]`` of counts, -1 if it is new, ``totals`` links without
    pseudo-counts, ``spread`` pseudo-counts for its known cells, and in column k of ``growth`` how
    much likelier it has k + 1 target words than k. Target word t is the word ``columns[t]`` of
    counts, and has the probability ``null`` under NULL.
    """

    rows: I32
    totals: F64
    spread: F64
    growth: F32
    columns: I32
    null: F32


class Spelling(NamedTuple):
    """How words are spelt, and the pseudo-counts of equal words; of any others, if they are 0."""

    src: Spelt
    tgt: Spelt
    n_letters: int
    cutoff: float
    most: float


class Forms(NamedTuple):
    """What forms of a word share: ``counts`` has the links of each pair of stems.

    Source word w has the stem ``rows[w]``, and ``worth[w]`` times its stem's links to the stem
    ``columns[t]`` of target word t as a pseudo-count, the pair's own links left out. Nothing is
    shared if no word has a ``worth``.
    """

    counts: pc.PairCounts
    rows: I32
    columns: I32
    worth: F32


class _Opposite(NamedTuple):
    """What is asked of each target word of a sentence, for every source word."""

    hashes: U64
    stems: U64
    sizes: I64
    sets: U64
    strict: Bools
    first: Bools


@jit
def expect(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    counts: pc.PairCounts,
    known: Words,
    forms: Forms,
    spelling: Spelling,
    concentration: float,
    ahead: F32,
    back: F32,
    rounds: int,
    seen: Slots,
) -> None:
    """Add the probabilities of the places of every target word to ``seen``.

    The first round goes without fertilities; each further one has those that the round before
    expects. What is found in a sentence depends on its own words alone.

    Parameters
    ----------
    concentration
        The pseudo-count of each pair of words.
    ahead, back
        The probability of each jump, that of the width 0 in the middle, and turned round.
        Either side has ``BLOCK`` more than the longest sentence needs.
    """
    widest, longest = 1, 1
    for s in range(src_at.size - 1):
        widest = max(widest, src_at[s + 1] - src_at[s])
        longest = max(longest, tgt_at[s + 1] - tgt_at[s])
    wide = _blocks(widest)
    link = np.zeros((longest, wide), np.float32)  # and 0 beyond the sentence's places
    grown = np.zeros((longest, wide), np.float32)
    share = np.empty((longest, wide), np.float32)
    null = np.empty(longest, np.float32)
    before = np.empty((longest, wide), np.float32)
    unset = np.empty(longest, np.float32)
    arriving = np.empty((longest, wide), np.float32)
    ends = np.empty(wide, np.float32)
    told = np.empty(wide, np.float32)
    kept = np.empty(wide, np.float32)
    some = np.empty(longest + 1, np.int32)
    fertility = np.empty(widest, np.float32)
    usual = np.empty(widest, np.float32)
    opposite = _Opposite(
        np.empty(longest, np.uint64),
        np.empty(longest, np.uint64),
        np.empty(longest, np.int64),
        np.empty(longest, np.uint64),
        np.empty(longest, np.bool_),
        np.empty(longest, np.bool_),
    )
    letters = np.zeros(max(spelling.n_letters, 1), np.uint64)
    growth = known.growth
    places, weights = seen.places, seen.weights
    for s in range(src_at.size - 1):
        words = src[src_at[s] : src_at[s + 1]]
        targets = tgt[tgt_at[s] : tgt_at[s + 1]]
        n, m = words.size, targets.size
        _weigh(
            words,
            targets,
            counts,
            known,
            forms,
            spelling,
            concentration,
            opposite,
            letters,
            some,
            link,
        )
        for j in range(m):
            null[j] = known.null[targets[j]]
            for i in range(n, _blocks(n)):
                link[j, i] = grown[j, i] = 0
        for r in range(rounds):
            now = grown if r > 0 else link
            if r > 0:
                for i in range(n):
                    usual[i] = _more(growth, words[i], fertility[i])
                for j in range(m):
                    for i in range(n):
                        now[j, i] = link[j, i] * usual[i]
                    for i in range(n):
                        if share[j, i] > _SLIGHT:
                            others = max(fertility[i] - share[j, i], np.float32(0))
                            now[j, i] = link[j, i] * _more(growth, words[i], others)
            _forward(n, m, now, null, ahead, before, unset, arriving)
            _backward(
                n,
                m,
                now,
                null,
                ahead,
                back,
                before,
                unset,
                arriving,
                ends,
                told,
                kept,
                share,
            )
            fertility[:n] = 0
            for j in range(m):
                for i in range(n):
                    fertility[i] += share[j, i]
        for j in range(m):
            t = tgt_at[s] - tgt_at[0] + j
            rest = np.float32(1)
            for i in range(n):
                rest -= share[j, i]
                if share[j, i] > _LEAST:
                    remember(places, weights, t, i, share[j, i])
            if rest > _LEAST:
                remember(places, weights, t, -1, rest)


@jit
def _more(growth: F32, word: int, fertility: float) -> float:
    """Return how much likelier a word has one more target word; in proportion between numbers."""
    k = min(int(fertility), MAX_FERTILITY - 1)
    part = min(fertility - np.float32(k), np.float32(1))
    higher = growth[word, min(k + 1, MAX_FERTILITY - 1)]
    return growth[word, k] * (1 - part) + higher * part


@jit
def _weigh(
    words: I32,
    targets: I32,
    counts: pc.PairCounts,
    known: Words,
    forms: Forms,
    spelling: Spelling,
    concentration: float,
    opposite: _Opposite,
    letters: U64,
    some: I32,
    link: F32,
) -> None:
    """Write the probability of each target word, given each source word.

    A word that is not known well has the pseudo-counts of the words opposite it at least: if it is
    new, it shares itself among these.
    """
    rows, columns, totals, spread = known.rows, known.columns, known.totals, known.spread
    bits, keys, values = counts.bits, counts.keys, counts.counts
    hashes, stems, sizes, sets, stricts, first = opposite
    stem_bits, stem_keys, stem_values = forms.counts
    stem_rows, stem_columns, stem_worth = forms.rows, forms.columns, forms.worth
    src, tgt, _, cutoff, most = spelling
    down, stem_down = pc.shift(bits), pc.shift(stem_bits)
    n, m = words.size, targets.size
    different = 0
    for j in range(m):
        t = targets[j]
        first[j] = True
        for k in range(j):
            if targets[k] == t:
                first[j] = False
        different += first[j]
        hashes[j] = pc.of_target(columns[t])
        stems[j] = pc.of_target(stem_columns[t])
        if most > 0:
            sizes[j] = tgt.at[t + 1] - tgt.at[t]
            sets[j] = tgt.sets[t]
            stricts[j] = tgt.strict[t]
    for i in range(n):
        w = words[i]
        for j in range(m):
            link[j, i] = concentration
        here = concentration * different
        # Those that need a closer look are listed first, without a branch to be guessed wrong.
        if most > 0:
            size, mine, strict = src.at[w + 1] - src.at[w], src.sets[w], src.strict[w]
            found = 0
            if strict:  # like equal words alone
                for j in range(m):
                    some[found] = j
                    found += sets[j] == mine
            else:
                for j in range(m):
                    some[found] = j
                    found += may_be_alike(size, mine, strict, sizes[j], sets[j], stricts[j], cutoff)
            if found:
                put_letters(src, w, letters, True)
                for k in range(found):
                    j = some[k]
                    alike = most * likeness(src, w, tgt, targets[j], cutoff, letters)
                    link[j, i] += alike
                    if first[j]:
                        here += alike
                put_letters(src, w, letters, False)
        row, stem, share = rows[w], stem_rows[w], stem_worth[w]
        own, of_stem = pc.of_row(row), pc.of_row(stem)
        found = 0
        if share > 0:  # no words are linked whose stems are not
            for j in range(m):
                some[found] = j
                found += pc.may_have(stem_bits, (of_stem + stems[j]) >> stem_down)
        elif row >= 0:
            for j in range(m):
                some[found] = j
                found += pc.may_have(bits, (own + hashes[j]) >> down)
        for k in range(found):
            j = some[k]
            linked = np.float32(0)
            h = (own + hashes[j]) >> down
            if row >= 0 and pc.may_have(bits, h):
                linked = pc.asked(keys, values, row, columns[targets[j]], h)
            link[j, i] += linked
            if share > 0:
                h = (of_stem + stems[j]) >> stem_down
                more = pc.asked(stem_keys, stem_values, stem, stem_columns[targets[j]], h) - linked
                if more > 0:
                    more *= share
                    link[j, i] += more
                    if first[j]:
                        here += more
        worth = np.float32(1 / (totals[w] + max(spread[w], here)))
        for j in range(m):
            link[j, i] *= worth


@jit
def _forward(
    n: int, m: int, now: F32, null: F32, ahead: F32, before: F32, unset: F32, arriving: F32
) -> None:
    """Write the probability that place i is the last one picked before word j.

    That of none yet is ``unset``. ``arriving`` is that of the jump to place i, without the word.
    """
    zero = ahead.size // 2
    wide = _blocks(n)
    before[0, :wide] = 0
    unset[0] = 1
    a = np.uint64(zero + 1)
    for j in range(m):
        last, to, likely = before[j], arriving[j], now[j]
        for i in range(wide):
            to[i] = unset[j] * ahead[a + i]
        if j > 0:
            _spread(n, last, ahead, to)
        if j + 1 < m:
            following = before[j + 1]
            for i in range(wide):
                following[i] = to[i] * likely[i] + last[i] * null[j]
            unset[j + 1] = unset[j] * null[j]
            part = np.float32(1) / (_total(following, wide) + unset[j + 1] + np.float32(_TINY))
            for i in range(wide):
                following[i] *= part
            unset[j + 1] *= part


@jit
def _backward(
    n: int,
    m: int,
    now: F32,
    null: F32,
    ahead: F32,
    back: F32,
    before: F32,
    unset: F32,
    arriving: F32,
    ends: F32,
    told: F32,
    kept: F32,
    share: F32,
) -> None:
    """Write the probability that word j has place i into ``share``."""
    zero = back.size // 2
    wide = _blocks(n)
    ends[:wide] = 0
    for i in range(n):  # the jump to the end
        ends[i] = back[zero - (n - i)]
    none = back[zero - (n + 1)]
    a = np.uint64(zero + 1)
    for j in range(m - 1, -1, -1):
        mine, last, to, likely = share[j], before[j], arriving[j], now[j]
        for i in range(wide):
            told[i] = likely[i] * ends[i]
            mine[i] = to[i] * told[i]
            ends[i] *= null[j]
            kept[i] = mine[i] + last[i] * ends[i]
        none *= null[j]
        total = _total(kept, wide) + unset[j] * none + np.float32(_TINY)
        total = np.float32(1) / total
        for i in range(wide):
            mine[i] *= total
        if j == 0:
            break
        for i in range(wide):
            kept[i] = told[i] * ahead[a + i]
        none += _total(kept, wide)
        _spread(n, told, back, ends)
        for i in range(n, wide):
            ends[i] = 0
        total = np.float32(1) / (_total(ends, wide) + none + np.float32(_TINY))
        for i in range(wide):
            ends[i] *= total
        none *= total


@jit
def _blocks(n: int) -> np.uint64:
    """Return a number of places that whole blocks have."""
    # Being unsigned, numba need not look out for negative places.
    return np.uint64((n + BLOCK - 1) // BLOCK * BLOCK)


@jit
def _total(x: F32, wide: np.uint64) -> float:
    """Return the sum of whole blocks; eight sums side by side become vectors."""
    a = b = c = d = e = f = g = h = np.float32(0)
    for i in range(np.uint64(0), wide, np.uint64(8)):
        a += x[i]
        b += x[i + np.uint64(1)]
        c += x[i + np.uint64(2)]
        d += x[i + np.uint64(3)]
        e += x[i + np.uint64(4)]
        f += x[i + np.uint64(5)]
        g += x[i + np.uint64(6)]
        h += x[i + np.uint64(7)]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@jit
def _spread(n: int, weights: F32, jumps: F32, to: F32) -> None:
    """Add the weight of each place to all others, by the jumps to them; fills whole blocks.

    Eight places at a time, and whole blocks, are what becomes vectors.
    """
    zero = jumps.size // 2
    wide = _blocks(n)
    for k in range(0, n, 8):
        w0, w1, w2, w3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        w4, w5, w6, w7 = weights[k + 4], weights[k + 5], weights[k + 6], weights[k + 7]
        some = jumps[zero - k - 7 : zero - k + np.int64(wide)]
        for i in range(some.size - 7):
            to[i] += (
                (w0 * some[i + 7] + w1 * some[i + 6]) + (w2 * some[i + 5] + w3 * some[i + 4])
            ) + ((w4 * some[i + 3] + w5 * some[i + 2]) + (w6 * some[i + 1] + w7 * some[i]))
