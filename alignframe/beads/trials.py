"""Trying an aligner with many parameter values on one noisy document."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from alignframe.beads.align import aligned
from alignframe.beads.document import Document, document
from alignframe.beads.noise import Noisy
from alignframe.beads.study import scored
from alignframe.beads.translations import Known
from alignframe.errors import InputError
from alignframe.executors import mapped
from alignframe.options.beads import Options
from alignframe.tables import SPANS
from alignframe.typing import Progress

MAX_ROWS = 1_000_000
"""The approximate number of beads scored at a time."""


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
                expected="some on each side",
                todo="give more text, or a lower rate",
            )
        text = document(noisy.src, noisy.tgt, words=words, name=name)
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
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> dict[Options, Figures]:
        """Return the figures of settings, in order.

        Settings that differ only in the threshold share one alignment, with the lowest: beads are
        taken greedily by probability, so a higher threshold just gives a subset.
        """
        groups: dict[Options, list[Options]] = {}
        for one in settings:
            groups.setdefault(replace(one, threshold=0.0), []).append(one)
        lowest = [min(group, key=_threshold) for group in groups.values()]
        beads = mapped(self.align, lowest, executor)
        found: dict[Options, Figures] = {}
        waiting: dict[Options, pl.DataFrame] = {}
        for done, (group, frame) in enumerate(zip(groups.values(), beads, strict=True), 1):
            waiting |= {one: frame.filter(pl.col("score") > _threshold(one)) for one in group}
            if done == len(groups) or sum(map(len, waiting.values())) > MAX_ROWS:
                found |= self._scored(waiting)
                waiting = {}
            if progress is not None:
                progress(done, len(groups))
        return {one: found[one] for one in settings}

    def _scored(self, beads: dict[Options, pl.DataFrame]) -> dict[Options, Figures]:
        doc = self.text.name
        gold = self.gold.select(SPANS)
        systems = {str(number): frame for number, frame in enumerate(beads.values())}
        rows = scored(
            systems,
            gold.with_columns(pl.lit(doc).alias("doc")),
            {doc: (len(self.text.src), len(self.text.tgt))},
        ).rows_by_key("system", named=True, unique=True)
        return {
            one: Figures(row["pair_precision"], row["pair_recall"], row["alignment_rate"])
            for one, row in zip(beads, (rows[system] for system in systems), strict=True)
        }


def _threshold(one: Options) -> float:
    return one.threshold or 0.0
