"""What charts are drawn of: scales, axes, tooltips and points that look alike in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

WIDE = 985
"""The width of a chart with its labels: that of a page's card."""

HALF = 446
"""The width of a chart with its labels, two of which stand side by side on a page."""

LETTER = 6.7
MOST_LABEL = 170


def around(values: Any, share: float = 0.1) -> list[float]:
    """Return the range of an axis, with room for points at its ends and their names."""
    figures = np.asarray(values, np.float64)
    figures = figures[np.isfinite(figures)]
    low, high = (float(figures.min()), float(figures.max())) if figures.size else (0.0, 1.0)
    room = share * (high - low) or 0.05 * abs(high) or 0.05
    return [low - room, high + room]


def exactly(domain: Sequence[float]) -> alt.Scale:
    """Return a scale with these ends."""
    return alt.Scale(domain=list(domain), nice=False, zero=False)


def label_room(names: Sequence[str]) -> int:
    """Return the pixels that names beside a chart take."""
    return round(min(MOST_LABEL, LETTER * max(map(len, names), default=0))) + 14
