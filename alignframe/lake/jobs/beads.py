"""Counts of beads against gold, document by document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import polars as pl
import pyarrow as pa

from alignframe.beads.measure import beads_measure
from alignframe.beads.score import counts
from alignframe.core.arrow import to_table
from alignframe.core.choices import ONE_SIDED
from alignframe.errors import check_known
from alignframe.lake.job import Job, Settings
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import SYSTEM, Unit
from alignframe.lake.work import Run, run
from alignframe.read.parquet import ParquetFiles
from alignframe.stats.measure import Measure
from alignframe.typing import FilePath


def beads(
    hyp: FilePath,
    gold: FilePath,
    out: FilePath,
    *,
    one_sided: str = "precision",
    **how: Unpack[JobOptions],
) -> Run:
    """Count the beads of a lake against gold, document by document.

    Parameters
    ----------
    hyp, gold
        Places with beads (see ``score`` and ``alignframe.beads.counts``). A partition is held in
        memory.
    out, how
        See ``alignframe.lake.score``.
    one_sided
        See ``alignframe.beads.counts``.

    Returns
    -------
    Run
        See ``alignframe.lake.score``.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read_beads("datasets/mill/mill.beads"), "beads.parquet")
    >>> run = lake.beads("beads.parquet", "beads.parquet", "counts")
    >>> lake.scores("counts")["strict_f"].to_list()
    [1.0]
    """
    check_known("`one_sided`", one_sided, ONE_SIDED)
    return run(JOB, {"hyp": hyp, "gold": gold}, out, {"one_sided": one_sided}, How.of(beads, how))


def _rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of the beads of each document of a unit."""
    gold, hyp = (_frame(unit, what) for what in ("gold", "hyp"))
    if isinstance(hyp, pl.DataFrame) and unit.system is not None:
        hyp = hyp.drop(SYSTEM, strict=False)
    named = hyp if unit.system is None else {unit.system: hyp}
    table = counts(named, gold, one_sided=settings["one_sided"])
    # Every row would have it; the footer of the file has it once.
    yield table.drop("signature").to_arrow()


def _frame(unit: Unit, what: str) -> pl.DataFrame | str:
    """Return an input of a unit in memory, without partition keys; or its path."""
    given = unit.inputs[what]
    if not isinstance(given, ParquetFiles):
        # A system without a partition that gold has: all of its beads are missed.
        empty = dict.fromkeys(("src_start", "src_end", "tgt_start", "tgt_end"), pl.Int64)
        return pl.DataFrame(schema={"doc": pl.String, **empty}) if given is None else given
    # The document may be a key of the lake, and is still what beads are counted by.
    keys = {name for name, _ in unit.keys} - {"doc"}
    return pl.DataFrame(to_table(given)).drop(keys, strict=False)


def _measure(settings: Settings) -> Measure:
    """Return the measure of the counts."""
    return beads_measure(settings["one_sided"])


JOB = Job(
    "beads",
    "counts",
    ("hyp", "gold"),
    _rows,
    _measure,
    whole=True,
    resampled="doc",
    shown=(("sentences", "documents"),),
)
