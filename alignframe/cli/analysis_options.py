"""Options of text analysis, shared by all commands that score by TESLA."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli import heed_interrupts
from alignframe.cli.tesla_metric import show_tagging

if TYPE_CHECKING:
    from alignframe.language import Analysis


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of text analysis."""

    language: str
    tokens: str
    tagger: str | None
    lemmas: str | None
    wordnet: Path | None
    synonyms: str | None
    content: str | None

    def analysis(self, metric: str = "m", model: Path | None = None) -> Analysis:
        """Return the analysis set by the options, as needed by a metric with this model."""
        from alignframe.tesla.scorer import analysis_for

        show_tagging()
        made = analysis_for(metric, model, **asdict(self))
        heed_interrupts()  # text may be read from standard input
        return made
