"""Processing units on Spark workers, each as a job with one task.

Only the unit's description is sent: the worker reads the inputs and writes the output file, which
the driver commits like a local one.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.lake.jobs import Job
from alignframe.lake.plan import Task
from alignframe.stores import Output
from alignframe.stores.output import Written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def on_spark(engine: SparkSession | str) -> Callable[..., Written | None]:
    """Return a function that processes a unit on a worker of a session."""
    from alignframe.engines.spark import session

    used = session() if isinstance(engine, str) else engine

    def work_on(
        job: Job,
        output: Output,
        task: Task,
        settings: Mapping[str, Any],
        counted: Callable[[int], None],
    ) -> Written | None:
        from pyspark import cloudpickle  # which can pickle functions defined in a notebook
        from pyspark.errors import PySparkException

        try:
            sent = cloudpickle.dumps((job, output, task, dict(settings)))
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise InputError(
                f"a unit that cannot be sent to workers ({error})", todo="use the local engine"
            ) from error
        frame = used.createDataFrame(pa.table({"sent": pa.array([sent], pa.binary())}))
        try:
            ((found,),) = frame.mapInArrow(perform, "found binary").collect()
        except PySparkException as error:
            task.fail(error)
            return None
        written, done = pickle.loads(bytes(found))  # noqa: S301 - what a worker of ours made
        for name in ("status", "rows", "seconds", "error", "warned"):
            setattr(task, name, getattr(done, name))
        counted(task.rows)
        return written  # type: ignore[no-any-return]

    return work_on


def perform(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Process the units in batches, on a worker."""
    from alignframe.lake.work import warnings_kept, work_on

    for batch in batches:
        results = []
        for sent in batch.column(0).to_pylist():
            job, output, task, settings = pickle.loads(sent)  # noqa: S301 - sent by the driver
            with warnings_kept():
                written = work_on(job, output, task, settings, lambda _: None)
            results.append(pickle.dumps((written, task)))
        yield pa.record_batch({"found": pa.array(results, pa.binary())})
