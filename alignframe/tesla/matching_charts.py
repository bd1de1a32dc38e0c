"""The chart of a matching of n-grams (Liu, Dahlmeier & Ng 2010, figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from alignframe.core.lazy import listed
from alignframe.pages.forms import STEP, mark, not_empty, panel, tips
from alignframe.pages.theme import BAD, COLOURS, INK, SOFT, Look, finish

if TYPE_CHECKING:
    from alignframe.tesla.explain import Matching

__all__ = ["matching"]
__dir__ = listed(__all__)

_FADED = 0.45
_LETTERS = 32


def matching(
    matchings: Matching | Mapping[str, Matching] | Mapping[tuple[str, str], Matching],
) -> alt.LayerChart:
    """Return the matching between n-grams of a translation and of its reference, as a grid.

    Rows are n-grams of the translation, columns those of the reference, with their weights;
    function words are faded, and unmatched n-grams are red. Points are the edges of the optimum,
    from blue for a similarity of 1 to orange for 0.5, and larger where more weight flows; other
    edges are small rings.

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
    parts = [
        _of(matching).with_columns(first=pl.lit(a), second=pl.lit(b)) for (a, b), matching in named
    ]
    data = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    not_empty(data, "no matching with an n-gram", "at least one")
    firsts, seconds = (list(dict.fromkeys(name[k] for name, _ in named)) for k in (0, 1))
    params = [_param("matching", "Matching ", firsts), _param("order", "N-grams ", seconds)]
    title: Any = "Matching"
    if firsts != [""]:
        title = alt.Title(alt.ExprRef("matching" if seconds == [""] else "matching + ', ' + order"))
    chart = panel(_layers(data), alt.Step(STEP), alt.Step(STEP), title)
    return finish(chart.add_params(*params))


def sums(matching: Matching) -> str:
    """Return S, precision, recall and F of a matching as text."""
    return " · ".join(
        (
            f"S = {matching.similarity:.4g}",
            f"P = S / {matching.weight('hyp'):.4g} = {matching.precision:.3f}",
            f"R = S / {matching.weight('ref'):.4g} = {matching.recall:.3f}",
            f"F = {matching.f:.3f}",
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


def _of(matching: Matching) -> pl.DataFrame:
    """Return the rows of a matching's chart: n-grams of both sides, edges, and the sum."""
    text = pl.col("text")
    short = pl.when(text.str.len_chars() > _LETTERS).then(text.str.head(_LETTERS - 1) + pl.lit("…"))
    times = pl.when(pl.col("count") > 1).then(pl.format(" ×{}", "count")).otherwise(pl.lit(""))
    nodes = matching.nodes.select(
        "weight",
        "node",
        kind="side",
        text=short.otherwise(text) + times,
        flow="matched",
        faded=pl.col("function") > 0,
    )
    if not nodes.height:
        return nodes
    hyp, ref = (nodes.filter(kind=side).rename({"node": side}) for side in ("hyp", "ref"))
    edges = matching.edges.join(hyp.select("hyp", hyp_text="text"), on="hyp").join(
        ref.select("ref", ref_text="text"), on="ref"
    )
    kind = pl.when(pl.col("flow") > 0).then(pl.lit("edge")).otherwise(pl.lit("faint"))
    total = pl.DataFrame({"kind": ["sum"], "text": [sums(matching)]})
    return pl.concat([hyp, ref, edges.with_columns(kind=kind), total], how="diagonal")


def _layers(data: pl.DataFrame) -> list[alt.Chart]:
    """Return the layers of the selected matching."""
    place: Look = {"x": alt.X("ref:O", axis=None), "y": alt.Y("hyp:O", axis=None)}
    scale = alt.Scale(domain=[0.5, 1], range=[COLOURS[1], COLOURS[0]], clamp=True)
    area = alt.Scale(type="sqrt", domain=[0, 1], range=[30, 240], clamp=True)
    tooltip = tips(data, "hyp_text|translation", "ref_text|reference", "similarity||.4~f")
    tooltip += tips(data, "flow||.4~f")
    written: Look = {
        "fontSize": 13,
        "text": alt.Text("label:N"),
        "color": alt.ColorValue(BAD, condition={"test": "datum.flow > 0", "value": INK}),
        "opacity": alt.condition("datum.faded", alt.value(_FADED), alt.value(1.0)),
        "tooltip": tips(data, "text|n-gram", "weight||.4~f", "flow|matched|.4~f"),
    }
    left: Look = {"align": "right", "x": alt.value(-6), "y": place["y"]}
    above: Look = {"angle": 270, "x": place["x"], "y": alt.value(-6)}
    label = "datum.text + '  ' + format(datum.weight, '.3~g')"
    below: Look = {"x": alt.value(0), "y": alt.value("height"), "dy": 18, "color": SOFT}
    colour = alt.Color("similarity:Q", scale=scale, legend=None)
    size = alt.Size("flow:Q", scale=area, legend=None)
    ring: Look = {"filled": False, "size": 24, "opacity": 0.4, "color": SOFT}
    return [
        mark("point", data, _of_kind("faint"), tooltip=tooltip, **ring, **place),
        mark("point", data, _of_kind("edge"), color=colour, size=size, tooltip=tooltip, **place),
        *(
            mark("text", data, _of_kind(side), **where, **written).transform_calculate(label=label)
            for side, where in (("hyp", left), ("ref", above))
        ),
        mark("text", data, _of_kind("sum"), fontSize=13, text=alt.Text("text:N"), **below),
    ]


def _of_kind(kind: str) -> str:
    return f"datum.first == matching && datum.second == order && datum.kind == '{kind}'"
