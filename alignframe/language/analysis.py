"""Analysing sentences into words with tags, lemmas and content words.

The analysis of a word is cached, so that text costs little more than looking up its words.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any, TypedDict

import numpy as np

from alignframe.core.arrays import I32, frozen
from alignframe.core.arrow import is_frame
from alignframe.errors import InputError
from alignframe.language.analysed import Analysed, Vocabulary, from_arrow
from alignframe.language.choices import (
    Stemmer,
    check_language,
    default_synonyms,
    default_tagger,
    lemma_source,
    tag_set,
)
from alignframe.language.content import Content, content_of
from alignframe.language.learnt import LearntTagger
from alignframe.language.morphy import Morphy
from alignframe.language.sources import Shape, TaggedColumns, check_fields, given_token, shape_of
from alignframe.language.spellings import Parted, Spellings
from alignframe.language.synonyms import Synonyms, synonyms_of
from alignframe.language.taggers import FunctionTagger, OfLatin, Tagger, WordTagger, tagger_of
from alignframe.language.tokenize import Words, buffers, known_way, word_numbers
from alignframe.language.types import Types, distinct
from alignframe.language.wordnet import read_wordnet
from alignframe.sources.source import only
from alignframe.sources.texts import TEXTS, sentences_of
from alignframe.typing import ForInput, IntoTexts, Progress, Rare, Tagging

_GIVEN = "given"
_FORMS = "give texts such as house|NN, or a table with the columns words and tags"


class AnalysisOptions(TypedDict, total=False):
    """The parameters of ``Analysis.of``, as keywords."""

    language: str
    tokens: str
    tagger: str | Tagging | None
    lemmas: str | None
    wordnet: str | PathLike[str] | None
    synonyms: str | Synonyms | None
    content: str | Sequence[str] | None


class Analysis:
    """A way of analysing sentences, made by ``Analysis.of``.

    Attributes
    ----------
    language, tokens, lemmas
        The choices; ``tokens`` is ``given`` if tokens come with tags.
    content
        The tags of content words.
    synonyms
        The synonyms of lemmas.
    progress
        Called with the numbers of tagged and of all sentences, as tagging may take long.

    Examples
    --------
    >>> from alignframe.language import Analysis
    >>> how = Analysis.of(language="fr", tokens="spaces", tagger="none", synonyms="none")
    >>> how.language, how.tokens
    ('fr', 'spaces')
    """

    def __init__(
        self,
        language: str,
        tokens: str,
        tagger: Tagger | None,
        lemmas: str,
        lemmatizer: Morphy | Stemmer | None,
        content: Content,
        synonyms: Synonyms,
    ) -> None:
        self.language = language
        self.tokens = tokens if tagger is not None else _GIVEN
        self.lemmas = lemmas
        self.content = content
        self.synonyms = synonyms
        self._tagger = tagger
        self._by_word = isinstance(tagger, WordTagger)
        self._lemmatizer = lemmatizer
        self._of_sentence = Sentences()
        self._lock = threading.RLock()
        self.progress: Progress = tell
        self._words = Words()
        self._types = Types(content.is_content)
        self._of_word = np.full((1 << 10, 2), -1, np.int32)
        # Texts are split at spaces first; a word of a column may contain spaces.
        way = tokens if tokens != _GIVEN else "spaces"
        self._in_texts = Spellings(word_numbers(self._words, way), whole=False)
        self._in_columns = Spellings(word_numbers(self._words, "spaces"), whole=True)
        self._tagged = Spellings(self._given_type, whole=False)

    @classmethod
    def of(
        cls,
        language: ForInput[str] = "en",
        tokens: str = "penn",
        tagger: str | Tagging | None = None,
        lemmas: Rare[str | None] = None,
        wordnet: Rare[str | PathLike[str] | None] = None,
        synonyms: Rare[str | Synonyms | None] = None,
        content: Rare[str | Sequence[str] | None] = None,
    ) -> Analysis:
        """Return a way of analysing sentences.

        Parameters
        ----------
        language
            Language code of the texts; with another than ``en``, choose ``tagger``, too.
        tokens
            Tokenisation. ``penn``: of raw text; ``spaces``: of text that is already tokenised. In
            Python, also ``given``, for columns of lists of words only, which are never tokenised.
        tagger
            ``textblob`` (the default for English), ``hanta`` (the default for German and Dutch),
            ``spacy:MODEL``, ``given`` (tokens such as house|NN, or CoNLL-U), ``none`` (words alone,
            for the metric f), or a file of ``tesla tags``. In Python, also a function from lists of
            words to lists of tags.
        lemmas
            Source of lemmas. ``morphy``: WordNet's, for English; ``stems``: Snowball stems;
            ``words``: words in lower case; ``tagger``: the tagger's; ``given``: tokens such as
            houses|NNS|house. By default ``tagger`` if it gives lemmas, else ``morphy`` for English,
            and for other languages ``stems`` if installed.
        wordnet
            WordNet's database files, in a folder or zip file; by default those of Debian, macOS or
            NLTK.
        synonyms
            ``wordnet`` (the default for English), ``none``, or a file with one tab-separated group
            per line (in Python, also ``Synonyms``).
        content
            Tag set (``penn``, ``universal``, ``c5``, ``de``, ``fr``, ``es``, ``cs``, ``zh``,
            ``nl``), or prefixes of the tags of content words, such as NN,VB,JJ,RB; by default the
            tag set of the tagger, or else of the language.

        Raises
        ------
        InputError
            If a choice is unknown or incompatible with another, or WordNet is missing.
        MissingExtraError
            If the tagger's library is not installed.
        """
        check_language(language)
        if tokens != _GIVEN:
            known_way(tokens)
        chosen = tagger_of(default_tagger(language) if tagger is None else tagger, language)
        source = lemma_source(lemmas, chosen, language)
        synonyms_chosen = default_synonyms(language, chosen) if synonyms is None else synonyms
        return cls(
            language,
            tokens,
            chosen,
            source,
            _lemmatizer(source, language, wordnet),
            content_of(content or "", tag_set(chosen, language, content)),
            synonyms_chosen
            if isinstance(synonyms_chosen, Synonyms)
            else synonyms_of(synonyms_chosen, wordnet),
        )

    @property
    def signature(self) -> str:
        """The choices that affect scores, as ``key:value`` parts joined by bars."""
        lemmas = self._lemmatizer.name if self._lemmatizer is not None else self.lemmas
        parts = {
            "lang": self.language,
            "tokens": self.tokens,
            "tagger": self._tagger.name if self._tagger is not None else "given",
            "lemmas": lemmas,
            "synonyms": self.synonyms.signature,
            "content": self.content.signature,
        }
        return "|".join(f"{key}:{value}" for key, value in parts.items())

    @property
    def is_learnt(self) -> bool:
        """Whether tags are those that ``tesla tags`` learnt."""
        return isinstance(self._tagger, LearntTagger)

    def check_language(self, sentences: Analysed, what: str) -> None:
        """Raise an InputError, or warn, if the tagger is of another language or script.

        ``what`` is what messages call the sentences.
        """
        if isinstance(self._tagger, (LearntTagger, OfLatin)):
            self._tagger.check(sentences, what)

    def analyse(self, sentences: IntoTexts, vocabulary: Vocabulary | None = None) -> Analysed:
        """Return the analysed tokens of sentences, which are independent of each other.

        Parameters
        ----------
        sentences
            Texts (a sequence, or an Arrow or polars column); a column of lists of words; with the
            tagger ``given``, texts such as ``house|NN`` (``house|NN|house`` with lemmas), or a
            table with the columns words, tags and optionally lemmas; or a column of type
            ``tables.ANALYSED``, which is used unchanged.
        vocabulary
            The numbering of words, lemmas and tags; by default a new one.

        Raises
        ------
        InputError
            If a sentence is null or not text, or a tag is unknown.
        """
        if isinstance(sentences, (str, bytes)):
            todo = "read it from its file"
            raise InputError("one text", expected="a list of sentences", todo=todo)
        if isinstance(sentences, Iterator) and not is_frame(sentences):
            sentences = list(sentences)
        vocabulary = vocabulary or Vocabulary()
        shape, column = shape_of(sentences_of(only(sentences, TEXTS)))
        if shape is Shape.ANALYSED:
            return from_arrow(column, vocabulary)
        with self._lock:
            parted = self._parted(shape, column)
            return self._analysed(parted, vocabulary)

    def _analysed(self, types: Parted, vocabulary: Vocabulary) -> Analysed:
        """Return tokens from their numbers in ``self._types``."""
        words, tags, lemmas = self._types.in_vocabulary(types.parts, vocabulary)
        return Analysed(
            frozen(types.offsets[:-1]),
            frozen(types.offsets[1:]),
            frozen(words),
            frozen(lemmas),
            frozen(tags),
            frozen(self._types.content(types.parts)),
            vocabulary,
        )

    def _parted(self, shape: Shape, column: Any) -> Parted:
        """Return the number of each token's type."""
        if shape is Shape.TAGGED:
            return self._given_types(column)
        if self._tagger is None:
            if shape is not Shape.TEXTS:
                raise InputError("words without tags", expected="tagged words", todo=_FORMS)
            offsets, data = buffers(column)
            if self.lemmas != "given":
                check_fields(offsets, data)
            return self._tagged.parts_of(offsets, data)
        if shape is Shape.TEXTS:
            if self.tokens == _GIVEN:
                raise InputError("texts, where tokens are given", expected="lists of words")
            parted = self._in_texts.parts_of(*buffers(column))
        else:
            offsets, words = column
            words_parted = self._in_columns.parts_of(*buffers(words, "word"))
            opens = np.zeros(words_parted.parts.size, np.uint8)
            opens[offsets[:-1][np.diff(offsets) > 0]] = 1
            parted = Parted(offsets, words_parted.parts, opens)
        if self._by_word:
            return parted._replace(parts=self._word_types(parted))
        return parted._replace(parts=self._sentence_types(parted))

    def _word_types(self, parted: Parted) -> I32:
        """Return the types of words that are tagged without context."""
        if len(self._words.texts) > len(self._of_word):
            larger = np.full((2 * len(self._words.texts), 2), -1, np.int32)
            larger[: len(self._of_word)] = self._of_word
            self._of_word = larger
        # A word has two entries: within a sentence, and at its start.
        places = 2 * parted.parts + parted.opens
        known = self._of_word.reshape(-1)
        types: I32 = known[places]
        if types.size and types.min() < 0:
            for place in distinct(places[types < 0], known.size).tolist():
                known[place] = self._word_type(place >> 1, place & 1 == 1)
            types = known[places]
        return types

    def _word_type(self, number: int, opens: bool) -> int:
        word = self._words.texts[number]
        tag = self._tagger.tag_word(word, opens)  # type: ignore[union-attr]
        lemma = self._tagger.lemma_of(word) if self.lemmas == "tagger" else ""  # type: ignore[union-attr]
        return self._number(word, tag, lemma)

    def _sentence_types(self, parted: Parted) -> I32:
        """Return the types of words that are tagged in context."""
        bounds = itertools.pairwise(parted.offsets.tolist())
        sentences = [parted.parts[at:end].tobytes() for at, end in bounds]
        if isinstance(self._tagger, FunctionTagger):  # which gets all sentences at once
            types = self._tag(sentences)
        else:
            types = self._of_sentence.types_of(sentences, self._tag, self.progress)
        return np.concatenate([np.zeros(0, np.int32), *types])

    def _tag(self, sentences: Sequence[bytes]) -> list[I32]:
        """Return the types of the words of sentences, given as word numbers."""
        texts = self._words.texts
        words = [
            [texts[n] for n in np.frombuffer(sentence_bytes, np.int32).tolist()]
            for sentence_bytes in sentences
        ]
        tagged = self._tagger.tag(words)  # type: ignore[union-attr]
        types_of_sentences = []
        for sentence, tags in zip(words, tagged, strict=True):
            types = [self._number(w, *of_word) for w, of_word in zip(sentence, tags, strict=True)]
            types_of_sentences.append(np.array(types, np.int32))
        return types_of_sentences

    def _given_type(self, text: str) -> list[int]:
        return [self._number(*given_token(text, self.lemmas == "given"))]

    def _given_types(self, given: TaggedColumns) -> Parted:
        """Return the types of tokens with tags, and lemmas if needed, in columns."""
        if self._tagger is not None:
            raise InputError(
                f"tagged words, with the tagger {self._tagger.name}", expected="`tagger='given'`"
            )
        if self.lemmas == "given" and given.lemmas is None:
            raise InputError("words without lemmas", expected="a lemma for each word")
        lemmas = given.lemmas or [""] * len(given.words)
        numbers = [
            self._number(*token) for token in zip(given.words, given.tags, lemmas, strict=True)
        ]
        return Parted(given.offsets, np.array(numbers, np.int32), np.zeros(0, np.uint8))

    def _number(self, word: str, tag: str, lemma: str) -> int:
        """Return the number of a type; a word without a lemma is its own, in lower case."""
        if self._lemmatizer is not None:
            return self._types.number((word, tag, self._lemmatizer.lemma(word, tag)))
        return self._types.number((word, tag, (lemma or word).lower()))


