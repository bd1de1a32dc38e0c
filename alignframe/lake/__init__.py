"""Resumable, incremental jobs over partitioned tables, in bounded memory.

A job such as ``score`` processes the partitions of a place and writes a file for each: to a folder
of Parquet, a Delta or an Iceberg table, locally or in an object store. Finished partitions are
skipped, and a killed job resumes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.public import lazily

if TYPE_CHECKING:
    from alignframe.lake.api import (
        align,
        beads,
        open,  # noqa: A004 - as in tarfile.open
        phrases,
        score,
        symmetrize,
        tesla,
    )
    from alignframe.lake.applied import apply
    from alignframe.lake.over_time import History, history
    from alignframe.lake.plan import How
    from alignframe.lake.results import Status, runs, scores, status
    from alignframe.lake.work import Run

__all__ = [
    "History",
    "How",
    "Run",
    "Status",
    "align",
    "apply",
    "beads",
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

__getattr__, _ = lazily(
    __name__,
    dict.fromkeys(("align", "beads", "open", "phrases", "score", "symmetrize", "tesla"), "lake.api")
    | dict.fromkeys(("Status", "runs", "scores", "status"), "lake.results")
    | dict.fromkeys(("History", "history"), "lake.over_time")
    | {"apply": "lake.applied", "How": "lake.plan", "Run": "lake.work"},
)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
