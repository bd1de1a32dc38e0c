"""Segmenting sentences into the most probable sequence of phrases.

Dahlmeier, Liu & Ng 2011, section 3.2: Pr(p) = N(p) / sum N (eq. 1), and the sequence that maximises
the product of Pr(p) (eq. 2). Any single word is a phrase; one missing from the table has N(w) =
0.5. Ties go to the sequence with the longer first phrase, then the longer second, and so on.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from alignframe.core.arrays import I32, frozen
from alignframe.core.tokens import Numbering
from alignframe.errors import InputError
from alignframe.kernels.tesla import segments as pivots
from alignframe.kernels.tesla.pivot_ngrams import LARGEST, Side
from alignframe.kernels.tesla.segments import Columns
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.tesla.pivot_table import PivotTable


class Numbers:
    """The table's numbers of a vocabulary's texts, updated as the vocabulary grows."""

    def __init__(self, known: dict[str, int], lower: bool, grow: bool) -> None:
        self.known = known
        self._lower = lower
        self._grow = grow
        self._of = np.zeros(0, np.int32)

    def numbers_of(self, numbering: Numbering) -> I32:
        """Return the number of each text; -1 for unknown ones unless they get new numbers."""
        texts = numbering.known
        if len(texts) > self._of.size:
            new = texts.slice(self._of.size)
            new = pc.utf8_lower(new) if self._lower else new
            self._of = np.concatenate([self._of, self._look_up(new.to_pylist())])
        return self._of

    def _look_up(self, texts: list[str]) -> I32:
        known = self.known
        if not self._grow:
            return np.array([known.get(text, -1) for text in texts], np.int32)
        numbers = np.array([known.setdefault(text, len(known)) for text in texts], np.int32)
        if len(known) > LARGEST:
            raise InputError(
                f"more than {LARGEST:,} lemmas or tags", todo="give fewer sentences at a time"
            )
        return numbers


class Segmenter:
    """Segments sentences with a common vocabulary into phrases of a table."""

    def __init__(self, table: PivotTable, vocabulary: Vocabulary) -> None:
        self.table = table
        self.vocabulary = vocabulary
        self._log_p = table.log_probability()
        self._words = Numbers(table.words, table.lower, grow=False)
        self._of: dict[str, Numbers] = {}
        for kind, lower in (("lemmas", table.lower), ("tags", False)):
            texts = getattr(table.pivot.vocabulary, kind).known.to_pylist()
            known = {text: k for k, text in enumerate(texts)}
            self._of[kind] = Numbers(known, lower, grow=True)

    def columns(self, sentences: Analysed) -> Columns:
        """Return the phrases of every sentence."""
        numbers = self._words.numbers_of(self.vocabulary.words)
        table = self.table
        return pivots.segment(
            table.trie,
            table.phrase_of,
            *self._log_p,
            sentences.starts,
            sentences.ends,
            frozen(_taken(numbers, sentences.words)),
        )

    def tokens(self, sentences: Analysed, kind: str, discount: float) -> Side:
        """Return the annotation, by ``lemmas`` or ``tags``, of tokens without pivot phrases."""
        numbers = self._of[kind].numbers_of(getattr(self.vocabulary, kind))
        keys = _taken(numbers, getattr(sentences, kind))
        return Side(frozen(keys), frozen(np.where(sentences.content, 1.0, discount)))

    def texts(self, kind: str) -> dict[str, int]:
        """Return the numbers of the ``lemmas`` or ``tags`` known so far."""
        return self._of[kind].known


def _taken(numbers: I32, tokens: I32) -> I32:
    return numbers[tokens] if tokens.size else np.zeros(0, np.int32)
