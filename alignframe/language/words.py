"""Words of raw text: how it is split, on what evidence, and the place of each word.

A *unit* is what stands between spaces. Words never cross units, so that links of words can be given
as links of units: in the positions of whoever wrote the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import U16
from alignframe.core.arrow import as_array
from alignframe.core.choices import WORD_SPLITTINGS
from alignframe.core.tokens import SIDES, list_lengths, visible, words_of
from alignframe.errors import MissingExtraError, check_known
from alignframe.formats.bitext import LOOKED_AT, first_words, glued_words, is_without_spaces
from alignframe.language.tokenize import SHORT, characters, penn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import polars as pl

    from alignframe.typing import IntoSentences

_STOPPED = re.compile(r".*[^\W\d_]{2}[.!?。]['\"»”’)]*")
# The share of sentences that end like ``homme.`` that text as written exceeds; abbreviations such
# as ``Inc.`` rarely end one.
_TOO_MANY_STOPS = 0.3

# Pieces of words: of subword-nmt, sentencepiece, and wordpieces; text that has them is split.
_PIECE = re.compile(".+@@|\u2581.*|##.+")
_MANY_PIECES = 0.05

# French, Italian and Catalan articles and the like: l'homme, qu'il, dell'arte.
_ELISION = re.compile(r"([A-Za-zÀ-ɏ]{1,5}['’])(?=[A-Za-zÀ-ɏ]{2})")
# Those that text as written has in many words; c'h is a letter of Breton, o' one of Uzbek. Split
# text may have them too, but with commas and full stops that stand alone, as in no orthography.
_ELIDED = re.compile(r"([djlmnst]|qu|c(?=.e))['’][^\W\d_]{2}", re.IGNORECASE)
_MANY_ELIDED = 0.01
_ALONE = {",", "."}
# Arabic, chosen by the error of links: without a list of words, rules split a few stems too, which
# does no harm, as links are given by what stands between spaces.
_ARABIC = re.compile(
    r"""(?=[\u0621-\u065f]{4,}\Z)(?:
    ([وف])?([بك](?=ال..)|لل(?=..)|(?=ال..))(.+)  # a conjunction, a preposition; the article's word
    | (و(?=...))?([بل](?=....)|س(?=[أتني]..))?  # a conjunction, a preposition or the future's sign
    (.{3,}?)(هما|ها|هم|هن|نا|كم|ه)?  # the word, a pronoun
    )""",
    re.VERBOSE,
)
# Scripts that write words without spaces, of which only a dictionary knows the words.
_DICTIONARY = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)")


def words_in(unit: str) -> list[str]:
    """Return the words between two spaces of raw text of any language.

    Those of ``penn``; elided articles (l'homme), and clitics of Arabic, stand alone; words of Thai,
    Lao, Khmer and Burmese are found by ICU's dictionaries. Zero-width spaces part words, and other
    invisible characters are left out, but for the joiners of Persian and Hindi.

    Raises
    ------
    MissingExtraError
        Of these scripts, without the extra ``words``.

    Examples
    --------
    >>> from alignframe.language.words import words_in
    >>> words_in("(l'homme,")
    ['(', "l'", 'homme', ',']
    """
    tokens = penn(visible(unit, " "))
    if tokens[-1:] == ["."] and len(tokens) > 1 and tokens[-2].capitalize() in SHORT:
        tokens[-2:] = [f"{tokens[-2]}."]  # mr.
    if unit.isascii() and "'" not in unit:
        return tokens
    return [word for token in tokens for word in _parted(token)]


def _parted(token: str) -> list[str]:
    if elided := _ELISION.match(token):
        return [elided[1], *_parted(token[elided.end() :])]
    if token.isascii():
        return [token]
    if arabic := _ARABIC.fullmatch(token):
        return [part for part in arabic.groups() if part]
    if not _DICTIONARY.search(token):
        return [token]
    return [
        word
        for piece in filter(None, _DICTIONARY.split(token))
        for word in (_by_dictionary(piece) if _DICTIONARY.match(piece) else [piece])
    ]


def _by_dictionary(run: str) -> list[str]:
    breaker = _breaker()(run, "th")
    return [run[low:high] for low, high in breaker.segments()]


@cache
def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        raise MissingExtraError(
            "icu4py", "words", "words of Thai, Lao, Khmer and Burmese", "use `words='characters'`"
        ) from None
    return WordBreaker


def splitting_of(sentences: pa.Array, words: str = "auto") -> Splitting:
    """Return how a side of a text is split; ``words`` is one of ``WORD_SPLITTINGS``."""
    how = _way_of(sentences) if words == "auto" else words
    return Splitting(how, spaced=how == "spaces" or not is_without_spaces(sentences))


def looks_raw(sentences: pa.Array) -> bool:
    """Whether text looks as if nobody had split it into words."""
    return _way_of(sentences) == "unicode"


def _way_of(sentences: pa.Array) -> str:
    """Return ``unicode`` for text that looks raw, or else ``spaces``."""
    words = first_words(sentences)
    if sum(_PIECE.fullmatch(word) is not None for word in words) > _MANY_PIECES * len(words):
        return "spaces"
    if glued_words(words):
        return "unicode"
    elided = sum(_ELIDED.match(word) is not None for word in words)
    if elided > max(_MANY_ELIDED * len(words), 2) and not _ALONE.intersection(words):
        return "unicode"
    lasts = [row[-1] and visible(row[-1]) for row in sentences[:LOOKED_AT].to_pylist() if row]
    stopped = sum(bool(last and _STOPPED.fullmatch(last)) for last in lasts)
    return "unicode" if stopped > max(_TOO_MANY_STOPS * len(lasts), 2) else "spaces"


def _characters_in(unit: str) -> list[str]:
    return characters(visible(unit))


_WAYS: dict[str, Callable[[str], list[str]]] = {"unicode": words_in, "characters": _characters_in}


class Split(NamedTuple):
    """Words of sentences, and the place of the unit of each in its sentence, if units are split."""

    words: pa.Array
    units: U16 | None


@dataclass(frozen=True)
class Splitting:
    """A way to split units into words; ``how`` is one of ``WORD_SPLITTINGS`` but ``auto``."""

    how: str = "spaces"
    spaced: bool = True  # whether the text has spaces between words

    def __post_init__(self) -> None:
        check_known("`words`", self.how, WORD_SPLITTINGS[1:])

    def in_words(self, positions: str) -> bool:
        """Whether links count words, not units; ``positions`` is one of ``POSITIONS``."""
        return self.how != "spaces" and (
            positions == "words" or (positions == "auto" and not self.spaced)
        )

    def split(self, sentences: pa.Array, *, fold: bool = True) -> Split:
        """Split lists of units into words, by default in lower case, as models have them."""
        if self.how == "spaces":
            return Split(sentences, None)
        sizes = list_lengths(sentences)
        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        encoded = words_of(sentences).dictionary_encode()
        part = _WAYS[self.how]
        parts: list[str] = []
        ends = np.zeros(len(encoded.dictionary) + 1, np.int64)
        for number, unit in enumerate(encoded.dictionary.to_pylist(), 1):  # each is seen once
            parts += part(unit)
            ends[number] = len(parts)
        known = pa.array(parts, pa.string())
        units = encoded.indices.to_numpy()
        counts = np.diff(ends)[units]
        at = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        wanted = np.arange(at[-1]) + np.repeat(ends[units] - at[:-1], counts)
        words = (pc.utf8_lower(known) if fold else known).take(pa.array(wanted))
        places = np.repeat(np.arange(units.size) - np.repeat(bounds[:-1], sizes), counts)
        lists = pa.ListArray.from_arrays(pa.array(at[bounds], pa.int32()), words)
        return Split(lists, places.astype(np.uint16))

    def split_one(self, units: list[str]) -> tuple[list[str], list[int]]:
        """Split one sentence like ``split``, and return the place of each word's unit."""
        if self.how == "spaces":
            return units, []
        parts = [_WAYS[self.how](unit) for unit in units]
        words = pa.array([word for part in parts for word in part], pa.string())
        places = [place for place, part in enumerate(parts) for _ in part]
        return pc.utf8_lower(words).to_pylist(), places


WHOLE = Splitting()
"""Units are words."""


def with_words(text: pa.Table, splittings: Iterable[Splitting]) -> pa.Table:
    """Return a text with the words of both sides as written."""
    for name, splitting in zip(SIDES, splittings, strict=True):
        if splitting.how != "spaces":
            words = splitting.split(as_array(text[name]), fold=False).words
            text = text.set_column(text.schema.get_field_index(name), name, words)
    return text


def split(sentences: IntoSentences, words: str = "auto") -> pl.Series:
    """Split raw text into words, as aligners do.

    Parameters
    ----------
    sentences
        A path of lines, a column, or a list of texts.
    words
        One of ``WORD_SPLITTINGS``.

    Returns
    -------
    polars.Series
        A list of words per sentence.

    Raises
    ------
    InputError
        If a sentence is missing or not text, or ``words`` is unknown.

    Examples
    --------
    >>> from alignframe import language
    >>> language.split(["L'homme, dit-il."], "unicode").to_list()
    [["L'", 'homme', ',', 'dit-il', '.']]
    """
    import polars as pl

    from alignframe.sources.texts import word_array

    check_known("`words`", words, WORD_SPLITTINGS)
    units = word_array(sentences, checked=False)
    found = splitting_of(units, words).split(units, fold=False).words
    return pl.Series("words", pl.from_arrow(found))
