"""Default choices of an analysis, and incompatible ones."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from importlib import metadata

from alignframe.errors import InputError, MissingExtraError, check_known, warn
from alignframe.language.content import SETS
from alignframe.language.remedies import learn_tags
from alignframe.language.synonyms import Synonyms
from alignframe.language.taggers import Tagger

LEMMAS = ("morphy", "stems", "words", "tagger", "given")
"""Sources of lemmas, which are always in lower case: WordNet's morphy (English), Snowball's stems,
the words themselves, the tagger (hanta, spacy), or given with the tokens."""

OPTIONS = ("language", "tokens", "tagger", "lemmas", "wordnet", "synonyms", "content")
"""The options of ``Analysis.of``."""

_TAGGERS = {"en": "textblob", "de": "hanta", "nl": "hanta"}


_CODE = re.compile(r"[a-z]{2,3}([_-]\w+)?")
# ISO 639-2 codes of languages that are known by a two-letter code.
_THREE_LETTERS = {
    short: codes.split()
    for short, codes in {
        "ar": "ara", "ca": "cat", "cs": "ces cze", "da": "dan", "de": "deu ger", "el": "ell gre",
        "en": "eng", "es": "spa", "et": "est", "eu": "eus baq", "fi": "fin", "fr": "fra fre",
        "ga": "gle", "hi": "hin", "hu": "hun", "hy": "hye arm", "id": "ind", "is": "isl ice",
        "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "ne": "nep",
        "nl": "nld dut", "no": "nor nob", "pl": "pol", "pt": "por", "ro": "ron rum", "ru": "rus",
        "sr": "srp", "sv": "swe", "ta": "tam", "tr": "tur", "yi": "yid", "zh": "zho chi",
    }.items()
}  # fmt: skip


def check_language(language: str) -> None:
    """Raise an InputError for an invalid code, or another code of a known language."""
    if not _CODE.fullmatch(language):
        raise InputError(f"`language` is {language!r}", expected="a code such as en or fr")
    short = next((code for code, codes in _THREE_LETTERS.items() if language in codes), None)
    if short is not None:
        raise InputError(
            f"`language` is {language!r}",
            expected="a two-letter code",
            todo=f"did you mean {short!r}?",
        )


def default_tagger(language: str) -> str:
    """Return the default tagger of a language."""
    if language not in _TAGGERS:
        raise InputError(
            f"no tagger for the language {language!r}",
            todo=f"{learn_tags(language)}, and add `tagger='{language}.tags.parquet'`; the "
            "metric f needs no tags",
        )
    return _TAGGERS[language]


def _is_none(tagger: Tagger | None) -> bool:
    """Whether the tagger gives no tags."""
    return tagger is not None and tagger.tag_set == "none"


def default_synonyms(language: str, tagger: Tagger | None) -> str | Synonyms:
    """Return the default synonyms of a language, or of a tagger that was trained with them."""
    if isinstance(own := getattr(tagger, "synonyms", None), Synonyms):
        return own
    if _is_none(tagger):
        return "none"
    if language != "en":
        warn(
            f"no synonyms for the language {language!r}: different lemmas are compared by their "
            f"tags only; give a file (`synonyms`), or {learn_tags(language)}"
        )
        return "none"
    return "wordnet"


def lemma_source(lemmas: str | None, tagger: Tagger | None, language: str) -> str:
    """Return the source of lemmas, after checking that it is possible."""
    able = tagger is not None and getattr(tagger, "has_lemmas", False)
    if lemmas is None:
        if able:
            return "tagger"
        if _is_none(tagger):
            return "words"
        if language == "en":
            return "morphy"
        if has_stems(language):
            return "stems"
        warn(
            f"no lemmas for the language {language!r}: lower-cased words are used instead; for "
            "stems, pip install 'alignframe[stems]'; choose `lemmas='given'`, for tokens "
            f"such as Häuser|NN|Haus, or {learn_tags(language)}"
        )
        return "words"
    check_known("`lemmas`", lemmas, LEMMAS)
    if lemmas == "morphy" and language != "en":
        raise InputError(f"the lemmas morphy for the language {language!r}", expected="en")
    if lemmas == "tagger" and not able:
        raise InputError("a tagger that gives no lemmas", todo="choose other lemmas, such as words")
    if lemmas == "given" and tagger is not None:
        raise InputError(
            "given lemmas with a tagger that is not given", expected="`tagger='given'` as well"
        )
    return lemmas


def tag_set(tagger: Tagger | None, language: str, content: str | Sequence[str] | None) -> str:
    """Return the name of the default tag set."""
    if tagger is not None and tagger.tag_set:
        return tagger.tag_set
    if language == "en":
        return "penn"
    if content or language in SETS:
        return language
    raise InputError(
        f"no tag set for the language {language!r}",
        todo=f"name one as `content`: {', '.join(SETS)}; or give the prefixes of content words' "
        "tags, such as NN,VB,JJ,RB",
    )


# Lemmas by Snowball's stemmers, for languages without WordNet or a tagger with lemmas.

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
            purpose = f"stemming the language {language!r}"
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
