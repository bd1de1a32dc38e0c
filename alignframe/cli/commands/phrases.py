"""Commands of phrase dictionaries."""

from __future__ import annotations

from alignframe.cli.command import Command, Way
from alignframe.cli.scored import Scored
from alignframe.cli.showing import (
    TABLES_OUT,
    UNSIGNED,
    Shown,
    Table,
    paged,
)
from alignframe.cli.sources import KEPT

COMMANDS = (
    Command(
        "phrases extract",
        "List the phrase pairs of every sentence as spans. Spans count from 0, and their ends are "
        "exclusive.",
        (
            Way(
                "phrases.extract:phrase_batches", Shown("phrases:show_phrases", UNSIGNED, "phrases")
            ),
        ),
        ("phrases:Systems",),
        left_out=("threads",),
    ),
    Command(
        "phrases dictionary",
        "Build the phrase dictionary of a system. The most frequent pairs come first.",
        (
            Way(
                "phrases.dictionary:dictionary",
                Table("entries", "Phrase dictionary {name}", 40, UNSIGNED),
            ),
        ),
        ("phrases:Systems",),
        left_out=("threads",),
        flags={"name": {"flags": "--dictionary"}},
    ),
    Command(
        "phrases score",
        "Score systems' phrase dictionaries against gold's.",
        (
            Way(
                "phrases.scoring:score",
                Scored("Phrase dictionaries against gold", "Entries of sentences"),
            ),
        ),
        ("sources:Given",),
    ),
    Command(
        "phrases study",
        "Study phrase dictionaries as in Carl & Fissaha 2003. Shows sizes, scores, sentence "
        "lengths, easy and hard entries.",
        (Way("phrases:study", paged(Shown("phrases:show_study", TABLES_OUT, "scores"))),),
        ("sources:Given",),
        flags={"folder": KEPT},
    ),
)
