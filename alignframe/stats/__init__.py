"""Statistics over counts: resampling, intervals, significance and correlation."""

from alignframe.stats.conclusion import conclusion
from alignframe.stats.correlation import correlate
from alignframe.stats.measure import Formula, Measure, Ratio
from alignframe.stats.values import measure_values

__all__ = ["Formula", "Measure", "Ratio", "conclusion", "correlate", "measure_values"]


def __dir__() -> list[str]:
    """Return what is public."""
    return __all__
