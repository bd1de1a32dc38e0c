"""Probabilities of the links of sentences that nothing is learnt from, each sentence by itself.

Jumps are summed over exactly, by forward-backward (Vogel, Ney & Tillmann 1996); a word's fertility
is taken to be what the other words of the sentence give it in expectation (a mean field).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, F64, I32, U8
from alignframe.kernels.cells import Pairing
from alignframe.kernels.gibbs import MAX_FERTILITY
from alignframe.kernels.jit import jit
from alignframe.kernels.slots import Slots, remember

_LEAST = 0.01
"""Less probable places are not remembered."""

_TINY = 1e-30

BLOCK = 32
"""Sums over places fill blocks of so many."""


class Learnt(NamedTuple):
    """What is known of the words of a text.

    ``pairs`` has the count of each cell, pseudo-counts included, and ``pseudo`` the latter alone;
    ``totals`` the count of NULL and of each source word, without pseudo-counts, and ``spread``
    those of its known cells; ``growth`` in column k how much likelier a source word has k + 1
    target words than k.
    """

    pairs: F32
    pseudo: F32
    totals: F64
    spread: F64
    growth: F32


@jit
def expect(
    pairing: Pairing,
    learnt: Learnt,
    ahead: F32,
    back: F32,
    null_odds: float,
    rounds: int,
    seen: Slots,
) -> None:
    """Add the probabilities of the places of every target word to ``seen``.

    The first round goes without fertilities; each further one has those that the round before
    expects. What is found in a sentence depends on its own words alone.

    Parameters
    ----------
    ahead, back
        The probability of each jump, that of the width 0 in the middle, and turned round.
        Either side has ``BLOCK`` more than the longest sentence needs.
    null_odds
        p / (1 - p) of a word that belongs to NULL.
    """
    src_at, src, tgt_at, tgt = pairing.src_at, pairing.src, pairing.tgt_at, pairing.tgt
    at, cell = pairing.at, pairing.cell
    widest, longest = 1, 1
    for s in range(at.size - 1):
        widest = max(widest, src_at[s + 1] - src_at[s])
        longest = max(longest, tgt_at[s + 1] - tgt_at[s])
    padded = widest + BLOCK
    link = np.empty((longest, widest), np.float32)
    now = np.empty((longest, widest), np.float32)
    share = np.empty((longest, widest), np.float32)
    null = np.empty(longest, np.float32)
    before = np.empty((longest, widest + 1), np.float32)
    arriving = np.empty((longest, padded), np.float32)
    ends = np.empty(padded, np.float32)
    told = np.empty(widest + 1, np.float32)
    fertility = np.empty(widest, np.float32)
    first = np.empty(longest, np.uint8)
    growth = learnt.growth
    for s in range(at.size - 1):
        words = src[src_at[s] : src_at[s + 1]]
        targets = tgt[tgt_at[s] : tgt_at[s + 1]]
        cells = cell[at[s] : at[s + 1]]
        n, m = words.size, targets.size
        _weigh(words, targets, cells, learnt, null_odds, first, link, null)
        for r in range(rounds):
            for j in range(m):
                for i in range(n):
                    now[j, i] = link[j, i]
                    if r > 0:
                        others = max(fertility[i] - share[j, i], np.float32(0))
                        k = min(int(others), MAX_FERTILITY - 1)
                        part = min(others - np.float32(k), np.float32(1))
                        higher = growth[words[i], min(k + 1, MAX_FERTILITY - 1)]
                        now[j, i] *= growth[words[i], k] * (1 - part) + higher * part
            _forward(n, m, now, null, ahead, before, arriving)
            _backward(n, m, now, null, back, before, arriving, ends, told, share)
            fertility[:n] = 0
            for j in range(m):
                for i in range(n):
                    fertility[i] += share[j, i]
        for j in range(m):
            t = tgt_at[s] + j
            rest = np.float32(1)
            for i in range(n):
                rest -= share[j, i]
                if share[j, i] > _LEAST:
                    remember(seen.places, seen.weights, t, i, share[j, i])
            if rest > _LEAST:
                remember(seen.places, seen.weights, t, -1, rest)


@jit
def _weigh(
    words: I32,
    targets: I32,
    cells: I32,
    learnt: Learnt,
    null_odds: float,
    first: U8,
    link: F32,
    null: F32,
) -> None:
    """Write the probability of each target word, given each source word, and NULL.

    A word that is not known well has the pseudo-counts of the words opposite it at least: if it is
    new, it shares itself among these.
    """
    pairs, pseudo, totals, spread = learnt.pairs, learnt.pseudo, learnt.totals, learnt.spread
    n, m = words.size, targets.size
    for j in range(m):
        first[j] = 1
        for k in range(j):
            if targets[k] == targets[j]:
                first[j] = 0
        null[j] = null_odds * pairs[targets[j]] / (totals[0] + spread[0])
    for i in range(n):
        here = 0.0
        for j in range(m):
            if first[j]:
                here += pseudo[cells[j * n + i]]
        worth = np.float32(1 / (totals[words[i] + 1] + max(spread[words[i] + 1], here)))
        for j in range(m):
            link[j, i] = pairs[cells[j * n + i]] * worth


@jit
def _forward(n: int, m: int, now: F32, null: F32, ahead: F32, before: F32, arriving: F32) -> None:
    """Write the probability that place i is the last one picked before word j.

    Place n stands for none yet. ``arriving`` is that of the jump to place i, without the word.
    """
    zero = ahead.size // 2
    wide = np.uint64(n)  # numba need not look out for negative places
    for i in range(n):
        before[0, i] = 0
    before[0, n] = 1
    for j in range(m):
        last, to = before[j], arriving[j]
        a = np.uint64(zero + 1)
        for i in range(wide):
            to[i] = last[wide] * ahead[a + i]
        if j > 0:
            _spread(n, last, ahead, to)
        if j + 1 < m:
            following = before[j + 1]
            total = np.float32(_TINY)
            for i in range(wide):
                following[i] = to[i] * now[j, i] + last[i] * null[j]
            following[wide] = last[wide] * null[j]
            for i in range(wide + np.uint64(1)):
                total += following[i]
            total = np.float32(1) / total
            for i in range(wide + np.uint64(1)):
                following[i] *= total


@jit
def _backward(
    n: int,
    m: int,
    now: F32,
    null: F32,
    back: F32,
    before: F32,
    arriving: F32,
    ends: F32,
    told: F32,
    share: F32,
) -> None:
    """Write the probability that word j has place i into ``share``."""
    zero = back.size // 2
    wide = np.uint64(n)
    for i in range(n):  # the jump to the end
        ends[i] = back[zero - (n - i)]
    ends[n] = back[zero - (n + 1)]
    for j in range(m - 1, -1, -1):
        mine, last, to = share[j], before[j], arriving[j]
        total = np.float32(_TINY)
        for i in range(wide):
            told[i] = now[j, i] * ends[i]
            mine[i] = to[i] * told[i]
        for i in range(wide):
            total += mine[i] + last[i] * null[j] * ends[i]
        total += last[wide] * null[j] * ends[wide]
        total = np.float32(1) / total
        for i in range(wide):
            mine[i] *= total
        if j == 0:
            break
        for i in range(wide + np.uint64(1)):
            ends[i] *= null[j]
        none = np.float32(0)
        b = np.uint64(zero - 1)
        for k in range(wide):
            none += told[k] * back[b - k]
        ends[wide] += none
        none = ends[wide]
        _spread(n, told, back, ends)
        ends[wide] = none
        most = np.float32(_TINY)
        for i in range(wide + np.uint64(1)):
            most = max(most, ends[i])
        most = np.float32(1) / most
        for i in range(wide + np.uint64(1)):
            ends[i] *= most


@jit
def _spread(n: int, weights: F32, jumps: F32, to: F32) -> None:
    """Add the weight of each place to all others, by the jumps to them; fills whole blocks.

    Four places at a time, and whole blocks, are what becomes vectors.
    """
    zero = jumps.size // 2
    wide = (n + BLOCK - 1) // BLOCK * BLOCK
    for k in range(0, n, 4):
        w0 = weights[k]
        w1 = weights[k + 1] if k + 1 < n else np.float32(0)
        w2 = weights[k + 2] if k + 2 < n else np.float32(0)
        w3 = weights[k + 3] if k + 3 < n else np.float32(0)
        at = zero - k
        j0, j1 = jumps[at : at + wide], jumps[at - 1 : at - 1 + wide]
        j2, j3 = jumps[at - 2 : at - 2 + wide], jumps[at - 3 : at - 3 + wide]
        for i in range(j0.size):
            to[i] += w0 * j0[i] + w1 * j1[i] + w2 * j2[i] + w3 * j3[i]
