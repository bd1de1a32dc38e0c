"""Reports: self-contained HTML pages of tables and charts."""

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.report.beads import beads_page
    from alignframe.report.lake import lake_report
    from alignframe.report.lexicon import lexicon_report
    from alignframe.report.phrases import phrases_report
    from alignframe.report.results import page_of
    from alignframe.report.tesla import tesla_page

__all__ = [
    "beads_page",
    "lake_report",
    "lexicon_report",
    "page_of",
    "phrases_report",
    "tesla_page",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "beads_page": "report.beads",
        "lake_report": "report.lake",
        "lexicon_report": "report.lexicon",
        "page_of": "report.results",
        "phrases_report": "report.phrases",
        "tesla_page": "report.tesla",
    },
)
