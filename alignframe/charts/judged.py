"""Alignment measures against translation scores, in small panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.charts.marks import around, frame_of, panel_title
from alignframe.charts.scatter import Plane
from alignframe.charts.theme import COLOURS, finish, legend_above, looks
from alignframe.errors import InputError
from alignframe.measures import alpha_name
from alignframe.public import listed
from alignframe.stats.conclusion import ANNOTATION_WORDS
from alignframe.stats.external import external_table, match_scores
from alignframe.stats.pearson import correlation, least_squares
from alignframe.typing import IntoFrame, IntoScores

__all__ = ["measures_against_scores"]
__dir__ = listed(__all__)

_SIZE = 156, 135
_GAP = 14


def measures_against_scores(
    values: IntoFrame,
    scores: Mapping[str, IntoScores],
    *,
    annotation: str = "sure-possible",
    alphas: Mapping[str, Sequence[float]] | None = None,
) -> alt.LayerChart:
    """Measures against several scores: one row per score, one panel per measure.

    Parameters
    ----------
    values
        A table of ``stats.measure_values``, with F at the α to show: 0 is recall, 1 precision.
    scores
        Scores of the systems by name, as for ``stats.correlate``.
    annotation
        Which gold links count.
    alphas
        The values of α for F; 0.5, 0 and 1 by default. 1 - AER comes first if the annotation has
        it.

    Raises
    ------
    InputError
        If there is no score, a system lacks one, or ``values`` lacks a measure.
    """
    columns = ["system", "measure", "annotation", "value"]
    table = frame_of(values, columns, "the table of measures").filter(annotation=annotation)
    if not scores:
        raise InputError("no scores", expected="one per system, by the name of the score")
    rows = []
    for name, given in scores.items():
        shown = (alphas or {}).get(name, (0.5, 0.0, 1.0))
        wanted = {alpha_name(one): _title(one) for one in shown}
        if annotation == "sure-possible":
            wanted = {"1-aer": "1 − AER", **wanted}
        external = external_table(given)
        panels = [
            _panel(table.filter(measure=measure), external, title, name if at == 0 else None)
            for at, (measure, title) in enumerate(wanted.items())
        ]
        rows.append(alt.concat(*panels, columns=len(panels), spacing=_GAP))
    words = ANNOTATION_WORDS.get(annotation, annotation)
    return finish(
        alt.vconcat(*rows, spacing=18),
        f"{' and '.join(scores) if len(scores) < 3 else 'Scores'} against measures, {words}",
        "below 0: the score falls where the measure rises",
    )


def _panel(rows: pl.DataFrame, external: pl.DataFrame, title: str, name: str | None) -> Any:
    """Return the points of one measure and their line; ``name`` is the axis title."""
    if not rows.height:
        raise InputError(f"no measure {title}", expected="F at every α that is shown")
    match_scores(rows["system"].to_list(), external)
    data = rows.drop_nulls("value").join(external, on="system").sort("system")
    data = data.select("system", "value", *external.columns[1:])
    x, y = data["value"].to_numpy(), data["score"].to_numpy()
    r = float(correlation(x, y)) if len(x) > 1 else float("nan")
    plane = Plane(("value", "score"), (around(x), around(y)), _SIZE, (None, name), (3, 5))
    axes = plane.axes
    if name is None:
        axes["y"] = axes["y"].axis(alt.Axis(labels=False, ticks=False, tickCount=5))
    points = alt.Chart(data).mark_point(filled=True, size=44, opacity=0.9)
    tips = ["system:N", alt.Tooltip("value:Q", title=title, format=".4f")]
    tips.append(alt.Tooltip("score:Q", format=".4~f"))
    if "group" in data.columns:
        groups = sorted(external["group"].unique().to_list())
        points = points.encode(**looks("group", groups, legend_above(groups, 60)))
    else:
        points = points.encode(color=alt.ColorValue(COLOURS[0]))
    layers = [points.encode(**axes, tooltip=tips)]
    if np.isnan(r):
        said = "no correlation"
    else:
        square = round(r * abs(r), 2) or 0.0  # no minus before a zero
        said = f"r² = {square:.2f}".replace("-", "−")
        layers.insert(0, plane.line(least_squares(x, y), plane.domains[0]).encode(**axes))
    panel = alt.layer(*layers)
    panel.width, panel.height = _SIZE
    panel.title = panel_title(title, said)
    return panel


def _title(alpha: float) -> str:
    """Return the name of F at an α."""
    return {0.0: "Recall", 1.0: "Precision"}.get(alpha, f"F(α = {alpha:g})")
