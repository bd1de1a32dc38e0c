"""The histogram of line scores."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from alignframe.charts.marks import WIDE, tooltips
from alignframe.charts.theme import COLOURS, finish

BINS = 40


def score_histogram(lines: pl.DataFrame) -> alt.LayerChart:
    """Histogram of line scores, with kept and dropped lines in different colours.

    Lines without a score are left out.
    """
    known = lines.filter(pl.col("score").is_not_null())
    edges = np.linspace(0.0, 1.0, BINS + 1)
    rows = []
    for kept, name in ((True, "kept"), (False, "dropped")):
        scores = known.filter(pl.col("kept") == kept)["score"].to_numpy()
        counts, _ = np.histogram(scores, edges)
        rows += [
            {"from": low, "to": high, "lines": int(count), "what": name}
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    bars = (
        alt.Chart(pl.DataFrame(rows).to_arrow())
        .mark_bar()
        .encode(
            x=alt.X("from:Q", title="score", bin="binned"),
            x2="to:Q",
            y=alt.Y("lines:Q", title="lines"),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=["kept", "dropped"], range=list(COLOURS[:2])),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=tooltips("from", "to", "lines", "what"),
        )
    )
    return finish(alt.layer(bars), "Scores of lines", width=WIDE - 90, height=220)
