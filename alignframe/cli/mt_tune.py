"""``alignframe mt mert`` and ``mt tune``: weights of features."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.mt_translate import Translating
from alignframe.cli.progress import spinner
from alignframe.cli.show import Pieces, Rows
from alignframe.cli.tesla_metric import named_models, named_pivots, show_tagging
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.mt.minimum_error import Mert
    from alignframe.mt.tuning import Tuned


@dataclass(frozen=True, kw_only=True)
class Goal(Input):
    """References, and resources of TESLA."""

    provides = ("ref", "pivots", "language_models")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pivots": ("pivot",),
        "language_models": ("metric_lm",),
    }

    ref: list[str] = flag("Reference, one sentence per line. Repeatable.", [], metavar="FILE")
    pivot: list[str] | None = flag(
        "A pivot table for tesla-b or tesla-f, as in tesla score. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )
    metric_lm: list[str] | None = flag(
        "A language model for the feature lm_NAME of tesla-f, as tesla score --lm. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return ref, and pivots and language_models if there are any."""
        if "ref" in shell.needed and not self.ref:
            raise InputError("no reference", expected="at least one --ref, of the development set")
        show_tagging()
        found: dict[str, Any] = {"ref": [Path(path) for path in self.ref] or None}
        if self.pivot:
            found["pivots"] = named_pivots(self.pivot)
        if self.metric_lm:
            found["language_models"] = named_models(self.metric_lm)
        return found


@dataclass(frozen=True, kw_only=True)
class Tuning(Translating):
    """Threads, the folder of rounds, and the weights to write."""

    provides = ("threads", "work", "progress")

    work: Path | None = flag(
        "Folder that keeps the rounds, from which interrupted tuning resumes; by default that of "
        "-o with .rounds appended, removed at the end.",
        None,
        panel="Output",
        metavar="FOLDER",
        writes="folder",
    )
    output: Path = flag(
        "Weights to write, as TOML.",
        panel="Output",
        flags="-o --output",
        metavar="FILE",
        writes="text",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return threads, work and progress."""
        work = self.work or self.output.with_name(f"{self.output.name}.rounds")
        return super().arguments(shell) | {"work": work, "progress": _say}


def _say(_: str, number: int, score: float) -> None:
    spinner().say(f"Tuning: round {number}, score {score:.2f}")


def show_mert(found: Mert, words: Words) -> Pieces:
    """Write weights, and show them."""
    from alignframe import mt

    note = f"{found.signature}\nscore: {found.score:.4f}, at the start {found.start_score:.4f}"
    mt.write_weights(found.to_weights(), words["output"], note)
    yield found
    title = f"Weights: score {found.score:.4f}, at the start {found.start_score:.4f}"
    yield Rows(found.weights, title, f"{found.signature}\nwritten to {words['output']}")


def show_tuned(found: Tuned, words: Words) -> Pieces:
    """Write weights, and show the rounds that found them."""
    from alignframe import mt

    output = words["output"]
    mt.write_weights(found.to_weights(), output, f"{found.signature}\nscore: {found.score:.4f}")
    if words["work"] is None:
        shutil.rmtree(output.with_name(f"{output.name}.rounds"))
    yield found
    shown = "round", "candidates", "pool_score", "score", "best_score", "length_ratio"
    caption = f"{found.signature}\nthe weights of the best score were written to {output}"
    yield Rows(found.rounds.select(shown), f"Tuning for {words['metric']}", caption)
