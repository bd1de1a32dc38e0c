"""Points on a plane, with their names where they overlap neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import altair as alt
import numpy as np
import polars as pl

from alignframe.pages.forms import Layers, across, around, mark, up
from alignframe.pages.theme import COLOURS, FAINT, INK, Look
from alignframe.stats.pearson import correlation, least_squares
from alignframe.typing import Arguments

Line = tuple[float, float]
"""Slope and intercept."""

_LETTER = 5.6
_LINE = 13.0
_POINT = 9.0
_NARROW = 0.6
"""The least width of a narrowed plane, as a share of its own."""


class Place(NamedTuple):
    """The position of a name at its point, in Vega's terms: alignment and offset in pixels."""

    align: Literal["left", "right", "center"]
    dx: int
    dy: int


_SIDES: tuple[tuple[Literal["left", "right"], int], ...] = (("left", 1), ("right", -1))
_NEAR = (
    Place("left", 9, 0),
    Place("right", -9, 0),
    Place("center", 0, -13),
    Place("center", 0, 13),
    Place("left", 8, -10),
    Place("left", 8, 10),
    Place("right", -8, -10),
    Place("right", -8, 10),
)
_SHIFTS = (
    *((20, 0), (12, -24), (12, 24), (30, -16), (30, 16), (24, -34), (24, 34)),
    *((40, 0), (8, -44), (8, 44), (44, -44), (44, 44), (60, -24), (60, 24), (30, -58), (30, 58)),
)
FAR = tuple(Place(side, way * across, down) for across, down in _SHIFTS for side, way in _SIDES)
PLACES = (*_NEAR, *FAR)
"""In order of preference; a thin line connects a far name with its point."""

# First white outlines, then the names, so that lines do not cross the letters.
_HALO: tuple[Look, Look] = ({"stroke": "white", "strokeWidth": 4, "strokeJoin": "round"}, {})

Box = tuple[float, float, float, float]
"""Left, right, top, bottom."""


def placed(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    size: tuple[float, float],
    line: tuple[float, float] | None = None,
    *,
    far: bool = False,
) -> list[Place | None]:
    """Choose a place for each name; None if each overlaps a point or another name.

    Positions are in pixels from the upper left corner of a chart of this ``size``. Names should not
    cross ``line``, given by slope and intercept. With ``far``, those without room at their points
    may be farther off, connected by a line. Names with the least room are placed first.
    """
    dots = [(x - _POINT, x + _POINT, y - _POINT, y + _POINT) for x, y in points]
    room: list[list[tuple[bool, bool, int, Box]]] = []
    for at, ((x, y), name) in enumerate(zip(points, names, strict=True)):
        others = [*dots[:at], *dots[at + 1 :]]
        free = []
        for rank, place in enumerate(PLACES if far else _NEAR):
            box = _box(x + place.dx, y + place.dy, place.align, len(name) * _LETTER)
            inside = box[0] >= 0 and box[1] <= size[0] and box[2] >= 0 and box[3] <= size[1]
            if inside and not any(_touch(box, other) for other in others):
                crosses = line is not None and _crosses(box, line)
                # Sorted: near before far, then off the line, then by preference.
                free.append((rank >= len(_NEAR), crosses, rank, box))
        room.append(sorted(free))
    written: list[Box] = []
    places: list[Place | None] = [None] * len(names)
    # Names with the fewest places choose first, or they would find none left.
    for at in sorted(range(len(names)), key=lambda k: len(room[k])):
        for _, _, rank, box in room[at]:
            if not any(_touch(box, other) for other in written):
                places[at] = PLACES[rank]
                written.append(box)
                break
    return places


def _box(x: float, y: float, align: str, width: float) -> Box:
    left = {"left": x, "right": x - width, "center": x - width / 2}[align]
    return left, left + width, y - _LINE / 2, y + _LINE / 2


def _touch(box: Box, other: Box) -> bool:
    return box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]


def _crosses(box: Box, line: tuple[float, float]) -> bool:
    slope, intercept = line
    left, right, top, bottom = box
    ends = (intercept + slope * left, intercept + slope * right)
    return max(ends) >= top and min(ends) <= bottom


