"""The measure of links: lakes score counts by it without the kernels that counting needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from alignframe.core.figures import MEASURED, alpha_name, link_figures
from alignframe.stats.measure import Measure


def links_measure(alphas: Sequence[float], *, possible_as_sure: bool = False) -> Measure:
    """Return precision, recall, AER and F at every α as a measure."""
    return _measure(tuple(alphas), possible_as_sure)


@lru_cache
def _measure(alphas: tuple[float, ...], possible_as_sure: bool) -> Measure:
    return Measure(
        "links",
        MEASURED,
        link_figures({alpha_name(alpha): alpha for alpha in alphas}),
        (
            "possible:as-sure" if possible_as_sure else "possible:includes-sure",
            "average:corpus",
            "missing:empty",
            "labels:gold-only",
        ),
        (
            ("n_hyp_possible", "n_hyp"),
            ("n_hyp_sure", "n_sure"),
            ("n_hyp_sure", "n_hyp_possible"),
        ),
    )
