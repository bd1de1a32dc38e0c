"""The files in ``sql/``, whose macros every engine reads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from alignframe.errors import AlignframeError


@cache
def sql_scripts(about: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Return the text of the files in ``sql/``, in order.

    Parameters
    ----------
    about
        What the wanted ones are about, such as ``("lexicon",)`` for ``05_lexicon.sql``; those whose
        macros they use come along. All files if left out.
    """
    texts = {
        file.stem.partition("_")[2]: file.read_text("utf-8")
        for file in sorted(sql_folder().glob("*.sql"))
    }
    if about is None:
        return tuple(texts.values())
    wanted: set[str] = set()
    waiting = [*about]
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        words = set(re.findall(r"\w+", texts[name]))
        waiting += [
            other
            for other, text in texts.items()
            if other not in wanted and not words.isdisjoint(re.findall(r"macro (\w+)\(", text))
        ]
    return tuple(text for name, text in texts.items() if name in wanted)


def sql_folder() -> Path:
    """Return where the SQL macros lie: in the installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "sql", here.parent / "sql"):
        if folder.is_dir():
            return folder
    raise AlignframeError("the folder sql/ is missing from this installation of alignframe")
