"""Trying an aligner with many parameter values on one noisy document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from alignframe.beads.align import aligned
from alignframe.beads.document import Document, document
from alignframe.beads.noise import Noisy
from alignframe.beads.study import scored
from alignframe.beads.translations import Known
from alignframe.core.schemas import SPANS
from alignframe.errors import InputError
from alignframe.options.beads import Options
from alignframe.studies.runner import Runner
from alignframe.typing import Progress, Threads

MAX_ROWS = 1_000_000
"""The approximate number of beads scored at a time."""

_KEEPS_NOTHING = Runner()


class Figures(NamedTuple):
    """Figures of a setting over pairs of sentences; null where there are none."""

    precision: float | None
    recall: float | None
    alignment_rate: float | None


@dataclass(frozen=True)
class Trial:
    """A noisy document, and the model of mre+."""

    model: Known | None
    text: Document
    gold: pl.DataFrame

    @classmethod
    def of(cls, words: str, model: Known | None, noisy: Noisy, name: str) -> Trial:
        """Return a trial of a document; raise an InputError if noise has left nothing to align."""
        if noisy.gold.height == 0 or min(len(noisy.src), len(noisy.tgt)) == 0:
            raise InputError(
                f"no sentence is left of {name} by {noisy.scenario}",
                expected="at least one on each side",
                todo="give more text, or a lower rate",
            )
        text = document(noisy.src, noisy.tgt, words, name)
        for side in (text.src, text.tgt):
            side.at, side.numbers  # noqa: B018  (worked out once, before threads share them)
        return cls(model, text, noisy.gold)

    def align(self, setting: Options) -> pl.DataFrame:
        """Return the beads of a setting as doc, the four span ends and score."""
        table = aligned(self.text, setting, self.model)
        return pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col("doc").cast(pl.String))

    def figures(
        self,
        settings: Sequence[Options],
        threads: Threads = None,
        progress: Progress | None = None,
        runner: Runner = _KEEPS_NOTHING,
    ) -> dict[Options, Figures]:
        """Return the figures of settings, in order."""
        # Settings that differ only in the threshold share one alignment, with the lowest: beads are
        # taken greedily by probability, so a higher threshold just gives a subset.
        groups: dict[Options, list[Options]] = {}
        for setting in settings:
            groups.setdefault(replace(setting, threshold=0.0), []).append(setting)
        lowest = [min(group, key=_threshold) for group in groups.values()]
        figures: dict[Options, Figures] = {}
        waiting: dict[Options, pl.DataFrame] = {}
        frames = runner.rows(
            self.align,
            {f"{self.text.name}: {setting.signature}": setting for setting in lowest},
            threads,
            progress,
        )
        for group, frame in zip(groups.values(), frames.values(), strict=True):
            waiting |= {
                setting: frame.filter(pl.col("score") > _threshold(setting)) for setting in group
            }
            if sum(map(len, waiting.values())) > MAX_ROWS:
                figures |= self._scored(waiting)
                waiting = {}
        figures |= self._scored(waiting)
        return {setting: figures[setting] for setting in settings}

    def _scored(self, beads: dict[Options, pl.DataFrame]) -> dict[Options, Figures]:
        if not beads:
            return {}
        systems = {str(number): frame for number, frame in enumerate(beads.values())}
        doc, sizes = self.text.name, (len(self.text.src), len(self.text.tgt))
        lengths = pl.DataFrame([(doc, *sizes)], ["doc", "n_src", "n_tgt"], orient="row")
        gold = self.gold.select(pl.lit(doc).alias("doc"), *SPANS)
        rows = scored(systems, gold, lengths).rows_by_key("system", named=True, unique=True)
        return {
            setting: Figures(row["pair_precision"], row["pair_recall"], row["alignment_rate"])
            for setting, row in zip(beads, (rows[system] for system in systems), strict=True)
        }


def _threshold(options: Options) -> float:
    return options.threshold or 0.0
