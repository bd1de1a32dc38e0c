"""Commands of phrase dictionaries."""

from __future__ import annotations

from functools import partial

from alignframe.cli.command import Command, Way
from alignframe.cli.showing import TABLES_OUT, Comparisons, Page, Scores, Shown, against, page
from alignframe.operation import UNSIGNED, Op
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
    Command(
        "phrases score",
        "Score systems' phrase dictionaries against gold's.",
        (
            Way("phrases:scores", Scores("Phrase dictionaries against gold")),
            Way("phrases:compare", Comparisons(), against),
        ),
        ("sources:Given",),
    ),
    Command(
        "phrases study",
        "Study phrase dictionaries as in Carl & Fissaha 2003. Shows sizes, scores, sentence "
        "lengths, easy and hard entries.",
        (
            Way("phrases:study", Shown("phrases:show_study", TABLES_OUT)),
            Way("report.phrases:study_page", Page(), page),
        ),
        ("sources:Given",),
    ),
)
