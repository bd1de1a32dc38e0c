"""Altair charts, one function per figure. Charts hold aggregates, never the links of a corpus.

>>> from alignframe import charts, links
>>> home = "datasets/en-fr"
>>> scores = links.scores({"eager": f"{home}/eager.talp"}, f"{home}/gold.talp")
>>> charts.links.precision_recall(scores).save("eager.html")
"""

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.charts import (
        aligners,
        beads,
        beads_dots,
        correlation,
        lexicon,
        links,
        phrases,
        tesla,
        tesla_features,
        tesla_matching,
        vary,
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

__getattr__, __dir__ = lazily(__name__, {name: f"charts.{name}" for name in __all__})
