"""What the words and characters of line pairs tell of each other.

A side of n lines has offsets ``at`` (n + 1), and what stands between them belongs to a line.
"""

from __future__ import annotations

from math import log

import numpy as np

from alignframe.arrays import F32, F64, I32, I64, U8, U64
from alignframe.kernels.jit import jit

ORDER = 4
"""The most bytes of an n-gram, that which is predicted included."""

BITS = 20
"""N-grams are counted in 2 ** BITS places; those of one place are counted together."""

BACK_OFF = 5.0
"""How many times an n-gram counts as seen by the probability that its shorter ones give it."""

_PRIME = np.uint64(1099511628211)
_BASIS = np.uint64(1469598103934665603)
_CONTEXT = np.uint64(31)
_HIGH = np.uint64(64 - BITS)


@jit
def explain(
    given_at: I64,
    given: I32,
    judged_at: I64,
    judged: I32,
    starts: I64,
    targets: I32,
    gains: F32,
    rest: F32,
    null: F32,
    smoothing: float,
    logarithms: F64,
    explained: F64,
) -> None:
    """Write how well the given words of each line explain the judged ones.

    Words of -1 are unknown, and tell nothing; the table is that of ``bead_scores.add_words``. Of
    the known words, ``logarithms`` gets the sum of log(Model 1's probability / frequency), and
    ``explained`` the sum of the shares of their probability that come from given words of which
    they are known translations.
    """
    some = np.zeros(null.size)
    for s in range(given_at.size - 1):
        even, n = 0.0, 0
        for x in range(given_at[s], given_at[s + 1]):
            w = given[x]
            if w >= 0:
                n += 1
                even += rest[w]
                for c in range(starts[w], starts[w + 1]):
                    some[targets[c]] += gains[c]
        total, share = 0.0, 0.0
        for y in range(judged_at[s], judged_at[s + 1]):
            t = judged[y]
            if t >= 0:
                chance = even + null[t]
                total += log((1.0 - smoothing) * (some[t] + chance) / (n + 1) + smoothing)
                share += some[t] / (some[t] + chance + 1.0)
        logarithms[s], explained[s] = total, share
        for x in range(given_at[s], given_at[s + 1]):
            w = given[x]
            if w >= 0:
                for c in range(starts[w], starts[w + 1]):
                    some[targets[c]] = 0.0


@jit
def shared(first_at: I64, first: U64, second_at: I64, second: U64) -> I64:
    """Return how many items both sides of each line have, each as often as both have it."""
    found = np.zeros(first_at.size - 1, np.int64)
    longest = 0
    for s in range(second_at.size - 1):
        longest = max(longest, second_at[s + 1] - second_at[s])
    taken = np.zeros(longest, np.uint8)
    for s in range(first_at.size - 1):
        low, high = second_at[s], second_at[s + 1]
        taken[: high - low] = 0
        for x in range(first_at[s], first_at[s + 1]):
            for y in range(low, high):
                if first[x] == second[y] and not taken[y - low]:
                    taken[y - low] = 1
                    found[s] += 1
                    break
    return found


@jit
def ngrams(at: I64, text: U8, counts: I32, contexts: I32) -> None:
    """Count the n-grams of bytes up to ``ORDER``, and what stands before the last byte of each."""
    for s in range(at.size - 1):
        for x in range(at[s], at[s + 1]):
            h = _BASIS
            for n in range(ORDER):
                before = h * _CONTEXT + np.uint64(n)
                whole = (before ^ np.uint64(text[x] + 1)) * _PRIME
                contexts[np.int64((before * _PRIME) >> _HIGH)] += 1
                counts[np.int64(whole >> _HIGH)] += 1
                previous = text[x - n - 1] if x - n - 1 >= at[s] else 0
                h = (h ^ np.uint64(previous + 1)) * _PRIME


@jit
def likely(at: I64, text: U8, counts: I32, contexts: I32) -> F64:
    """Return the mean logarithm of the probability of each line's bytes; 0 of an empty line's."""
    found = np.zeros(at.size - 1)
    for s in range(at.size - 1):
        total = 0.0
        for x in range(at[s], at[s + 1]):
            h = _BASIS
            p = 1.0 / 256.0
            for n in range(ORDER):
                before = h * _CONTEXT + np.uint64(n)
                whole = (before ^ np.uint64(text[x] + 1)) * _PRIME
                context = contexts[np.int64((before * _PRIME) >> _HIGH)]
                if context == 0:
                    break
                p = (counts[np.int64(whole >> _HIGH)] + BACK_OFF * p) / (context + BACK_OFF)
                previous = text[x - n - 1] if x - n - 1 >= at[s] else 0
                h = (h ^ np.uint64(previous + 1)) * _PRIME
            total += log(min(p, 1.0))
        if at[s + 1] > at[s]:
            found[s] = total / (at[s + 1] - at[s])
    return found
