"""Raw text beside links that count its words: which sides look so, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from os import fspath
from typing import Any

import pyarrow as pa

from alignframe.core.tokens import SIDES
from alignframe.formats.bitext import TextFiles, is_without_spaces


def raw_sides(sides: Sequence[pa.Array]) -> list[str]:
    """Return the sides that are written without spaces, whose links always count words."""
    return [name for name, side in zip(SIDES, sides, strict=True) if is_without_spaces(side)]


def words_hint(names: Sequence[str], text: Any = None) -> str:
    """Return the advice to give the words of raw sides of a text; empty if no side is raw.

    ``text`` may be the files that it was read from, whose names the advice has.
    """
    if not names:
        return ""
    given = text if isinstance(text, TextFiles) and text.tgt is not None else None
    commands = [
        f"alignframe words {fspath(getattr(given, name)) if given else 'FILE'} -o WORDS"
        for name in names
    ]
    sides = f"{' and '.join(names)} look{'' if len(names) > 1 else 's'}"
    return (
        f"{sides} like raw text without spaces, of which aligners link words; if so, give the "
        f"words that this writes: {'; '.join(dict.fromkeys(commands))}"
    )
