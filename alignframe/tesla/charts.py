"""Charts of translation scores: systems, segments, human judgements."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.core.lazy import listed
from alignframe.core.rounding import printed
from alignframe.pages.forms import (
    across,
    around,
    bars,
    compared,
    dots,
    frame_of,
    in_turn,
    label_room,
    mark,
    not_empty,
    panel,
    panel_title,
    share,
    side_by_side,
    tips,
)
from alignframe.pages.plane import against
from alignframe.pages.ranked import MANY, close_rows, reader_chooses, spotlight
from alignframe.pages.theme import COLOURS, GREY, HALF, INK, Look, finish
from alignframe.stats.pearson import correlation
from alignframe.typing import IntoFrame

__all__ = ["metric_against_human", "metrics_compared", "score_distributions", "system_ranking"]
__dir__ = listed(__all__)

_AXIS = 58
"""Width of axis figures and title beside a panel."""

_HEIGHT = 250
_LEAST, _MOST, _ALONE = 260, 420, 700
"""The width of a panel: minimum, maximum of several, and of a single one."""

_NAMED = 16
"""Number of systems named beside their points if there is room; tooltips name the rest."""


BANDS = ((0.05, 0.95, 0.22), (0.25, 0.75, 0.55))
"""The quantiles at the ends of each band of a distribution, and its opacity."""


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
    domain = around(data.select("score", *bounds).to_numpy(), 0.06, inside=True)
    width = HALF - label_room(names) - 62
    x, (y, step) = across("score", "score", domain, tickCount=5), close_rows(names)
    data = data.with_columns(best=pl.int_range(pl.len()) == 0)
    shown = ["score_low|interval", "score_high|to"] if known else []
    ends = ("score_low", "score_high") if known else None
    color = spotlight(GREY if len(names) > MANY else COLOURS[0])
    tooltip = tips(data, "system", "score", *shown)
    layers = [
        *dots(data, x, y, tooltip, ends=ends, size=60, color=color),
        mark(
            "text",
            data,
            color=INK,
            x=alt.value(alt.ExprRef("width + 8")),
            y=y,
            text=_figure("score"),
        ),
    ]
    said = "bars: intervals of the mean over resampled segments" if known else "mean scores"
    look: Look = {"width": width, "height": step, "params": [reader_chooses()]}
    return finish(layers, "Systems from best to worst", said, **look)


def _figure(name: str) -> alt.Text:
    return alt.Text(f"{name}:Q", format=".3f")


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
    summary = (
        frame.drop_nulls("score")
        .group_by("system", maintain_order=True)
        .agg(
            pl.len().alias("segments"),
            pl.col("score").mean().alias("mean"),
            *(pl.col("score").quantile(at, "linear").alias(quantile(at)) for at in levels),
        )
    )
    if systems is None:
        systems = summary.select("system", score="mean")
    names = [name for name in in_order(systems)["system"] if name in summary["system"]]
    data = summary.filter(pl.col("system").is_in(names))
    not_empty(data, "segments without scores", "a score of some system given")
    levelled = data.select(quantile(at) for at in levels).to_numpy()
    domain, title = around(levelled, 0.06, inside=True), "score of a segment"
    shown = [f"{quantile(at)}|{at:.0%}" for at in levels]
    y, step = close_rows(names)
    place: Look = {"y": y, "tooltip": tips(data, "system", "segments", "mean", *shown)}
    thick = 9 if len(names) > MANY else 13
    strips: Look = {"height": thick, "cornerRadius": 2, "color": COLOURS[0], **place}
    layers = []
    for low, high, dark in BANDS:
        x = across(quantile(low), title, domain, tickCount=6)
        layers.append(bars(data, opacity=dark, x=x, x2=f"{quantile(high)}:Q", **strips))
    median, mean = (across(name, title, domain) for name in (quantile(0.5), "mean"))
    ring: Look = {"size": 42, "strokeWidth": 1.4, "fill": "white", "color": INK}
    layers += [
        mark("tick", data, height=thick + 4, thickness=2.5, color=INK, x=median, **place),
        mark("point", data, filled=False, x=mean, **ring, **place),
    ]
    said = "bands: 90% and 50% of the segments; line: median; ring: mean"
    width = HALF - label_room(names) - 22
    look: Look = {"width": width, "height": step, "params": [reader_chooses()]}
    return finish(layers, "Scores of segments", said, **look)


def in_order(systems: IntoFrame) -> pl.DataFrame:
    """Return systems with a score from best to worst, ties by name."""
    frame = frame_of(systems, ["system", "score"], "the table of systems")
    kept = ["system", "score", "score_low", "score_high"]
    data = frame.select(name for name in kept if name in frame.columns).drop_nulls("score")
    not_empty(data, "no system with a score", "at least one")
    return data.sort("score", "system", descending=[True, False])


def quantile(level: float) -> str:
    """Return the column name of a quantile, such as ``q05`` for 0.05."""
    return f"q{round(100 * level):02d}"


def metric_against_human(points: IntoFrame, human_name: str = "human score") -> alt.LayerChart:
    """Return human scores of systems against those of each metric: one panel per metric.

    Parameters
    ----------
    points
        One row per system and metric: metric, system, score (the metric's) and human. With a column
        pair, such as fr-en, one panel per metric and pair.
    human_name
        The name of the human score on the axis.

    Raises
    ------
    InputError
        If a column is missing, or no system has both scores.
    """
    data = frame_of(points, ["metric", "system", "score", "human"], "the table of metrics")
    data = data.drop_nulls(["score", "human"])
    not_empty(data, "no system with both scores", "at least one")
    keys = [name for name in ("pair", "metric") if name in data.columns]
    named = pl.concat_str(keys, separator=" · ")
    data = data.with_columns(panel=named)
    names = in_turn(data, "panel")
    # Four in two rows of two, rather than three and one.
    columns = 2 if len(names) == 4 else min(len(names), 3)
    most = _MOST if columns > 1 else _ALONE
    width = min(most, max(_LEAST, share(columns, 26) - _AXIS))

    def draw(name: str, at: int) -> Any:
        own = data.filter(panel=name)
        r, rho = correlations(own)
        tooltip = tips(own, "system", "score", f"human|{human_name}|.4~f")
        titles = "score", None if at else human_name
        size = width, _HEIGHT
        label = "system" if own.height <= _NAMED else None
        layers, *_ = against(
            own, ("score", "human"), size, titles, tooltip, ticks=(5, 6), label=label
        )
        both = f"r = {printed(r, '.2f')}, ρ = {printed(rho, '.2f')}"
        shown = both if np.isfinite(r) else "no correlation"
        return panel(layers, *size, panel_title(name, shown, offset=6))

    return finish(
        side_by_side(names, draw, columns),
        "Metrics against human judgements, one point per system",
        "dashed: least-squares line; r: Pearson's, ρ: Spearman's correlation",
    )


def metrics_compared(figures: IntoFrame) -> alt.LayerChart:
    """Return measures of metrics, such as Kendall's tau: one panel per measure, one row per metric.

    Parameters
    ----------
    figures
        One row per metric and measure: metric, measure and value; optionally low and high, the ends
        of its interval, and pair, the language pair, shown by colour if there are several.

    Raises
    ------
    InputError
        If a column is missing, or there is no value.
    """
    data = frame_of(figures, ["metric", "measure", "value"], "the table of metrics")
    data = not_empty(data.drop_nulls("value"), "no measure of a metric", "at least one value")
    several = data["metric"].n_unique() > 1
    return compared(data, "metric", "Metrics compared" if several else "Figures of the metric")


def correlations(own: pl.DataFrame) -> tuple[float, float]:
    """Return Pearson's and Spearman's correlation of score with human; NaN where undefined."""
    x, y = own["score"].to_numpy(), own["human"].to_numpy()
    if len(x) < 2:
        return float("nan"), float("nan")
    ranks = [np.asarray(own[name].rank().to_numpy(), np.float64) for name in ("score", "human")]
    return float(correlation(x, y)), float(correlation(*ranks))
