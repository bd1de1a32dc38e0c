"""Planning what to do with each unit of a job, and why."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypedDict

import pyarrow as pa

from alignframe.core.choices import BASELINES, CHECKS, LAKE_ENGINES, LAKE_FORMATS
from alignframe.errors import (
    AlignframeError,
    InputError,
    check_keywords,
    redacted,
    unknown_name,
)
from alignframe.lake.job import Job, Settings
from alignframe.lake.marks import contents_by_input, marks_by_input, settings_digest, stamp_of
from alignframe.lake.units import Source, Unit, unit_name, units_of
from alignframe.options import Limited, limited
from alignframe.stores import Keys, Output
from alignframe.stores.output import STAMP, Written
from alignframe.typing import ForInput, ForOutput, FromOne, NotNegative, Rare

FAILURES = (AlignframeError, OSError, pa.ArrowException, MemoryError, ValueError)
"""Errors that fail a unit while others continue."""
COMMIT_SECONDS = 60
STAT, CONTENT = CHECKS
REMOVED = "removed"
"""Why a unit whose partition the inputs no longer have is counted as empty, or left over."""


class JobOptions(TypedDict, total=False):
    """The fields of ``How``, as keywords."""

    on: Sequence[str] | None
    format: str
    commit_every: float
    threads: int
    prune: bool
    dry_run: bool
    check: str
    label: str
    progress: Callable[[int, int, int], None] | None
    engine: Any


@dataclass(frozen=True)
class How(Limited):
    """How to run a job; no option affects the scores.

    Parameters
    ----------
    on
        The keys, such as domain, by which partitions of the inputs belong together; by default
        those that all of them have. With an empty one, each partition belongs to all of the other
        inputs.
    format
        ``parquet``, ``delta`` or ``iceberg``; by default that of the existing output, or else
        Parquet.
    commit_every
        Interval in seconds for committing finished units to Delta and Iceberg.
    threads
        Number of units processed in parallel.
    prune
        Remove output units that are gone from the inputs.
    dry_run
        Only report what would be done.
    check
        ``stat``: a file has changed if its size or time has (ETag in object stores, names in Delta
        and Iceberg); ``content``: if its contents have, which is slower to check.
    label
        A name of the run, such as that of a branch: views show it, and later runs can be compared
        with it.
    progress
        Called with the numbers of finished units, of all units, and of rows written.
    engine
        ``local``: units are processed in this process; ``spark``: by workers of the Spark server in
        ``SPARK_REMOTE``, or else of Sail or Spark on this machine. Workers read and write files,
        which are committed here. In Python, also a Spark session.

    Raises
    ------
    InputError
        If a value is invalid.

    Examples
    --------
    >>> from alignframe.lake import How
    >>> How(threads=4, prune=True).check
    'stat'
    """

    on: ForInput[Sequence[str] | None] = None
    format: str = ""
    commit_every: Rare[NotNegative] = COMMIT_SECONDS
    threads: ForOutput[FromOne] = 1
    prune: Rare[bool] = False
    dry_run: ForOutput[bool] = False
    check: Rare[str] = limited("stat", choices=CHECKS)
    label: ForOutput[str] = ""
    progress: Callable[[int, int, int], None] | None = None
    engine: ForOutput[Any] = "local"

    @classmethod
    def of(cls, function: Callable[..., object], given: JobOptions) -> How:
        """Return what is given to a job's function as further keywords."""
        check_keywords(function, given, JobOptions.__annotations__)
        return cls(**given)

    def __post_init__(self) -> None:
        if isinstance(self.engine, str) and self.engine not in LAKE_ENGINES:
            raise unknown_name("`engine`", self.engine, LAKE_ENGINES)
        if self.format and self.format not in LAKE_FORMATS:
            raise unknown_name("`format`", self.format, LAKE_FORMATS)
        if not self.label.isprintable() or self.label in BASELINES:
            words = f"a line of text other than {' and '.join(BASELINES)}"
            raise InputError(f"`label` is {self.label!r}", expected=words)
        super().__post_init__()


@dataclass
class Task:
    """A unit, the planned action with its reason, and the outcome.

    ``removed`` is the day of the run that first missed its partition of the first input. If files
    are checked by content, ``stat`` has what they are checked by otherwise. ``contents`` tells what
    it is counted against, by which later runs are comparable.
    """

    keys: Keys
    status: str
    why: str
    unit: Unit | None = None
    stamps: Mapping[str, str] = field(default_factory=dict)
    stat: Mapping[str, str] | None = None
    contents: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0
    seconds: float = 0.0
    error: str = ""
    warned: list[str] = field(default_factory=list)
    removed: str = ""

    def fail(self, error: BaseException) -> None:
        """Record an error, without secrets."""
        said = str(error).splitlines() or [type(error).__name__]
        self.status, self.error = "failed", redacted(said[0])
        if self.unit is not None and self.unit.extra and "more than once" in said[0]:
            _, *others = self.unit.inputs
            keys = ", ".join(self.unit.extra)
            self.error += (
                f"; all folders of {keys} are one unit, as {', '.join(others)} lacks {keys}"
            )


@dataclass(frozen=True)
class Work:
    """A unit to process, with all that a worker needs for it."""

    job: Job
    output: Output
    task: Task
    settings: Settings


