"""Statistics over counts: resampling, intervals, significance and correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.core.figures import Formula, Ratio
    from alignframe.stats.correlation import correlate
    from alignframe.stats.evaluation import Evaluation, evaluate
    from alignframe.stats.measure import Measure
    from alignframe.stats.predictions import conclusion
    from alignframe.stats.values import measure_values

__all__ = [
    "Evaluation",
    "Formula",
    "Measure",
    "Ratio",
    "conclusion",
    "correlate",
    "evaluate",
    "measure_values",
]

__getattr__, __dir__ = lazily(
    __name__,
    dict.fromkeys(("Formula", "Ratio"), "core.figures")
    | dict.fromkeys(("Evaluation", "evaluate"), "stats.evaluation")
    | {
        "Measure": "stats.measure",
        "conclusion": "stats.predictions",
        "correlate": "stats.correlation",
        "measure_values": "stats.values",
    },
)
