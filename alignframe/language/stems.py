"""Lemmas by Snowball's stemmers, for languages without WordNet or a tagger with lemmas."""

from __future__ import annotations

import importlib
from importlib import metadata

from alignframe.errors import InputError, MissingExtraError

LANGUAGES = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""Snowball's names of languages; not all exist in every release."""

_PACKAGE = "snowballstemmer"


class Stemmer:
    """Lower-case stems of a language, independent of tags."""

    def __init__(self, language: str) -> None:
        try:
            snowballstemmer = importlib.import_module(_PACKAGE)
        except ImportError:
            purpose = f"stems of the language {language!r}"
            raise MissingExtraError(_PACKAGE, "stems", purpose) from None
        known = set(snowballstemmer.algorithms())
        if LANGUAGES.get(language) not in known:
            codes = (code for code, name in LANGUAGES.items() if name in known)
            raise InputError(f"stems of the language {language!r}", expected=", ".join(codes))
        self.name = f"snowball-{metadata.version(_PACKAGE)}"
        self._stem = snowballstemmer.stemmer(LANGUAGES[language]).stemWord

    def lemma(self, word: str, tag: str) -> str:  # noqa: ARG002 - as of Morphy
        """Return the stem of a word."""
        return str(self._stem(word.lower()))


def has_stems(language: str) -> bool:
    """Whether a stemmer for a language is installed."""
    try:
        Stemmer(language)
    except (InputError, MissingExtraError):
        return False
    return True
