"""``alignframe mt train``: phrase tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.command import Arguments, Shell, Words, flag
from alignframe.cli.phrases import Systems
from alignframe.cli.show import Pieces, done
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Training(Systems):
    """A word-aligned text, and perhaps texts to translate."""

    provides = (*Systems.provides, "only")  # type: ignore[assignment]

    only: list[str] = flag(
        "Text to be translated; phrases that occur in none of these are left out. Repeatable.",
        [],
        flags="--for",
        metavar="FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return links, bitext and only."""
        from alignframe.formats.bitext import token_column
        from alignframe.read.lines import TextFile

        only = [token_column(TextFile(path, self.encoding)) for path in self.only]
        return super().arguments(shell) | {"only": only or None}


def save_table(table: pl.DataFrame, output: Path) -> tuple[dict[str, int], str]:
    """Write a phrase table; return its size, and a note of it."""
    from alignframe import mt

    phrases = table["src"].n_unique()
    mt.write_phrase_table(table, output)
    size = f"{number_of(table.height, 'pair')} of {number_of(phrases, 'source phrase')}"
    return {"pairs": table.height, "src_phrases": phrases}, f"{size} written to {output}"


def show_table(table: pl.DataFrame, words: Words) -> Pieces:
    """Write a phrase table, and say how many pairs it has."""
    return done(*save_table(table, words["output"]), words["output"])
