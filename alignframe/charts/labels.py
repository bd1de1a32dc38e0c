"""Placing names beside points so that they overlap neither points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

_LETTER = 5.6
_LINE = 13.0
_POINT = 9.0


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
                free.append((rank >= len(_NEAR), crosses, rank, box))
        room.append(sorted(free))
    written: list[Box] = []
    found: list[Place | None] = [None] * len(names)
    for at in sorted(range(len(names)), key=lambda k: len(room[k])):
        for _, _, rank, box in room[at]:
            if not any(_touch(box, other) for other in written):
                found[at] = PLACES[rank]
                written.append(box)
                break
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
