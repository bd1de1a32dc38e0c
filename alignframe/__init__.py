"""Translation alignment as tables: word and sentence alignments, lexicons, and translations scored.

``aligners`` makes word alignments, ``beads`` those of sentences, ``links`` scores and joins them,
``phrases`` judges them by their phrase dictionaries, ``lexicon`` induces translation lexicons and
judges them, ``tesla`` scores translations, ``language`` analyses text, ``formats`` reads and writes
files, ``stats`` correlates scores of alignments with those of translation, ``connect`` opens a
DuckDB connection that knows them, ``engines.polars`` holds the same functions as expressions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from alignframe.version import __version__

if TYPE_CHECKING:
    from alignframe import (
        aligners,
        beads,
        formats,
        language,
        lexicon,
        links,
        phrases,
        stats,
        tesla,
    )
    from alignframe.session import connect

__all__ = [
    "__version__",
    "aligners",
    "beads",
    "connect",
    "formats",
    "language",
    "lexicon",
    "links",
    "phrases",
    "stats",
    "tesla",
]


def __getattr__(name: str) -> Any:
    """Import a part on first use: the command line starts fast."""
    if name == "connect":
        return import_module("alignframe.session").connect
    if name in __all__:
        return import_module(f"alignframe.{name}")
    raise AttributeError(f"module 'alignframe' has no attribute {name!r}")
