"""Word classes by the exchange algorithm on the likelihood of class bigrams.

Words are numbered from 0; every sentence begins and ends with a boundary, the word ``n_words`` with
a class of its own, the last. With N(g, h) the number of words of class g before one of class h, and
N(g) that of words of class g, the part of the log-likelihood that depends on classes is

    sum over g, h of N(g, h) log N(g, h)  -  2 * sum over g of N(g) log N(g)

(Kneser & Ney 1993, Improved clustering techniques for class-based statistical language modelling,
section 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I32, I64, frozen
from alignframe.kernels.jit import jit

_TABLED = 1 << 14
_LEAST_GAIN = 1e-9
"""Smaller gains are rounding errors: words would move back and forth between equal classes."""


class Bigrams(NamedTuple):
    """Adjacent words, and their counts.

    Word w is followed by the words ``after[after_at[w] : after_at[w + 1]]`` with counts
    ``after_times``, and similarly preceded by the words ``before``. The boundary is the last word.
    """

    after_at: I64
    after: I32
    after_times: I64
    before_at: I64
    before: I32
    before_times: I64

    @property
    def n_words(self) -> int:
        """The number of words without the boundary."""
        return self.after_at.size - 2


def count_bigrams(at: I64, words: I32, n_words: int) -> Bigrams:
    """Count the bigrams in the sentences ``words[at[s] : at[s + 1]]``."""
    # Sorted by first word, then by second.
    keys, times = np.unique(_neighbours(at, words, n_words), return_counts=True)
    first, second = np.divmod(keys, n_words + 1)
    turned = np.argsort(second, kind="stable")
    bounds = np.arange(n_words + 2)
    return Bigrams(
        frozen(np.searchsorted(first, bounds)),
        frozen(second.astype(np.int32)),
        frozen(times.astype(np.int64)),
        frozen(np.searchsorted(second[turned], bounds)),
        frozen(first[turned].astype(np.int32)),
        frozen(times[turned].astype(np.int64)),
    )


@jit
def _neighbours(at: I64, words: I32, n_words: int) -> I64:
    """Return ``first * (n_words + 1) + second`` of each bigram, boundaries included."""
    keys = np.empty(words.size + at.size - 1, np.int64)
    n = 0
    for s in range(at.size - 1):
        # The boundary.
        last = n_words
        for word in words[at[s] : at[s + 1]]:
            keys[n] = last * (n_words + 1) + word
            last = np.int64(word)
            n += 1
        keys[n] = last * (n_words + 1) + n_words
        n += 1
    return keys


@jit
def class_counts(bigrams: Bigrams, classes: I32, n_classes: int) -> I64:
    """Return the bigram counts of classes.

    The shape is (n_classes + 1, n_classes + 1); ``classes`` has the boundary's as its last.
    """
    counts = np.zeros((n_classes + 1, n_classes + 1), np.int64)
    # Each bigram is stored once with its first word, so it is counted once.
    for w in range(classes.size):
        for k in range(bigrams.after_at[w], bigrams.after_at[w + 1]):
            counts[classes[w], classes[bigrams.after[k]]] += bigrams.after_times[k]
    return counts


@jit
def sweep(bigrams: Bigrams, order: I64, classes: I32, counts: I64, sizes: I64) -> tuple[int, float]:
    """Move each word, in ``order``, to the class that maximises the likelihood.

    ``classes``, ``counts`` (from ``class_counts``) and ``sizes`` (its row sums) are updated. Return
    the number of words moved, and the gain in log-likelihood.
    """
    n_classes = sizes.size - 1
    table = np.empty(_TABLED)
    for n in range(_TABLED):
        table[n] = _n_log_n(n)
    after = np.zeros(n_classes + 1, np.int64)
    before = np.zeros(n_classes + 1, np.int64)
    moved = 0
    gained = 0.0
    for w in order:
        low, high = bigrams.after_at[w], bigrams.after_at[w + 1]
        # Only the word's own neighbours are looked at, not the text.
        itself = _by_class(
            bigrams.after[low:high], bigrams.after_times[low:high], w, classes, after
        )
        low, high = bigrams.before_at[w], bigrams.before_at[w + 1]
        _by_class(bigrams.before[low:high], bigrams.before_times[low:high], w, classes, before)
        times = after.sum() + itself
        old = classes[w]
        _put(counts, sizes, after, before, itself, times, old, -1)
        best = old
        # The word is in no class now, so the gains of all classes are compared alike.
        stay = _gain(counts, sizes, after, before, itself, times, old, table)
        # Staying is preferred: a move must gain.
        most = stay + _LEAST_GAIN
        for g in range(n_classes):
            if g != old:
                gain = _gain(counts, sizes, after, before, itself, times, g, table)
                if gain > most:
                    most = gain
                    best = g
        _put(counts, sizes, after, before, itself, times, best, 1)
        if best != old:
            classes[w] = best
            moved += 1
            gained += most - stay
    return moved, gained


@jit
def _by_class(words: I32, times: I64, word: int, classes: I32, by_class: I64) -> int:
    """Count a word's neighbours by class, except itself; return how often it neighbours itself.

    Its own class changes with it, so these bigrams move from one diagonal cell to another.
    """
    by_class[:] = 0
    itself = 0
    for k in range(words.size):
        if words[k] == word:
            itself = times[k]
        else:
            by_class[classes[words[k]]] += times[k]
    return itself


@jit
def _put(
    counts: I64, sizes: I64, after: I64, before: I64, itself: int, times: int, g: int, sign: int
) -> None:
    """Add (``sign`` 1) or remove (-1) a word to or from the counts of class g."""
    for h in range(sizes.size):
        counts[g, h] += sign * after[h]
        counts[h, g] += sign * before[h]
    counts[g, g] += sign * itself
    sizes[g] += sign * times


@jit
def _gain(
    counts: I64,
    sizes: I64,
    after: I64,
    before: I64,
    itself: int,
    times: int,
    g: int,
    table: F64,
) -> float:
    """Return the gain in log-likelihood from putting an unassigned word into class g.

    Only row g and column g of the counts change, so the cost is linear in the number of classes.
    """
    gain = 2 * (_tabled(sizes[g], table) - _tabled(sizes[g] + times, table))
    # Class g itself comes last: there both neighbours change the same cell.
    for h in range(sizes.size):
        if h != g:
            if after[h]:
                gain += _tabled(counts[g, h] + after[h], table) - _tabled(counts[g, h], table)
            if before[h]:
                gain += _tabled(counts[h, g] + before[h], table) - _tabled(counts[h, g], table)
    inside = counts[g, g]
    return gain + (_tabled(inside + after[g] + before[g] + itself, table) - _tabled(inside, table))


@jit
def _tabled(n: int, table: F64) -> float:
    """Return n log n, from a table as far as it goes."""
    if n < table.size:
        return table[n]
    return n * np.log(n)


@jit
def _n_log_n(n: int) -> float:
    """Return n log n, 0 for 0."""
    if n == 0:
        return 0.0
    return n * np.log(n)
