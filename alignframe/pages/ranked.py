"""Charts of several systems: dots sorted by a figure, and lines with their names at their ends.

More than ``MANY`` systems have no colours of their own: all are grey but the best, and the one that
the reader has chosen in the page, whose name is the value of the parameter ``chosen``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from alignframe.core.rounding import percent_of
from alignframe.pages.forms import (
    INTERVAL,
    STEP,
    Layers,
    across,
    in_turn,
    label_room,
    level,
    mark,
    melted,
    rows,
    tips,
)
from alignframe.pages.page import Figure
from alignframe.pages.theme import COLOURS, GREY, HALF, INK, Look, finish, heading
from alignframe.stats.conclusions import corrected_for, level_of

MANY = 10
CLOSE = 16
"""The height of a row of many systems."""

_PICKED = COLOURS[1]
_LINE = 14.0
_MOST_END = 160
"""The maximum width in pixels of names at the ends of lines; longer ones are cut."""

IS_CHOSEN = "datum.system === chosen"
LIT = f"datum.best || {IS_CHOSEN}"
"""True for rows in colour, of which the column ``best`` has the best."""

_IS_SHOWN = "datum.measure === measure"


def reader_chooses() -> Any:
    """Return the parameter ``chosen`` of a chart; pages set it."""
    return alt.param(name="chosen", value="").param


def spotlight(plain: str = GREY) -> Any:
    """Return the colour of systems: that of the chosen one, that of the best, and ``plain``."""
    tests = (IS_CHOSEN, _PICKED), ("datum.best", COLOURS[0])
    return {"condition": [{"test": test, "value": value} for test, value in tests], "value": plain}


def close_rows(names: Sequence[str]) -> tuple[alt.Y, alt.Step]:
    """Return the axis of named rows and their height, which are closer if there are many."""
    many = len(names) > MANY
    lit: Any = {"condition": {"test": "datum.value === chosen", "value": _PICKED}, "value": INK}
    small: Look = {"labelFontSize": 11, "labelOverlap": False} if many else {}
    return rows(names, labelColor=lit, labelPadding=7, **small), alt.Step(CLOSE if many else STEP)


def scores_sorted(
    scores: pl.DataFrame, figures: Mapping[str, str], lower_is_better: Collection[str] = ()
) -> alt.LayerChart | None:
    """Return systems sorted by a figure, the best first, with intervals; None if none is defined.

    The reader chooses one of the figures, columns by name.
    """
    long = melted(scores, ["system"], figures).drop_nulls("value")
    lower = [figures[name] for name in lower_is_better if name in figures]
    title = "Systems compared" if long["system"].n_unique() > 1 else "Scores of the system"
    return _sorted(long, lower, title, [], None) if long.height else None


def differences_sorted(
    tests: pl.DataFrame, units: str, lower_is_better: Collection[str] = ()
) -> list[Figure]:
    """Return the chart of differences from a baseline, the best system first; none without any.

    ``tests`` are those of a comparison, ``units`` what was resampled, such as ``5 sentences``.
    """
    known = tests.drop_nulls("difference") if tests.height else tests
    if not known.height:
        return []
    base = known["baseline"][0]
    ends = {end: f"difference_{end}" for end in ("low", "high")}
    names = "system", "baseline", "measure", "p_corrected"
    data = known.select(*names, value="difference", **ends)
    itself = data.unique("measure", maintain_order=True).with_columns(
        system=pl.lit(base), value=0.0, low=None, high=None, p_corrected=None
    )
    data = pl.concat([itself, data], how="vertical_relaxed").with_columns(
        pl.col("measure").replace({name: heading(name) for name in data["measure"].unique()})
    )
    mark, lower = str(tests["signature"][0]), [heading(name) for name in lower_is_better]
    shown, (_, confidence) = ["p_corrected|p, corrected|.3f"], level_of(mark)
    chart = _sorted(data, lower, f"Differences from {base}", shown, confidence)
    p = [f"p ≥ {1 - confidence:.2g}", corrected_for(mark, tests["system"].n_unique())]
    said = (
        f"Bars are {percent_of(confidence)} intervals of single differences over {units}; hollow "
        f"dots are not significant ({', '.join(filter(None, p))})."
    )
    return [
        Figure(
            "differences", chart, said * known["p_corrected"].is_not_null().any(), signature=mark
        )
    ]


def _sorted(
    data: pl.DataFrame,
    lower: Collection[str],
    title: str,
    shown: Sequence[str],
    confidence: float | None,
) -> alt.LayerChart:
    """Return rows of dots sorted within each measure, of which the reader chooses one."""
    good = pl.col("value") * pl.when(pl.col("measure").is_in(list(lower))).then(1).otherwise(-1)
    data = data.with_columns(place=good.rank("ordinal").over("measure").cast(pl.Int64))
    data = data.with_columns(best=pl.col("place") == 1)
    names, measures = in_turn(data, "system"), in_turn(data, "measure")
    many, bounded = len(names) > MANY, "low" in data.columns and data["low"].count() > 0
    y, step = close_rows(names)
    y["sort"] = alt.EncodingSortField(field="place", op="min")
    color = spotlight(GREY if many else COLOURS[0])
    x = across("value", None, tickCount=5, zero=confidence is not None)
    tooltip = tips(data, "system", "measure", "value|figure", *INTERVAL[: 2 * bounded])
    tooltip += tips(data, *shown)
    place: Look = {"x": x, "y": y, "tooltip": tooltip}
    layers: Layers = []
    if bounded:
        bar: Look = {"x": alt.X("low:Q"), "x2": alt.X2("high:Q"), "y": y, "color": color}
        layers.append(mark("rule", None, "isValid(datum.low)", strokeWidth=3, opacity=0.4, **bar))
    layers.append(mark("point", size=60, color=color, **place))
    if confidence is not None:
        unclear = f"datum.p_corrected >= {1 - confidence:.6g}"
        hole = alt.condition(unclear, alt.value(22), alt.value(0))
        layers.append(mark("point", size=hole, color="white", **place))
        layers.insert(0, level(0, x))
    several = len(measures) > 1
    # The title of the axis, which follows the choice: vega has none that does.
    of = "" if confidence is None else "difference in "
    name: Any = alt.ExprRef(f"'{of}' + measure") if several else of + measures[0]
    below: Look = {"x": alt.value(alt.ExprRef("width / 2")), "text": alt.value(name)}
    below |= {"y": alt.value(alt.ExprRef("height + 36")), "align": "center", "fontSize": 13}
    layers.append(mark("text", pl.DataFrame({"shown": [1]}), color=INK, **below))
    chart = finish(layers, title, width=HALF - label_room(names), height=step)
    chart.data = data
    params = [reader_chooses()]
    if several:
        asked = alt.binding_select(options=measures, name="Measure ")
        params.append(alt.param(name="measure", value=measures[0], bind=asked).param)
        chart.transform = [alt.FilterTransform(_IS_SHOWN)]
    chart.params = params
    return chart


# --- names at the ends of lines


def end_room(names: Sequence[str]) -> int:
    """Return the width of the names of lines at their ends."""
    return min(_MOST_END, round(6.2 * max(map(len, names), default=0))) + 12


def at_ends(
    last: pl.DataFrame,
    x: alt.X,
    y: alt.Y,
    color: object,
    name: str,
    domain: Sequence[float],
    height: int,
) -> alt.Chart:
    """Return the names of lines at their ends, moved apart where they would overlap.

    ``last`` has the last point of each line, ``domain`` and ``height`` are those of the axis ``y``.
    """
    field = y["shorthand"].split(":")[0]
    low, high = domain
    unit = (high - low) / height
    # From the top, each is at least a line below the one before; then from the bottom, above.
    data = last.sort(field, name, descending=[True, False])
    at = (high - data[field].to_numpy()) / unit
    for line in range(1, len(at)):
        at[line] = max(at[line], at[line - 1] + _LINE)
    end = float(height)
    for line in reversed(range(len(at))):
        at[line] = end = min(at[line], end)
        end -= _LINE
    data = data.with_columns(pl.Series("end_", high - at * unit))
    placed = alt.Y("end_:Q", scale=y["scale"])
    text: Look = {"text": alt.Text(f"{name}:N"), "limit": _MOST_END, "dx": 9}
    return mark("text", data, x=x, y=placed, color=color, **text)
