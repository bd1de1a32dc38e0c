"""Jobs as functions: each brings the output up to date with the inputs, unit by unit."""

from __future__ import annotations

from os import PathLike
from typing import Any

from alignframe.lake.jobs import job_of
from alignframe.lake.work import How, Run, run
from alignframe.parquet import ParquetFiles
from alignframe.typing import FilePath


def open(place: str | PathLike[str]) -> ParquetFiles:  # noqa: A001 - called as lake.open
    """Open a place that holds a table.

    Parameters
    ----------
    place
        A Parquet file, a glob, a folder (hive-partitioned or a Delta table),
        ``iceberg:CATALOG.namespace.table``, or one of these in an object store, ``s3://...``.

    Returns
    -------
    ParquetFiles
        It has ``version``, ``schema``, ``units()`` (the partitions), ``files(keys)`` and
        ``reader(keys, columns)``, a stream of Arrow batches.

    Raises
    ------
    InputError
        If nothing is there.
    MissingExtraError
        If the library of Delta or Iceberg is not installed.
    """
    return ParquetFiles(place)


def score(
    hyp: FilePath,
    gold: FilePath,
    out: FilePath,
    *,
    possible_as_sure: bool = False,
    strict: bool = False,
    **how: Any,
) -> Run:
    """Count the links of a lake against gold, partition by partition, where that is not done yet.

    Parameters
    ----------
    hyp
        A place of links, partitioned by ``system`` and perhaps by other keys.
    gold
        Gold links: a place, or a file of any format. Where it knows keys of ``hyp``, as partitions
        or as columns, each partition is counted against its own gold.
    out
        The place of the counts: a folder, ``iceberg:CATALOG.namespace.table`` or ``s3://...``.
    possible_as_sure, strict
        See ``alignframe.links.counts``.
    how
        The fields of ``How``: on, format, commit_every, threads, prune, dry_run, check, progress.

    Returns
    -------
    Run
        What was done with each unit. ``lake.scores`` makes scores of the counts.

    Raises
    ------
    InputError
        If an input or the output cannot be used at all. What is wrong with a single partition is in
        the result; the others are finished.

    Notes
    -----
    A sentence of gold that a system lacks counts as empty, also where a system lacks a whole
    partition. A sum over all units is what ``links.scores`` counts.
    """
    settings = {"possible_as_sure": possible_as_sure, "strict": strict}
    return run(job_of("score"), {"hyp": hyp, "gold": gold}, out, settings, How(**how))
