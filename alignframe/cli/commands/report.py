"""Commands that write pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.cli.command import Command, Way, flags_of
from alignframe.cli.report import Aligned
from alignframe.cli.showing import Page, page

_PAGE = Page(
    (
        replace(
            page,
            flags="-o --output",
            help="HTML page to write.",
            default=Path("report.html"),
            name="page",
        ),
    )
)

COMMANDS = (
    Command(
        "report beads",
        "Report sentence alignment. Either a study of aligners under noise, or an alignment "
        "with its texts side by side.",
        (
            Way("report.beads:beads_page", _PAGE),
            Way("report.bead_pairs:pairs_page", _PAGE, flags_of(Aligned)["src"]),
        ),
        ("report:Aligned",),
        left_out=("published", "published_tuning", "tables", "notes"),
        flags={"top": {"low": 1}},
    ),
    Command(
        "report filter",
        "Report how line-parallel text was filtered. Shows the worst lines kept and the best "
        "ones dropped.",
        (Way("report.line_filter:filter_page", _PAGE),),
        ("report:Filtered",),
        flags={"top": {"low": 1}},
    ),
    Command(
        "report mt-study",
        "Report a study of word alignments judged by translation. Shows translation scores "
        "against measures of the alignments.",
        (Way("report.mt_study:mt_study_page", _PAGE),),
        ("report:Judged",),
    ),
)
