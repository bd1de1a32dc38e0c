"""Translation by phrases, and translations scored by BLEU and chrF, from counts that add up.

``translate`` translates with a phrase table and a language model. ``train`` makes a phrase table of
a word-aligned text, ``phrase_table`` and ``write_phrase_table`` read and write it, and
``probabilities`` are a view of its counts. ``tune`` tunes the weights of the features on a
development set, ``mert`` on a list of candidates. ``study`` judges word alignments by the systems
made from them, and ``read_study`` reads what it left in a folder.

``scores`` scores systems, in groups if asked, ``compare`` tests their differences from a baseline,
``evaluate`` does both, for a page; ``segments`` scores every sentence, and ``counts`` gives the
table that all of these are made of.
"""

from typing import TYPE_CHECKING

from alignframe.public import lazily

if TYPE_CHECKING:
    from alignframe.mt.decoding import translate, write_n_best
    from alignframe.mt.judged import MtStudy, read_study
    from alignframe.mt.judging import study
    from alignframe.mt.measures import METRICS, Options
    from alignframe.mt.minimum_error import mert
    from alignframe.mt.n_best import read_n_best
    from alignframe.mt.phrase_tables import phrase_table, write_phrase_table
    from alignframe.mt.scoring import compare, counts, evaluate, scores, segments
    from alignframe.mt.table import probabilities, train
    from alignframe.mt.tuning import tune
    from alignframe.mt.weights import FEATURES, REORDERING, write_weights

__all__ = [
    "FEATURES",
    "METRICS",
    "REORDERING",
    "MtStudy",
    "Options",
    "compare",
    "counts",
    "evaluate",
    "mert",
    "phrase_table",
    "probabilities",
    "read_n_best",
    "read_study",
    "scores",
    "segments",
    "study",
    "train",
    "translate",
    "tune",
    "write_n_best",
    "write_phrase_table",
    "write_weights",
]

__getattr__, __dir__ = lazily(
    __name__,
    dict.fromkeys(("compare", "counts", "evaluate", "scores", "segments"), "mt.scoring")
    | dict.fromkeys(("METRICS", "Options"), "mt.measures")
    | dict.fromkeys(("phrase_table", "write_phrase_table"), "mt.phrase_tables")
    | dict.fromkeys(("MtStudy", "read_study"), "mt.judged")
    | dict.fromkeys(("probabilities", "train"), "mt.table")
    | dict.fromkeys(("translate", "write_n_best"), "mt.decoding")
    | {
        "mert": "mt.minimum_error",
        "read_n_best": "mt.n_best",
        "study": "mt.judging",
        "tune": "mt.tuning",
    }
    | dict.fromkeys(("FEATURES", "REORDERING", "write_weights"), "mt.weights"),
)
