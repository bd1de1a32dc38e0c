"""Scoring and symmetrizing word alignments (Fraser & Marcu 2007; Och & Ney 2003)."""

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.core.symmetrization import METHODS
    from alignframe.links.correlation import correlate
    from alignframe.links.edits import EditedGold, apply_edits
    from alignframe.links.filtering import Filtered, filter  # noqa: A004 - called as links.filter
    from alignframe.links.null_links import add_null_links
    from alignframe.links.reading import read, subset
    from alignframe.links.retokenizing import retokenize
    from alignframe.links.runs import plan_runs
    from alignframe.links.sampling import choose, estimate
    from alignframe.links.scoring import LinkScores, score
    from alignframe.links.studied import Studied, read_study
    from alignframe.links.symmetrizing import symmetrize
    from alignframe.links.vary import QualityStudy

__all__ = [
    "METHODS",
    "EditedGold",
    "Filtered",
    "LinkScores",
    "QualityStudy",
    "Studied",
    "add_null_links",
    "apply_edits",
    "choose",
    "correlate",
    "estimate",
    "filter",
    "plan_runs",
    "read",
    "read_study",
    "retokenize",
    "score",
    "subset",
    "symmetrize",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "METHODS": "core.symmetrization",
        "QualityStudy": "links.vary",
        "add_null_links": "links.null_links",
        "correlate": "links.correlation",
        "plan_runs": "links.runs",
        "retokenize": "links.retokenizing",
        "symmetrize": "links.symmetrizing",
    }
    | dict.fromkeys(("choose", "estimate"), "links.sampling")
    | dict.fromkeys(("EditedGold", "apply_edits"), "links.edits")
    | dict.fromkeys(("Filtered", "filter"), "links.filtering")
    | dict.fromkeys(("LinkScores", "score"), "links.scoring")
    | dict.fromkeys(("Studied", "read_study"), "links.studied")
    | dict.fromkeys(("read", "subset"), "links.reading"),
    dict.fromkeys(("compare", "counts", "evaluate", "scores", "worst_sentences"), "links.scoring"),
)
