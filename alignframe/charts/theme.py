"""The common style of all charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

COLOURS = (
    "#3366aa",
    "#dd7722",
    "#228855",
    "#bb3355",
    "#7755aa",
    "#997700",
    "#11999e",
    "#665544",
    "#cc77bb",
    "#556677",
)
"""One colour per system, in the order of system names."""

SYMBOLS = ("circle", "square", "triangle-up", "diamond")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])

_CHANNELS = {"color": alt.Color, "shape": alt.Shape, "strokeDash": alt.StrokeDash}

INK = "#26303a"
FAINT = "#c9d0d6"
FONT = "Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif"


def by_system(names: list[str], legend: bool = True, room: int = 60) -> alt.Color:
    """Return the colour of each system, the same in all charts of a page."""
    shown = legend_above(names, room) if legend else None
    found: alt.Color = looks("system", names, shown, color=cycled(COLOURS, len(names)))["color"]
    return found


def dash(names: list[str], room: int = 60) -> alt.StrokeDash:
    """Return the dashes of each system's line, which vary as colours repeat."""
    dashes = [DASHES[k // len(COLOURS) % len(DASHES)] for k in range(len(names))]
    found: alt.StrokeDash = looks("system", names, legend_above(names, room), strokeDash=dashes)[
        "strokeDash"
    ]
    return found


def shape(names: list[str]) -> alt.Shape:
    """Return the symbol of each system's point, which varies as colours repeat."""
    symbols = [SYMBOLS[k // len(COLOURS) % len(SYMBOLS)] for k in range(len(names))]
    found: alt.Shape = looks("system", names, legend_above(names, 60), shape=symbols)["shape"]
    return found


def cycled(kinds: Sequence[Any], number: int, start: int = 0) -> list[Any]:
    """Return this many of the kinds, starting over after the last."""
    return [kinds[k % len(kinds)] for k in range(start, start + number)]


def looks(
    field: str, names: Sequence[str], legend: alt.Legend | None, **ranges: Sequence[Any]
) -> dict[str, Any]:
    """Return color, shape and strokeDash of each name, with one legend.

    ``ranges`` are the colours, symbols and dashes by channel; by default, repeating colours and
    symbols.
    """
    if not ranges:
        ranges = {"color": cycled(COLOURS, len(names)), "shape": cycled(SYMBOLS, len(names))}
    return {
        channel: _CHANNELS[channel](
            f"{field}:N", scale=alt.Scale(domain=list(names), range=list(kinds)), legend=legend
        )
        for channel, kinds in ranges.items()
    }


def legend_above(names: list[str], room: int, **more: Any) -> alt.Legend:
    """Return a legend above the chart, its columns as wide as the longest name allows."""
    columns = max(1, min(6, room // (max(map(len, names), default=1) + 5)))
    return alt.Legend(
        title=None,
        orient="top",
        columns=columns,
        labelLimit=360,
        symbolLimit=0,
        symbolOpacity=1,
        **more,
    )


_CONFIG = alt.Config(
    font=FONT,
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
    title=alt.TitleConfig(
        anchor="start", color=INK, fontSize=15, subtitleColor="#5b6670", offset=10
    ),
    view=alt.ViewConfig(stroke=None),
)


def finish(chart: Any, title: Any = None, subtitle: str = "", **size: Any) -> alt.LayerChart:
    """Set the package's fonts, grid and spacing on a new chart, and its titles and size.

    The chart is changed in place: copying takes altair as long as making it.
    """
    finished: alt.LayerChart = chart
    if subtitle:
        title = alt.Title(title, subtitle=subtitle)
    if title is not None:
        size["title"] = title
    for name, value in size.items():
        setattr(finished, name, value)
    finished.config = _CONFIG
    return finished
