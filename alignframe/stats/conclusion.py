"""Summarising correlations, and scores of systems, in a sentence or two."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from alignframe.errors import number_of
from alignframe.stats.bootstrap import least_p
from alignframe.stats.left_out import ANY, CHOSEN

ANNOTATION_WORDS = {
    "sure-possible": "Sure and Possible links",
    "sure": "Sure links only",
    "possible": "all links alike",
    ANY: "any annotation",
}

TESTED = (
    "The p-values are two-sided, by the paired bootstrap, and corrected for the number of systems "
    "by step-down max-T (Westfall & Young 1993). Bold: the best system, if the others were tested "
    "against it, and those that cannot be told apart from it."
)

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
    >>> import polars as pl
    >>> from alignframe import stats
    >>> scores = pl.DataFrame({"system": list("abcd"), "f_0.5": [0.1, 0.2, 0.4, 0.5]})
    >>> table = stats.correlate(scores, {"a": 20.0, "b": 22.0, "c": 23.0, "d": 25.0})
    >>> print(stats.conclusion(table, "BLEU"))
    F(α = 0.5) on Sure and Possible links predicts BLEU best: r² = 0.93 over 4 systems.
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


def ranking(
    scores: pl.DataFrame,
    differences: pl.DataFrame,
    figures: Mapping[str, str],
    lower_is_better: Collection[str] = (),
) -> str:
    """Describe which system is best, and whether the others differ from it.

    ``scores`` has a row per system, perhaps with intervals; ``differences``, perhaps empty, are
    those of the first of ``figures`` (columns and their names in text) from a baseline. Systems
    that are best only by a later figure are named too.
    """
    (figure, name), *later = figures.items()
    values, best, form = _order(scores, figure, lower_is_better)
    if not values:
        return f"No system has a defined {name}."
    row = scores.row(by_predicate=pl.col("system") == best[0], named=True)
    resamples, level = level_of(str(row.get("signature")))
    score = _number(row[figure], form)
    ends: list[Any] = [row.get(f"{figure}_{end}") for end in ("low", "high")]
    if None not in ends:
        score += f" ({100 * level:g}% interval {_between(ends, form)})"
    if len(values) == 1:
        said = [f"The {name} of {best[0]} is {score}."]
    elif len(best) == len(values):
        said = [f"{_some(best)} have the same {name}, {score}."]
    else:
        rows = {test["system"]: test for test in differences.to_dicts() if test["p_corrected"]}
        clear = {system for system, tested in rows.items() if tested["p_corrected"] < 1 - level}
        together = leaders(scores, differences, figure, lower_is_better)
        has = "have" if best[1:] else "has"
        if together[len(best) :]:
            said = [
                f"{_some(together)} cannot be told apart by {name}: {_some(best)} {has} {score}."
            ]
        else:
            said = [f"{_some(best)} {has} the best {name}, {score}."]
        said += _apart(values, best, rows, clear, form)
        if rows and least_p(resamples) >= 1 - level:
            said.append(f"With {resamples:,} resamples, no difference can be significant.")
    elsewhere: dict[str, list[str]] = {}
    for other, title in later:
        values_of_other, holders, own = _order(scores, other, lower_is_better)
        if values_of_other and best[0] not in holders:
            value = _number(values_of_other[holders[0]], own)
            elsewhere.setdefault(_some(holders), []).append(f"{title}, {value},")
    for names, titles in elsewhere.items():
        verb = "are those" if titles[1:] else "is that"
        said.append(f"The highest {' and '.join(titles)} {verb} of {names}, which was not tested.")
    return " ".join(said)


def leaders(
    scores: pl.DataFrame,
    differences: pl.DataFrame,
    figure: str,
    lower_is_better: Collection[str] = (),
) -> list[str]:
    """Return the best systems, then those that cannot be told apart from them; see ``ranking``."""
    values, best, _ = _order(scores, figure, lower_is_better)
    tested = differences.drop_nulls("p_corrected") if differences.height else differences
    # Without tests against one of the best, nothing is known of the others.
    if not tested.height or tested["baseline"][0] not in best:
        return []
    level = level_of(str(scores["signature"][0]))[1]
    alike = set(tested.filter(pl.col("p_corrected") >= 1 - level)["system"])
    return [*best, *(system for system in values if system in alike and system not in best)]


def level_of(signature: str) -> tuple[int, float]:
    """Return the number of resamples and the confidence level in a signature."""
    stated = re.search(r"bootstrap:(\d+).*?confidence:([\d.]+)", signature)
    return (int(stated[1]), float(stated[2])) if stated else (0, 0.95)


def _order(
    scores: pl.DataFrame, figure: str, lower_is_better: Collection[str]
) -> tuple[dict[str, float], list[str], str]:
    """Return the defined values of a figure, best first, the best systems, and the format."""
    known = scores.select("system", value=pl.col(figure).cast(pl.Float64).fill_nan(None))
    known = known.drop_nulls("value").sort(
        "value", "system", descending=[figure not in lower_is_better, False]
    )
    values = dict(known.iter_rows())
    top = next(iter(values.values()), 0.0)
    best = [name for name, value in values.items() if abs(value - top) <= _EQUAL]
    return values, best, ".2f" if any(abs(value) > 10 for value in values.values()) else ".4f"


def _apart(
    values: Mapping[str, float],
    best: Sequence[str],
    rows: Mapping[str, Row],
    clear: Collection[str],
    form: str,
) -> list[str]:
    """Describe how far the next system is from the best, or the best from another baseline."""
    # `rows` are the tests by system, `clear` the systems that differ significantly.
    base = next(iter(rows.values()))["baseline"] if rows else best[0]
    ahead = base not in best
    nearest, *rest = [name for name in values if name != base and (ahead or name not in best)]
    gap = _number(abs(values[nearest] - values[base]), form)
    text = f"is {gap} better than {base}, the baseline" if ahead else f"follows, {gap} worse"
    if nearest not in rows:
        return [f"{nearest} {text}; whether this is significant was not tested."]
    sign = 1 if rows[nearest]["difference"] > 0 else -1
    ends = sorted(sign * rows[nearest][f"difference_{end}"] for end in ("low", "high"))
    p = rows[nearest]["p_corrected"]
    shown = "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"
    verdict = "a significant difference" if nearest in clear else "which is not significant"
    said = [f"{nearest} {text} ({_between(ends, form)}; {shown}), {verdict}."]
    unclear = [name for name in rest if name not in clear]
    if unclear and ahead:
        either = "" if nearest in clear else " either"
        said.append(f"{_some(unclear)} cannot be told apart from {base}{either}.")
    number = len(rest) - len(unclear)
    if number:
        who = "The other system" if number == 1 else f"The other {number} systems"
        if ahead:
            said.append(f"{who} differ{'s' * (number == 1)} significantly from {base}.")
        else:
            said.append(f"{who} {'is' if number == 1 else 'are'} significantly worse.")
    return said


def _some(names: Sequence[str]) -> str:
    """Return names as text: all, or the first few and the number of the others."""
    more = len(names) - _NAMED
    return _listed([*names[:_NAMED], f"{more} more"] if more > 1 else [*names])


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
    return _listed([f"{first[0]} has r² = {first[1]}", *map(" ".join, rest)])


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _number(value: float, form: str = ".2f") -> str:
    return f"{value:{form}}".replace("-", "−")
