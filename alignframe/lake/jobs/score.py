"""Counts of links against gold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import pyarrow as pa

from alignframe.core.schemas import LINKS as LINK_LISTS
from alignframe.core.signatures import DROPPED
from alignframe.errors import InputError
from alignframe.lake.counting import counting
from alignframe.lake.job import Settings
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.work import Run, run
from alignframe.options import checked
from alignframe.stats.link_measure import links_measure
from alignframe.stats.measure import Measure
from alignframe.typing import FilePath, Rare

if TYPE_CHECKING:
    from alignframe.stats.task import Task


@checked
def score(
    hyp: FilePath,
    gold: FilePath,
    out: FilePath,
    *,
    text: FilePath | None = None,
    possible_as_sure: Rare[bool] = False,
    strict: Rare[bool] = False,
    drop_outside: Rare[bool] = False,
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
    text
        A place with the text (sid, src and tgt) and the keys of gold; links outside their sentence
        pair are then an error.
    possible_as_sure, strict, drop_outside
        See ``alignframe.links.score``.
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
    The sum over all units equals the counts of ``links.score``.

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
    if drop_outside:
        if text is None:
            raise InputError("`drop_outside` needs `text`")
        settings["drop_outside"] = True
    inputs = {"hyp": hyp, "gold": gold} | ({} if text is None else {"text": text})
    return run(JOB, inputs, out, settings, How.of(score, how))


def _task() -> Task:
    from alignframe.links.scoring import LINKS

    return LINKS


def _measure(settings: Settings) -> Measure:
    measure = links_measure(
        settings.get("alpha", (0.5,)), possible_as_sure=settings["possible_as_sure"]
    )
    if not settings.get("drop_outside"):
        return measure
    return replace(measure, choices=(*measure.choices, DROPPED))


JOB = counting(
    "score",
    _task,
    _measure,
    empty=pa.schema([("sid", pa.int64()), ("links", LINK_LISTS)]),
    shown=(("n_hyp", "links"),),
    optional=("text",),
)
