"""The forms of charts: lines over a number, rows with intervals, bars, heat maps, panels.

A chart is a declaration: a table, its columns on axes, a form, tooltips and titles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import altair as alt
import numpy as np
import polars as pl

from alignframe.core.arrow import require_columns, to_table
from alignframe.errors import InputError
from alignframe.pages.theme import COLOURS, FAINT, INK, WIDE, Look, finish, lighter, looks

_Axis = TypeVar("_Axis", alt.X, alt.Y)
Layers = list[alt.Chart]
Panels = tuple[str, Sequence[str]]
"""The column of the names of panels, and these names in order."""

INTERVAL = ("low|interval", "high|to")
MOST_LABEL = 170
STEP = 24
"""The height of a row."""

_LETTER = 6.7

_END = re.compile("_(low|high)$")
_WORDS = ("system", "metric", "measure", "pair", "corpus", "scenario", "method", "tuned", "segment")
_SCALE = ("type", "nice", "zero", "padding", "range", "interpolate", "clamp")
_CHANNELS = frozenset("x y x2 y2 xOffset yOffset detail order tooltip text row column".split())


def frame_of(given: object, columns: Sequence[str], what: str) -> pl.DataFrame:
    """Return a table as a frame, with names of systems and the like as strings."""
    table = to_table(given)
    figures = {_END.sub("", name) for name in table.schema.names if _END.search(name)}
    ends = [f"{name}_{end}" for name in sorted(figures) for end in ("low", "high")]
    require_columns(table.schema, [*columns, *ends], what)
    frame = pl.DataFrame(pl.from_arrow(table))
    return frame.with_columns(pl.col(name).cast(pl.String) for name in _WORDS if name in frame)


def not_empty(data: pl.DataFrame, what: str, expected: str) -> pl.DataFrame:
    """Return a table with rows; refuse one without, which has nothing to show."""
    if not data.height:
        raise InputError(what, expected=expected)
    return data


def in_turn(frame: pl.DataFrame, name: str) -> list[str]:
    """Return the distinct values of a column in order of occurrence."""
    names: list[str] = frame[name].unique(maintain_order=True).to_list()
    return names


def around(
    values: object, share: float = 0.1, flat: float = 0.05, *, inside: bool = False
) -> list[float]:
    """Return the range of an axis, with margins for points and their names.

    The margin is ``share`` of the range, or ``flat`` times the value if the range is empty;
    ``inside`` clips ranges within [0, 1] to it.
    """
    figures = np.asarray(values, np.float64)
    figures = figures[np.isfinite(figures)]
    low, high = (float(figures.min()), float(figures.max())) if figures.size else (0.0, 1.0)
    room = share * (high - low) or (flat if inside else flat * abs(high)) or flat
    if inside and low >= 0 and high <= 1:
        return [max(0.0, low - room), min(1.0, high + room)]
    return [low - room, high + room]


# --- axes, tooltips and single marks


def _axis(kind: type[_Axis], field: str, title: str | None, domain: Any, look: Look) -> _Axis:
    own = {"sort": look.pop("sort")} if "sort" in look else {}
    scale = {name: look.pop(name) for name in _SCALE if name in look}
    if domain is False:  # no line, as vega calls it
        look["domain"] = False
    elif domain is not None:
        # vega would extend the domain to round numbers and to zero.
        exact: Look = {} if field.endswith(":O") else {"nice": False}
        exact |= {} if not exact or scale.get("type") == "log" else {"zero": False}
        scale = {"domain": list(domain), **exact, **scale}
    if scale:
        own["scale"] = alt.Scale(**scale)
    if look:
        own["axis"] = alt.Axis(**look)
    return kind(field if ":" in field else f"{field}:Q", title=title, **own)


def across(field: str, title: str | None = None, domain: object = None, **look: Any) -> alt.X:
    """Return a horizontal axis, with exactly this domain; ``look`` is of its scale and labels."""
    return _axis(alt.X, field, title, domain, look)


def up(field: str, title: str | None = None, domain: object = None, **look: Any) -> alt.Y:
    """Return a vertical axis; see ``across``."""
    return _axis(alt.Y, field, title, domain, look)


def label_room(names: Sequence[str]) -> int:
    """Return the width in pixels of names beside a chart."""
    return round(min(MOST_LABEL, _LETTER * max(map(len, names), default=0))) + 14


def rows(names: Sequence[str], field: str = "system", **look: Any) -> alt.Y:
    """Return the axis of named rows, in the given order."""
    plain = {"grid": False, "ticks": False, "domain": False, "labelLimit": MOST_LABEL}
    return alt.Y(f"{field}:N", sort=list(names), title=None, axis=alt.Axis(**{**plain, **look}))


def tips(data: pl.DataFrame, *given: str) -> list[alt.Tooltip]:
    """Return tooltips from ``column``, ``column|title`` or ``column|title|format``.

    By default, decimals have four digits, and whole numbers separators of thousands.
    """
    made = []
    for asked in given:
        column, title, form = (*asked.split("|"), "", "")[:3]
        kind = data.schema.get(column, pl.Float64())
        form = form or (".4f" if kind.is_float() else "," if kind.is_integer() else "")
        look: Look = {"title": title, "format": form}
        shown = f"{column}:{'Q' if kind.is_numeric() else 'N'}"
        made.append(alt.Tooltip(shown, **{name: said for name, said in look.items() if said}))
    return made


def mark(kind: str, data: pl.DataFrame | None = None, where: str = "", **given: Any) -> alt.Chart:
    """Return a layer of one mark, for the rows ``where`` an expression is true.

    Of ``given``, channels become its encoding, and constants its look.
    """
    looks_of: dict[str, Look] = {
        "line": {"strokeWidth": 2},
        "point": {"filled": True, "size": 60, "opacity": 1},
        "text": {"align": "left", "baseline": "middle", "fontSize": 12},
    }
    own = looks_of.get(kind, {})
    channels = {
        name: value for name, value in given.items() if name in _CHANNELS or _is_channel(value)
    }
    look = {**own, **{name: given[name] for name in given.keys() - channels.keys()}}
    chart = alt.Chart() if data is None else alt.Chart(data)
    if where:
        chart = chart.transform_filter(where)
    # A channel takes the place of the constant of its name.
    for name in own.keys() & channels.keys():
        del look[name]
    marks: alt.Chart = getattr(chart, f"mark_{kind}")(**look).encode(**channels)
    return marks


def _is_channel(value: object) -> bool:
    if isinstance(value, dict):  # alt.value and alt.condition
        return bool(value.keys() & {"value", "condition"})
    return isinstance(value, alt.SchemaBase) and not isinstance(value, alt.ExprRef)


def level(value: float, axis: Any, **look: Any) -> alt.Chart:
    """Return a straight line across a chart, at a value of an axis."""
    side = "x" if isinstance(axis, alt.X) else "y"
    field = axis["shorthand"].split(":")[0]
    look = {"color": INK, "strokeDash": [4, 3], **look}
    return mark("rule", pl.DataFrame({field: [value]}), **{side: axis}, **look)


# --- forms


def lines(
    data: pl.DataFrame | None,
    x: alt.X,
    y: alt.Y,
    look: Look,
    tooltip: list[alt.Tooltip],
    *,
    ends: tuple[str, str] | None = None,
    size: object = 50,
    width: object = 2,
    bare: bool = False,
    where: str = "",
    **more: Any,
) -> Layers:
    """Return lines over a number with points, and bars between ``ends`` where these are known.

    Points of ``bare`` lines only show their tooltips. ``more`` are channels of the lines alone.
    """
    place = {"x": x, "y": y, "color": look["color"]}
    between: Layers = []
    if ends:
        low, high = ends
        # Points without an interval have no bar.
        there = f"isValid(datum.{low})" + (f" && {where}" if where else "")
        own = {**place, "y": alt.Y(f"{low}:Q", scale=y["scale"]), "y2": alt.Y2(f"{high}:Q")}
        between = [mark("rule", data, there, strokeWidth=2, opacity=0.5, **own)]
    shape = {"opacity": 0} if bare else {"shape": look["shape"]}
    dashes: Look = {"strokeDash": look["strokeDash"], "strokeWidth": width, **more}
    return [
        *between,
        mark("line", data, where, **place, **dashes),
        mark("point", data, where, size=size, **place, **shape, tooltip=tooltip),
    ]


def band(
    data: pl.DataFrame, x: alt.X, y: alt.Y, color: alt.Color, kind: str = "area", **look: Any
) -> alt.Chart:
    """Return areas, or for single points bars (rule), between ``low`` and ``high``."""
    own: Look = {"y": alt.Y("low:Q", scale=y["scale"]), "y2": alt.Y2("high:Q")}
    shown: Look = {"opacity": 0.14} if kind == "area" else {"opacity": 0.6, "strokeWidth": 2}
    return mark(kind, data, x=x, color=color, **own, **shown, **look)


def dots(
    data: pl.DataFrame | None,
    x: alt.X,
    y: alt.Y,
    tooltip: list[alt.Tooltip],
    *,
    look: Look | None = None,
    ends: tuple[str, str] | None = None,
    spans: bool = False,
    size: int = 70,
    **more: Any,
) -> Layers:
    """Return rows of points, with bars between ``ends``; ``spans`` connects points of a row."""
    field = x["shorthand"].split(":")[0]
    own: Look = {"color": (look or {}).get("color", alt.ColorValue(COLOURS[0])), **more}
    layers: Layers = []
    if spans:
        lowest, highest = alt.X(f"min({field}):Q"), alt.X2(f"max({field}):Q")
        apart = {name: more[name] for name in ("yOffset", "detail") if name in more}
        layers.append(mark("rule", data, color=FAINT, x=lowest, x2=highest, y=y, **apart))
    if ends:
        low, high = alt.X(f"{ends[0]}:Q", scale=x["scale"]), alt.X2(f"{ends[1]}:Q")
        there = f"isValid(datum.{ends[0]})"
        look_of = {"strokeWidth": 3, "opacity": 0.4, **own}
        layers.append(mark("rule", data, there, x=low, x2=high, y=y, **look_of))
    shape = {"shape": look["shape"]} if look else {}
    return [*layers, mark("point", data, size=size, x=x, y=y, tooltip=tooltip, **own, **shape)]


def bars(data: pl.DataFrame | None, tooltip: list[alt.Tooltip], **given: Any) -> alt.Chart:
    """Return bars, or the boxes of a histogram between ``x`` and ``x2``.

    Every second series is lighter, so that they differ without colour too.
    """
    if isinstance(given["color"], alt.Color):
        scale = given["color"]["scale"]
        scale["range"] = [
            lighter(color) if k % 2 else color for k, color in enumerate(scale["range"])
        ]
    return mark("bar", data, tooltip=tooltip, **given)


def heat(
    data: pl.DataFrame | None,
    x: Any,
    y: Any,
    color: Any,
    text: alt.Text,
    light: str,
    tooltip: list[alt.Tooltip],
    **look: Any,
) -> Layers:
    """Return a heat map with the figures in its cells, in white where ``light``."""
    place = {"x": x, "y": y, "tooltip": tooltip}
    ink = alt.ColorValue(INK, condition={"test": light, "value": "white"})
    return [
        mark("rect", data, stroke="white", strokeWidth=1.5, color=color, **place),
        mark("text", data, align="center", text=text, color=ink, **place, **look),
    ]


def share(panels: int, gap: int, beside: int = 0, room: int = WIDE) -> int:
    """Return the width of each of several panels with ``beside`` pixels of labels."""
    return (room - beside - gap * (panels - 1)) // panels


def panel_title(name: str, subtitle: str = "", **look: Any) -> alt.Title:
    """Return the title of one panel of several."""
    more: Look = {"subtitle": subtitle} if subtitle else {"fontWeight": "normal"}
    return alt.Title(name, **{"fontSize": 13, "offset": 4, "frame": "group", **more, **look})


def panel(layers: Layers, width: object, height: object, title: object = None) -> Any:
    """Return layers as one panel of several."""
    chart: Any = alt.layer(*layers)
    chart.width, chart.height = width, height
    if title is not None:
        chart.title = title
    return chart


def facets(
    layers: Layers,
    data: pl.DataFrame,
    size: tuple[object, object],
    columns: Panels,
    down: Panels | None = None,
    gap: int = 26,
    **head: Any,
) -> Any:
    """Return panels by the values of a field, in rows by those of another if it has several."""
    field, names = columns
    above = alt.Header(**{"labelAnchor": "start", **head})
    placed: Look = {"column": alt.Column(f"{field}:N", sort=list(names), title=None, header=above)}
    if down and len(down[1]) > 1:
        beside = alt.Header(labelAngle=-90, labelAnchor="middle", labelPadding=4)
        field, names = down
        placed["row"] = alt.Row(f"{field}:N", sort=list(names), title=None, header=beside)
    width, height = size
    chart = alt.layer(*layers, data=data).properties(width=width, height=height)
    return chart.facet(spacing=gap, **placed)


def side_by_side(
    names: Sequence[str], draw: Callable[[str, int], Any], columns: int, gap: int = 26
) -> Any:
    """Return a panel per name, drawn from the name and the place in its row of ``columns``."""
    panels = [draw(name, at % columns) for at, name in enumerate(names)]
    return alt.concat(*panels, columns=columns, spacing=gap)


def compared(data: pl.DataFrame, row: str, title: str) -> alt.LayerChart:
    """Return one panel per measure, one row per system or metric.

    ``data`` has the column ``row`` with their names, measure and value; optionally low and high,
    the ends of the interval, and pair, shown by colour if there are several.
    """
    none = pl.lit(None, pl.Float64)
    lacking = {"low": none, "high": none, "pair": pl.lit("")}
    data = data.with_columns(
        **{name: fill for name, fill in lacking.items() if name not in data.columns}
    )
    names, measures, pairs = (in_turn(data, name) for name in (row, "measure", "pair"))
    columns = min(len(measures), 3)
    width = min(420, share(columns, 26, label_room(names)) - 16)
    several = len(pairs) > 1
    dodged: Look = {"yOffset": alt.YOffset("pair:N", sort=pairs)} if several else {}
    look = looks("pair", pairs) if several else None
    height = alt.Step(16, **{"for": "offset"}) if several else alt.Step(26)

    def draw(name: str, at: int) -> Any:
        own = data.filter(measure=name)
        x = across(
            "value", domain=around(own.select("value", "low", "high").to_numpy()), tickCount=5
        )
        tooltip = tips(own, row, *["pair"] * several, f"value|{name}", *INTERVAL)
        y = rows(names, row, grid=not several, labels=at == 0)
        layers = dots(own, x, y, tooltip, look=look, ends=("low", "high"), **dodged)
        return panel(layers, width, height, panel_title(name))

    bounded = data["low"].null_count() < data.height
    chart = side_by_side(measures, draw, columns)
    return finish(chart, title, "bars: intervals" if bounded else "")


def melted(frame: pl.DataFrame, keys: Sequence[str], figures: Mapping[str, str]) -> pl.DataFrame:
    """Return a row per key and figure: measure (its name), value and, where known, low and high."""
    ends = [(end, f"_{end}") for end in ("low", "high")]
    return pl.concat(
        frame.select(
            *keys,
            measure=pl.lit(shown),
            value=name,
            **{end: name + word for end, word in ends if name + word in frame.columns},
        )
        for name, shown in figures.items()
    )
