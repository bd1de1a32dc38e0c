"""Charts of word alignment quality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.charts.marks import frame_of, tooltips
from alignframe.charts.scatter import Plane
from alignframe.charts.theme import FAINT, by_system, dash, finish, shape
from alignframe.errors import InputError
from alignframe.links.gold import band_names
from alignframe.measures import alpha_name
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["error_by_length", "f_by_alpha", "precision_recall"]
__dir__ = listed(__all__)

_WIDTH = 400
_HEIGHT = 340
_WIDE = 1000
_PANELS = 3
"""Number of small charts per row."""

_SCORES = "the table of scores"


def precision_recall(scores: IntoFrame, alpha: float = 0.5) -> alt.LayerChart:
    """Precision against recall, one point per system, with curves of equal F.

    Parameters
    ----------
    scores
        A table of ``links.scores``; intervals are drawn as bars.
    alpha
        The α of the curves.
    """
    scores = frame_of(scores, ["system", "precision", "recall", "aer"], _SCORES)
    data = scores.drop_nulls(["precision", "recall"])
    names = sorted(scores["system"].unique().to_list())
    lowest = ["precision", "recall", "precision_low", "recall_low"]
    lows = data.select(name for name in lowest if name in data.columns).to_numpy()
    low = max(0.0, np.floor((np.nanmin(lows) - 0.04) * 20) / 20) if lows.size else 0.0
    titles = "Recall of Sure links", "Precision among Possible links"
    plane = Plane(("recall", "precision"), ([low, 1], [low, 1]), (_WIDTH, _HEIGHT), titles)
    x, y = plane.axes["x"], plane.axes["y"]
    curves = _iso_f(low, alpha)
    lines = (
        alt.Chart(curves)
        .mark_line(color=FAINT, strokeDash=[4, 3], strokeWidth=1, clip=True)
        .encode(x=x, y=y, detail=alt.Detail("level:N"))
    )
    ends = curves.group_by("level", maintain_order=True).agg(pl.all().sort_by("recall").last())
    labels = (
        alt.Chart(ends)
        .mark_text(align="right", dx=-3, dy=-6, color="#98a2ab", fontSize=10, clip=True)
        .encode(x=x, y=y, text=alt.Text("label:N"))
    )
    base = alt.Chart(data)
    colour = by_system(names)
    layers: list[Any] = [lines, labels]
    if "recall_low" in scores.columns:
        layers.append(
            base.mark_rule(opacity=0.5, clip=True).encode(
                x=alt.X("recall_low:Q"), x2=alt.X2("recall_high:Q"), y=y, color=colour
            )
        )
        layers.append(
            base.mark_rule(opacity=0.5, clip=True).encode(
                x=x, y=alt.Y("precision_low:Q"), y2=alt.Y2("precision_high:Q"), color=colour
            )
        )
    tips = tooltips("system:N", "precision:Q||.4f", "recall:Q||.4f", "aer:Q|AER|.4f")
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape(names), tooltip=tips
    )
    layers += plane.names(data, color=colour)[0]
    layers.append(points)
    return finish(
        alt.layer(*layers),
        "Precision and recall",
        f"dashed: equal F at α = {alpha:g}",
        width=_WIDTH,
        height=_HEIGHT,
    )


def _iso_f(low: float, alpha: float) -> pl.DataFrame:
    """Return points of the curves where F is 0.1, 0.2, ... (steps of 0.05 in a narrow chart)."""
    step = 0.1 if low < 0.5 else 0.05
    side = np.linspace(max(low, 0.01), 1, 60)
    rows = []
    for level in np.arange(step, 1, step):
        with np.errstate(divide="ignore", invalid="ignore"):
            # Each curve is sampled along both axes, so that steep parts reach the edges.
            recall = np.append(side, level * (1 - alpha) * side / (side - level * alpha))
            precision = np.append(level * alpha * side / (side - level * (1 - alpha)), side)
        label = f"{level:.2f}".removesuffix("0")
        for r, p in sorted(zip(recall.tolist(), precision.tolist(), strict=True)):
            if low <= p <= 1 and low <= r <= 1 and p > 0 and r > 0:
                rows.append({"level": float(level), "label": label, "recall": r, "precision": p})
    schema = {
        "level": pl.Float64,
        "label": pl.String,
        "recall": pl.Float64,
        "precision": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema)


def f_by_alpha(scores: IntoFrame, alphas: Sequence[float]) -> alt.LayerChart:
    """F of each system against α: the ranking depends on the weight of recall.

    Parameters
    ----------
    scores
        A table of ``links.scores`` with F at all of ``alphas``.
    """
    scores = frame_of(scores, ["system", *map(alpha_name, alphas)], _SCORES)
    names = sorted(scores["system"].unique().to_list())
    data = pl.concat(
        scores.select("system", pl.lit(alpha).alias("alpha"), f=pl.col(alpha_name(alpha)))
        for alpha in alphas
    ).drop_nulls()
    if not data.height:
        raise InputError("F of no system is defined", expected="gold with Sure links")
    hover = alt.selection_point(fields=["alpha"], nearest=True, on="pointerover", empty=False)
    base = alt.Chart(data).encode(
        x=alt.X(
            "alpha:Q", title="α  (0: recall only, 1: precision only)", scale=alt.Scale(nice=False)
        ),
        y=alt.Y("f:Q", title="F-measure", scale=alt.Scale(domain=_span(data["f"]), zero=False)),
        color=by_system(names),
    )
    picked = alt.selection_point(name="picked", fields=["system"], bind="legend")
    lines = base.mark_line(strokeWidth=2.2).encode(
        strokeDash=dash(names), opacity=alt.condition(picked, alt.value(1), alt.value(0.12))
    )
    points = base.mark_point(filled=True, size=60).encode(
        opacity=alt.condition(hover, alt.value(1), alt.value(0)),
        tooltip=tooltips("system:N", "alpha:Q|α", "f:Q|F|.4f"),
    )
    return finish(
        alt.layer(lines.add_params(picked), points.add_params(hover)),
        "F-measure against α",
        "left, recall counts; right, precision",
        width=_WIDTH,
        height=_HEIGHT,
    )


def _span(figures: pl.Series) -> list[float]:
    """Return the range of an axis, at least 0.05 wide, so that small differences look small."""
    low, high = float(figures.to_numpy().min()), float(figures.to_numpy().max())
    room = max(0.0, 0.05 - (high - low)) / 2 + 0.005
    return [max(0.0, low - room), min(1.0, high + room)]


def error_by_length(
    scores: IntoFrame,
    bands: Sequence[int],
    lengths: str = "mean words of both sides",
    order: Sequence[str] | None = None,
) -> alt.LayerChart:
    """AER by band of sentence length, one small chart per system with the others in the background.

    Parameters
    ----------
    scores
        A table of ``links.scores(..., by=["length"])``.
    bands
        The bands of that table.
    lengths
        The axis title of lengths.
    order
        The systems, first to last; by default by name.
    """
    scores = frame_of(scores, ["system", "length", "sentences", "aer"], _SCORES)
    names = sorted(scores["system"].unique().to_list())
    order = list(order or names)
    sizes = dict(scores.group_by("length").agg(pl.col("sentences").max()).iter_rows())
    labels = [name for name in band_names(bands) if name in sizes]
    data = scores.drop_nulls(["aer"])
    # Every panel needs all rows for its background.
    behind = data.select("length", "aer", other="system").join(
        pl.DataFrame({"system": order}), how="cross"
    )
    x = alt.X(
        "length:O", sort=labels, title=None, axis=alt.Axis(labelAngle=0, labelOverlap="greedy")
    )
    y = alt.Y("aer:Q", title="AER", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    colour = by_system(names, legend=False)
    tips = tooltips("system:N", "length:O", "sentences:Q", "aer:Q|AER|.4f")
    own = alt.Chart().transform_filter("isValid(datum.sentences)")
    layers: list[Any] = [
        alt.Chart()
        .transform_filter("!isValid(datum.sentences)")
        .mark_line(color=FAINT, strokeWidth=1)
        .encode(x=x, y=y, detail=alt.Detail("other:N"))
    ]
    if "aer_low" in scores.columns:
        tips.append(alt.Tooltip("aer_low:Q", title="from", format=".4f"))
        tips.append(alt.Tooltip("aer_high:Q", title="to", format=".4f"))
        layers.append(
            own.mark_rule(strokeWidth=2, opacity=0.55).encode(
                x=x, y=alt.Y("aer_low:Q", title="AER"), y2=alt.Y2("aer_high:Q"), color=colour
            )
        )
    layers.append(own.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour))
    layers.append(
        own.mark_point(filled=True, size=45, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips)
    )
    columns = min(_PANELS, len(order))
    kept = [name for name in ("aer_low", "aer_high") if name in data.columns]
    shown = data.select("system", "length", "aer", "sentences", *kept)
    panels = (
        alt.layer(*layers, data=pl.concat([shown, behind], how="diagonal"))
        .properties(width=(_WIDE - 60 * columns) // columns, height=130)
        .facet(
            alt.Facet(
                "system:N",
                title=None,
                sort=order,
                header=alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start"),
            ),
            columns=columns,
            spacing=18,
        )
        .resolve_axis(x="independent", y="independent")
    )
    numbers = ", ".join(f"{sizes[name]:,} of {name}" for name in labels)
    title = alt.Title(
        "Error by sentence length", subtitle=f"{lengths}; sentences: {numbers}; grey: the others"
    )
    return finish(panels, title)
