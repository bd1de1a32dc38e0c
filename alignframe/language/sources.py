"""Forms of input sentences: texts, columns of words, or words with tags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, U8
from alignframe.core.arrow import is_list, refuse_missing
from alignframe.core.schemas import TOKEN
from alignframe.core.tokens import composed, list_lengths
from alignframe.errors import InputError


class Shape(Enum):
    """The form of input sentences."""

    TEXTS = "texts"
    WORDS = "words"
    TAGGED = "tagged"
    ANALYSED = "analysed"


@dataclass(frozen=True)
class TaggedColumns:
    """Words with tags: sentence r has the tokens ``offsets[r] <= k < offsets[r + 1]``."""

    offsets: I64
    words: list[str]
    tags: list[str]
    lemmas: list[str] | None


def shape_of(sentences: pa.Array) -> tuple[Shape, Any]:
    """Return the form of sentences, and the sentences in NFC: lists as offsets and words."""
    array = composed(sentences)
    kind = array.type
    if not is_list(kind):
        return Shape.TEXTS, array
    refuse_missing(array, "sentences")
    if not pa.types.is_struct(kind.value_type):
        return Shape.WORDS, (_offsets(array), array.flatten())
    names = {field.name for field in kind.value_type}
    if {field.name for field in TOKEN} <= names:
        return Shape.ANALYSED, array
    if not {"word", "tag"} <= names:
        raise InputError(
            f"sentences of type {kind}",
            expected="texts, lists of words, or lists of structs of word, tag and optionally lemma",
        )
    return Shape.TAGGED, _of_structs(array, "lemma" in names)


def _offsets(array: pa.Array) -> I64:
    offsets = np.zeros(len(array) + 1, np.int64)
    np.cumsum(list_lengths(array), out=offsets[1:])
    return offsets


def _of_structs(array: pa.Array, with_lemmas: bool) -> TaggedColumns:
    tokens = array.flatten()
    if tokens.null_count:
        raise InputError("a missing token", expected="every token")
    lemmas = _texts(tokens.field("lemma"), "lemma") if with_lemmas else None
    words, tags = (_texts(tokens.field(name), name) for name in ("word", "tag"))
    return TaggedColumns(_offsets(array), words, tags, lemmas)


def _texts(values: pa.Array, name: str) -> list[str]:
    """Return a column of texts as a list; raise an InputError if one is null."""
    if values.null_count:
        raise InputError(f"a missing value in {name}", expected="every one")
    texts: list[str] = values.cast(pa.string()).to_pylist()
    return texts


_THREE = re.compile(rb"[^|]+\|[^|]+\|[^|]+")
_LOOKED_AT = 100

_BLANK = r"[ \t\n\v\f\r]"
_BAR = "&#124;"
_ESCAPED = "&((?:amp;)*#124;)"
_WAS_ESCAPED = "&amp;((?:amp;)*#124;)"


def given_token(text: str, with_lemma: bool) -> tuple[str, str, str]:
    """Return the word, tag and lemma of a text such as ``house|NN`` or ``houses|NNS|house``."""
    # Split at the last bars, so that a word may contain bars; those of tags are escaped.
    parts = text.rsplit("|", 2 if with_lemma else 1)
    if len(parts) != 2 + with_lemma or not all(parts):
        form = "word|TAG|lemma" if with_lemma else "word|TAG"
        raise InputError(
            f"{text[:60]!r} is not a word with a tag{' and a lemma' * with_lemma}",
            expected=form,
            todo="use other lemmas than given (`lemmas='tagger'`)"
            if with_lemma and len(parts) == 2
            else "",
        )
    tag, lemma = _with_bars(parts[1]), _with_bars(parts[2]) if with_lemma else ""
    return parts[0], tag, lemma


def unspaced(texts: pa.Array) -> pa.Array:
    """Return words or lemmas with no-break spaces for spaces."""
    return pc.replace_substring_regex(texts, _BLANK, "\u00a0")


def shown_tokens(tokens: pa.StructArray) -> pa.Array:
    """Return tokens as ``word|TAG|lemma``, for ``given_token``."""
    parts = [unspaced(tokens.field("word"))]
    for name in ("tag", "lemma"):
        texts = unspaced(tokens.field(name))
        # As in Moses, a bar becomes &#124;, and &#124; itself &amp;#124;.
        texts = pc.replace_substring_regex(texts, _ESCAPED, r"&amp;\1")
        parts.append(pc.replace_substring(texts, "|", _BAR))
    return pc.binary_join_element_wise(*parts, "|")


def check_fields(offsets: I64, data: U8) -> None:
    """Refuse texts of ``word|TAG|lemma`` where ``word|TAG`` is expected."""
    # Words may contain bars, so such texts would be read, but with wrong words and tags.
    bounds = offsets[: _LOOKED_AT + 1].tolist()
    texts = (data[at:end].tobytes() for at, end in pairwise(bounds))
    tokens = [token for text in texts for token in text.split()]
    three = [token for token in tokens if _THREE.fullmatch(token)]
    if three and 2 * len(three) >= len(tokens):
        raise InputError(
            f"tokens of word|TAG|lemma, such as {three[0].decode()[:60]!r}",
            expected="word|TAG",
            todo="use `lemmas='given'`",
        )


def _with_bars(shown: str) -> str:
    """Return a tag or lemma with bars unescaped."""
    if "&" not in shown:
        return shown
    return re.sub(_WAS_ESCAPED, r"&\1", shown.replace(_BAR, "|"))
