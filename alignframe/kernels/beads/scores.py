"""Scores of beads by the lengths of their sides, and by their words.

* Moore (2002, section 2): log(Poisson(t; r s) / P(t)), for s source and t target words and the
  ratio r of both texts' lengths; P is the distribution of unmatched lengths.
* Gale & Church (1993, section 3): log 2(1 - Φ(|δ|)), δ = (t - r s) / sqrt(variance * mean length).
* Model 1 against frequencies: the sum over target words t of log(``smoothing`` + (1 -
  ``smoothing``) / (l + 1) * sum over l source words s, and NULL, of p(t | s) / p(t)).

Cells, kinds and scores are those of ``alignframe.kernels.beads.paths``; lengths are in words or
characters. Beads have one or two sentences per side.
"""

from __future__ import annotations

from math import erfc, log, sqrt
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, U32
from alignframe.kernels.beads.line_words import Gains, Words
from alignframe.kernels.beads.paths import NEVER, Band
from alignframe.kernels.cells import Pairing
from alignframe.kernels.jit import jit
from alignframe.kernels.small import call


@jit
def poisson(
    lo: I64,
    at: I64,
    sizes: I64,
    lengths: F64,
    mean: F64,
    log_mean: F64,
    background: F64,
    scores: F32,
) -> None:
    """Write log(Poisson(target length; mean) / P(target lengths unmatched)).

    ``lengths`` and ``background`` have one row for beads with one target sentence and one for beads
    with two, ``mean`` and ``log_mean`` likewise for source sentences; columns are the last
    sentence. ``background`` is log P plus the log factorial of the length, which Poisson divides
    by.
    """
    for k in range(sizes.shape[0]):
        m, n = sizes[k, 0], sizes[k, 1]
        run_lengths, run_background = lengths[n - 1], background[n - 1]
        for i in range(len(lo)):
            kind_scores = scores[k][at[i] : at[i + 1]]
            if i < m:
                for y in range(len(kind_scores)):
                    kind_scores[y] = NEVER
                continue
            expected, logarithm = mean[m - 1, i - 1], log_mean[m - 1, i - 1]
            first = max(0, n - lo[i])
            # Fewer than n target sentences lie before these points.
            for y in range(min(first, len(kind_scores))):
                kind_scores[y] = NEVER
            for x in range(first, len(kind_scores)):
                j = lo[i] + x - 1
                kind_scores[x] = run_lengths[j] * logarithm - expected - run_background[j]


@jit
def normal(
    lo: I64,
    at: I64,
    sizes: I64,
    src_lengths: F64,
    tgt_lengths: F64,
    ratio: float,
    variance: float,
    scores: F32,
) -> None:
    """Write log P(a difference of lengths at least as large) (Gale & Church 1993, section 3.3).

    Arrays of lengths have one row for one sentence and one for two; columns are the last sentence.
    """
    for k in range(sizes.shape[0]):
        m, n = sizes[k, 0], sizes[k, 1]
        run_lengths = tgt_lengths[n - 1]
        for i in range(len(lo)):
            kind_scores = scores[k][at[i] : at[i + 1]]
            if i < m:
                for y in range(len(kind_scores)):
                    kind_scores[y] = NEVER
                continue
            length = src_lengths[m - 1, i - 1]
            first = max(0, n - lo[i])
            for y in range(min(first, len(kind_scores))):
                kind_scores[y] = NEVER
            for x in range(first, len(kind_scores)):
                kind_scores[x] = tail(length, run_lengths[lo[i] + x - 1], ratio, variance)


@jit
def tail(src_length: float, tgt_length: float, ratio: float, variance: float) -> float:
    """Return log 2(1 - Φ(|δ|)), where δ is the difference of lengths in standard deviations."""
    if not (src_length >= 0.0 and tgt_length >= 0.0):
        return NEVER  # blank lines are not translations
    mean = (src_length + tgt_length / ratio) / 2.0
    if mean <= 0.0:
        return 0.0
    # δ over √2, because 2(1 - Φ(δ)) = erfc(δ / √2).
    z = abs(src_length * ratio - tgt_length) / sqrt(variance * mean * 2.0)
    if z > 25.0:
        # erfc soon underflows to 0: the first term of its asymptotic series instead.
        return -z * z - log(z * sqrt(np.pi))
    return log(erfc(z))


@jit
def carry(
    lo: I64,
    at: I64,
    old_lo: I64,
    old_at: I64,
    logarithms: F32,
    limit: float,
    scores: F32,
) -> None:
    """Drop the beads with a log probability below ``limit`` in a band that contains this one."""
    for k in range(scores.shape[0]):
        for i in range(len(lo)):
            shift = old_at[i] + lo[i] - old_lo[i] - at[i]
            for c in range(at[i], at[i + 1]):
                # Not ``<=``: NaN is dropped, too.
                if not logarithms[k, shift + c] > limit:
                    scores[k, c] = NEVER


