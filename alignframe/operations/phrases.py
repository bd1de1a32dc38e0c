"""Commands of phrase dictionaries."""

from __future__ import annotations

from functools import partial

from alignframe.choices import TEST_RESAMPLES
from alignframe.operation import UNSIGNED, Op, drawn
from alignframe.operations.links import LINKS
from alignframe.options import links

_op = partial(Op, areas=(links,))


OPERATIONS = (
    _op(
        "phrases extract",
        "phrases:extract",
        "List the phrase pairs of every sentence as spans. Spans count from 0, and their ends "
        "are exclusive.",
        (
            "links kind max_phrase_of_kind src tgt with_words encoding links_format base order",
            "output",
        ),
        UNSIGNED,
    ),
    _op(
        "phrases dictionary",
        "phrases:dictionary",
        "Build the phrase dictionary of a system. The most frequent pairs come first.",
        (
            "links src tgt dictionary max_phrase encoding links_format base order memory_limit "
            "output",
        ),
        UNSIGNED,
    ),
    _op(
        "phrases score",
        "phrases:score",
        "Score systems' phrase dictionaries against gold's.",
        (
            LINKS,
            "dictionaries by_sentence max_phrase sure_only",
            drawn(0),
            "memory_limit output",
        ),
    ),
    _op(
        "phrases compare",
        "phrases:compare",
        "Compare phrase dictionaries with a baseline's. Sentences are resampled.",
        (
            LINKS,
            "baseline dictionaries max_phrase sure_only",
            drawn(TEST_RESAMPLES),
            "memory_limit output",
        ),
    ),
    _op(
        "phrases study",
        "phrases:study",
        "Study phrase dictionaries as in Carl & Fissaha 2003. Shows sizes, scores, sentence "
        "lengths, easy and hard entries.",
        (LINKS, "by_sentence max_phrase sure_only top memory_limit tables"),
    ),
)
