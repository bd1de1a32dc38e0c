"""Words of translations, as sacrebleu's tokenisers part them."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.functions.mt import split

_PLACES = {
    "none": "",
    "13a": "tokenizer_13a.Tokenizer13a",
    "zh": "tokenizer_zh.TokenizerZh",
    "char": "tokenizer_char.TokenizerChar",
    "intl": "tokenizer_intl.TokenizerV14International",
    "ja-mecab": "tokenizer_ja_mecab.TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab.TokenizerKoMecab",
}

TOKENIZERS = tuple(_PLACES)
"""The names of tokenisers; all but ``none`` are sacrebleu's."""


def tokenized(texts: pa.Array, how: str | None, *, lowercase: bool = False) -> pa.Array:
    """Return the words of texts, list<string>; the texts themselves if ``how`` is None.

    Raises
    ------
    InputError
        If sacrebleu, or what it needs for this language, is not installed.
    """
    if lowercase or how not in (None, "none"):
        part = _tokenizer(how) if how not in (None, "none") else None
        given = [
            text if text is None or not lowercase else text.lower() for text in texts.to_pylist()
        ]
        if part is not None:
            given = [text if text is None else part(text.rstrip()) for text in given]
        texts = pa.array(given, pa.string())
    return texts if how is None else split(texts)


def version() -> str:
    """Return sacrebleu's version."""
    found: str = _sacrebleu("").__version__
    return found


def _tokenizer(how: str) -> Any:
    module, _, name = _PLACES[how].partition(".")
    try:
        part = getattr(_sacrebleu(f".tokenizers.{module}"), name)()
    except (ImportError, RuntimeError) as error:
        raise InputError(
            f"the tokenisation {how!r} needs what is not installed ({error})",
            todo=f"pip install 'sacrebleu[{how.partition('-')[0]}]'",
        ) from None
    # Without its cache, as every text is met once.
    call = type(part).__call__
    return partial(getattr(call, "__wrapped__", call), part)


def _sacrebleu(module: str) -> Any:
    try:
        return import_module(f"sacrebleu{module}")
    except ModuleNotFoundError as error:
        if error.name != "sacrebleu":
            raise
        raise InputError(
            "this tokenisation needs sacrebleu, which is not installed",
            expected="the tokenisation none, which does without",
            todo="pip install 'alignframe[mt]'",
        ) from None
