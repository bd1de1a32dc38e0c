"""``alignframe lake``: jobs over partitioned tables, and their results."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.cells import Figure
from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.progress import spinner
from alignframe.cli.show import (
    Data,
    Pieces,
    Rows,
    in_shell,
)
from alignframe.cli.sources import THREADS, named_place
from alignframe.cli.worse import fail_if_any, figure_of
from alignframe.core.choices import LAKE_FORMATS, OUTCOMES
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments, FromOne

if TYPE_CHECKING:
    import polars as pl

    from alignframe.lake import History, Run, Status
    from alignframe.stats import Measure

ERRORS = 20
"""The number of errors printed; JSON has all."""


class Job(Input):
    """What jobs take from the shell as they do not from Python."""

    provides = ("format", "threads", "progress")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {"format": ("to",)}

    to: str | None = flag(
        "Format of OUT; by default that of an existing OUT, or else Parquet.",
        None,
        panel="Output",
        choices=LAKE_FORMATS,
    )
    threads: FromOne | None = flag(THREADS, None, panel="Output")

    def arguments(self, _: Shell) -> Arguments:
        """Return the fields of ``lake.How``."""
        return {
            "format": self.to or "",
            "threads": self.threads or os.cpu_count() or 1,
            "progress": working("Working"),
        }


class Measured(Input):
    """A measure of the user's own."""

    provides: ClassVar[tuple[str, ...]] = ("measure",)

    measure: str | None = flag(
        "The alignframe.stats.Measure of the counts.", None, panel="Analysis", metavar="MODULE:NAME"
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return the measure."""
        return {"measure": self.measure and measure_of(self.measure)}


class Counts(Measured):
    """Counts to score."""

    provides = (*Measured.provides, "out")

    out: str = flag(
        "The output of a counting job; or a table with system, the unit (sid), the counts and any "
        "columns to group by, with --measure.",
        panel=None,
        flags="COUNTS",
    )
    measure: str | None = flag(
        "The alignframe.stats.Measure of the counts; by default that of the job.",
        None,
        panel="Analysis",
        metavar="MODULE:NAME",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the counts and the measure."""
        return super().arguments(shell) | {"out": self.out}


class Applied(Measured):
    """A function of the user's own, and its inputs."""

    provides = ("function", "inputs", "measure")

    function: str = flag(
        "A Python function that takes a partition of each PLACE as a polars frame.",
        panel=None,
        flags="MODULE:FUNCTION",
    )
    places: list[str] = flag(
        "A place for each parameter of the function; the partitions of the first are the units.",
        panel=None,
        flags="NAME=PLACE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the function, its inputs and the measure."""
        from alignframe.engines.tables import check_names

        places = [named_place(text, "input") for text in self.places]
        check_names(name for name, _ in places)
        return {"function": loaded(self.function), "inputs": dict(places)} | super().arguments(
            shell
        )


def measure_of(given: str) -> Measure:
    """Import the measure ``MODULE:NAME``."""
    from alignframe.stats import Measure

    measure = loaded(given)
    if not isinstance(measure, Measure):
        raise InputError(
            f"{given} of type {type(measure).__name__}", expected="an alignframe.stats.Measure"
        )
    return measure


def loaded(given: str) -> Any:
    """Import ``MODULE:NAME``; modules in the working folder are found too."""
    module, mark, name = given.partition(":")
    if not mark or not module or not name:
        raise InputError(f"{given!r}", expected="MODULE:NAME, such as lengths:length")
    if os.getcwd() not in sys.path:  # noqa: PTH109 - as texts, as sys.path has them
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        home = import_module(module)
    except ModuleNotFoundError as error:
        # Another module than the one named is missing: one that it imports.
        if error.name != module.partition(".")[0] and not module.endswith(".py"):
            raise InputError(
                f"the module {module} imports {error.name!r}, which is missing"
            ) from error
        raise InputError(
            f"no module {module!r}",
            expected="a Python file in the current folder, without its suffix, or an installed "
            "module",
        ) from None
    except InputError as error:
        raise InputError(f"the module {module}: {error}") from error
    if not hasattr(home, name):
        public = sorted(known for known in vars(home) if not known.startswith("_"))
        raise InputError(
            f"the module {module} has no {name!r}",
            path=home.__file__,
            expected=f"one of {', '.join(public)}",
        )
    return getattr(home, name)


def working(text: str) -> Callable[[int, int, int], None]:
    """Yield a progress callback that shows finished units and rows, and the time left."""
    begun = time.monotonic()

    def progress(done: int, of: int, rows: int) -> None:
        left = ""
        if done and done < of:
            left = f", about {_lasting((time.monotonic() - begun) / done * (of - done))} left"
        spinner().say(
            f"{text}: {done:,} of {number_of(of, 'unit')}, {number_of(rows, 'row')}{left}"
        )

    return progress


def _lasting(seconds: float) -> str:
    """Return a length of time in its largest unit."""
    for size, name in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def show_run(run: Run, words: Words) -> Pieces:
    """Show the summary of a run; the command fails if a unit failed."""
    spinner().stop()
    summary = {name: run.record[name] for name in _SAID if name in run.record}
    yield Data(run.signature, **({"run": [summary]} if summary else {}), units=run.units)
    shown = run.units if not run.record else run.units.filter(run.units["status"] != "skipped")
    if shown.height:
        # What is done comes last: a large lake has more units than are shown.
        shown = shown.sort(shown["status"] == "skipped", maintain_order=True)
        names = ["unit", "status", "why", *(["rows"] if run.record else [])]
        yield Rows(shown.select(names), "Units")
    yield from _errors(run.units, "unit")
    if run.record:
        said = ", ".join(
            f"{run.record[name]:,} {name}"
            for name in OUTCOMES
            if run.record[name] or name in ("done", "skipped")
        )
        yield f"{words['out']}: {said}; {number_of(run.record['rows'], 'row')} written"
    if run.failed:
        raise SystemExit(1)


_SAID = ("run", "job", "status", "units", *OUTCOMES, "rows", "seconds", "cpu", "peak_mb")


def show_status(status: Status, _: Words) -> Pieces:
    """Show which units of a job are done."""
    yield Data(status.signature, units=status.units, run=status.run)
    idle = [] if status.units.filter(status.units["why"] != "").height else ["why"]
    yield Rows(status.units.drop("error", *idle), "Units")
    yield from _errors(status.units, "unit")
    yield from _runs(status.run, "Last run")


def show_runs(runs: pl.DataFrame, _: Words) -> Pieces:
    """List the runs of a job."""
    yield Data(runs=runs)
    yield from _runs(runs, "Runs")


def _runs(runs: pl.DataFrame, title: str) -> Pieces:
    """Yield runs without empty columns, followed by their errors."""
    idle = [name for name in ("adopted", "failed", "pruned") if not runs[name].sum()]
    idle += [name for name in ("label", "revision") if not any(runs[name])]
    shown = runs.drop("error", "signature", *idle)
    digits = {"seconds": 2, "cpu": 2, "peak_mb": 0}
    rows = [
        row | {name: Figure(f"{row[name]:.{number}f}") for name, number in digits.items()}
        for row in shown.to_dicts()
    ]
    yield Rows(rows, title)
    yield from _errors(runs, "run")


def _kinds(table: pl.DataFrame) -> pl.Series:
    """Return the errors of units or runs without their places; empty where there is none."""
    return table["error"].fill_null("").str.replace(r"^\S+: ", "").rename("kind")


def _errors(table: pl.DataFrame, named: str) -> Iterator[str]:
    """Yield the errors of units or runs in full, one per line; equal ones of several once."""
    kinds = _kinds(table)
    failed = table.filter(kinds != "")
    times = Counter(kinds.filter(kinds != ""))
    first = failed.filter(_kinds(failed).is_first_distinct())
    for row, number in zip(first.head(ERRORS).iter_rows(named=True), times.values(), strict=False):
        more = f" (and {number_of(number - 1, f'more {named}')})" if number > 1 else ""
        yield in_shell(f"{row[named]}: {row['error']}{more}")
    if first.height > ERRORS:
        yield f"... and {number_of(first.height - ERRORS, 'error')} more (--json has all)"


def show_history(history: History, words: Words) -> Pieces:
    """Show the scores of runs, and what has changed."""
    import polars as pl

    from alignframe.core.rounding import adding_up
    from alignframe.lake.dates import counted_again

    units = cautions(words["out"]) if words["as_json"] else {}
    yield Data(history.signature, **history.tables(), **units)
    step = "/".join(history.dates) or "run"
    runs, tests = history.runs, history.tests if words["every"] else history.changes
    title = "Dates" if history.dates else "Runs that changed counts"
    asked = bool(words["fail_if_worse"])
    if asked:
        # A summary of the run that counts, and of nothing before it.
        runs, title = runs.tail(1), _verdict(history, words)
        tests = tests.filter(run=runs["run"][0])
        clear, size = pl.col("verdict").is_in(["better", "worse"]), pl.col("difference").abs()
        tests = tests.sort(clear, size, descending=True, nulls_last=True, maintain_order=True)
    unknown = [column.name for column in runs if column.null_count() == runs.height]
    names = ["signature", *unknown, *(["started"] if history.dates else [])]
    yield Rows(runs.drop(names, strict=False).rename({"run": step}), title)
    yield from counted_again(history.again)
    if history.runs.height == 1 and history.tests.is_empty():
        said = "there is only 1 date" if history.dates else "only 1 run has changed counts"
        yield f"{said}: there is nothing to compare it with yet"
        yield history.signature
        return
    shown = (
        adding_up(tests)
        .select(*(_CHECKED if asked else _TESTED), "verdict")
        .with_columns(corpus=tests["corpus"].fill_null("all"))
        .rename({"run": step}, strict=False)
    )
    yield Rows(shown, "Scores" if words["every"] else "Changes")
    yield history.signature
    if not asked:
        return
    last = history.tests.filter(run=history.runs["run"][-1])
    if missing := _not_compared(history, last):
        yield f"{missing}: there is nothing to fail for"
    else:
        fail_if_any(last, {*history.measure.lower_is_better}, 1 - history.confidence, words)


def _not_compared(history: History, last: pl.DataFrame) -> str:
    """Return why the last run has nothing to compare; empty if it has."""
    if history.idle:
        return "the last run changed no counts"
    return "the last run has no baseline" * last.is_empty()


def _verdict(history: History, words: Words) -> str:
    """Say how many systems the last run has made worse and better, as a title."""
    figure = figure_of(history.measure.names, words)
    last = history.tests.filter(measure=figure, run=history.runs["run"][-1])
    against = f"{figure} against {words['baseline']}"
    if missing := _not_compared(history, last):
        return f"{against}: nothing to compare, as {missing}"
    apart = last["verdict"].str.starts_with("not comparable")
    counts = {kind: last.filter(verdict=kind).height for kind in ("worse", "better")}
    said = [f"{number} {kind}" for kind, number in counts.items()]
    said += [f"{apart.sum()} {verdict}" for verdict in last.filter(apart)["verdict"][:1]]
    return f"{against}: {', '.join(said)}, of {number_of(last.height, 'score')}"


_TESTED = ("run", "corpus", "system", "measure", "value", "difference", "p_corrected")
_CHECKED = (
    *("corpus", "system", "measure", "baseline_value", "value"),
    *("difference", "difference_low", "difference_high", "p_corrected"),
)


def cautions(place: str) -> Arguments:
    """Return the units that are not as the inputs have them now, as a table, if any."""
    import polars as pl

    from alignframe import lake

    if Path(place).is_file():  # a table, which no job wrote
        return {}
    with warnings.catch_warnings(action="ignore"):  # they were given
        units = lake.status(place).units.filter(
            (pl.col("why") != "") | (pl.col("status") != "done")
        )
    return {"units": units} if units.height else {}
