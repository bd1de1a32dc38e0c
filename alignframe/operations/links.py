"""Commands of word alignments."""

from __future__ import annotations

from functools import partial

from alignframe.choices import TEST_RESAMPLES
from alignframe.operation import JSON, Group, Op, drawn
from alignframe.options import links

_op = partial(Op, areas=(links,))

LINKS = Group(
    "files",
    "sources:Given",
    (
        "gold hyp src tgt encoding gold_format gold_base hyp_format hyp_base hyp_order "
        "min_probability possible_as_sure sids where strict threads",
    ),
    links,
)

MEASURED = Group(
    "files",
    "correlate:Measured",
    (
        links.gold(""),
        links.hyp([]),
        "src tgt encoding gold_format gold_base hyp_format hyp_base hyp_order min_probability "
        "possible_as_sure sids where strict threads vary",
    ),
    links,
)

OPERATIONS = (
    _op(
        "links score",
        "links:score",
        "Score systems: precision, recall, AER and F at every alpha.",
        (LINKS, "nulls alpha=0.5 by bands worst", drawn(0), "output"),
    ),
    _op(
        "links counts",
        "links:counts",
        "Count the links of each sentence. Every score is a ratio of sums over this table.",
        (LINKS, "nulls by bands output"),
    ),
    _op(
        "links compare",
        "links:compare",
        "Compare systems with a baseline by the paired bootstrap. Sentences are resampled.",
        (LINKS, "nulls baseline alpha=0.5", drawn(TEST_RESAMPLES), "output"),
    ),
    _op(
        "links symmetrize",
        "links:symmetrize",
        "Combine the alignments of two directions into one.",
        ("forward reverse links_file method reverse_is both_format to first_word system",),
        JSON,
    ),
    _op(
        "links vary",
        "vary:vary",
        "Make alignments of varying quality, and score them. Any aligner can be used.",
        (
            "bitext_src bitext_tgt gold_src gold_tgt gold aligner folder extra_src extra_tgt "
            "fractions multiples symmetrizations alpha gold_apart gold_format gold_base encoding "
            "jobs dry_run",
        ),
    ),
    _op(
        "links correlate",
        "correlate:correlate",
        "Correlate measures of systems with an external score. The score may be BLEU, for example.",
        (MEASURED, "external alpha by_group", drawn(), "lower_is_better output"),
    ),
)
