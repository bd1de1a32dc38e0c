"""Charts of measures against external scores (Fraser & Marcu 2007, figures 1 to 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.core.figures import alpha_name
from alignframe.core.lazy import listed
from alignframe.core.rounding import printed
from alignframe.errors import InputError, number_of
from alignframe.pages.forms import (
    across,
    band,
    facets,
    frame_of,
    in_turn,
    level,
    lines,
    mark,
    not_empty,
    panel,
    panel_title,
    share,
    side_by_side,
    tips,
    up,
)
from alignframe.pages.plane import against
from alignframe.pages.theme import DASH, FAINT, GREY, INK, Look, finish, looks
from alignframe.stats.external import external_table, match_scores
from alignframe.stats.predictions import ANNOTATION_WORDS
from alignframe.stats.values import ANNOTATIONS
from alignframe.typing import IntoFrame, IntoScores

__all__ = ["measure_against_score", "measures_against_scores", "r2_by_alpha", "r2_by_group"]
__dir__ = listed(__all__)

_WIDTH = 400
_HEIGHT = 320
_WIDE = 900
_NAMED = 100
"""Number of systems named beside their points if there is room; tooltips name the rest."""

_AER = "1 − AER"
_ALL = "all systems"
_ENDS = {0.0: "Recall", 1.0: "Precision"}
_SIZE = 156, 135


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
    shown = ", ".join(in_turn(values, "measure"))
    not_empty(rows, f"no measure {measure} of the annotation {annotation}", shown)
    data = _scored(rows, scores)
    name = _name(measure, annotation, rows["alpha"][0])
    label = None
    if data.height <= _NAMED:
        label = "label"
        data = data.with_columns(label=pl.col("system").replace(labels or {}))
    grouped = "group" in data.columns
    tooltip = tips(
        data, "system", *["group"] * grouped, f"value|{name}", f"score|{score_name}|.4~f"
    )
    layers, r, lacking = against(
        data,
        ("value", "score"),
        (_WIDTH, _HEIGHT),
        (name, score_name),
        tooltip,
        ticks=(6, 7),
        look=_by_group(scores) if grouped else None,
        label=label,
        far=True,
    )
    subtitle = "no correlation: the measure is the same for all systems, or undefined"
    if np.isfinite(r):
        falling = f" (r = {printed(r, '.2f')})" if r < 0 else ""
        kind = (
            "" if measure == "1-aer" else f"; {ANNOTATION_WORDS.get(str(annotation), annotation)}"
        )
        subtitle = f"r² = {r * r:.2f}{falling} over {number_of(data.height, 'system')}{kind}"
    subtitle += f"; {lacking} names do not fit" if lacking else ""
    title = f"{name.split(',')[0]} against {score_name}"
    return finish(layers, title, subtitle, width=_WIDTH, height=_HEIGHT)


def _scored(rows: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Return the values of a measure beside external scores, which all systems must have."""
    match_scores(rows["system"].to_list(), scores)
    return rows.drop_nulls("value").join(scores, on="system").sort("system")


