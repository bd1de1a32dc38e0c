"""The chart of features by system."""

from __future__ import annotations

import re

import altair as alt
import polars as pl

from alignframe.charts.marks import WIDE, frame_of, in_turn, label_room, panel_title, tooltips
from alignframe.charts.tesla import STEP, in_order, systems_axis
from alignframe.charts.theme import INK, finish
from alignframe.errors import InputError
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["feature_profile"]
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
_LEAST_CELL, _MOST_CELL = 44, 92
_LEAST_FAR = 0.01
_SUBTITLES = (
    "mean of each feature, by order of n-grams",
    "mean of each feature, by order of n-grams; for language models (1/n) log P, on a separate "
    "colour scale",
)
_DIVERGING = ["#bb3355", "#e9a9b6", "#f7f7f7", "#a3bfe0", "#3366aa"]


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
    rows = []
    for own, what in (
        (data.filter(pl.col("group") != "lm"), "difference from the mean of all systems"),
        (models, "language models: difference from the mean of all systems"),
    ):
        if own.height:
            rows.append(_panels(own, names, what, WIDE - label_room(names) - 20))
    title = alt.Title("Where systems lose", subtitle=_SUBTITLES[models.height > 0])
    chart = rows[0]
    if len(rows) > 1:
        chart = alt.vconcat(*rows, spacing=_GAP).resolve_scale(color="independent")
    return finish(chart, title)


def _panels(data: pl.DataFrame, names: list[str], what: str, room: int) -> alt.ConcatChart:
    """Return the panels of features with a common scale and legend, in as many rows as needed."""
    groups = in_turn(data, "panel")
    sizes = [data.filter(panel=name)["order"].n_unique() for name in groups]
    cell, columns = _cells(sizes, data["order"].unique().to_list(), room)
    far = max(float(data["difference"].abs().to_numpy().max()), _LEAST_FAR)
    colour = alt.Color(
        "difference:Q",
        title=what,
        scale=alt.Scale(domain=[-far, 0, far], range=_DIVERGING, interpolate="lab"),
        legend=None
        if len(names) == 1
        else alt.Legend(
            orient="top",
            direction="horizontal",
            format="+.2f",
            gradientLength=300,
            gradientThickness=11,
            tickCount=5,
            titleFontWeight="normal",
            titleLimit=400,
        ),
    )
    tips = tooltips("system:N", "feature:N", "value:Q|mean|.4f", "difference:Q||+.4f")
    strong = f"abs(datum.difference) > {0.75 * far}"
    panels = []
    for at, name in enumerate(groups):
        own = data.filter(panel=name)
        axis = alt.Axis(labelAngle=0, labelLimit=cell - 4, domain=False, ticks=False, orient="top")
        order = in_turn(own, "order")
        base = alt.Chart(own).encode(
            x=alt.X("order:N", sort=order, title=None, axis=axis),
            y=systems_axis(names, shown=at % columns == 0),
            tooltip=tips,
        )
        layers = [
            base.mark_rect(stroke="white", strokeWidth=1.5).encode(color=colour),
            base.mark_text(fontSize=12).encode(
                text=alt.Text("value:Q", format=".3f"),
                color=alt.ColorValue(INK, condition={"test": strong, "value": "white"}),
            ),
        ]
        panels.append(
            alt.layer(*layers).properties(
                width=alt.Step(cell), height=alt.Step(STEP), title=panel_title(name)
            )
        )
    # Columns have individual widths; with equal ones, system names would widen all.
    found: alt.ConcatChart = alt.concat(*panels, columns=columns, spacing=_GAP, align="each")
    return found


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
