"""Words that are spelt alike may well be translations: names, numbers, words with one origin."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from alignframe.aligners.training_pairs import Paired
from alignframe.arrays import F32
from alignframe.functions.spelling import as_letters, folded
from alignframe.kernels.cognates import Spelt, alike_cells, letter_sets
from alignframe.kernels.ragged import frozen

CUTOFF = 0.5
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
    src, tgt, n_letters = spelt(sides[0].vocabulary, sides[1].vocabulary, 1)
    found: F32 = alike_cells(paired.starts, paired.targets, CUTOFF, src, tgt, n_letters)
    return found


def spelt(src: pa.Array, tgt: pa.Array, more: int = 0) -> tuple[Spelt, Spelt, int]:
    """Return the words of both sides as letters, and the number of letters.

    After them come ``more`` words without letters.
    """
    words = [[*folded(side, accents=True), *[""] * more] for side in (src, tgt)]
    ends, letters, n_letters = as_letters(words)
    found = []
    for at, those, side in zip(ends, letters, words, strict=True):
        strict = frozen(np.array([len(w) < _SHORT or not w.isalpha() for w in side], np.bool_))
        found.append(Spelt(at, those, frozen(letter_sets(at, those)), strict))
    return found[0], found[1], n_letters
