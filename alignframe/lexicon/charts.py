"""Charts of lexicons and filter cascades (Melamed 1995, figures 5, 6 and 8)."""

from __future__ import annotations

import altair as alt
import polars as pl

from alignframe.core.lazy import listed
from alignframe.core.rounding import adding_up
from alignframe.errors import InputError
from alignframe.lexicon.findings import BACK_OFF
from alignframe.pages.forms import (
    INTERVAL,
    Layers,
    across,
    around,
    band,
    dots,
    facets,
    frame_of,
    in_turn,
    label_room,
    level,
    lines,
    mark,
    not_empty,
    rows,
    share,
    tips,
    up,
)
from alignframe.pages.ranked import at_ends, end_room
from alignframe.pages.theme import DASHES, INK, SYMBOLS, Look, finish, legend_above, looks
from alignframe.typing import IntoFrame

__all__ = ["gain", "percent_correct_by_size", "precision_by_k", "precision_by_size"]
__dir__ = listed(__all__)

_WIDTH = 370
_HEIGHT = 320
_FEW = 6
_TALLER = 12
"""Pixels added to the height of a line chart for each cascade beyond the first few."""

BANDED = 3
"""Intervals over fewer training sets are too wide to draw: for two, Student's t is 12.7."""

_GAP = 36
_LABEL = 300
_ROW = 30
"""Height of a cascade's row."""

_SIZES = ("#6299cd", "#4884bf", "#2f6fb0", "#205795", "#153f78", "#0d2f5c")
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
    title = "Precision by training text", _depth(k)
    return _lines(data, _by_size(data), "precision", *title, bound=bound)


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
    title = "Percent correct, alone and with back-off", _depth(k)
    return _lines(data, _by_size(data), "percent correct", *title)


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
    ticks = data["k"].unique().sort().to_list()
    ends = [ticks[0] - 0.2, ticks[-1] + 0.2]
    title = "translations tried per word (k)"
    x = across("k", title, ends, values=ticks, format="d", grid=False)
    said = f"{trained} of {size:,} sentence pairs"
    return _lines(data, x, "precision", "Precision by depth", said)


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
    not_empty(data, "no gain of precision", "a cascade beside the baseline")
    names = in_turn(data, "cascade")
    depths = data["k"].unique().sort().to_list()
    baseline = data["other"][0]
    data = data.with_columns(
        points=100 * pl.col("gain"),
        trained=pl.col("size").map_elements(lambda size: f"{size:,}", pl.String),
        depth=pl.col("k").replace_strict({k: _depth(k) for k in depths}, return_dtype=pl.String),
    )
    # The points are unrounded; the figures beside each other in tooltips add up.
    shown_gain = adding_up(data.rename({"gain": "difference"}), "value", "other_value")
    data = data.with_columns(gain=shown_gain["difference"])
    labels = [f"{size:,}" for size in data["size"].unique().sort()]
    last = len(_SIZES) - 1
    shades = [_SIZES[round(k / (len(labels) - 1) * last)] for k in range(len(labels) - 1)]
    sizes = legend_above(labels, 130, titleFontWeight="normal", titleLimit=0)
    sizes.title = "sentence pairs of training text"
    color = alt.Color(
        "trained:O",
        sort=labels,
        scale=alt.Scale(domain=labels, range=[*shades, _SIZES[last]]),
        legend=sizes,
    )
    tooltip = tips(data, "cascade", "trained|sentence pairs", "k", "value|precision")
    tooltip += tips(data, f"other_value|of {baseline}", "gain||+.4f")
    tooltip += tips(data, "relative_gain|relative gain|+.1%", "apart|intervals apart")
    x = across(
        "points",
        f"gain over {baseline}, percentage points",
        labelExpr=_POINTS,
        tickCount=6,
        labelOverlap=True,
        padding=10,
    )
    y = rows(names, "cascade", labelLimit=_LABEL)
    layers = [
        mark("rule", color=INK, strokeWidth=1.2, x=alt.XDatum(0)),
        *dots(None, x, y, tooltip, spans=True, size=95, color=color),
    ]
    width = share(len(depths), _GAP, min(_LABEL, label_room(names)) + 40)
    shown = "depth", [_depth(k) for k in depths]
    chart = facets(layers, data, (width, _ROW * len(names)), shown, gap=_GAP)
    return finish(chart, f"Gain of precision over {baseline}")


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
    chosen = summary.filter(pl.col(name) == value).select(*keys, value=measure, **ends)
    if not chosen["value"].count():
        known = ", ".join(map(str, summary[name].unique().sort()))
        raise InputError(f"no {measure} of {name} {value}", expected=f"{name} among {known}")
    return chosen.drop_nulls("value")


