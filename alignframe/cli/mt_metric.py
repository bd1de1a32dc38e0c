"""The metric to tune for: options of ``mt mert`` and ``mt tune``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.tesla_metric import TeslaOptions
from alignframe.errors import InputError


@dataclass(frozen=True)
class TunedFor:
    """The fields are options; those from ``pivot`` on are for TESLA."""

    metric: str
    tokenize: str
    lowercase: bool
    pivot: list[str] | None
    metric_lm: list[str] | None
    model: Path | None
    references_combined: str
    recall_weight: float
    empty_order: str
    function_weight: float

    def given(self, analysis: AnalysisOptions) -> dict[str, Any]:
        """Return the arguments of ``mt.tune`` and ``mt.mert``."""
        of_tesla = self.metric.startswith("tesla-")
        for name, wrong in (
            ("--pivot", self.pivot and not of_tesla),
            ("--metric-lm", self.metric_lm and not of_tesla),
            ("--model", self.model and not of_tesla),
            ("--lowercase", self.lowercase and of_tesla),
            (f"--tokenize {self.tokenize}", self.tokenize != "none" and of_tesla),
        ):
            if wrong:
                raise InputError(
                    f"{name} with --metric {self.metric}, which does not use it",
                    expected="only options of that metric",
                )
        if not of_tesla:
            return {
                "metric": self.metric,
                "tokenize": self.tokenize,
                "lowercase": self.lowercase,
            }
        from alignframe.tesla import Scorer

        kind = self.metric.removeprefix("tesla-")
        tesla = TeslaOptions(
            pivot=self.pivot,
            lm=self.metric_lm,
            model=self.model,
            recall_weight=self.recall_weight,
            empty_order=self.empty_order,
            function_weight=self.function_weight,
        )
        return {
            "metric": Scorer(
                analysis.analysis(kind, self.model),
                kind,
                references_combined=self.references_combined,
                **tesla.given(),
            )
        }
