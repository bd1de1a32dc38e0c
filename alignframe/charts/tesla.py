"""The figures of translation scores: systems in order, and the spread of their segments."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from alignframe.arrow import require_columns, to_table
from alignframe.charts.theme import COLOURS, INK, finish
from alignframe.errors import InputError
from alignframe.typing import IntoFrame

HALF = 446
"""The width of a chart with its labels, two of which stand side by side on a page."""

WIDE = 985
"""The width of a chart with its labels: that of a page's card."""

BANDS = ((0.05, 0.95, 0.22), (0.25, 0.75, 0.55))
"""The quantiles at the ends of each band of a distribution, and how strongly it is drawn."""

STEP = 24
"""The height of a row."""

_LETTER = 6.7
_MOST_LABEL = 170


def system_ranking(systems: IntoFrame) -> alt.LayerChart:
    """Return systems from the best to the worst: a point each, with its interval.

    Parameters
    ----------
    systems
        One row per system with the columns system and score and, where known, score_low and
        score_high, the ends of its interval.

    Raises
    ------
    InputError
        If a column is missing, or no system has a score.
    """
    data = in_order(systems)
    names = data["system"].to_list()
    bounds = [name for name in ("score_low", "score_high") if name in data.columns]
    known = len(bounds) == 2 and data["score_low"].null_count() < data.height
    domain = span(data.select("score", *bounds))
    width = HALF - label_room(names) - 62
    y = systems_axis(names)
    x = alt.X("score:Q", title="score", scale=_scale(domain), axis=alt.Axis(tickCount=5))
    tips = [alt.Tooltip("system:N"), alt.Tooltip("score:Q", format=".4f")]
    base = alt.Chart(data)
    layers: list[Any] = []
    if known:
        tips += [
            alt.Tooltip("score_low:Q", title="interval", format=".4f"),
            alt.Tooltip("score_high:Q", title="to", format=".4f"),
        ]
        layers.append(
            base.mark_rule(strokeWidth=4, opacity=0.4, color=COLOURS[0]).encode(
                x=alt.X("score_low:Q", scale=_scale(domain)), x2=alt.X2("score_high:Q"), y=y
            )
        )
    layers += [
        base.mark_point(filled=True, size=60, opacity=1, color=COLOURS[0]).encode(
            x=x, y=y, tooltip=tips
        ),
        base.mark_text(align="left", color=INK, fontSize=12).encode(
            x=alt.value(width + 8), y=y, text=alt.Text("score:Q", format=".3f")
        ),
    ]
    title = alt.Title(
        "Systems, from the best to the worst",
        subtitle="bars: intervals of the mean over resampled segments" if known else "mean scores",
    )
    return finish(alt.layer(*layers).properties(width=width, height=alt.Step(STEP), title=title))


def score_distributions(segments: IntoFrame, systems: IntoFrame | None = None) -> alt.LayerChart:
    """Return how the scores of segments spread, a strip of quantiles a system.

    Parameters
    ----------
    segments
        One row per system and segment, with the columns system and score; a score of null is left
        out.
    systems
        As for ``system_ranking``: the order of systems. If left out, that of their mean scores.

    Raises
    ------
    InputError
        If a column is missing, or there is no score.
    """
    table = to_table(segments)
    require_columns(table.schema, ["system", "score"], "the table of segments")
    frame = pl.DataFrame(pl.from_arrow(table.select(["system", "score"])))
    levels = sorted({level for low, high, _ in BANDS for level in (low, high)} | {0.5})
    found = (
        frame.with_columns(pl.col("system").cast(pl.String))
        .drop_nulls("score")
        .group_by("system", maintain_order=True)
        .agg(
            pl.len().alias("segments"),
            pl.col("score").mean().alias("mean"),
            *(pl.col("score").quantile(at, "linear").alias(quantile(at)) for at in levels),
        )
    )
    if systems is None:
        systems = found.select("system", score="mean")
    names = [name for name in in_order(systems)["system"] if name in found["system"]]
    data = found.filter(pl.col("system").is_in(names))
    if not data.height:
        raise InputError("segments without scores", expected="a score of some system given")
    domain = span(data.select(quantile(at) for at in levels))
    y = systems_axis(names)
    tips = [
        alt.Tooltip("system:N"),
        alt.Tooltip("segments:Q", format=","),
        alt.Tooltip("mean:Q", format=".4f"),
        *(alt.Tooltip(f"{quantile(at)}:Q", title=f"{at:.0%}", format=".4f") for at in levels),
    ]
    base = alt.Chart(data).encode(y=y, tooltip=tips)
    layers: list[Any] = [
        base.mark_bar(height=13, cornerRadius=2, opacity=strength, color=COLOURS[0]).encode(
            x=alt.X(
                f"{quantile(low)}:Q",
                title="score of a segment",
                scale=_scale(domain),
                axis=alt.Axis(tickCount=6),
            ),
            x2=alt.X2(f"{quantile(high)}:Q"),
        )
        for low, high, strength in BANDS
    ]
    layers += [
        base.mark_tick(height=17, thickness=2.5, color=INK).encode(
            x=alt.X(f"{quantile(0.5)}:Q", scale=_scale(domain))
        ),
        base.mark_point(size=42, strokeWidth=1.4, opacity=1, fill="white", color=INK).encode(
            x=alt.X("mean:Q", scale=_scale(domain))
        ),
    ]
    title = alt.Title(
        "Scores of segments",
        subtitle="bands: 90% and 50% of the segments; line: median; ring: mean",
    )
    width = HALF - label_room(names) - 22
    return finish(alt.layer(*layers).properties(width=width, height=alt.Step(STEP), title=title))


def in_order(systems: IntoFrame) -> pl.DataFrame:
    """Return systems from the best to the worst score, of equals by name; those with one.

    Raises
    ------
    InputError
        If a column is missing, or no system has a score.
    """
    table = to_table(systems)
    require_columns(table.schema, ["system", "score"], "the table of systems")
    kept = [
        name
        for name in ("system", "score", "score_low", "score_high")
        if name in table.column_names
    ]
    frame = pl.DataFrame(pl.from_arrow(table.select(kept)))
    data = frame.with_columns(pl.col("system").cast(pl.String)).drop_nulls("score")
    if not data.height:
        raise InputError("no system with a score", expected="at least one")
    return data.sort("score", "system", descending=[True, False])


def quantile(level: float) -> str:
    """Return the name of a column of quantiles, ``q05`` of 0.05."""
    return f"q{round(100 * level):02d}"


def span(figures: pl.DataFrame) -> list[float]:
    """Return the range of an axis, with a little room at its ends, beyond [0, 1] only if needed."""
    values = [
        value for column in figures for value in column.drop_nulls().drop_nans().to_list()
    ] or [0.0, 1.0]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.05
    inside = low >= 0 and high <= 1
    return [max(0.0, low - room), min(1.0, high + room)] if inside else [low - room, high + room]


def label_room(names: list[str]) -> int:
    """Return the pixels that names beside a chart take."""
    return round(min(_MOST_LABEL, _LETTER * max(map(len, names), default=0))) + 14


def _scale(domain: list[float]) -> alt.Scale:
    return alt.Scale(domain=domain, nice=False, zero=False)


def systems_axis(names: list[str], shown: bool = True) -> alt.Y:
    """Return the axis of systems in the given order, with their names if they are to be shown."""
    look: dict[str, Any] = {"grid": False, "ticks": False, "domain": False}
    axis = alt.Axis(**look, labelLimit=_MOST_LABEL) if shown else None
    return alt.Y("system:N", sort=names, title=None, axis=axis)
