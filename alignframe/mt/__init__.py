"""Translation by phrases, and translations scored by BLEU and chrF, from counts that add up.

``train`` makes a phrase table of a word-aligned text, ``phrase_table`` and ``write_phrase_table``
read and write it, and ``probabilities`` are a view of its counts.

``scores`` scores systems, in groups if asked, ``compare`` tests their differences from a baseline,
``evaluate`` does both, for a page; ``segments`` scores every sentence, and ``counts`` gives the
table that all of these are made of.
"""

from typing import TYPE_CHECKING

from alignframe.public import lazily

if TYPE_CHECKING:
    from alignframe.mt.measures import METRICS, Options
    from alignframe.mt.phrase_tables import phrase_table, write_phrase_table
    from alignframe.mt.scoring import compare, counts, evaluate, scores, segments
    from alignframe.mt.table import probabilities, train

__all__ = [
    "METRICS",
    "Options",
    "compare",
    "counts",
    "evaluate",
    "phrase_table",
    "probabilities",
    "scores",
    "segments",
    "train",
    "write_phrase_table",
]

__getattr__, __dir__ = lazily(
    __name__,
    dict.fromkeys(("compare", "counts", "evaluate", "scores", "segments"), "mt.scoring")
    | dict.fromkeys(("METRICS", "Options"), "mt.measures")
    | dict.fromkeys(("phrase_table", "write_phrase_table"), "mt.phrase_tables")
    | dict.fromkeys(("probabilities", "train"), "mt.table"),
)
