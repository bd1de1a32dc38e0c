"""Running a job unit by unit, each written atomically."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field
from os import PathLike, fspath

import polars as pl

from alignframe.core.choices import OUTCOMES
from alignframe.core.parallel import ThreadPool, ready_for_threads
from alignframe.core.stopping import told_if_stopped
from alignframe.errors import InputError, number_of, plain, warn
from alignframe.lake.ending import record_kills
from alignframe.lake.job import Job
from alignframe.lake.kept import EVIDENCE, keep_inputs
from alignframe.lake.plan import FAILURES, How, Task, Work, counted_empty, plan
from alignframe.lake.records import FOLDER, Clock, Record, UnitState
from alignframe.lake.units import Source, unit_name
from alignframe.lake.workers import crash_noted, engine_of, warnings_kept, work_alone
from alignframe.result import Result
from alignframe.stores import Keys, Output, open_output
from alignframe.stores.output import STAMP, Written
from alignframe.typing import Row

_SHOWN = 3


@dataclass(frozen=True, repr=False)
class Run(Result):
    """The result of a job.

    Attributes
    ----------
    units
        One row per unit: unit, status (done, skipped, adopted, failed, pruned; in a dry run to do,
        to adopt, to prune), why, rows, seconds and error.
    record
        The record of the run (see ``alignframe.lake.records.Record``); empty for a dry run.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> run.failed, run.record["rows"]
    (0, 72)
    """

    units: pl.DataFrame
    signature: str
    record: Row = field(repr=False)

    @property
    def failed(self) -> int:
        """The number of failed units."""
        return int((self.units["status"] == "failed").sum())


def run(
    job: Job,
    inputs: Mapping[str, str | PathLike[str]],
    out: str | PathLike[str],
    settings: Mapping[str, object],
    how: How,
) -> Run:
    """Run a job over all units that are not up to date.

    Errors of single units are in the result, and the others are finished.
    """
    since = Clock.read()
    settings = {name: plain(value) for name, value in settings.items()}
    content = how.check == "content"
    sources = [Source(fspath(given), what, content) for what, given in inputs.items()]
    signature = job.signature(settings)
    output = open_output(out, job.table, how.format)
    output.check()
    live = output.done()
    noted = {**settings, "check": how.check, "on": None if how.on is None else list(how.on)}
    tasks = plan(job, sources, output, live, signature, noted, how)
    if how.dry_run:
        return Run(_table(tasks), signature, {})
    record = Record(
        job.name,
        signature,
        dict(noted),
        {source.what: {"place": source.given, "version": source.version} for source in sources},
        {"place": output.name, "before": output.version()},
        label=how.label,
        units=sum(task.unit is not None for task in tasks),
        left=[unit_name(task.keys) for task in tasks if task.status == "left over"],
    )
    # Nothing is made, or removed, before the inputs are known to be there.
    output.prepare()
    output.sweep()
    record_kills(output, live)
    record.todo = [
        {"keys": dict(task.keys), "stamp": task.stamps[STAMP]}
        for task in tasks
        if task.status in ("to do", "to adopt")
    ]

    def stop() -> None:
        """Record the end if a signal ends the process while units are in progress."""
        if record.pid == os.getpid():
            _count(record, tasks)
            status = "stopped" if record.status == "running" else record.status
            record.end(output.folder, since, status, record.error)

    def left() -> str:
        said = ("done", "skipped", "adopted")
        done = sum(task.status in said for task in tasks if task.unit is not None)
        return (
            f"{done:,} of {number_of(record.units, 'unit')} done, and kept in {output.name}: "
            "run the same again to go on"
        )

    atexit.register(stop)
    record.begin(output.folder)
    status, error = "stopped", ""
    try:
        with told_if_stopped(left):
            _work(job, output, live, tasks, settings, how)
            if job.name in EVIDENCE and output.folder.filesystem is None:
                counted = [task for task in tasks if task.status in ("done", "adopted")]
                keep_inputs(output, job.inputs[0], counted)
        status = "failed" if any(task.status == "failed" for task in tasks) else "done"
    except FAILURES as failure:
        status, error = "failed", str(failure)
        raise
    finally:
        _count(record, tasks)
        # After an error, what is live is not known for certain.
        record.state = [] if error else _state(tasks, live)
        record.outputs["after"] = "" if error else output.version()
        if status != "stopped" and not error:
            record.todo = []
        try:
            record.end(output.folder, since, status, error)
        except InputError as failure:
            _tell_unrecorded(failure, output, record)
        finally:
            atexit.unregister(stop)
    for text in cautions_of(_warned(job, tasks), record.left):
        warn(text)
    return Run(_table(tasks), signature, dict(vars(record)))


def _tell_unrecorded(failure: InputError, output: Output, record: Record) -> None:
    """Say that the end of a run could not be recorded, without hiding how it ended."""
    path = f"{output.folder.name}/{FOLDER}/{record.run}.json"
    said = f"the record of the run was not written ({failure.said}), but the rows were"
    if record.status == "done":
        todo = "when it can be written, run the job again, which skips what is done"
        raise InputError(said, path=path, todo=todo) from None
    if not record.error and record.status == "failed":
        # Which units have failed is told, too.
        warn(f"{path}: {said} of all units that have not failed")


def _work(
    job: Job,
    output: Output,
    live: Mapping[Keys, Written],
    tasks: Sequence[Task],
    settings: Mapping[str, object],
    how: How,
) -> None:
    """Process all tasks, and commit finished ones even if others fail."""
    todo = [task for task in tasks if task.status == "to do"]
    ready: list[Written] = []
    for task in tasks:
        if task.status == "to adopt":
            outcome = output.adopted(task.keys, task.stamps[STAMP])
            task.status = "adopted"
            ready += [] if outcome is None else [outcome]
    gone = [live[task.keys] for task in tasks if task.status == "to prune"]
    # Counts of past runs stay readable, for the history.
    if job.measure:
        for old in [*gone, *(live[task.keys] for task in todo if task.keys in live)]:
            output.keep(old)
    rows = _Rows(how.progress, len(todo))
    last = time.monotonic()
    engine = engine_of(how.engine)
    ready_for_threads()
    with (
        crash_noted(output.folder, tasks) as crashed,
        warnings_kept(),
        ThreadPool(how.threads) as pool,
    ):
        # A unit that killed the last run may kill its worker: it runs in a process of its own.
        for task in todo[: how.threads] if crashed else ():  # which the last run was at
            outcome = work_alone(Work(job, output, task, settings), rows.add)
            ready += [] if outcome is None else [outcome]
            rows.unit()
        waiting: dict[Future[Written | None], Task] = {
            pool.submit(engine, Work(job, output, task, settings), rows.add): task
            for task in todo
            if task.status == "to do"
        }
        try:
            for future in as_completed(list(waiting)):
                del waiting[future]
                outcome = future.result()
                ready += [] if outcome is None else [outcome]
                rows.unit()
                if ready and time.monotonic() - last >= how.commit_every:
                    # Finished units become visible while a long run goes on.
                    output.commit(ready)
                    ready, last = [], time.monotonic()
        finally:
            pool.shutdown(cancel_futures=True)  # units in progress are finished
            ended = [
                future
                for future in waiting
                if not future.cancelled() and future.exception() is None
            ]
            ready += [outcome for future in ended if (outcome := future.result()) is not None]
            output.commit(ready, gone)
    for task in tasks:
        if task.status == "to prune":
            task.status = "pruned"


class _Rows:
    """Counts finished rows and units for a progress callback."""

    def __init__(self, progress: Callable[[int, int, int], None] | None, units: int) -> None:
        self._progress = progress
        self._lock = threading.Lock()
        self._of, self._units, self._rows = units, 0, 0

    def add(self, rows: int) -> None:
        """Count written rows."""
        with self._lock:
            self._rows += rows
            self._tell()

    def unit(self) -> None:
        """Count a finished unit."""
        with self._lock:
            self._units += 1
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._units, self._of, self._rows)


def cautions_of(warned: Sequence[tuple[str, str]], left: Sequence[str]) -> list[str]:
    """Return warnings of what is wrong with units, by name, and of units that are left over."""
    texts = []
    if warned:
        shown = "; ".join(f"{name}: {text}" for name, text in warned[:_SHOWN])
        more = f"; and {len(warned) - _SHOWN:,} more" if len(warned) > _SHOWN else ""
        texts.append(f"{shown}{more}")
    if left:
        more = ", ..." if len(left) > _SHOWN else ""
        texts.append(
            f"the inputs no longer have {number_of(len(left), 'unit')} of the output "
            f"({', '.join(left[:_SHOWN])}{more}), which still count until pruned (`prune=True`)"
        )
    return texts


def _warned(job: Job, tasks: Sequence[Task]) -> list[tuple[str, str]]:
    """Return what is wrong with units, by name."""
    return [
        (unit_name(task.keys), text)
        for task in tasks
        for text in (
            [counted_empty(job.inputs[0], task.removed)]
            if task.unit is not None and task.unit.is_absent and not task.error
            else task.warned
        )
    ]


def _count(record: Record, tasks: Sequence[Task]) -> None:
    for name in OUTCOMES:
        setattr(record, name, sum(task.status == name for task in tasks))
    record.rows = sum(task.rows for task in tasks)
    record.failures = [
        {"unit": unit_name(task.keys), "error": task.error} for task in tasks if task.error
    ]


def _state(tasks: Sequence[Task], live: Mapping[Keys, Written]) -> list[UnitState]:
    """Return the output's units after a run, with the stamps of their files."""
    stamps = {keys: written.stamp for keys, written in live.items() if written.stamp}
    for task in tasks:
        if task.status in ("done", "adopted"):
            stamps[task.keys] = task.stamps[STAMP]
        elif task.status == "pruned":
            stamps.pop(task.keys, None)
    return [{"keys": dict(keys), "stamp": stamp} for keys, stamp in stamps.items()]


def _table(tasks: Sequence[Task]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (unit_name(task.keys), task.status, task.why, task.rows, task.seconds, task.error)
            for task in tasks
        ],
        schema={
            "unit": pl.String,
            "status": pl.String,
            "why": pl.String,
            "rows": pl.Int64,
            "seconds": pl.Float64,
            "error": pl.String,
        },
        orient="row",
    )
