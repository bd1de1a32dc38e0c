"""Summarising scores of systems, and their tests, in a sentence or two."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from alignframe.core.rounding import difference, digits_for, percent_of, printed, telling
from alignframe.stats.bootstrap import ALL_PAIRS, EXCHANGED, MAX_UNITS, least_p
from alignframe.stats.paired import FEW

ALONE = "Intervals are of single differences, and not corrected as p-values are."
"""The note of tables with both, of several tests."""

Row = Mapping[str, Any]

_EQUAL = 1e-12
_NAMED = 5
_OTHERWISE = 2
"""The number of sentences on later measures; of more, only their number is said."""


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
    few = f" and, with fewer than {FEW} units, by exchanged labels (the larger of both)"
    said = "The p-values are two-sided, by the paired bootstrap" + few * (EXCHANGED in mark)
    if how := corrected_for(mark, differences["system"].n_unique()):
        why = " of systems, as the best was not known before," if ALL_PAIRS in mark else ""
        said += f", and {how}{why} by step-down max-T (Westfall & Young 1993)"
    return f"{said}."


def bold_of(signature: str, systems: int) -> str:
    """Return what bold figures are, by the tests of so many systems in a signature."""
    said = "Bold: the best system"
    if "paired-" not in signature:
        return f"{said}."
    resamples, level = level_of(signature)
    p = " ".join([f"p < {1 - level:.2g}", corrected_for(signature, systems - 1)]).rstrip()
    return (
        f"{said}, and those that cannot be told apart from it (paired bootstrap, {resamples:,} "
        f"resamples, {p})."
    )


def spans(table: pl.DataFrame, units: str, *, where: str = "Below figures") -> str:
    """Return what the intervals of a table or chart are; empty if there are none."""
    ends = [name for name in table.columns if name.endswith("_low")]
    if not table.height or not any(table[name].count() for name in ends):
        return ""
    _, level = level_of(str(table["signature"][0]))
    return f"{where} are {percent_of(level)} intervals over {units}."


def corrected_for(signature: str, others: int) -> str:
    """Return what p-values of so many systems are corrected for; empty for a single test."""
    if others < 2:
        return ""
    return f"corrected for {'all pairs' if ALL_PAIRS in signature else 'the number of systems'}"


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
    columns and their names in text: where a later one has another best system, or its tests tell
    other systems apart, this is said too, of the first two. ``digits`` are those of the table of
    the scores, by default as its figures need; ``units`` are what was resampled, such as ``5
    sentences``.
    """
    (figure, name), *later = figures.items()
    values, best, places = _order(scores, figure, lower_is_better, digits)
    form = f".{places}f"
    if not values:
        return f"No {noun} has a defined {name}."
    row = scores.row(by_predicate=pl.col("system") == best[0], named=True)
    resamples, level = level_of(str(row.get("signature")))
    score = printed(row[figure], form)
    ends: list[Any] = [row.get(f"{figure}_{end}") for end in ("low", "high")]
    if None not in ends:
        score += f" ({percent_of(level)} interval {_between(ends, form)})"
    rows: dict[str, Row] = {}
    number = int(units.split()[0].replace(",", "")) if units else MAX_UNITS
    if len(values) == 1:
        said = [f"The {name} of {best[0]} is {score}."]
    elif len(best) == len(values):
        rows = _tests(differences, figure)
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
        alone = f"nothing can be tested on {units}" if number == 1 else ""
        said += _apart(values, best, rows, clear, places, noun, alone)
        if rows and least_p(resamples, number) >= 1 - level:
            of = f" of {units}" if units and least_p(resamples) < 1 - level else ""
            said.append(f"With {resamples:,} resamples{of}, no difference can be significant.")
    elsewhere: dict[str, list[str]] = {}
    also: list[str] = []
    otherwise: dict[tuple[tuple[str, ...], ...], list[tuple[str, ...]]] = {}
    for other, title in later:
        values_of_other, holders, own = _order(scores, other, lower_is_better, digits)
        if not values_of_other:
            continue
        # Tests of one measure say nothing of another; those of its own are shown beside it.
        tests = _tests(differences, other) if "measure" in differences else {}
        spoken = ""
        if best[0] not in holders:
            value = printed(values_of_other[holders[0]], f".{own}f")
            if tests:
                spoken, text = _best_elsewhere(title, value, holders, best[0], tests, 1 - level)
                also.append(text)
            else:
                elsewhere.setdefault(listed_names(holders), []).append(f"{title}, {value},")
        told, shown = _told_otherwise(rows, tests, spoken, 1 - level, own, other in lower_is_better)
        if any(told):
            otherwise.setdefault(told, []).append((title, *shown))
    also += [_told(rows, told, measures) for told, measures in otherwise.items()]
    others = [
        f"the best {' and '.join(titles)} {'are those' if titles[1:] else 'is that'} of {names}"
        for names, titles in elsewhere.items()
    ]
    also += [f"Not tested: {'; '.join(others)}."] * bool(others)
    more = len(also) - _OTHERWISE
    if more > 1:
        also[_OTHERWISE:] = [f"{more} more measures disagree with {name}."]
    return " ".join([*said, *also])


