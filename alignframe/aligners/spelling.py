"""Words that are spelt alike may well be translations: names, numbers, words with one origin."""

from __future__ import annotations

import numpy as np

from alignframe.aligners.training_pairs import Paired
from alignframe.arrays import F32
from alignframe.functions.spelling import as_letters, folded
from alignframe.kernels.cognates import alike_cells
from alignframe.kernels.ragged import frozen

_CUTOFF = 0.5
"""Words that share fewer letters, of those of the longer word, are not alike."""

_SHORT = 4
"""Shorter words are alike by chance: they must be equal."""


def spelt_alike(paired: Paired) -> F32:
    """Return how alike the words of each cell are spelt, from 0 to 1.

    It is the ratio of the longest common subsequence to the longer word (Melamed 1995, section
    4.3), case and accents aside, stretched so that one half is 0. Words of less than 4
    letters, and those with anything but letters, are like equal ones alone.
    """
    sides = (paired.text.src, paired.text.tgt)
    words = [[*folded(side.vocabulary, accents=True), ""] for side in sides]
    ends, letters, n_letters = as_letters(words)
    strict = [
        frozen(np.array([len(word) < _SHORT or not word.isalpha() for word in side]))
        for side in words
    ]
    src, tgt = zip(ends, letters, strict, strict=True)
    found: F32 = alike_cells(paired.starts, paired.targets, _CUTOFF, *src, *tgt, n_letters)
    return found
