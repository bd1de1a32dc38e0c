"""Charts of phrase dictionaries, and of their easy and hard entries (Carl & Fissaha 2003)."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from alignframe.core.lazy import listed
from alignframe.core.rounding import printed
from alignframe.pages.forms import (
    Layers,
    across,
    around,
    bars,
    dots,
    facets,
    frame_of,
    lines,
    mark,
    not_empty,
    panel,
    rows,
    share,
    tips,
    up,
)
from alignframe.pages.theme import INK, Look, finish, looks
from alignframe.typing import IntoFrame

__all__ = [
    "by_length",
    "classes",
    "f_scores",
    "found_by",
    "precision_and_recall",
    "sizes",
    "word_and_dictionary",
]
__dir__ = listed(__all__)

_WIDTH = 380
_HEIGHT = 320
_WIDE = 760
_HALF = 360
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
_ENTRIES = {"one_word": "one word on both sides", "multi_word": "longer"}
CLASSES = {"correct": "correct in", "missing": "missing in", "noise": "noise of"}
"""The classes of entries, before the systems that they are of."""

SEVERAL = 2
"""So many systems have a mean and an order, which a single one has not."""


def _looks(labels: Sequence[str], first: int = 0) -> Look:
    """Return the look of each series; ``first`` is the place of its first in the series of F."""
    return looks("series", labels, known=[*list(_MEASURES)[:first], *labels])


def _dots(data: pl.DataFrame, look: Look, order: Sequence[str], x: alt.X, *shown: str) -> Layers:
    """Return one row per system with one point per series, connected by a line."""
    tooltip = tips(data, "system", "series|figure", *shown)
    return dots(data, x, rows(order, labelLimit=260), tooltip, look=look, spans=True, size=85)


def of_class(name: str, systems: int) -> str:
    """Return what a class of entries is called, of this many systems."""
    return f"{CLASSES[name]} {'all systems' if systems >= SEVERAL else 'the system'}"


def sizes(table: IntoFrame, order: Sequence[str] | None = None) -> alt.LayerChart:
    """Links, null links and dictionary entries of every system and of gold (figure 1).

    Parameters
    ----------
    table
        ``Study.sizes``.
    order
        The systems in the order of their rows, before gold; by default by name.
    """
    table = frame_of(table, ["system", "kind", *_LINKS, *_SIZES], "the table of sizes")
    every = table.sort(pl.col("kind") == "gold", "system")["system"].to_list()
    order = [*(order or []), *(name for name in every if name not in (order or []))]
    data = (
        table.unpivot(["links", "null_links"], index="system", variable_name="series")
        .with_columns(pl.col("series").replace_strict(_LINKS))
        .with_columns(place=pl.col("series") == _LINKS["null_links"])
    )
    x = across("value", "links and null links", format="~s", tickCount=5)
    shown = bars(
        data,
        tips(data, "system", "series|figure", "value"),
        height={"band": 0.6},
        x=x,
        y=rows(order, labelLimit=260),
        order=alt.Order("place:O"),
        color=_looks(list(_LINKS.values()))["color"],
    )
    entries = (
        table.unpivot(list(_SIZES), index="system", variable_name="series")
        .with_columns(pl.col("series").replace_strict(_SIZES))
        .filter(pl.col("value") > 0)
    )
    log: Look = {"type": "log", "nice": False, "padding": 14, "labelOverlap": True}
    x = across("value", "entries (logarithmic)", format="~s", tickCount=6, **log)
    look = _looks(list(_SIZES.values()), DICTIONARIES)
    height = _ROW * (len(order) + 1)
    pair = (
        panel([shown], _HALF, height),
        panel(_dots(entries, look, order, x, "value"), _HALF, height),
    )
    both = alt.hconcat(*pair, spacing=24)
    return finish(
        both.resolve_scale(color="independent", shape="independent"),
        "Links, and entries of the phrase dictionaries",
    )


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
    not_empty(data, "no precision or recall is defined", "gold with links")
    order = [name for name in best_first(scores) if name in data["system"]]
    tooltip = tips(data, "system", "measure|of", "series|figure", "value", "f|F")
    x = across("value", tickCount=3, zero=False)
    y = rows(order, labelLimit=260)
    drawn = dots(None, x, y, tooltip, look=_looks(["precision", "recall"]), spans=True, size=80)
    shown = [name for name in _MEASURES.values() if name in data["measure"]]
    size = share(len(shown), 20, 20, _FULL), _ROW * len(order)
    chart = facets(drawn, data, size, ("measure", shown), gap=20)
    title = "Precision and recall of words and of phrase dictionaries"
    return finish(chart.resolve_scale(x="independent"), title)


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
    not_empty(data, "F of no system is defined", "gold with links")
    order = [name for name in best_first(scores) if name in data["system"]]
    x = across("value", "F-measure", zero=False, padding=14, tickCount=10)
    drawn = _dots(data, _looks(list(_MEASURES.values())), order, x, "value|F")
    title, height = "F-measure of words and of phrase dictionaries", _ROW * (len(order) + 1)
    return finish(drawn, title, width=_WIDE, height=height)


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
        + ("" if row["pearson"] is None else f"  (r = {printed(row['pearson'], '.2f')})")
        for row in known.iter_rows(named=True)
    }
    words = scores.filter(measure=word).select("system", word="f")
    data = (
        scores.filter(pl.col("measure").is_in(list(labels)))
        .join(words, on="system")
        .with_columns(series=pl.col("measure").replace_strict(labels))
        .drop_nulls(["f", "word"])
    )
    room: Look = {"zero": False, "padding": 14}
    # Axes of equal figures have no room of their own, and ticks that are rounded to whole numbers.
    ends = {
        name: around(data[name].to_numpy()) if data[name].n_unique() == 1 else None
        for name in ("word", "f")
    }
    x = across("word", f"F of {_MEASURES[word]}", ends["word"], **room, tickCount=6)
    y = up("f", "F of the dictionary", ends["f"], **room)
    look = _looks(list(labels.values()), DICTIONARIES)
    tooltip = tips(data, "system", "measure|dictionary", "word|F of words", "f|F")
    fitted, points = lines(data, x, y, look, tooltip, width=1.6, size=75)
    fitted = fitted.transform_regression("word", "f", groupby=["series"])
    return finish(
        # No line goes through points above each other.
        [fitted, points] if data["word"].n_unique() > 1 else [points],
        "Do dictionaries follow words?",
        f"F over systems; {_MEASURES[word]}" if data["system"].n_unique() > 1 else _MEASURES[word],
        width=_WIDTH,
        height=_HEIGHT,
    )


def by_length(table: IntoFrame, systems: int = SEVERAL) -> alt.LayerChart:
    """Mean precision and recall of phrases and word links by sentence length (figure 3).

    Parameters
    ----------
    table
        ``Study.by_length``.
    systems
        The number of systems.
    """
    table = frame_of(table, ["length", "sentences", *_LENGTHS], "the table of lengths")
    data = (
        table.unpivot(list(_LENGTHS), index=["length", "sentences"], variable_name="series")
        .with_columns(pl.col("series").replace_strict(_LENGTHS))
        .drop_nulls()
    )
    x = across("length", "sentence length (mean words of both sides)")
    of = "systems and sentences" if systems >= SEVERAL else "sentences"
    y = up("value", f"mean over {of}", [0, 1])
    area = alt.Size("sentences:Q", scale=alt.Scale(range=[12, 110]), legend=None)
    tooltip = tips(data, "length", "sentences", "series|figure", "value|mean")
    look = _looks(list(_LENGTHS.values()))
    smooth, points = lines(data, x, y, look, tooltip, width=2.4, size=area)
    smooth = smooth.transform_loess("length", "value", groupby=["series"], bandwidth=0.5)
    # A local regression of shares may leave their range; it is drawn at its end.
    smooth = smooth.transform_calculate(value="clamp(datum.value, 0, 1)")
    points = points.encode(opacity=alt.value(0.35))
    return finish(
        # A smooth line through few lengths means nothing.
        [points, smooth] if table.height > 5 else [points],
        "Sentence length, precision and recall",
        "larger points: more sentences; lines: local regression",
        width=_FULL,
        height=_HEIGHT,
    )


def found_by(table: IntoFrame, systems: int) -> alt.LayerChart:
    """Gold entries by the number of systems that find them, for one-word and longer ones.

    Parameters
    ----------
    table
        ``Study.found_by``.
    systems
        The number of systems.
    """
    table = frame_of(table, ["dictionary", "found_by", *_ENTRIES], "the table of entries")
    names = table["dictionary"].unique(maintain_order=True).to_list()
    data = (
        table.unpivot(
            list(_ENTRIES), index=["dictionary", "found_by"], variable_name="words", value_name="n"
        )
        .with_columns(
            pl.col("words").replace_strict(_ENTRIES),
            share=pl.col("n") / pl.col("n").sum().over("dictionary", "words"),
            series="dictionary",
        )
        .filter(pl.col("share").is_not_nan())
    )
    what = f"systems that find the entry (of {systems})"
    if systems < SEVERAL:
        what = "found by the system (1) or not (0)"
    shown = tips(data, "dictionary", "words|length", "found_by|found by", "n|entries", "share||.1%")
    drawn = bars(
        None,
        shown,
        x=across("found_by:O", what, range(systems + 1), labelAngle=0, labelOverlap=True),
        xOffset=alt.XOffset("series:N", sort=names),
        y=up("share", "share of gold's entries", format=".0%"),
        color=_looks(names, DICTIONARIES + 1)["color"],
    )
    kinds = "words", list(_ENTRIES.values())
    chart = facets([drawn], data, (_HALF, 220), kinds, gap=24)
    return finish(chart, "Easy and hard entries of gold")


def classes(table: IntoFrame, systems: int = SEVERAL) -> alt.LayerChart:
    """Entries that are correct, missing or noise in all systems, for one-word and longer ones.

    Parameters
    ----------
    table
        ``Study.classes``.
    systems
        The number of systems.
    """
    table = frame_of(table, ["dictionary", "class", *_ENTRIES], "the table of classes")
    names = {name: of_class(name, systems) for name in CLASSES}
    data = table.unpivot(
        list(_ENTRIES), index=["dictionary", "class"], variable_name="series"
    ).with_columns(pl.col("series").replace_strict(_ENTRIES), pl.col("class").replace_strict(names))
    y = rows(list(names.values()), "class", labelLimit=200)
    x = across("value", "entries", tickCount=8)
    total = alt.X("sum(value):Q", title="entries")
    drawn = bars(
        None,
        tips(data, "dictionary", "class", "series|length", "value|entries"),
        x=x.stack("zero"),
        y=y,
        order=alt.Order("series:N", sort="descending"),
        color=_looks(list(_ENTRIES.values()))["color"],
    )
    sums = mark("text", x=total, y=y, dx=5, color=INK, text=alt.Text("sum(value):Q", format=","))
    head = alt.Header(labelOrient="top", labelAnchor="start")
    chart = alt.layer(drawn, sums, data=data).properties(width=_WIDE, height=90)
    chart = chart.facet(row=alt.Row("dictionary:N", title=None, header=head))
    title = "What all systems find, none finds, or all invent"
    if systems < SEVERAL:
        title = "What the system finds, misses or invents"
    return finish(chart.resolve_scale(x="independent"), title)
