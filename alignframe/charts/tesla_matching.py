"""The chart of a matching of n-grams (Dahlmeier, Liu & Ng 2011, figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from alignframe.charts.forms import mark, not_empty, panel, tips
from alignframe.charts.theme import BAD, COLOURS, INK, SOFT, WIDE, Look, finish
from alignframe.public import listed

if TYPE_CHECKING:
    from alignframe.tesla.explain import Matching

__all__ = ["matching"]
__dir__ = listed(__all__)

_LEAST, _MOST = 300, 760
"""Minimum and maximum distance of the sides in pixels."""

_WEIGHTS = 48
"""Width of the weights on either side."""

_STEP = 22
_PARTS = 4
"""Steps per row of n-grams, so that figures can be placed on an edge between two rows."""

_FADED = 0.45
_LETTER, _LETTERS = 6.7, 32
_BROAD = r"[\p{Lu}\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
"""Characters half as wide again as the average."""

_MOST_FAINT = 150
"""Number of edges drawn besides the optimum: those of the highest similarity, then the most
level."""

_Y = alt.Y("row:O", axis=None)
_LABELS = (0.085, 0.19, 0.295, 0.4, 0.505)
"""Positions of figures on an edge, from the translation's side."""

_APART, _BELOW = 0.1, 0.75
"""Minimum distances of figures, in widths and rows, so that they do not overlap."""


def matching(
    matchings: Matching | Mapping[str, Matching] | Mapping[tuple[str, str], Matching],
) -> alt.LayerChart:
    """Return the matching between n-grams of a translation and of its reference.

    N-grams of the translation are on the left, those of the reference on the right, with their
    weights; function words are faded, and unmatched n-grams are red. Edges of the optimum are
    strong, from blue for a similarity of 1 to orange for 0.5, and labelled with flow times
    similarity; other edges are faint.

    Parameters
    ----------
    matchings
        A matching of ``alignframe.tesla.explain``, or several by name, to browse. Names with two
        parts, such as a segment and an n-gram order, get one selector per part.

    Raises
    ------
    InputError
        If there is no matching, or none has an n-gram.
    """
    named = _named(matchings)
    parts = [_of(one).with_columns(first=pl.lit(a), second=pl.lit(b)) for (a, b), one in named]
    data = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    not_empty(data, "no matching with an n-gram", "at least one")
    firsts, seconds = (list(dict.fromkeys(name[k] for name, _ in named)) for k in (0, 1))
    params = [_param("matching", "Matching ", firsts), _param("order", "N-grams ", seconds)]
    title: Any = "Matching"
    if firsts != [""]:
        title = alt.Title(alt.ExprRef("matching" if seconds == [""] else "matching + ', ' + order"))
    return finish(_panel(data, title).add_params(*params))


def _panel(data: pl.DataFrame, title: Any) -> Any:
    """Return the selected matching among those with the given rows."""
    widest = int(data["x"].drop_nulls().to_numpy().max())
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, widest], nice=False))
    said: Look = {"baseline": "bottom", "fontSize": 13, "color": SOFT}
    layers = [
        *_edges(data, x),
        *_nodes(data, x),
        mark("text", data, _of_kind("sum"), x=x, y=alt.value(-12), text=alt.Text("text:N"), **said),
    ]
    return panel(layers, widest, alt.Step(_STEP / _PARTS), title)


def sums(one: Matching) -> str:
    """Return S, precision, recall and F of a matching as text."""
    return " · ".join(
        (
            f"S = {one.similarity:.4g}",
            f"P = S / {one.weight('hyp'):.4g} = {one.precision:.3f}",
            f"R = S / {one.weight('ref'):.4g} = {one.recall:.3f}",
            f"F = {one.f:.3f}",
        )
    )


def _named(matchings: Any) -> list[tuple[tuple[str, str], Matching]]:
    if not isinstance(matchings, Mapping):
        return [(("", ""), matchings)]
    names = [name if isinstance(name, tuple) else (name, "") for name in matchings]
    return list(zip(names, matchings.values(), strict=True))


def _param(name: str, label: str, options: list[str]) -> alt.Parameter:
    """Return a selector, or a constant if there is only one choice."""
    if len(options) == 1:
        return alt.param(name=name, value=options[0])
    return alt.param(
        name=name, value=options[0], bind=alt.binding_select(options=options, name=label)
    )


