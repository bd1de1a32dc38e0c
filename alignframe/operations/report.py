"""Commands that write pages."""

from __future__ import annotations

from functools import partial

from alignframe.operation import JSON, Group, Op, drawn
from alignframe.options import common, links, mt, report

_op = partial(Op, areas=(report, links))


def to_page(title: str | None) -> Group:
    """Return the options of a page; the default title names the measure."""
    titled = report.metric_title if title is None else common.title(title)
    return Group("to", "report:PageGiven", ("page", titled, "figures figure_format"), common)


OPERATIONS = (
    _op(
        "report beads",
        "report:beads",
        "Report sentence alignment. Either a study of aligners under noise, or an alignment "
        "with its texts side by side.",
        ("study study_src sentences_tgt study_gold beads_shown tuning encoding", to_page(None)),
        JSON,
    ),
    _op(
        "report filter",
        "report:line_filter",
        "Report how line-parallel text was filtered. Shows the worst lines kept and the best "
        "ones dropped.",
        ("filtered lines_shown", to_page("Lines kept and dropped")),
        JSON,
    ),
    _op(
        "report mt-study",
        "report:mt_study",
        "Report a study of word alignments judged by translation. Shows translation scores "
        "against measures of the alignments.",
        (
            mt.judged,
            "alpha",
            drawn(),
            to_page("Alignment quality and translation quality"),
        ),
        JSON,
    ),
)
