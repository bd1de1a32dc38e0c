"""Gibbs sampling of alignments in one direction, one target word at a time.

A target word t picks source position i (a word s), given all other links, with a probability
proportional to

    count(s, t) / count(s) * jump(i - previous) * jump(following - i) * n(k + 1 | s) / n(k | s)

where counts include the priors' pseudo-counts, jumps are from the last linked position and to the
next (Vogel, Ney & Tillmann 1996), and k is the fertility of s from other words. Parameters are
integrated out under Dirichlet priors (Östling & Tiedemann 2016).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I16, I32, I64, U64
from alignframe.kernels.aligners.link_rows import Sides
from alignframe.kernels.aligners.link_table import Table, enter, find, home_of, room
from alignframe.kernels.aligners.slots import Slots, remember
from alignframe.kernels.jit import jit

BY_WORD, BY_JUMP, BY_FERTILITY = 1, 2, 3
"""Stages: translations only; with jumps; with fertilities as well."""

MAX_JUMP = 100
"""Longer jumps share the probability of this one."""

MAX_FERTILITY = 8
"""Larger fertilities are not distinguished: each further word is as likely as the last."""

MAX_POSITIONS = 1 << 15
"""The maximum number of words in a sentence: positions are 16-bit numbers."""

_LEAST = 0.01
"""Less probable positions are not kept."""


class Counts(NamedTuple):
    """Counts of an alignment, with the pseudo-counts of their priors.

    ``pairs`` has those of word pairs, ``nulls`` those of each target word with NULL, ``totals``
    their sums, of NULL first and then of each source word, and ``fertilities`` the counts of 0, 1,
    ... target words of each source word.
    """

    pairs: Table
    nulls: F32
    totals: F64
    fertilities: F32


@jit
def draw(random: U64) -> float:
    """Return a random number in [0, 1), advancing the generator (Marsaglia 2003, xorshift)."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    # The highest 24 bits: as many as a float32 holds exactly.
    return np.float32(x >> np.uint64(40)) * np.float32(2.0**-24)


@jit
def start(sides: Sides, null: float, random: U64, place: I16) -> None:
    """Assign each target word a random source position, or NULL with probability ``null``."""
    for s in range(sides.src_at.size - 1):
        n = sides.src_at[s + 1] - sides.src_at[s]
        for k in range(sides.tgt_at[s], sides.tgt_at[s + 1]):
            # The product may be rounded up to n.
            place[k] = -1 if draw(random) < null else min(np.int64(draw(random) * n), n - 1)


@jit
def add(sides: Sides, place: I16, nulls: F32, totals: F64, fertilities: F32, jumps: I64) -> None:
    """Add an alignment to counts, except those of word pairs."""
    src_at, src, tgt_at, tgt = sides
    fertility = np.empty(MAX_POSITIONS, np.int64)
    for s in range(src_at.size - 1):
        first, n = src_at[s], src_at[s + 1] - src_at[s]
        for i in range(n):
            fertility[i] = 0
        previous = -1
        for k in range(tgt_at[s], tgt_at[s + 1]):
            i = int(place[k])
            if i < 0:
                nulls[tgt[k]] += np.float32(1)
                totals[0] += 1
            else:
                totals[src[first + i] + 1] += 1
                fertility[i] += 1
                jumps[_jump(previous, i)] += 1
                previous = i
        jumps[_jump(previous, n)] += 1
        for i in range(n):
            fertilities[src[first + i], min(fertility[i], MAX_FERTILITY)] += np.float32(1)


@jit
def _jump(start: int, end: int) -> int:
    """Return the index of a jump's count: its width, clipped, from ``-MAX_JUMP`` on."""
    return min(max(end - start, -MAX_JUMP), MAX_JUMP) + MAX_JUMP


@jit
def _prepare(
    words: I32,
    places: I16,
    totals: F64,
    fertilities: F32,
    worth: F32,
    fertility: I32,
    following: I32,
    stage: int,
) -> None:
    """Compute each source word's fertility and factor, and the position after each target word.

    The factor is the part of the probability that does not depend on the target word. The
    sentence's fertilities are subtracted from the counts.
    """
    n = words.size
    for i in range(n):
        fertility[i] = 0
    after = n
    # Backwards, so that the next linked position is known; at the end it is n.
    for j in range(places.size - 1, -1, -1):
        following[j] = after
        if places[j] >= 0:
            after = places[j]
            fertility[after] += 1
    if stage == BY_FERTILITY:
        for i in range(n):
            fertilities[words[i], min(fertility[i], MAX_FERTILITY)] -= 1
    for i in range(n):
        worth[i] = np.float32(1) / np.float32(totals[words[i] + 1])
    if stage == BY_FERTILITY:
        for i in range(n):
            k = min(int(fertility[i]), MAX_FERTILITY - 1)
            worth[i] *= fertilities[words[i], k + 1] / fertilities[words[i], k]


