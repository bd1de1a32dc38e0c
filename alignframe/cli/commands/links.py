"""Commands of word alignments."""

from __future__ import annotations

from alignframe.cli.command import Command, Way
from alignframe.cli.links import RUN
from alignframe.cli.links_filter import KEPT
from alignframe.cli.scored import Scored, ranks, worst
from alignframe.cli.showing import Page, Scores, Shown, page, paged

COMMANDS = (
    Command(
        "links score",
        "Score systems against gold: precision, recall, AER and F.",
        (
            Way(
                "links.scoring:score",
                Scored(
                    "Alignment scores",
                    "Link counts",
                    parts=(worst, ranks),
                    page_of="links.page:links_page",
                ),
            ),
        ),
        ("sources:Nullable",),
    ),
    Command(
        "links symmetrize",
        "Combine the alignments of two directions into one.",
        (Way("links:symmetrize", Shown("links:write_links", ())),),
        ("links:Directions",),
    ),
    Command(
        "links filter",
        "Keep links that are probable enough. Says what precision and recall to expect of them.",
        (Way("links.filtering:filter", paged(Shown("links_filter:show_filtered", KEPT))),),
        ("links_filter:Weighed",),
    ),
    Command(
        "links retokenize",
        "Carry links from words to subwords or characters, or back.",
        (Way("links.retokenizing:retokenized", Shown("retokenize:write_retokenized", ())),),
        ("retokenize:Retokenized",),
    ),
    Command(
        "links vary",
        "Make alignments of varying quality, and score them. Any aligner can be used.",
        (Way("links.vary:QualityStudy", Shown("links:show_study", RUN)),),
        ("links:Texts",),
    ),
    Command(
        "links correlate",
        "Correlate measures of systems with an external score. The score may be BLEU, for example.",
        (
            Way(
                "links.correlation:correlate",
                Shown("links:show_correlations", main="correlations"),
            ),
            Way("cli.links:correlated", Page(), page),
        ),
        ("links:Measured",),
        left_out=("subset",),
        flags={name: {"needs": "external"} for name in ("lower_is_better", "score_name")},
    ),
    Command(
        "links choose",
        "Choose the sentences to annotate, by where systems disagree.",
        (Way("links:choose", Shown("links:show_chosen", main="chosen")),),
        ("links:Systems",),
    ),
    Command(
        "links estimate",
        "Estimate AER of all sentences from chosen ones with gold.",
        (Way("links:estimate", Scores("Estimated from chosen sentences", "estimates")),),
        ("sources:Given",),
        positional=("chosen",),
    ),
)
