"""Similarity of spelling, evidence of translation for names, numbers and cognates."""

from __future__ import annotations

import numpy as np

from alignframe.aligners.text import Side, Text
from alignframe.aligners.training_pairs import Paired
from alignframe.arrays import F32
from alignframe.functions.spelling import as_letters
from alignframe.kernels.cognates import Spelt, alike_cells, letter_sets
from alignframe.kernels.ragged import frozen
from alignframe.kernels.similar import Similar, find_opposite, turn

CUTOFF = 0.5
"""Words that share a smaller part of the longer word's letters are not similar."""

_SHORT = 4
"""Shorter words must be equal, as they may be similar by chance."""


def spelt_alike(paired: Paired) -> F32:
    """Return the similarity in spelling of the words of each cell, from 0 to 1.

    It is the longest common subsequence ratio (Melamed 1995, section 4.3), ignoring case and
    accents, rescaled so that one half becomes 0. Words of fewer than 4 letters or with other
    characters are similar only to equal words.
    """
    sides = (paired.text.src, paired.text.tgt)
    src, tgt, n_letters = spelt(*sides, 1)
    found: F32 = alike_cells(paired.starts, paired.targets, CUTOFF, src, tgt, n_letters)
    return found


def opposite_alike(text: Text) -> Similar:
    """Return similarly spelt words of the text that occur in the same sentence pair.

    Computed once for both directions.
    """
    src, tgt = (side.of_used_words[0] for side in (text.src, text.tgt))
    known = text.known.get("alike")
    if known is None:
        words = (src.at, src.words, tgt.at, tgt.words)
        known = text.src, find_opposite(*words, *spelt(src, tgt), CUTOFF)
        text.known["alike"] = known
    side, found = known
    if side is not text.src:
        found = turn(found, len(src.vocabulary))
    return Similar(*(frozen(array) for array in found))


def spelt(src: Side, tgt: Side, more: int = 0) -> tuple[Spelt, Spelt, int]:
    """Return the words of both sides as letters, and their lengths.

    ``more`` words without letters follow.
    """
    sides = (src, tgt)
    ends, letters, n_letters = as_letters([[*side.folded, *[""] * more] for side in sides])
    found = []
    for at, those, side in zip(ends, letters, sides, strict=True):
        strict = np.diff(at) < _SHORT
        strict |= ~np.array([*side.are_letters, *[False] * more], np.bool_)
        found.append(Spelt(at, those, frozen(letter_sets(at, those)), frozen(strict)))
    return found[0], found[1], n_letters
