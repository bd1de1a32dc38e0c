"""Charts of translation scores: ranked systems, and distributions of segment scores."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.marks import (
    HALF,
    MOST_LABEL,
    around,
    exactly,
    frame_of,
    label_room,
    rows,
    tooltips,
)
from alignframe.charts.theme import COLOURS, INK, finish
from alignframe.errors import InputError
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["score_distributions", "system_ranking"]
__dir__ = listed(__all__)

BANDS = ((0.05, 0.95, 0.22), (0.25, 0.75, 0.55))
"""The quantiles at the ends of each band of a distribution, and its opacity."""

STEP = 24
"""The height of a row."""


def system_ranking(systems: IntoFrame) -> alt.LayerChart:
    """Return systems from best to worst, one point each with its interval.

    Parameters
    ----------
    systems
        One row per system with the columns system and score, and optionally score_low and
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
    scale = exactly(around(data.select("score", *bounds).to_numpy(), 0.06, inside=True))
    width = HALF - label_room(names) - 62
    y = systems_axis(names)
    x = alt.X("score:Q", title="score", scale=scale, axis=alt.Axis(tickCount=5))
    tips = tooltips("system:N", "score:Q||.4f")
    base = alt.Chart(data)
    layers: list[Any] = []
    if known:
        tips += tooltips("score_low:Q|interval|.4f", "score_high:Q|to|.4f")
        layers.append(
            base.mark_rule(strokeWidth=4, opacity=0.4, color=COLOURS[0]).encode(
                x=alt.X("score_low:Q", scale=scale), x2=alt.X2("score_high:Q"), y=y
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
        "Systems from best to worst",
        subtitle="bars: intervals of the mean over resampled segments" if known else "mean scores",
    )
    return finish(alt.layer(*layers), title, width=width, height=alt.Step(STEP))


def score_distributions(segments: IntoFrame, systems: IntoFrame | None = None) -> alt.LayerChart:
    """Return the distribution of segment scores, one strip of quantiles per system.

    Parameters
    ----------
    segments
        One row per system and segment, with the columns system and score; null scores are left out.
    systems
        As for ``system_ranking``, for the order of systems; by default that of mean scores.

    Raises
    ------
    InputError
        If a column is missing, or there is no score.
    """
    frame = frame_of(segments, ["system", "score"], "the table of segments")
    levels = sorted({level for low, high, _ in BANDS for level in (low, high)} | {0.5})
    found = (
        frame.drop_nulls("score")
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
    levelled = data.select(quantile(at) for at in levels).to_numpy()
    scale = exactly(around(levelled, 0.06, inside=True))
    y = systems_axis(names)
    tips = [
        *tooltips("system:N", "segments:Q||,", "mean:Q||.4f"),
        *(alt.Tooltip(f"{quantile(at)}:Q", title=f"{at:.0%}", format=".4f") for at in levels),
    ]
    base = alt.Chart(data).encode(y=y, tooltip=tips)
    layers: list[Any] = [
        base.mark_bar(height=13, cornerRadius=2, opacity=strength, color=COLOURS[0]).encode(
            x=alt.X(
                f"{quantile(low)}:Q",
                title="score of a segment",
                scale=scale,
                axis=alt.Axis(tickCount=6),
            ),
            x2=alt.X2(f"{quantile(high)}:Q"),
        )
        for low, high, strength in BANDS
    ]
    layers += [
        base.mark_tick(height=17, thickness=2.5, color=INK).encode(
            x=alt.X(f"{quantile(0.5)}:Q", scale=scale)
        ),
        base.mark_point(size=42, strokeWidth=1.4, opacity=1, fill="white", color=INK).encode(
            x=alt.X("mean:Q", scale=scale)
        ),
    ]
    title = alt.Title(
        "Scores of segments",
        subtitle="bands: 90% and 50% of the segments; line: median; ring: mean",
    )
    width = HALF - label_room(names) - 22
    return finish(alt.layer(*layers), title, width=width, height=alt.Step(STEP))


def in_order(systems: IntoFrame) -> pl.DataFrame:
    """Return systems with a score from best to worst, ties by name."""
    frame = frame_of(systems, ["system", "score"], "the table of systems")
    kept = ["system", "score", "score_low", "score_high"]
    data = frame.select(name for name in kept if name in frame.columns).drop_nulls("score")
    if not data.height:
        raise InputError("no system with a score", expected="at least one")
    return data.sort("score", "system", descending=[True, False])


def quantile(level: float) -> str:
    """Return the column name of a quantile, such as ``q05`` for 0.05."""
    return f"q{round(100 * level):02d}"


def systems_axis(names: list[str], shown: bool = True) -> alt.Y:
    """Return the axis of systems in the given order, optionally with names."""
    if not shown:
        return alt.Y("system:N", sort=names, title=None, axis=None)
    return rows(names, grid=False, ticks=False, domain=False, labelLimit=MOST_LABEL)
