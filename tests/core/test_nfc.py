"""Which texts are asked whether they are NFC."""

import unicodedata

import numpy as np

from alignframe.core.tokens import is_doubtful


def test_characters_passed_over_are_nfc_and_neither_combine_nor_compose():
    codes = [*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x1F000, 0x20000)]
    characters = [chr(code) for code in codes]
    steps = [unicodedata.decomposition(character).split() for character in characters]
    composing = {chr(int(part, 16)) for step in steps if "<" not in str(step) for part in step[1:]}
    composing |= {*map(chr, range(0x1161, 0x1176)), *map(chr, range(0x11A8, 0x11C3))}  # Hangul
    passed = [
        character
        for character in characters
        if not is_doubtful(np.frombuffer(f"a{character}aa".encode(), np.uint8))
    ]
    assert len(passed) > 40_000
    assert not composing & {*passed}
    assert all(unicodedata.is_normalized("NFC", character) for character in passed)
    assert not any(map(unicodedata.combining, passed))
    assert is_doubtful(np.frombuffer("e\u0301".encode(), np.uint8))  # nothing follows