def _told_otherwise(
    first: Mapping[str, Row],
    tests: Mapping[str, Row],
    spoken: str,
    least: float,
    digits: int,
    falls: bool,
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return which systems a later measure alone tells from the baseline, and which it does not.

    With the figures of each, if it is a single one; of the system ``spoken`` all is said.
    """
    clear = {
        system: (first[system]["p_corrected"] < least, test["p_corrected"] < least)
        for system, test in tests.items()
        if system in first and system != spoken
    }
    told = tuple(
        tuple(system for system in first if clear.get(system) == one)
        for one in ((False, True), (True, False))
    )
    shown = ["", ""]
    for at, names in enumerate(told):
        if len(names) == 1:
            row, form = tests[names[0]], f".{digits}f"
            gap = difference(row["value"], row["baseline_value"], digits)
            sign = 1 if row["difference"] > 0 else -1
            ends = sorted(sign * row[f"difference_{end}"] for end in ("low", "high"))
            word = "worse" if (row["difference"] < 0) != falls else "better"
            p = p_of(row["p_corrected"])
            shown[at] = (
                f" ({p})"
                if at
                else f"{printed(abs(gap), form)} {word} than {row['baseline']} "
                f"({_between(ends, form)}; {p})"
            )
    return told, tuple(shown)


def _told(
    first: Mapping[str, Row],
    told: tuple[tuple[str, ...], ...],
    measures: Sequence[tuple[str, ...]],
) -> str:
    """Return the sentence of measures that tell the same systems apart; figures are of one."""
    base = next(iter(first.values()))["baseline"]
    of, (gap, p) = (
        listed([title for title, *_ in measures]),
        measures[0][1:] if len(measures) == 1 else ("", ""),
    )
    apart, alike = told
    parts = [f"{of} can tell {listed_names(apart)} from {base}"] * bool(apart)
    if gap:
        parts = [f"By {of}, {apart[0]} is {gap}"]
    subject = "" if apart and not gap else f"{of} "
    parts += [f"{subject}cannot tell {listed_names(alike)} from {base}{p}"] * bool(alike)
    return f"{', but '.join(parts)}."


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
) -> tuple[str, str]:
    """Return the system tested of the best one by a later measure, and whether it differs by it."""
    base = next(iter(tests.values()))["baseline"]
    # The baseline itself has no test, but the system that is best otherwise has one against it.
    of, other = (best, best) if base in holders else (holders[0], base)
    start = f"{listed_names(holders)} {'have' if holders[1:] else 'has'} the best {title}, {value}"
    if of not in tests:
        return of, f"{start}; whether this is significant was not tested."
    p = tests[of]["p_corrected"]
    shown = p_of(p)
    if p < least:
        return of, f"{start}, significantly better than that of {other} ({shown})."
    return of, f"{start}; the difference from {other} is not significant ({shown})."


def decisive(figures: Mapping[str, str]) -> dict[str, str]:
    """Return the figures to rank systems by: those that weigh both kinds of errors, if any do."""
    whole = {
        name: title
        for name, title in figures.items()
        if "precision" not in name and "recall" not in name
    }
    return whole or dict(figures)


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
    untested: str,
) -> list[str]:
    """Describe how far the next system is from the best, or the best from another baseline."""
    # `rows` are the tests by system, `clear` the systems that differ significantly.
    base = next(iter(rows.values()))["baseline"] if rows else best[0]
    ahead = base not in best
    nearest, *rest = [name for name in values if name != base and (ahead or name not in best)]
    digits = telling(values[nearest], values[base], places)
    gap = printed(abs(difference(values[nearest], values[base], digits)), f".{digits}f")
    form = f".{places}f"
    text = f"is {gap} better than {base}, the baseline" if ahead else f"follows, {gap} worse"
    if nearest not in rows:
        return [f"{nearest} {text}; {untested or 'whether this is significant was not tested'}."]
    sign = 1 if rows[nearest]["difference"] > 0 else -1
    ends = sorted(sign * rows[nearest][f"difference_{end}"] for end in ("low", "high"))
    shown = p_of(rows[nearest]["p_corrected"])
    mark = str(rows[nearest].get("signature", ""))
    # Bold is of all pairs; and an interval alone may say that what is not significant is.
    if mark and (ALL_PAIRS not in mark or (nearest not in clear and ends[0] > 0)):
        shown = " ".join([shown, corrected_for(mark, len(rows))]).rstrip()
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
    return " to ".join(printed(end, form) for end in ends)


def listed(words: Sequence[str]) -> str:
    """Return words as text, the last one after ``and``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
