"""The chart of feature shares in a model's score."""

from __future__ import annotations

import altair as alt
import polars as pl

from alignframe.charts.marks import WIDE, frame_of, label_room, rows, tooltips
from alignframe.charts.tesla import STEP
from alignframe.charts.tesla_features import feature_words
from alignframe.charts.theme import COLOURS, INK, finish
from alignframe.errors import InputError
from alignframe.typing import IntoFrame


def feature_weights(features: IntoFrame) -> alt.LayerChart:
    """Return the share of each feature in a score, one bar each, in the given order.

    A row has feature, such as ``ms_1``, and share, the change in score when the feature goes from
    its lowest to its highest value.
    """
    frame = frame_of(features, ["feature", "share"], "the table of weights")
    if not frame.height:
        raise InputError("no feature", expected="at least one")
    data = frame.select(
        "feature", "share", name=pl.col("feature").map_elements(feature_words, pl.String)
    )
    names = data["name"].to_list()
    width = min(560, WIDE - label_room(names) - 80)
    base = alt.Chart(data).encode(
        y=rows(names, "name", grid=False, ticks=False, domain=False, labelLimit=320),
        tooltip=tooltips("feature:N", "share:Q||+.1%"),
    )
    low, high = (float(f([*data["share"].to_list(), 0.0])) for f in (min, max))
    scale = alt.Scale(domain=[low, high], nice=False)
    x = alt.X("share:Q", title="share of the score", scale=scale, axis=alt.Axis(format=".0%"))
    negative = alt.condition("datum.share < 0", alt.value(COLOURS[3]), alt.value(COLOURS[0]))
    layers = [
        base.mark_bar(height=13, cornerRadius=2).encode(x=x, color=negative),
        base.mark_text(align="left", dx=6, color=INK, fontSize=12)
        .encode(x=alt.X("end:Q", scale=scale), text=alt.Text("share:Q", format=".1%"))
        .transform_calculate(end="max(datum.share, 0)"),
    ]
    title = alt.Title(
        "Share of each feature in the score",
        subtitle="from each feature's lowest value to its highest",
    )
    return finish(alt.layer(*layers), title, width=width, height=alt.Step(STEP - 4))
