"""Inducing and evaluating N-best translation lexicons (Melamed 1995)."""

from alignframe.core.lazy import lazily
from alignframe.lexicon.changes import changes
from alignframe.lexicon.classes import TAG_SETS
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
from alignframe.lexicon.score import LexiconScores, hit_rates, score
from alignframe.lexicon.study import Study, study
from alignframe.lexicon.upper_bound import upper_bound

__all__ = [
    "TAG_SETS",
    "Alignment",
    "Cognate",
    "Filter",
    "LexiconScores",
    "PartOfSpeech",
    "Predicate",
    "Prefix",
    "Study",
    "WordList",
    "as_lexicon",
    "back_off",
    "candidates",
    "changes",
    "hit_rates",
    "induce",
    "lookup",
    "merge",
    "parse_cascade",
    "parse_filter",
    "score",
    "study",
    "upper_bound",
]


__getattr__, _ = lazily(__name__, {}, dict.fromkeys(("compare", "evaluate"), "lexicon.score"))


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
