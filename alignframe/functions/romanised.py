"""Words of any script in Latin letters, by the names that Unicode gives their letters.

The name of a letter of an alphabet begins with its sound (``ARABIC LETTER BEH``: b), that of a
syllable is the sound (``KATAKANA LETTER KA``: ka). It is rough, but enough for names and numbers to
resemble their translations. Characters whose names do not tell a sound, as those of Chinese, stay
as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache

import numpy as np
import pyarrow as pa

from alignframe.functions.spelling import folded_word

_NAME = re.compile(r"([A-Z]+) .*?(?:LETTER|SYLLABLE|VOWEL SIGN) (?:.* )?([A-Z]+)")
_FIRST = re.compile("[AEIOU]|[^AEIOU]+")
# Hiragana is left out, which writes few names: its short words resemble others by chance.
_SYLLABLES = {"HANGUL", "KATAKANA", "ETHIOPIC", "CHEROKEE"}
_UNREAD = {"LATIN", "HIRAGANA"}
_LONG = "ー"  # the vowel before it
# Names that do not begin with their sound.
_OTHERWISE = {
    "ARABIC": {"MAKSURA": "a", "MARBUTA": "a", "GOAL": "h", "GHUNNA": "n", "BARREE": "y"},
    "CYRILLIC": {
        **{name: name[-1].lower() for name in ("IE", "EL", "EM", "EN", "ER", "ES", "EF")},
        "YA": "ya",
        "YU": "yu",
        "SIGN": "",
    },
}
_ARTICLE = re.compile("ال(?=...)")
# Letters for one sound, of which scripts have different ones.
_SAME = str.maketrans("cqv", "kkf")
_LOOKED_AT = 1000


@lru_cache(1 << 17)
def romanised(word: str) -> str:
    """Return a word in Latin letters, without case, accents and the Arabic article.

    Examples
    --------
    >>> from alignframe.functions.romanised import romanised
    >>> [romanised(word) for word in ("Обама", "اللندن", "カナダ", "서울", "Zoë", "北京")]
    ['obama', 'lndn', 'kanada', 'seoul', 'zoe', '北京']
    """
    plain = folded_word(word, accents=False)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", plain)  # half-width letters have other names
        plain = "".join(map(_sound, without_article(plain)))
    return plain.translate(_SAME)


def without_article(word: str) -> str:
    """Return an Arabic word without its article."""
    return word[2:] if _ARTICLE.match(word) else word


@cache
def _sound(letter: str) -> str:
    if letter == _LONG:
        return ""
    name = unicodedata.name(letter, "").partition(" WITH ")[0]
    found = _NAME.fullmatch(name)
    if found is None or found[1] in _UNREAD:
        return folded_word(letter, accents=True)
    script, last = found.groups()
    known = _OTHERWISE.get(script, {}).get(last)
    if known is not None:
        return known
    first = last if script in _SYLLABLES else _FIRST.findall(last)[0]
    return first.lower()


def script_of(words: pa.Array) -> str:
    """Return the most common script of words, such as ``LATIN``; empty if none has letters."""
    some = words.take(np.arange(0, len(words), len(words) // _LOOKED_AT + 1))
    scripts = Counter(
        unicodedata.name(word[0], "").partition(" ")[0]
        for word in some.to_pylist()
        if word.isalpha()
    )
    return max(scripts, key=scripts.__getitem__, default="")
