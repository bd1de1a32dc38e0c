"""TESLA: evaluation of translations by linear programming (Dahlmeier, Liu & Ng 2011).

``score`` scores translations by TESLA-M, -B or -F, ``rescore`` from stored features, and a
``Stream`` one by one. ``match`` counts the overlap of two sentences' bags of n-grams, and
``explain`` shows which n-grams are matched. ``build_pivot_table`` makes the pivot table of TESLA-B
from a word-aligned bitext, and ``network`` shows a sentence's confusion network.
``estimate_language_model`` estimates language models, and ``train`` learns TESLA-F's weights from
human rankings, which ``read_rankings`` reads. ``meta`` evaluates any metric against them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily
from alignframe.tesla.averages import meta_average
from alignframe.tesla.explain import explain
from alignframe.tesla.meta import Meta, meta
from alignframe.tesla.rescore import rescore
from alignframe.tesla.score import score
from alignframe.tesla.scored import TeslaScores

if TYPE_CHECKING:
    from alignframe.language import Analysis, analyse
    from alignframe.tesla.bags import BagFeatures, f_measure, match, solve_matching
    from alignframe.tesla.confusion import network, pivot_ngrams
    from alignframe.tesla.estimate import estimate_language_model
    from alignframe.tesla.language_model import LanguageModelFeatures, read_language_model
    from alignframe.tesla.model import Model
    from alignframe.tesla.pivot_build import build_pivot_table
    from alignframe.tesla.pivot_table import PivotTable, read_pivot_table, write_pivot_table
    from alignframe.tesla.pivots import PivotFeatures
    from alignframe.tesla.rankings import read_rankings
    from alignframe.tesla.score_files import read_score_files
    from alignframe.tesla.scorer import Scorer
    from alignframe.tesla.stream import Stream
    from alignframe.tesla.tags import learn_tags
    from alignframe.tesla.training import train

# Functions named like their module are imported above, or else the module would shadow them.
_PLACES = {
    "estimate_language_model": "tesla.estimate",
    "learn_tags": "tesla.tags",
    "Analysis": "language",
    "BagFeatures": "tesla.bags",
    "LanguageModelFeatures": "tesla.language_model",
    "Model": "tesla.model",
    "PivotFeatures": "tesla.pivots",
    "PivotTable": "tesla.pivot_table",
    "Scorer": "tesla.scorer",
    "Stream": "tesla.stream",
    "analyse": "language",
    "build_pivot_table": "tesla.pivot_build",
    "f_measure": "tesla.bags",
    "match": "tesla.bags",
    "network": "tesla.confusion",
    "pivot_ngrams": "tesla.confusion",
    "read_language_model": "tesla.language_model",
    "read_pivot_table": "tesla.pivot_table",
    "read_rankings": "tesla.rankings",
    "read_score_files": "tesla.score_files",
    "solve_matching": "tesla.bags",
    "train": "tesla.training",
    "write_pivot_table": "tesla.pivot_table",
}

__all__ = [
    "Analysis",
    "BagFeatures",
    "LanguageModelFeatures",
    "Meta",
    "Model",
    "PivotFeatures",
    "PivotTable",
    "Scorer",
    "Stream",
    "TeslaScores",
    "analyse",
    "build_pivot_table",
    "estimate_language_model",
    "explain",
    "f_measure",
    "learn_tags",
    "match",
    "meta",
    "meta_average",
    "network",
    "pivot_ngrams",
    "read_language_model",
    "read_pivot_table",
    "read_rankings",
    "read_score_files",
    "rescore",
    "score",
    "solve_matching",
    "train",
    "write_pivot_table",
]


__getattr__, _ = lazily(__name__, _PLACES, dict.fromkeys(("compare", "scores"), "tesla.score"))


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
