"""Charts of features: their means by system, and their weights in a score."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import polars as pl

from alignframe.core.lazy import listed
from alignframe.errors import InputError
from alignframe.pages.forms import (
    STEP,
    across,
    bars,
    frame_of,
    heat,
    in_turn,
    label_room,
    mark,
    not_empty,
    panel,
    panel_title,
    rows,
    side_by_side,
    tips,
)
from alignframe.pages.theme import BAD, COLOURS, INK, WIDE, Look, finish, scale_above
from alignframe.tesla.charts import in_order
from alignframe.typing import IntoFrame

__all__ = ["feature_profile", "feature_weights"]
__dir__ = listed(__all__)

GROUPS = {
    "ms": "lemmas and synonyms",
    "pos": "parts of speech",
    "chr": "characters",
    "word": "words",
    "surface": "kinds of words, order and length",
    "lm": "language models",
}
"""Names of feature groups above a heat map."""

_PIVOT = {"lem": "lemmas", "pos": "tags"}

_SINGLE = {
    "content": "content words",
    "function": "function words",
    "order": "word order",
    "short": "not too short",
    "long": "not too long",
}
"""Names of features without n-gram orders."""

_GAP = 18
_LEAST_CELL, _MOST_CELL = 56, 92
_LEAST_FAR = 0.01
_SUBTITLES = (
    "mean of each feature, by order of n-grams",
    "mean of each feature, by order of n-grams; for language models (1/n) log P, on a separate "
    "colour scale",
)
_DIVERGING = ["#a6451a", "#e8b795", "#f7f7f7", "#a3bfe0", "#1f66b0"]


def feature_profile(segments: IntoFrame, systems: IntoFrame | None = None) -> alt.LayerChart:
    """Return a heat map of mean features by system, which shows where a system loses.

    The colour of a cell is the system's difference from the mean of all systems. Language models
    have their own row and scale, because their scores are not F-measures.

    Parameters
    ----------
    segments
        One row per system and segment: system, and one column per feature, such as ``ms_1``. All
        float columns except score are features.
    systems
        As for ``score_distributions``; by default, systems are ordered by mean score, or by
        occurrence if there is none.

    Raises
    ------
    InputError
        If there is no feature.
    """
    frame = frame_of(segments, ["system"], "the table of segments")
    features = feature_names(frame)
    if not features:
        raise InputError("segments without features", expected="columns such as ms_1")
    kept = ["score"] if "score" in frame.columns else []
    means = frame.group_by("system", maintain_order=True).agg(pl.col(features + kept).mean())
    if systems is None and kept:
        systems = means.select("system", "score")
    order = means["system"].to_list() if systems is None else in_order(systems)["system"].to_list()
    names = [name for name in order if name in means["system"]]
    data = (
        means.filter(pl.col("system").is_in(names))
        .unpivot(features, index="system", variable_name="feature")
        .drop_nulls("value")
        .with_columns(
            group=pl.col("feature").map_elements(feature_group, pl.String),
            order=pl.col("feature").map_elements(_order_of, pl.String),
        )
        .with_columns(difference=pl.col("value") - pl.col("value").mean().over("feature"))
        .with_columns(panel=pl.col("group").map_elements(_group_name, pl.String))
    )
    models = data.filter(group="lm")
    what = "difference from the mean of all systems"
    parts = (data.filter(pl.col("group") != "lm"), what), (models, f"language models: {what}")
    charts = [_panels(own, names, said) for own, said in parts if own.height]
    chart = charts[0]
    if len(charts) > 1:
        chart = alt.vconcat(*charts, spacing=_GAP).resolve_scale(color="independent")
    return finish(chart, "Where systems lose", _SUBTITLES[models.height > 0])


def _panels(data: pl.DataFrame, names: list[str], what: str) -> alt.ConcatChart:
    """Return the panels of features with a common scale and legend, in as many rows as needed."""
    groups = in_turn(data, "panel")
    sizes = [data.filter(panel=name)["order"].n_unique() for name in groups]
    room = WIDE - label_room(names) - 20
    cell, columns = _cells(sizes, data["order"].unique().to_list(), room)
    far = max(float(data["difference"].abs().to_numpy().max()), _LEAST_FAR)
    colour = alt.Color(
        "difference:Q",
        scale=alt.Scale(domain=[-far, 0, far], range=_DIVERGING, interpolate="lab"),
        legend=None if len(names) == 1 else scale_above(what, "+.2f", tickCount=5),
    )
    plain: Look = {"labelAngle": 0, "labelLimit": cell - 4, "ticks": False}
    strong = f"abs(datum.difference) > {0.75 * far}"
    sign = f"abs(datum.difference) < {far / 4} ? '' : datum.difference < 0 ? ' ▼' : ' ▲'"
    shown = f"format(datum.value, '.3f') + ({sign})"

    def draw(name: str, at: int) -> Any:
        own = data.filter(panel=name)
        x = across("order:O", None, False, sort=in_turn(own, "order"), orient="top", **plain)
        y = rows(names) if at == 0 else alt.Y("system:N", sort=names, title=None, axis=None)
        tooltip = tips(own, "system", "feature", "value|mean", "difference||+.4f")
        square, text = heat(own, x, y, colour, alt.Text("shown:N"), strong, tooltip)
        layers = [square, text.transform_calculate(shown=shown)]
        return panel(layers, alt.Step(cell), alt.Step(STEP), panel_title(name))

    # Columns have individual widths; with equal ones, system names would widen all.
    chart: alt.ConcatChart = side_by_side(groups, draw, columns, _GAP)
    chart.align = "each"
    return chart


def feature_names(segments: pl.DataFrame) -> list[str]:
    """Return the feature columns: float columns except the score."""
    return [name for name, kind in segments.schema.items() if kind.is_float() and name != "score"]


def feature_group(name: str) -> str:
    """Return ``ms`` of ``ms_1``, ``fr_lem`` of ``fr_lem_2`` and ``lm`` of ``lm_news``.

    Surface features without n-gram orders form the group ``surface``.
    """
    if name.startswith("lm_"):
        return "lm"
    group = re.sub(r"_\d+$", "", name)
    return "surface" if group in _SINGLE else group


def feature_words(name: str) -> str:
    """Return a short description of a feature: ``lemmas, 2 words`` for ``ms_2``."""
    if name.startswith("lm_"):
        return f"language model {name.removeprefix('lm_')}"
    group, _, order = name.rpartition("_")
    if group in _SINGLE or not order.isdigit():
        return _SINGLE.get(group, name)
    if group in ("chr", "word"):
        noun = "character" if group == "chr" else "word"
        return f"{order} {noun}{'s' * (order != '1')}"
    what = {"ms": "lemmas", "pos": "tags"}.get(group) or _group_name(group)
    return f"{what}, {order} word{'s' * (order != '1')}"


def _group_name(group: str) -> str:
    """Return a description of a group, such as ``fr: lemmas`` for a pivot language."""
    pivot, _, kind = group.rpartition("_")
    return f"{pivot}: {_PIVOT[kind]}" if pivot and kind in _PIVOT else GROUPS.get(group, group)


def _order_of(name: str) -> str:
    group, _, ending = name.rpartition("_")
    if group in _SINGLE:
        return group
    if name.startswith("lm_"):
        ending = name.removeprefix("lm_")
    return f"n = {ending}" if ending.isdigit() else ending


def _cells(sizes: list[int], heads: list[str], room: int) -> tuple[int, int]:
    """Return the width of a cell, and the number of panels with this many cells per row."""
    gaps = _GAP * (len(sizes) - 1)
    cell = (room - gaps) // sum(sizes)
    least = max(_LEAST_CELL, min(_MOST_CELL, round(6.7 * max(map(len, heads))) + 8))
    if cell >= least:
        return min(_MOST_CELL, cell), len(sizes)
    least = max(_LEAST_CELL, min(least, room // max(sizes)))
    return least, max(1, (room + _GAP) // (least * max(sizes) + _GAP))


def feature_weights(features: IntoFrame) -> alt.LayerChart:
    """Return the share of each feature in a score, one bar each, in the given order.

    A row has feature, such as ``ms_1``, and share, the change in score when the feature goes from
    its lowest to its highest value.
    """
    frame = frame_of(features, ["feature", "share"], "the table of weights")
    not_empty(frame, "no feature", "at least one")
    named = pl.col("feature").map_elements(feature_words, pl.String)
    data = frame.select("feature", "share", name=named, end=pl.max_horizontal("share", 0))
    names = data["name"].to_list()
    domain = [float(f([*data["share"].to_list(), 0.0])) for f in (min, max)]
    negative = alt.condition("datum.share < 0", alt.value(BAD), alt.value(COLOURS[0]))
    y = rows(names, "name", labelLimit=320)
    x = across("share", "share of the score", domain, format=".0%")
    ends = across("end", "share of the score", domain)
    shown = tips(data, "feature", "share||+.1%")
    layers = [
        bars(data, shown, height=13, cornerRadius=2, x=x, y=y, color=negative),
        mark("text", data, dx=6, color=INK, x=ends, y=y, text=alt.Text("share:Q", format=".1%")),
    ]
    title = "Share of each feature in the score", "from each feature's lowest value to its highest"
    width = min(560, WIDE - label_room(names) - 80)
    return finish(layers, *title, width=width, height=alt.Step(STEP - 4))
