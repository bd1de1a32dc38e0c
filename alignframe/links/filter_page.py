"""The page of links that were kept by their probabilities."""

from __future__ import annotations

from alignframe.links import charts
from alignframe.links.filtering import Filtered, said
from alignframe.pages.page import Figure, Page
from alignframe.pages.tables import score_table


def filter_page(found: Filtered, *, title: str = "Links kept by their probabilities") -> Page:
    """Build the page: what is kept and what to expect of it, here and from other thresholds.

    Parameters
    ----------
    found
        The result of ``alignframe.links.filter``.
    title
        Title of the page.
    """
    heads = {"system": "System", "links": "Links", "kept": "Kept", "threshold": "Threshold"}
    heads |= {name: f"Expected {name}" for name in ("precision", "recall")}
    return Page(
        title=title,
        lead=" ".join(map(said, found.systems.rows(named=True))),
        table=score_table(found.systems, heads),
        figures=[
            Figure(
                "expected",
                charts.expected_over_threshold(found.curve, found.systems),
                "The mean probability of the links kept, and their share of the right links to "
                "expect among all; the dashed rule is the threshold.",
                wide=True,
            )
        ],
        notes=[
            "Expected precision and recall hold as far as probabilities are calibrated, which "
            "align --page --gold shows."
        ],
        signature=found.signature,
    )
