"""Counting jobs, each declared by the task of its area and the names of its inputs.

How a unit is counted follows from the task. One that streams is given the places; one of sentences
is given them batch by batch, with the rows of the other input beside them; any other, such as of
documents, is given the whole partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from alignframe.core.arrow import to_table
from alignframe.core.keys import check_distinct
from alignframe.errors import InputError, in_file, number_of
from alignframe.lake.job import Job, Settings
from alignframe.lake.units import SYSTEM, Unit
from alignframe.read.parquet import ParquetFiles
from alignframe.stats.measure import Measure

if TYPE_CHECKING:
    from alignframe.core.arrays import I64
    from alignframe.stats.task import Task


def counting(
    name: str,
    task: Callable[[], Task],
    measure: Callable[[Settings], Measure],
    inputs: tuple[str, str] = ("hyp", "gold"),
    *,
    empty: pa.Schema | None = None,
    resampled: str = "sid",
    shown: tuple[tuple[str, str], ...] = (),
    optional: tuple[str, ...] = (),
) -> Job:
    """Return the job that counts the units of its first input against the second.

    ``task`` returns the task, which takes the settings as options: it is imported where units are
    counted, as its kernels are not needed to skip them. ``empty`` has the columns of a system that
    lacks a partition; without, such systems have no counts. An ``optional`` input is the text of a
    task that streams. The others are fields of ``Job``.
    """
    rows, whole = partial(_rows, task, empty), empty is not None
    return Job(
        name,
        "counts",
        inputs,
        rows,
        measure,
        whole=whole,
        resampled=resampled,
        shown=shown,
        optional=optional,
    )


def _rows(
    task_of: Callable[[], Task], empty: pa.Schema | None, unit: Unit, settings: Settings
) -> Iterator[pa.Table]:
    """Yield the counts of a unit."""
    task = task_of()
    first, second, *others = unit.inputs.values()
    if task.stream is not None:
        by = () if first is None else unit.extra
        text = {"bitext": others[0]} if others else {}
        yield from task.stream(_named(unit, first, empty), second, by=by, **text, **settings)
        return

    def counts(hyp: object, gold: object) -> pl.DataFrame:
        # Every row would have the signature; the footer of the file has it once.
        return task.counts(hyp, gold, **settings).drop("signature")

    if task.unit == "sid":
        yield from beside(unit, counts)
        return
    # What is counted may be a key of the lake.
    keys = {key for key, _ in unit.keys} - {task.unit}
    first, second = (_held(given, keys) for given in (first, second))
    yield counts(_named(unit, first, empty), second).to_arrow()


def _named(unit: Unit, given: object, empty: pa.Schema | None) -> Any:
    """Return a first input by its system, if that is a key."""
    if given is None and empty is not None:
        given = empty.empty_table()
    return given if unit.system is None else {unit.system: given}


def _held(given: object, keys: set[str]) -> object:
    """Return a partition in memory, without keys; what is not of Parquet as it is."""
    if not isinstance(given, ParquetFiles):
        return given
    return pl.DataFrame(to_table(given)).drop(keys, strict=False)


def beside(
    unit: Unit, counts: Callable[[Mapping[str, pl.DataFrame], pl.DataFrame], pl.DataFrame]
) -> Iterator[pa.Table]:
    """Yield the counts of each batch of a unit's sentences, with the others' rows beside them."""
    from alignframe.lake.companions import Beside, texts

    (_, first), (what, second) = unit.inputs.items()
    other = Beside(second, what)
    sids: dict[str, list[I64]] = {}
    for system, frame in texts(first, unit.system):
        sids.setdefault(system, []).append(frame["sid"].to_numpy())
        yield counts({system: frame}, other.of(sids[system][-1])).to_arrow()
    matched = {name for name, _ in unit.matched} | {SYSTEM}
    for system, parts in sids.items():
        with in_file(first.name):
            check_distinct(parts, system)
        size = sum(part.size for part in parts)
        # A partition by a key that the references lack has only some of their sentences.
        if {name for name, _ in unit.keys} <= matched and size != other.rows:
            raise InputError(
                f"{system} has {number_of(size, 'sentence')}, {what} {other.rows:,}",
                expected="the same sentences in both",
            )
    if not sids:
        raise InputError("has no translations", path=first.name)
