"""What the words and characters of line pairs tell of each other.

A side of n lines has offsets ``at`` (n + 1), and what stands between them belongs to a line.
"""

from __future__ import annotations

from math import log

import numpy as np

from alignframe.arrays import F32, F64, I32, I64, U8
from alignframe.kernels.characters import BASIS, PRIME, character
from alignframe.kernels.jit import jit

ORDER = 4
"""The most bytes of an n-gram, that which is predicted included."""

BITS = 20
"""N-grams are counted in 2 ** BITS places; those of one place are counted together."""

BACK_OFF = 5.0
"""How many times an n-gram counts as seen by the probability that its shorter ones give it."""

_LONG_ROW = 12
"""In a row with so many translations for each word to look for, words are sought one by one."""

_TINY = 1e-200
"""Products of probabilities below this are turned into logarithms."""

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

    Words of -1 are unknown, and tell nothing; the table is that of ``bead_scores.add_words``, with
    the targets of each row ascending. Of
    the known words, ``logarithms`` gets the sum of log(Model 1's probability / frequency), and
    ``explained`` the sum of the shares of their probability that come from given words of which
    they are known translations.
    """
    some = np.zeros(null.size)
    asked = np.full(null.size, -1, np.int64)  # the last line that has the word
    for s in range(given_at.size - 1):
        kinds = 0
        for y in range(judged_at[s], judged_at[s + 1]):
            t = judged[y]
            if t >= 0 and asked[t] != s:
                asked[t] = s
                some[t] = 0.0
                kinds += 1
        even, n = 0.0, 0
        for x in range(given_at[s], given_at[s + 1]):
            w = given[x]
            if w < 0:
                continue
            n += 1
            even += rest[w]
            low, high = starts[w], starts[w + 1]
            if high - low < _LONG_ROW * kinds:
                for c in range(low, high):
                    if asked[targets[c]] == s:
                        some[targets[c]] += gains[c]
                continue
            for y in range(judged_at[s], judged_at[s + 1]):
                t = judged[y]
                if t >= 0 and asked[t] == s:
                    asked[t] = -2  # once for each kind of word
                    c = low + np.searchsorted(targets[low:high], t)
                    if c < high and targets[c] == t:
                        some[t] += gains[c]
            for y in range(judged_at[s], judged_at[s + 1]):
                if judged[y] >= 0:
                    asked[judged[y]] = s
        total, share = 0.0, 0.0
        for y in range(judged_at[s], judged_at[s + 1]):
            t = judged[y]
            if t >= 0:
                chance = even + null[t]
                total += log((1.0 - smoothing) * (some[t] + chance) / (n + 1) + smoothing)
                share += some[t] / (some[t] + chance + 1.0)
        logarithms[s], explained[s] = total, share


@jit
def ngrams(at: I64, text: U8, counts: I32, contexts: I32) -> None:
    """Count the n-grams of bytes up to ``ORDER``, and what stands before the last byte of each."""
    for s in range(at.size - 1):
        for x in range(at[s], at[s + 1]):
            h = BASIS
            for n in range(ORDER):
                before = h * _CONTEXT + np.uint64(n)
                whole = (before ^ np.uint64(text[x] + 1)) * PRIME
                contexts[np.int64((before * PRIME) >> _HIGH)] += 1
                counts[np.int64(whole >> _HIGH)] += 1
                previous = text[x - n - 1] if x - n - 1 >= at[s] else 0
                h = (h ^ np.uint64(previous + 1)) * PRIME


@jit
def likely(at: I64, text: U8, counts: I32, contexts: I32) -> F64:
    """Return the mean logarithm of the probability of each line's bytes; 0 of an empty line's.

    ``counts`` and ``contexts`` have a column per spelling, and what is returned a row: the two of
    one place are read from memory together.
    """
    found = np.zeros((2, at.size - 1))
    for s in range(at.size - 1):
        total, other_total = 0.0, 0.0
        product, other_product = 1.0, 1.0
        for x in range(at[s], at[s + 1]):
            h = BASIS
            p = other_p = 1.0 / 256.0
            known = other_known = True
            for n in range(ORDER):
                before = h * _CONTEXT + np.uint64(n)
                here = np.int64((before * PRIME) >> _HIGH)
                whole = np.int64(((before ^ np.uint64(text[x] + 1)) * PRIME) >> _HIGH)
                context, other = contexts[here, 0], contexts[here, 1]
                known = known and context > 0
                other_known = other_known and other > 0
                if known:
                    p = (counts[whole, 0] + BACK_OFF * p) / (context + BACK_OFF)
                if other_known:
                    other_p = (counts[whole, 1] + BACK_OFF * other_p) / (other + BACK_OFF)
                if not known and not other_known:
                    break
                previous = text[x - n - 1] if x - n - 1 >= at[s] else 0
                h = (h ^ np.uint64(previous + 1)) * PRIME
            product *= min(p, 1.0)
            other_product *= min(other_p, 1.0)
            if product < _TINY or other_product < _TINY:
                total += log(product)
                other_total += log(other_product)
                product, other_product = 1.0, 1.0
        size = at[s + 1] - at[s]
        if size > 0:
            found[0, s] = (total + log(product)) / size
            found[1, s] = (other_total + log(other_product)) / size
    return found


@jit
def letters(at: I64, text: U8, table: U8) -> tuple[I64, I64]:
    """Return how many characters of each line of UTF-8 have the bits 1 and 2 in the table."""
    first, second = np.zeros(at.size - 1, np.int64), np.zeros(at.size - 1, np.int64)
    for s in range(at.size - 1):
        x = at[s]
        while x < at[s + 1]:
            point, x = character(text, x)
            first[s] += table[point] & 1
            second[s] += table[point] >> 1
    return first, second
