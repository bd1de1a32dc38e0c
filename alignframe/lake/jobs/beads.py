"""Counts of beads against gold, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import pyarrow as pa

from alignframe.core.choices import ONE_SIDED
from alignframe.core.schemas import SPANS
from alignframe.errors import check_known
from alignframe.lake.counting import counting
from alignframe.lake.job import Settings
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.work import Run, run
from alignframe.stats.measure import Measure
from alignframe.typing import FilePath

if TYPE_CHECKING:
    from alignframe.stats.task import Task


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
    hyp
        A place with beads (see ``score`` and ``alignframe.beads.score``). A partition is held in
        memory.
    gold
        Gold beads: a place, or a file of any format.
    out, how
        See ``alignframe.lake.score``.
    one_sided
        See ``alignframe.beads.score``.

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


def _task() -> Task:
    from alignframe.beads.score import BEADS

    return BEADS


def _measure(settings: Settings) -> Measure:
    from alignframe.beads.measure import beads_measure

    return beads_measure(settings["one_sided"])


JOB = counting(
    "beads",
    _task,
    _measure,
    empty=pa.schema([("doc", pa.string()), *((name, pa.int64()) for name in SPANS)]),
    resampled="doc",
    shown=(("sentences", "documents"),),
)
