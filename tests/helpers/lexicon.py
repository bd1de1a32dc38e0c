"""The functions of ``alignframe.lexicon``, with results as Arrow tables for comparison."""

from functools import wraps

from alignframe import lexicon
from alignframe.core.arrow import to_table


def _in_arrow(function):
    return wraps(function)(lambda *given, **options: to_table(function(*given, **options)))


as_lexicon = _in_arrow(lexicon.as_lexicon)
back_off = _in_arrow(lexicon.back_off)
candidates = _in_arrow(lexicon.candidates)
induce = _in_arrow(lexicon.induce)
merge = _in_arrow(lexicon.merge)


def __getattr__(name):
    return getattr(lexicon, name)
