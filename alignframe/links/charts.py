"""Charts of word alignment quality."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl

from alignframe.core.figures import alpha_name
from alignframe.core.lazy import listed
from alignframe.links.gold import band_names
from alignframe.pages.forms import (
    across,
    at_ends,
    end_room,
    frame_of,
    lines,
    mark,
    not_empty,
    panel,
    share,
    tips,
    up,
)
from alignframe.pages.plane import Plane
from alignframe.pages.theme import FAINT, SOFT, Look, finish, looks
from alignframe.typing import IntoFrame

__all__ = ["error_by_length", "f_by_alpha", "precision_recall"]
__dir__ = listed(__all__)

_WIDTH = 400
_HEIGHT = 340
_PANELS = 3
"""Number of small charts per row."""

_SCORES = "the table of scores"


def precision_recall(scores: IntoFrame, alpha: float = 0.5) -> alt.LayerChart:
    """Precision against recall, one point per system, with curves of equal F.

    Parameters
    ----------
    scores
        A table of ``links.score``; intervals are drawn as bars.
    alpha
        The α of the curves.
    """
    scores = frame_of(scores, ["system", "precision", "recall", "aer"], _SCORES)
    data = scores.drop_nulls(["precision", "recall"])
    look = looks("system", sorted(scores["system"].unique()), room=60)
    lowest = ["precision", "recall", "precision_low", "recall_low"]
    lows = data.select(name for name in lowest if name in data.columns).to_numpy()
    low = max(0.0, np.floor((np.nanmin(lows) - 0.04) * 20) / 20) if lows.size else 0.0
    titles = "Recall of Sure links", "Precision among Possible links"
    plane = Plane(("recall", "precision"), ([low, 1], [low, 1]), (_WIDTH, _HEIGHT), titles)
    curves = _iso_f(low, alpha)
    ends = curves.group_by("level", maintain_order=True).agg(pl.all().sort_by("recall").last())
    dashed: Look = {"strokeDash": [4, 3], "strokeWidth": 1, "clip": True, **plane.axes}
    written: Look = {"align": "right", "dx": -3, "dy": -6, "fontSize": 10, "clip": True}
    layers = [
        mark("line", curves, color=FAINT, detail="level:N", **dashed),
        mark("text", ends, color=SOFT, text=alt.Text("label:N"), **written, **plane.axes),
    ]
    for at, name in (("x", "recall"), ("y", "precision")):
        if "recall_low" in scores.columns:
            axis = alt.X(f"{name}_low:Q") if at == "x" else alt.Y(f"{name}_low:Q")
            own = {**plane.axes, at: axis, f"{at}2": f"{name}_high:Q", "color": look["color"]}
            layers.append(mark("rule", data, opacity=0.5, clip=True, **own))
    layers += plane.names(data, color=look["color"])[0]
    look.pop("strokeDash")
    tooltip = tips(data, "system", "precision", "recall", "aer|AER")
    layers.append(mark("point", data, size=90, tooltip=tooltip, **look, **plane.axes))
    size = {"width": _WIDTH, "height": _HEIGHT}
    return finish(layers, "Precision and recall", f"dashed: equal F at α = {alpha:g}", **size)


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
    schema = {"level": pl.Float64, "label": pl.String}
    return pl.DataFrame(rows, {**schema, "recall": pl.Float64, "precision": pl.Float64})


def f_by_alpha(scores: IntoFrame, alphas: Sequence[float]) -> alt.LayerChart:
    """F of each system against α: the ranking depends on the weight of recall.

    Parameters
    ----------
    scores
        A table of ``links.score`` with F at all of ``alphas``.
    """
    scores = frame_of(scores, ["system", *map(alpha_name, alphas)], _SCORES)
    names = sorted(scores["system"].unique().to_list())
    data = pl.concat(
        scores.select("system", pl.lit(alpha).alias("alpha"), f=pl.col(alpha_name(alpha)))
        for alpha in alphas
    ).drop_nulls()
    domain = _span(not_empty(data, "F of no system is defined", "gold with Sure links")["f"])
    last = data.filter(pl.col("alpha") == max(alphas))
    room = end_room(last, names, "system", "f", domain, _HEIGHT)
    look = looks("system", names, legend=not room, room=60, symbolType="stroke")
    x = across("alpha", "α  (0: recall only, 1: precision only)", nice=False)
    y = up("f", "F-measure", domain)
    hover = alt.selection_point(fields=["alpha"], nearest=True, on="pointerover", empty=False)
    drawn, points = lines(data, x, y, look, tips(data, "system", "alpha|α|~g", "f|F"), bare=True)
    if room:
        ends = [at_ends(last, x, y, look, "system")]
    else:
        every: Look = {"options": [None, *names], "labels": ["all", *names]}
        chosen = alt.binding_select(name="Highlight ", **every)
        picked = alt.selection_point(name="picked", fields=["system"], bind=chosen)
        faint = alt.condition(picked, alt.value(1), alt.value(0.12))
        ends, drawn = [], drawn.encode(opacity=faint).add_params(picked)
    near = points.encode(opacity=alt.condition(hover, alt.value(1), alt.value(0)))
    return finish(
        [drawn, near.add_params(hover), *ends],
        "F-measure against α",
        "left, recall counts; right, precision",
        width=_WIDTH - room,
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
        A table of scores of ``links.score(..., by=["length"])``.
    bands
        The bands of that table.
    lengths
        The axis title of lengths.
    order
        The systems, first to last; by default by name.
    """
    scores = frame_of(scores, ["system", "length", "sentences", "aer"], _SCORES)
    names = list(order or sorted(scores["system"].unique()))
    sizes = dict(scores.group_by("length").agg(pl.col("sentences").max()).iter_rows())
    labels = [name for name in band_names(bands) if name in sizes]
    data = scores.drop_nulls(["aer"])
    x = across("length:O", sort=labels, labelAngle=0, labelOverlap="greedy")
    y = up("aer", "AER", zero=True, tickCount=5)
    ends = ("aer_low", "aer_high") if "aer_low" in scores.columns else None
    shown = ["aer_low|from", "aer_high|to"] if ends else []
    tooltip = tips(data, "system", "length", "sentences", "aer|AER", *shown)
    look = looks("system", sorted(names), legend=False)
    others = data.select("length", "aer", other="system")
    layers = [
        mark("line", others, color=FAINT, strokeWidth=1, x=x, y=y, detail="other:N"),
        *lines(None, x, y, look, tooltip, ends=ends),
    ]
    columns = min(_PANELS, len(names))
    chart = panel(layers, share(columns, 60, 75), 130)
    chart.data = data.select("system", "length", "aer", "sentences", *(ends or ()))
    head = alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start")
    facet = alt.Facet("system:N", title=None, sort=names, header=head)
    chart = chart.facet(facet, columns=columns, spacing=18)
    numbers = ", ".join(f"{sizes[name]:,} of {name}" for name in labels)
    said = f"{lengths}; sentences: {numbers}" + "; grey: the others" * (len(names) > 1)
    chart = chart.resolve_axis(x="independent", y="independent")
    return finish(chart, "Error by sentence length", said)
