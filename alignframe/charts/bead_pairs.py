"""Charts of one sentence alignment: its map, the lengths of its beads, its probabilities."""

from __future__ import annotations

import altair as alt
import polars as pl

from alignframe.charts.marks import tooltips
from alignframe.charts.theme import COLOURS, INK, finish

_WIDTH, _HEIGHT = 430, 300
_WIDE = 960
_BINS = 20

PAIRED, SKIPPED = "bead", "skipped"

TYPES = 8
"""Number of types of beads shown separately, the most frequent ones."""

OTHERS = "others"

_DOUBTFUL = "isValid(datum.score) && datum.score < 0.9"  # Vega sorts null below all numbers

MOST_POINTS = 6_000
"""Of more beads only a sample is drawn, with all doubtful ones."""


def path_map(beads: pl.DataFrame) -> alt.LayerChart:
    """Distance of the path from the diagonal, skipped sentences, and doubtful beads.

    ``beads`` has the columns doc, place (the share of the document's source side before a bead),
    off (its distance from the diagonal in target sentences), kind (``bead`` or ``skipped``), score
    and span.
    """
    shown = beads
    if beads.height > MOST_POINTS:
        doubtful = (pl.col("score") < 0.9).fill_null(value=False)
        sure = beads.filter((pl.col("kind") == PAIRED) & ~doubtful)
        rest = beads.join(sure, on=["doc", "span"], how="anti")
        shown = pl.concat([rest, sure.gather_every(-(-sure.height // MOST_POINTS))])
    x = alt.X("place:Q", title="source sentence", axis=alt.Axis(format=",d"))
    y = alt.Y("off:Q", title="distance from the diagonal (target sentences)")
    kinds = alt.Scale(domain=[PAIRED, SKIPPED], range=[COLOURS[0], COLOURS[1]])
    tips = tooltips("doc:N|document", "span:N|sentences", "type:N", "score:Q|probability|.3f")
    base = alt.Chart(shown)
    points = base.mark_point(filled=True).encode(
        x=x,
        y=y,
        color=alt.Color("kind:N", scale=kinds, legend=alt.Legend(orient="top", title=None)),
        size=alt.condition(_DOUBTFUL, alt.value(46), alt.value(12)),
        opacity=alt.condition(_DOUBTFUL, alt.value(0.9), alt.value(0.45)),
        tooltip=tips,
    )
    large = "large points: beads with a probability below 0.9; " if _scored(beads) else ""
    title = alt.Title("The path", subtitle=f"{large}steps: sentences without a counterpart")
    zero = alt.Chart(pl.DataFrame({"off": [0.0]})).mark_rule(color=INK, strokeDash=[4, 3])
    return finish(alt.layer(zero.encode(y="off:Q"), points), title, width=_WIDE, height=240)


def bead_types(counts: pl.DataFrame) -> alt.LayerChart:
    """Bead counts by type, optionally with gold: type, of, beads."""
    order = (
        counts.group_by("type")
        .agg(pl.col("beads").max())
        .sort("beads", "type", descending=[True, False])
    )
    names = order["type"].to_list()[:TYPES]
    rest = ~pl.col("type").is_in(names)
    if order.height > TYPES:
        names.append(OTHERS)
        kind = pl.when(rest).then(pl.lit(OTHERS)).otherwise("type").alias("type")
        counts = counts.group_by(kind, "of", maintain_order=True).agg(pl.col("beads").sum())
    of = counts["of"].unique(maintain_order=True).to_list()
    base = alt.Chart(counts).encode(
        y=alt.Y("type:N", sort=names, title=None),
        x=alt.X("beads:Q", scale=alt.Scale(type="symlog"), title="beads (logarithmic)"),
        yOffset=alt.YOffset("of:N", sort=of),
        tooltip=tooltips("type:N", "of:N", "beads:Q||,"),
    )
    colour = alt.Color(
        "of:N",
        scale=alt.Scale(domain=of, range=list(COLOURS[: len(of)])),
        legend=alt.Legend(orient="top", title=None) if len(of) > 1 else None,
    )
    bars = base.mark_bar().encode(color=colour)
    text = base.mark_text(align="left", dx=4, fontSize=11).encode(
        text=alt.Text("beads:Q", format=",")
    )
    height = max(140, 20 * len(names) * len(of))
    return finish(alt.layer(bars, text), "Types of beads", width=_WIDTH - 60, height=height)


def lengths(beads: pl.DataFrame) -> alt.LayerChart:
    """Lengths of both sides in characters: src_length, tgt_length, score, span."""
    sample = beads.sample(min(beads.height, 3_000), seed=1)
    src, tgt = (beads[f"{side}_length"].to_numpy() for side in ("src", "tgt"))
    ratio = float(tgt.sum() / max(src.sum(), 1))
    top = float(src.max())
    line = (
        alt.Chart(pl.DataFrame({"src_length": [0.0, top], "tgt_length": [0.0, ratio * top]}))
        .mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1)
        .encode(x="src_length:Q", y="tgt_length:Q")
    )
    points = (
        alt.Chart(sample)
        .mark_point(filled=True, size=18, opacity=0.5)
        .encode(
            x=alt.X("src_length:Q", title="source, characters"),
            y=alt.Y("tgt_length:Q", title="target, characters"),
            color=alt.condition(_DOUBTFUL, alt.value(COLOURS[1]), alt.value(COLOURS[0])),
            tooltip=tooltips(
                "span:N|sentences", "src_length:Q||,", "tgt_length:Q||,", "score:Q|probability|.3f"
            ),
        )
    )
    orange = "orange: beads with a probability below 0.9" if _scored(beads) else ""
    title = alt.Title("Lengths", subtitle=orange)
    return finish(alt.layer(line, points), title, width=_WIDTH, height=_HEIGHT)


def _scored(beads: pl.DataFrame) -> bool:
    return beads["score"].null_count() < beads.height


def probabilities(beads: pl.DataFrame) -> alt.LayerChart:
    """Histogram of bead probabilities: score."""
    bars = (
        alt.Chart(
            beads.select(low=(pl.col("score") * _BINS).floor().clip(0, _BINS - 1) / _BINS)
            .group_by("low", maintain_order=True)
            .agg(beads=pl.len())
            .with_columns(high=pl.col("low") + 1 / _BINS, none=pl.lit(0))
        )
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("low:Q", scale=alt.Scale(domain=[0, 1]), title="probability"),
            x2="high:Q",
            y=alt.Y("beads:Q", scale=alt.Scale(type="symlog"), title="beads (logarithmic)"),
            y2="none:Q",
            tooltip=tooltips("low:Q|from|.2f", "high:Q|to|.2f", "beads:Q||,"),
        )
    )
    return finish(alt.layer(bars), "Probabilities", width=_WIDTH, height=_HEIGHT)