@jit
def add_words(
    band: Band,
    sizes: I64,
    given: Words,
    judged: Words,
    table: Gains,
    smoothing: float,
    start: int,
    stop: int,
    scores: F32,
) -> None:
    """Add log(Model 1's probability of the target words / that of their frequencies).

    Target words are judged by the given source words; uninformative ones are -1. Only beads that
    are not dropped, and whose last source sentence is from ``start`` to ``stop``, are scored.
    """
    lo, at = band
    (src_at, src), (tgt_at, tgt) = given, judged
    starts, targets, gains, rest, null = table
    n_tgt = len(tgt_at) - 1
    gathered = np.zeros((2, len(null)))  # by the last source sentence, and the last two
    memory = np.zeros((2, n_tgt))  # of a target sentence: its sum of logarithms
    stamp = np.full((2, n_tgt), -1, np.int64)
    for i in range(start + 1, stop + 1):
        for m in (1, 2):
            if i < m:
                continue
            # The gains of all source words at each target word, dense: looked up once per target
            # word.
            source_gains = gathered[m - 1]
            for t in range(len(null)):
                source_gains[t] = null[t]
            even_mass = 0.0
            first, last = src_at[i - m], src_at[i]
            for x in range(first, last):
                w = src[x]
                if w < 0:
                    even_mass += 1.0
                    continue
                even_mass += rest[w]
                for c in range(starts[w], starts[w + 1]):
                    source_gains[targets[c]] += gains[c]
            scale = (1.0 - smoothing) / (last - first + 1)
            base = smoothing + even_mass * scale
            for k in range(sizes.shape[0]):
                if sizes[k, 0] != m:
                    continue
                for c in range(at[i], at[i + 1]):
                    if scores[k, c] == NEVER:
                        continue
                    j = lo[i] + c - at[i]
                    total = 0.0
                    for t in range(j - sizes[k, 1], j):
                        if stamp[m - 1, t] != i:
                            # A target sentence's sum is the same for all beads with these source
                            # sentences.
                            stamp[m - 1, t] = i
                            value, product = 0.0, 1.0
                            for y in range(tgt_at[t], tgt_at[t + 1]):
                                if tgt[y] >= 0:
                                    product *= base + scale * source_gains[tgt[y]]
                                    # Logarithms are slow: one is taken just before the product
                                    # would leave the range of floats.
                                    if product < 1e-200 or product > 1e200:
                                        value += log(product)
                                        product = 1.0
                            memory[m - 1, t] = value + log(product)
                        total += memory[m - 1, t]
                    scores[k, c] += total


def expect(pairing: Pairing, start: int, stop: int, table: F32, counts: F64) -> None:
    """Add the expected count of each cell in the pairs ``start <= s < stop``.

    Links with less than a uniform share of probability are counted for the empty word (Moore 2002,
    section 3).
    """
    src_at, _, tgt_at, tgt, at, cell, _ = pairing
    arrays = (src_at, tgt_at, tgt, at, cell.view(np.uint32), start, stop, table, counts)
    call(_expect, *arrays, steps=int(at[stop] - at[start]) // 4)  # microseconds


@jit
def _expect(
    src_at: I64,
    tgt_at: I64,
    tgt: I32,
    at: I64,
    cell: U32,
    start: int,
    stop: int,
    table: F32,
    counts: F64,
) -> None:
    longest = 0
    for s in range(start, stop):
        longest = max(longest, src_at[s + 1] - src_at[s])
    values = np.empty(longest, np.float32)
    for s in range(start, stop):
        n_src = np.uint64(src_at[s + 1] - src_at[s])
        low = np.uint64(at[s])
        for y in range(tgt_at[s], tgt_at[s + 1]):
            word = tgt[y]
            total = np.float64(table[word])
            for x in range(n_src):
                values[x] = table[cell[low + x]]
                total += values[x]
            # Slightly less than a uniform share, since equal probabilities may differ by rounding.
            least = np.float32(total / (n_src + 1.0) * (1.0 - 1e-6))
            scale = 1.0 / total
            given = 0.0
            for x in range(n_src):
                if values[x] >= least:
                    part = values[x] * scale
                    counts[cell[low + x]] += part
                    given += part
            # NULL's cell is the target word's number.
            counts[word] += 1.0 - given
            low += n_src


# Scores of beads by sentence embeddings (after Thompson & Koehn 2019, Vecalign).
#
# far = (1 - cos(x, y)) / mean of the distances of x and of y from random sentences
#
# so that a vector that is close to everything does not attract beads. The score is the polynomial
# ``curve`` of ``far``, clipped.


class Runs(NamedTuple):
    """The unit vectors of runs that end with each sentence, and their mean distances.

    The distances, 1 - cosine, are those from random runs of the other side.
    """

    src: F32
    tgt: F32
    src_random: F64
    tgt_random: F64


@jit
def add_cosines(
    band: Band,
    m: int,
    n: int,
    runs: Runs,
    curve: F64,
    limit: float,
    scores: F32,
) -> None:
    """Add scores from cosines to beads of m and n sentences.

    The score is the polynomial ``curve``, constant first, of the distance (1 - cosine) divided by
    the mean of both runs' distances from random ones, clipped to ``limit`` either way. Beads with a
    vector of NaN are dropped. Cells are those of ``Steps``.
    """
    lo, at = band
    src, tgt, src_random, tgt_random = runs
    for i in range(m, lo.size):
        first = src[i - 1]
        for c in range(at[i], at[i + 1]):
            j = lo[i] + c - at[i]
            if j < n or scores[c] == NEVER:
                continue
            second = tgt[j - 1]
            if np.isnan(first[0]) or np.isnan(second[0]):
                scores[c] = NEVER
                continue
            cosine = np.float32(0.0)
            for d in range(first.size):
                cosine += first[d] * second[d]
            # 1e-6 avoids a division by 0 if all vectors are the same.
            far = (1.0 - cosine) / (0.5 * (src_random[i - 1] + tgt_random[j - 1]) + 1e-6)
            value = curve[0] + far * (curve[1] + far * curve[2])
            scores[c] += max(-limit, min(limit, value))