@jit
def sweep(
    sides: Sides,
    counts: Counts,
    alpha: float,
    place: I16,
    ahead: F32,
    back: F32,
    jumps: I64,
    null_odds: float,
    stage: int,
    random: U64,
    seen: Slots,
    turned: I16,
    favour: float,
) -> tuple[int, float, I32]:
    """Sample the position of every target word once.

    ``place`` has the source position of each target word, -1 for NULL. It and ``counts``, those of
    ``place`` and of the priors, are updated. ``alpha`` is the pseudo-count of pairs without a
    count. ``ahead`` has the probability of each jump (see ``jump_table``), ``back`` the same
    reversed; the jumps made are added to ``jumps``. ``null_odds`` is p / (1 - p) of NULL.
    Probabilities of positions are added to ``seen``, the slots of the target words, or none.
    ``turned`` is the alignment of the other direction, a target position for each source word, or
    empty; links that are also in it are ``favour`` times as probable.

    Return the number of words that changed position, and the sum over words of the log-probability
    of the word and its jump, given all links: a measure of convergence without fertilities, not a
    likelihood; and the numbers of the table of pairs, which may have grown.
    """
    nulls, totals, fertilities = counts.nulls, counts.totals, counts.fertilities
    row_at, row_mask, taken, pool, used = counts.pairs
    values = pool.view(np.float32)
    weight, worth = np.empty(MAX_POSITIONS, np.float32), np.empty(MAX_POSITIONS, np.float32)
    fertility, following = np.empty(MAX_POSITIONS, np.int32), np.empty(MAX_POSITIONS, np.int32)
    at, mask = np.empty(MAX_POSITIONS, np.int64), np.empty(MAX_POSITIONS, np.int64)
    pending = np.empty(MAX_POSITIONS, np.int32)
    seen_places, seen_weights = seen.places, seen.weights
    src_at, src, tgt_at, tgt = sides
    moved = 0
    log_probability = 0.0
    for s in range(src_at.size - 1):
        words = src[src_at[s] : src_at[s + 1]]
        first, last = tgt_at[s], tgt_at[s + 1]
        places = place[first:last]
        others = turned[src_at[s] : src_at[s + 1]]
        need = used[0] + room(row_mask, taken, words, last - first)
        if need > pool.size:
            longer = np.empty(max(need, pool.size + pool.size // 4), np.int32)
            # Not as slices, which take seconds to compile, for the text of an error.
            for p in range(used[0]):
                longer[p] = pool[p]
            pool = longer
            values = pool.view(np.float32)
        _prepare(words, places, totals, fertilities, worth, fertility, following, stage)
        for i in range(words.size):
            at[i], mask[i] = row_at[words[i]], row_mask[words[i]]
        sampled = _sample(
            words,
            tgt[first:last],
            places,
            row_at,
            row_mask,
            taken,
            pool,
            values,
            used,
            at,
            mask,
            pending,
            alpha,
            nulls,
            totals,
            fertilities,
            weight,
            worth,
            fertility,
            following,
            ahead,
            back,
            jumps,
            null_odds,
            stage,
            random,
            seen_places,
            seen_weights,
            first - tgt_at[0],
            others,
            favour,
        )
        moved += sampled[0]
        log_probability += sampled[1]
        if stage == BY_FERTILITY:
            for i in range(words.size):
                fertilities[words[i], min(fertility[i], MAX_FERTILITY)] += 1
    return moved, log_probability, pool


@jit
def _sample(
    words: I32,
    targets: I32,
    places: I16,
    row_at: I64,
    row_mask: I64,
    taken: I32,
    pool: I32,
    values: F32,
    used: I64,
    at: I64,
    mask: I64,
    pending: I32,
    alpha: float,
    nulls: F32,
    totals: F64,
    fertilities: F32,
    weight: F32,
    worth: F32,
    fertility: I32,
    following: I32,
    ahead: F32,
    back: F32,
    jumps: I64,
    null_odds: float,
    stage: int,
    random: U64,
    seen_places: I16,
    seen_weights: F32,
    first: int,
    others: I16,
    favour: float,
) -> tuple[int, float]:
    """Sample the positions of a sentence.

    The arrays for each word are arguments, and its loops are inlined: numba would count references
    to arrays taken from a tuple or passed to a function, which takes as long as all the rest.
    """
    zero = ahead.size // 2
    n = words.size
    wide = np.uint64(n)  # numba need not handle negative indices, and vectorizes loops
    one = np.float32(1)
    previous = -1
    moved = 0
    log_probability = 0.0
    for j in range(places.size):
        target = targets[j]
        old = int(places[j])
        after = int(following[j])
        total = np.float32(0)
        # Nearly all words are at home or nowhere; those turned away come after.
        n_pending = np.uint64(0)
        home, key = home_of(target), 2 * np.int64(target) + 1
        for i in range(wide):
            p = np.uint64(at[i] + (home & mask[i]))
            found = np.int64(pool[p])
            # Read in any case, so that there is no branch.
            count = values[p + np.uint64(1)]
            weight[i] = (count if found | 1 == key else alpha) * worth[i]
            pending[n_pending] = i
            n_pending += np.uint64((found & 1) & (found | 1 != key))
        # Not by ``find``, to which arrays would be passed.
        for k in range(n_pending):
            turned = np.uint64(pending[k])
            row, last = at[turned], mask[turned]
            step = (home + 2) & last
            other = np.int64(pool[np.uint64(row + step)])
            while other >= 0 and other | 1 != key:
                step = (step + 2) & last
                other = np.int64(pool[np.uint64(row + step)])
            if other >= 0:
                weight[turned] = values[np.uint64(row + step + 1)] * worth[turned]
        if stage == BY_WORD:
            # Every position has the probability 1 / n, which is left out of the weights.
            null = null_odds * np.float32(n)
        else:
            # NULL leaves the previous position: the jump goes over this word. For place i,
            # ``ahead[to_here + i]`` is the jump to it, and ``back[from_here + i]`` that from it.
            null = null_odds * ahead[zero + after - previous]
            to_here, from_here = np.uint64(zero - previous), np.uint64(zero - after)
            for i in range(wide):
                weight[i] *= ahead[to_here + i] * back[from_here + i]
        if others.size:
            for i in range(wide):
                weight[i] *= favour if others[i] == j else np.float32(1)
        for i in range(wide):
            total += weight[i]
        # The word's own count is removed at its position only. Removing it at the few other
        # positions of the same source word does not improve alignments.
        slot = 0
        if old < 0:
            null *= (nulls[target] - one) / np.float32(totals[0] - one)
            old_weight = null
        else:
            null *= nulls[target] / np.float32(totals[0])
            word = words[old]
            slot = find(pool, at[old], mask[old], target)
            old_weight = (values[slot + 1] - one) / np.float32(totals[word + 1] - one)
            if stage >= BY_JUMP:
                old_weight *= ahead[zero - previous + old] * back[zero - after + old]
            if stage == BY_FERTILITY:
                k = min(int(fertility[old]) - 1, MAX_FERTILITY - 1)
                old_weight *= fertilities[word, k + 1] / fertilities[word, k]
            if others.size and others[old] == j:
                old_weight *= favour
            total += old_weight - weight[old]
            weight[old] = old_weight
        total += null
        if seen_weights.size:
            share = np.float32(1) / total
            for i in range(n):
                if weight[i] * share > _LEAST:
                    remember(seen_places, seen_weights, first + j, i, weight[i] * share)
            if null * share > _LEAST:
                remember(seen_places, seen_weights, first + j, -1, null * share)
        # The current position comes first, as the most probable, then NULL, then the others.
        left = draw(random) * total - old_weight
        new = old
        if left >= 0:
            if old >= 0:
                left -= null
                new = -1
                weight[old] = 0
            if left >= 0:
                new = 0
                left -= weight[0]
                # Rounding may leave a rest: the last position then takes it.
                while left >= 0 and new < n - 1:
                    new += 1
                    left -= weight[new]
            if new != old:
                moved += 1
                places[j] = new
                # The counts lose the old link and gain the new one.
                for more in (-1, 1):
                    i = old if more < 0 else new
                    if i < 0:
                        nulls[target] += np.float32(more)
                        totals[0] += more
                        continue
                    word = words[i]
                    fertility[i] += more
                    if more > 0:
                        slot = find(pool, at[i], mask[i], target)
                        if slot < 0:
                            slot = enter(row_at, row_mask, taken, pool, values, used, word, target)
                            values[slot + 1] = alpha
                    values[slot + 1] += np.float32(more)
                    totals[word + 1] += more
                    for q in range(n):  # the source word may occur at several positions
                        if words[q] == word:
                            at[q], mask[q] = row_at[word], row_mask[word]
                            worth[q] = np.float32(1) / np.float32(totals[word + 1])
                            if stage == BY_FERTILITY:
                                k = min(int(fertility[q]), MAX_FERTILITY - 1)
                                worth[q] *= fertilities[word, k + 1] / fertilities[word, k]
        if new < 0:
            log_probability += np.log(null_odds * nulls[target] / totals[0])
        else:
            link = values[slot + 1] / totals[words[new] + 1]
            log_probability += np.log(link * ahead[zero + new - previous])
            jumps[_jump(previous, new)] += 1
            previous = new
    jumps[_jump(previous, n)] += 1
    return moved, log_probability
