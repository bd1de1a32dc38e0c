"""Charts of sentence alignment by scenario and by tuned parameter, with published figures."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from alignframe.beads.charts import MEASURES, RATES, by_method, methods_of, read
from alignframe.core.lazy import listed
from alignframe.errors import InputError
from alignframe.pages.forms import (
    Layers,
    across,
    around,
    dots,
    facets,
    frame_of,
    in_turn,
    label_room,
    mark,
    not_empty,
    rows,
    share,
    tips,
)
from alignframe.pages.theme import COLOURS, finish
from alignframe.typing import IntoFrame

__all__ = ["by_scenario", "by_tuned"]
__dir__ = listed(__all__)

SHOWN = (
    ("clean", 0.0, 0.0),
    ("delete", 0.05, 0.05),
    ("combine", 0.05, 0.05),
    ("randomize", 0.0, 0.0),
    ("length-aligned", 0.0, 0.0),
    ("different", 0.0, 0.0),
)
"""The scenarios of the paper's table 1, and different texts."""

MOST_SHOWN = 12
"""With more scenarios, only those in ``SHOWN`` are compared."""

PAPER = {"none": "None", "skip": "PRIOR", "band": "SIZE", "threshold": "THRESHOLD", "all": "ALL"}
"""Names of the tuned parameters in the paper's tables 2 and 3."""

HERE, PUBLISHED = "here", "published"

_ROW = 15
_TUNED = ["tuned", "recall"]


def scenario_name(scenario: str, src_rate: float, tgt_rate: float) -> str:
    """Return a scenario in words, such as ``delete 5%`` or ``delete 5% / 10%``."""
    if not (src_rate or tgt_rate):
        return scenario
    rates = dict.fromkeys((src_rate, tgt_rate))
    return f"{scenario} {' / '.join(f'{100 * rate:g}%' for rate in rates)}"


def scenarios_shown(study: pl.DataFrame) -> list[tuple[str, float, float]]:
    """Return the scenarios to compare: all in order, or those in ``SHOWN`` if too many."""
    keys = ["scenario", "src_rate", "tgt_rate"]
    rates = study.select(keys).with_columns(pl.col(keys[1:]).round(9))
    every: list[tuple[str, float, float]] = rates.unique(maintain_order=True).rows()
    return every if len(every) <= MOST_SHOWN else [case for case in SHOWN if case in every]


def tuned_name(name: str, published: IntoFrame) -> str:
    """Return the name of a tuned parameter; next to published figures, with the paper's name."""
    theirs = PAPER.get(name, name)
    return name if published is None or theirs.lower() == name else f"{name} ({theirs})"


def by_scenario(study: IntoFrame, published: IntoFrame | None = None) -> alt.LayerChart:
    """Return precision, recall and alignment rate by scenario, one point per method.

    N/A is shown for the precision of a method without pairs.

    Parameters
    ----------
    study
        A table of ``alignframe.beads.study``, one row per corpus, scenario and method; with more
        than 12 scenarios, only those in ``SHOWN`` are shown.
    published
        Figures to compare with, shown as rings: corpus, scenario, src_rate, tgt_rate, method,
        pair_precision, pair_recall, alignment_rate.

    Raises
    ------
    InputError
        If a column is missing, or none of the scenarios is present.
    """
    chosen = scenarios_shown(read(study, list(MEASURES)))
    mine = _of_scenarios(study, HERE, chosen)
    listed = ", ".join(scenario_name(*scenario) for scenario in SHOWN)
    not_empty(mine, "none of the scenarios of a comparison", listed)
    methods, corpora = methods_of(mine), in_turn(mine, "corpus")
    data = mine
    if published is not None:
        other = _of_scenarios(published, PUBLISHED, chosen)
        data = pl.concat([mine, other.join(mine.select(_PLACE), on=_PLACE, how="semi")])
    scenarios = [scenario_name(*scenario) for scenario in chosen]
    data = data.unpivot(list(MEASURES), index=[*_PLACE, "source"], variable_name="measure")
    data = data.with_columns(pl.col("measure").replace(MEASURES))
    look = by_method(methods)
    x = across("value", domain=[0, 1], padding=6, format="~%", tickCount=5, zero=True)
    y = rows(scenarios, "name", ticks=True, domain=True)
    tooltip = tips(data, "corpus", "name|scenario", "method", "measure", "source", "value||.2%")
    place = {"y": y, "yOffset": alt.YOffset("method:N", sort=methods), "color": look["color"]}
    span, ring = dots(
        None, x, tooltip=tooltip, look=look, spans=True, detail="method:N", size=60, **place
    )
    here, known = f"datum.source == '{HERE}'", "isValid(datum.value)"
    layers = _rings([span, ring])
    nothing = mark("text", where=f"!{known} && {here}", dx=3, fontSize=10, **place)
    layers.append(nothing.encode(text=alt.value("N/A"), x=alt.XDatum(0)))
    names = list(MEASURES.values())
    size = _width(scenarios, len(names), corpora), alt.Step(_ROW, **{"for": "offset"})
    chart = facets(layers, data, size, ("measure", names), ("corpus", corpora), gap=24)
    return finish(chart, "Precision, recall and alignment rate by scenario", _said(published))


