"""The figures of word-alignment quality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.charts.theme import FAINT, INK, by_system, dash, finish, shape
from alignframe.errors import InputError
from alignframe.links.gold import band_names
from alignframe.measures import alpha_name

_WIDTH = 400
_HEIGHT = 340
_WIDE = 900
_NAMED = 7
"""So many systems are named beside their points; more, in a legend."""


def precision_recall(scores: pl.DataFrame, alpha: float = 0.5) -> alt.LayerChart:
    """Precision against recall, a point a system, over curves of equal F.

    Parameters
    ----------
    scores
        A table of ``links.scores``; with intervals, they are drawn as bars.
    alpha
        The α of the curves.
    """
    data = scores.drop_nulls(["precision", "recall"])
    names = sorted(scores["system"].unique().to_list())
    lowest = ["precision", "recall", "precision_low", "recall_low"]
    lows = data.select(name for name in lowest if name in data.columns).to_numpy()
    low = max(0.0, np.floor((np.nanmin(lows) - 0.04) * 20) / 20) if lows.size else 0.0
    scale = alt.Scale(domain=[low, 1], nice=False)
    x = alt.X("recall:Q", title="Recall of Sure links", scale=scale)
    y = alt.Y("precision:Q", title="Precision among Possible links", scale=scale)
    curves = _iso_f(low, alpha)
    lines = (
        alt.Chart(curves)
        .mark_line(color=FAINT, strokeDash=[4, 3], strokeWidth=1, clip=True)
        .encode(x=x, y=y, detail="level:N")
    )
    ends = curves.group_by("level").agg(pl.all().sort_by("recall").last())
    labels = (
        alt.Chart(ends)
        .mark_text(align="right", dx=-3, dy=-6, color="#98a2ab", fontSize=10, clip=True)
        .encode(x=x, y=y, text="label:N")
    )
    base = alt.Chart(data)
    colour = by_system(names, legend=len(names) > _NAMED)
    layers: list[Any] = [lines, labels]
    if "recall_low" in scores.columns:
        layers.append(
            base.mark_rule(opacity=0.5, clip=True).encode(
                x="recall_low:Q", x2="recall_high:Q", y=y, color=colour
            )
        )
        layers.append(
            base.mark_rule(opacity=0.5, clip=True).encode(
                x=x, y="precision_low:Q", y2="precision_high:Q", color=colour
            )
        )
    tips = [
        alt.Tooltip("system:N"),
        alt.Tooltip("precision:Q", format=".4f"),
        alt.Tooltip("recall:Q", format=".4f"),
        alt.Tooltip("aer:Q", format=".4f", title="AER"),
    ]
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=x, y=y, color=colour, tooltip=tips
    )
    if len(names) > _NAMED:
        points = points.encode(shape=shape(names))
    # A name stands left of its point where it would run out of the chart on the right.
    middle = (low + 1) / 2
    right = alt.datum.recall < middle
    left = alt.datum.recall >= middle
    sides: tuple[tuple[Any, Any, int], ...] = ((right, "left", 9), (left, "right", -9))
    for where, align, dx in sides if len(names) <= _NAMED else ():
        layers.append(
            base.transform_filter(where)
            .mark_text(align=align, dx=dx, dy=-8, fontSize=12, fontWeight="bold", limit=170)
            .encode(x=x, y=y, text="system:N", color=colour)
        )
    layers.append(points)
    return finish(
        alt.layer(*layers).properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=alt.Title("Precision and recall", subtitle=f"dashed: equal F at α = {alpha:g}"),
        )
    )


def _iso_f(low: float, alpha: float) -> pl.DataFrame:
    """Return points of the curves on which F is 0.1, 0.2, ... (0.05 steps in a narrow chart)."""
    step = 0.1 if low < 0.5 else 0.05
    side = np.linspace(max(low, 0.01), 1, 60)
    rows = []
    for level in np.arange(step, 1, step):
        with np.errstate(divide="ignore", invalid="ignore"):
            # Each curve is walked along both axes, so that it reaches the edges where it is steep.
            recall = np.append(side, level * (1 - alpha) * side / (side - level * alpha))
            precision = np.append(level * alpha * side / (side - level * (1 - alpha)), side)
        label = f"{level:.2f}".removesuffix("0")
        for r, p in sorted(zip(recall.tolist(), precision.tolist(), strict=True)):
            if low <= p <= 1 and low <= r <= 1 and p > 0 and r > 0:
                rows.append({"level": float(level), "label": label, "recall": r, "precision": p})
    schema = {
        "level": pl.Float64,
        "label": pl.String,
        "recall": pl.Float64,
        "precision": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema)


def f_by_alpha(scores: pl.DataFrame, alphas: Sequence[float]) -> alt.LayerChart:
    """F of each system against α: which system leads depends on how recall is weighted.

    Parameters
    ----------
    scores
        A table of ``links.scores`` that has F at every one of ``alphas``.
    """
    names = sorted(scores["system"].unique().to_list())
    data = pl.concat(
        scores.select("system", pl.lit(alpha).alias("alpha"), f=pl.col(alpha_name(alpha)))
        for alpha in alphas
    ).drop_nulls()
    if not data.height:
        raise InputError("F of no system is defined", expected="gold with Sure links")
    hover = alt.selection_point(fields=["alpha"], nearest=True, on="pointerover", empty=False)
    base = alt.Chart(data).encode(
        x=alt.X(
            "alpha:Q", title="α  (0: recall only, 1: precision only)", scale=alt.Scale(nice=False)
        ),
        y=alt.Y("f:Q", title="F-measure", scale=alt.Scale(domain=_span(data["f"]), zero=False)),
        color=by_system(names),
    )
    lines = base.mark_line(strokeWidth=2.2).encode(strokeDash=dash(names))
    points = base.mark_point(filled=True, size=60).encode(
        opacity=alt.condition(hover, alt.value(1), alt.value(0)),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("alpha:Q", title="α"),
            alt.Tooltip("f:Q", title="F", format=".4f"),
        ],
    )
    return finish(
        alt.layer(lines, points.add_params(hover)).properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=alt.Title(
                "F-measure against α", subtitle="left, recall counts; right, precision"
            ),
        )
    )


def _span(figures: pl.Series) -> list[float]:
    """Return the range of an axis: at least 0.05, so that small differences look small."""
    low, high = float(figures.to_numpy().min()), float(figures.to_numpy().max())
    room = max(0.0, 0.05 - (high - low)) / 2 + 0.005
    return [max(0.0, low - room), min(1.0, high + room)]


def error_by_length(
    scores: pl.DataFrame, bands: Sequence[int], lengths: str = "mean words of both sides"
) -> alt.LayerChart:
    """AER of each system by band of sentence length, with the number of sentences in each.

    Parameters
    ----------
    scores
        A table of ``links.scores(..., by=["length"])``.
    bands
        The bands of that table.
    lengths
        What the lengths are, for the axis.
    """
    names = sorted(scores["system"].unique().to_list())
    sizes = dict(scores.group_by("length").agg(pl.col("sentences").max()).iter_rows())
    labels = {name: f"{name}|n = {sizes[name]:,}" for name in band_names(bands) if name in sizes}
    scores = scores.with_columns(pl.col("length").replace_strict(labels))
    x = alt.X(
        "length:O",
        sort=list(labels.values()),
        title=f"Sentence length ({lengths})",
        axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '|')"),
    )
    y = alt.Y("aer:Q", title="Alignment error rate", scale=alt.Scale(zero=True))
    base = alt.Chart(scores.drop_nulls(["aer"]))
    layers: list[Any] = []
    if "aer_low" in scores.columns:
        layers.append(
            base.mark_area(opacity=0.13).encode(
                x=x, y="aer_low:Q", y2="aer_high:Q", color=by_system(names, room=130)
            )
        )
    lines = base.mark_line(strokeWidth=2.2)
    layers.append(
        lines.encode(x=x, y=y, color=by_system(names, room=130), strokeDash=dash(names, room=130))
    )
    layers.append(
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=x,
            y=y,
            color=by_system(names, room=130),
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("length:O"),
                alt.Tooltip("sentences:Q"),
                alt.Tooltip("aer:Q", title="AER", format=".4f"),
            ],
        )
    )
    return finish(
        alt.layer(*layers).properties(width=_WIDE, height=_HEIGHT, title="Error by sentence length")
    )


def grid(cells: pl.DataFrame, words: pl.DataFrame, systems: Sequence[str]) -> alt.LayerChart:
    """Alignment grids of chosen sentences, to be browsed by sentence and system.

    Parameters
    ----------
    cells
        A row a link: sentence (its title), system (empty for gold links), kind (``Sure``,
        ``Possible``, or for a system's link ``right, Sure``, ``right, Possible``, ``wrong``),
        source and target (labels that sort by position: ``003 word``).
    words
        A row a word of either side: sentence, source, target; it keeps unlinked words on the axes.
    systems
        The systems to choose from, with links or without.
    """
    sentences = cells["sentence"].unique(maintain_order=True).to_list()
    sentence = alt.param(
        name="sentence",
        value=sentences[0] if sentences else "",
        bind=alt.binding_select(options=sentences, name="Sentence "),
    )
    system = alt.param(
        name="system",
        value=systems[0] if systems else "",
        bind=alt.binding_select(options=list(systems), name="System "),
    )
    word = "substring(datum.label, 4)"
    x = alt.X(
        "target:O",
        title=None,
        axis=alt.Axis(labelExpr=word, labelAngle=-60, orient="top", grid=True, labelLimit=140),
    )
    y = alt.Y("source:O", title=None, axis=alt.Axis(labelExpr=word, grid=True, labelLimit=160))
    tips = [
        alt.Tooltip("source:O", title="source (position, word)"),
        alt.Tooltip("target:O", title="target (position, word)"),
        alt.Tooltip("kind:N", title="link"),
    ]
    every = (
        alt.Chart(words)
        .transform_filter("datum.sentence == sentence")
        .mark_square(opacity=0)
        .encode(x=x, y=y)
    )
    gold = (
        alt.Chart(cells.filter(pl.col("system") == ""))
        .transform_filter("datum.sentence == sentence")
        .mark_square(size=330, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=["Sure", "Possible"], range=["#8fa3b5", "#dbe3ea"]),
                legend=alt.Legend(title="gold", symbolType="square", symbolSize=220),
            ),
            tooltip=tips,
        )
    )
    mine = (
        alt.Chart(cells.filter(pl.col("system") != ""))
        .transform_filter("datum.sentence == sentence && datum.system == system")
        .mark_circle(size=110, opacity=1)
        .encode(
            x=x,
            y=y,
            fill=alt.Fill(
                "kind:N",
                scale=alt.Scale(
                    domain=["right, Sure", "right, Possible", "wrong"],
                    range=[INK, "#3f7fbf", "#d1383d"],
                ),
                legend=alt.Legend(title="system", symbolType="circle", symbolStrokeWidth=0),
            ),
            tooltip=tips,
        )
    )
    layers = alt.layer(every, gold, mine).resolve_scale(color="independent", fill="independent")
    return finish(
        layers.add_params(sentence, system).properties(
            width=alt.Step(21),
            height=alt.Step(21),
            title=alt.Title(alt.ExprRef("'Alignment by ' + system + ', sentence ' + sentence")),
        )
    )
