"""The first lines of a dashboard, which follow from the tables that it shows."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from alignframe.core.rounding import difference, digits_for, percent_of, telling
from alignframe.errors import number_of, printable
from alignframe.lake.dates import counted_again
from alignframe.lake.ending import has_ended
from alignframe.lake.over_time import History, Making
from alignframe.lake.past import Past
from alignframe.lake.units import unit_name
from alignframe.pages.tables import interval, number, p_value
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import listed, listed_names


def main_figure(names: Sequence[str]) -> int:
    """Return the figure shown first: AER for links, or else F, or else the last one."""
    balanced = [name for name in names if name.startswith("f_") or name.endswith("_f")]
    return names.index("aer" if "aer" in names else (balanced or names)[0 if balanced else -1])


def leads_of(made: Making, history: History) -> tuple[str, str]:
    """Return at most three sentences on the last run, and a line of what stands beside them.

    The first say how it ended if it changed nothing, what changed, and what changed most; the
    second says what the lake has, and what is compared.
    """
    past = made.past
    every = history.tests.filter(run=history.runs["run"][-1])
    tests = every.filter(measure=made.measure.names[main_figure(made.measure.names)])
    news, status = _news(past), _status(past)
    found = [
        status,
        _summary(made, tests, _where(past, bool(status))),
        _largest(made, history, tests),
    ]
    found += _come_and_gone(past) if news else []
    said = [*filter(None, found)]
    compared = f"Each system is compared with {made.baselines}." * bool(history.tests.height)
    has = (
        f"{number_of(len(past.systems), 'system')} on "
        f"{number_of(len(past.corpora), 'corpus', 'corpora')} {'at' if past.dates else 'in'} "
        f"{number_of(history.runs.height, past.step)}{' that changed counts' * past.idle}."
    )
    rest = [*said[3:], has, compared, *counted_again(past.again), "Times are in UTC."]
    return printable(" ".join(said[:3])), printable(" ".join(filter(None, rest)))


def _time(started: str) -> str:
    return started[:16].replace("T", " ")


def _last(past: Past) -> str:
    """Return what the last run is called, with its time."""
    which = "last run" if past.is_last else "last recorded run"
    return f"the {which} ({_time(past.record['started'])})"


def _news(past: Past) -> bool:
    """Whether the changes shown first are those of the last run."""
    if past.dates:
        return not past.is_recorded or bool(past.record["done"] + past.record["adopted"])
    return not past.idle


def _status(past: Past) -> str:
    """Say how the last run ended, or what it did, unless it changed counts and is at its end."""
    record, last = past.record, _last(past)
    if not past.is_recorded:
        which = "" if past.dates else f" of {_time(past.moments[-1].started)}"
        return f"No record tells of the run that wrote the output{which}, which is shown."
    last = f"{last[0].upper()}{last[1:]}"
    units = number_of(len(record["todo"]) or record["units"], "unit")
    if not has_ended(record):
        how = {"failed": "failed", "running": "goes on"}
        ended = how.get(record["status"], f"was {record['status']}")
        return f"{last} {ended}, with {record['done']:,} of {units} done."
    if record["failed"]:
        more = ", ..." * (record["failed"] > 1)
        unit = record["failures"][0]["unit"] if record["failures"] else ""
        return f"{last} failed: {record['failed']:,} of {units} ({unit}{more})."
    if _news(past):
        return ""
    again = record["done"] + record["adopted"]
    if again:
        were = "was" if again == 1 else "were"
        counted = f"{number_of(again, 'unit')} {were} counted again, with the same counts"
        return f"Nothing changed in {_last(past)}: {counted}."
    return f"Nothing new in {_last(past)}: {number_of(record['skipped'], 'unit')} skipped."


def _where(past: Past, named: bool) -> str:
    """Return the start of the sentence on the run or date shown first."""
    if past.dates:
        return f"At {unit_name(past.moments[-1].date)}, "
    if not _news(past):
        return f"The last change was on {_time(past.moments[-1].started)}: "
    return "In it, " if named else f"In {_last(past)}, "


def _summary(made: Making, tests: pl.DataFrame, where: str) -> str:
    """Say of how many systems the main figure changed, and how."""
    if not tests.height:
        return f"{where}there is nothing to compare the scores with yet."
    apart = tests.filter(pl.col("verdict").str.starts_with("not comparable"))
    why = apart["verdict"][0].partition(": ")[2] if apart.height else ""
    some = " on some corpus" * (tests["corpus"].n_unique() > 1)
    worse, better = (tests.filter(verdict=verdict) for verdict in ("worse", "better"))
    both = {*worse["system"]} & {*better["system"]}
    kinds = [
        (_worse_and_better(worse, better, both), "than", pl.col("system").is_in(both)),
        (f"significantly worse{some}", "than", pl.col("verdict") == "worse"),
        (f"significantly better{some}", "than", pl.col("verdict") == "better"),
        ("not significantly different", "from", pl.col("p_value").is_not_null()),
        ("different (not tested)", "from", pl.col("difference") != 0),
        (f"not comparable ({why})", "with", pl.col("difference").is_null()),
        ("the same", "as", pl.col("difference") == 0),
    ]
    left = {*tests["system"]}
    base = f" that {str(made.baselines).removeprefix('itself ').replace('the system', 'of', 1)}"
    said: list[str] = []
    for how, to, chosen in kinds:
        own = left & {*tests.filter(chosen)["system"]}
        left -= own
        if own and said:
            said.append(f"of {len(own):,} {how}")
        elif own:
            systems = number_of(len(own), "system")
            said.append(f"{heading(tests['measure'][0])} of {systems} is {how} {to}{base}")
    return f"{where}{listed(said)}."


def _worse_and_better(worse: pl.DataFrame, better: pl.DataFrame, systems: set[str]) -> str:
    """Say where systems are worse and where better; of several, only that they are."""
    if len(systems) != 1:
        return "significantly worse on some corpus but better on another"
    parts = []
    for tests in (worse, better):
        corpora = tests.filter(pl.col("system").is_in(systems))["corpus"].drop_nulls().to_list()
        parts.append(f"on {listed_names(corpora)}" if corpora else "overall")
    return f"significantly worse {parts[0]} but better {parts[1]}"


def left_out(kind: str, opened: Sequence[tuple[int, int]], top: int, changed: bool) -> list[str]:
    """Say how many sentences can be opened, if not all."""
    # Over all corpora together.
    own, every = (sum(column) for column in zip(*opened, strict=True))
    if not kind or own == every:
        return []
    each = f", {top:,} per corpus" if len(opened) > 1 else ""
    which = "those that changed most, then the worst" if changed else "the worst"
    said = f"Listed are {own:,} of {every:,} sentences{each}: {which}"
    return [f"{said}; the others have figures only."]


def _come_and_gone(past: Past) -> list[str]:
    """Say which systems the last run has, and the run before had not, or the other way round."""
    if len(past.moments) < 2:
        return []
    before, now = ({system for system, _ in one.states} for one in past.moments[-2:])
    said = []
    for names, verb in ((now - before, "new"), (before - now, "no longer there")):
        if names:
            said.append(f"{listed_names(sorted(names))} {'are' if len(names) > 1 else 'is'} {verb}")
    return [f"{listed(said)}."] * bool(said)


def _largest(made: Making, history: History, tests: pl.DataFrame) -> str:
    """Describe the largest change, of the significant ones if any, as the page's tables have it."""
    size = pl.col("difference").abs()
    moved = tests.filter(size > 0).sort(size, descending=True, maintain_order=True)
    clear = moved.filter(pl.col("verdict").is_in(["better", "worse"]))
    if not moved.height:
        return ""
    row = (clear if clear.height else moved).row(0, named=True)
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
    verb, went = ("differs", "goes from") if made.baselines.of_system else ("changed", "went from")
    most = "most" if row == moved.row(0, named=True) else "most of those that are significant"
    return (
        f"{row['system']} {verb} {most}{where}: {heading(row['measure'])} {went} {base} to {value} "
        f"({'; '.join(by)}), {row['verdict']}."
    )
