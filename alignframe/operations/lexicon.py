"""Commands of lexicons."""

from __future__ import annotations

from functools import partial

from alignframe.operation import UNSIGNED, Group, Op, drawn
from alignframe.options import lexicon

_op = partial(Op, areas=(lexicon,))

STUDY = Group(
    "given",
    "lexicon_study:StudyGiven",
    (
        "src test_src tgt test_tgt cascade tags mrbd sizes sets n_best count unsigned average "
        "confidence seed tagged tag_column encoding threads",
    ),
    lexicon,
)

OPERATIONS = (
    _op(
        "lexicon induce",
        "lexicon:induce",
        "Induce the N best translations of every source word.",
        (
            "src tgt n_best filters count unsigned min_both tagged tag_column encoding "
            "memory_limit threads output",
        ),
    ),
    _op(
        "lexicon lookup",
        "lexicon:lookup",
        "Show the translations of words, in both directions. Several lexicons are shown side by "
        "side.",
        ("words lexicons limit",),
        UNSIGNED,
    ),
    _op(
        "lexicon evaluate",
        "lexicon:evaluate",
        "Evaluate lexicons on a test text. Shows precision and percent correct at every depth "
        "(BIBLE).",
        (
            "lexicons src tgt k average by",
            drawn(0),
            "compare tagged tag_column encoding output",
        ),
    ),
    _op(
        "lexicon back-off",
        "lexicon:back_off",
        "Chain lexicons. Each word is translated by the first one that has it.",
        ("lexicons output",),
    ),
    _op(
        "lexicon upper-bound",
        "lexicon:upper_bound",
        "Measure how well two translations of one text agree. This is an upper bound for lexicons.",
        ("first second confidence encoding",),
    ),
    _op(
        "lexicon study",
        "lexicon_study:study",
        "Study cascades of filters as in Melamed 1995. Shows results by size of the training "
        "text, with back-off.",
        (STUDY, "tables"),
    ),
    _op(
        "lexicon merge",
        "lexicon_merge:merge",
        "Merge an induced lexicon with a dictionary. With --test-src, all three are evaluated "
        "(BIBLE).",
        (
            "lexicon dictionary ahead n_best_or_all judge_src test_tgt k",
            drawn(0),
            "encoding output",
        ),
    ),
    _op(
        "lexicon changes",
        "lexicon_merge:changes",
        "List words whose best translation differs between lexicons. All are compared with the "
        "first.",
        ("lexicons judge_src test_tgt most_words encoding output",),
    ),
)
