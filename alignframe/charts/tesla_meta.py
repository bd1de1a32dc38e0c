"""Charts of metrics against human judgements, by system and by metric."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.charts.compared import figures_compared
from alignframe.charts.marks import WIDE, around, frame_of, panel_title, tooltips
from alignframe.charts.scatter import Plane
from alignframe.charts.theme import COLOURS, finish
from alignframe.errors import InputError
from alignframe.public import listed
from alignframe.stats.pearson import correlation, least_squares
from alignframe.typing import IntoFrame

__all__ = ["metric_against_human", "metrics_compared"]
__dir__ = listed(__all__)

_GAP = 26
_AXIS = 58
"""Width of axis figures and title beside a panel."""

_HEIGHT = 250
_LEAST, _MOST, _ALONE = 260, 420, 700
"""The width of a panel: minimum, maximum of several, and of a single one."""

_NAMED = 16
"""Number of systems named beside their points if there is room; tooltips name the rest."""


def metric_against_human(points: IntoFrame, human_name: str = "human score") -> alt.LayerChart:
    """Return human scores of systems against those of each metric: one panel per metric.

    Parameters
    ----------
    points
        One row per system and metric: metric, system, score (the metric's) and human. With a column
        pair, such as fr-en, one panel per metric and pair.
    human_name
        The name of the human score on the axis.

    Raises
    ------
    InputError
        If a column is missing, or no system has both scores.
    """
    data = frame_of(points, ["metric", "system", "score", "human"], "the table of metrics")
    data = data.drop_nulls(["score", "human"])
    if not data.height:
        raise InputError("no system with both scores", expected="at least one")
    keys = [name for name in ("pair", "metric") if name in data.columns]
    panels = [own for _, own in data.group_by(keys, maintain_order=True)]
    columns = 2 if len(panels) == 4 else min(len(panels), 3)
    most = _MOST if columns > 1 else _ALONE
    width = min(most, max(_LEAST, (WIDE - _GAP * (columns - 1)) // columns - _AXIS))
    charts = [
        _panel(own, " · ".join(map(str, own.select(keys).row(0))), width, human_name, at % columns)
        for at, own in enumerate(panels)
    ]
    title = alt.Title(
        "Metrics against human judgements, one point per system",
        subtitle="dashed: least-squares line; r: Pearson's, ρ: Spearman's correlation",
    )
    return finish(alt.concat(*charts, columns=columns, spacing=_GAP), title)


def metrics_compared(figures: IntoFrame) -> alt.LayerChart:
    """Return measures of metrics, such as Kendall's tau: one panel per measure, one row per metric.

    Parameters
    ----------
    figures
        One row per metric and measure: metric, measure and value; optionally low and high, the ends
        of its interval, and pair, the language pair, shown by colour if there are several.

    Raises
    ------
    InputError
        If a column is missing, or there is no value.
    """
    data = frame_of(figures, ["metric", "measure", "value"], "the table of metrics").drop_nulls(
        "value"
    )
    if not data.height:
        raise InputError("no measure of a metric", expected="at least one value")
    return figures_compared(data, "metric", "Metrics compared")


def correlations(own: pl.DataFrame) -> tuple[float, float]:
    """Return Pearson's and Spearman's correlation of score with human; NaN where undefined."""
    x, y = own["score"].to_numpy(), own["human"].to_numpy()
    if len(x) < 2:
        return float("nan"), float("nan")
    ranks = [np.asarray(own[name].rank().to_numpy(), np.float64) for name in ("score", "human")]
    return float(correlation(x, y)), float(correlation(*ranks))


def _panel(own: pl.DataFrame, name: str, width: int, human: str, column: int) -> Any:
    """Return the panel of a metric: points, names, and the least-squares line."""
    r, rho = correlations(own)
    x, y = own["score"].to_numpy(), own["human"].to_numpy()
    titles = "score", None if column else human
    plane = Plane(("score", "human"), (around(x), around(y)), (width, _HEIGHT), titles, (5, 6))
    layers: list[Any] = []
    line = None
    if np.isfinite(r):
        line = least_squares(x, y)
        layers.append(plane.line(line, plane.domains[0]))
    tips = [
        *tooltips("system:N", "score:Q||.4f"),
        alt.Tooltip("human:Q", title=human, format=".4~f"),
    ]
    layers.append(
        alt.Chart(own)
        .mark_point(filled=True, size=64, opacity=0.9, color=COLOURS[0])
        .encode(**plane.axes, tooltip=tips)
    )
    if own.height <= _NAMED:
        # Placed names fit, so they need not be truncated.
        whole: dict[str, Any] = {"fades": False, "halo": True, "limit": 0, "fontSize": 10.5}
        layers += plane.names(own, line=line, **whole)[0]
    shown = f"r = {r:.2f}, ρ = {rho:.2f}" if np.isfinite(r) else "no correlation"
    title = panel_title(name, shown.replace("-", "−"), offset=6)
    return alt.layer(*layers).properties(width=width, height=_HEIGHT, title=title)
