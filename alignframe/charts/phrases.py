"""Charts of phrase dictionaries (Carl & Fissaha 2003, figures 1 to 3)."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.marks import frame_of, panels, rows, tooltips
from alignframe.charts.theme import COLOURS, FAINT, SYMBOLS, cycled, finish, looks
from alignframe.errors import InputError
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["by_length", "f_scores", "precision_and_recall", "sizes", "word_and_dictionary"]
__dir__ = listed(__all__)

_WIDTH = 380
_HEIGHT = 320
WIDE = 760
HALF = 360
_FULL = 800
_ROW = 24
"""Height of a system's row."""

_LINKS = {"links": "links", "null_links": "null links"}
_SIZES = {"align-dic1": "align-dic1", "text-dic1": "text-dic1", "text-dic2": "text-dic2"}
_MEASURES = {
    "word-sure": "words, Sure links",
    "word-possible": "words, all links",
    "align-dic1": "align-dic1",
    "text-dic1": "text-dic1",
    "text-dic2": "text-dic2",
}
DICTIONARIES = 2
"""The place of align-dic1 among the series of figures 1 and 2."""

_SCORES = "the table of scores"
_LENGTHS = {
    "phrase_recall": "phrase recall",
    "phrase_precision": "phrase precision",
    "word_recall": "word recall, all links",
    "word_precision": "word precision, all links",
}


def series_look(labels: list[str], first: int = 0, symbols: bool = True) -> dict[str, Any]:
    """Return the colour and symbol of each series, with one legend above the chart.

    ``first`` is the index of the first label's style, so that a dictionary looks the same
    everywhere.
    """
    legend = alt.Legend(
        title=None, orient="top", columns=min(5, len(labels)), labelLimit=240, symbolOpacity=1
    )
    ranges = {"color": cycled(COLOURS, len(labels), first)}
    if symbols:
        ranges["shape"] = cycled(SYMBOLS, len(labels), first)
    return looks("series", labels, legend, **ranges)


def _dots(
    data: pl.DataFrame,
    labels: list[str],
    systems: list[str],
    x: alt.X,
    tip: alt.Tooltip,
    first: int = 0,
) -> Any:
    """Return one row per system with one point per series, connected by a line."""
    y = rows(systems, labelLimit=260, grid=False)
    base = alt.Chart(data)
    lines = base.mark_rule(color=FAINT, strokeWidth=1).encode(
        x=alt.X("min(value):Q"), x2=alt.X2("max(value):Q"), y=y
    )
    tips = [*tooltips("system:N", "series:N|figure"), tip]
    points = base.mark_point(filled=True, size=85, opacity=0.95).encode(
        x=x, y=y, tooltip=tips, **series_look(labels, first)
    )
    return alt.layer(lines, points).properties(width=WIDE, height=_ROW * (len(systems) + 1))


def sizes(table: IntoFrame) -> alt.LayerChart:
    """Links, null links and dictionary entries of every system and of gold (figure 1).

    Parameters
    ----------
    table
        ``Study.sizes``.
    """
    table = frame_of(table, ["system", "kind", *_LINKS, *_SIZES], "the table of sizes")
    order = table.sort(pl.col("kind") == "gold", "system")["system"].to_list()
    data = (
        table.unpivot(["links", "null_links"], index="system", variable_name="series")
        .with_columns(pl.col("series").replace_strict(_LINKS))
        .with_columns(place=pl.col("series") == _LINKS["null_links"])
    )
    y = rows(order, labelLimit=260, grid=False)
    bars = (
        alt.Chart(data)
        .mark_bar(height={"band": 0.6})
        .encode(
            x=alt.X(
                "value:Q", title="links and null links", axis=alt.Axis(format="~s", tickCount=5)
            ),
            y=y,
            order=alt.Order("place:O"),
            tooltip=tooltips("system:N", "series:N|figure", "value:Q||,"),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=list(_LINKS.values()), range=[COLOURS[0], "#b9c9de"]),
                legend=alt.Legend(title=None, orient="top"),
            ),
        )
    )
    entries = (
        table.unpivot(list(_SIZES), index="system", variable_name="series")
        .with_columns(pl.col("series").replace_strict(_SIZES))
        .filter(pl.col("value") > 0)
    )
    x = alt.X(
        "value:Q",
        title="entries (logarithmic)",
        scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(format="~s", tickCount=6, labelOverlap=True),
    )
    dots = _dots(
        entries, list(_SIZES.values()), order, x, alt.Tooltip("value:Q", format=","), DICTIONARIES
    )
    height = _ROW * (len(order) + 1)
    both = alt.hconcat(
        bars.properties(width=HALF, height=height),
        dots.properties(width=HALF, height=height),
        spacing=24,
    ).resolve_scale(color="independent", shape="independent")
    return finish(both, "Links, and entries of the phrase dictionaries")