def _depth(k: int) -> str:
    return "the best translation (k = 1)" if k == 1 else f"any of the {k} best (k = {k})"


def _lines(
    data: pl.DataFrame,
    axis: alt.X,
    measure: str,
    title: str,
    subtitle: str,
    bound: tuple[float, str] | None = None,
) -> alt.LayerChart:
    """Return one line with points per cascade, with interval bands if there are several sets."""
    names = in_turn(data, "cascade")
    field = axis["shorthand"].split(":")[0]
    last = data.filter(pl.col(field) == pl.col(field).max().over("cascade"))
    banded = data.filter(pl.col("sets") >= BANDED).drop_nulls(["low", "high"])
    height = _HEIGHT + _TALLER * max(0, len(names) - _FEW)
    figures = [*data["value"], *banded["low"], *banded["high"], *(bound or ())[:1]]
    low, high = domain = around(figures, 0.04, 0.02, inside=True)
    fine = high - low < 0.06
    form = f".{int(fine)}%" if measure == "percent correct" else f".{int(fine) + 2}f"
    y = up("value", measure, domain, format=form, tickCount=7)
    room = end_room(names)
    own = {BACK_OFF: (INK, SYMBOLS[3], DASHES[0])}
    look = looks("cascade", names, legend=False, fixed=own if BACK_OFF in names else {})
    tooltip = tips(data, "cascade", "size|sentence pairs", "k", f"value|{measure}")
    tooltip += tips(data, *INTERVAL, "sets|training sets")
    layers: Layers = []
    if bound:
        at, name = bound
        layers.append(level(at, y, strokeDash=[10, 4], strokeWidth=1.2))
        written: Look = {"baseline": "bottom", "dx": 4, "dy": -3, "fontSize": 11}
        said = pl.DataFrame({"value": [at], "name": [f"{name} {at:.2f}"]})
        text: Look = {"text": alt.Text("name:N"), "x": alt.value(0), "y": y}
        layers.append(mark("text", said, color=INK, **written, **text))
    alone = banded[field].n_unique() == 1  # an area of one place is not visible
    layers.append(band(banded, axis, y, look["color"], kind="rule" if alone else "area"))
    # Back-off often equals the best cascade; its line is thick, so both stay visible.
    is_joined = pl.col("cascade") == BACK_OFF
    for mine, width, area in ((is_joined, 4, 90), (~is_joined, 1.8, 52)):
        drawn = data.filter(mine)
        layers += lines(drawn, axis, y, look, tooltip, width=width, size=area)
    layers.append(at_ends(last, axis, y, look["color"], "cascade", domain, height))
    return finish(layers, title, subtitle, width=_WIDTH - room, height=height)


def _by_size(data: pl.DataFrame) -> alt.X:
    ticks = data["size"].unique().sort().to_list()
    room = 1.08 * (ticks[-1] / ticks[0]) ** 0.01
    title = "sentence pairs of training text (logarithmic)"
    look: Look = {"values": ticks, "format": ",", "labelOverlap": "parity"}
    domain = [ticks[0] / room, ticks[-1] * room]
    return across("size", title, domain, type="log", grid=False, **look)