def _by_group(scores: pl.DataFrame) -> Look:
    return looks("group", sorted(scores["group"].unique()), room=60)


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
    not_empty(by_alpha, "no F whose correlation is defined", "F at two or more α")
    first, last = (float(end) for end in by_alpha["alpha"].to_numpy()[[0, -1]])
    rule = data.filter(measure="1-aer").head(1).drop("signature")
    flat = pl.concat([rule.with_columns(alpha=pl.lit(end)) for end in (first, last)])
    kinds = [ANNOTATION_WORDS[kind] for kind in ANNOTATIONS if kind in by_alpha["annotation"]]
    best = by_alpha.filter("best").sort("annotation", descending=True)
    labels = [f"{row['alpha']:g} ({row['kind']})" for row in best.iter_rows(named=True)]
    unknown = by_alpha["low"].null_count() == by_alpha.height
    bound = "no intervals" if unknown else f"band: interval over resampled {interval}"
    look = looks(
        "kind",
        [*kinds, *[_AER] * rule.height],
        fixed={_AER: (GREY, DASH, [10, 4])},
    )
    room = 0.03 * (last - first) or 0.05
    ticks: Look = {"values": by_alpha["alpha"].unique().sort().to_list(), "format": "~g"}
    lowest = min(0.0, float(np.nanmin(data.select("r2", "low", "high").to_numpy())))
    title = _title_of(lowest)
    x = across(
        "alpha", "α  (0: recall only, 1: precision only)", [first - room, last + room], **ticks
    )
    y = up("r2", title, [max(-1.0, lowest - 0.04), 1])
    tooltip = tips(by_alpha, "kind|gold links", "alpha|α|~g", "pearson|r|.3f")
    tooltip.append(alt.Tooltip("r2:Q", title=title[:5].strip(), format=".3f"))
    tooltip += tips(by_alpha, "low|interval|.3f", "high|to|.3f")
    own = {"x": x, "y": y, "color": look["color"]}
    layers = [
        band(by_alpha, x, y, look["color"], clip=True),
        level(0.0, y, color=FAINT, strokeDash=[1, 0]),
        mark("line", flat, strokeDash=look["strokeDash"], **own),
        *lines(by_alpha, x, y, look, tooltip),
        mark("point", best, size=170, stroke="white", shape=look["shape"], tooltip=tooltip, **own),
    ]
    return finish(
        layers,
        "How well F predicts the score, by α",
        f"large points: the best α: {', '.join(labels) or 'none'}; {bound}",
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
    look = looks("group", names, known=groups, fixed={_ALL: (INK, DASH, [1, 0])})
    lowest = min(0.0, float(data["r2"].min()))  # type: ignore[arg-type]
    x = across("alpha", "α", zero=False, padding=8, nice=False, format="~g", tickCount=5)
    y = up("r2", _title_of(lowest), [lowest - 0.04 if lowest else 0, 1])
    tooltip = tips(data, "group", "systems", "alpha|α|~g", "pearson|r|.3f")
    thick = alt.when(alt.datum["group"] == _ALL).then(alt.value(3.0)).otherwise(alt.value(1.7))
    kinds = in_turn(data, "kind")
    drawn = lines(None, x, y, look, tooltip, width=thick)
    size = share(len(kinds), 20, 20), _HEIGHT - 60
    title = "How well F predicts the score within each group, by α"
    return finish(facets(drawn, data, size, ("kind", kinds)), title)


def measures_against_scores(
    values: IntoFrame,
    scores: Mapping[str, IntoScores],
    *,
    annotation: str = "sure-possible",
    alphas: Mapping[str, Sequence[float]] | None = None,
) -> alt.LayerChart:
    """Measures against several scores: one row per score, one panel per measure.

    Parameters
    ----------
    values
        A table of ``stats.measure_values``, with F at the α to show: 0 is recall, 1 precision.
    scores
        Scores of the systems by name, as for ``stats.correlate``.
    annotation
        Which gold links count.
    alphas
        The values of α for F; 0.5, 0 and 1 by default. 1 - AER comes first if the annotation has
        it.

    Raises
    ------
    InputError
        If there is no score, a system lacks one, or ``values`` lacks a measure.
    """
    columns = ["system", "measure", "annotation", "value"]
    table = frame_of(values, columns, "the table of measures").filter(annotation=annotation)
    if not scores:
        raise InputError("no scores", expected="one per system, by the name of the score")
    rows = []
    for name, given in scores.items():
        shown = (alphas or {}).get(name, (0.5, 0.0, 1.0))
        titles = {"1-aer": _AER} if annotation == "sure-possible" else {}
        titles |= {alpha_name(score): _ENDS.get(score, f"F(α = {score:g})") for score in shown}
        outside = external_table(given)

        def draw(
            measure: str, at: int, titles: Any = titles, name: str = name, of: Any = outside
        ) -> Any:
            return _small(table.filter(measure=measure), of, titles[measure], "" if at else name)

        rows.append(side_by_side(list(titles), draw, len(titles), 14))
    words = ANNOTATION_WORDS.get(annotation, annotation)
    return finish(
        alt.vconcat(*rows, spacing=18),
        f"{' and '.join(scores) if len(scores) < 3 else 'Scores'} against measures, {words}",
        "below 0: the score falls where the measure rises",
    )


def _small(rows: pl.DataFrame, scores: pl.DataFrame, title: str, name: str) -> Any:
    """Return the points of one measure and their line; ``name`` is the axis title."""
    not_empty(rows, f"no measure {title}", "F at every α that is shown")
    data = _scored(rows, scores)
    data = data.select("system", "value", *scores.columns[1:])
    look = _by_group(scores) if "group" in data.columns else None
    tooltip = tips(data, "system", f"value|{title}", "score||.4~f")
    layers, r, _ = against(
        data, ("value", "score"), _SIZE, (None, name or None), tooltip, ticks=(3, 5), look=look
    )
    for layer in [] if name else layers:  # the first panel of a row has the figures
        layer.encoding.y.axis = alt.Axis(labels=False, ticks=False, tickCount=5)
    said = "no correlation"
    if np.isfinite(r):
        said = f"r² = {printed(r * abs(r), '.2f')}"
    return panel(layers, *_SIZE, panel_title(title, said))