def precision_and_recall(scores: IntoFrame) -> alt.LayerChart:
    """Precision and recall of word links (against all links) and dictionaries, one row per system.

    Systems are sorted by mean F, best first.

    Parameters
    ----------
    scores
        ``Study.scores``.
    """
    scores = frame_of(scores, ["system", "measure", "f", "precision", "recall"], _SCORES)
    data = (
        scores.filter(pl.col("measure") != "word-sure")
        .select(
            "system",
            "f",
            "precision",
            "recall",
            measure=pl.col("measure").replace_strict(_MEASURES),
        )
        .unpivot(["precision", "recall"], index=["system", "measure", "f"], variable_name="series")
        .drop_nulls("value")
    )
    if not data.height:
        raise InputError("no precision or recall is defined", expected="gold with links")
    order = best_first(scores)
    y = rows(order, labelLimit=260, grid=False)
    base = alt.Chart().encode(y=y)
    line = base.mark_rule(color=FAINT, strokeWidth=3).encode(
        x=alt.X("min(value):Q"), x2=alt.X2("max(value):Q")
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("value:Q", title=None, axis=alt.Axis(tickCount=3), scale=alt.Scale(zero=False)),
        tooltip=tooltips(
            "system:N", "measure:N|of", "series:N|figure", "value:Q|value|.4f", "f:Q|F|.4f"
        ),
        **series_look(["precision", "recall"]),
    )
    shown = [name for name in _MEASURES.values() if name in data["measure"]]
    chart = alt.layer(line, points, data=data).properties(
        width=(_FULL - 20 * len(shown)) // len(shown), height=_ROW * len(order)
    )
    return finish(
        panels(chart, 20, ("measure", shown)).resolve_scale(x="independent"),
        "Precision and recall of words and of phrase dictionaries",
    )


def best_first(scores: pl.DataFrame) -> list[str]:
    """Return the systems by descending mean F."""
    best = scores.group_by("system").agg(pl.col("f").mean())
    return best.sort("f", "system", descending=[True, False], nulls_last=True)["system"].to_list()


def f_scores(scores: IntoFrame) -> alt.LayerChart:
    """F of word links and of dictionaries by system (figure 2), best first.

    Parameters
    ----------
    scores
        ``Study.scores``.
    """
    scores = frame_of(scores, ["system", "measure", "f"], _SCORES)
    data = scores.select(
        "system", series=pl.col("measure").replace_strict(_MEASURES), value="f"
    ).drop_nulls()
    if not data.height:
        raise InputError("F of no system is defined", expected="gold with links")
    x = alt.X(
        "value:Q",
        title="F-measure",
        scale=alt.Scale(zero=False, padding=14),
        axis=alt.Axis(tickCount=10),
    )
    tip = alt.Tooltip("value:Q", title="F", format=".4f")
    chart = _dots(data, list(_MEASURES.values()), best_first(scores), x, tip)
    return finish(chart, "F-measure of words and of phrase dictionaries")


