"""Options of the commands that score by TESLA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Any, ClassVar

from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.progress import counting
from alignframe.cli.sources import named_paths


@dataclass(frozen=True, kw_only=True)
class Resources(Input):
    """Pivot tables and language models by name, threads, and progress."""

    provides = ("pivots", "language_models", "threads", "progress")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pivots": ("pivot",),
        "language_models": ("lm",),
    }

    pivot: list[str] | None = flag(
        "A pivot table for the features NAME_lem_1 and so on, which count in b, and in f if its "
        "model weights them; NAME is by default the table's own. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )
    lm: list[str] | None = flag(
        "A language model (ARPA, KenLM) for the feature lm_NAME, which counts in f if its model "
        "weights it; by default NAME is the file's name without suffixes and lm_. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )
    threads: int | None = flag(
        "Number of threads; all cores by default.", None, panel="Output", low=1
    )

    def arguments(self, _: Shell) -> dict[str, Any]:
        """Return pivots, language_models, threads and progress."""
        show_tagging()
        return {
            "pivots": named_pivots(self.pivot or []),
            "language_models": named_models(self.lm or []),
            "threads": self.threads or cpu_count() or 1,
            "progress": counting("Scoring", "systems"),
        }


def show_tagging() -> None:
    """Show the progress of taggers."""
    from alignframe.language.known import LISTENERS

    LISTENERS[:] = [counting("Tagging", "sentences")]


def named_pivots(specs: Sequence[str]) -> dict[str, str]:
    """Return pivot tables by name, by default the one stored in the file."""
    from alignframe.tesla.pivot_table import name_of

    return named_paths(specs, "pivot table", name_of)


def named_models(specs: Sequence[str]) -> dict[str, str]:
    """Return language models by name, by default the first part of the file's name."""

    def own(path: str) -> str:
        name = Path(path).name.split(".")[0]
        return name.removeprefix("lm_") or name

    return named_paths(specs, "language model", own)
