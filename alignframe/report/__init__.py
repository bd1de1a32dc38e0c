"""Reports: self-contained HTML pages of tables and charts."""

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.beads.page import beads_page
    from alignframe.lake.dashboard import lake_report
    from alignframe.lexicon.page import lexicon_page
    from alignframe.phrases.page import phrases_page
    from alignframe.report.results import page_of
    from alignframe.tesla.page import tesla_page

__all__ = [
    "beads_page",
    "lake_report",
    "lexicon_page",
    "page_of",
    "phrases_page",
    "tesla_page",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "beads_page": "beads.page",
        "lake_report": "lake.dashboard",
        "lexicon_page": "lexicon.page",
        "page_of": "report.results",
        "phrases_page": "phrases.page",
        "tesla_page": "tesla.page",
    },
)