def plan(
    job: Job,
    sources: Sequence[Source],
    output: Output,
    live: Mapping[Keys, Written],
    signature: str,
    settings: Mapping[str, object],
    how: How,
) -> list[Task]:
    """Return the planned tasks, one per unit."""
    _check_own(job, sources, output, live)
    tasks = []
    for unit in units_of(sources, how.on, whole=job.whole):
        lacking = [source.what for source in sources[1:] if unit.inputs[source.what] is None]
        task = Task(unit.keys, "to do", "new", unit)
        tasks.append(task)
        if lacking:
            task.status = "failed"
            task.error = _no_partner(unit, sources, lacking[0])
            # It was counted before, so its partner is gone; the counts stay.
            task.why = REMOVED if unit.keys in live else task.why
            continue
        try:
            task.stamps = stamp_of(signature, unit, sources, settings)
            if how.check == CONTENT:
                task.stat = marks_by_input(unit, sources, content=False)
        except FAILURES as error:
            task.fail(error)
            continue
        stamp, had = task.stamps[STAMP], live.get(unit.keys)
        changed = had is None or had.stamp != stamp
        notes = {} if had is None or not (changed or unit.is_absent) else output.notes(had)
        names = _changed(task, unit, sources, notes, signature, settings) if changed else []
        if had is not None and (not changed or (STAMP in notes and not names)):
            task.status, task.why = "skipped", "unchanged"
        if had is not None and (changed or unit.is_absent):
            _explain(task, unit, notes, names)
        if task.status == "skipped":
            continue
        # An interrupted run may have written the file and not committed it.
        if output.adopted(unit.keys, stamp) is not None:
            task.status, task.why = "to adopt", "written by a run that did not commit it"
            continue
        try:
            if how.dry_run:
                # A dry run opens the files, so that it finds what a run would fail on.
                unit.check()
            elif job.measure:
                task.contents = contents_by_input(unit, sources)
        except FAILURES as error:
            task.fail(error)
    known = {task.keys for task in tasks}
    # What is left are units whose partition of the first input is gone.
    for keys in live:
        if keys not in known:
            todo = "to prune" if how.prune else "left over"
            tasks.append(Task(keys, todo, REMOVED))
    if not tasks:
        raise InputError("has no rows", path=sources[0].given, expected="at least one file of rows")
    return tasks


def _check_own(
    job: Job, sources: Sequence[Source], output: Output, live: Mapping[Keys, Written]
) -> None:
    """Refuse the output of another job, judged by its first intact file, and files of an input."""
    # The first that tells: footers are read one by one, and only until then.
    others = (output.notes(file).get("job") for file in live.values())
    other = next((name for name in others if name is not None), job.name)
    if other != job.name:
        raise InputError(
            f"has the output of lake {other}",
            path=output.name,
            expected="a separate place for each job's output",
        )
    own = {output.folder.full(file.path) for file in live.values()}
    names = {path.rpartition("/")[2] for path in own}
    # Inputs may reach the output by a link.
    real = {os.path.realpath(path) for path in own} if output.folder.filesystem is None else own
    for source in sources:
        for file in source.files.files() if source.files is not None else ():
            # Names are compared first: resolving each link of a large lake is slow.
            if file.path.rpartition("/")[2] in names and (
                file.path in own or os.path.realpath(file.path) in real
            ):
                raise InputError(
                    f"is an input of the job, {source.what}",
                    path=file.path,
                    expected="a separate place for its output",
                )


def _no_partner(unit: Unit, sources: Sequence[Source], what: str) -> str:
    source = next(source for source in sources if source.what == what)
    names = [name for name, _ in unit.matched]
    values = sorted(source.values(names), key=str)
    shown = ", ".join("/".join(f"{value}" for value in given) for given in values[:10])
    return str(
        InputError(
            f"{what} has nothing for {unit_name(unit.matched)}",
            path=source.given,
            expected=f"one of {shown}" if shown else "rows",
            todo="name the keys that they share (`on`, empty for none)",
        )
    )


def is_absent(notes: Mapping[str, str]) -> bool:
    """Whether a file was written without a partition of the first input."""
    return next(iter(json.loads(notes.get("made_of", "{}")).values()), None) == ""


def counted_empty(what: str, removed: str) -> str:
    """Return the warning about a unit without a partition of the first input."""
    gone = f"removed from {what} (noticed on {removed})" if removed else f"not in {what}"
    return f"{gone}, so it is scored as empty"


def _changed(
    task: Task,
    unit: Unit,
    sources: Sequence[Source],
    had: Mapping[str, str],
    signature: str,
    settings: Mapping[str, object],
) -> list[str]:
    """Return what differs from what a unit's file was made of; nothing if it is known not to."""
    before = json.loads(had.get("made_of", "{}"))
    check = settings["check"]
    # Earlier versions noted the check only in the digest of the settings.
    other = settings_digest(signature, {**settings, "check": STAT if check == CONTENT else CONTENT})
    was_other = had.get("check", check) != check or before.get("settings") == other
    if not was_other:
        names = [name for name in task.stamps if before.get(name) != task.stamps[name]]
        return [name for name in names if name != STAMP] or ["nothing"]
    # What the two checks look at cannot be compared, but files are always checked by time, too.
    known = before if check == CONTENT else json.loads(had.get("stat", "{}"))
    now = marks_by_input(unit, sources, content=False) if task.stat is None else task.stat
    names = [name for name in now if name in known and known[name] != now[name]]
    names += ["settings"] * (before.get("settings") != other)
    # Equal times do not tell that contents are equal to someone who asks for the contents.
    same = known.keys() >= now.keys() and (check == STAT or all(one.is_fixed for one in sources))
    return names or ([] if same else ["check"])


def _explain(task: Task, unit: Unit, had: Mapping[str, str], names: Sequence[str]) -> None:
    """Note why a unit must be redone, or counts as empty."""
    if STAMP not in had:
        task.why = "its output is damaged"
    elif unit.is_absent and (had.get(REMOVED) or not is_absent(had)):
        task.removed = had.get(REMOVED) or f"{datetime.now(UTC):%Y-%m-%d}"
        task.why = REMOVED
    elif task.status != "skipped":
        task.why = f"{' and '.join(names)} changed"
