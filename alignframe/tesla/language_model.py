"""Language models as features of a translation.

Section 4 of Dahlmeier, Liu & Ng 2011: the score is (1/n) log P, where n is the number of words of
the translation and P its probability. The logarithm is natural, because only that covers the
paper's range: from -15 (hardly any word is known) to 0. P includes the end of the sentence, and is
conditional on its beginning; n counts words only, and is 1 for an empty sentence.
"""

from __future__ import annotations

import hashlib
import math
from functools import cached_property
from os import PathLike, fspath
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I32, I64, Bools, frozen
from alignframe.core.signatures import within
from alignframe.errors import InputError, MissingExtraError, check_known
from alignframe.kernels.text import ngram_model as kernel
from alignframe.kernels.text.ngram_states import score_sentences
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.remedies import LANGUAGE_MODEL, require_file
from alignframe.read.opening import peek
from alignframe.tesla.arpa import BEGIN, END, Arpa, read_arpa
from alignframe.tesla.feature_names import LM_PREFIX, check_model_name

CASES = ("auto", "lower", "keep")
"""Whether words are lower-cased first; ``auto`` does so if the model has no capitals."""

_KENLM = b"mmap lm http://kheafield.com/code"
_LN10 = math.log(10)


class LanguageModel(Protocol):
    """A model of sentence probabilities."""

    order: int

    @property
    def signature(self) -> str:
        """The identity of the model, as ``key:value`` parts joined by bars."""

    def numbers(self, words: pa.Array) -> I32:
        """Return the model's number of each word."""

    def log10(self, starts: I64, ends: I64, numbers: I32) -> F64:
        """Return log10 P of sentences: sentence r is ``numbers[starts[r] : ends[r]]``."""


def read_language_model(path: str | PathLike[str], *, case: str = "auto") -> LanguageModel:
    """Read a language model: ARPA text, optionally compressed, or a binary file of KenLM.

    Parameters
    ----------
    path
        The file. A binary one needs the package kenlm.
    case
        One of ``CASES``. ``auto`` is ``keep`` for binary files, whose words cannot be listed.

    Raises
    ------
    InputError
        If the file is not a model, is damaged or cut off, or lacks ``<s>`` or ``</s>``.
    MissingExtraError
        If the file is KenLM's and the package kenlm is not installed.

    Examples
    --------
    >>> from alignframe import tesla
    >>> from alignframe.tesla.estimate import write_arpa
    >>> write_arpa(tesla.estimate_language_model("datasets/en-fr/text.en", 2), "lm.arpa")
    >>> tesla.read_language_model("lm.arpa").order
    2
    """
    check_known("`case`", case, CASES)
    begins = peek(path, len(_KENLM))
    if begins == _KENLM:
        return KenlmModel(path, lower=case == "lower")
    arpa = read_arpa(path)
    texts = arpa.words.texts
    small = case == "lower" or (case == "auto" and pc.all(pc.equal(pc.utf8_lower(texts), texts)))
    return ArpaModel(arpa, lower=bool(small))


class ArpaModel:
    """A back-off model in memory, whose words may be ``lower`` case."""

    def __init__(self, arpa: Arpa, *, lower: bool) -> None:
        self.order = len(arpa.counts)
        self.lower = lower
        self._arpa = arpa
        self._begin, self._end = self._find(pa.array([BEGIN, END])).tolist()

    @property
    def signature(self) -> str:
        """The order, the numbers of n-grams, the case of words, and a digest."""
        counts = ",".join(map(str, self._arpa.counts))
        return _signature(self.order, counts, self.lower, self._digest)

    @property
    def tree(self) -> kernel.Tree:
        """The n-grams, for kernels (see ``kernels.text.ngram_states``)."""
        return self._arpa.tree

    @property
    def least(self) -> float:
        """The log10 probability of unknown words after backing off, if there is no ``<unk>``."""
        return self._arpa.least

    @property
    def marks(self) -> tuple[int, int]:
        """The start and end symbols of sentences."""
        return self._begin, self._end

    @cached_property
    def _digest(self) -> str:
        """A digest of words, n-grams and figures."""
        digest, tree, words = hashlib.blake2b(), self._arpa.tree, self._arpa.words
        used = np.flatnonzero(tree.keys)  # the hash table's other slots are empty
        for part in (
            *(words.offsets, words.data),
            *(tree.keys[used], tree.nodes[used], tree.log_probs, tree.back_offs),
        ):
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()[:8]

    def numbers(self, words: pa.Array) -> I32:
        """Return the number of each word; for unknown words that of ``<unk>``, or -1."""
        numbers_found = self._find(pc.utf8_lower(words) if self.lower else words).copy()
        # A word of the text that looks like </s> is none of the model's symbols.
        marks = (numbers_found == self._begin) | (numbers_found == self._end)
        numbers_found[(numbers_found < 0) | marks] = self._arpa.unknown
        return numbers_found

    def knows(self, numbers: I32) -> Bools:
        """Return which numbers belong to known words."""
        known: Bools = (numbers >= 0) & (numbers != self._arpa.unknown)
        return known

    def _find(self, words: pa.Array) -> I32:
        words = words.cast(pa.large_string())
        if len(words) == 0:
            return np.zeros(0, np.int32)
        _, offsets, data = words.buffers()
        starts = np.frombuffer(offsets, np.int64)[words.offset : words.offset + len(words) + 1]
        text = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        known = self._arpa.words
        places: I32 = kernel.find_words(
            frozen(text), frozen(starts), known.table, known.offsets, known.data
        )
        return places

    def log10(self, starts: I64, ends: I64, numbers: I32) -> F64:
        """Return log10 P of sentences; see ``LanguageModel``."""
        out: F64 = score_sentences(
            self._arpa.tree,
            self.order,
            frozen(starts),
            frozen(ends),
            frozen(numbers),
            self._begin,
            self._end,
            self._arpa.least,
        )
        return out


