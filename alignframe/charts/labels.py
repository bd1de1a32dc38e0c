"""Where to write names beside points without covering points or one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

_LETTER = 5.6
_LINE = 13.0
_POINT = 9.0


class Place(NamedTuple):
    """How a name stands to its point, in the words of Vega: alignment and shift in pixels."""

    align: Literal["left", "right", "center"]
    dx: int
    dy: int


PLACES = (
    Place("left", 9, 0),
    Place("right", -9, 0),
    Place("center", 0, -13),
    Place("center", 0, 13),
    Place("left", 8, -10),
    Place("left", 8, 10),
    Place("right", -8, -10),
    Place("right", -8, 10),
)
"""In the order of preference."""

Box = tuple[float, float, float, float]
"""Left, right, top, bottom."""


def placed(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    size: tuple[float, float],
    line: tuple[float, float] | None = None,
) -> list[Place | None]:
    """Choose a place for each name.

    Parameters
    ----------
    points
        In pixels from the upper left corner of a chart.
    names
        One a point.
    size
        Width and height of the chart.
    line
        Slope and intercept, in pixels, of a line that names had better not cross.

    Returns
    -------
    list of Place
        One a point, None where a name would cover a point or another name everywhere. Names are
        placed in turn.
    """
    dots = [(x - _POINT, x + _POINT, y - _POINT, y + _POINT) for x, y in points]
    written: list[Box] = []
    found: list[Place | None] = []
    for at, ((x, y), name) in enumerate(zip(points, names, strict=True)):
        others = [*written, *dots[:at], *dots[at + 1 :]]
        free = []
        for rank, place in enumerate(PLACES):
            box = _box(x + place.dx, y + place.dy, place.align, len(name) * _LETTER)
            inside = box[0] >= 0 and box[1] <= size[0] and box[2] >= 0 and box[3] <= size[1]
            if inside and not any(_touch(box, other) for other in others):
                free.append((line is not None and _crosses(box, line), rank, box))
        best = min(free, default=None)
        found.append(None if best is None else PLACES[best[1]])
        written += [] if best is None else [best[2]]
    return found


def _box(x: float, y: float, align: str, width: float) -> Box:
    left = {"left": x, "right": x - width, "center": x - width / 2}[align]
    return left, left + width, y - _LINE / 2, y + _LINE / 2


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _crosses(box: Box, line: tuple[float, float]) -> bool:
    slope, intercept = line
    left, right, top, bottom = box
    ends = (intercept + slope * left, intercept + slope * right)
    return max(ends) >= top and min(ends) <= bottom
