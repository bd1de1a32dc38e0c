"""How all charts look."""

from __future__ import annotations

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
"""One colour a system, in the order of the systems' names."""

SYMBOLS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

INK = "#26303a"
FAINT = "#c9d0d6"
FONT = "Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif"


def by_system(names: list[str], legend: bool = True) -> alt.Color:
    """Return the colour of each system, the same in every chart of a page."""
    scale = alt.Scale(domain=names, range=[COLOURS[k % len(COLOURS)] for k in range(len(names))])
    shown = (
        alt.Legend(title=None, orient="top", symbolType="circle", symbolOpacity=1)
        if legend
        else None
    )
    return alt.Color("system:N", scale=scale, legend=shown)


def finish(chart: Any) -> alt.LayerChart:
    """Return the chart with the package's fonts, grid and spacing."""
    finished: alt.LayerChart = (
        chart.configure(font=FONT, background="white", padding=8)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=13,
            gridColor="#e9edf0",
            domainColor=FAINT,
            tickColor=FAINT,
        )
        .configure_legend(labelColor=INK, labelFontSize=12, titleFontSize=12, symbolSize=90)
        .configure_title(anchor="start", color=INK, fontSize=15, subtitleColor="#5b6670", offset=10)
        .configure_view(stroke=None)
    )
    return finished
