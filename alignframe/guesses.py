"""What readers guess of an input where nobody said it: told by a command, and kept in its JSON."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath

LISTENERS: list[Callable[[str, dict[str, str]], None]] = []
"""Called with a path and what was guessed of it, such as ``{"format": "naacl"}``."""


def guessed(path: str | PathLike[str], **what: str) -> None:
    """Tell what was guessed of an input, unless it is the plain case.

    Names are those of options (format, base, order, first_sentence, encoding, languages), values
    what was taken: ``guessed(path, languages="en and fr, the first of 3")``.
    """
    for listener in LISTENERS:
        listener(fspath(path), {name: text for name, text in what.items() if text})
