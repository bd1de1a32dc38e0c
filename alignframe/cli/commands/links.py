"""Commands of word alignments."""

from __future__ import annotations

from alignframe.cli.command import Command, Way
from alignframe.cli.links import RUN
from alignframe.cli.option import analysis
from alignframe.cli.showing import Comparisons, Page, Scores, Shown, Table, against, counts_of, page
from alignframe.errors import FROM_1

worst = analysis(
    "--worst",
    int,
    "List this many sentences with the most errors of each system, with their wrong and missing "
    "links, instead of scores.",
    None,
    metavar="N",
    bounds=FROM_1,
)


COMMANDS = (
    Command(
        "links score",
        "Score systems: precision, recall, AER and F at every alpha.",
        (
            Way("links.scores:scores", Scores("Alignment scores")),
            Way("links.scores:evaluate", Page(), page, then="links.page:links_page"),
            Way("links.scores:compare", Comparisons(), against),
            Way("links.scores:counts", Table("counts", "Link counts"), counts_of("sentence")),
            Way(
                "links.worst:worst_sentences",
                Table("worst", "Sentences with the most errors"),
                worst,
                "n",
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
)
