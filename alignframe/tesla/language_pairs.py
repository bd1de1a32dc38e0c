"""Language pairs by language codes."""

from __future__ import annotations

_LANGUAGES = {
    "arabic": "ar",
    "chinese": "zh",
    "cz": "cs",
    "czech": "cs",
    "english": "en",
    "estonian": "et",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "gujarati": "gu",
    "haitian": "ht",
    "hindi": "hi",
    "hungarian": "hu",
    "icelandic": "is",
    "italian": "it",
    "japanese": "ja",
    "kazakh": "kk",
    "latvian": "lv",
    "lithuanian": "lt",
    "romanian": "ro",
    "russian": "ru",
    "spanish": "es",
    "turkish": "tr",
    "urdu": "ur",
}


def language_pair(text: str) -> str:
    """Return a language pair in the form ``fr-en``, from codes or English names of languages."""
    return "-".join(_language(part.strip()) for part in text.split("-"))


def pair_of_languages(source: str, target: str) -> str:
    """Return the language pair of two languages, each a code or an English name."""
    return f"{_language(source)}-{_language(target)}"


def _language(name: str) -> str:
    return _LANGUAGES.get(name.lower(), name.lower())
