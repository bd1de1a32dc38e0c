"""Charts of word alignment quality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.core.figures import alpha_name
from alignframe.core.lazy import listed
from alignframe.links.gold import band_names
from alignframe.pages.forms import (
    Layers,
    across,
    frame_of,
    heat,
    label_room,
    lines,
    mark,
    not_empty,
    panel,
    share,
    side_by_side,
    tips,
    up,
)
from alignframe.pages.plane import Plane
from alignframe.pages.ranked import (
    IS_CHOSEN,
    LIT,
    MANY,
    at_ends,
    close_rows,
    end_room,
    reader_chooses,
    spotlight,
)
from alignframe.pages.theme import FAINT, HALF, PALE, SOFT, Look, finish, looks
from alignframe.typing import IntoFrame

__all__ = ["error_by_length", "expected_over_threshold", "f_by_alpha", "precision_recall"]
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
    systems = sorted(scores["system"].unique())
    best = data.with_columns(pl.col("aer").rank("ordinal").alias("place"))["place"] == 1
    data = data.with_columns(best=best)
    lowest = ["precision", "recall", "precision_low", "recall_low"]
    lows = data.select(name for name in lowest if name in data.columns).to_numpy()
    low = max(0.0, np.floor((np.nanmin(lows) - 0.04) * 20) / 20) if lows.size else 0.0
    titles = "Recall of Sure links", "Precision among Possible links"
    plane = Plane(("recall", "precision"), ([low, 1], [low, 1]), (_WIDTH, _HEIGHT), titles)
    if len(systems) > MANY:
        look: Look = {"color": spotlight()}
        names = plane.names_of(data, LIT, color=look["color"])
    else:
        look = looks("system", systems, legend=False)
        names, lacking = plane.names(data, far=True, color=look["color"])
        if lacking:
            look = looks("system", systems, room=60)
    curves = _iso_f(low, alpha)
    ends = curves.group_by("level", maintain_order=True).agg(pl.all().sort_by("recall").last())
    dashed: Look = {"strokeDash": [4, 3], "strokeWidth": 1, "clip": True, **plane.axes}
    written: Look = {"align": "right", "dx": -3, "dy": -6, "fontSize": 10, "clip": True}
    layers = [
        mark("line", curves, color=FAINT, detail="level:N", **dashed),
        mark("text", ends, color=SOFT, text=alt.Text("label:N"), **written, **plane.axes),
    ]
    layers += names  # whose outlines are below the bars
    for at, name in (("x", "recall"), ("y", "precision")):
        if "recall_low" in scores.columns:
            axis = alt.X(f"{name}_low:Q") if at == "x" else alt.Y(f"{name}_low:Q")
            own = {**plane.axes, at: axis, f"{at}2": f"{name}_high:Q", "color": look["color"]}
            layers.append(mark("rule", data, opacity=0.5, clip=True, **own))
    look.pop("strokeDash", None)
    tooltip = tips(data, "system", "precision", "recall", "aer|AER")
    layers.append(mark("point", data, size=90, tooltip=tooltip, **look, **plane.axes))
    size: Look = {"width": _WIDTH, "height": _HEIGHT, "params": [reader_chooses()]}
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
    # Of many systems, those are named that have the highest F at some α.
    many = len(names) > MANY
    first = data.filter(pl.col("f") == pl.col("f").max().over("alpha"))["system"]
    data = data.with_columns(best=pl.col("system").is_in(first.implode()))
    last = data.filter(pl.col("alpha") == pl.col("alpha").max().over("system"))
    room = end_room(names)
    look = looks("system", names, legend=False)
    if many:
        look |= {"color": spotlight(), "strokeDash": alt.value([1, 0])}
    x = across("alpha", "α  (0: recall only, 1: precision only)", nice=False)
    y = up("f", "F-measure", domain)
    hover = alt.selection_point(fields=["alpha"], nearest=True, on="pointerover", empty=False)
    drawn, points = lines(
        data,
        x,
        y,
        look,
        tips(data, "system", "alpha|α|~g", "f|F"),
        bare=True,
        width=1 if many else 2,
    )
    near = points.encode(opacity=alt.condition(hover, alt.value(1), alt.value(0)))
    layers: Layers = [drawn, near.add_params(hover)]
    named = last
    if many:
        line = drawn.encode(detail="system:N")
        own = alt.condition(IS_CHOSEN, alt.Text("system:N"), alt.value(""))
        one: Look = {"x": x, "y": y, "color": look["color"], "text": own}
        named = last.filter("best")
        # Those in colour are drawn above those in grey.
        layers = [line, line.encode(strokeWidth=alt.value(2)).transform_filter(LIT), *layers[1:]]
        layers.append(mark("text", last.filter(~pl.col("best")), dx=9, limit=room - 12, **one))
    layers.append(at_ends(named, x, y, look["color"], "system", domain, _HEIGHT))
    said = "left, recall counts; right, precision"
    chart: alt.LayerChart = finish(
        layers, "F-measure against α", said, width=_WIDTH - room, height=_HEIGHT
    )
    chart.params = [*chart.params, reader_chooses()]  # type: ignore[misc]
    return chart


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

    More than ten systems become a heat map.

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
    numbers = ", ".join(f"{sizes[name]:,} of {name}" for name in labels)
    said, title = f"{lengths}; sentences: {numbers}", "Error by sentence length"
    if len(names) > MANY:
        return _by_length_in_cells(data, names, labels, tooltip, (title, said))
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
    chart = chart.resolve_axis(x="independent", y="independent")
    return finish(chart, title, said + "; grey: the others" * (len(names) > 1))


def _by_length_in_cells(
    data: pl.DataFrame,
    names: Sequence[str],
    labels: Sequence[str],
    tooltip: list[alt.Tooltip],
    title: tuple[str, str],
) -> alt.LayerChart:
    """Return a heat map of AER, a row for each system."""
    most = float(data["aer"].to_numpy().max())
    scale = alt.Scale(domain=[0, most], range=PALE, interpolate="lab")
    y, step = close_rows(names)
    x = across(
        "length:O",
        None,
        False,
        sort=labels,
        labelFontSize=10,
        labelAngle=0,
        orient="top",
        ticks=False,
    )
    color, text = alt.Color("aer:Q", scale=scale, legend=None), alt.Text("aer:Q", format=".2f")
    layers = heat(data, x, y, color, text, f"datum.aer > {0.62 * most}", tooltip, fontSize=10.5)
    width = HALF - label_room(names)
    return finish(layers, *title, width=width, height=step, params=[reader_chooses()])


def expected_over_threshold(curve: IntoFrame, systems: IntoFrame | None = None) -> Any:
    """Draw expected precision and recall of links from a probability on, one line per system.

    Parameters
    ----------
    curve, systems
        Those of ``links.filter``; a dashed rule is drawn at the threshold of each system.
    """
    data = frame_of(curve, ["system", "threshold", "links", "precision", "recall"], "a curve")
    chosen = None if systems is None else frame_of(systems, ["system", "threshold"], "systems")
    look = looks("system", data["system"].unique(maintain_order=True).to_list())
    tooltip = tips(data, "system", "threshold||.2f", "links||,d")
    tooltip += tips(data, "precision|expected precision|.3f", "recall|expected recall|.3f")
    x = across("threshold", "minimum probability of a link", [0, 1])

    def draw(name: str, _: int) -> Any:
        y = up(name, f"expected {name}", zero=False, padding=6)
        layers = lines(data.drop_nulls(name), x, y, look, tooltip, bare=True)
        if chosen is not None:
            known = chosen.drop_nulls("threshold")
            layers.append(mark("rule", known, x=x, strokeDash=[4, 3], color=look["color"]))
        return panel(layers, _WIDTH, 260)

    names = ["precision", "recall"]
    return finish(side_by_side(names, draw, 2), "What to expect of links above a probability")
