"""The weights of a translation system's features, and their file."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TypeAlias

import numpy as np

from alignframe.core.arrays import F64
from alignframe.core.output import replacing
from alignframe.errors import InputError, check_known, in_file, is_number, plain
from alignframe.read.lines import TextFile

FEATURES = {
    "distortion": 0.3,
    "lm": 0.5,
    "word_penalty": -1.0,
    "phrase_penalty": 0.2,
    "p_src": 0.2,
    "lex_src": 0.2,
    "p_tgt": 0.2,
    "lex_tgt": 0.2,
    "unknown": 1.0,
}
"""The features, with the initial weights of Moses.

``distortion`` is minus the words jumped over, ``lm`` the natural logarithm of a probability, as are
``p_src`` to ``lex_tgt``; ``word_penalty`` is minus the number of words, ``phrase_penalty`` the
number of phrases, ``unknown`` -100 per word.
"""

REORDERING = {
    f"{way}_{side}": 0.3 for side in ("previous", "next") for way in ("monotone", "swap", "other")
}
"""Features of lexicalised reordering, with initial weights; all or none of them are used.

Log probabilities of the orientation (monotone, swap, discontinuous) of a phrase pair to the
previous target phrase, and to the next.
"""

# Initial weights by the names in Moses's own lists, of today and before 2013, without numbers.
_MOSES = {
    **dict.fromkeys(("Distortion", "d", "LexicalReordering"), 0.3),
    **dict.fromkeys(("LM", "lm"), 0.5),
    **dict.fromkeys(("WordPenalty", "w"), -1.0),
    **dict.fromkeys(("PhrasePenalty", "TranslationModel", "tm"), 0.2),
}

FIXED = ("unknown",)
"""Features whose weights are not tuned."""

UNKNOWN = -100.0

IntoWeights: TypeAlias = Mapping[str, float] | str | PathLike[str] | None
"""Weights by name, the file that holds them, or None for ``FEATURES``."""


def weights_of(given: IntoWeights) -> dict[str, float]:
    """Return a weight for each feature; fixed ones are optional, as are all of reordering."""
    if given is None:
        return dict(FEATURES)
    with in_file(given):
        weights_given = read_weights(given) if isinstance(given, (str, PathLike)) else given
        known = {**FEATURES, **REORDERING}
        if unnamed(weights_given):
            raise InputError(
                "weights from an n-best list that does not name its features",
                expected=f"one of each of {', '.join(FEATURES)}",
                todo="run mt mert with a list in the format moses or parquet, or give it initial "
                "weights by name",
            )
        for name in weights_given:
            check_known("feature", name, known)
        if not any(name in REORDERING for name in weights_given):
            known = FEATURES
        missing = [name for name in known if name not in weights_given and name not in FIXED]
        if missing:
            raise InputError(
                f"no weight of {', '.join(missing)}",
                expected=f"one of each of {', '.join(known)}",
            )
        return {
            name: number_given(weights_given.get(name, default), name)
            for name, default in known.items()
        }


def unnamed(features: Iterable[str]) -> bool:
    """Whether features have numbers instead of names, as those of Z-MERT's lists."""
    return all(re.fullmatch(r"feature(_\d+)?", name) for name in features) and any(features)


def initial_weight(name: str) -> float:
    """Return Moses's initial weight of a feature of any list, or 1 if it has no such feature."""
    own = {**FEATURES, **REORDERING}
    return own.get(name, _MOSES.get(re.sub(r"\d*(_\d+)?$", "", name), 1.0))


def number_given(value: object, name: str) -> float:
    """Return the weight of a feature, or raise an InputError if it is not a finite number."""
    if not is_number(value) or not math.isfinite(value):
        raise InputError(f"the weight of {name} is {value!r}", expected="a number")
    return float(plain(value))


def read_weights(path: str | PathLike[str]) -> dict[str, float]:
    """Return the weights in a file, of any features."""
    with in_file(path):
        try:
            contents = tomllib.loads(TextFile(path).whole().decode())
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"cannot be read as TOML ({error})") from None
        if not isinstance(contents.get("weights"), dict):
            raise InputError("no table [weights]", expected="a file written by mt tune")
    return dict(contents["weights"])


def write_weights(weights: Mapping[str, float], path: str | PathLike[str], note: str = "") -> None:
    """Write weights as TOML, under a comment with their origin.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import mt
    >>> mt.write_weights({"lm": 0.5, "tm": 0.5}, "weights.toml", "tuned by hand")
    >>> print(Path("weights.toml").read_text(), end="")
    # tuned by hand
    [weights]
    lm = 0.5
    tm = 0.5
    """
    lines = [f"# {line}\n" for line in note.splitlines()]
    lines += ["[weights]\n", *(f"{name} = {value!r}\n" for name, value in weights.items())]
    with replacing(path) as out:
        out.write("".join(lines).encode())


def vector(weights: Mapping[str, float]) -> F64:
    """Return weights in their order."""
    return np.array(list(weights.values()))
