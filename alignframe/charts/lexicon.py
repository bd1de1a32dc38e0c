"""Charts of lexicons and filter cascades (Melamed 1995, figures 5, 6 and 8)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.marks import frame_of, in_turn, legend_beside, panels, rows, tooltips
from alignframe.charts.theme import COLOURS, DASHES, FAINT, INK, SYMBOLS, finish, looks
from alignframe.errors import InputError
from alignframe.lexicon.findings import BACK_OFF
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["gain", "percent_correct_by_size", "precision_by_k", "precision_by_size"]
__dir__ = listed(__all__)

_WIDTH = 370
_HEIGHT = 320
_FEW = 6
_TALLER = 12
"""Pixels added to the height of a line chart for each cascade beyond the first few."""

_BANDED = 3
"""Intervals over fewer training sets are too wide to draw: for two, Student's t is 12.7."""

_WIDE = 940
_GAP = 36
_LABEL = 300
_ROW = 30
"""Height of a cascade's row."""

_LETTER = 6.2
_LINE = 14.0
_MOST_ROOM = 130
"""Maximum width in pixels of names at the ends of lines; longer ones go above."""

_SIZES = ("#b9d3ea", "#86b3da", "#5591c7", "#2f6fb0", "#1b4f8a", "#0d2f5c")
"""From the smallest training text to the largest."""

_POINTS = "replace(format(datum.value, '+~g'), '+0', '0')"


def precision_by_size(
    summary: IntoFrame,
    k: int = 1,
    *,
    upper_bound: float | None = None,
    upper_bound_name: str = "upper bound",
) -> alt.LayerChart:
    """Mean precision by training size, one line per cascade (figures 5 and 6).

    Parameters
    ----------
    summary
        ``Study.summary``.
    k
        The number of translations tried per word.
    upper_bound, upper_bound_name
        A level to compare with, and its name.
    """
    data = _of(summary, "precision", back_off=False, k=k)
    bound = None if upper_bound is None else (upper_bound, upper_bound_name)
    return _lines(data, "size", "precision", _title("Precision by training text", k), bound=bound)


def percent_correct_by_size(summary: IntoFrame, k: int = 1) -> alt.LayerChart:
    """Percent correct by training size, with back-off emphasized (figure 8).

    Parameters
    ----------
    summary
        ``Study.summary``.
    k
        The number of translations tried per word.
    """
    data = _of(summary, "percent_correct", k=k)
    title = _title("Percent correct, alone and with back-off", k)
    return _lines(data, "size", "percent correct", title)


def precision_by_k(summary: IntoFrame, size: int) -> alt.LayerChart:
    """Mean precision by the number of translations tried.

    Parameters
    ----------
    summary
        ``Study.summary``.
    size
        The training size in sentence pairs.
    """
    data = _of(summary, "precision", back_off=False, size=size)
    sets = data["sets"][0]
    trained = f"{sets} training sets" if sets > 1 else "one training set"
    title = alt.Title("Precision by depth", subtitle=f"{trained} of {size:,} sentence pairs")
    return _lines(data, "k", "precision", title)