class KenlmModel:
    """A binary model, scored by the package kenlm, one sentence at a time."""

    def __init__(self, path: str | PathLike[str], *, lower: bool) -> None:
        try:
            import kenlm
        except ImportError:
            raise MissingExtraError("kenlm", "kenlm", "a binary language model") from None
        try:
            self._model = kenlm.Model(fspath(path))
        except (OSError, RuntimeError) as error:
            raise InputError(f"cannot be read by KenLM ({error})", path=path) from None
        self.order = int(self._model.order)
        self.lower = lower
        self._path = path
        self._numbers: dict[str, int] = {}

    @property
    def signature(self) -> str:
        """The order, the case of words, and a digest of the file."""
        return _signature(self.order, "kenlm", self.lower, self._digest)

    @cached_property
    def _digest(self) -> str:
        with open(self._path, "rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:8]

    def numbers(self, words: pa.Array) -> I32:
        """Return our own numbers of words, since KenLM takes text."""
        texts = (pc.utf8_lower(words) if self.lower else words).to_pylist()
        known = self._numbers
        return np.array([known.setdefault(text, len(known)) for text in texts], np.int32)

    def log10(self, starts: I64, ends: I64, numbers: I32) -> F64:
        """Return log10 P of sentences; see ``LanguageModel``."""
        texts = list(self._numbers)
        plain = numbers.tolist()
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        sentences = (" ".join(texts[k] for k in plain[start:end]) for start, end in spans)
        return np.array([self._model.score(sentence) for sentence in sentences], np.float64)


def _signature(order: int, counts: str, lower: bool, digest: str) -> str:
    case = "lower" if lower else "keep"
    return f"order:{order}|ngrams:{counts}|case:{case}|digest:{digest}"


class _Known(NamedTuple):
    """The model's numbers for the words of a vocabulary seen so far."""

    vocabulary: Vocabulary
    numbers: I32


class LanguageModelFeatures:
    """The normalised log probability of a translation, independent of the reference.

    Parameters
    ----------
    model
        The language model, or its file.
    name
        The feature is called ``lm_NAME``.

    Raises
    ------
    InputError
        If it is not a model, or the name is not a word.

    Examples
    --------
    >>> from alignframe import tesla
    >>> from alignframe.tesla.estimate import write_arpa
    >>> write_arpa(tesla.estimate_language_model("datasets/en-fr/text.en", 2), "lm.arpa")
    >>> tesla.LanguageModelFeatures("lm.arpa", "en").names
    ('lm_en',)
    """

    def __init__(self, model: LanguageModel | str | PathLike[str], name: str) -> None:
        check_model_name(name)
        if isinstance(model, (str, PathLike)):
            require_file(model, LANGUAGE_MODEL)
            model = read_language_model(model)
        if not hasattr(model, "log10"):
            raise InputError(
                f"a language model of type {type(model).__name__}",
                expected="what read_language_model returned, or a path",
            )
        self._model = model
        self._name = name
        self._known: _Known | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The feature's name."""
        return (f"{LM_PREFIX}{self._name}",)

    @property
    def signature(self) -> str:
        """The model, and how its probability is normalised."""
        return f"{LM_PREFIX}{self._name}:{within(self._model.signature)},log=e,per=word,end=counted"

    def of(self, hyp: Analysed, ref: Analysed) -> F64:
        """Return (1/n) ln P of each sentence of ``hyp``; the shape is (rows, 1)."""
        del ref
        numbers = self._numbers(hyp.vocabulary)[hyp.words]
        # n is 1 for an empty sentence.
        lengths = np.maximum(hyp.lengths(), 1)
        scores = self._model.log10(hyp.starts, hyp.ends, numbers) * _LN10 / lengths
        return scores[:, None]

    def _numbers(self, vocabulary: Vocabulary) -> I32:
        """Return the model's number of every word; a vocabulary only grows."""
        known, words = self._known, vocabulary.words.known
        if known is None or known.vocabulary is not vocabulary:
            known = _Known(vocabulary, np.zeros(0, np.int32))
        new = len(words) - known.numbers.size
        if new:
            more = self._model.numbers(words.slice(known.numbers.size))
            known = _Known(vocabulary, np.concatenate([known.numbers, more]))
        self._known = known
        return known.numbers