def _lemmatizer(
    source: str, language: str, wordnet: str | PathLike[str] | None
) -> Morphy | Stemmer | None:
    """Return the lemmatizer, for when neither the tagger nor the text has lemmas."""
    if source == "morphy":
        return Morphy(read_wordnet(wordnet))
    return Stemmer(language) if source == "stems" else None


_AT_ONCE = 200
# With more sentences, the cache is cleared, so that a stream can run for ever.
_MOST = 1 << 18


LISTENERS: list[Progress] = []
"""Called with the numbers of tagged and of all sentences."""


def tell(done: int, of: int) -> None:
    """Notify all listeners."""
    for listener in LISTENERS:
        listener(done, of)


class Sentences:
    """A cache of word types by sentence; keys are the bytes of word numbers."""

    def __init__(self) -> None:
        self._known: dict[bytes, I32] = {}

    def types_of(
        self,
        sentences: Sequence[bytes],
        tag: Callable[[Sequence[bytes]], list[I32]],
        progress: Progress = tell,
    ) -> list[I32]:
        """Return the types of each sentence, calling ``tag`` for new ones."""
        if len(self._known) > _MOST:
            self._known = {}
        known = self._known
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
        for at in range(0, len(new), _AT_ONCE):
            piece = new[at : at + _AT_ONCE]
            known.update(zip(piece, tag(piece), strict=True))
            progress(at + len(piece), len(new))
        return [known[sentence] for sentence in sentences]
