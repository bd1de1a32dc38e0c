"""Charts of measures against an external score (Fraser & Marcu 2007, figures 1 to 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.charts.marks import around, frame_of, in_turn, panels, tooltips
from alignframe.charts.scatter import Plane
from alignframe.charts.theme import (
    COLOURS,
    DASHES,
    FAINT,
    INK,
    SYMBOLS,
    cycled,
    finish,
    legend_above,
    looks,
)
from alignframe.errors import InputError, number_of
from alignframe.public import listed
from alignframe.stats.conclusion import ANNOTATION_WORDS
from alignframe.stats.external import external_table, match_scores
from alignframe.stats.pearson import correlation, least_squares
from alignframe.stats.values import ANNOTATIONS
from alignframe.typing import IntoFrame, IntoScores

__all__ = ["measure_against_score", "r2_by_alpha", "r2_by_group"]
__dir__ = listed(__all__)

_WIDTH = 400
_HEIGHT = 320
_WIDE = 900
_NAMED = 100
"""Number of systems named beside their points if there is room; tooltips name the rest."""

_AER = "1 − AER"
_ALL = "all systems"


def measure_against_score(
    values: IntoFrame,
    external: IntoScores,
    *,
    measure: str = "1-aer",
    annotation: str | None = "sure-possible",
    score_name: str = "score",
    labels: Mapping[str, str] | None = None,
) -> alt.LayerChart:
    """Measure against external score: one point per system, the least-squares line, and r².

    Parameters
    ----------
    values
        A table of ``stats.measure_values``.
    external
        External scores, as for ``stats.correlate``. With a column ``group``, each group has its
        symbol and colour.
    measure, annotation
        Which rows of ``values`` to show.
    score_name
        The name of the external score on the axis, for example BLEU.
    labels
        Labels of points, instead of system names.

    Raises
    ------
    InputError
        If ``values`` has no such measure, or a system lacks a score.
    """
    scores = external_table(external)
    columns = ["system", "measure", "annotation", "alpha", "value"]
    values = frame_of(values, columns, "the table of measures")
    rows = values.filter(measure=measure).filter(pl.col("annotation").eq_missing(annotation))
    if not rows.height:
        raise InputError(
            f"no measure {measure} of the annotation {annotation}",
            expected=", ".join(values["measure"].unique(maintain_order=True)),
        )
    match_scores(rows["system"].to_list(), scores)
    data = rows.drop_nulls("value").join(scores, on="system").sort("system")
    name = _name(measure, annotation, rows["alpha"][0])
    short = name.split(",")[0]
    x, y = data["value"].to_numpy(), data["score"].to_numpy()
    plane = Plane(
        ("value", "score"), (around(x), around(y)), (_WIDTH, _HEIGHT), (name, score_name), (6, 7)
    )
    r = float(correlation(x, y)) if len(x) > 1 else float("nan")
    layers: list[Any] = []
    line = None
    if np.isnan(r):
        subtitle = "no correlation: the measure is the same for all systems, or undefined"
    else:
        falling = f" (r = {r:.2f})".replace("-", "−") if r < 0 else ""
        kinds = (
            "" if measure == "1-aer" else f"; {ANNOTATION_WORDS.get(str(annotation), annotation)}"
        )
        subtitle = f"r² = {r * r:.2f}{falling} over {number_of(len(x), 'system')}{kinds}"
        line = least_squares(x, y)
        room = 0.04 * (x.max() - x.min())
        layers.append(plane.line(line, [x.min() - room, x.max() + room], 1.6))
    points = alt.Chart(data).mark_point(filled=True, size=90, opacity=0.9, clip=False)
    tips = [alt.Tooltip("system:N"), alt.Tooltip("value:Q", title=name, format=".4f")]
    tips.append(alt.Tooltip("score:Q", title=score_name, format=".4~f"))
    if "group" in data.columns:
        groups = sorted(scores["group"].unique().to_list())
        tips.insert(1, alt.Tooltip("group:N"))
        points = points.encode(**looks("group", groups, legend_above(groups, 60)))
    else:
        points = points.encode(color=alt.ColorValue(COLOURS[0]))
    layers.append(points.encode(**plane.axes, tooltip=tips))
    if data.height <= _NAMED:
        written = pl.col("system").replace(labels) if labels else pl.col("system")
        named = data.select("value", "score", label=written)
        texts, lacking = plane.names(named, "label", line, far=True)
        layers += texts
        subtitle += f"; {lacking} names do not fit" if lacking else ""
    return finish(
        alt.layer(*layers), f"{short} against {score_name}", subtitle, width=_WIDTH, height=_HEIGHT
    )


def _name(measure: str, annotation: str | None, alpha: float | None) -> str:
    """Return the name of a measure on an axis."""
    if measure == "1-aer":
        return _AER
    if alpha is None:
        return measure
    return f"F(α = {alpha:g}), {ANNOTATION_WORDS.get(str(annotation), annotation)}"


def _signed_squares(correlations: pl.DataFrame, interval: str) -> pl.DataFrame:
    """Return r·|r| of each row, with its interval; negative where the score falls."""
    ends = {"r2": "pearson", "low": f"pearson_low_{interval}", "high": f"pearson_high_{interval}"}
    squares = [(pl.col(own) * pl.col(own).abs()).alias(name) for name, own in ends.items()]
    kind = pl.when(measure="1-aer").then(pl.lit(_AER))
    return correlations.with_columns(
        *squares, kind=kind.otherwise(pl.col("annotation").replace(ANNOTATION_WORDS))
    ).drop_nulls("r2")


def _correlations(given: IntoFrame) -> pl.DataFrame:
    """Return a table of ``stats.correlate``."""
    ends = [f"pearson_{end}_{of}" for of in ("sentences", "systems") for end in ("low", "high")]
    columns = ["measure", "annotation", "alpha", "group", "systems", "pearson", "best", *ends]
    return frame_of(given, columns, "the table of correlations")


def _title_of(lowest: float) -> str:
    """Return the axis title of r·|r|, which is r² if no correlation is negative."""
    return "r²" if lowest >= 0 else "r·|r|  (r² with the sign of r)"


def r2_by_alpha(correlations: IntoFrame, *, interval: str | None = None) -> alt.LayerChart:
    """r² against α, one line per annotation; a horizontal rule for 1 - AER; the best α marked.

    If a correlation is negative, the axis is r·|r|: r² with the sign of r.

    Parameters
    ----------
    correlations
        A table of ``stats.correlate``; its rows of all systems are shown.
    interval
        The interval drawn as a band, ``sentences`` or ``systems``; by default the first of these in
        the table.
    """
    correlations = _correlations(correlations).filter(pl.col("group").is_null())
    if interval is None:
        known = correlations["pearson_low_sentences"].null_count() < correlations.height
        interval = "sentences" if known else "systems"
    data = _signed_squares(correlations, interval)
    by_alpha = data.drop_nulls("alpha").drop("signature").sort("alpha")
    if not by_alpha.height:
        raise InputError("no F whose correlation is defined", expected="F at two or more α")
    first, last = (float(end) for end in by_alpha["alpha"].to_numpy()[[0, -1]])
    rule = data.filter(measure="1-aer").head(1).drop("signature")
    level = pl.concat([rule.with_columns(alpha=pl.lit(end)) for end in (first, last)])
    kinds = [ANNOTATION_WORDS[one] for one in ANNOTATIONS if one in by_alpha["annotation"]]
    best = by_alpha.filter("best").sort("annotation", descending=True)
    found = [f"{row['alpha']:g} ({row['kind']})" for row in best.iter_rows(named=True)]
    bound = "band: interval over resampled " + interval
    if by_alpha["low"].null_count() == by_alpha.height:
        bound = "no intervals"
    colours, dashes = list(COLOURS[: len(kinds)]), [list(one) for one in DASHES[: len(kinds)]]
    if rule.height:
        kinds, colours, dashes = [*kinds, _AER], [*colours, "#7a858f"], [*dashes, [10, 4]]
    shown = legend_above(kinds, 130, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.2)
    look = looks("kind", kinds, shown, color=colours, strokeDash=dashes)
    colour, dash = look["color"], look["strokeDash"]
    room = 0.03 * (last - first) or 0.05
    across = alt.X(
        "alpha:Q",
        title="α  (0: recall only, 1: precision only)",
        scale=alt.Scale(domain=[first - room, last + room], nice=False),
        axis=alt.Axis(values=by_alpha["alpha"].unique().sort().to_list(), format="~g"),
    )
    lowest = min(0.0, float(np.nanmin(data.select("r2", "low", "high").to_numpy())))
    up_scale = alt.Scale(domain=[max(-1.0, lowest - 0.04), 1], nice=False)
    up = alt.Y("r2:Q", title=_title_of(lowest), scale=up_scale)
    base = alt.Chart(by_alpha)
    lines = base.mark_line(strokeWidth=2.2).encode(x=across, y=up, color=colour, strokeDash=dash)
    tips = [
        *tooltips("kind:N|gold links", "alpha:Q|α", "pearson:Q|r|.3f"),
        alt.Tooltip("r2:Q", title=_title_of(lowest)[:5].strip(), format=".3f"),
        *tooltips("low:Q|interval|.3f", "high:Q|to|.3f"),
    ]
    points = base.mark_point(filled=True, size=34, opacity=1)
    stars = alt.Chart(best).mark_point(filled=True, size=170, opacity=1, stroke="white")
    layers = [
        base.mark_area(opacity=0.13, clip=True).encode(
            x=across, y=alt.Y("low:Q", scale=up_scale), y2=alt.Y2("high:Q"), color=colour
        ),
        alt.Chart(pl.DataFrame({"r2": [0.0]})).mark_rule(color=FAINT).encode(y=up),
        alt.Chart(level)
        .mark_line(strokeWidth=2)
        .encode(x=across, y=up, color=colour, strokeDash=dash),
        lines,
        points.encode(x=across, y=up, color=colour, tooltip=tips),
        stars.encode(x=across, y=up, color=colour, tooltip=tips),
    ]
    return finish(
        alt.layer(*layers),
        "How well F predicts the score, by α",
        f"large points: the best α: {', '.join(found) or 'none'}; {bound}",
        width=_WIDE,
        height=_HEIGHT,
    )


def r2_by_group(correlations: IntoFrame) -> alt.LayerChart:
    """r² against α over all systems and within each group, one panel per annotation.

    Parameters
    ----------
    correlations
        A table of ``stats.correlate`` with ``by_group``. If a correlation is negative, the axis is
        r·|r|.

    Raises
    ------
    InputError
        If there are no groups, or no correlation of F is defined.
    """
    every = _correlations(correlations).select(
        "measure", "annotation", "alpha", "group", "systems", "pearson"
    )
    data = every.drop_nulls(["alpha", "pearson"]).with_columns(
        r2=pl.col("pearson") * pl.col("pearson").abs(),
        kind=pl.col("annotation").replace(ANNOTATION_WORDS),
        group=pl.col("group").fill_null(_ALL),
    )
    groups = sorted(set(data["group"]) - {_ALL})
    if not groups:
        raise InputError("no group with a correlation", expected="a table made with by_group")
    names = [_ALL, *groups]
    look = looks(
        "group",
        names,
        legend_above(names, 130),
        color=[INK, *cycled(COLOURS, len(groups))],
        shape=["stroke", *cycled(SYMBOLS, len(groups))],
    )
    lowest = min(0.0, float(data["r2"].min()))  # type: ignore[arg-type]
    up = alt.Y(
        "r2:Q",
        title=_title_of(lowest),
        scale=alt.Scale(domain=[lowest - 0.04 if lowest else 0, 1], nice=False),
    )
    inside = alt.Scale(zero=False, padding=8, nice=False)
    across = alt.X("alpha:Q", title="α", scale=inside, axis=alt.Axis(format="~g", tickCount=5))
    tips = tooltips("group:N", "systems:Q", "alpha:Q|α", "pearson:Q|r|.3f")
    base = alt.Chart().encode(x=across, y=up, color=look["color"])
    thick = alt.when(alt.datum["group"] == _ALL).then(alt.value(3.0)).otherwise(alt.value(1.7))
    layers = [
        base.mark_line().encode(strokeWidth=thick),
        base.mark_point(filled=True, size=44, opacity=1).encode(shape=look["shape"], tooltip=tips),
    ]
    kinds = in_turn(data, "kind")
    chart = alt.layer(*layers, data=data).properties(
        width=_WIDE // len(kinds) - 20, height=_HEIGHT - 60
    )
    title = "How well F predicts the score within each group, by α"
    return finish(panels(chart, 26, ("kind", kinds)), title)
