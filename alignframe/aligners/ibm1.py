"""IBM Model 1: words are translated independently of their positions (Brown et al. 1993)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from alignframe.aligners.prior import Task
from alignframe.aligners.text import Text, TextSide
from alignframe.aligners.training_pairs import Paired, Part
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.arrays import F32, F64, Floats, frozen
from alignframe.functions.spelling import as_letters
from alignframe.kernels.aligners import ibm1
from alignframe.kernels.aligners.similar_words import Similar, find_opposite, turn
from alignframe.kernels.aligners.translation_tables import add_at, normalize
from alignframe.kernels.aligners.weighted_links import Weighted, chosen, likely
from alignframe.kernels.lexicon.cognates import Spelt, alike_cells, letter_sets
from alignframe.kernels.small import call
from alignframe.options.aligners import Ibm1

_USUAL = Ibm1()


@dataclass(frozen=True)
class Parameters:
    """The translation probabilities of Model 1."""

    translations: Translations

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        table = self.translations.values_of(paired)
        for _, links in paired.each(partial(_decode, table, threshold)):
            yield links

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save."""
        return {"translations": self.translations.table(vocabularies)}

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned; raise an InputError if it is damaged."""
        return cls(Translations.from_table(tables["translations"], vocabularies))


def _decode(table: Floats, threshold: float | None, part: Part) -> Weighted:
    pairing = part.pairing
    if threshold is None:
        return chosen(pairing.tgt_at, *ibm1.best(pairing, table[part.own]))
    probabilities = ibm1.posteriors(pairing, table[part.own])
    return likely(pairing.src_at, pairing.at, probabilities, threshold)


def train(tasks: Sequence[Task], options: Ibm1 = _USUAL, seed: int = 1) -> list[Parameters]:  # noqa: ARG001
    """Train each direction by expectation maximisation; nothing depends on the seed."""
    return [_train(task, options) for task in with_spelling(tasks, options.spelling)]


def _train(task: Task, options: Ibm1) -> Parameters:
    paired, prior, _ = task
    table = np.empty(paired.n_cells, options.dtype)
    # The first table: uniform, or the prior model's; normalized, as M-steps do.
    start, old = _even(paired), prior.start(paired)
    if old is not None:
        start *= old
    normalize(paired.starts, start, 0.0, table)
    for iteration in range(1, options.iterations + 1):
        counts = np.zeros(paired.n_cells)
        log_likelihood = 0.0
        for part, (some, logarithm) in paired.each(partial(_expect, table)):
            add_at(counts, part.own, some)
            log_likelihood += logarithm
        maximize(task, counts, options.concentration, table)
        task.tell("ibm1", iteration, log_likelihood)
    return Parameters(Translations(paired.starts, paired.targets, table))


def _even(paired: Paired) -> F64:
    """Return 1 for each cell; 0 for NULL with words that do not occur in the text."""
    cells = np.ones(paired.n_cells)
    words = np.bincount(paired.text.tgt.words, minlength=paired.text.tgt.n_words)
    cells[: words.size] = words > 0
    return cells


def _expect(table: Floats, part: Part) -> tuple[F64, float]:
    return ibm1.expect(part.pairing, table[part.own])


def maximize(task: Task, counts: F64, concentration: float, table: Floats) -> None:
    """Set probabilities from counts, with the prior's added."""
    if task.prior.counts is not None:
        counts += task.prior.counts
    normalize(task.paired.starts, counts, concentration, table)


def with_spelling(tasks: Sequence[Task], spelling: float) -> list[Task]:
    """Add pseudo-counts for words of similar spelling to priors."""
    spelt_tasks = []
    for task in tasks:
        counts = task.prior.counts
        if spelling:
            alike = spelling * spelt_alike(task.paired).astype(np.float64)
            counts = alike if counts is None else counts + alike
        spelt_tasks.append(task._replace(prior=replace(task.prior, counts=counts)))
    return spelt_tasks


# Similarity of spelling, evidence of translation for names, numbers and cognates.

CUTOFF = 0.5
"""Words that share a smaller part of the longer word's letters are not similar."""

# Shorter words must be equal, as they may be similar by chance.
_SHORT = 4

# Letters of words that are compared by the bits of a number; longer ones, letter by letter.
_BITS = 64


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
        *sides, n_letters = spelt(src, tgt)
        longest = [int(np.diff(side.at).max(initial=0)) for side in sides]
        pairs = int(np.diff(src.at) @ np.diff(tgt.at))
        steps = pairs * (1 if max(longest) <= _BITS else longest[0] * longest[1])
        found = call(find_opposite, *words, *sides, n_letters, CUTOFF, steps=steps)
        # Copies, without the spare room.
        known = text.src, Similar(*(array.copy() for array in found))
        # Kept for the other direction, which turns it.
        text.known["alike"] = known
    side, similar = known
    if side is not text.src:
        similar = call(turn, similar, len(src.vocabulary))
    return Similar(*(frozen(array) for array in similar))


def spelt(src: TextSide, tgt: TextSide, more: int = 0) -> tuple[Spelt, Spelt, int]:
    """Return the words of both sides as letters, ``more`` empty ones last, and their lengths."""
    sides = [[*a.spelt_beside(b), *[""] * more] for a, b in ((src, tgt), (tgt, src))]
    ends, letters, n_letters = as_letters(sides)
    spelt_sides = []
    for at, those, words in zip(ends, letters, sides, strict=True):
        strict = np.diff(at) < _SHORT
        strict |= ~np.fromiter(map(str.isalpha, words), np.bool_, len(words))
        spelt_sides.append(Spelt(at, those, frozen(call(letter_sets, at, those)), frozen(strict)))
    return spelt_sides[0], spelt_sides[1], n_letters