def gain(findings: IntoFrame) -> alt.LayerChart:
    """Gain in precision over the baseline: one row per cascade, one point per training size.

    Parameters
    ----------
    findings
        ``Study.findings``.

    Raises
    ------
    InputError
        If there is no cascade besides the baseline.
    """
    columns = ["cascade", "size", "k", "measure", "other", "gain", "relative_gain", "apart"]
    data = (
        frame_of(findings, columns, "the table of findings")
        .filter(pl.col("measure") == "precision", pl.col("cascade") != BACK_OFF)
        .drop_nulls("gain")
    )
    if not data.height:
        raise InputError("no gain of precision", expected="a cascade beside the baseline")
    names = in_turn(data, "cascade")
    sizes = data["size"].unique().sort().to_list()
    depths = data["k"].unique().sort().to_list()
    baseline = data["other"][0]
    data = data.with_columns(
        points=100 * pl.col("gain"),
        trained=pl.col("size").map_elements(lambda size: f"{size:,}", pl.String),
        depth=pl.col("k").replace_strict({k: _depth(k) for k in depths}, return_dtype=pl.String),
    )
    labels = [f"{size:,}" for size in sizes]
    colours = [_SIZES[round(at * (len(_SIZES) - 1))] for at in _shares(len(sizes))]
    x = alt.X(
        "points:Q",
        title=f"gain over {baseline}, percentage points",
        axis=alt.Axis(labelExpr=_POINTS, tickCount=6, labelOverlap=True),
        scale=alt.Scale(padding=10),
    )
    y = rows(names, "cascade", labelLimit=_LABEL, grid=False)
    base = alt.Chart()
    lines = base.mark_rule(color=FAINT).encode(
        x=alt.X("min(points):Q"), x2=alt.X2("max(points):Q"), y=y
    )
    zero = base.mark_rule(color=INK, strokeWidth=1.2).encode(x=alt.XDatum(0))
    points = base.mark_point(filled=True, size=95, opacity=1, stroke="white", strokeWidth=0.8)
    points = points.encode(
        x=x,
        y=y,
        color=alt.Color(
            "trained:O",
            sort=labels,
            scale=alt.Scale(domain=labels, range=colours),
            legend=alt.Legend(
                title="sentence pairs of training text",
                titleFontWeight="normal",
                titleLimit=0,
                orient="top",
                columns=len(labels),
                symbolOpacity=1,
                symbolLimit=0,
            ),
        ),
        tooltip=[
            *tooltips("cascade:N", "trained:O|sentence pairs", "k:Q", "value:Q|precision|.4f"),
            alt.Tooltip("other_value:Q", title=f"of {baseline}", format=".4f"),
            *tooltips(
                "gain:Q||+.4f", "relative_gain:Q|relative gain|+.1%", "apart:N|intervals apart"
            ),
        ],
    )
    left = min(_LABEL, round(_LETTER * max(map(len, names)))) + 10
    width = (_WIDE - left - _GAP * (len(depths) - 1)) // len(depths)
    return finish(
        panels(
            alt.layer(zero, lines, points, data=data).properties(
                width=width, height=_ROW * len(names)
            ),
            _GAP,
            ("depth", [_depth(k) for k in depths]),
        ),
        f"Gain of precision over {baseline}",
    )


def _of(summary: IntoFrame, measure: str, *, back_off: bool = True, **wanted: int) -> pl.DataFrame:
    """Return the figures of a measure at a depth or size, with or without back-off."""
    ((name, value),) = wanted.items()
    keys, ends = (
        ["cascade", "size", "k", "sets"],
        {end: f"{measure}_{end}" for end in ("low", "high")},
    )
    summary = frame_of(summary, [*keys, measure, *ends.values()], "the summary")
    if not back_off:
        summary = summary.filter(pl.col("cascade") != BACK_OFF)
    found = summary.filter(pl.col(name) == value).select(*keys, value=measure, **ends)
    if not found["value"].count():
        known = ", ".join(map(str, summary[name].unique().sort()))
        raise InputError(f"no {measure} of {name} {value}", expected=f"{name} among {known}")
    return found.drop_nulls("value")


def _title(text: str, k: int) -> alt.Title:
    return alt.Title(text, subtitle=_depth(k))


def _depth(k: int) -> str:
    return "the best translation (k = 1)" if k == 1 else f"any of the {k} best (k = {k})"


def _shares(number: int) -> list[float]:
    """Return evenly spaced shares from 0 to 1; a single one is 1."""
    return [at / (number - 1) for at in range(number)] if number > 1 else [1.0]


