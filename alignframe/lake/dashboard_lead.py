"""The first lines of a dashboard, which follow from the tables that it shows."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from alignframe.core.rounding import difference, digits_for, percent_of, telling
from alignframe.errors import number_of
from alignframe.lake.dates import counted_again
from alignframe.lake.over_time import PREVIOUS, History, Making
from alignframe.lake.past import Past
from alignframe.lake.units import unit_name
from alignframe.pages.tables import interval, number, p_value
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import listed_names
from alignframe.typing import Row


def main_figure(names: Sequence[str]) -> int:
    """Return the figure shown first: AER for links, or else F, or else the last one."""
    balanced = [name for name in names if name.startswith("f_") or name.endswith("_f")]
    return names.index("aer" if "aer" in names else (balanced or names)[0 if balanced else -1])


def lead_of(made: Making, history: History) -> str:
    """Return the first lines of a dashboard: what changed, and what it is compared with."""
    past = made.past
    said = (
        f"{number_of(len(past.systems), 'system')} on "
        f"{number_of(len(past.corpora), 'corpus', 'corpora')} {'at' if past.dates else 'in'} "
        f"{number_of(history.runs.height, past.step)}{' that changed counts' * past.idle}."
    )
    if not history.tests.height:
        compared = "There is nothing to compare it with yet."
    elif made.baseline == PREVIOUS:
        at = "at" if past.dates else "in"
        compared = f"Each system is compared with itself {at} the {past.step} before."
    else:
        what = "system" if made.baseline in past.systems else past.step
        compared = f"The baseline is the {what} {made.baseline}."
    return f"{_changed(made, history)} {said} {compared}".lstrip()


def _when(past: Past) -> str:
    """Return what the page calls the run that it shows first, which ``_shown`` names."""
    if past.dates:
        return unit_name(past.moments[-1].date)
    if not past.is_recorded:
        return "it"
    if past.idle:
        return "that run"
    return "the last run" if past.is_last else "the last recorded run"


def left_out(
    past: Past, kind: str, opened: Sequence[tuple[int, int]], top: int, changed: bool
) -> list[str]:
    """Say how many sentences can be opened, if not all."""
    # Over all corpora together.
    own, every = (sum(column) for column in zip(*opened, strict=True))
    if not kind or own == every:
        return []
    each = f", {top:,} per corpus" if len(opened) > 1 else ""
    which = f"those that changed most in {_when(past)}, then the worst" if changed else "the worst"
    said = f"Listed are {own:,} of {every:,} sentences{each}: {which}"
    return [f"{said}; the others have figures only."]


def _changed(made: Making, history: History) -> str:
    """Say what changed in the last run, or in the last one that changed anything."""
    past, when = made.past, _when(made.past)
    parts = [_shown(past), *counted_again(past.again), *_come_and_gone(past, when)]
    figure = made.measure.names[main_figure(made.measure.names)]
    every = history.tests.filter(run=history.runs["run"][-1])
    tests = every.filter(measure=figure)
    if not tests.height:
        return " ".join(filter(None, parts))
    # Over all corpora there may be no tests, as when only the last run has some of them.
    moved = tests.filter(pl.col("difference") != 0).sort(pl.col("difference").abs())
    tests = tests.filter(pl.col("corpus").eq_missing(tests["corpus"][-1]))
    name, others = heading(figure), "other " * (len(parts) > 1)
    apart = tests.filter(pl.col("verdict").str.starts_with("not comparable"))
    differences = tests["difference"].fill_null(0.0).abs()
    if differences.max():
        parts.append(_most(made, history, tests.row(differences.arg_max() or 0, named=True), when))
        same = tests.filter(verdict="unchanged").height
        parts += [f"{number_of(same, 'system')} did not change."] * bool(same)
    elif moved.height:
        parts.append(_most(made, history, moved.row(-1, named=True), when))
    elif apart.height:
        whole = apart.height == tests.height and not others
        which = f"{when[0].upper()}{when[1:]}" if whole else number_of(apart.height, "system")
        why = apart["verdict"][0].partition(": ")[2]
        parts.append(f"{which} cannot be compared with the baseline: {why}.")
        parts += ["No other system has changed."] * (apart.height < tests.height)
    elif (every["difference"].fill_null(0.0) != 0).any():
        parts.append(f"No {others}system has another {name} than its baseline in {when}.")
    elif others:
        parts.append("No other system has changed.")
    else:
        parts.append(f"Nothing changed in {when}: every system has the {name} of its baseline.")
    return " ".join(filter(None, parts))


def _shown(past: Past) -> str:
    """Say which run or output is shown, if it is not that of the last run."""
    shown = past.moments[-1]
    when = shown.started[:16].replace("T", " ")
    if past.dates and not past.is_recorded:
        return "No record tells of the run that wrote the output, which is shown."
    if not past.is_recorded:
        return f"No record tells of the run that wrote the output of {when}, which is shown."
    if not past.idle:
        return ""
    last = "The last run" if past.is_last else "The last recorded run"
    return f"{last} changed no counts: shown is the run {shown.run} of {when}, the last that did."


def _come_and_gone(past: Past, when: str) -> list[str]:
    """Say which systems the last run has, and the run before had not, or the other way round."""
    if len(past.moments) < 2:
        return []
    before, now = ({system for system, _ in one.states} for one in past.moments[-2:])
    said = []
    for names, verb in ((now - before, "new"), (before - now, "no longer there")):
        if names:
            are = "are" if len(names) > 1 else "is"
            said.append(f"{listed_names(sorted(names))} {are} {verb} in {when}.")
    return said


def _most(made: Making, history: History, row: Row, when: str) -> str:
    """Describe the largest change, with the digits of the page's first table."""
    shown = history.scores.filter(run=row["run"], measure=row["measure"])
    digits = telling(row["value"], row["baseline_value"], digits_for(shown["value"]))
    form = f".{digits}f"
    value, base = number(row["value"], form), number(row["baseline_value"], form)
    ends = interval(row["difference_low"], row["difference_high"], form)
    p = row["p_corrected"]
    by = [
        number(difference(row["value"], row["baseline_value"], digits), f"+{form}"),
        *[f"{percent_of(made.resampling.confidence)} interval {ends}"] * bool(ends),
        *([] if p is None else [f"p {p_value(p)}" if p < 0.0005 else f"p = {p_value(p)}"]),
    ]
    where = (
        f" on {row['corpus']}" if row["corpus"] is not None and len(made.past.corpora) > 1 else ""
    )
    return (
        f"{row['system']} changed most in {when}{where}: {heading(row['measure'])} went from "
        f"{base} to {value} ({'; '.join(by)}), {row['verdict']}."
    )
