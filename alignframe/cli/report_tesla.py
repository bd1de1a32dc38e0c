"""What ``alignframe report tesla`` is given, and the page made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli import given as g
from alignframe.cli.tesla_metric import HypOption, MetricOptions, RefOption, systems_of

if TYPE_CHECKING:
    from alignframe.cli.tesla_given import AnalysisOptions
    from alignframe.report.page import Page


@dataclass(frozen=True)
class TeslaGiven:
    """Translations, references and rankings; the fields are options."""

    ref: RefOption
    hyp: HypOption
    rankings: Annotated[
        str | None,
        typer.Option(
            "--rankings",
            metavar="FILE",
            help="Human rankings to hold the scores against: WMT's .csv, or ranking, sid, system, "
            "rank (.csv, .jsonl, .parquet).",
        ),
    ] = None
    pair: Annotated[
        str | None,
        typer.Option("--pair", help="Language pair of the rankings, such as fr-en."),
    ] = None
    segments: Annotated[
        str | None,
        typer.Option("--segments", help="Show these, counted from 0, such as 3,17."),
    ] = None
    similarity: Annotated[
        str,
        typer.Option(
            "--similarity",
            help="Of the matchings shown: ms (lemmas and synonyms), lem (lemmas) or pos (tags).",
        ),
    ] = "ms"
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals; 0 for none.")
    ] = 1_000
    sids: g.SidsOption = None
    where: g.WhereOption = None
    confidence: g.ConfidenceOption = 0.95
    seed: g.SeedOption = 1
    encoding: g.EncodingOption = "utf-8"

    def page(self, analysis: AnalysisOptions, metric: MetricOptions, title: str | None) -> Page:
        """Score the translations, and return the page."""
        chosen = None
        if self.segments is not None:
            chosen = [number for _, number in g.numbers(self.segments, "--segments", int)]
        systems = systems_of(self.hyp, self.ref[0])
        rankings = self._rankings(set(systems))
        from alignframe.cli.progress import ticking
        from alignframe.report.tesla import tesla_report

        return tesla_report(
            systems,
            self.ref,
            rankings=rankings,
            segments=chosen,
            similarity=self.similarity,
            analysis=analysis.analysis(),
            bootstrap=self.bootstrap,
            confidence=self.confidence,
            seed=self.seed,
            encoding=self.encoding,
            sids=self.sids,
            where=self.where,
            title=title,
            track=lambda names: ticking(names, "Scoring", lambda _: 1, "systems"),
            **metric.given(),
        )

    def _rankings(self, systems: set[str]) -> Any:
        """Return the rankings of the pair, if there are any."""
        if self.rankings is None:
            return None
        from alignframe.cli.tesla_meta import read_of_pair

        return read_of_pair(self.rankings, self.pair, systems)
