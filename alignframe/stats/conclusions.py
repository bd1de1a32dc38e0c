"""Summarising correlations, and scores of systems, in a sentence or two."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import factorial
from typing import Any

import polars as pl

from alignframe.core.choices import ANY, CHOSEN
from alignframe.core.rounding import difference, digits_for, percent_of, printed, telling
from alignframe.errors import number_of
from alignframe.stats.bootstrap import EXCHANGED, MAX_UNITS, least_p
from alignframe.stats.paired import FEW

ANNOTATION_WORDS = {
    "sure-possible": "Sure and Possible links",
    "sure": "Sure links only",
    "possible": "all links alike",
    ANY: "any annotation",
}

ALONE = "Intervals are of single differences, and not corrected as p-values are."
"""The note of tables with both, of several tests."""

LEADERS = "Bold: the best system, and those that cannot be told apart from it."

Row = Mapping[str, Any]

_EQUAL = 1e-12
_NAMED = 5


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
            f"way (r = {_number(top['pearson'])}) over {number_of(top['systems'], 'system')}."
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


def p_of(value: float) -> str:
    """Return a p-value in a sentence, never 0."""
    return "p < 0.001" if value < 0.0005 else f"p = {value:.3f}"


def tested(differences: pl.DataFrame) -> str:
    """Return how differences were tested, as their signature has it; empty if there are none."""
    mark = (
        str(differences["signature"][0]) if "signature" in differences and len(differences) else ""
    )
    if not level_of(mark)[0]:
        return ""
    few = f" and, with fewer than {FEW} units, by exchanged labels (the larger of both),"
    both = few if EXCHANGED in mark else ""
    return (
        f"The p-values are two-sided, by the paired bootstrap{both or ','} and corrected for the "
        "number of systems by step-down max-T (Westfall & Young 1993)."
    )


def uncorrected(differences: pl.DataFrame) -> str:
    """Return the note of tables with intervals beside corrected p-values; empty if these agree."""
    several = differences.height and differences["system"].n_unique() > 1
    known = several and differences["p_corrected"].count()
    return ALONE if known else ""


def ranking(
    scores: pl.DataFrame,
    differences: pl.DataFrame,
    figures: Mapping[str, str],
    lower_is_better: Collection[str] = (),
    noun: str = "system",
    digits: int | None = None,
    units: str = "",
) -> str:
    """Describe which system is best, and whether the others differ from it.

    ``scores`` has a row per system (the ``noun``), perhaps with intervals; ``differences``,
    perhaps empty, are those from a baseline, by measure if there are several. ``figures`` are
    columns and their names in text: systems that are best only by a later one are named too.
    ``digits`` are those of the table of the scores, by default as its figures need; ``units`` are
    what was resampled, such as ``5 sentences``.
    """
    (figure, name), *later = figures.items()
    values, best, places = _order(scores, figure, lower_is_better, digits)
    form = f".{places}f"
    if not values:
        return f"No {noun} has a defined {name}."
    row = scores.row(by_predicate=pl.col("system") == best[0], named=True)
    resamples, level = level_of(str(row.get("signature")))
    score = _number(row[figure], form)
    ends: list[Any] = [row.get(f"{figure}_{end}") for end in ("low", "high")]
    if None not in ends:
        score += f" ({percent_of(level)} interval {_between(ends, form)})"
    if len(values) == 1:
        said = [f"The {name} of {best[0]} is {score}."]
    elif len(best) == len(values):
        said = [f"{listed_names(best)} have the same {name}, {score}."]
    else:
        rows = _tests(differences, figure)
        clear = {system for system, tested in rows.items() if tested["p_corrected"] < 1 - level}
        tested = differences.filter(measure=figure) if "measure" in differences else differences
        together = leaders(scores, tested, figure, lower_is_better)
        has = "have" if best[1:] else "has"
        if together[len(best) :]:
            alike = f"{listed_names(together)} cannot be told apart by {name}"
            said = [f"{alike}: {listed_names(best)} {has} {score}."]
        else:
            said = [f"{listed_names(best)} {has} the best {name}, {score}."]
        said += _apart(values, best, rows, clear, places, noun)
        number = int(units.split()[0].replace(",", "")) if units else MAX_UNITS
        if rows and least_p(resamples, number) >= 1 - level:
            of = f" of {units}" if units and least_p(resamples) < 1 - level else ""
            said.append(f"With {resamples:,} resamples{of}, no difference can be significant.")
    elsewhere: dict[str, list[str]] = {}
    for other, title in later:
        values_of_other, holders, own = _order(scores, other, lower_is_better, digits)
        if not values_of_other or best[0] in holders:
            continue
        value = _number(values_of_other[holders[0]], f".{own}f")
        # Tests of one measure say nothing of another; those of its own are shown beside it.
        tests = _tests(differences, other) if "measure" in differences else {}
        if tests:
            said.append(_best_elsewhere(title, value, holders, best[0], tests, 1 - level))
        else:
            elsewhere.setdefault(listed_names(holders), []).append(f"{title}, {value},")
    for names, titles in elsewhere.items():
        verb = "are those" if titles[1:] else "is that"
        said.append(f"The best {' and '.join(titles)} {verb} of {names}, which was not tested.")
    return " ".join(said)


def _tests(differences: pl.DataFrame, figure: str) -> dict[str, Row]:
    """Return the tests of a measure by system."""
    own = differences.filter(measure=figure) if "measure" in differences else differences
    return {test["system"]: test for test in own.to_dicts() if test["p_corrected"]}


def _best_elsewhere(
    title: str,
    value: str,
    holders: Sequence[str],
    best: str,
    tests: Mapping[str, Row],
    least: float,
) -> str:
    """Describe the best system by a later measure, and whether it differs by it."""
    base = next(iter(tests.values()))["baseline"]
    # The baseline itself has no test, but the system that is best otherwise has one against it.
    of, other = (best, best) if base in holders else (holders[0], base)
    start = f"{listed_names(holders)} {'have' if holders[1:] else 'has'} the best {title}, {value}"
    if of not in tests:
        return f"{start}; whether this is significant was not tested."
    p = tests[of]["p_corrected"]
    shown = p_of(p)
    if p < least:
        return f"{start}, significantly better than that of {other} ({shown})."
    return f"{start}; the difference from {other} is not significant ({shown})."


def leaders(
    scores: pl.DataFrame,
    differences: pl.DataFrame,
    figure: str,
    lower_is_better: Collection[str] = (),
) -> list[str]:
    """Return the best systems, then those that cannot be told apart from them; see ``ranking``."""
    values, best, _ = _order(scores, figure, lower_is_better, None)
    tested = differences.drop_nulls("p_corrected") if differences.height else differences
    # Without tests against one of the best, nothing is known of the others.
    if not tested.height or tested["baseline"][0] not in best:
        return []
    level = level_of(str(scores["signature"][0]))[1]
    alike = set(tested.filter(pl.col("p_corrected") >= 1 - level)["system"])
    return [*best, *(system for system in values if system in alike and system not in best)]


def best_of(scores: pl.DataFrame, figure: str, lower_is_better: Collection[str] = ()) -> list[str]:
    """Return the systems with the best value of a figure."""
    return _order(scores, figure, lower_is_better, None)[1]


def level_of(signature: str) -> tuple[int, float]:
    """Return the number of resamples and the confidence level in a signature."""
    stated = re.search(r"bootstrap:(\d+).*?confidence:([\d.]+)", signature)
    return (int(stated[1]), float(stated[2])) if stated else (0, 0.95)


def _order(
    scores: pl.DataFrame, figure: str, lower_is_better: Collection[str], digits: int | None
) -> tuple[dict[str, float], list[str], int]:
    """Return the defined values of a figure, best first, the best systems, and the digits."""
    known = scores.select("system", value=pl.col(figure).cast(pl.Float64).fill_nan(None))
    known = known.drop_nulls("value").sort(
        "value", "system", descending=[figure not in lower_is_better, False]
    )
    values = dict(known.iter_rows())
    top = next(iter(values.values()), 0.0)
    best = [name for name, value in values.items() if abs(value - top) <= _EQUAL]
    return values, best, digits_for(values.values()) if digits is None else digits


def _apart(
    values: Mapping[str, float],
    best: Sequence[str],
    rows: Mapping[str, Row],
    clear: Collection[str],
    places: int,
    noun: str,
) -> list[str]:
    """Describe how far the next system is from the best, or the best from another baseline."""
    # `rows` are the tests by system, `clear` the systems that differ significantly.
    base = next(iter(rows.values()))["baseline"] if rows else best[0]
    ahead = base not in best
    nearest, *rest = [name for name in values if name != base and (ahead or name not in best)]
    digits = telling(values[nearest], values[base], places)
    gap = _number(abs(difference(values[nearest], values[base], digits)), f".{digits}f")
    form = f".{places}f"
    text = f"is {gap} better than {base}, the baseline" if ahead else f"follows, {gap} worse"
    if nearest not in rows:
        return [f"{nearest} {text}; whether this is significant was not tested."]
    sign = 1 if rows[nearest]["difference"] > 0 else -1
    ends = sorted(sign * rows[nearest][f"difference_{end}"] for end in ("low", "high"))
    p = rows[nearest]["p_corrected"]
    shown = p_of(p)
    verdict = "a significant difference" if nearest in clear else "which is not significant"
    said = [f"{nearest} {text} ({_between(ends, form)}; {shown}), {verdict}."]
    unclear = [name for name in rest if name not in clear]
    if unclear and ahead:
        either = "" if nearest in clear else " either"
        said.append(f"{listed_names(unclear)} cannot be told apart from {base}{either}.")
    number = len(rest) - len(unclear)
    if number:
        who = f"The other {noun}" if number == 1 else f"The other {number} {noun}s"
        if ahead:
            said.append(f"{who} differ{'s' * (number == 1)} significantly from {base}.")
        else:
            said.append(f"{who} {'is' if number == 1 else 'are'} significantly worse.")
    return said


def listed_names(names: Sequence[str]) -> str:
    """Return names as text: all, or the first few and the number of the others."""
    more = len(names) - _NAMED
    return listed([*names[:_NAMED], f"{more} more"] if more > 1 else [*names])


def _between(ends: Sequence[float], form: str) -> str:
    return " to ".join(_number(end, form) for end in ends)


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
    return listed([f"{first[0]} has r² = {first[1]}", *map(" ".join, rest)])


def listed(words: list[str]) -> str:
    """Return words as text: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _number(value: float, form: str = ".2f") -> str:
    return printed(value, form)
