"""Resumable, incremental jobs over partitioned tables, in bounded memory.

A job such as ``score`` processes the partitions of a place and writes a file for each: to a folder
of Parquet, a Delta or an Iceberg table, locally or in an object store. Finished partitions are
skipped, and a killed job resumes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.core.choices import LAKE_JOBS
from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.lake.applied import apply
    from alignframe.lake.jobs.align import align
    from alignframe.lake.jobs.beads import beads
    from alignframe.lake.jobs.phrases import phrases
    from alignframe.lake.jobs.score import score
    from alignframe.lake.jobs.symmetrize import symmetrize
    from alignframe.lake.jobs.tesla import tesla
    from alignframe.lake.over_time import History, history
    from alignframe.lake.plan import How
    from alignframe.lake.results import compare, scores
    from alignframe.lake.state import Status, runs, status
    from alignframe.lake.units import open  # noqa: A004 - as in tarfile.open
    from alignframe.lake.work import Run

__all__ = [
    "History",
    "How",
    "Run",
    "Status",
    "align",
    "apply",
    "beads",
    "compare",
    "history",
    "open",
    "phrases",
    "runs",
    "score",
    "scores",
    "status",
    "symmetrize",
    "tesla",
]

__getattr__, __dir__ = lazily(
    __name__,
    {name: f"lake.jobs.{name}" for name in LAKE_JOBS}
    | dict.fromkeys(("compare", "scores"), "lake.results")
    | dict.fromkeys(("Status", "runs", "status"), "lake.state")
    | dict.fromkeys(("History", "history"), "lake.over_time")
    | {"apply": "lake.applied", "How": "lake.plan", "Run": "lake.work", "open": "lake.units"},
)
