"""Counts of links against gold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Unpack

import pyarrow as pa

from alignframe.lake.job import Job, Settings
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import Unit
from alignframe.lake.work import Run, run
from alignframe.links.counts import UNIT, count_stream
from alignframe.links.inputs import gold_source, links_source
from alignframe.links.scores import links_measure
from alignframe.options import checked
from alignframe.read.parquet import ParquetFiles
from alignframe.sources.source import Source
from alignframe.stats.measure import Measure
from alignframe.typing import FilePath, Rare

_HELD_BYTES = 1 << 26
"""Gold of up to two partitions is kept in memory."""


@checked
def score(
    hyp: FilePath,
    gold: FilePath,
    out: FilePath,
    *,
    possible_as_sure: Rare[bool] = False,
    strict: Rare[bool] = False,
    **how: Unpack[JobOptions],
) -> Run:
    """Count the links of a lake against gold.

    Parameters
    ----------
    hyp
        A place with links, partitioned by ``system`` and optionally other keys.
    gold
        Gold links: a place, or a file of any format. If it has keys of ``hyp``, as partitions or as
        columns, each partition is counted against its own gold.
    out
        Where to write: a folder, ``iceberg:CATALOG.namespace.table`` or ``s3://...``.
    possible_as_sure, strict
        See ``alignframe.links.counts``.
    how
        The fields of ``lake.How``: on, format, commit_every, threads, prune, dry_run, check,
        progress, engine.

    Returns
    -------
    Run
        What was done with each unit. ``lake.scores`` computes scores from the counts.

    Raises
    ------
    InputError
        If an input or the output cannot be used at all. Errors of single partitions are in the
        result; the others are finished.

    Notes
    -----
    A gold sentence that a system lacks counts as empty, even if the system lacks a whole partition.
    The sum over all units equals the counts of ``links.scores``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats, lake
    >>> Path("hyp/system=eager").mkdir(parents=True)
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "hyp/system=eager/links.parquet")
    >>> run = lake.score("hyp", "datasets/en-fr/gold.talp", "counts")
    >>> run.units.select("unit", "status", "rows").rows()
    [('system=eager', 'done', 72)]
    """
    settings = {"possible_as_sure": possible_as_sure, "strict": strict}
    return run(JOB, {"hyp": hyp, "gold": gold}, out, settings, How.of(score, how))


def _rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of every gold sentence of a unit, for each system."""
    hyp = unit.inputs["hyp"]
    given = [] if hyp is None else [links_source(hyp, unit.system)]
    stream = count_stream(
        given,
        _gold(unit.inputs["gold"]),
        # Without links, there are no rows that could have further keys.
        by=unit.extra if given else (),
        possible_as_sure=settings["possible_as_sure"],
        strict=settings["strict"],
        systems=[] if unit.system is None else [unit.system],
    )
    for table in stream:
        yield table.drop_columns([UNIT])


def _gold(given: ParquetFiles | FilePath) -> Source:
    """Return gold, in memory if it is small, for reuse with other systems."""
    if isinstance(given, ParquetFiles) and (held := _held(given)) is not None:
        return links_source(held, name=given.name)
    return gold_source(given)


@lru_cache(maxsize=2)
def _held(files: ParquetFiles) -> pa.Table | None:
    given = gold_source(files)
    if given.is_long or files.unpacked_bytes() > _HELD_BYTES:
        return None
    batches = [batch.drop_columns(["system"]) for batch in given.batches(labels=True)]
    return pa.Table.from_batches(batches) if batches else None


def _measure(settings: Settings) -> Measure:
    """Return the measure of the counts."""
    return links_measure(
        settings.get("alpha", (0.5,)), possible_as_sure=settings["possible_as_sure"]
    )


JOB = Job(
    "score",
    "counts",
    ("hyp", "gold"),
    _rows,
    _measure,
    whole=True,
    shown=(("n_hyp", "links"),),
)
