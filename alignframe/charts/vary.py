"""Charts of alignments by amount of training text (Fraser & Marcu 2007)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.marks import frame_of, in_turn, legend_beside, panels, tooltips
from alignframe.charts.theme import finish, looks
from alignframe.errors import InputError
from alignframe.measures import alpha_name
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["aer_by_text", "f_by_text", "precision_by_recall"]
__dir__ = listed(__all__)

ALPHAS = (0.1, 0.3, 0.5, 0.7)
"""The weights of precision shown by default, if a study has them."""

_WIDE = 880
_HEIGHT = 300
_LOW = 190
_GAP = 30
_KEYS = ("model", "system", "run", "group", "amount", "times")
_RUN = re.compile(r"(?P<whole>1)|1-(?P<pieces>[1-9]\d*)|x(?P<times>[1-9]\d*)")
_AMOUNT = (
    "datum.value < 1 ? '1/' + round(1 / datum.value) : datum.value == 1 ? '1' : '×' + datum.value"
)
_LEVELS = tuple(
    round(level * 10.0**power, 6)
    for power in (-3, -2, -1)
    for level in (1, 1.2, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8)
)


def aer_by_text(scores: IntoFrame) -> alt.LayerChart:
    """AER against amount of text, both logarithmic: one panel per model, one line per method.

    Parameters
    ----------
    scores
        A table of ``alignframe.links.QualityStudy.run``, or those of several aligners concatenated,
        with a column ``model``.

    Raises
    ------
    InputError
        If a column is missing, a run is not named as by ``alignframe.links.plan_runs``, or there is
        nothing to show.
    """
    data = _of(scores, "aer", positive=True)
    scale = alt.Scale(type="log", domain=_domain(data["value"]), nice=False)
    up = alt.Y(
        "value:Q",
        title="AER (logarithmic)",
        scale=scale,
        axis=alt.Axis(values=list(_LEVELS), format="~g", labelOverlap=True),
    )
    return finish(
        _panels(_lines(data, up, "AER"), data, _HEIGHT), "AER by the amount of text", _SUBTITLE
    )


def f_by_text(scores: IntoFrame, alpha: Sequence[float] = ALPHAS) -> alt.LayerChart:
    """F against amount of text: one row per model, one column per α, one line per method.

    Parameters
    ----------
    scores
        See ``aer_by_text``.
    alpha
        Weights of precision present in ``scores``: the column of α = 0.1 is ``f_0.1``.

    Raises
    ------
    InputError
        See ``aer_by_text``; also if no α is given, or a model lacks F at one.
    """
    if not alpha:
        raise InputError("no α", expected="one or more")
    names = [f"α = {one:g}" for one in alpha]
    data = pl.concat(
        _of(scores, alpha_name(one)).with_columns(alpha=pl.lit(name))
        for one, name in zip(alpha, names, strict=True)
    )
    models = in_turn(data, "model")
    found = set(data.select("model", "alpha").iter_rows())
    for model, name in ((model, name) for model in models for name in names):
        # Vega places panels in order of occurrence, so that one without data would shift all
        # others.
        if (model, name) not in found:
            raise InputError(f"the model {model!r} has no F at {name}", expected="F of every model")
    up = alt.Y("value:Q", title="F", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
    chart = alt.layer(*_lines(data, up, "F"), data=data)
    chart = chart.properties(width=_width(len(names)), height=_LOW)
    return finish(
        panels(chart, _GAP, ("alpha", names), ("model", models)),
        "F by the amount of text and the weight of precision (α)",
    )


def precision_by_recall(scores: IntoFrame) -> alt.LayerChart:
    """Precision against recall: one panel per model, one line per method across amounts of text.

    Parameters
    ----------
    scores
        See ``aer_by_text``.

    Raises
    ------
    InputError
        See ``aer_by_text``.
    """
    recall = _of(scores, "recall").rename({"value": "recall"})
    data = _of(scores, "precision").join(recall, on=list(_KEYS), maintain_order="left")
    amounts = data["times"].sort().to_list()
    least, most = amounts[0], amounts[-1]
    look = _looks(data)
    room = alt.Scale(zero=False, padding=14, nice=False)
    base = alt.Chart().encode(
        x=alt.X("recall:Q", title="recall", scale=room, axis=alt.Axis(tickCount=6)),
        y=alt.Y("value:Q", title="precision", scale=room, axis=alt.Axis(tickCount=7)),
        color=look["color"],
    )
    areas = alt.Scale(type="log", domain=[least, most], range=[18, 140])
    tips = [*_tips("precision"), alt.Tooltip("recall:Q", format=".4f")]
    layers = [
        base.mark_line(strokeWidth=1.6, opacity=0.6).encode(order=alt.Order("times:Q")),
        base.mark_point(filled=True, opacity=1).encode(
            shape=look["shape"], size=alt.Size("times:Q", scale=areas, legend=None), tooltip=tips
        ),
    ]
    return finish(
        _panels(layers, data, _HEIGHT),
        "Precision and recall",
        f"larger points: more text ({_amount(least)} to {_amount(most)})",
    )


_SUBTITLE = "amounts of text relative to the bitext; for pieces, the mean is shown"


def _of(scores: Any, measure: str, positive: bool = False) -> pl.DataFrame:
    """Return the keys and defined values of a measure.

    ``positive`` drops 0, which a logarithmic axis cannot show.
    """
    frame = frame_of(scores, ["system", "run", "group", measure], "the table of scores")
    if "model" not in frame.columns:
        frame = frame.with_columns(model=pl.lit(""))
    times = [_times(run) for run in frame["run"]]
    data = frame.with_columns(
        times=pl.Series(times, dtype=pl.Float64),
        amount=pl.Series([_amount(one) for one in times], dtype=pl.String),
        value=pl.col(measure).cast(pl.Float64),
    )
    data = data.select(*_KEYS, "value").drop_nulls("value")
    if positive:
        data = data.filter(pl.col("value") > 0)
    if not data.height:
        raise InputError(f"a table of scores without {measure}", expected="a figure to show")
    return data


def _times(run: str) -> float:
    """Return 0.5 for the run ``1-2``, 1 for ``1`` and 4 for ``x4``."""
    named = _RUN.fullmatch(run)
    if not named:
        raise InputError(f"the run {run!r}", expected="a name such as 1-16, 1 or x4")
    return int(named["times"] or 1) / int(named["pieces"] or 1)


def _amount(times: float) -> str:
    return f"1/{round(1 / times)}" if times < 1 else "1" if times == 1 else f"×{times:g}"


def _domain(values: pl.Series) -> list[float]:
    """Return the range of a logarithmic axis, with margins."""
    figures = [math.log(value) for value in values]
    room = 0.05 * (max(figures) - min(figures)) or 0.1
    return [math.exp(min(figures) - room), math.exp(max(figures) + room)]


def _looks(data: pl.DataFrame) -> dict[str, Any]:
    """Return the colour and symbol of each method, the same in all charts of a page."""
    names = sorted(data["group"].unique())
    return looks("group", names, legend_beside(names))


def _lines(data: pl.DataFrame, up: alt.Y, name: str) -> list[alt.Chart]:
    """Return lines and points of a measure by amount of text."""
    ticks = data["times"].unique().sort().to_list()
    low, high = _domain(data["times"])
    across = alt.X(
        "times:Q",
        title="text",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=_AMOUNT, grid=False, labelOverlap="greedy"),
    )
    look = _looks(data)
    base = alt.Chart().encode(x=across, y=up, color=look["color"])
    return [
        base.mark_line(strokeWidth=1.9),
        base.mark_point(filled=True, size=48, opacity=1).encode(
            shape=look["shape"], tooltip=_tips(name)
        ),
    ]


def _tips(name: str) -> list[alt.Tooltip]:
    return [
        *tooltips("model:N", "group:N|method", "amount:N|text"),
        alt.Tooltip("value:Q", title=name, format=".4f"),
    ]


def _panels(layers: list[Any], data: pl.DataFrame, height: int) -> Any:
    """Return one panel per model, side by side with the same axes."""
    models = in_turn(data, "model")
    chart = alt.layer(*layers, data=data).properties(width=_width(len(models)), height=height)
    if len(models) == 1:
        return chart
    return panels(chart, _GAP, ("model", models))


def _width(panels: int) -> int:
    return min(640, (_WIDE - _GAP * (panels - 1)) // panels)
