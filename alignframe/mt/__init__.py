"""Phrase-based translation, and BLEU and chrF of translations from additive counts.

``translate`` translates with a phrase table and a language model. ``train`` builds a phrase table
from a word-aligned text, ``phrase_table`` and ``write_phrase_table`` read and write one, and
``probabilities`` computes its probabilities. ``tune`` tunes feature weights on a development set,
``mert`` on an n-best list. ``study`` evaluates word alignments by the translation systems built
from them, and ``read_study`` reads a saved study.

``score`` scores systems, optionally by group; its result also has the counts behind all scores, the
scores of every sentence, differences from a baseline, and a page.
"""

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.mt.decoding import translate, write_n_best
    from alignframe.mt.judged import MtStudy, read_study
    from alignframe.mt.judging import study
    from alignframe.mt.measures import METRICS, Options
    from alignframe.mt.minimum_error import mert
    from alignframe.mt.n_best import read_n_best
    from alignframe.mt.phrase_tables import phrase_table, write_phrase_table
    from alignframe.mt.scoring import TranslationScores, score
    from alignframe.mt.table import probabilities, train
    from alignframe.mt.tuning import tune
    from alignframe.mt.weights import FEATURES, REORDERING, write_weights

__all__ = [
    "FEATURES",
    "METRICS",
    "REORDERING",
    "MtStudy",
    "Options",
    "TranslationScores",
    "mert",
    "phrase_table",
    "probabilities",
    "read_n_best",
    "read_study",
    "score",
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
    dict.fromkeys(("TranslationScores", "score"), "mt.scoring")
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
    dict.fromkeys(("compare", "counts", "evaluate", "scores", "segments"), "mt.scoring"),
)
