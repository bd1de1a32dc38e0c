"""Charts of sentence alignment by rate of noise (Zaidan & Chowdhary 2013, section 4)."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from alignframe.core.lazy import listed
from alignframe.errors import InputError, check_known
from alignframe.pages.forms import (
    across,
    facets,
    frame_of,
    heat,
    in_turn,
    lines,
    mark,
    not_empty,
    share,
    tips,
    up,
)
from alignframe.pages.theme import DASH, GREY, PALE, Look, finish, looks, scale_above
from alignframe.typing import IntoFrame

__all__ = ["by_rate", "heat_map"]
__dir__ = listed(__all__)

MEASURES = {
    "pair_precision": "precision",
    "pair_recall": "recall",
    "alignment_rate": "alignment rate",
}
"""Columns of a study, and their names in the paper."""

METHODS = {"gale-church": "Gale-Church", "len": "LEN", "mre": "MRE", "mre+": "MRE+", "lex": "LEX"}
"""Names of the methods in the paper."""

RATES = {"delete": "deleted", "combine": "combined"}
"""The scenarios with rates, and what happens to that share of the sentences."""

KEYS = ["corpus", "scenario", "src_rate", "tgt_rate", "method"]
_GAP = 26
_LABELS = 62
_SIDE = 24
"""Width of axis figures and title, and of the row names beside the panels."""

_LEAST_CELL, _MOST_CELL, _MOST_HEIGHT = 26, 140, 34
_HEIGHT = 220
_GOLD = "faultless"
_PERCENT = "format(datum.value, '~%')"


def heat_map(
    study: IntoFrame, measure: str = "pair_recall", scenario: str = "delete"
) -> alt.LayerChart:
    """Return a measure by the noise on each side: one panel per method, one row per corpus.

    Parameters
    ----------
    study
        A table of ``alignframe.beads.study``, one row per corpus, scenario and method; ``clean`` is
        shown at rates 0.
    measure
        One of ``MEASURES``.
    scenario
        ``delete`` or ``combine``.

    Raises
    ------
    InputError
        If a column is missing, a document occurs twice, or there is nothing to show.
    """
    check_known("measure", measure, MEASURES)
    data = _of(study, scenario, [measure]).with_columns(value=pl.col(measure))
    precise = measure == "pair_precision"
    low, high = _domain(data["value"]) if precise else (0.0, 1.0)
    corpora, methods = in_turn(data, "corpus"), methods_of(data)
    beside = _LABELS + _SIDE * (len(corpora) > 1)
    cell = share(len(methods), _GAP, beside) // data["tgt_rate"].n_unique()
    cell = max(_LEAST_CELL, min(_MOST_CELL, cell))
    axis: Look = {"labelExpr": _PERCENT, "labelAngle": 0, "domain": False, "ticks": False}
    name, known = MEASURES[measure], "isValid(datum.value)"
    ends = [low + step * (high - low) / 5 for step in range(6)]
    colour = alt.Color(
        "value:Q",
        title=name,
        scale=alt.Scale(domain=[low, high], range=PALE, interpolate="lab"),
        legend=scale_above(name, "~%", values=ends),
    )
    rates = "src_rate|source rate|~%", "tgt_rate|target rate|~%"
    square, text = heat(
        None,
        across("tgt_rate:O", "target side", **axis),
        up("src_rate:O", "source side", sort="descending", **axis),
        alt.condition(known, colour, alt.value("#eceff1")),
        alt.Text("shown:N"),
        f"{known} && datum.value > {(low + high) / 2}",
        tips(data, "corpus", "method", *rates, f"{measure}|{name}|.2%"),
        fontSize=12 if cell >= 34 else 10,
    )
    form = ".1f" if precise else ".0f"
    shown = f"{known} ? format(100 * datum.value, '{form}') : 'N/A'"
    layers = [square, text.transform_calculate(shown=shown)]
    size = alt.Step(cell), alt.Step(min(cell, _MOST_HEIGHT))
    return finish(
        facets(layers, data, size, ("method", methods), ("corpus", corpora)),
        f"{name[0].upper()}{name[1:]} by the share of sentences {RATES[scenario]}",
        "in percent" + (", of sentence pairs" if measure.startswith("pair_") else ""),
    )


def by_rate(study: IntoFrame, scenario: str = "delete") -> alt.LayerChart:
    """Return recall and alignment rate for equal noise on both sides, one line per method.

    One row per measure and one column per corpus; with a single corpus, one column per measure. For
    deletions, the dashed line is the alignment rate of the gold beads, which falls as sentences
    lose their translations.

    Parameters
    ----------
    study, scenario
        See ``heat_map``.

    Raises
    ------
    InputError
        See ``heat_map``.
    """
    shown = ["pair_recall", "alignment_rate"]
    counts = ["n_gold_pairs", "n_src", "n_tgt"]
    rows = _of(study, scenario, [*shown, *counts]).filter(pl.col("src_rate") == pl.col("tgt_rate"))
    not_empty(rows, f"no {scenario} with the same rate on both sides", "one, such as 0.05")
    methods, corpora = methods_of(rows), in_turn(rows, "corpus")
    keys = ["corpus", "scenario", "src_rate", "method"]
    data = rows.unpivot(shown, index=keys, variable_name="measure")
    if scenario == "delete":
        data = pl.concat([data, _of_gold(rows.select(*keys, *counts))])
    data = data.with_columns(pl.col("measure").replace(MEASURES)).drop_nulls("value")
    ticks = rows["src_rate"].unique().sort().to_list()
    names = [*methods, *([_GOLD] if scenario == "delete" else [])]
    look = by_method(names)
    what = f"sentences {RATES[scenario]} on either side"
    at: Look = {"values": ticks, "labelExpr": _PERCENT, "grid": False, "padding": 8}
    x = across("src_rate", what, [ticks[0], ticks[-1]], **at)
    y = up("value", None, [0, 1], format="~%", tickCount=6)
    right = f"datum.method === '{_GOLD}'"
    named = "corpus", "method", f"src_rate|{RATES[scenario]}|~%", "measure", "value||.1%"
    place = {"x": x, "y": y, "color": look["color"], "strokeDash": look["strokeDash"]}
    layers = [
        mark("line", where=right, strokeWidth=1.6, **place),
        *lines(None, x, y, look, tips(data, *named), where=f"!({right})"),
    ]
    several = len(corpora) > 1
    both = "measure", ["recall", "alignment rate"]
    width = share(len(corpora) if several else 2, _GAP, _LABELS + _SIDE * several)
    panels = (("corpus", corpora), both) if several else (both,)
    chart = facets(layers, data, (width, _HEIGHT), *panels)
    return finish(chart, f"Recall and alignment rate by the share of sentences {RATES[scenario]}")


def read(study: IntoFrame, columns: list[str]) -> pl.DataFrame:
    """Return the columns of a study, with rounded rates and display names of methods."""
    rows = frame_of(study, [*KEYS, *columns], "the study").select(*KEYS, *columns)
    # Rates of other tables may differ from ours in the last bit, as 3 * 0.05 from 0.15.
    rows = rows.with_columns(pl.col("src_rate", "tgt_rate").round(9))
    not_empty(rows, "a study without rows", "at least one")
    twice = rows.filter(rows.select(KEYS).is_duplicated())
    if twice.height:
        corpus, scenario, *rates, method = twice.row(0)[: len(KEYS)]
        raise InputError(
            f"two rows of {method} on {corpus}, {scenario} {rates[0]:g} {rates[1]:g}",
            expected="one row per corpus, scenario and method",
            todo="sum them with alignframe.beads.page.summed",
        )
    return rows.with_columns(pl.col("method").replace(METHODS))


def by_method(names: list[str]) -> Look:
    """Return the look of each method, the same in all charts of a page."""
    fixed = {_GOLD: (GREY, DASH, [5, 4])}
    own = fixed if _GOLD in names else {}
    return looks("method", names, known=list(METHODS.values()), room=100, fixed=own)


def methods_of(rows: pl.DataFrame) -> list[str]:
    """Return the methods of a study, the simplest first, unknown ones last."""
    known = [*METHODS, *METHODS.values()]
    names = rows["method"].unique(maintain_order=True).to_list()
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


def _of(study: Any, scenario: str, columns: list[str]) -> pl.DataFrame:
    """Return the rows of a scenario with rates, including clean at rates 0."""
    check_known("scenario", scenario, RATES)
    every = read(study, columns)
    rows = every.filter(pl.col("scenario") == scenario)
    not_empty(rows, f"a study without the scenario {scenario}", "rows of it")
    is_mine = (pl.col("scenario") == scenario) | (
        (pl.col("scenario") == "clean") & pl.col("corpus").is_in(rows["corpus"].unique().implode())
    )
    return every.filter(is_mine).with_columns(scenario=pl.lit(scenario))


def _of_gold(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the alignment rate of the gold beads, all 1-1 unless sentences are joined."""
    rate = (pl.col("n_gold_pairs") / pl.col("n_src") + pl.col("n_gold_pairs") / pl.col("n_tgt")) / 2
    return rows.unique(["corpus", "src_rate"], maintain_order=True).select(
        "corpus",
        "scenario",
        "src_rate",
        method=pl.lit(_GOLD),
        measure=pl.lit("alignment_rate"),
        value=rate,
    )


def _domain(values: pl.Series) -> tuple[float, float]:
    """Return rounded ends of a scale for shares that are mostly near 1."""
    least = min(values.drop_nulls().to_list(), default=0.0)
    return max(low for low in (0.0, 0.5, 0.75, 0.9, 0.95) if low <= least), 1.0
