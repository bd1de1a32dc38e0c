"""Figures of systems or metrics side by side: one panel per figure, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.marks import (
    WIDE,
    around,
    exactly,
    in_turn,
    label_room,
    panel_title,
    rows,
    tooltips,
)
from alignframe.charts.theme import COLOURS, finish, legend_above, looks

_GAP = 26
_MOST = 420
"""The maximum width of a panel."""

_ROW = 16


def systems_compared(scores: pl.DataFrame, figures: Mapping[str, str]) -> alt.LayerChart | None:
    """Return figures of systems with their intervals; None if none is defined.

    ``scores`` has one row per system: system, the columns named by ``figures`` and, where known,
    their ``_low`` and ``_high``.
    """
    ends = {"low": "_low", "high": "_high"}
    long = pl.concat(
        scores.select(
            "system",
            measure=pl.lit(shown),
            value=name,
            **{end: name + mark for end, mark in ends.items() if name + mark in scores.columns},
        )
        for name, shown in figures.items()
    ).drop_nulls("value")
    return figures_compared(long, "system", "Systems compared") if long.height else None


def figures_compared(data: pl.DataFrame, row: str, title: str) -> alt.LayerChart:
    """Return one panel per measure, one row per system or metric.

    ``data`` has the column ``row`` with their names, measure and value; optionally low and high,
    the ends of the interval, and pair, shown by colour if there are several.
    """
    bounds = [name for name in ("low", "high") if name in data.columns]
    if len(bounds) < 2:
        data = data.with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    if "pair" not in data.columns:
        data = data.with_columns(pair=pl.lit(""))
    names, measures, pairs = (in_turn(data, name) for name in (row, "measure", "pair"))
    columns = min(len(measures), 3)
    left = label_room(names)
    width = min(_MOST, (WIDE - left - _GAP * (columns - 1)) // columns - 16)
    panels = [
        _panel(data.filter(measure=name), row, (names, pairs), width, shown=at % columns == 0)
        for at, name in enumerate(measures)
    ]
    known = data["low"].null_count() < data.height
    said = alt.Title(title, subtitle="bars: intervals") if known else alt.Title(title)
    chart = alt.concat(*panels, columns=columns, spacing=_GAP)
    return finish(chart, said)


def _panel(
    own: pl.DataFrame, row: str, order: tuple[list[str], list[str]], width: int, shown: bool
) -> Any:
    """Return the panel of a measure: one row per system or metric, one point per pair."""
    names, pairs = order
    name = own["measure"][0]
    several = len(pairs) > 1
    scale = exactly(around(own.select("value", "low", "high").to_numpy()))
    x = alt.X("value:Q", title=None, scale=scale, axis=alt.Axis(tickCount=5))
    plain = {"ticks": False, "domain": False, "labelLimit": 170, "labels": shown}
    at: dict[str, Any] = {"y": rows(names, row, grid=not several, **plain)}
    if several:
        at |= {"yOffset": alt.YOffset("pair:N", sort=pairs)}
        look = looks("pair", pairs, legend_above(pairs, 130))
        at["color"] = look["color"]
    else:
        at["color"] = alt.ColorValue(COLOURS[0])
    tips = [alt.Tooltip(f"{row}:N"), *(tooltips("pair:N") if several else [])]
    tips += [
        alt.Tooltip("value:Q", title=name, format=".4f"),
        *tooltips("low:Q|interval|.4f", "high:Q|to|.4f"),
    ]
    base = alt.Chart(own).encode(**at)
    points = base.mark_point(filled=True, size=64, opacity=1).encode(x=x, tooltip=tips)
    layers = [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=3, opacity=0.4)
        .encode(x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q")),
        points.encode(shape=look["shape"]) if several else points,
    ]
    step = alt.Step(_ROW, **{"for": "offset"}) if several else alt.Step(26)
    return alt.layer(*layers).properties(width=width, height=step, title=panel_title(name))
