"""Similarity of spelling, evidence of translation for names, numbers and cognates."""

from __future__ import annotations

import numpy as np

from alignframe.aligners.text import Side, Text
from alignframe.aligners.training_pairs import Paired
from alignframe.core.arrays import F32
from alignframe.functions.spelling import as_letters
from alignframe.kernels.aligners.similar_words import Similar, find_opposite, turn
from alignframe.kernels.lexicon.cognates import Spelt, alike_cells, letter_sets
from alignframe.kernels.ragged import frozen

CUTOFF = 0.5
"""Words that share a smaller part of the longer word's letters are not similar."""

# Shorter words must be equal, as they may be similar by chance.
_SHORT = 4


def spelt_alike(paired: Paired) -> F32:
    """Return the similarity in spelling of the words of each cell, from 0 to 1."""
    # The longest common subsequence ratio (Melamed 1995, section 4.3) without case and accents,
    # rescaled so that one half becomes 0.
    sides = (paired.text.src, paired.text.tgt)
    src, tgt, n_letters = spelt(*sides, 1)
    alike: F32 = alike_cells(paired.starts, paired.targets, CUTOFF, src, tgt, n_letters)
    return alike


def opposite_alike(text: Text) -> Similar:
    """Return similarly spelt words of the text that occur in the same sentence pair."""
    src, tgt = (side.of_used_words[0] for side in (text.src, text.tgt))
    known = text.known.get("alike")
    if known is None:
        words = (src.at, src.words, tgt.at, tgt.words)
        known = text.src, find_opposite(*words, *spelt(src, tgt), CUTOFF)
        # Kept for the other direction, which turns it.
        text.known["alike"] = known
    side, similar = known
    if side is not text.src:
        similar = turn(similar, len(src.vocabulary))
    return Similar(*(frozen(array) for array in similar))


def spelt(src: Side, tgt: Side, more: int = 0) -> tuple[Spelt, Spelt, int]:
    """Return the words of both sides as letters, ``more`` empty ones last, and their lengths."""
    sides = (src, tgt)
    ends, letters, n_letters = as_letters([[*side.folded, *[""] * more] for side in sides])
    spelt_sides = []
    for at, those, side in zip(ends, letters, sides, strict=True):
        strict = np.diff(at) < _SHORT
        strict |= ~np.array([*side.are_letters, *[False] * more], np.bool_)
        spelt_sides.append(Spelt(at, those, frozen(letter_sets(at, those)), frozen(strict)))
    return spelt_sides[0], spelt_sides[1], n_letters