def word_and_dictionary(
    scores: IntoFrame, correlations: IntoFrame, word: str = "word-sure"
) -> alt.LayerChart:
    """F of dictionaries against F of word links, one point per system, with Pearson's r.

    Parameters
    ----------
    scores, correlations
        Tables of a ``Study``.
    word
        ``word-sure`` or ``word-possible``.
    """
    scores = frame_of(scores, ["system", "measure", "f"], _SCORES)
    columns = ["word", "dictionary", "pearson"]
    known = frame_of(correlations, columns, "the table of correlations").filter(word=word)
    labels = {
        row["dictionary"]: row["dictionary"]
        + ("" if row["pearson"] is None else f"  (r = {row['pearson']:.2f})".replace("-", "−"))
        for row in known.iter_rows(named=True)
    }
    words = scores.filter(measure=word).select("system", word="f")
    data = (
        scores.filter(pl.col("measure").is_in(list(labels)))
        .join(words, on="system")
        .with_columns(series=pl.col("measure").replace_strict(labels))
        .drop_nulls(["f", "word"])
    )
    x = alt.X(
        "word:Q",
        title=f"F of {_MEASURES[word]}",
        scale=alt.Scale(zero=False, padding=14),
        axis=alt.Axis(tickCount=6),
    )
    y = alt.Y("f:Q", title="F of the dictionary", scale=alt.Scale(zero=False, padding=14))
    base = alt.Chart(data)
    series = series_look(list(labels.values()), first=DICTIONARIES)
    lines = (
        base.transform_regression("word", "f", groupby=["series"])
        .mark_line(strokeWidth=1.6, opacity=0.65)
        .encode(x=x, y=y, color=series["color"])
    )
    points = base.mark_point(filled=True, size=75, opacity=0.9).encode(
        x=x,
        y=y,
        tooltip=tooltips("system:N", "measure:N|dictionary", "word:Q|F of words|.4f", "f:Q|F|.4f"),
        **series,
    )
    return finish(
        alt.layer(lines, points),
        "Do dictionaries follow words?",
        f"F over systems; {_MEASURES[word]}",
        width=_WIDTH,
        height=_HEIGHT,
    )


def by_length(table: IntoFrame) -> alt.LayerChart:
    """Mean precision and recall of phrases and word links by sentence length (figure 3).

    Parameters
    ----------
    table
        ``Study.by_length``.
    """
    table = frame_of(table, ["length", "sentences", *_LENGTHS], "the table of lengths")
    data = (
        table.unpivot(list(_LENGTHS), index=["length", "sentences"], variable_name="series")
        .with_columns(pl.col("series").replace_strict(_LENGTHS))
        .drop_nulls()
    )
    x = alt.X("length:Q", title="sentence length (mean words of both sides)")
    y = alt.Y("value:Q", title="mean over systems and sentences", scale=alt.Scale(domain=[0, 1]))
    series = series_look(list(_LENGTHS.values()))
    base = alt.Chart(data)
    points = base.mark_point(filled=True, opacity=0.35).encode(
        x=x,
        y=y,
        size=alt.Size("sentences:Q", scale=alt.Scale(range=[12, 110]), legend=None),
        tooltip=tooltips("length:Q", "sentences:Q", "series:N|figure", "value:Q|mean|.4f"),
        **series,
    )
    layers: list[Any] = [points]
    if table.height > 5:  # a smooth line through fewer lengths means nothing
        layers.append(
            base.transform_loess("length", "value", groupby=["series"], bandwidth=0.5)
            # A local regression of shares may leave their range; it is drawn at its end.
            .transform_calculate(value="clamp(datum.value, 0, 1)")
            .mark_line(strokeWidth=2.4)
            .encode(x=x, y=y, color=series["color"])
        )
    return finish(
        alt.layer(*layers),
        "Sentence length, precision and recall",
        "larger points: more sentences; lines: local regression",
        width=_FULL,
        height=_HEIGHT,
    )
