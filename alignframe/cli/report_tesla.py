"""``alignframe report tesla``: its options and page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alignframe.cli.tesla_metric import MetricOptions, systems_of

if TYPE_CHECKING:
    from alignframe.cli.analysis_options import AnalysisOptions
    from alignframe.report.page import Page


@dataclass(frozen=True)
class TeslaGiven:
    """Translations, references and rankings; the fields are options."""

    ref: list[str]
    hyp: list[str]
    rankings: str | None
    pair: str | None
    segments: list[int] | None
    similarity: str
    by: list[str]
    bootstrap: int
    sids: str | None
    where: str | None
    confidence: float
    seed: int
    encoding: str

    def page(self, analysis: AnalysisOptions, metric: MetricOptions, title: str | None) -> Page:
        """Score the translations, and return the page."""
        how = analysis.analysis(metric.metric, metric.model)
        systems = systems_of(self.hyp, self.encoding, how)
        rankings = self._rankings({name for source in systems for name in source.systems()})
        from alignframe.cli.progress import counting
        from alignframe.report.tesla import tesla_report

        return tesla_report(
            systems,
            self.ref,
            rankings=rankings,
            segments=self.segments,
            similarity=self.similarity,
            by=self.by,
            analysis=how,
            bootstrap=self.bootstrap,
            confidence=self.confidence,
            seed=self.seed,
            encoding=self.encoding,
            sids=self.sids,
            where=self.where,
            title=title,
            progress=counting("Scoring", "systems"),
            **metric.given(),
        )

    def _rankings(self, systems: set[str]) -> Any:
        """Return the rankings of the language pair, if any."""
        if self.rankings is None:
            return None
        from alignframe.cli.tesla_meta import read_of_pair

        return read_of_pair(self.rankings, self.pair, systems)
