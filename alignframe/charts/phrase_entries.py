"""Charts of phrase dictionary entries: easy, hard and noise (Carl & Fissaha 2003)."""

from __future__ import annotations

import altair as alt
import polars as pl

from alignframe.charts.marks import frame_of, panels, rows, tooltips
from alignframe.charts.phrases import DICTIONARIES, HALF, WIDE, series_look
from alignframe.charts.theme import INK, finish
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["classes", "found_by"]
__dir__ = listed(__all__)

_LENGTH = {"one_word": "one word on both sides", "multi_word": "longer"}
_CLASSES = {
    "correct": "correct in all systems",
    "missing": "missing in all systems",
    "noise": "noise of all systems",
}


def found_by(table: IntoFrame, systems: int) -> alt.LayerChart:
    """Gold entries by the number of systems that find them, for one-word and longer ones.

    Parameters
    ----------
    table
        ``Study.found_by``.
    systems
        The number of systems.
    """
    table = frame_of(table, ["dictionary", "found_by", *_LENGTH], "the table of entries")
    names = table["dictionary"].unique(maintain_order=True).to_list()
    data = (
        table.unpivot(
            list(_LENGTH), index=["dictionary", "found_by"], variable_name="words", value_name="n"
        )
        .with_columns(
            pl.col("words").replace_strict(_LENGTH),
            share=pl.col("n") / pl.col("n").sum().over("dictionary", "words"),
            series="dictionary",
        )
        .filter(pl.col("share").is_not_nan())
    )
    bars = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X(
                "found_by:O",
                title=f"systems that find the entry (of {systems})",
                scale=alt.Scale(domain=list(range(systems + 1))),
                axis=alt.Axis(labelAngle=0, labelOverlap=True),
            ),
            xOffset=alt.XOffset("series:N", sort=names),
            y=alt.Y("share:Q", title="share of gold's entries", axis=alt.Axis(format=".0%")),
            tooltip=tooltips(
                "dictionary:N",
                "words:N|length",
                "found_by:O|found by",
                "n:Q|entries|,",
                "share:Q||.1%",
            ),
            **series_look(names, first=DICTIONARIES + 1, symbols=False),
        )
    )
    chart = bars.properties(width=HALF, height=220)
    return finish(
        panels(chart, 24, ("words", list(_LENGTH.values()))), "Easy and hard entries of gold"
    )


def classes(table: IntoFrame) -> alt.LayerChart:
    """Entries that are correct, missing or noise in all systems, for one-word and longer ones.

    Parameters
    ----------
    table
        ``Study.classes``.
    """
    table = frame_of(table, ["dictionary", "class", *_LENGTH], "the table of classes")
    data = table.unpivot(
        list(_LENGTH), index=["dictionary", "class"], variable_name="series"
    ).with_columns(
        pl.col("series").replace_strict(_LENGTH), pl.col("class").replace_strict(_CLASSES)
    )
    y = rows(list(_CLASSES.values()), "class", labelLimit=200)
    base = alt.Chart().encode(y=y)
    bars = base.mark_bar().encode(
        x=alt.X("value:Q", title="entries", stack="zero", axis=alt.Axis(tickCount=8)),
        order=alt.Order("series:N", sort="descending"),
        tooltip=tooltips("dictionary:N", "class:N", "series:N|length", "value:Q|entries|,"),
        **series_look(list(_LENGTH.values()), symbols=False),
    )
    totals = base.mark_text(align="left", dx=5, color=INK, fontSize=12).encode(
        x=alt.X("sum(value):Q", title="entries"), text=alt.Text("sum(value):Q", format=",")
    )
    return finish(
        alt.layer(bars, totals, data=data)
        .properties(width=WIDE, height=90)
        .facet(
            row=alt.Row(
                "dictionary:N",
                title=None,
                header=alt.Header(labelOrient="top", labelAnchor="start"),
            )
        )
        .resolve_scale(x="independent"),
        "What all systems find, none finds, or all invent",
    )
