"""Charts of alignments by amount of training text (Fraser & Marcu 2007)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from alignframe.core.figures import alpha_name
from alignframe.core.lazy import listed
from alignframe.errors import InputError
from alignframe.pages.forms import (
    Layers,
    across,
    facets,
    frame_of,
    in_turn,
    lines,
    not_empty,
    panel,
    share,
    tips,
    up,
)
from alignframe.pages.theme import Look, finish, looks
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
    ticks: Look = {"values": list(_LEVELS), "format": "~g", "labelOverlap": True}
    y = up("value", "AER (logarithmic)", _domain(data["value"]), type="log", **ticks)
    said = "amounts of text relative to the bitext; for pieces, the mean is shown"
    return finish(_panels(_lines(data, y, "AER"), data), "AER by the amount of text", said)


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
    names = [f"α = {value:g}" for value in alpha]
    data = pl.concat(
        _of(scores, alpha_name(value)).with_columns(alpha=pl.lit(name))
        for value, name in zip(alpha, names, strict=True)
    )
    models = in_turn(data, "model")
    pairs = set(data.select("model", "alpha").iter_rows())
    for model, name in ((model, name) for model in models for name in names):
        # Vega places panels in order of occurrence, so that one without data would shift all
        # others.
        if (model, name) not in pairs:
            raise InputError(f"the model {model!r} has no F at {name}", expected="F of every model")
    drawn = _lines(data, up("value", "F", zero=False, tickCount=6), "F")
    size = share(len(names), _GAP, room=_WIDE), _LOW
    chart = facets(drawn, data, size, ("alpha", names), ("model", models), gap=_GAP)
    return finish(chart, "F by the amount of text and the weight of precision (α)")


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
    room: Look = {"zero": False, "padding": 14, "nice": False}
    areas = alt.Scale(type="log", domain=[least, most], range=[18, 140])
    drawn = lines(
        None,
        across("recall", "recall", **room, tickCount=6),
        up("value", "precision", **room, tickCount=7),
        _looks(data),
        tips(data, *_TIPS, "value|precision", "recall"),
        size=alt.Size("times:Q", scale=areas, legend=None),
        order=alt.Order("times:Q"),
    )
    said = f"larger points: more text ({_amount(least)} to {_amount(most)})"
    return finish(_panels(drawn, data), "Precision and recall", said)


_TIPS = ("model", "group|method", "amount|text")


def _of(scores: object, measure: str, positive: bool = False) -> pl.DataFrame:
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
    return not_empty(data, f"a table of scores without {measure}", "a figure to show")


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


def _looks(data: pl.DataFrame) -> Look:
    """Return the look of each method, the same in all charts of a page."""
    return looks("group", sorted(data["group"].unique()))


def _lines(data: pl.DataFrame, y: alt.Y, name: str) -> Layers:
    """Return lines of a measure by amount of text."""
    ticks: Look = {"values": data["times"].unique().sort().to_list(), "grid": False}
    own: Look = {"type": "log", "labelExpr": _AMOUNT, "labelOverlap": "greedy"}
    x = across("times", "text", _domain(data["times"]), **ticks, **own)
    return lines(None, x, y, _looks(data), tips(data, *_TIPS, f"value|{name}"))


def _panels(layers: Layers, data: pl.DataFrame) -> Any:
    """Return one panel per model, side by side with the same axes."""
    models = in_turn(data, "model")
    width = min(640, share(len(models), _GAP, room=_WIDE))
    if len(models) > 1:
        return facets(layers, data, (width, _HEIGHT), ("model", models), gap=_GAP)
    alone = panel(layers, width, _HEIGHT)
    alone.data = data
    return alone
