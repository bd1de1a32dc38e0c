"""Commands of word alignments."""

from __future__ import annotations

from functools import partial

from alignframe.cli.command import Command, Way
from alignframe.cli.showing import Comparisons, Page, Scores, Shown, Table, against, counts_of, page
from alignframe.operation import Group, Op
from alignframe.options import links

_op = partial(Op, areas=(links,))

LINKS = Group("files", "sources:Given")

OPERATIONS = (
    Command(
        "links score",
        "Score systems: precision, recall, AER and F at every alpha.",
        (
            Way("links.scores:scores", Scores("Alignment scores")),
            Way("links.scores:compare", Comparisons(), against),
            Way(
                "links.scores:signed_counts", Table("counts", "Link counts"), counts_of("sentence")
            ),
            Way(
                "links.worst:signed_worst",
                Table("worst", "Sentences with the most errors"),
                links.worst,
                "n",
            ),
            Way("report.links:links_report", Page(), page),
        ),
        ("sources:Nullable",),
    ),
    Command(
        "links symmetrize",
        "Combine the alignments of two directions into one.",
        (Way("links:symmetrize", Shown("links:write_links", ())),),
        ("links:Directions",),
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
    Command(
        "links correlate",
        "Correlate measures of systems with an external score. The score may be BLEU, for example.",
        (
            Way("stats.correlation:correlate", Shown("correlate:show_correlations")),
            Way("report.correlation:measures_report", Page(), page),
        ),
        ("correlate:Measured",),
    ),
)
