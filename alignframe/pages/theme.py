"""The common style of all charts: colours, symbols, dashes, fonts, titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

COLOURS = ("#1f66b0", "#d55e00", "#c56fa3", "#0b4a3a", "#7a5ff0", "#8c6d5a", "#7a2418")
"""Told apart by the colour-blind, and dark enough for thin lines on white paper."""

SYMBOLS = (
    *("circle", "square", "triangle-up", "diamond"),
    *("cross", "triangle-down", "triangle-right"),
)
DASH = "M-1,-0.2L1,-0.2L1,0.2L-1,0.2Z"
"""A short line, as the path of a symbol."""

DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [8, 2, 2, 2, 2, 2], [3, 5])
"""As many as colours and symbols, so that series can also be told apart without colour."""

INK, SOFT, FAINT = "#26303a", "#5b6670", "#c9d0d6"
GREY, BAD = "#7a858f", "#b3261e"
PALE = ["#f3f7fa", "#bcd6ea", "#6da7d2", "#2a6fae", "#0d2f5c"]
"""From low to high figures."""

WIDE, HALF = 985, 446
"""The width of a chart with its labels on a whole card of a page, and on one of two."""

Look = dict[str, Any]
"""Channels and constants of marks, by name."""

_KINDS: dict[str, tuple[Any, Sequence[Any]]] = {
    "color": (alt.Color, COLOURS),
    "shape": (alt.Shape, SYMBOLS),
    "strokeDash": (alt.StrokeDash, DASHES),
}


def looks(
    field: str,
    names: Sequence[str],
    *,
    known: Sequence[str] = (),
    legend: bool = True,
    room: int = 130,
    fixed: Mapping[str, tuple[object, ...]] | None = None,
    **more: Any,
) -> Look:
    """Return color, shape and strokeDash of each name, with one legend above the chart.

    Looks are given in the order of ``known``, by default of the names, so that a name looks the
    same in all charts; those of ``fixed`` (color, shape and dashes) are given. The legend has
    ``room`` for so many letters; ``more`` are its further properties.
    """
    order = [*known, *(name for name in names if name not in known)]
    above = legend_above(names, room, **more) if legend else None
    looks_of_names = {}
    for at, (channel, (kind, cycle)) in enumerate(_KINDS.items()):
        # When colours repeat, symbols and dashes go on by one.
        turn = 0 if channel == "color" else 1
        own: Look = {
            name: cycle[(k + turn * (k // len(cycle))) % len(cycle)] for k, name in enumerate(order)
        }
        own |= {name: look[at] for name, look in (fixed or {}).items()}
        scale = alt.Scale(domain=list(names), range=[own[name] for name in names])
        looks_of_names[channel] = kind(f"{field}:N", scale=scale, legend=above)
    return looks_of_names


def lighter(colour: str) -> str:
    """Return a colour mixed with white."""
    # Three parts of the colour, two of white (255).
    return "#" + "".join(f"{(int(colour[k : k + 2], 16) * 3 + 510) // 5:02x}" for k in (1, 3, 5))


def legend_above(names: Sequence[str], room: int, **more: Any) -> alt.Legend:
    """Return a legend above the chart, its columns as wide as the longest name allows."""
    return alt.Legend(
        title=None,
        orient="top",
        columns=max(1, min(6, room // (max(map(len, names), default=1) + 5))),
        labelLimit=360,
        symbolLimit=0,
        symbolOpacity=1,
        # The outlines of points would be dashed like the lines.
        symbolStrokeWidth=2.2 if more.get("symbolType") == "stroke" else 0,
        **more,
    )


def scale_above(title: str | None, format: str, **more: Any) -> alt.Legend:
    """Return the legend of a scale of colours, above the chart."""
    return alt.Legend(
        title=title,
        orient="top",
        direction="horizontal",
        format=format,
        gradientLength=300,
        gradientThickness=11,
        titleFontWeight="normal",
        titleLimit=400,
        **more,
    )


_CONFIG = alt.Config(
    font="Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif",
    background="white",
    padding=8,
    axis=alt.AxisConfig(
        labelColor=INK,
        labelFlush=False,
        labelSeparation=6,
        titleColor=INK,
        titleFontWeight="normal",
        labelFontSize=12,
        titleFontSize=13,
        gridColor="#e9edf0",
        domainColor=FAINT,
        tickColor=FAINT,
    ),
    legend=alt.LegendConfig(labelColor=INK, labelFontSize=12, titleFontSize=12, symbolSize=90),
    header=alt.HeaderConfig(labelFontSize=13, labelColor=INK, labelLimit=240),
    title=alt.TitleConfig(anchor="start", color=INK, fontSize=15, subtitleColor=SOFT, offset=10),
    view=alt.ViewConfig(stroke=None),
)


def finish(chart: Any, title: Any = None, subtitle: str = "", **size: Any) -> alt.LayerChart:
    """Set the package's fonts, grid and spacing on a new chart, and its titles and size.

    A list of layers becomes a chart. The chart is changed in place: copying takes altair as long
    as making it.
    """
    finished: Any = alt.layer(*chart) if isinstance(chart, list) else chart
    if subtitle:
        title = alt.Title(title, subtitle=subtitle)
    if title is not None:
        size["title"] = title
    for name, value in size.items():
        setattr(finished, name, value)
    finished.config = _CONFIG
    made: alt.LayerChart = finished
    return made


_SPELT = {
    "aer": "AER",
    "strict_f": "Strict F",
    "lax_f": "Lax F",
    "bleu": "BLEU",
    "chrf": "chrF",
    "p_value": "p",
}


def heading(name: str) -> str:
    """Return a readable name of a column."""
    if name.startswith("f_"):
        return f"F(α = {name.removeprefix('f_')})"
    return _SPELT.get(name) or f"{name[:1].upper()}{name[1:]}".replace("_", " ")
