"""Tokenising translations with sacrebleu's tokenisers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import compress
from types import ModuleType

import numpy as np
import pyarrow as pa

from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError
from alignframe.functions.sequences import respelt, split

_PLACES = {
    "none": "",
    "13a": "tokenizer_13a.Tokenizer13a",
    "zh": "tokenizer_zh.TokenizerZh",
    "char": "tokenizer_char.TokenizerChar",
    "intl": "tokenizer_intl.TokenizerV14International",
    "ja-mecab": "tokenizer_ja_mecab.TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab.TokenizerKoMecab",
}

SPACED = ("13a", "intl")
"""Tokenisers of texts with spaces between words."""

# Tokenisers that depend only on adjacent characters (except for white space around the text), and
# whether they treat the first or last word differently.
_LOCAL = {"13a": False, "zh": True}

_SIGN = "\0"
# The kind of a word: bit 0 if a word precedes it, bit 1 if one follows.
_INSIDE = 3


def tokenized(texts: pa.Array, how: str | None, *, lowercase: bool = False) -> pa.Array:
    """Return the words of texts, list<string>; the texts themselves if ``how`` is None."""
    if lowercase:
        texts = pa.array([text and text.lower() for text in texts.to_pylist()], pa.string())
    if how in (None, "none"):
        return texts if how is None else split(texts)
    part = _tokenizer(str(how))
    lines = texts.to_pylist()
    # 13a joins words that a hyphen parts at a line break, so lines with breaks are not split
    # before.
    if how in _LOCAL and not any("\n" in line for line in lines if line):
        return _word_by_word(texts, part, ends_matter=_LOCAL[str(how)])
    # sacrebleu strips the end of a line before it tokenises it, but not the beginning.
    return split(pa.array([line and part(line.rstrip()) for line in lines], pa.string()))


def _word_by_word(texts: pa.Array, part: Callable[[str], str], *, ends_matter: bool) -> pa.Array:
    """Return the tokens of texts, tokenising each distinct word between spaces once."""
    lists = split(texts)
    sizes = list_lengths(lists)
    ends = np.cumsum(sizes)
    # The output of a local tokeniser for a word may depend on whether words precede or follow it,
    # but not on which. So all inner words are put into one text, separated by a marker.
    kinds = np.full(sizes.sum(), _INSIDE)
    if ends_matter:
        kinds[(ends - sizes)[sizes > 0]] -= 1
        kinds[ends[sizes > 0] - 1] -= 2

    def pieces(words: list[str], kinds: list[int]) -> list[list[str]]:
        inside = [
            kind == _INSIDE and _SIGN not in word for word, kind in zip(words, kinds, strict=True)
        ]
        text = part(_SIGN + _SIGN.join(compress(words, inside)) + _SIGN)
        tokens_of_inner = iter(text.split(_SIGN)[1:])
        return [
            (next(tokens_of_inner) if together else _between(word, kind, part)).split()
            for word, kind, together in zip(words, kinds, inside, strict=True)
        ]

    return respelt(lists, kinds, pieces)


def _between(word: str, kind: int, part: Callable[[str], str]) -> str:
    """Return the tokens of a word, optionally as the first or the last."""
    before, behind = kind & 1, kind >> 1
    # Any word will do for a neighbour.
    tokens = part("a " * before + word + " a" * behind).split()
    return " ".join(tokens[before : len(tokens) - behind])


def version() -> str:
    """Return sacrebleu's version."""
    number: str = _sacrebleu("").__version__
    return number


def _tokenizer(how: str) -> Callable[[str], str]:
    module, _, name = _PLACES[how].partition(".")
    try:
        part = getattr(_sacrebleu(f".tokenizers.{module}"), name)()
    except (ImportError, RuntimeError) as error:
        raise InputError(
            f"the tokenisation {how!r} needs a package that is not installed ({error})",
            todo=f"pip install 'sacrebleu[{how.partition('-')[0]}]'",
        ) from None
    # Without the cache, because every text occurs once.
    call = type(part).__call__
    return partial(getattr(call, "__wrapped__", call), part)


def _sacrebleu(module: str) -> ModuleType:
    try:
        return import_module(f"sacrebleu{module}")
    except ModuleNotFoundError as error:
        if error.name != "sacrebleu":
            raise
        raise InputError(
            "this tokenisation needs sacrebleu, which is not installed",
            expected="the tokenisation none, which does not need it",
            todo="pip install 'alignframe[mt]'",
        ) from None
