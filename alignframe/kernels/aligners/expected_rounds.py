"""Forward-backward over the positions of a sentence, and the expected fertilities of its words.

The state before a target word is the last place linked before it; NULL keeps it. With ``jump(d)``
the probability of a distance d,

    arriving(j, i) = sum over r of before(j, r) * jump(i - r)
    before(j + 1, i) = arriving(j, i) * grown(j, i) + before(j, i) * null(j)

(Vogel, Ney & Tillmann 1996), and backwards alike. Numbers have single precision and are scaled by
word; rows are padded to whole blocks, so that loops are vectorized.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32
from alignframe.kernels.aligners.gibbs import MAX_FERTILITY
from alignframe.kernels.jit import jit

_TINY = np.float32(1e-30)

BLOCK = 8
"""Rows are padded to a multiple of this, so that sums over positions can be vectorized."""


class Tables(NamedTuple):
    """One row of ``wide`` places per target word of a sentence; place 0 means no link so far.

    ``link`` is the probability of the word given each source word, ``grown`` the same with the
    source word's fertility, and ``share`` the posterior probability of the link. ``before`` is the
    probability that each place is the last one linked before the word, ``arriving`` the probability
    of jumping to it, and ``ends`` the backward probability after the word.
    """

    link: F32
    share: F32
    grown: F32
    before: F32
    arriving: F32
    ends: F32


class Places(NamedTuple):
    """For each place, the expected fertility of its source word, and factors that follow from it.

    The factor of a link is ``usual``, minus ``rise`` times its own share up to ``part``, minus
    ``slope`` times the share beyond. ``weights`` is working space.
    """

    fertility: F32
    usual: F32
    rise: F32
    slope: F32
    part: F32
    weights: F32


class Targets(NamedTuple):
    """For each target word, numbers of its own.

    ``null`` is its probability given NULL, ``usual`` the reciprocal of its total probability at
    first, and ``scale`` the factor of the forward pass.
    """

    null: F32
    usual: F32
    scale: F32


class Room(NamedTuple):
    """What one direction of a sentence pair needs: working space, and parameters.

    ``growth`` has the effects of each source word's fertilities, ``ahead`` the probability of each
    jump, with width 0 in the middle, and ``back`` the same reversed.
    """

    tables: Tables
    places: Places
    targets: Targets
    growth: F32
    ahead: F32
    back: F32


@jit
def make_room(widest: int, longest: int, growth: F32, ahead: F32, back: F32) -> Room:
    """Return working space for sentences of at most so many source words and target words."""
    wide = blocks(widest + 1)
    tables = Tables(*_six_rows(wide * np.uint64(longest + 1)))
    null, usual = np.empty(longest, np.float32), np.empty(longest, np.float32)
    targets = Targets(null, usual, np.empty(longest, np.float32))
    return Room(tables, Places(*_six_rows(wide)), targets, growth, ahead, back)


@jit
def _six_rows(size: np.uint64) -> tuple[F32, F32, F32, F32, F32, F32]:
    """Return six arrays of zeros: places without a word, and padding, are read as well."""
    return (
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
    )


@jit
def begin(n: np.uint64, words: I32, nulls: F32, weighed: F32, room: Room) -> None:
    """Write the probabilities of links, and with uniform jumps their posteriors and fertilities.

    ``weighed`` has them by source position, and ``nulls`` those of NULL by target word.
    """
    link, share, fertility = room.tables.link, room.tables.share, room.places.fertility
    null, usual = room.targets.null, room.targets.usual
    m, wide, one = np.uint64(words.size), blocks(np.int64(n) + 1), np.uint64(1)
    for j in range(m):
        null[j] = nulls[words[j]]
        link[j * wide] = 0
        for i in range(n + one, wide):
            link[j * wide + i] = 0
    k = np.uint64(0)
    for i in range(n):
        for j in range(m):
            link[j * wide + i + one] = weighed[k + j]
        k += m
    flat = np.float32(1) / np.float32(n + one)
    for i in range(wide):
        fertility[i] = 0
    for j in range(m):
        row = j * wide
        usual[j] = np.float32(1) / (total_of(link, row, wide) * flat + null[j] + _TINY)
        part = usual[j] * flat
        for i in range(wide):
            share[row + i] = link[row + i] * part
            fertility[i] += link[row + i] * part


@jit
def apply_fertilities(words: I32, m: np.uint64, room: Room) -> None:
    """Multiply link probabilities by the effect of one more word on the source word's fertility.

    The effect is interpolated linearly between whole fertilities.
    """
    link, share, grown, growth = room.tables.link, room.tables.share, room.tables.grown, room.growth
    fertility, usual, rise, slope, part, _ = room.places
    wide = blocks(words.size + 1)
    for i in range(words.size):
        # ``usual`` is the factor at the expected fertility, between those at k and k + 1. The
        # fertility from other words alone is lower by the link's own share, see below.
        k = min(int(fertility[i + 1]), MAX_FERTILITY - 1)
        own = growth[words[i]]
        more, fewer = own[min(k + 1, MAX_FERTILITY - 1)], own[max(k - 1, 0)]
        part[i + 1] = min(fertility[i + 1] - np.float32(k), np.float32(1))
        rise[i + 1], slope[i + 1] = more - own[k], own[k] - fewer
        usual[i + 1] = own[k] + rise[i + 1] * part[i + 1]
    for j in range(m):
        row = j * wide
        for i in range(wide):
            # Down to k by one slope, below k by another.
            within = min(share[row + i], part[i])
            beyond = share[row + i] - within
            grown[row + i] = link[row + i] * (usual[i] - rise[i] * within - slope[i] * beyond)


@jit
def favour(n: np.uint64, m: np.uint64, more: float, room: Room, other: Room) -> None:
    """Multiply link probabilities by the effect of their share in the other direction."""
    grown, share = room.tables.grown, other.tables.share
    wide, others_wide = blocks(np.int64(n) + 1), blocks(np.int64(m) + 1)
    for j in range(m):
        row, column = j * wide + np.uint64(1), j + np.uint64(1)
        for i in range(n):
            q = share[i * others_wide + column]
            grown[row + i] *= np.float32(1) + more * q * q


@jit
def forward(n: int, m: np.uint64, room: Room) -> None:
    """Write the probability that each place is the last one linked before each word.

    After word j they are multiplied by ``scale[j]``, so that they sum to about 1.
    """
    tables, ahead = room.tables, room.ahead
    grown, before, arriving = tables.grown, tables.before, tables.arriving
    null, usual, scale = room.targets
    wide = blocks(n + 1)
    for i in range(wide):
        before[i] = 0
    before[0] = 1
    total = np.float32(1)
    row = np.uint64(0)
    for j in range(m):
        for i in range(wide):
            arriving[row + i] = 0
        _spread(n, before, row, ahead, arriving, row, wide)
        # Scaled by the previous word's sum, so that the loop need not wait for this one.
        part = usual[j] / (total + _TINY)
        skipped = null[j] * part
        following = row + wide
        for i in range(wide):
            linked = arriving[row + i] * grown[row + i] * part
            before[following + i] = linked + before[row + i] * skipped
        scale[j] = part
        total = total_of(before, following, wide)
        row = following


@jit
def backward(n: int, m: np.uint64, room: Room) -> None:
    """Write the posteriors of links into ``share``, and the fertilities expected from them.

    With the scales of the forward pass the posteriors of every word have the same sum, which is
    divided by once, at the end of the sentence.
    """
    tables, back = room.tables, room.back
    grown, before, arriving, ends = tables.grown, tables.before, tables.arriving, tables.ends
    share, fertility, weights = tables.share, room.places.fertility, room.places.weights
    null, scale = room.targets.null, room.targets.scale
    wide = blocks(n + 1)
    zero = back.size // 2
    row = np.uint64(m - np.uint64(1)) * wide
    total = np.float32(0)
    for i in range(n + 1):  # the jump to the end
        ends[row + np.uint64(i)] = back[zero - (n + 1 - i)]
        total += before[row + wide + np.uint64(i)] * ends[row + np.uint64(i)]
    # Divided by the probability of the sentence, here once.
    part = np.float32(1) / (total + _TINY)
    for i in range(wide):
        ends[row + i] *= part
        fertility[i] = 0
    # ``ends`` is the probability of the words after j from each place.
    for j in range(np.int64(m) - 1, -1, -1):
        row = np.uint64(j) * wide
        part = scale[j]
        for i in range(wide):
            linked = grown[row + i] * ends[row + i] * part
            weights[i] = linked
            linked *= arriving[row + i]
            share[row + i] = linked
            fertility[i] += linked
        if j > 0:
            skipped = null[j] * part
            earlier = row - wide
            for i in range(wide):
                ends[earlier + i] = ends[row + i] * skipped
            _spread(n, weights, np.uint64(0), back, ends, earlier, wide)


@jit
def blocks(n: int) -> np.uint64:
    """Return n rounded up to whole blocks."""
    # Unsigned, so that numba need not handle negative indices.
    return np.uint64((n + BLOCK - 1) // BLOCK * BLOCK)


@jit
def total_of(x: F32, start: np.uint64, wide: np.uint64) -> float:
    """Return the sum of whole blocks, as eight independent sums."""
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
def _spread(
    n: int,
    weights: F32,
    first: np.uint64,
    jumps: F32,
    to: F32,
    start: np.uint64,
    wide: np.uint64,
) -> None:
    """Add to each place the weights of the places from 0 to n, times the jumps from them.

    Place i has the weight ``weights[first + i]``, and is added to ``to[start + i]``. Eight places
    at a time and whole blocks let the compiler vectorize the loop.
    """
    zero = jumps.size // 2
    for k in range(0, n + 1, 8):
        w = first + np.uint64(k)
        w0, w1 = weights[w], weights[w + np.uint64(1)]
        w2, w3 = weights[w + np.uint64(2)], weights[w + np.uint64(3)]
        w4, w5 = weights[w + np.uint64(4)], weights[w + np.uint64(5)]
        w6, w7 = weights[w + np.uint64(6)], weights[w + np.uint64(7)]
        near = jumps[zero - k - 7 : zero - k + np.int64(wide)]
        for i in range(near.size - 7):
            to[start + np.uint64(i)] += (
                (w0 * near[i + 7] + w1 * near[i + 6]) + (w2 * near[i + 5] + w3 * near[i + 4])
            ) + ((w4 * near[i + 3] + w5 * near[i + 2]) + (w6 * near[i + 1] + w7 * near[i]))
