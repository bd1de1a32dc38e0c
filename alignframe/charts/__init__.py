"""Altair charts, one function per figure. Charts hold aggregates, never the links of a corpus.

>>> from alignframe import charts, links
>>> home = "datasets/en-fr"
>>> scores = links.score({"eager": f"{home}/eager.talp"}, f"{home}/gold.talp").scores
>>> charts.links.precision_recall(scores).save("eager.html")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.aligners import charts as aligners
    from alignframe.beads import charts as beads
    from alignframe.beads import dot_charts as beads_dots
    from alignframe.lexicon import charts as lexicon
    from alignframe.links import (
        charts as links,
    )
    from alignframe.links import (
        correlation_charts as correlation,
    )
    from alignframe.links import (
        vary_charts as vary,
    )
    from alignframe.phrases import charts as phrases
    from alignframe.tesla import (
        charts as tesla,
    )
    from alignframe.tesla import (
        feature_charts as tesla_features,
    )
    from alignframe.tesla import (
        matching_charts as tesla_matching,
    )

__all__ = [
    "aligners",
    "beads",
    "beads_dots",
    "correlation",
    "lexicon",
    "links",
    "phrases",
    "tesla",
    "tesla_features",
    "tesla_matching",
    "vary",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "aligners": "aligners.charts:",
        "beads": "beads.charts:",
        "beads_dots": "beads.dot_charts:",
        "correlation": "links.correlation_charts:",
        "lexicon": "lexicon.charts:",
        "links": "links.charts:",
        "phrases": "phrases.charts:",
        "tesla": "tesla.charts:",
        "tesla_features": "tesla.feature_charts:",
        "tesla_matching": "tesla.matching_charts:",
        "vary": "links.vary_charts:",
    },
)
