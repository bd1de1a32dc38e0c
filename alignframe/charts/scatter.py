"""Scatter plots: axes, regression lines, and names beside points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.labels import FAR, placed
from alignframe.charts.marks import exactly
from alignframe.charts.theme import FAINT, INK

_HALO: dict[str, Any] = {"stroke": "white", "strokeWidth": 4, "strokeJoin": "round"}

Line = tuple[float, float]
"""Slope and intercept."""


@dataclass(frozen=True)
class Plane:
    """A plane: the columns of both axes, their ranges, and the size in pixels."""

    columns: tuple[str, str]
    domains: tuple[Sequence[float], Sequence[float]]
    size: tuple[int, int]
    titles: tuple[str | None, str | None]
    ticks: tuple[int, int] | None = None

    @property
    def axes(self) -> dict[str, Any]:
        """The axes as chart encodings."""
        found = {}
        for at, (name, kind) in enumerate((("x", alt.X), ("y", alt.Y))):
            axis: dict[str, Any] = (
                {"axis": alt.Axis(tickCount=self.ticks[at])} if self.ticks else {}
            )
            found[name] = kind(
                f"{self.columns[at]}:Q",
                title=self.titles[at],
                scale=exactly(self.domains[at]),
                **axis,
            )
        return found

    def line(self, line: Line, ends: Sequence[float], width: float = 1.5) -> alt.Chart:
        """Return a dashed line between two positions on the horizontal axis."""
        slope, intercept = line
        across, up = self.columns
        made = pl.DataFrame({across: ends, up: [intercept + slope * end for end in ends]})
        look: dict[str, Any] = {
            "color": "#8893a0",
            "strokeWidth": width,
            "strokeDash": [6, 4],
            "clip": True,
        }
        drawn: alt.Chart = alt.Chart(made).mark_line(**look).encode(**self.axes)
        return drawn

    def names(
        self,
        data: pl.DataFrame,
        label: str = "system",
        line: Line | None = None,
        *,
        far: bool = False,
        fades: bool = True,
        halo: bool = False,
        color: Any = None,
        **look: Any,
    ) -> tuple[list[Any], int]:
        """Return the layers that name the points, and the number of names without room.

        Names should not cross ``line``. With ``far``, they may be farther off, connected by a line;
        with ``fades``, they are hidden when the chart is narrowed for a small screen.
        """
        (width, height), ((left, right), (bottom, top)) = self.size, self.domains
        wide, high = width / (right - left), height / (top - bottom)
        x, y = (data[name].to_list() for name in self.columns)
        pixels = [((a - left) * wide, (top - b) * high) for a, b in zip(x, y, strict=True)]
        rule = None
        if line is not None:
            slope, intercept = line
            # The same line in pixels from the upper left corner.
            rule = (-slope / wide * high, (top - intercept - slope * left) * high)
        places = placed(pixels, data[label].to_list(), self.size, rule, far=far)
        kept = [(at, place) for at, place in enumerate(places) if place]
        layers: list[Any] = []
        if fades:
            look["opacity"] = alt.expr(f"width < {width * 3 // 4} ? 0 : 1")
        led = [(at, place) for at, place in kept if place in FAR]
        if led:
            ends = data[[at for at, _ in led]].with_columns(
                to_x=pl.Series([x[at] + place.dx * 0.9 / wide for at, place in led]),
                to_y=pl.Series([y[at] - place.dy * 0.9 / high for at, place in led]),
            )
            faded = {"opacity": look["opacity"]} if fades else {}
            lead = alt.Chart(ends).mark_rule(color=FAINT, strokeWidth=1, **faded)
            layers.append(lead.encode(**self.axes, x2=alt.X2("to_x:Q"), y2=alt.Y2("to_y:Q")))
        if kept:
            shifts = pl.DataFrame([place._asdict() for _, place in kept])
            base = alt.Chart(data[[at for at, _ in kept]].hstack(shifts)).encode(
                **self.axes, text=alt.Text(f"{label}:N"), **({"color": color} if color else {})
            )
            where = {name: alt.expr(f"datum.{name}") for name in ("align", "dx", "dy")}
            ink = {} if color else {"color": INK}
            text: dict[str, Any] = {
                "baseline": "middle",
                "fontSize": 11,
                "limit": 170,
                **ink,
                **where,
                **look,
            }
            layers += [base.mark_text(**text, **more) for more in (_HALO, {})[not halo :]]
        return layers, places.count(None)
