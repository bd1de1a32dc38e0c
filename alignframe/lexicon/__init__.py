"""Inducing and evaluating N-best translation lexicons (Melamed 1995)."""

from alignframe.lexicon.changes import changes
from alignframe.lexicon.classes import TAG_SETS
from alignframe.lexicon.compare import compare
from alignframe.lexicon.evaluate import evaluate, hit_rates
from alignframe.lexicon.filters import (
    Alignment,
    PartOfSpeech,
    Predicate,
    parse_cascade,
    parse_filter,
)
from alignframe.lexicon.induce import candidates, induce
from alignframe.lexicon.lookup import lookup
from alignframe.lexicon.merge import as_lexicon, back_off, merge
from alignframe.lexicon.oracles import Cognate, Filter, Prefix, WordList
from alignframe.lexicon.study import Study, study
from alignframe.lexicon.upper_bound import upper_bound

__all__ = [
    "TAG_SETS",
    "Alignment",
    "Cognate",
    "Filter",
    "PartOfSpeech",
    "Predicate",
    "Prefix",
    "Study",
    "WordList",
    "as_lexicon",
    "back_off",
    "candidates",
    "changes",
    "compare",
    "evaluate",
    "hit_rates",
    "induce",
    "lookup",
    "merge",
    "parse_cascade",
    "parse_filter",
    "study",
    "upper_bound",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
