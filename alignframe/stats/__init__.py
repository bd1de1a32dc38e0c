"""Statistics over counts: resampling, intervals, significance and correlation."""

from alignframe.core.figures import Formula, Ratio
from alignframe.stats.conclusion import conclusion
from alignframe.stats.correlation import correlate
from alignframe.stats.evaluation import Evaluation, evaluate
from alignframe.stats.measure import Measure
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


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
