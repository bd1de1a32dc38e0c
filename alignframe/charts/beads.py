"""Charts of sentence alignment by rate of noise (Zaidan & Chowdhary 2013, section 4)."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.marks import WIDE, frame_of, in_turn, legend_beside, panels, tooltips
from alignframe.charts.theme import COLOURS, INK, SYMBOLS, finish, looks
from alignframe.errors import InputError, unknown
from alignframe.public import listed
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
_COLOURS = ["#f3f7fa", "#bcd6ea", "#6da7d2", "#2a6fae", "#0d2f5c"]
_GOLD = "faultless"
_DASH = "M-1,-0.2L1,-0.2L1,0.2L-1,0.2Z"
"""A short line, as the path of a symbol."""

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
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    data = _of(study, scenario, [measure]).with_columns(value=pl.col(measure))
    precise = measure == "pair_precision"
    low, high = _domain(data["value"]) if precise else (0.0, 1.0)
    form = ".1f" if precise else ".0f"
    shown = f"isValid(datum.value) ? format(100 * datum.value, '{form}') : 'N/A'"
    corpora, methods = in_turn(data, "corpus"), methods_of(data)
    rates = data["tgt_rate"].n_unique()
    beside = _LABELS + _SIDE * (len(corpora) > 1)
    room = (WIDE - beside - _GAP * (len(methods) - 1)) // (len(methods) * rates)
    cell = max(_LEAST_CELL, min(_MOST_CELL, room))
    what = RATES[scenario]
    axis: dict[str, Any] = {"labelExpr": _PERCENT, "labelAngle": 0, "domain": False, "ticks": False}
    base = alt.Chart().encode(
        x=alt.X("tgt_rate:O", title="target side", axis=alt.Axis(**axis)),
        y=alt.Y("src_rate:O", title="source side", sort="descending", axis=alt.Axis(**axis)),
        tooltip=_tips([measure]),
    )
    colour = alt.Color(
        "value:Q",
        title=MEASURES[measure],
        scale=alt.Scale(domain=[low, high], range=_COLOURS, interpolate="lab"),
        legend=alt.Legend(
            orient="top",
            direction="horizontal",
            format="~%",
            gradientLength=300,
            gradientThickness=11,
            values=[low + step * (high - low) / 5 for step in range(6)],
            titleFontWeight="normal",
        ),
    )
    known = "isValid(datum.value)"
    dark = f"{known} && datum.value > {(low + high) / 2}"
    layers = [
        base.mark_rect(stroke="white", strokeWidth=1.5).encode(
            color=alt.condition(known, colour, alt.value("#eceff1"))
        ),
        base.transform_calculate(shown=shown)
        .mark_text(fontSize=12 if cell >= 34 else 10)
        .encode(
            text=alt.Text("shown:N"),
            color=alt.ColorValue(INK, condition={"test": dark, "value": "white"}),
        ),
    ]
    size = {"width": alt.Step(cell), "height": alt.Step(min(cell, _MOST_HEIGHT))}
    chart = alt.layer(*layers, data=data).properties(**size)
    name = MEASURES[measure]
    title = alt.Title(
        f"{name[0].upper()}{name[1:]} by the share of sentences {what}",
        subtitle="in percent" + (", of sentence pairs" if measure.startswith("pair_") else ""),
    )
    return finish(panels(chart, _GAP, ("method", methods), ("corpus", corpora)), title)


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
    found = _of(study, scenario, [*shown, *counts]).filter(pl.col("src_rate") == pl.col("tgt_rate"))
    if not found.height:
        raise InputError(
            f"no {scenario} with the same rate on both sides", expected="one, such as 0.05"
        )
    methods, corpora = methods_of(found), in_turn(found, "corpus")
    keys = ["corpus", "scenario", "src_rate", "method"]
    data = found.unpivot(shown, index=keys, variable_name="measure")
    if scenario == "delete":
        data = pl.concat([data, _of_gold(found.select(*keys, *counts))])
    data = data.with_columns(pl.col("measure").replace(MEASURES)).drop_nulls("value")
    ticks = found["src_rate"].unique().sort().to_list()
    names = [*methods, *([_GOLD] if scenario == "delete" else [])]
    look = by_method(names)
    base = alt.Chart().encode(
        x=alt.X(
            "src_rate:Q",
            title=f"sentences {RATES[scenario]} on either side",
            scale=alt.Scale(domain=[ticks[0], ticks[-1]], nice=False, padding=8),
            axis=alt.Axis(values=ticks, labelExpr=_PERCENT, grid=False),
        ),
        y=alt.Y(
            "value:Q",
            title=None,
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="~%", tickCount=6),
        ),
        color=look["color"],
    )
    right = f"datum.method === '{_GOLD}'"
    tips = [
        *tooltips("corpus:N", "method:N"),
        alt.Tooltip("src_rate:Q", title=RATES[scenario], format="~%"),
        *tooltips("measure:N", "value:Q||.1%"),
    ]
    layers = [
        base.transform_filter(right).mark_line(strokeWidth=1.6, strokeDash=[5, 4]),
        base.transform_filter(f"!({right})").mark_line(strokeWidth=2),
        base.transform_filter(f"!({right})")
        .mark_point(filled=True, size=60, opacity=1)
        .encode(shape=look["shape"], tooltip=tips),
    ]
    columns = len(corpora) if len(corpora) > 1 else len(shown)
    beside = _LABELS + _SIDE * (len(corpora) > 1)
    width = (WIDE - beside - _GAP * (columns - 1)) // columns
    chart = alt.layer(*layers, data=data).properties(width=width, height=_HEIGHT)
    several = len(corpora) > 1
    across = ("corpus", corpora) if several else ("measure", ["recall"])
    chart = panels(
        chart, _GAP, across, ("measure", ["recall", "alignment rate"]) if several else None
    )
    return finish(chart, f"Recall and alignment rate by the share of sentences {RATES[scenario]}")


def read(study: IntoFrame, columns: list[str]) -> pl.DataFrame:
    """Return the columns of a study, with rounded rates and display names of methods."""
    found = frame_of(study, [*KEYS, *columns], "the study").select(*KEYS, *columns)
    found = found.with_columns(pl.col("src_rate", "tgt_rate").round(9))
    if not found.height:
        raise InputError("a study without rows", expected="at least one")
    twice = found.filter(found.select(KEYS).is_duplicated())
    if twice.height:
        corpus, scenario, *rates, method = twice.row(0)[: len(KEYS)]
        raise InputError(
            f"two rows of {method} on {corpus}, {scenario} {rates[0]:g} {rates[1]:g}",
            expected="one row per corpus, scenario and method",
            todo="sum them with alignframe.report.beads.summed",
        )
    return found.with_columns(pl.col("method").replace(METHODS))


def by_method(names: list[str]) -> dict[str, Any]:
    """Return the colour and symbol of each method, the same in all charts of a page."""
    known = [*METHODS.values(), *(name for name in names if name not in METHODS.values())]
    places = [known.index(name) for name in names]
    colours = [COLOURS[at % len(COLOURS)] for at in places]
    symbols = [SYMBOLS[at % len(SYMBOLS)] for at in places]
    if _GOLD in names:
        colours[names.index(_GOLD)], symbols[names.index(_GOLD)] = "#8a949c", _DASH
    return looks("method", names, legend_beside(names, 100), color=colours, shape=symbols)


def methods_of(found: pl.DataFrame) -> list[str]:
    """Return the methods of a study, the simplest first, unknown ones last."""
    known = [*METHODS, *METHODS.values()]
    names = found["method"].unique(maintain_order=True).to_list()
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


def _of(study: Any, scenario: str, columns: list[str]) -> pl.DataFrame:
    """Return the rows of a scenario with rates, including clean at rates 0."""
    if scenario not in RATES:
        raise unknown("scenario", scenario, RATES)
    every = read(study, columns)
    found = every.filter(pl.col("scenario") == scenario)
    if not found.height:
        raise InputError(f"a study without the scenario {scenario}", expected="rows of it")
    is_mine = (pl.col("scenario") == scenario) | (
        (pl.col("scenario") == "clean") & pl.col("corpus").is_in(found["corpus"].unique().implode())
    )
    return every.filter(is_mine).with_columns(scenario=pl.lit(scenario))


def _of_gold(found: pl.DataFrame) -> pl.DataFrame:
    """Return the alignment rate of the gold beads, all 1-1 unless sentences are joined."""
    rate = (pl.col("n_gold_pairs") / pl.col("n_src") + pl.col("n_gold_pairs") / pl.col("n_tgt")) / 2
    return found.unique(["corpus", "src_rate"], maintain_order=True).select(
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


def _tips(measures: list[str]) -> list[alt.Tooltip]:
    return [
        *tooltips("corpus:N", "method:N", "src_rate:Q|source rate|~%", "tgt_rate:Q|target rate|~%"),
        *(alt.Tooltip(f"{name}:Q", title=MEASURES[name], format=".2%") for name in measures),
    ]