def _lines(
    data: pl.DataFrame,
    across: str,
    measure: str,
    title: alt.Title,
    bound: tuple[float, str] | None = None,
) -> alt.LayerChart:
    """Return one line with points per cascade, with interval bands if there are several sets."""
    names = in_turn(data, "cascade")
    ticks = data[across].unique().sort().to_list()
    banded = data.filter(pl.col("sets") >= _BANDED).drop_nulls(["low", "high"])
    height = _HEIGHT + _TALLER * max(0, len(names) - _FEW)
    figures = [*data["value"], *banded["low"], *banded["high"]]
    figures += [] if bound is None else [bound[0]]
    room = 0.04 * (max(figures) - min(figures)) or 0.02
    low, high = max(0.0, min(figures) - room), min(1.0, max(figures) + room)
    up_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    fine = "1" if high - low < 0.06 else "0"
    form = f".{fine}%" if measure == "percent correct" else f".{int(fine) + 2}f"
    up = alt.Y("value:Q", title=measure, scale=up_scale, axis=alt.Axis(format=form, tickCount=7))
    last = data.filter(pl.col(across) == ticks[-1])
    pixels = [(high - value) / (high - low) * height for value in last["value"]]
    longest = _LETTER * max(map(len, names)) + 12
    apart = all(other - one >= _LINE for one, other in pairwise(sorted(pixels)))
    direct = apart and longest <= _MOST_ROOM and last.height == len(names)
    width = _WIDTH - round(longest) if direct else _WIDTH
    look = _looks(names, not direct)
    x = _across(across, ticks)
    tips = [
        *tooltips("cascade:N", "size:Q|sentence pairs|,", "k:Q"),
        alt.Tooltip("value:Q", title=measure, format=".4f"),
        *tooltips("low:Q|interval|.4f", "high:Q|to|.4f", "sets:Q|training sets"),
    ]
    ranged = alt.Chart(banded)
    ends = {"x": x, "y": alt.Y("low:Q", scale=up_scale), "y2": "high:Q", "color": look["color"]}
    layers: list[Any] = [] if bound is None else _bound(*bound, up)
    if len(ticks) > 1:
        layers.append(ranged.mark_area(opacity=0.14).encode(**ends))
    else:
        layers.append(ranged.mark_rule(strokeWidth=2, opacity=0.6).encode(**ends))
    line = {"x": x, "y": up, **{key: look[key] for key in ("color", "strokeDash")}}
    point = {"x": x, "y": up, **{key: look[key] for key in ("color", "shape")}, "tooltip": tips}
    # Back-off often equals the best cascade; its line is thick, so both stay visible.
    is_joined = pl.col("cascade") == BACK_OFF
    for mine, width_of_line, area in ((is_joined, 4, 90), (~is_joined, 1.8, 52)):
        base = alt.Chart(data.filter(mine))
        layers.append(base.mark_line(strokeWidth=width_of_line).encode(**line))
        layers.append(base.mark_point(filled=True, size=area, opacity=1).encode(**point))
    if direct:
        layers.append(
            alt.Chart(last)
            .mark_text(align="left", baseline="middle", dx=9, fontSize=12)
            .encode(x=x, y=up, text=alt.Text("cascade:N"), color=look["color"])
        )
    return finish(alt.layer(*layers), title, width=width, height=height)


def _across(name: str, ticks: list[int]) -> alt.X:
    """Return the axis of sizes (logarithmic) or of depths."""
    if name == "k":
        ends = [ticks[0] - 0.2, ticks[-1] + 0.2]
        axis = alt.Axis(values=ticks, format="d", grid=False)
        return alt.X(
            "k:Q",
            title="translations tried per word (k)",
            scale=alt.Scale(domain=ends, nice=False, zero=False),
            axis=axis,
        )
    room = 1.08 * (ticks[-1] / ticks[0]) ** 0.01
    return alt.X(
        "size:Q",
        title="sentence pairs of training text (logarithmic)",
        scale=alt.Scale(type="log", domain=[ticks[0] / room, ticks[-1] * room], nice=False),
        axis=alt.Axis(values=ticks, format=",", grid=False, labelOverlap="parity"),
    )


def _looks(names: list[str], legend: bool) -> dict[str, Any]:
    """Return the colour, dashes and symbol of each cascade; back-off is black."""
    places = range(len(names))
    colours = [
        INK if name == BACK_OFF else COLOURS[at % len(COLOURS)]
        for at, name in zip(places, names, strict=True)
    ]
    dashes = [DASHES[at // len(COLOURS) % len(DASHES)] for at in places]
    symbols = [SYMBOLS[at % len(SYMBOLS)] for at in places]
    if BACK_OFF in names:
        dashes[names.index(BACK_OFF)] = DASHES[0]
    shown = legend_beside(names, 66) if legend else None
    return looks("cascade", names, shown, color=colours, strokeDash=dashes, shape=symbols)


def _bound(level: float, name: str, up: alt.Y) -> list[alt.Chart]:
    """Return a horizontal rule with its name."""
    base = alt.Chart(pl.DataFrame({"value": [level], "name": [f"{name} {level:.2f}"]}))
    rule = base.mark_rule(color=INK, strokeDash=[10, 4], strokeWidth=1.2).encode(y=up)
    text = base.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=INK, fontSize=11)
    return [rule, text.encode(x=alt.value(0), y=up, text=alt.Text("name:N"))]
