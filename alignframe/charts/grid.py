"""Alignment grids: links of one or two systems over gold links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.forms import across, mark, tips, up
from alignframe.charts.theme import COLOURS, INK, Look, finish

NOBODY = "no other system"
"""The option that shows a single system."""

_STEP = 21
_WITHIN = {"band": 0.84}
_CROSS = (
    "M-.95,-.6L-.6,-.95L0,-.35L.6,-.95L.95,-.6L.35,0L.95,.6L.6,.95L0,.35L-.6,.95L-.95,.6L-.35,0Z"
)
_WHO = ("both", "one", "other")


def grid(
    cells: pl.DataFrame,
    words: pl.DataFrame,
    systems: Sequence[str],
    *,
    marked: pl.DataFrame | None = None,
    choice: str = "Sentence ",
) -> alt.LayerChart:
    """Alignment grids, to browse by sentence and by one or two systems.

    ``cells`` has one row per link: sentence (its title), system (empty for gold links), kind
    (``Sure`` or ``Possible``; for a system's link ``right, Sure``, ``right, Possible`` or
    ``wrong``), source and target (labels that sort by position: ``003 word``). ``words`` has one
    row per word on either side: sentence, source, target; it keeps unlinked words on the axes.
    ``marked`` cells are highlighted.
    """
    sentences = words["sentence"].unique(maintain_order=True).to_list()
    sentence = _choice("sentence", sentences, choice)
    system = _choice("system", list(systems), "System ")
    other = _choice("other", [NOBODY, *systems], "compared with ")
    axis: Look = {"padding": 0, "labelExpr": "substring(datum.label, 4)", "grid": True}
    place = {
        "x": across("target:O", labelAngle=-60, orient="top", labelLimit=140, **axis),
        "y": up("source:O", labelLimit=160, **axis),
    }
    named = "source|source (position, word)", "target|target (position, word)", "kind|link"
    tooltip = tips(cells, *named)
    here = "datum.sentence == sentence"
    layers = [mark("square", words, here, opacity=0, **place)]
    if marked is not None:
        layers.append(mark("rect", marked, here, color="#ffe7a3", **place))
    gold = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=["Sure", "Possible"], range=["#8fa3b5", "#d3dce4"]),
        legend=_legend("gold", "square"),
    )
    squares = cells.filter(pl.col("system") == "")
    look: Look = {"width": _WITHIN, "height": _WITHIN, "tooltip": tooltip}
    layers.append(mark("rect", squares, here, color=gold, **look, **place))
    # A link of both systems is one mark; the same system chosen twice is shown once.
    who = "datum.number == 2 ? 'both' : datum.mine ? 'one' : 'other'"
    names = "{both: 'both', one: system, other: other}[datum.label]"
    shown = f"other == '{NOBODY}' || other == system ? ['one'] : {list(_WHO)}"
    chosen = "(datum.system == system || datum.system == other)"
    links = (
        mark(
            "point",
            cells.filter(pl.col("system") != ""),
            f"{here} && {chosen}",
            size=110,
            fill=alt.Fill(
                "who:N",
                scale=alt.Scale(domain=list(_WHO), range=[INK, COLOURS[0], COLOURS[1]]),
                legend=_legend("links of", "circle", labelExpr=names, values=alt.ExprRef(shown)),
            ),
            shape=alt.Shape(
                "fit:N",
                scale=alt.Scale(domain=["in gold", "outside gold"], range=["circle", _CROSS]),
                legend=_legend("a link", "circle", symbolFillColor=INK),
            ),
            tooltip=[*tooltip, alt.Tooltip("who:N", title="of")],
            **place,
        )
        .transform_calculate(own="datum.system == system ? 1 : 0")
        .transform_aggregate(
            number="count()", mine="max(own)", groupby=["source", "target", "kind"]
        )
        .transform_calculate(who=who, fit="datum.kind == 'wrong' ? 'outside gold' : 'in gold'")
    )
    title = f"system + (other == '{NOBODY}' ? '' : ' and ' + other) + ', ' + sentence"
    drawn = alt.layer(*layers, links).resolve_scale(color="independent", fill="independent")
    return finish(
        drawn.add_params(sentence, system, other),
        alt.Title(alt.ExprRef(title), limit=800),
        width=alt.Step(_STEP),
        height=alt.Step(_STEP),
    )


def _choice(name: str, options: list[str], text: str) -> alt.Parameter:
    first = options[0] if options else ""
    return alt.param(name=name, value=first, bind=alt.binding_select(options=options, name=text))


def _legend(title: str, symbol: str, **more: Any) -> alt.Legend:
    return alt.Legend(
        title=title,
        orient="bottom",
        direction="vertical",
        symbolType=symbol,
        symbolStrokeWidth=0,
        symbolSize=130,
        **more,
    )
