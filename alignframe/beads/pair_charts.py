"""Charts of one sentence alignment: its map, its beads; and the scores of filtered lines."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from alignframe.aligners.charts import cumulative
from alignframe.pages.forms import across, bars, dots, in_turn, level, mark, rows, tips, up
from alignframe.pages.theme import COLOURS, INK, WIDE, Look, finish, looks

_WIDTH, _HEIGHT = 430, 300
_WIDE = 960

PAIRED, SKIPPED = "bead", "skipped"

_BINS = 40
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
    drawn = beads
    if beads.height > MOST_POINTS:
        doubtful = (pl.col("score") < 0.9).fill_null(value=False)
        sure = beads.filter((pl.col("kind") == PAIRED) & ~doubtful)
        rest = beads.join(sure, on=["doc", "span"], how="anti")
        # Evenly, so that the sample follows the path as well.
        drawn = pl.concat([rest, sure.gather_every(-(-sure.height // MOST_POINTS))])
    y = up("off", "distance from the diagonal (target sentences)")
    look = looks("kind", [PAIRED, SKIPPED])
    shown = tips(beads, "doc|document", "span|sentences", "type", "score|probability|.3f")
    points = mark(
        "point",
        drawn,
        x=across("place", "source sentence", format=",d"),
        y=y,
        color=look["color"],
        shape=look["shape"],
        size=alt.condition(_DOUBTFUL, alt.value(46), alt.value(12)),
        opacity=alt.condition(_DOUBTFUL, alt.value(0.9), alt.value(0.45)),
        tooltip=shown,
    )
    large = "large points: beads with a probability below 0.9; " if _scored(beads) else ""
    said = f"{large}steps: sentences without a counterpart"
    return finish([level(0.0, y), points], "The path", said, width=_WIDE, height=240)


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
    of = in_turn(counts, "of")
    several = len(of) > 1
    look = looks("of", of, legend=several)
    x = across("beads", "beads (logarithmic)", type="log", nice=False, padding=14, format="~s")
    y = rows(names, "type", grid=True)
    shown = counts.filter(pl.col("beads") > 0)
    apart: Look = {"yOffset": alt.YOffset("of:N", sort=of)} if several else {}
    layers = dots(shown, x, y, tips(shown, "type", "of", "beads"), look=look, **apart)
    text = {"x": x, "y": y, "color": look["color"], "text": alt.Text("beads:Q", format=",")}
    layers.append(mark("text", shown, dx=9, fontSize=11, **text, **apart))
    height = max(140, 20 * len(names) * len(of))
    return finish(layers, "Types of beads", width=_WIDTH - 60, height=height)


def lengths(beads: pl.DataFrame) -> alt.LayerChart:
    """Lengths of both sides in characters: src_length, tgt_length, score, span."""
    sample = beads.sample(min(beads.height, 3_000), seed=1)
    src, tgt = (beads[f"{side}_length"].to_numpy() for side in ("src", "tgt"))
    ratio = float(tgt.sum() / max(src.sum(), 1))
    top = float(src.max())
    ends = pl.DataFrame({"src_length": [0.0, top], "tgt_length": [0.0, ratio * top]})
    place: Look = {
        "x": across("src_length", "source, characters"),
        "y": up("tgt_length", "target, characters"),
    }
    shown = "span|sentences", "src_length", "tgt_length", "score|probability|.3f"
    doubtful: Look = {
        "color": alt.condition(_DOUBTFUL, alt.value(COLOURS[1]), alt.value(COLOURS[0])),
        "size": alt.condition(_DOUBTFUL, alt.value(46), alt.value(18)),
    }
    layers = [
        mark("line", ends, color=INK, strokeDash=[4, 3], strokeWidth=1, **place),
        mark("point", sample, opacity=0.5, tooltip=tips(sample, *shown), **doubtful, **place),
    ]
    orange = "large, orange: beads with a probability below 0.9" if _scored(beads) else ""
    return finish(layers, "Lengths", orange, width=_WIDTH, height=_HEIGHT)


def _scored(beads: pl.DataFrame) -> bool:
    return beads["score"].null_count() < beads.height


def probabilities(beads: pl.DataFrame) -> alt.LayerChart:
    """Cumulative distribution of bead probabilities: system, score."""
    below = "share of beads with at most this probability"
    known = beads.select("system", probability="score").drop_nulls()
    return cumulative(known, "beads", below, "Probabilities", "on the left, doubtful beads")


def score_histogram(lines: pl.DataFrame) -> alt.LayerChart:
    """Histogram of line scores, with kept and dropped lines in different colours.

    Lines without a score are left out.
    """
    known = lines.filter(pl.col("score").is_not_null())
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    rows = []
    for kept, name in ((True, "kept"), (False, "dropped")):
        scores = known.filter(pl.col("kept") == kept)["score"].to_numpy()
        counts, _ = np.histogram(scores, edges)
        rows += [
            {"from": low, "to": high, "lines": int(count), "what": name}
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    drawn = pl.DataFrame(rows)
    shown = bars(
        drawn,
        tips(drawn, "from||.3f", "to||.3f", "lines", "what"),
        x=alt.X("from:Q", title="score", bin="binned"),
        x2="to:Q",
        y=up("lines", "lines"),
        color=looks("what", ["kept", "dropped"])["color"],
    )
    return finish([shown], "Scores of lines", width=WIDE - 90, height=220)
