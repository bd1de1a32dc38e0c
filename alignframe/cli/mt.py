"""Translations and references, and options of BLEU and chrF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.show import Pieces, save_table
from alignframe.cli.sources import ENCODING, named_paths, split_name
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class References(Input):
    """One reference or several."""

    provides = ("ref", "encoding")

    ref: list[str] = flag(
        "Reference: one sentence per line, or a table with text and sid. Repeatable.",
        metavar="FILE",
    )
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return ref and encoding."""
        return {"ref": [Path(path) for path in self.ref], "encoding": self.encoding}


@dataclass(frozen=True, kw_only=True)
class Translations(References):
    """Translations and references."""

    provides = ("hyp", "ref", "encoding")  # type: ignore[assignment]

    hyp: list[str] = flag(
        "A system's translations: one sentence per line, or a table with text and sid. Repeatable.",
        metavar="[NAME=]FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return hyp, ref and encoding."""
        return super().arguments(shell) | {"hyp": systems(self.hyp)}


@dataclass(frozen=True, kw_only=True)
class Translation(Translations):
    """One translation and its references."""

    hyp: list[str] = flag(
        "A system's translations: one sentence per line, or a table with text and sid.",
        metavar="[NAME=]FILE",
    )


def systems(specs: Sequence[str]) -> dict[str, str] | list[Any]:
    """Return translations, ``[NAME=]FILE``, for functions that score them.

    They name those without a name, and the systems of a table.
    """
    from alignframe.formats.names import translator_name

    given = [split_name(spec, "system") for spec in specs]
    given = [(name or (translator_name(p) if "://" in p else None), p) for name, p in given]
    if all(name for name, _ in given):
        return named_paths(specs, "system", translator_name)
    return [{name: path} if name else Path(path) for name, path in given]


def save_segments(frame: pl.DataFrame, words: Words) -> Pieces:
    """Write the scores of sentences."""
    save_table(frame, words["segments"])
    yield (f"{number_of(frame.height, 'segment')} written to {words['segments']}")
