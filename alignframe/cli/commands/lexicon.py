"""Commands of lexicons."""

from __future__ import annotations

from alignframe.cli.command import Command, Way
from alignframe.cli.option import analysis, inputs, outputs
from alignframe.cli.scored import Scored
from alignframe.cli.showing import (
    TABLE_OUT,
    TABLES_OUT,
    Scores,
    Shown,
    json,
    paged,
    table_format,
)
from alignframe.cli.sources import KEPT
from alignframe.errors import FROM_1, SHARE

ENTRIES = Shown("lexicon:show_lexicon")
DUCKDB = ("memory_limit", "threads")
"""Limits of small queries, which are left out."""

limit = outputs("--limit", int, "Maximum number of rows shown in the terminal.", 200, bounds=FROM_1)

COMMANDS = (
    Command(
        "lexicon induce",
        "Induce the N best translations of every source word.",
        (Way("lexicon.induce:induce", ENTRIES),),
        ("lexicon:Training",),
        flags={"filters": {"flags": "--filter", "kind": list[str], "metavar": "FILTER"}},
    ),
    Command(
        "lexicon lookup",
        "Show the translations of words, in both directions. Several lexicons are shown side by "
        "side.",
        (
            Way(
                "lexicon.lookup:lookup",
                Shown(
                    "lexicon:show_entries",
                    (limit(10), json, table_format),
                ),
            ),
        ),
        ("lexicon:Compared",),
        flags={"words": {"flags": "WORD", "metavar": "WORD", "panel": None, "kind": list[str]}},
    ),
    Command(
        "lexicon score",
        "Score lexicons on a test text. Shows precision and percent correct at every depth "
        "(BIBLE).",
        (
            Way(
                "lexicon.score:score",
                Scored("BIBLE", "Hits of source words", "source word", tests="lexicon:tests"),
            ),
        ),
        ("lexicon:Compared", "lexicon:Text"),
        left_out=DUCKDB,
    ),
    Command(
        "lexicon merge",
        "Combine lexicons. Each word is translated by the first one that has it; with --mrbd, a "
        "lexicon is merged with a dictionary.",
        (
            Way("lexicon.merge:back_off", ENTRIES),
            Way(
                "lexicon.merge:merge",
                ENTRIES,
                inputs(
                    "--mrbd", str, "A dictionary (word list) to merge with.", None, metavar="FILE"
                ),
                "words",
            ),
        ),
        ("lexicon:Lexicons",),
        left_out=DUCKDB,
    ),
    Command(
        "lexicon upper-bound",
        "Measure how well two translations of one text agree. This is an upper bound for lexicons.",
        (
            Way(
                "lexicon.upper_bound:upper_bound",
                Scores("Words that two translations have in common"),
            ),
        ),
        positional=("first", "second"),
        left_out=DUCKDB,
    ),
    Command(
        "lexicon study",
        "Study cascades of filters as in Melamed 1995. Shows results by size of the training "
        "text, with back-off.",
        (
            Way(
                "lexicon.study:study",
                paged(
                    Shown("lexicon:show_study", TABLES_OUT, "summary"),
                    analysis(
                        "--upper-bound",
                        float,
                        "Precision at which two human translators agree.",
                        None,
                        bounds=SHARE,
                    ),
                ),
            ),
        ),
        ("lexicon:Cascades",),
        flags={"folder": KEPT},
    ),
    Command(
        "lexicon changes",
        "List words whose best translation differs between lexicons. All are compared with the "
        "first.",
        (
            Way(
                "lexicon.changes:changes",
                Shown("lexicon:show_changes", (limit(40), *TABLE_OUT)),
            ),
        ),
        ("lexicon:Compared", "lexicon:AnyText"),
        left_out=DUCKDB,
    ),
)