def by_tuned(tuning: IntoFrame, published: IntoFrame | None = None) -> alt.LayerChart:
    """Return recall by tuned parameter: one column per kind and rate of noise, one row per corpus.

    Parameters
    ----------
    tuning
        Concatenated tables of ``alignframe.beads.tune``: tuned and recall, and, if there are
        several, corpus and rate (of deletions, unless there is a column scenario).
    published
        Figures to compare with, shown as rings, with the same columns.

    Raises
    ------
    InputError
        If a column is missing, or there is nothing to show.
    """
    mine = _of_tuning(tuning, HERE)
    place = ["corpus", "rate", "tuned"]
    if mine.select(place).is_duplicated().any():
        raise InputError(
            "a tuned parameter twice", expected="the columns corpus and rate that tell them apart"
        )
    data = mine
    if published is not None:
        other = _of_tuning(published, PUBLISHED)
        data = pl.concat([mine, other.join(mine.select(place), on=place, how="semi")])
    data = data.with_columns(tuned=_named(data["tuned"], published))
    mine = mine.with_columns(tuned=_named(mine["tuned"], published))
    orders = {name: in_turn(mine, name) for name in place}
    domain = around(data["value"], 0.06, 0.02, inside=True)
    x = across("value", "recall", domain, format="~%", tickCount=6)
    y = rows(orders["tuned"], "tuned", grid=True, domain=True)
    tooltip = tips(data, "corpus", "rate", "tuned", "source", "value|recall|.2%")
    first = f"datum.source == '{HERE}' && datum.tuned == {_js(orders['tuned'][0])}"
    (ring,) = dots(None, x, y, tooltip, size=80)
    layers = [
        mark("rule", where=first, color=COLOURS[0], strokeDash=[4, 3], opacity=0.7, x=x),
        *_rings([ring]),
    ]
    size = _width(orders["tuned"], len(orders["rate"]), orders["corpus"]), alt.Step(26)
    panels = ("rate", orders["rate"]), ("corpus", orders["corpus"])
    chart = facets(layers, data, size, *panels, gap=24)
    return finish(chart, "Recall by tuned parameter", _said(published))


def _rings(layers: Layers) -> Layers:
    """Return layers whose last, of points, has filled ones here and rings where published."""
    *spans, points = layers
    known = "isValid(datum.value)"
    ring = points.transform_filter(f"{known} && datum.source == '{PUBLISHED}'")
    ring.mark = alt.MarkDef(type="point", size=80, strokeWidth=1.7, opacity=1, filled=False)
    return [
        *(span.transform_filter(known) for span in spans),
        ring,
        points.transform_filter(f"{known} && datum.source == '{HERE}'"),
    ]


_PLACE = ["corpus", "name", "method"]


def _width(labels: list[str], columns: int, corpora: list[str]) -> int:
    """Return the panel width of a chart with names on the left."""
    return share(columns, 24, label_room(labels) + 6 + 24 * (len(corpora) > 1))


def _named(names: pl.Series, published: Any) -> pl.Series:
    shown = {name: tuned_name(name, published) for name in names.unique()}
    return names.replace_strict(shown, return_dtype=pl.String)


def _of_scenarios(table: Any, source: str, chosen: list[tuple[str, float, float]]) -> pl.DataFrame:
    """Return the measures of the chosen scenarios with display names."""
    cases = read(table, list(MEASURES)).with_columns(pl.col(list(MEASURES)).cast(pl.Float64))
    keys = ["scenario", "src_rate", "tgt_rate"]
    kinds = dict(zip(keys, (pl.String, pl.Float64, pl.Float64), strict=True))
    wanted = pl.DataFrame(chosen, kinds, orient="row")
    names = [scenario_name(*one) for one in chosen]
    return cases.join(
        wanted.with_columns(name=pl.Series(names, dtype=pl.String)), on=keys, maintain_order="left"
    ).select(*_PLACE, *MEASURES, source=pl.lit(source))


def _of_tuning(table: object, source: str) -> pl.DataFrame:
    frame = frame_of(table, _TUNED, "the table of tuning")
    if "corpus" not in frame.columns:
        frame = frame.with_columns(corpus=pl.lit(""))
    noise = pl.lit("")
    if "rate" in frame.columns:
        if "scenario" not in frame.columns:
            frame = frame.with_columns(scenario=pl.lit("delete"))
        places = frame.select("scenario", "rate").iter_rows()
        noise = pl.lit(pl.Series([_noise(*one) for one in places], dtype=pl.String))
    data = frame.select(
        pl.col("corpus").cast(pl.String),
        pl.col("tuned").cast(pl.String),
        rate=noise,
        value=pl.col("recall").cast(pl.Float64),
        source=pl.lit(source),
    ).drop_nulls("value")
    return not_empty(data, "a table of tuning without recall", "a figure to show")


def _noise(scenario: str, rate: float | None) -> str:
    if rate is None:
        return ""
    return f"{100 * rate:g}% {RATES[scenario]}" if scenario in RATES else scenario


def _said(published: object) -> str:
    return "" if published is None else "filled: here; rings: published figures"


def _js(text: str) -> str:
    """Return a text as a string literal in a Vega expression."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
