"""Charts for papers: as wide as one or two columns, in type that can be read in print.

A chart of a page is made for a screen. Here its views are narrowed, as the script of pages does on
small screens (``narrowed`` in ``page.js``), and the whole is scaled so that its letters are printed
at eight points.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from alignframe.typing import Row

INCHES = {1: 3.3, 2: 6.9}
"""The width of one and of two columns of a paper."""

POINTS = 72
_SCALE = 8 / 12
"""Of a pixel in points: letters of charts have 12 pixels."""

_SLIM = 0.65
_STACKED = 600
_STEP = 13
_LEAST, _MOST = 0.2, 2.2

Draw = Callable[[str], str]
"""Draws a chart, as JSON, as SVG."""


def fitted(spec: Row, columns: int, draw: Draw, unit: str = "") -> str:
    """Return a chart as SVG, as wide as so many columns, in points, which ``unit`` may name."""
    room = INCHES[columns] * POINTS / _SCALE
    natural = _size(draw(json.dumps(spec)))[0]
    # Width is linear in that of the views, so that two points determine it.
    whole, half = (
        _size(draw(json.dumps(_narrowed(spec, room, natural, share))))[0] for share in (1.0, 0.5)
    )
    share = min(max(_LEAST, 0.5 + 0.5 * (room - half) / max(whole - half, 1)), _MOST)
    svg = draw(json.dumps(_narrowed(spec, room, natural, share)))
    width, height = _size(svg)
    # What is still too wide is scaled down.
    scale = min(_SCALE, INCHES[columns] * POINTS / width)
    size = f'width="{width * scale:.2f}{unit}" height="{height * scale:.2f}{unit}"'
    return re.sub(r'width="[\d.]+" height="[\d.]+"', size, svg, count=1)


def caption_of(title: tuple[str, str], caption: str, signature: str) -> str:
    """Return the text that goes with a figure: what it shows, and its signature to copy."""
    head, more = title
    said = ". ".join(filter(None, [f"{head} ({more})" if more else head, caption]))
    return "\n\n".join(filter(None, [said, signature])) + "\n"


def _size(svg: str) -> tuple[float, float]:
    """Return the width and height of a picture."""
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _narrowed(spec: Row, room: float, natural: float, share: float) -> Row:
    """Return a chart with its views narrowed or widened to a share of their width."""
    chart = deepcopy(spec)
    for view in _views(chart):
        if "hconcat" in view and room < _STACKED:
            view["vconcat"] = view.pop("hconcat")
        facet = view.get("facet", {})
        if "column" in facet and "row" not in facet and room < _STACKED:
            view |= {"facet": facet["column"], "columns": 1}
        if view.get("columns") and room < _SLIM * natural:
            view["columns"] = max(1, int(view["columns"] * room / natural))
            _name_rows(view.get("concat", []), view["columns"])
        if isinstance(view.get("width"), int | float):
            view["width"] = round(view["width"] * share)
        for side in (view.get("width"), view.get("height")):
            if isinstance(side, dict) and "step" in side:
                side["step"] = max(_STEP, side["step"] * min(share, 1))
        for channel in view.get("encoding", {}).values():
            of = channel if isinstance(channel, dict) else {}  # a list of tooltips
            legend, axis = of.get("legend") or {}, of.get("axis") or {}
            if "columns" in legend:
                legend["columns"] = max(1, round(legend["columns"] * room / natural))
            for look, most in ((legend, room - 60), (axis, 0.45 * room)):
                if "labelLimit" in look:
                    look["labelLimit"] = min(look["labelLimit"], most)
    return chart


def _views(view: Row) -> Iterator[Row]:
    """Yield a chart and its parts."""
    yield view
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in view.get(name, []):
            yield from _views(part)
    if isinstance(inner := view.get("spec"), dict):
        yield from _views(inner)


def _name_rows(panels: list[Row], columns: int) -> None:
    """Give panels that now begin a row the names of rows that the first one has."""
    sides: list[list[Any]] = [
        [own["y"] for one in _views(panel) if "y" in (own := one.get("encoding", {}))]
        for panel in panels
    ]
    for own in sides[columns::columns]:
        for side in own:
            if "axis" in side and side.get("field") == sides[0][0].get("field"):
                side |= {name: sides[0][0].get(name) for name in ("axis", "title")}
