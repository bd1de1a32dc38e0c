"""Evaluating word alignments through phrase dictionaries (Carl & Fissaha 2003)."""

from alignframe.core.lazy import lazily
from alignframe.kernels.phrases.extraction import KINDS
from alignframe.phrases.dictionary import dictionary, write_dictionary
from alignframe.phrases.extract import extract
from alignframe.phrases.scoring import PhraseScores, score
from alignframe.phrases.study import Study, study
from alignframe.phrases.workspace import DICTIONARIES

__all__ = [
    "DICTIONARIES",
    "KINDS",
    "PhraseScores",
    "Study",
    "dictionary",
    "extract",
    "score",
    "study",
    "write_dictionary",
]


__getattr__, _ = lazily(__name__, {}, dict.fromkeys(("compare", "scores"), "phrases.scoring"))


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
