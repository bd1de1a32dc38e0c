"""Evaluating word alignments through phrase dictionaries (Carl & Fissaha 2003)."""

from alignframe.kernels.phrases.extraction import KINDS
from alignframe.phrases.dictionary import dictionary, write_dictionary
from alignframe.phrases.extract import extract
from alignframe.phrases.scores import compare, scores
from alignframe.phrases.study import Study, study
from alignframe.phrases.workspace import DICTIONARIES

__all__ = [
    "DICTIONARIES",
    "KINDS",
    "Study",
    "compare",
    "dictionary",
    "extract",
    "scores",
    "study",
    "write_dictionary",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
