"""Scores, comparisons and standings of systems from counts, as ``lake scores`` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import polars as pl

from alignframe.core.choices import RESAMPLES, TEST_RESAMPLES
from alignframe.lake import results
from alignframe.options import checked
from alignframe.result import SignedResult
from alignframe.stats.bootstrap import Resampling, drawn_as
from alignframe.stats.differences import place_of
from alignframe.stats.measure import Measure, keys_of
from alignframe.stats.standings import standings
from alignframe.stats.task import Counted
from alignframe.typing import Confidence, FilePath, Rare, Resamples, Seed, Share


@dataclass(frozen=True, repr=False)
class LakeScores(SignedResult):
    """What the counts in a place tell of systems; each part is computed when it is asked for."""

    has_standings: ClassVar[bool] = True
    compares_groups: ClassVar[bool] = True

    out: FilePath
    by: Sequence[str]
    alpha: Sequence[float]
    measure: Measure | None
    unit: str | None
    bootstrap: int | None
    confidence: float
    seed: int

    @property
    def scores(self) -> pl.DataFrame:
        """The scores, one row per system and group; see ``lake.scores``."""
        return results.scores(
            self.out,
            by=self.by,
            alpha=self.alpha,
            measure=self.measure,
            unit=self.unit,
            bootstrap=self.bootstrap or 0,
            confidence=self.confidence,
            seed=self.seed,
        )

    @property
    def lower_is_better(self) -> set[str]:
        """The figures that are better if lower."""
        measure = self.measure or results.measure_of(self.out, self.alpha)
        return {*measure.lower_is_better}

    def compare(self, baseline: str) -> pl.DataFrame:
        """Compare every system with a baseline; see ``lake.compare``."""
        return results.compare(
            self.out,
            baseline=baseline,
            by=self.by,
            alpha=self.alpha,
            measure=self.measure,
            unit=self.unit,
            bootstrap=self._drawn(TEST_RESAMPLES).resamples,
            confidence=self.confidence,
            seed=self.seed,
        )

    def standings(self, baseline: str | None = None) -> pl.DataFrame:
        """Return the figures of each system as in a paper's table; see ``stats.standings``."""
        counted, unit = self._counted()
        drawn = replace(self._drawn(TEST_RESAMPLES if baseline else RESAMPLES), of=drawn_as(unit))
        if baseline is not None:
            place_of(baseline, counted.frame["system"].unique().sort().to_list())
        return standings(counted, unit, drawn, baseline)

    def _drawn(self, resamples: int) -> Resampling:
        given = resamples if self.bootstrap is None else self.bootstrap
        return Resampling(given, self.confidence, self.seed)

    def _counted(self) -> tuple[Counted, str]:
        if self.measure is None or not Path(self.out).is_file():
            even = self._drawn(RESAMPLES).resamples > 0
            return results.counts_of(self.out, self.alpha, self.measure, even=even)
        unit = self.unit or "sid"
        return Counted(self.measure.checked(self.out, ["system", unit]), self.measure), unit


@checked
def scored(
    out: FilePath,
    *,
    by: Sequence[str] | str = (),
    alpha: Sequence[Share] = (0.5,),
    measure: Measure | None = None,
    unit: Rare[str | None] = None,
    bootstrap: Resamples | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
) -> LakeScores:
    """Score systems from the counts that a job has written.

    Parameters
    ----------
    out, by, alpha, measure, unit
        See ``alignframe.lake.scores``.
    bootstrap
        Number of resamples for intervals and tests; by default none for scores, 10,000 for
        comparisons and tables of papers with a baseline, 1,000 for those without.
    confidence, seed
        See ``alignframe.links.score``.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> from alignframe.lake.scored import scored
    >>> for name in ("cautious", "eager"):
    ...     formats.write(formats.read(f"datasets/en-fr/{name}.talp"), f"{name}.parquet")
    >>> run = lake.score("*.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> scored("counts").standings().select("system", "best").rows()
    [('cautious', ['precision']), ('eager', ['recall', 'aer', 'f_0.5'])]
    """
    return LakeScores(out, keys_of(by), alpha, measure, unit, bootstrap, confidence, seed)
