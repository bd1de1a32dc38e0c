"""Processing a unit: here, on Spark workers (each as a job with one task), or in a process.

Elsewhere, only the unit's description is sent: the worker reads the inputs and writes the output
file, which the driver commits like a local one.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from alignframe.errors import DataWarning, InputError
from alignframe.lake.plan import FAILURES, Task, Work
from alignframe.lake.writing import Notes, write_unit
from alignframe.stores.folder import Folder
from alignframe.stores.output import Written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CRASHED = "reading its files ends the process"


def work_on(work: Work, counted: Callable[[int], None]) -> Written | None:
    """Process a unit; return None if it failed."""
    begun = time.monotonic()
    job, task, settings = work.job, work.task, work.settings
    _CURRENT.task = task
    unit = task.unit
    if unit is None:
        raise AssertionError
    signature = job.signature(settings)
    notes = Notes(
        job.name,
        task.stamps,
        task.stat,
        task.contents,
        {**settings},
        signature,
        task.removed,
        task.warned,
    )
    try:
        unit.check()
        measure = job.measure(settings) if job.measure else None
        written = write_unit(work.output, unit, job.rows(unit, settings), notes, measure, counted)
        task.rows = notes.rows
    except FAILURES as error:
        task.fail(error)
        return None
    finally:
        task.seconds = round(time.monotonic() - begun, 3)
        _CURRENT.task = None
        # Arrow's footers are cycles of few objects with much memory, which is reused if it is free
        # before the next unit: otherwise memory grows with the number of units.
        gc.collect(1)
    task.status = "done"
    return written


def engine_of(engine: SparkSession | str) -> Callable[..., Written | None]:
    """Return the function that processes a unit: here, or on a worker of a Spark session."""
    if isinstance(engine, str) and engine == "local":
        return work_on
    from alignframe.engines.spark import session

    used = session() if isinstance(engine, str) else engine

    def sent_on(work: Work, counted: Callable[[int], None]) -> Written | None:
        from pyspark import cloudpickle  # which can pickle functions defined in a notebook
        from pyspark.errors import PySparkException

        try:
            sent = cloudpickle.dumps(work)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise InputError(
                f"a unit that cannot be sent to workers ({error})", todo="use the local engine"
            ) from error
        frame = used.createDataFrame(pa.table({"sent": pa.array([sent], pa.binary())}))
        try:
            ((outcome,),) = frame.mapInArrow(perform, "found binary").collect()
        except PySparkException as error:
            work.task.fail(error)
            return None
        written = _received(work.task, bytes(outcome))
        counted(work.task.rows)
        return written

    return sent_on


def perform(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Process the units in batches, on a worker."""
    for batch in batches:
        results = [_performed(sent) for sent in batch.column(0).to_pylist()]
        yield pa.record_batch({"found": pa.array(results, pa.binary())})


def _performed(sent: bytes) -> bytes:
    work = pickle.loads(sent)  # noqa: S301 - sent by the driver
    with warnings_kept():
        written = work_on(work, lambda _: None)
    return pickle.dumps((written, work.task))


def _received(task: Task, outcome: bytes) -> Written | None:
    written, done = pickle.loads(outcome)  # noqa: S301 - what a worker of ours made
    for name in ("status", "rows", "seconds", "error", "warned"):
        setattr(task, name, getattr(done, name))
    return written  # type: ignore[no-any-return]


def work_alone(work: Work, counted: Callable[[int], None]) -> Written | None:
    """Process a unit in a process of its own, which reading its files may end."""
    try:
        sent = pickle.dumps(work)
    except (pickle.PicklingError, TypeError, AttributeError):  # a function defined elsewhere
        return work_on(work, counted)
    words = [sys.executable, "-c", "from alignframe.lake.workers import answer; answer()"]
    # The function of a job may lie where only this process looks for modules.
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=paths) as made:  # noqa: S603 - itself
        try:
            answered, _ = made.communicate(sent)
        except BaseException:  # a signal
            made.kill()
            made.wait()
            work.output.folder.sweep()
            raise
    if made.returncode < 0:
        name = signal.Signals(-made.returncode).name
        work.task.fail(InputError(f"{CRASHED} ({name})", todo="write the files of the unit again"))
        return None
    # It failed by an error of Python, not by a signal: here, that error is told as any other is.
    if made.returncode:
        return work_on(work, counted)
    written = _received(work.task, answered)
    counted(work.task.rows)
    return written


def answer() -> None:
    """Process the unit on standard input, in a process of its own."""
    sys.stdout.buffer.write(_performed(sys.stdin.buffer.read()))


@contextlib.contextmanager
def crash_noted(folder: Folder, tasks: Sequence[Task]) -> Iterator[bool]:
    """Note a crash of this process in a local folder; the value is whether the last run crashed.

    Units that end processes count as a crash, too, so that the next run begins with them alone.
    """
    path = Path(folder.full("_alignframe/crash"))
    # faulthandler has one file in all: that of whoever enabled it before is left to them.
    if folder.filesystem is not None or faulthandler.is_enabled():
        yield False
        return
    crashed = path.exists() and path.stat().st_size > 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError:  # a full disk: each unit tells of it
        yield crashed
        return
    with file:
        faulthandler.enable(file)
        try:
            yield crashed
        finally:
            faulthandler.disable()
            again = [task.error for task in tasks if CRASHED in task.error]
            # A file that is not empty is what the next run goes by.
            file.writelines(again)
    if not again:
        path.unlink(missing_ok=True)


_CURRENT = threading.local()
_KEEPING = threading.Lock()
_KEEPERS: list[contextlib.ExitStack] = []


@contextlib.contextmanager
def warnings_kept() -> Iterator[None]:
    """Attach the warnings of each thread to its task.

    A Spark worker may be a thread of this process; then the first one handles all warnings.
    """

    def keep(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        task = getattr(_CURRENT, "task", None)
        if task is not None and issubclass(category, DataWarning):
            task.warned.append(str(message))

    with _KEEPING:
        stack = contextlib.ExitStack()
        if not _KEEPERS:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("always", DataWarning)
            warnings.showwarning = keep
        _KEEPERS.append(stack)
    try:
        yield
    finally:
        with _KEEPING:
            _KEEPERS.remove(stack)
            if _KEEPERS:
                # This stack may hold the former filters of the process, which whoever leaves last
                # restores.
                _KEEPERS[0].push(stack.pop_all())
            stack.close()
