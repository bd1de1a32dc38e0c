"""Model 1 over line pairs, word by word, so that the current row stays in the CPU cache.

    p(judged | given) = product over judged words t of sum over w of p(t | w) / (l + 1)

where w is NULL or one of l given words (Brown et al. 1993, section 4.2), trained by EM with Moore's
(2002) rule that links with less than a uniform share go to NULL. The loop over given words is
outside, that over the lines of each inside: its row of the table is read from memory once.

A side of n lines has n + 1 offsets ``at`` into the numbers of its known words.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, U32
from alignframe.kernels.arrays import grown
from alignframe.kernels.cells import occurrences_of
from alignframe.kernels.jit import jit

_TIES = np.float32(1.0 - 1e-5)
"""Uniform shares may differ by rounding errors."""


class Words(NamedTuple):
    """The words of a side: sentence s has ``words[at[s] : at[s + 1]]``."""

    at: I64
    words: I32


class Gains(NamedTuple):
    """Translations of given words, relative to the frequencies of the judged words.

    Given word w has the translations ``targets[starts[w] : starts[w + 1]]``, with probabilities
    ``gains`` relative to their frequency; the mass ``rest[w]`` is distributed by frequency, and
    ``null`` has the gains of the empty word.
    """

    starts: I64
    targets: I32
    gains: F32
    rest: F32
    null: F32


@jit
def known(at: I64, numbers: I32) -> tuple[I64, I32]:
    """Return the known words of each line: offsets and numbers; unknown words are -1."""
    bounds = np.zeros(at.size, np.int64)
    kept = np.empty(at[at.size - 1] - at[0], np.int32)
    n = 0
    for s in range(at.size - 1):
        for x in range(at[s], at[s + 1]):
            if numbers[x] >= 0:
                kept[n] = numbers[x]
                n += 1
        bounds[s + 1] = n
    return bounds, kept[:n].copy()


@jit
def learn(
    given_at: I64,
    given: I32,
    judged_at: I64,
    judged: I32,
    n_given: int,
    n_judged: int,
    iterations: int,
    least: float,
) -> tuple[I64, I32, F64, F64, F64]:
    """Return the expected counts of Model 1 after some iterations of EM.

    Links with less than a uniform share of probability are counted for the empty word (Moore 2002,
    section 3). Most pairs therefore soon have probability 0, and are dropped. Return, for each
    given word, the judged words with an expected count above ``least`` (CSR) and their counts; the
    total count of each given word; and the counts of the empty word.
    """
    starts, targets, begins, cells, places = _pairs(
        given_at, given, judged_at, judged, n_given, n_judged
    )
    # Pairs of a row get fewer with the iterations: ``ends`` is where they end.
    ends = begins[1:].copy()
    table = np.empty(targets.size, np.float32)
    counts = np.zeros(targets.size)
    empty = np.full(n_judged, 1.0 / max(n_judged, 1), np.float32)
    # For each judged position: the number of words that may explain it, their total probability,
    # the smallest one that counts, and the rest, which goes to the empty word.
    words = np.empty(judged.size, np.float32)
    total, scale = np.zeros(judged.size, np.float32), np.empty(judged.size, np.float32)
    uniform, null_share = np.empty(judged.size, np.float32), np.empty(judged.size, np.float32)
    for s in range(judged_at.size - 1):
        words[judged_at[s] : judged_at[s + 1]] = given_at[s + 1] - given_at[s] + 1
    for w in range(n_given):
        _uniform(table, starts[w], starts[w + 1])
        _add(table, cells, places, begins[w], ends[w], total)
    null, totals = np.zeros(n_judged), np.zeros(n_given)
    for step in range(iterations):
        for y in range(judged.size):
            whole = total[y] + empty[judged[y]]
            # ``words`` counts NULL, so this is a uniform share of the total.
            uniform[y] = whole / words[y] * _TIES
            scale[y] = np.float32(1.0) / whole
            null_share[y] = np.float32(1.0)
            total[y] = np.float32(0.0)
        for w in range(n_given):
            low, high = starts[w], starts[w + 1]
            for k in range(begins[w], ends[w]):
                p = table[cells[k]]
                if p >= uniform[places[k]]:
                    part = p * scale[places[k]]
                    counts[cells[k]] += part
                    null_share[places[k]] -= part
            totals[w] = counts[low:high].sum()
            # The last counts are returned, not made probabilities.
            if step == iterations - 1:
                continue
            if totals[w] > 0.0:
                part = 1.0 / totals[w]
                for c in range(low, high):
                    table[c] = counts[c] * part
                    counts[c] = 0.0
            else:
                _uniform(table, low, high)
            ends[w] = _add(table, cells, places, begins[w], ends[w], total)
        null[:] = 0.0
        for y in range(judged.size):
            null[judged[y]] += null_share[y]
        whole = null.sum()
        for t in range(n_judged):
            empty[t] = null[t] / whole if whole > 0.0 else 1.0 / n_judged
    bounds = np.zeros(n_given + 1, np.int64)
    n = 0
    for w in range(n_given):
        for c in range(starts[w], starts[w + 1]):
            if counts[c] > least:
                targets[n], counts[n] = targets[c], counts[c]
                n += 1
        bounds[w + 1] = n
    return bounds, targets[:n].copy(), counts[:n].copy(), totals, null


@jit
def _pairs(
    given_at: I64, given: I32, judged_at: I64, judged: I32, n_given: int, n_judged: int
) -> tuple[I64, I32, I64, U32, U32]:
    """Return the distinct words that co-occur with each given word, and all word pairs of lines.

    Given word w co-occurs with the words ``targets[starts[w] : starts[w + 1]]``, and has the pairs
    from ``begins[w]`` to ``begins[w + 1]``, each with the number of its target and the position of
    the judged word.
    """
    bounds, lines, _ = occurrences_of(given_at, given, n_given)
    size = 0
    for s in lines:
        size += judged_at[s + 1] - judged_at[s]
    cells, places = np.empty(size, np.uint32), np.empty(size, np.uint32)
    starts, begins = np.zeros(n_given + 1, np.int64), np.zeros(n_given + 1, np.int64)
    targets = np.empty(1 << 16, np.int32)
    met = np.full(n_judged, -1, np.int64)
    n = k = 0
    for w in range(n_given):
        for x in range(bounds[w], bounds[w + 1]):
            s = lines[x]
            targets = grown(targets, n + judged_at[s + 1] - judged_at[s])
            for y in range(judged_at[s], judged_at[s + 1]):
                t = judged[y]
                # Met with an earlier given word, or never.
                if met[t] < starts[w]:
                    met[t] = n
                    targets[n] = t
                    n += 1
                cells[k], places[k] = met[t], y
                k += 1
        starts[w + 1], begins[w + 1] = n, k
    return starts, targets[:n].copy(), begins, cells, places


@jit
def _uniform(table: F32, low: int, high: int) -> None:
    """Set the cells of a row to the uniform distribution."""
    for c in range(low, high):
        table[c] = 1.0 / (high - low)


@jit
def _add(table: F32, cells: U32, places: U32, low: int, high: int, total: F32) -> int:
    """Add the probabilities of pairs to the totals of their positions.

    Pairs with probability 0 are dropped by moving the others to the front. Return where those end.
    """
    n = low
    for k in range(low, high):
        cell, place = cells[k], places[k]
        p = table[cell]
        if p > 0.0:
            total[place] += p
            cells[n], places[n] = cell, place
            n += 1
    return n


@jit
def explain(
    given: Words,
    judged: Words,
    table: Gains,
    smoothing: float,
    logarithms: F64,
    explained: F64,
) -> None:
    """Write how well each line's given words explain its judged words.

    ``logarithms`` receives the sum of log(Model 1's probability / frequency), and ``explained`` the
    sum of the judged words' shares of probability that come from their known translations.
    """
    (given_at, given_words), (judged_at, words) = given, judged
    starts, targets, gains, rest, null = table
    places, sentence, _ = occurrences_of(given_at, given_words, rest.size)
    known_gains = np.zeros(words.size, np.float32)
    even_mass = np.zeros(judged_at.size - 1)
    row_gains = np.zeros(null.size, np.float32)
    for w in range(rest.size):
        if places[w] == places[w + 1]:
            continue
        for c in range(starts[w], starts[w + 1]):
            row_gains[targets[c]] = gains[c]
        for x in range(places[w], places[w + 1]):
            s = sentence[x]
            even_mass[s] += rest[w]
            for y in range(judged_at[s], judged_at[s + 1]):
                known_gains[y] += row_gains[words[y]]
        for c in range(starts[w], starts[w + 1]):
            row_gains[targets[c]] = 0.0
    for s in range(judged_at.size - 1):
        n = given_at[s + 1] - given_at[s]
        total, share = 0.0, 0.0
        for y in range(judged_at[s], judged_at[s + 1]):
            chance = even_mass[s] + null[words[y]]
            total += log((1.0 - smoothing) * (known_gains[y] + chance) / (n + 1) + smoothing)
            # 1 is the gain of the word's frequency alone.
            share += known_gains[y] / (known_gains[y] + chance + 1.0)
        logarithms[s], explained[s] = total, share
