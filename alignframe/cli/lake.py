"""``alignframe lake``: jobs over partitioned tables, and their results."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.choices import OUTCOMES
from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.cells import Figure
from alignframe.cli.drawn import Drawn
from alignframe.cli.mt import TextOptions
from alignframe.cli.progress import spinner
from alignframe.cli.scores import deliver_scores
from alignframe.cli.show import print_json, print_note, print_table, save_tables, written
from alignframe.cli.tesla_metric import TeslaOptions
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl

    from alignframe.lake import Run

ERRORS = 20
"""The number of errors printed; JSON has all."""


@dataclass(frozen=True)
class Doing:
    """Options of all jobs."""

    out: str
    on: list[str] | None
    to: str | None
    commit_every: float
    engine: str
    threads: int | None
    prune: bool
    dry_run: bool
    check: str

    def how(self, text: str) -> dict[str, Any]:
        """Return the fields of ``alignframe.lake.How``, with ``text`` as progress message."""
        return {
            "on": self.on,
            "format": self.to or "",
            "commit_every": self.commit_every,
            "engine": self.engine,
            "threads": self.threads or cpu_count() or 1,
            "prune": self.prune,
            "dry_run": self.dry_run,
            "check": self.check,
            "progress": working(text),
        }


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


def score(
    *, doing: Doing, hyp: str, gold: str, possible_as_sure: bool, strict: bool, as_json: bool
) -> None:
    """Count links against gold, partition by partition."""
    from alignframe import lake

    run = lake.score(
        hyp,
        gold,
        doing.out,
        possible_as_sure=possible_as_sure,
        strict=strict,
        **doing.how("Counting links"),
    )
    deliver_run(run, doing.out, as_json)


def beads(*, doing: Doing, hyp: str, gold: str, one_sided: str, as_json: bool) -> None:
    """Count the beads of a lake against gold."""
    from alignframe import lake

    run = lake.beads(hyp, gold, doing.out, one_sided=one_sided, **doing.how("Counting beads"))
    deliver_run(run, doing.out, as_json)


def tesla(
    *,
    doing: Doing,
    hyp: str,
    ref: str,
    metric: str,
    options: AnalysisOptions,
    tesla_options: TeslaOptions,
    mt_options: TextOptions,
    as_json: bool,
) -> None:
    """Compute the counts behind TESLA scores."""
    from alignframe import lake

    of_tesla = metric.startswith("tesla-")
    run = lake.tesla(
        hyp,
        ref,
        doing.out,
        metric=metric,
        options=tesla_options.given() if of_tesla else asdict(mt_options),
        analysis=asdict(options) if of_tesla else None,
        **doing.how("Scoring translations"),
    )
    deliver_run(run, doing.out, as_json)


def symmetrize(
    *,
    doing: Doing,
    forward: str,
    reverse: str,
    method: str,
    reverse_is: str,
    system: str | None,
    as_json: bool,
) -> None:
    """Symmetrize the links of two directions."""
    from alignframe import lake

    run = lake.symmetrize(
        forward,
        reverse,
        doing.out,
        method=method,
        reverse_is=reverse_is,
        system=system,
        **doing.how("Joining"),
    )
    deliver_run(run, doing.out, as_json)


def align(
    *,
    doing: Doing,
    text: str,
    model_from: str,
    symmetrize: str | None,
    threshold: float | None,
    system: str | None,
    as_json: bool,
) -> None:
    """Align the words of texts in a lake with a saved model."""
    from alignframe import lake

    how = doing.how("Aligning")
    if symmetrize is not None:
        how["symmetrize"] = symmetrize
    run = lake.align(text, model_from, doing.out, threshold=threshold, system=system, **how)
    deliver_run(run, doing.out, as_json)


def phrases(
    *,
    doing: Doing,
    links: str,
    text: str | None,
    kind: str,
    max_length: int | None,
    with_words: bool,
    as_json: bool,
) -> None:
    """List the phrase pairs of links in a lake."""
    from alignframe import lake

    how = doing.how("Listing phrases")
    run = lake.phrases(
        links, doing.out, text=text, kind=kind, max_length=max_length, with_words=with_words, **how
    )
    deliver_run(run, doing.out, as_json)


def deliver_run(run: Run, out: str, as_json: bool) -> None:
    """Print the summary of a run; the command fails if a unit failed."""
    spinner().stop()
    if as_json:
        summary = {name: run.record[name] for name in _SAID if name in run.record}
        print_json({**({"run": [summary]} if summary else {}), "units": run.units}, run.signature)
    else:
        shown = run.units if not run.record else run.units.filter(run.units["status"] != "skipped")
        kinds = _kinds(shown)
        shown = shown.filter((kinds == "") | kinds.is_first_distinct())
        if shown.height:
            names = ["unit", "status", "why", *(["rows"] if run.record else [])]
            print_table(shown.select(names).to_dicts(), title="Units")
        say_errors(run.units, "unit")
        if run.record:
            said = ", ".join(
                f"{run.record[name]:,} {name}"
                for name in OUTCOMES
                if run.record[name] or name in ("done", "skipped")
            )
            print_note(f"{out}: {said}; {number_of(run.record['rows'], 'row')} written")
    if run.failed:
        raise SystemExit(1)


_SAID = ("run", "job", "status", "units", *OUTCOMES, "rows", "seconds", "cpu", "peak_mb")


def status(*, place: str, as_json: bool) -> None:
    """Show which units of a job are done."""
    from alignframe import lake

    found = lake.status(place)
    if as_json:
        print_json({"units": found.units, "run": found.run}, found.signature)
        return
    idle = [] if found.units.filter(found.units["why"] != "").height else ["why"]
    print_table(found.units.drop("error", *idle).to_dicts(), title="Units")
    say_errors(found.units, "unit")
    print_runs(found.run, "Last run")


def runs(*, place: str, as_json: bool) -> None:
    """List the runs of a job."""
    from alignframe import lake

    found = lake.runs(place)
    if as_json:
        print_json({"runs": found})
    else:
        print_runs(found, "Runs")


def print_runs(runs: pl.DataFrame, title: str) -> None:
    """Print runs without empty columns, followed by their errors."""
    idle = [name for name in ("adopted", "failed", "pruned") if not runs[name].sum()]
    shown = runs.drop("error", "signature", *idle)
    digits = {"seconds": 2, "cpu": 2, "peak_mb": 0}
    rows = [
        row | {name: Figure(f"{row[name]:.{number}f}") for name, number in digits.items()}
        for row in shown.to_dicts()
    ]
    print_table(rows, title=title)
    say_errors(runs, "run")


def _kinds(table: pl.DataFrame) -> pl.Series:
    """Return the errors of units or runs without their places; empty where there is none."""
    return table["error"].fill_null("").str.replace(r"^\S+: ", "").rename("kind")


def say_errors(table: pl.DataFrame, named: str) -> None:
    """Print the errors of units or runs in full, one per line; equal ones of several once."""
    kinds = _kinds(table)
    failed = table.filter(kinds != "")
    times = Counter(kinds.filter(kinds != ""))
    first = failed.filter(_kinds(failed).is_first_distinct())
    for row, number in zip(first.head(ERRORS).iter_rows(named=True), times.values(), strict=False):
        more = f" (and {number_of(number - 1, f'more {named}')})" if number > 1 else ""
        print_note(f"{row[named]}: {row['error']}{more}")
    if first.height > ERRORS:
        print_note(f"... and {number_of(first.height - ERRORS, 'error')} more (--json has all)")


def history(
    *,
    place: str,
    baseline: str,
    alpha: list[float],
    drawn: Drawn,
    system: list[str] | None,
    measure: list[str] | None,
    every: bool,
    top: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Compare scores across runs."""
    from alignframe import lake

    found = lake.history(
        place,
        baseline=baseline,
        alpha=alpha,
        **drawn.words,
        system=system,
        measure=measure,
        top=top,
    )
    if output:
        save_tables(found, output, "tests")
    if as_json:
        print_json({**found.tables(), **_cautions(place)}, found.signature)
        return
    print_table(found.runs.drop("signature").to_dicts(), title="Runs")
    tests = found.tests if every else found.changes
    shown = tests.select(*_TESTED, "verdict").with_columns(corpus=tests["corpus"].fill_null("all"))
    print_table(shown.to_dicts(), title="Scores" if every else "Changes")
    print_note(found.signature)


_TESTED = ("run", "corpus", "system", "measure", "value", "difference", "p_corrected")


def scores(
    *,
    place: str,
    by: list[str],
    alpha: list[float],
    measure: str | None,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score systems from the counts of a job."""
    from alignframe import lake
    from alignframe.cli.measure import measure_of

    found = lake.scores(
        place,
        by=by,
        alpha=alpha,
        measure=measure_of(measure) if measure else None,
        **drawn.words,
    )
    if as_json and (beside := _cautions(place)):
        written(found, output, False, "scores")
        print_json({"scores": found, **beside})
    else:
        deliver_scores(found, output, as_json, "Scores")


def _cautions(place: str) -> dict[str, pl.DataFrame]:
    """Return the units that are not as the inputs have them now, as a table of JSON, if any."""
    import polars as pl

    from alignframe import lake

    with warnings.catch_warnings(action="ignore"):  # they were given
        units = lake.status(place).units.filter(
            (pl.col("why") != "") | (pl.col("status") != "done")
        )
    return {"units": units} if units.height else {}
