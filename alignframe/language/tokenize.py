"""Splitting text into tokens."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, U8, frozen
from alignframe.core.arrow import as_array
from alignframe.errors import InputError, check_known
from alignframe.formats.sentences import Sentences
from alignframe.language.spellings import Spellings

if TYPE_CHECKING:
    import polars as pl

# Words that keep their full stop, besides single letters as in U.S. and e.g.
SHORT = frozenset(
    (
        "Adm Apr Assn Aug Ave Bldg Blvd Bros Capt Cmdr Co Col Comdr Corp Dec Dept Dist Dr Drs Feb "
        "Gen Gov Hon Inc Jan Jr Jul Jun Lt Ltd Maj Messrs Mlle Mlles Mme Mmes Mr Mrs Ms Mt Nov Oct "
        "Ph.D Prof Rep Reps Rev Sen Sens Sep Sept Sgt Sr St Ste Univ approx bzw ca cf dept etc usw "
        "vs zzgl"
    ).split()
)

# Repetitions are bounded where backtracking could be slow.
_ONE = r"""
    (?:https?://|ftp://|www\.)[^\s<>"“”«»]*[\w/]                  # addresses
  | [WORD][WORD.+-]{0,63}@[WORD][WORD-]*(?:\.[WORD-]*[WORD])+
  | \.{2,} | -{2,} | `` | ''                                  # ellipsis, dashes, Penn's quotes
  | (?<![WORD])[-+−]?\d+(?:[.,:/]\d+)+(?![WORD])                   # 1,234.5  10:30  -0.5
  | (?<![WORD])[-+−]\d+(?![WORD])
  | UNIT(?:(?:[-‐‑'’.&/·+]|(?<=\d)[,:](?=\d))UNIT)*                # O'Neill  AT&T  U.S.-led
  | \S
"""
_LETTER = r"[^\W\d_]"
_CLITIC = re.compile(r"(n['’]t|['’](?:s|m|d|re|ve|ll))$", re.IGNORECASE)
_LONGEST_CLITIC = 3
_INITIAL = re.compile(r"[^\W\d_]\.")
# Punctuation marks that often end words.
_ENDS = frozenset('.,;:!?)"')

# Contractions that the Penn Treebank splits, with the length of the first part.
_JOINED = {"cannot": 3, "gimme": 3, "gonna": 3, "gotta": 3, "lemme": 3, "wanna": 3}


# A Chinese or Japanese character: words are not separated by spaces.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def penn(word: str) -> list[str]:
    """Return the tokens of a word between spaces, in the style of the Penn Treebank."""
    if not word.isascii() and _UNSPACED.search(word):
        pieces = _UNSPACED.sub(r" \g<0> ", word).split()
        if len(pieces) > 1:
            return [token for piece in pieces for token in penn(piece)]
    if word.isalpha():  # the great majority of words
        return [word] if word.lower() not in _JOINED else _by_pattern(word)
    stem, end = word[:-1], word[-1]
    if end not in _ENDS or not stem.isalpha() or stem.lower() in _JOINED:
        return _by_pattern(word)
    if end == "." and (len(stem) == 1 or stem in SHORT):
        return _by_pattern(word)
    return [stem, end]


def _by_pattern(word: str) -> list[str]:
    """Return the tokens of any word, found by regular expressions."""
    tokens_found = []
    for piece in word.split():  # non-ASCII white space, such as no-break spaces
        if _INITIAL.fullmatch(piece) and piece[0].isupper() and piece != "I.":
            tokens_found.append(piece)
            continue
        for token in _tokens_pattern().findall(piece):
            tokens_found += _without_clitics(token)
    return tokens_found


def _without_clitics(token: str) -> list[str]:
    """Return a token with n't, 's and the like split off."""
    at = _JOINED.get(token.lower())
    if at:
        return [token[:at], token[at:]]
    if "'" not in token and "’" not in token:
        return [token]
    ends: list[str] = []
    end = len(token)
    while (clitic := _CLITIC.search(token, max(0, end - _LONGEST_CLITIC), end)) and clitic.start():
        ends.append(clitic[0])
        end = clitic.start()
    return [token[:end], *reversed(ends)]


@functools.cache
def _tokens_pattern() -> re.Pattern[str]:
    """Return the pattern of a token, with letters and digits including their combining marks."""
    word = r"\w" + _within()
    short = "|".join(map(re.escape, sorted(SHORT)))
    unit = rf"(?:(?<![WORD])(?:(?:{short})\.|(?:{_LETTER}\.){{2,20}})(?![WORD])|[WORD]+)"
    pattern = _ONE.replace("UNIT", unit).replace("WORD", word)
    return re.compile(pattern, re.VERBOSE)


# Categories of characters inside words: combining marks and invisible joiners.
_WITHIN = ("Mn", "Mc", "Me", "Cf")


def _spaces(word: str) -> list[str]:
    return [word]


def characters(word: str) -> list[str]:
    """Return the characters of a word, with the marks that combine with each."""
    return _character_pattern().findall(word)


@functools.cache
def _character_pattern() -> re.Pattern[str]:
    return re.compile(rf"\S[{_within()}]*")


@functools.cache
def _within() -> str:
    """Return combining marks and invisible joiners."""
    return "".join(c for c in map(chr, range(0xAD, 0xFFFF)) if unicodedata.category(c) in _WITHIN)


PARTS: dict[str, Callable[[str], list[str]]] = {"penn": penn, "spaces": _spaces}

TOKENS = tuple(PARTS)
"""Ways to split text.

``penn``: as in the Penn Treebank, for raw text in English and similar languages. Punctuation marks
and quotes are tokens, as are n't, 's, 're, 've, 'll, 'd and 'm; numbers (1,234.5), abbreviations
(Mr., U.S., e.g.), words with hyphens or apostrophes inside (O'Neill), and addresses stay whole; all
Unicode white space separates words, and nothing is changed. Each Chinese or Japanese character is a
token.

``spaces``: at ASCII white space, for text that is already tokenised.
"""


def known_way(how: str) -> str:
    """Return a tokenisation by name, or raise an InputError."""
    check_known("`tokens`", how, PARTS)
    return how


class Words:
    """Numbers of words, in order of first occurrence."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        """Return the number of a word."""
        number = self._numbers.setdefault(word, len(self.texts))
        if number == len(self.texts):
            self.texts.append(word)
        return number


def word_numbers(words: Words, how: str) -> Callable[[str], list[int]]:
    """Return a function that tokenises a word between spaces and numbers its tokens."""
    part, number = PARTS[known_way(how)], words.number
    return lambda word: [number(token) for token in part(word)]


def tokens(sentences: Sentences, how: str = "penn") -> pl.Series:
    """Split sentences into tokens.

    Parameters
    ----------
    sentences
        Texts; a text of white space has no tokens.
    how
        One of ``TOKENS``.

    Returns
    -------
    polars.Series
        A list of strings per sentence.

    Raises
    ------
    InputError
        If a sentence is null or not text, or the tokenisation is unknown.

    Examples
    --------
    >>> from alignframe import language
    >>> language.tokens(["The boats can't leave."]).to_list()
    [['The', 'boats', 'ca', "n't", 'leave', '.']]
    """
    import polars as pl

    return pl.Series("tokens", pl.from_arrow(token_lists(sentences, how)))


def token_lists(sentences: Sentences, how: str = "penn") -> pa.LargeListArray:
    """Return the result of ``tokens`` as Arrow lists."""
    words = Words()
    parted = Spellings(word_numbers(words, how), whole=False).parts_of(*buffers(sentences))
    texts = pa.array(words.texts, pa.string()).take(pa.array(parted.parts))
    return pa.LargeListArray.from_arrays(pa.array(parted.offsets), texts)


def buffers(sentences: Sentences, what: str = "sentence") -> tuple[I64, U8]:
    """Return the bytes of texts: text r is ``data[offsets[r] : offsets[r + 1]]``."""
    if isinstance(sentences, (str, bytes)):
        raise InputError("one text", expected="a list of sentences", todo="read it from its file")
    if isinstance(sentences, (pa.Array, pa.ChunkedArray)):
        return _arrow_buffers(as_array(sentences), what)
    if hasattr(sentences, "to_arrow"):  # a polars series
        return _arrow_buffers(as_array(sentences.to_arrow()), what)
    texts = list(sentences)
    try:
        encoded = [text.encode() for text in texts]
    except (AttributeError, UnicodeEncodeError):
        raise _no_text(texts) from None
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(encoded), np.uint8)


def _no_text(texts: Sequence[object]) -> InputError:
    """Return the error for the first value that is not text."""
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            return InputError(f"sentence {number} (counted from 0) is {text!r}", expected="a text")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return InputError(
                f"sentence {number} (counted from 0) holds {text[error.start]!r}, half of a "
                "surrogate pair",
                expected="whole characters",
                todo="decode the text again, with errors='replace' if necessary",
            )
    return InputError("a text that cannot be read")


def _arrow_buffers(array: pa.Array, what: str) -> tuple[I64, U8]:
    kind = array.type
    if pa.types.is_string_view(kind) or pa.types.is_dictionary(kind) or pa.types.is_null(kind):
        array = array.cast(pa.large_string())
    if not pa.types.is_string(array.type) and not pa.types.is_large_string(array.type):
        raise InputError(f"{what}s of type {kind}", expected="texts")
    if array.null_count:
        number = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
        raise InputError(f"{what} {number} (counted from 0) is missing", expected="a text")
    wide = np.int64 if pa.types.is_large_string(array.type) else np.int32
    _, places, data = array.buffers()
    if places is None or len(array) == 0:
        return np.zeros(1, np.int64), frozen(np.zeros(0, np.uint8))
    offsets = np.frombuffer(places, wide)[array.offset : array.offset + len(array) + 1]
    return offsets.astype(np.int64), frozen(np.frombuffer(data or b"", np.uint8))