def _of(one: Matching) -> pl.DataFrame:
    """Return the rows of a matching's chart: nodes, ends of edges, labels, and the sum."""
    text = pl.col("text")
    short = pl.when(text.str.len_chars() > _LETTERS).then(text.str.head(_LETTERS - 1) + pl.lit("…"))
    times = pl.when(pl.col("count") > 1).then(pl.format(" ×{}", "count")).otherwise(pl.lit(""))
    nodes = one.nodes.select(
        kind=pl.col("side"),
        row=pl.col("node") * _PARTS,
        text=short.otherwise(text) + times,
        weight="weight",
        flow="matched",
        faded=pl.col("function") > 0,
    )
    if not nodes.height:
        return nodes
    letters = nodes["text"].str.len_chars() + 0.5 * nodes["text"].str.count_matches(_BROAD)
    beside = _WEIGHTS + _LETTER * float(letters.to_numpy().max())
    width = round(min(_MOST, max(_LEAST, WIDE - 16 - 2 * beside)))
    nodes = nodes.with_columns(x=pl.when(pl.col("kind") == "ref").then(float(width)).otherwise(0.0))
    used = one.edges.filter(pl.col("flow") > 0)
    far = pl.col("ref") - pl.col("hyp")
    rest = one.edges.filter(pl.col("flow") <= 0).sort(-pl.col("similarity"), far.abs())
    edges = pl.concat([rest.head(_MOST_FAINT), used]).with_row_index("edge")
    ends = [
        edges.select(
            kind=pl.when(pl.col("flow") > 0).then(pl.lit("edge")).otherwise(pl.lit("faint")),
            row=pl.col(side) * _PARTS,
            x=pl.lit(x),
            edge=pl.col("edge").cast(pl.Int64),
            similarity="similarity",
            flow="flow",
        )
        for side, x in (("hyp", 0.0), ("ref", float(width)))
    ]
    labels = (
        used.select(kind=pl.lit("label"), similarity="similarity", flow="flow")
        .with_columns(_label_places(used))
        .with_columns(pl.col("x") * width)
    )
    rows = pl.int_range(int(nodes["row"].to_numpy().max()) + 1, eager=True)
    blank = pl.DataFrame({"row": rows}).with_columns(kind=pl.lit("blank"))
    total = pl.DataFrame({"kind": ["sum"], "text": [sums(one)], "row": [0], "x": [-beside]})
    return pl.concat([nodes, *ends, labels, blank, total], how="diagonal")


def _label_places(used: pl.DataFrame) -> pl.DataFrame:
    """Return the label positions of edges: on the edge, as near the translation as possible."""
    taken: list[tuple[float, float]] = []
    for i, j in used.select("hyp", "ref").iter_rows():
        tried = [(x, i + x * (j - i)) for x in _LABELS]
        free = [
            (x, row)
            for x, row in tried
            if all(abs(x - a) > _APART or abs(row - b) >= _BELOW for a, b in taken)
        ]
        taken.append((free or tried)[0])
    rows = [round(row * _PARTS) for _, row in taken]
    schema = {"x": pl.Float64, "row": pl.Int64}
    return pl.DataFrame({"x": [x for x, _ in taken], "row": rows}, schema)


def _edges(data: pl.DataFrame, x: alt.X) -> list[alt.Chart]:
    place = {"x": x, "y": _Y}
    similarity = alt.Color(
        "similarity:Q",
        scale=alt.Scale(domain=[0.5, 1], range=[COLOURS[1], COLOURS[0]], clamp=True),
        legend=None,
    )
    faint = alt.Scale(domain=[0, 1], range=[0.05, 0.4])
    strong = alt.Scale(type="sqrt", domain=[0, 1], range=[0.6, 4], clamp=True)
    figures = "format(datum.flow, '.3~g') + ' × ' + format(datum.similarity, '.2~f')"
    label: Look = {"align": "center", "fontSize": 10.5, "text": alt.Text("figures:N")}
    written = [
        mark("text", data, _of_kind("label"), **place, **label, **look).transform_calculate(
            figures=figures
        )
        for look in ({"stroke": "white", "strokeWidth": 6}, {"color": INK})
    ]
    return [
        mark("point", data, _of_kind("blank"), opacity=0, y=_Y),
        mark(
            "line",
            data,
            _of_kind("faint"),
            color="#8893a0",
            strokeWidth=0.8,
            detail="edge:N",
            opacity=alt.Opacity("similarity:Q", scale=faint, legend=None),
            **place,
        ),
        mark(
            "line",
            data,
            _of_kind("edge"),
            opacity=0.85,
            detail="edge:N",
            color=similarity,
            strokeWidth=alt.StrokeWidth("flow:Q", scale=strong, legend=None),
            tooltip=tips(data, "similarity||.4~f", "flow||.4~f"),
            **place,
        ),
        *written,
    ]


def _nodes(data: pl.DataFrame, x: alt.X) -> list[alt.Chart]:
    made = []
    dot = alt.Scale(domain=[0, 1], range=[12, 130], clamp=True)
    unmatched = alt.ColorValue(BAD, condition={"test": "datum.flow > 0", "value": INK})
    weight = {"color": SOFT, "text": alt.Text("weight:Q", format=".3~g")}
    own: Look = {
        "x": x,
        "y": _Y,
        "opacity": alt.condition("datum.faded", alt.value(_FADED), alt.value(1.0)),
        "tooltip": tips(data, "text|n-gram", "weight||.4~f", "flow|matched|.4~f"),
    }
    for side, way, align in (("hyp", -1, "right"), ("ref", 1, "left")):
        here = _of_kind(side)
        beside: Look = {"align": align, **own}
        ngram = {"limit": 300, "text": alt.Text("text:N"), "color": unmatched}
        size = alt.Size("weight:Q", scale=dot, legend=None)
        made += [
            mark("point", data, here, color=INK, size=size, **own),
            mark("text", data, here, fontSize=10.5, dx=12 * way, **weight, **beside),
            mark("text", data, here, fontSize=13, dx=_WEIGHTS * way, **ngram, **beside),
        ]
    return made


def _of_kind(kind: str) -> str:
    return f"datum.first == matching && datum.second == order && datum.kind == '{kind}'"
