"""Sharing counts among forms of a word, which are words with the same first letters."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from alignframe.aligners.text import Text, TextSide
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.arrays import F64, I32, I64, frozen
from alignframe.functions.romanised import without_article
from alignframe.functions.spelling import folded
from alignframe.kernels.aligners.link_rows import ByStem
from alignframe.kernels.aligners.link_weights import Counted, Forms

# The length of stems relative to the mean word length.
_SHARE = 0.6


def by_stem(text: Text, *, shared: bool) -> ByStem:
    """Return the forms of each stem of a text, each word's own if they share nothing."""
    sides = (text.src, text.tgt)
    if shared:
        stems = [stems_of(side.folded).words for side in sides]
    else:
        stems = [np.arange(side.n_words, dtype=np.int32) for side in sides]
    (order, at), (tgt_order, tgt_at) = map(_by_stem, stems)
    return ByStem(order, at, frozen(stems[1]), tgt_order, tgt_at)


def _by_stem(stems: I32) -> tuple[I32, I64]:
    """Return the words in order of their stems, and where each stem's begin."""
    at = np.append(0, np.cumsum(np.bincount(stems)))
    return frozen(np.argsort(stems, kind="stable").astype(np.int32)), frozen(at)


class Stems(NamedTuple):
    """The stems of a vocabulary: word w has stem ``words[w]``, the unknown word the last."""

    letters: int  # the length of stems
    numbers: dict[str, int]
    words: I32

    def stems_of(self, side: TextSide, numbers: I32) -> I32:
        """Return the stems of the words of another text, numbered here; new stems are unknown."""
        known = self.words.size - 1
        stems: I32 = self.words[np.minimum(numbers, known)]
        new = np.flatnonzero(numbers >= known)
        if new.size:
            folded, letters, number_of = side.folded, self.letters, self.numbers.get
            unknown = len(self.numbers)
            stems[new] = [number_of(_stem(folded[word], letters), unknown) for word in new.tolist()]
        return stems


def stems_of(words: list[str]) -> Stems:
    """Return the stem of each word: its first letters, ``_SHARE`` of the mean word length.

    An Arabic article is left out, which would be half of a stem.
    """
    # The mean is over distinct words; a word with anything but letters is its own stem.
    lengths = [len(word) for word in words if word.isalpha()]
    letters = max(round(_SHARE * np.mean(lengths)), 1) if lengths else 1
    numbers: dict[str, int] = {}
    stems = [numbers.setdefault(_stem(word, letters), len(numbers)) for word in words]
    return Stems(letters, numbers, np.array([*stems, len(numbers)], np.int32))


@lru_cache(1 << 17)
def _stem(word: str, letters: int) -> str:
    # The blank keeps a word that is its own stem apart from stems that are cut.
    return without_article(word)[:letters] if word.isalpha() else f" {word}"


class KnownForms(NamedTuple):
    """Counts that forms of known words share with other text."""

    src: Stems
    tgt: Stems
    counts: Counted  # the links of each pair of stems
    worth: F64  # of source stem s: the factor of the share of a word's other forms
    spread: F64  # what word w gets in total, beyond its own links

    def forms_of(self, src: TextSide, rows: I32, tgt: TextSide, columns: I32) -> Forms:
        """Return the same for the words of another text, by their numbers here."""
        rows = self.src.stems_of(src, rows)
        worth = self.worth[rows].astype(np.float32)
        columns = frozen(self.tgt.stems_of(tgt, columns))
        return Forms(self.counts, frozen(rows), columns, len(self.tgt.numbers) + 1, frozen(worth))


def known_forms(
    vocabularies: Vocabularies, pairs: Translations, totals: F64, strength: float
) -> KnownForms:
    """Sum counts of links, and those of NULL and each source word, over forms; see ``share``."""
    src, tgt = (stems_of(folded(words, accents=True)) for words in vocabularies)
    words = np.repeat(np.arange(totals.size) - 1, np.diff(pairs.starts))
    kept = (words >= 0) & (pairs.values > 0)
    words, own = words[kept], pairs.values[kept]
    wide = tgt.words.size  # greater than any stem's number
    both = src.words[words].astype(np.int64) * wide + tgt.words[pairs.targets[kept]]
    both, group = np.unique(both, return_inverse=True)
    linked = np.bincount(group, own)
    starts = np.searchsorted(both, np.arange(src.words.size + 1) * wide)
    targets = (both % wide).astype(np.int32)
    counts = Counted(frozen(starts), frozen(targets), frozen(linked.astype(np.float32)))
    worth = strength / (1 + np.bincount(src.words, totals[1:]))
    more = np.maximum(linked[group] - own, 0) * worth[src.words[words]]
    spread = np.bincount(words, more, totals.size - 1).astype(np.float64)
    return KnownForms(src, tgt, counts, worth, spread)
