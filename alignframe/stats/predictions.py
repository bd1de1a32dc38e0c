"""Summarising correlations of measures with a score, in a sentence or two."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

import polars as pl

from alignframe.core.choices import ANY, CHOSEN
from alignframe.core.rounding import printed
from alignframe.errors import number_of
from alignframe.stats.conclusions import Row, level_of, listed, p_of

ANNOTATION_WORDS = {
    "sure-possible": "Sure and Possible links",
    "sure": "Sure links only",
    "possible": "all links alike",
    ANY: "any annotation",
}


def measure_words(row: Row) -> str:
    """Return the name of a row's measure in text, such as ``F(α = 0.1)``."""
    if row["measure"] == "1-aer":
        return "1 − AER"
    if row["measure"] == CHOSEN:
        return "F, α chosen on the others"
    return str(row["measure"]) if row["alpha"] is None else f"F(α = {row['alpha']:g})"


def conclusion(table: pl.DataFrame, score_name: str = "the score") -> str:
    """Describe which measure predicts the score, and how well it does on left-out systems.

    Parameters
    ----------
    table
        A table of ``alignframe.stats.correlate``; only its rows of all systems are read.
    score_name
        The name of the external score.

    Examples
    --------
    >>> import textwrap
    >>> import polars as pl
    >>> from alignframe import stats
    >>> scores = pl.DataFrame({"system": list("abcd"), "f_0.5": [0.1, 0.2, 0.4, 0.5]})
    >>> table = stats.correlate(scores, {"a": 20.0, "b": 22.0, "c": 23.0, "d": 25.0})
    >>> print(textwrap.fill(stats.conclusion(table, "BLEU"), 95))
    F(α = 0.5) on Sure and Possible links predicts BLEU as the only measure tried: r² = 0.93 over 4
    systems, which may be chance (p = 0.083).
    """
    rows = table.filter(pl.col("group").is_null()).rows(named=True)
    sign = -1 if scored_lower(table) else 1
    known = [row for row in rows if row["pearson"] is not None]
    if not known:
        return f"No measure differs between the systems, so none predicts {score_name}."
    # Of equal measures, the best F is named: all are equal if all links are Sure.
    top = max(known, key=lambda row: (round(sign * row["pearson"], 12), bool(row["best"])))
    others = [row for row in _plain(known) if row is not top]
    if top["alpha"] is None:  # then of F, the best one is of interest
        best = [row for row in known if row["best"]]
        best = sorted(best, key=lambda row: -sign * row["pearson"])[:1]
        others = [*best, *(row for row in others if row not in best)]
    if sign * top["pearson"] <= 0:
        said = (
            f"No measure tried predicts {score_name}: even the best, {_named(top)}, goes the wrong "
            f"way (r = {printed(top['pearson'], '.2f')}) over "
            f"{number_of(top['systems'], 'system')}."
        )
    else:
        said = (
            f"{_named(top)} predicts {score_name} {_of_tried(rows, top)}"
            f": r² = {top['r2']:.2f} over {number_of(top['systems'], 'system')}{_chance(top)}."
        )
        if others:
            said += f" {_compared(others, sign)}."
    return f"{said} {_left_out(rows, top)}".strip()


def scored_lower(table: pl.DataFrame) -> bool:
    """Return whether lower external scores are better in a table of ``stats.correlate``."""
    return "better:lower" in str(table["signature"][0]).split("|")


def too_few_orders(systems: int, level: float) -> str:
    """Return what no p-value of so few systems can be below; empty if one can be significant."""
    least = 1 / factorial(systems)  # the observed order is one of these
    return f"none can be below {least:.3f}" if least >= 1 - level else ""


def _of_tried(rows: Sequence[Row], top: Row) -> str:
    """Return that a measure is the best of those tried: charts may show more."""
    tried = [row for row in rows if row["measure"] != CHOSEN]
    weighted = sum(row["alpha"] is not None for row in tried)
    if weighted > 1 and top["alpha"] is not None:
        return f"best of the {weighted} F measures tried"
    return "best of the measures tried" if len(tried) > 1 else "as the only measure tried"


def _chance(row: Row) -> str:
    """Return a caution if a correlation may be chance, after its number of systems."""
    level = level_of(row["signature"])[1]
    corrected = row.get("p_corrected") is not None
    p = row.get("p_corrected" if corrected else "p_value")
    if few := too_few_orders(row["systems"], level):
        return f", which are too few to tell it from chance: of their p-values, {few}"
    if p is None or p < 1 - level:
        return ""
    return f", which may be chance ({p_of(p)}{'' if corrected else ', not corrected'})"


def _plain(rows: Sequence[Row]) -> list[Row]:
    """Return the default measures, 1 - AER and balanced F."""
    wanted = [("1-aer", None), ("f_0.5", "sure-possible"), ("f_0.5", "sure")]
    at = {(row["measure"], row["annotation"]): row for row in rows}
    aer = [row for row in rows if row["measure"] == "1-aer"]
    balanced = [at[key] for key in wanted[1:] if key in at]
    # Equal if all links are Sure.
    if len(balanced) == 2 and balanced[0]["pearson"] == balanced[1]["pearson"]:
        balanced = balanced[:1]
    return aer + balanced


def _left_out(rows: Sequence[Row], top: Row) -> str:
    """Describe how well systems are predicted that were left out of choice and fit."""
    chosen = [row for row in rows if row["measure"] == CHOSEN and row["r2_left_out"] is not None]
    if not chosen:
        few = top["systems"] <= 3
        return "There are too few systems to leave one out." if few else ""
    last = chosen[-1]  # that of any annotation comes last
    what = "α and annotation" if last["annotation"] == ANY else "α"
    said = (
        f"Predicting each system from the others, with {what} chosen without it, F has r² = "
        f"{printed(last['r2_left_out'], '.2f')}"
    )
    aer = [row for row in rows if row["measure"] == "1-aer" and row["r2_left_out"] is not None]
    said += f", 1 − AER {printed(aer[0]['r2_left_out'], '.2f')}" if aer else ""
    if min(row["r2_left_out"] for row in (last, *aer)) < 0:
        said += " (below 0: worse than the mean of the others)"
    return said + "."


def _named(row: Row) -> str:
    kind = ANNOTATION_WORDS.get(row["annotation"]) if row["alpha"] is not None else None
    return measure_words(row) + (f" on {kind}" if kind else "")


def _compared(rows: Sequence[Row], sign: int) -> str:
    """Return ``1 − AER has r² = 0.16 and F(α = 0.5) on Sure links only 0.67``."""
    figures = [
        f"{row['r2']:.2f}" + (" (the wrong way)" if sign * row["pearson"] < -0.07 else "")
        for row in rows
    ]
    first, *rest = zip(map(_named, rows), figures, strict=True)
    return listed([f"{first[0]} has r² = {first[1]}", *map(" ".join, rest)])
