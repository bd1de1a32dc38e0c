"""Names of features: ``ms_1`` and ``pos_1``, ``NAME_lem_1`` of pivots, ``lm_NAME`` of models.

Surface features are ``chr_1`` and others. Stored features are identified only by name, so the names
of pivots and language models are checked here.
"""

from __future__ import annotations

import re

from alignframe.errors import InputError

TARGET = re.compile(r"(ms|pos)_\d+")
"""F-measures of the target language."""

PIVOT = re.compile(r"(?!lm_).+_(lem|pos)_\d+")
"""F-measures of a pivot language."""

CHARACTERS, WORDS = 6, 2
"""The longest n-grams of characters and words on the surface: those of chrF++."""

SURFACE = re.compile(
    rf"chr_[1-{CHARACTERS}]|word_[1-{WORDS}]|(content|function|order|short|long)_1"
)
"""Features of ``surface.SurfaceFeatures``, which are not in the paper."""

SHARED = (
    *(f"chr_{n}" for n in range(1, CHARACTERS + 1)),
    *(f"word_{n}" for n in range(1, WORDS + 1)),
    "order_1",
)
"""Characters, words and their order."""

SURFACE_SETS = {
    "wide": (0.5, (*SHARED[:-1], "content_1", "function_1", "order_1", "short_1", "long_1")),
    "other": (0.8, SHARED),
}
"""The weight of recall in the F-measures of each set of features, by name.

On WMT 2012 into English, tau in languages not trained on is 0.001 to 0.01 higher with 0.5 than with
0.8. Out of English it is 0.005 to 0.01 lower, and features of content words and lengths do not
transfer.
"""

LM_PREFIX = "lm_"
"""The prefix of feature names of language models."""

_NAME = re.compile(r"[\w.-]+")


def is_f_measure(feature: str) -> bool:
    """Whether a feature is an F-measure, by its name."""
    if SURFACE.fullmatch(feature):
        return not feature.startswith(("short", "long"))
    return bool(TARGET.fullmatch(feature) or PIVOT.fullmatch(feature))


def check_pivot_name(name: str) -> str:
    """Return the name of a pivot language, if its feature names are unambiguous."""
    if f"{name}_".startswith(LM_PREFIX):
        raise _refused(name, "a pivot language", "a name that is not that of a language model")
    return _checked(name, "a pivot language", "a word such as fr")


def check_model_name(name: str) -> str:
    """Return the name of a language model, if its feature name is unambiguous."""
    if PIVOT.fullmatch(f"fr_{name}"):
        raise _refused(name, "a language model", "a name that is not that of a pivot's feature")
    return _checked(name, "a language model", "a word such as news")


def _checked(name: str, what: str, expected: str) -> str:
    if not _NAME.fullmatch(name):
        raise _refused(name, what, f"{expected}, of letters, digits, _, - and dots")
    return name


def _refused(name: str, what: str, expected: str) -> InputError:
    return InputError(
        f"{name!r} as the name of {what}", expected=expected, todo="name it: NAME=FILE"
    )
