"""Translations scored by BLEU and chrF, as sacrebleu defines them, from counts that add up.

``scores`` scores systems, in groups if asked, ``compare`` tests their differences from a baseline,
``evaluate`` does both, for a page; ``segments`` scores every sentence, and ``counts`` gives the
table that all of these are made of.
"""

from typing import TYPE_CHECKING

from alignframe.public import lazily

if TYPE_CHECKING:
    from alignframe.mt.measures import METRICS, Options
    from alignframe.mt.scoring import compare, counts, evaluate, scores, segments

__all__ = ["METRICS", "Options", "compare", "counts", "evaluate", "scores", "segments"]

__getattr__, __dir__ = lazily(
    __name__,
    dict.fromkeys(("compare", "counts", "evaluate", "scores", "segments"), "mt.scoring")
    | dict.fromkeys(("METRICS", "Options"), "mt.measures"),
)
