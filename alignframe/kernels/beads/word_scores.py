"""Scores of beads of any size, by lengths and by words, relative to no match at all.

Words are scored in one direction at a time: the *judged* words on one side by the translations of
the *given* words on the other, target by source or, reversed, source by target. By Model 1 (Brown
et al. 1993), a bead with l given words gets from each judged word t

    log(smoothing + (1 - smoothing) / (l + 1) * sum of p(t | w) / p(t) over given words w and NULL)

Cells, kinds and scores are those of ``alignframe.kernels.beads.paths``.
"""

from __future__ import annotations

from math import log, log1p
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64
from alignframe.kernels.beads.paths import NEVER, REACH, Band
from alignframe.kernels.jit import jit


class Lengths(NamedTuple):
    """Lengths of runs of sentences: a row per number of sentences, a column per last sentence.

    Source lengths are in target units, ``background`` is log P of target lengths; NaN where a
    sentence has no words.
    """

    src: F64
    tgt: F64
    background: F64


class Spread(NamedTuple):
    """Student's t distribution of differences of lengths.

    It has ``freedom``, and a variance of ``variance`` times the mean of both lengths; ``constant``
    is the logarithm of its density at 0 for a scale of 1.
    """

    variance: float
    freedom: float
    constant: float


@jit
def add_lengths(
    band: Band, sizes: I64, lengths: Lengths, spread: Spread, weight: float, scores: F32
) -> None:
    """Add ``weight`` times log(P(target length | source length) / P(target lengths unmatched)).

    Beads that start outside the band, or have an empty sentence, are dropped.
    """
    lo, at = band
    src, tgt, background = lengths
    variance, freedom, constant = spread
    for k in range(sizes.shape[0]):
        m, n = sizes[k, 0], sizes[k, 1]
        for i in range(len(lo)):
            kind_scores = scores[k][at[i] : at[i + 1]]
            if i < m:
                for y in range(len(kind_scores)):
                    kind_scores[y] = NEVER
                continue
            first = lo[i - m]
            stop = first + at[i - m + 1] - at[i - m]
            expected = src[m - 1, i - 1]
            for x in range(len(kind_scores)):
                j = lo[i] + x
                if j - n < first or j - n >= stop:
                    kind_scores[x] = NEVER
                    continue
                length = tgt[n - 1, j - 1]
                wide = variance * (expected + length) / 2.0
                # Also true for NaN.
                if not wide > 0.0:
                    kind_scores[x] = NEVER
                    continue
                off = length - expected
                value = constant - 0.5 * log(wide) - background[n - 1, j - 1]
                value -= (freedom + 1.0) / 2.0 * log1p(off * off / (wide * freedom))
                kind_scores[x] += weight * value


@jit
def columns(lo: I64, at: I64, size: int) -> tuple[I64, I64]:
    """Return the first and last row whose band includes each of ``size`` points; -1 for none."""
    first, last = np.zeros(size, np.int64), np.full(size, -1, np.int64)
    for i in range(len(lo)):
        for j in range(lo[i], lo[i] + at[i + 1] - at[i]):
            if last[j] < 0:
                first[j] = i
            last[j] = i
    return first, last


@jit
def add_words(
    lo: I64,
    at: I64,
    sizes: I64,
    turned: bool,
    first: I64,
    last: I64,
    given_at: I64,
    given: I32,
    judged_at: I64,
    judged: I32,
    starts: I64,
    targets: I32,
    gains: F32,
    rest: F32,
    null: F32,
    twins: I32,
    twin_gains: F32,
    smoothing: float,
    weight: float,
    fold_of: I32,
    fold: int,
    scores: F32,
) -> None:
    """Add ``weight`` times log(Model 1's probability of the judged words / their frequencies').

    Sentence s has the words from ``at[s]`` to ``at[s + 1]`` of its side. A given word w has the
    translations ``targets[starts[w] : starts[w + 1]]``, and ``twins[w]`` unless it is -1, with
    probabilities above 0 (``gains``, ``twin_gains``) relative to their frequency; the mass
    ``rest[w]`` is distributed by frequency. ``null`` has the gains of the empty word. Only beads
    that are not dropped, and whose last given sentence has the fold, are scored; those that end
    after e given sentences end after ``first[e]`` to ``last[e]`` judged ones.
    """
    n_given, n_judged = len(given_at) - 1, len(judged_at) - 1
    side = 1 if turned else 0
    given_gains = np.zeros(len(null))
    touched = np.empty(len(null), np.int32)
    memory = np.empty(n_judged)  # sums of logarithms of a judged sentence
    stamp = np.full(n_judged, -1, np.int64)
    for end in range(1, n_given + 1):
        if fold_of[end - 1] != fold or last[end] < first[end]:
            continue
        most = 0  # the given sentences of all beads considered
        for k in range(sizes.shape[0]):
            if sizes[k, side] <= most or sizes[k, side] > end:
                continue
            for stop in range(first[end], last[end] + 1):
                i, j = (stop, end) if turned else (end, stop)
                inside = lo[i] <= j < lo[i] + at[i + 1] - at[i]
                if inside and scores[k, at[i] + j - lo[i]] != NEVER:
                    most = sizes[k, side]
                    break
        n_touched, count, even_mass = 0, 0, 0.0
        # The given sentences are added one by one, backwards from the end of the bead, so that a
        # bead of m sentences reuses what was gathered for one of m - 1.
        for m in range(1, most + 1):
            for x in range(given_at[end - m], given_at[end - m + 1]):
                w = given[x]
                count += 1
                even_mass += rest[w]
                for c in range(starts[w], starts[w + 1]):
                    t = targets[c]
                    if given_gains[t] == 0.0:
                        touched[n_touched] = t
                        n_touched += 1
                    given_gains[t] += gains[c]
                t = twins[w]
                if t >= 0:
                    if given_gains[t] == 0.0:
                        touched[n_touched] = t
                        n_touched += 1
                    given_gains[t] += twin_gains[w]
            scale = (1.0 - smoothing) / (count + 1)
            base = smoothing + even_mass * scale
            # A judged sentence's sum is the same for all beads with these given sentences, whose
            # number here is unique.
            mark = end * (REACH + 1) + m
            for k in range(sizes.shape[0]):
                if sizes[k, side] != m:
                    continue
                n = sizes[k, 1 - side]
                for stop in range(max(n, first[end]), last[end] + 1):
                    i, j = (stop, end) if turned else (end, stop)
                    if j < lo[i] or j >= lo[i] + at[i + 1] - at[i]:
                        continue
                    cell = at[i] + j - lo[i]
                    if scores[k, cell] == NEVER:
                        continue
                    total = 0.0
                    for s in range(stop - n, stop):
                        if stamp[s] != mark:
                            stamp[s] = mark
                            value, product = 0.0, 1.0
                            for y in range(judged_at[s], judged_at[s + 1]):
                                t = judged[y]
                                product *= base + scale * (null[t] + given_gains[t])
                                # One logarithm for many words, taken before the product leaves the
                                # range of floats.
                                if product < 1e-200 or product > 1e200:
                                    value += log(product)
                                    product = 1.0
                            memory[s] = value + log(product)
                        total += memory[s]
                    scores[k, cell] += weight * total
        # Only these are cleared: the vocabulary is much larger.
        for x in range(n_touched):
            given_gains[touched[x]] = 0.0
