"""Summarising a table of correlations in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from alignframe.errors import number_of
from alignframe.stats.left_out import ANY, CHOSEN

ANNOTATION_WORDS = {
    "sure-possible": "Sure and Possible links",
    "sure": "Sure links only",
    "possible": "all links alike",
    ANY: "any annotation",
}

Row = Mapping[str, Any]


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
    """
    rows = table.filter(pl.col("group").is_null()).rows(named=True)
    lower = "better:lower" in rows[0]["signature"].split("|")
    sign = -1 if lower else 1
    known = [row for row in rows if row["pearson"] is not None]
    if not known:
        return f"No measure differs between the systems, so none predicts {score_name}."
    best = [row for row in known if row["best"]] or known
    top = max(best, key=lambda row: sign * row["pearson"])
    tried = sum(row["alpha"] is not None for row in rows)
    others = [row for row in _plain(known) if row is not top]
    if sign * top["pearson"] <= 0:
        said = (
            f"No measure tried predicts {score_name}: even the best, {_named(top)}, goes the wrong "
            f"way (r = {_number(top['pearson'])}) over {number_of(top['systems'], 'system')}."
        )
    else:
        said = (
            f"{_named(top)} predicts {score_name} best"
            + (f" of {tried} F measures" if tried > 1 else "")
            + f": r² = {top['r2']:.2f} over {number_of(top['systems'], 'system')}."
        )
        if others:
            said += f" {_compared(others, sign)}."
    return f"{said} {_left_out(rows, top)}".strip()


def _plain(rows: Sequence[Row]) -> list[Row]:
    """Return the default measures, 1 - AER and balanced F."""
    wanted = [("1-aer", None), ("f_0.5", "sure-possible"), ("f_0.5", "sure")]
    at = {(row["measure"], row["annotation"]): row for row in rows}
    aer = [row for row in rows if row["measure"] == "1-aer"]
    found = [at[key] for key in wanted[1:] if key in at]
    if len(found) == 2 and found[0]["pearson"] == found[1]["pearson"]:  # all links are Sure
        found = found[:1]
    return aer + found


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
        f"{_number(last['r2_left_out'])}"
    )
    aer = [row for row in rows if row["measure"] == "1-aer" and row["r2_left_out"] is not None]
    said += f", 1 − AER {_number(aer[0]['r2_left_out'])}" if aer else ""
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
    return _listed([f"{first[0]} has r² = {first[1]}", *map(" ".join, rest)])


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
