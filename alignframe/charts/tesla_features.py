"""The figure of features by system: where systems lose."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import polars as pl

from alignframe.arrow import require_columns, to_table
from alignframe.charts.tesla import STEP, WIDE, in_order, label_room, systems_axis
from alignframe.charts.theme import INK, finish
from alignframe.errors import InputError

GROUPS = {"ms": "lemmas and synonyms", "pos": "parts of speech", "lm": "language models"}
"""What groups of features are called above a heat map."""

_PIVOT = {"lem": "lemmas", "pos": "tags"}

LM_RANGE = 15.0
"""Scores of language models are taken to span [-15, 0] (section 4.1), F-measures [0, 1]."""

_GAP = 18
_LEAST_CELL = 44
_DIVERGING = ["#bb3355", "#e9a9b6", "#f7f7f7", "#a3bfe0", "#3366aa"]


def feature_profile(segments: Any, systems: Any = None) -> alt.LayerChart:
    """Return the mean of each feature by system: a heat map that shows where a system loses.

    The colour of a cell is how far a system lies from the mean of all systems. That of language
    models is divided by 15, their range.

    Parameters
    ----------
    segments
        A row a system and segment: system, and one column a feature, such as ``ms_1``. All columns
        of decimals but score are taken to be features.
    systems
        As for ``score_distributions``; without it, systems stand in the order of the mean score,
        or where there is none, as they come.

    Raises
    ------
    InputError
        If there is no feature.
    """
    table = to_table(segments)
    require_columns(table.schema, ["system"], "the table of segments")
    frame = pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col("system").cast(pl.String))
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
        .with_columns(
            difference=(pl.col("value") - pl.col("value").mean().over("feature"))
            / pl.when(group="lm").then(LM_RANGE).otherwise(1.0)
        )
        .with_columns(panel=pl.col("group").map_elements(_group_name, pl.String))
    )
    groups = data["panel"].unique(maintain_order=True).to_list()
    sizes = [data.filter(panel=name)["order"].n_unique() for name in groups]
    cell, columns = _cells(sizes, WIDE - label_room(names) - 20)
    far = max(0.01, float(data["difference"].abs().to_numpy().max()))
    colour = alt.Color(
        "difference:Q",
        title="difference from the mean of all systems",
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
    tips = [
        alt.Tooltip("system:N"),
        alt.Tooltip("feature:N"),
        alt.Tooltip("value:Q", title="mean", format=".4f"),
        alt.Tooltip("difference:Q", format="+.4f"),
    ]
    strong = f"abs(datum.difference) > {0.75 * far}"
    panels = []
    for at, name in enumerate(groups):
        own = data.filter(panel=name)
        first = at % columns == 0
        base = alt.Chart(own).encode(
            x=alt.X(
                "order:N",
                sort=own["order"].unique(maintain_order=True).to_list(),
                title=None,
                axis=alt.Axis(labelAngle=0, domain=False, ticks=False, orient="top"),
            ),
            y=systems_axis(names, shown=first),
            tooltip=tips,
        )
        layers = [
            base.mark_rect(stroke="white", strokeWidth=1.5).encode(color=colour),
            base.mark_text(fontSize=12).encode(
                text=alt.Text("value:Q", format=".3f"),
                color=alt.condition(strong, alt.value("white"), alt.value(INK)),
            ),
        ]
        panels.append(
            alt.layer(*layers).properties(
                width=alt.Step(cell),
                height=alt.Step(STEP),
                title=alt.Title(name, fontSize=13, fontWeight="normal", offset=4, frame="group"),
            )
        )
    title = alt.Title("Where systems lose", subtitle="mean of each feature, by order of n-grams")
    return finish(alt.concat(*panels, columns=columns, spacing=_GAP).properties(title=title))


def feature_names(segments: pl.DataFrame) -> list[str]:
    """Return the columns that hold features: those of decimals, but not the score."""
    return [name for name, kind in segments.schema.items() if kind.is_float() and name != "score"]


def feature_group(name: str) -> str:
    """Return ``ms`` of ``ms_1``, ``fr_lem`` of ``fr_lem_2`` and ``lm`` of ``lm_news``."""
    return "lm" if name.startswith("lm_") else re.sub(r"_\d+$", "", name)


def _group_name(group: str) -> str:
    """Return a group in words: of a pivot language, ``fr: lemmas``."""
    pivot, _, kind = group.rpartition("_")
    return f"{pivot}: {_PIVOT[kind]}" if pivot and kind in _PIVOT else GROUPS.get(group, group)


def _order_of(name: str) -> str:
    ending = name.removeprefix("lm_") if name.startswith("lm_") else name.rpartition("_")[2]
    return f"n = {ending}" if ending.isdigit() else ending


def _cells(sizes: list[int], room: int) -> tuple[int, int]:
    """Return the width of a cell, and how many panels of so many cells stand in a row."""
    gaps = _GAP * (len(sizes) - 1)
    cell = (room - gaps) // sum(sizes)
    if cell >= _LEAST_CELL:
        return min(92, cell), len(sizes)
    return _LEAST_CELL, max(1, (room + _GAP) // (_LEAST_CELL * max(sizes) + _GAP))
