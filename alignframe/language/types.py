"""Numbering distinct tokens, each a word with its tag and lemma."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I32, I64, Bools
from alignframe.language.analysed import Vocabulary

Token = tuple[str, str, str]
"""A word, its tag and its lemma."""


class Types:
    """Numbers of tokens, and their words, tags and lemmas in a vocabulary."""

    def __init__(self, is_content: Callable[[str, str], bool]) -> None:
        self._is_content = is_content
        self._tokens: list[Token] = []
        self._numbers: dict[Token, int] = {}
        self._content = np.zeros(1 << 10, np.bool_)
        self._by_tag: dict[str, bool] = {}
        self._known: WeakKeyDictionary[Vocabulary, I32] = WeakKeyDictionary()

    def number(self, token: Token) -> int:
        """Return the number of a token."""
        number = self._numbers.get(token)
        if number is not None:
            return number
        content = self._by_tag.get(token[1])
        if content is None:
            content = self._by_tag[token[1]] = self._is_content(token[1], token[0])
        number = len(self._tokens)
        if number == self._content.size:
            self._content = np.concatenate([self._content, np.zeros(number, np.bool_)])
        self._content[number] = content
        self._tokens.append(token)
        self._numbers[token] = number
        return number

    def content(self, numbers: I32) -> Bools:
        """Return whether each token is a content word."""
        are_content: Bools = self._content[numbers]
        return are_content

    def in_vocabulary(self, numbers: I32, vocabulary: Vocabulary) -> tuple[I32, I32, I32]:
        """Return the numbers of each token's word, tag and lemma in a vocabulary."""
        known = self._known.get(vocabulary)
        if known is None or known.shape[1] < len(self._tokens):
            larger = np.full((3, self._content.size), -1, np.int32)
            if known is not None:
                larger[:, : known.shape[1]] = known
            known = self._known[vocabulary] = larger
        words = known[0][numbers]
        if words.size and words.min() < 0:
            self._enter(distinct(numbers[words < 0], known.shape[1]), known, vocabulary)
            words = known[0][numbers]
        return words, known[1][numbers], known[2][numbers]

    def _enter(self, new: I64, known: I32, vocabulary: Vocabulary) -> None:
        """Assign numbers to the words, tags and lemmas of new tokens."""
        texts = list(zip(*(self._tokens[number] for number in new.tolist()), strict=True))
        numberings = (vocabulary.words, vocabulary.tags, vocabulary.lemmas)
        for row, numbering, column in zip(known, numberings, texts, strict=True):
            row[new] = numbering.number(pa.array(column, pa.string()))


def distinct(numbers: I32, size: int) -> I64:
    """Return the distinct numbers, all below ``size``, in ascending order."""
    met = np.zeros(size, np.bool_)
    met[numbers] = True
    return np.flatnonzero(met)
