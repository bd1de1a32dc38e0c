"""Word classes of one side of a bitext."""

from __future__ import annotations

import numpy as np

from alignframe.aligners.text import Side
from alignframe.core.arrays import I32
from alignframe.errors import InputError
from alignframe.kernels.aligners.word_classes import class_counts, count_bigrams, sweep
from alignframe.kernels.ragged import frozen

SWEEPS = 15
"""The maximum number of sweeps over the words."""
# Stop after a sweep that moves less than one word in this many.
_FEW = 1000


def word_classes(side: Side, n: int = 50, *, sweeps: int = SWEEPS, seed: int = 1) -> I32:
    """Put words with similar neighbours in one class, 0 to n - 1, the unknown word last."""
    if n < 1:
        raise InputError(f"{n} word classes", expected="1 or more")
    # The exchange algorithm on the likelihood of class bigrams (Kneser & Ney 1993; Och 1999, An
    # efficient method for determining bilingual word classes): words are dealt to the classes by
    # frequency; then each, the most frequent first, moves to the class that maximises the
    # likelihood, until hardly any moves.
    n_words = len(side.vocabulary)
    known = np.minimum(side.words, n_words)
    times = np.bincount(known, minlength=n_words)[:n_words]
    # Words of equal frequency are in random order.
    shuffled = np.random.default_rng(seed).permutation(n_words)
    order = shuffled[np.argsort(-times[shuffled], kind="stable")]
    classes = np.empty(n_words + 2, np.int32)
    classes[order] = np.arange(n_words) % n
    classes[n_words:] = 0, n
    if times.sum() == side.words.size:
        # The unknown word does not occur in the text, so it is not moved.
        seen = order[times[order] > 0]
    else:
        seen = np.concatenate([order[times[order] > 0], [n_words]])
    bigrams = count_bigrams(side.at, side.words, n_words + 1)
    counts = class_counts(bigrams, classes, n)
    sizes = counts.sum(axis=1)
    for _ in range(sweeps):
        moved, _ = sweep(bigrams, frozen(seen), classes, counts, sizes)
        if moved * _FEW < seen.size:
            break
    if seen.size < n_words + 1:
        # An unknown word is likeliest to be of the class with the most words that occur once.
        rare = np.bincount(classes[:n_words][times == 1], minlength=n)
        classes[n_words] = rare.argmax()
    return frozen(classes[: n_words + 1])
