"""How text is analysed: the options of every command that scores by TESLA."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli import heed_interrupts
from alignframe.cli.progress import counting

if TYPE_CHECKING:
    from alignframe.language import Analysis


@dataclass(frozen=True)
class AnalysisOptions:
    """How text is analysed."""

    language: str
    tokens: str
    tagger: str | None
    lemmas: str | None
    wordnet: Path | None
    synonyms: str | None
    content: str | None

    def analysis(self) -> Analysis:
        """Return the analysis that the options name."""
        from alignframe.language import Analysis

        made = Analysis.of(
            self.language,
            self.tokens,
            self.tagger,
            self.lemmas,
            self.wordnet,
            self.synonyms,
            self.content,
        )
        made.progress = counting("Tagging", "sentences")
        heed_interrupts()  # text may come from standard input
        return made