@dataclass(frozen=True)
class Plane:
    """A plane: the columns of both axes, their ranges, and the size in pixels."""

    columns: tuple[str, str]
    domains: tuple[Sequence[float], Sequence[float]]
    size: tuple[int, int]
    titles: tuple[str | None, str | None]
    ticks: tuple[int, int] | None = None

    @property
    def axes(self) -> Arguments:
        """The axes as chart encodings."""
        look: list[Look] = [{"tickCount": tick} for tick in self.ticks] if self.ticks else [{}, {}]
        given = zip(self.columns, self.titles, self.domains, strict=True)
        x, y = given
        return {"x": across(*x, **look[0]), "y": up(*y, **look[1])}

    def line(self, line: Line, ends: Sequence[float]) -> alt.Chart:
        """Return a dashed line between two positions on the horizontal axis."""
        slope, intercept = line
        x, y = self.columns
        made = pl.DataFrame({x: ends, y: [intercept + slope * end for end in ends]})
        look: Look = {"strokeWidth": 1.5, "strokeDash": [6, 4], "clip": True}
        return mark("line", made, color="#8893a0", **look, **self.axes)

    def names(
        self,
        data: pl.DataFrame,
        label: str = "system",
        line: Line | None = None,
        *,
        far: bool = False,
        color: object = INK,
    ) -> tuple[Layers, int]:
        """Return the layers that name the points, and the number of names without room.

        Names should not cross ``line``. With ``far``, they may be farther off, connected by a line.
        They have other places when the chart is narrowed for a small screen.
        """
        width, least = self.size[0], self.size[0] * 3 // 4
        layers, lacking = self._names(data, label, line, far, color, width, f"width >= {least}")
        small, _ = self._names(data, label, line, far, color, width * _NARROW, f"width < {least}")
        return [*layers, *small], lacking

    def names_of(self, data: pl.DataFrame, where: str, **look: Any) -> Layers:
        """Return the layers that name the points ``where`` an expression is true."""
        text: Look = {"text": alt.Text("system:N"), "dx": -9, "align": "right", "fontSize": 11}
        return [mark("text", data, where, **text, **look, **more, **self.axes) for more in _HALO]

    def _names(
        self,
        data: pl.DataFrame,
        label: str,
        line: Line | None,
        far: bool,
        color: object,
        width: float,
        shown: str,
    ) -> tuple[Layers, int]:
        """Return the layers of names placed for a width, drawn where ``shown``."""
        height, ((left, right), (bottom, top)) = self.size[1], self.domains
        # Pixels per unit of each axis.
        wide, high = width / (right - left), height / (top - bottom)
        x, y = (data[name].to_list() for name in self.columns)
        pixels = [((a - left) * wide, (top - b) * high) for a, b in zip(x, y, strict=True)]
        rule = None
        if line is not None:
            slope, intercept = line
            # The same line in pixels from the upper left corner.
            rule = (-slope / wide * high, (top - intercept - slope * left) * high)
        places = placed(pixels, data[label].to_list(), (width, height), rule, far=far)
        kept = [(at, place) for at, place in enumerate(places) if place]
        layers: Layers = []
        led = [(at, place) for at, place in kept if place in FAR]
        if led:
            ends = data[[at for at, _ in led]].with_columns(
                to_x=pl.Series([x[at] + place.dx * 0.9 / wide for at, place in led]),
                to_y=pl.Series([y[at] - place.dy * 0.9 / high for at, place in led]),
            )
            to: Look = {"x2": alt.X2("to_x:Q"), "y2": alt.Y2("to_y:Q")}
            opacity = alt.expr(f"{shown} ? 1 : 0")
            layers.append(mark("rule", ends, color=FAINT, opacity=opacity, **self.axes, **to))
        if kept:
            shifts = pl.DataFrame([place._asdict() for _, place in kept])
            named = data[[at for at, _ in kept]].hstack(shifts)
            where: Look = {name: alt.expr(f"datum.{name}") for name in ("align", "dx", "dy")}
            words = alt.condition(shown, alt.Text(f"{label}:N"), alt.value(""))
            text: Look = {"fontSize": 11, **where, "text": words, "color": color, **self.axes}
            layers += [mark("text", named, **text, **more) for more in _HALO]
        return layers, places.count(None)


def against(
    data: pl.DataFrame,
    columns: tuple[str, str],
    size: tuple[int, int],
    titles: tuple[str | None, str | None],
    tooltip: list[alt.Tooltip],
    *,
    ticks: tuple[int, int],
    look: Look | None = None,
    label: str | None = None,
    **names: Any,
) -> tuple[Layers, float, int]:
    """Return points with their least-squares line, Pearson's r, and the number of names left out.

    r is NaN where it is undefined. ``label`` is the column of the names of points, if shown.
    """
    x, y = (data[name].to_numpy() for name in columns)
    r = float(correlation(x, y)) if len(x) > 1 else float("nan")
    plane = Plane(columns, (around(x), around(y)), size, titles, ticks)
    layers: Layers = []
    line = None
    if np.isfinite(r):
        line = least_squares(x, y)
        layers.append(plane.line(line, plane.domains[0]))
    shown = {"color": look["color"], "shape": look["shape"]} if look else {"color": COLOURS[0]}
    # Panels of several have smaller points.
    area = 90 if max(size) > 300 else 44
    layers.append(
        mark("point", data, size=area, opacity=0.9, tooltip=tooltip, **shown, **plane.axes)
    )
    lacking = 0
    if label is not None:
        texts, lacking = plane.names(data, label, line, **names)
        layers += texts
    return layers, r, lacking
