"""Scoring and symmetrizing word alignments (Fraser & Marcu 2007; Och & Ney 2003)."""

from alignframe.core.symmetrization import METHODS
from alignframe.links.correlation import correlate
from alignframe.links.null_links import add_null_links
from alignframe.links.reading import read, subset
from alignframe.links.runs import plan_runs
from alignframe.links.scores import compare, counts, evaluate, scores
from alignframe.links.studied import Studied, read_study
from alignframe.links.symmetrize import symmetrize
from alignframe.links.vary import QualityStudy
from alignframe.links.worst import worst_sentences

__all__ = [
    "METHODS",
    "QualityStudy",
    "Studied",
    "add_null_links",
    "compare",
    "correlate",
    "counts",
    "evaluate",
    "plan_runs",
    "read",
    "read_study",
    "scores",
    "subset",
    "symmetrize",
    "worst_sentences",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
