"""Link probabilities of sentences outside the training text, each independently.

Jumps are summed by forward-backward (Vogel, Ney & Tillmann 1996); fertilities are their expectation
from the other words of the sentence (a mean field approximation).
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import F32, I32, I64
from alignframe.kernels.gibbs import MAX_FERTILITY
from alignframe.kernels.jit import jit
from alignframe.kernels.link_weights import Counted, Forms, Spelling, Words, weigh
from alignframe.kernels.slots import Slots, remember

_LEAST = 0.01
"""Less probable places are not remembered."""

_TINY = 1e-30

_SLIGHT = np.float32(1e-6)
"""A share that makes no difference to the fertility of the other words."""

BLOCK = 8
"""Sums over places fill blocks of so many."""


@jit
def expect(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    counts: Counted,
    known: Words,
    forms: Forms,
    spelling: Spelling,
    concentration: float,
    ahead: F32,
    back: F32,
    rounds: int,
    at_a_time: int,
    seen: Slots,
) -> None:
    """Add the probabilities of every target word's positions to ``seen``.

    Each round uses the expected fertilities of the previous one; the first uses those without
    jumps, with uniform positions. The result for a sentence depends only on its own words.

    Parameters
    ----------
    concentration
        The pseudo-count of each pair of words.
    ahead, back
        The probability of each jump, that of the width 0 in the middle, and turned round.
        Either side has ``BLOCK`` more than the longest sentence needs.
    at_a_time
        The pairs of places whose links are weighed at a time, if no sentence has more.
    """
    widest, longest, most = 1, 1, 1
    for s in range(src_at.size - 1):
        n, m = src_at[s + 1] - src_at[s], tgt_at[s + 1] - tgt_at[s]
        widest, longest, most = max(widest, n), max(longest, m), max(most, n * m)
    wide = _blocks(widest)
    size = np.uint64(longest) * wide
    link = np.zeros(size, np.float32)  # and 0 beyond the sentence's places
    grown = np.zeros(size, np.float32)
    share = np.empty(size, np.float32)
    null = np.empty(longest, np.float32)
    before = np.empty(size, np.float32)
    unset = np.empty(longest, np.float32)
    arriving = np.empty(size, np.float32)
    ends = np.empty(wide, np.float32)
    told = np.empty(wide, np.float32)
    kept = np.empty(wide, np.float32)
    some = np.empty(wide + np.uint64(1), np.int32)
    fertility = np.empty(widest, np.float32)
    usual = np.empty(widest, np.float32)
    growth, nulls = known.growth, known.null
    places, weights = seen.places, seen.weights
    weighed = np.empty(max(most, min(at_a_time, _pairs(src_at, tgt_at))), np.float32)
    high = 0
    while high < src_at.size - 1:
        low, n_pairs = high, 0
        while high < src_at.size - 1:
            n_pairs += (src_at[high + 1] - src_at[high]) * (tgt_at[high + 1] - tgt_at[high])
            if n_pairs > weighed.size:
                break
            high += 1
        bounds = (src_at[low : high + 1], tgt_at[low : high + 1])
        weigh(
            bounds[0], src, bounds[1], tgt, counts, known, forms, spelling, concentration, weighed
        )
        begin = np.uint64(0)
        for s in range(low, high):
            words = src[src_at[s] : src_at[s + 1]]
            n, m = np.uint64(words.size), np.uint64(tgt_at[s + 1] - tgt_at[s])
            used = _blocks(words.size)
            for i in range(n):
                for j in range(m):
                    link[j * wide + i] = weighed[begin]
                    begin += np.uint64(1)
            for j in range(m):
                null[j] = nulls[tgt[np.uint64(tgt_at[s]) + j]]
                for i in range(n, used):
                    link[j * wide + i] = grown[j * wide + i] = 0
            _begin(n, m, wide, link, null, share)
            for _ in range(rounds):
                fertility[:n] = 0
                for j in range(m):
                    for i in range(n):
                        fertility[i] += share[j * wide + i]
                for i in range(n):
                    usual[i] = _more(growth, words[i], fertility[i])
                for j in range(m):
                    row = j * wide
                    found = 0
                    for i in range(n):
                        grown[row + i] = link[row + i] * usual[i]
                    for i in range(n):
                        some[found] = i
                        found += share[row + i] > _SLIGHT
                    for k in range(found):
                        i = np.uint64(some[k])
                        others = max(fertility[i] - share[row + i], np.float32(0))
                        grown[row + i] = link[row + i] * _more(growth, words[i], others)
                _forward(words.size, m, wide, grown, null, ahead, before, unset, arriving)
                _backward(
                    words.size,
                    m,
                    wide,
                    grown,
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
            for j in range(m):
                t = tgt_at[s] - tgt_at[0] + np.int64(j)
                rest = np.float32(1)
                found = 0
                for i in range(n):
                    rest -= share[j * wide + i]
                    some[found] = i
                    found += share[j * wide + i] > _LEAST
                for k in range(found):
                    remember(places, weights, t, some[k], share[j * wide + np.uint64(some[k])])
                if rest > _LEAST:
                    remember(places, weights, t, -1, rest)


@jit
def _pairs(src_at: I64, tgt_at: I64) -> int:
    """Return how many pairs of places there are."""
    n = 0
    for s in range(src_at.size - 1):
        n += (src_at[s + 1] - src_at[s]) * (tgt_at[s + 1] - tgt_at[s])
    return n


@jit
def _begin(n: np.uint64, m: np.uint64, stride: np.uint64, link: F32, null: F32, share: F32) -> None:
    """Write the probability that word j has place i, where jumps do not count, into ``share``."""
    flat = np.float32(1) / np.float32(n + np.uint64(1))
    for j in range(m):
        row = j * stride
        total = _total(link, row, _blocks(np.int64(n))) * flat + null[j] + np.float32(_TINY)
        for i in range(n):
            share[row + i] = link[row + i] * (flat / total)


@jit
def _more(growth: F32, word: int, fertility: float) -> float:
    """Return how much likelier a word has one more target word; in proportion between numbers."""
    k = min(int(fertility), MAX_FERTILITY - 1)
    part = min(fertility - np.float32(k), np.float32(1))
    higher = growth[word, min(k + 1, MAX_FERTILITY - 1)]
    return growth[word, k] * (1 - part) + higher * part


@jit
def _forward(
    n: int,
    m: np.uint64,
    stride: np.uint64,
    now: F32,
    null: F32,
    ahead: F32,
    before: F32,
    unset: F32,
    arriving: F32,
) -> None:
    """Write the probability that place i is the last one picked before word j.

    That of none yet is ``unset``. ``arriving`` is that of the jump to place i, without the word.
    Tables have a row of ``stride`` places for each word.
    """
    wide = _blocks(n)
    for i in range(wide):
        before[i] = 0
    unset[0] = 1
    a = np.uint64(ahead.size // 2 + 1)
    row = np.uint64(0)
    for j in range(m):
        none = unset[j]
        for i in range(wide):
            arriving[row + i] = none * ahead[a + i]
        if j > 0:
            _spread(n, before, row, ahead, arriving, row)
        if j + np.uint64(1) < m:
            following = row + stride
            skipped = null[j]
            for i in range(wide):
                linked = arriving[row + i] * now[row + i]
                before[following + i] = linked + before[row + i] * skipped
            none *= skipped
            part = np.float32(1) / (_total(before, following, wide) + none + np.float32(_TINY))
            for i in range(wide):
                before[following + i] *= part
            unset[j + np.uint64(1)] = none * part
        row += stride


@jit
def _backward(
    n: int,
    m: np.uint64,
    stride: np.uint64,
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
    start = np.uint64(0)
    for j in range(np.int64(m) - 1, -1, -1):
        row = np.uint64(j) * stride
        skipped = null[j]
        for i in range(wide):
            linked = now[row + i] * ends[i]
            told[i] = linked
            linked *= arriving[row + i]
            share[row + i] = linked
            ends[i] *= skipped
            kept[i] = linked + before[row + i] * ends[i]
        none *= skipped
        total = _total(kept, start, wide) + unset[j] * none + np.float32(_TINY)
        total = np.float32(1) / total
        for i in range(wide):
            share[row + i] *= total
        if j == 0:
            break
        for i in range(wide):
            kept[i] = told[i] * ahead[a + i]
        none += _total(kept, start, wide)
        _spread(n, told, start, back, ends, start)
        for i in range(np.uint64(n), wide):
            ends[i] = 0
        total = np.float32(1) / (_total(ends, start, wide) + none + np.float32(_TINY))
        for i in range(wide):
            ends[i] *= total
        none *= total


@jit
def _blocks(n: int) -> np.uint64:
    """Return a number of places that whole blocks have."""
    # Being unsigned, numba need not look out for negative places.
    return np.uint64((n + BLOCK - 1) // BLOCK * BLOCK)


@jit
def _total(x: F32, start: np.uint64, wide: np.uint64) -> float:
    """Return the sum of whole blocks; its eight sums do not wait for one another."""
    a = b = c = d = e = f = g = h = np.float32(0)
    for i in range(start, start + wide, np.uint64(8)):
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
def _spread(n: int, weights: F32, first: np.uint64, jumps: F32, to: F32, start: np.uint64) -> None:
    """Add the weight of each place to all others, by the jumps to them; fills whole blocks.

    Place i has the weight ``weights[first + i]``, and ``to[start + i]``. Eight places at a time,
    and whole blocks, are what becomes vectors.
    """
    zero = jumps.size // 2
    wide = np.int64(_blocks(n))
    for k in range(0, n, 8):
        w = first + np.uint64(k)
        w0, w1 = weights[w], weights[w + np.uint64(1)]
        w2, w3 = weights[w + np.uint64(2)], weights[w + np.uint64(3)]
        w4, w5 = weights[w + np.uint64(4)], weights[w + np.uint64(5)]
        w6, w7 = weights[w + np.uint64(6)], weights[w + np.uint64(7)]
        some = jumps[zero - k - 7 : zero - k + wide]
        for i in range(some.size - 7):
            to[start + np.uint64(i)] += (
                (w0 * some[i + 7] + w1 * some[i + 6]) + (w2 * some[i + 5] + w3 * some[i + 4])
            ) + ((w4 * some[i + 3] + w5 * some[i + 2]) + (w6 * some[i + 1] + w7 * some[i]))
