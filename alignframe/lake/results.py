"""Scores and comparisons from the counts of a job."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import fspath
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from alignframe.core.choices import TEST_RESAMPLES
from alignframe.errors import InputError, check_known, number_of, warn
from alignframe.lake.applied import Made, output_of
from alignframe.lake.cautions import Footers, cautions, footers_of, warn_of
from alignframe.lake.dates import dates_of, matched_of, telling
from alignframe.lake.job import Job
from alignframe.lake.records import APPLY
from alignframe.lake.units import SYSTEM, unit_name
from alignframe.lake.writing import SENTENCES
from alignframe.options import checked
from alignframe.read.parquet import ParquetFiles
from alignframe.stats.bootstrap import MAX_UNITS, Resampling, drawn_as, unit_of
from alignframe.stats.count_tables import summable
from alignframe.stats.differences import check_even, group_name
from alignframe.stats.measure import Measure, keys_of
from alignframe.stats.task import Counted
from alignframe.stores import Output
from alignframe.stores.output import STAMP
from alignframe.typing import Confidence, FilePath, Rare, Resamples, Seed, Share

_UNIT = "_alignframe_unit"


@checked
def scores(
    out: FilePath,
    *,
    by: Sequence[str] | str = (),
    alpha: Sequence[Share] = (0.5,),
    measure: Measure | None = None,
    unit: Rare[str | None] = None,
    bootstrap: Resamples = 0,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
) -> pl.DataFrame:
    """Score systems from the counts of a job, or of any table with a measure.

    Parameters
    ----------
    out
        The output of a counting job; or the file of a table, as ``Measure.scores`` takes it.
    by
        Columns to group by besides the system: partition keys or columns of the counts.
    alpha
        Weights of precision in F, for links.
    measure
        Another measure of the same counts; by default the job's.
    unit
        For a table, the column of the unit of resampling, sid by default.
    bootstrap
        Number of resamples of units for intervals; 0 for none.
    confidence, seed
        See ``alignframe.links.score``.

    Returns
    -------
    polars.DataFrame
        One row per system and group, as from the function that scores the same data directly, such
        as ``links.score``.

    Raises
    ------
    InputError
        If there are no counts of a job, or there is no such column.

    Notes
    -----
    Scores by partition keys without intervals are read only from file footers.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> lake.scores("counts").select("sentences", "links").rows()
    [(72, 1282)]
    """
    # A table of counts that no job has written.
    if measure is not None and Path(out).is_file():
        unit = unit or "sid"
        return measure.scores(
            out, by=by, unit=unit, bootstrap=bootstrap, confidence=confidence, seed=seed
        )
    names = keys_of(by)
    counted = _counted(out, unit)
    made, job, sums = counted.made, counted.made.job, counted.sums
    drawn = Resampling(bootstrap, confidence, seed, of=drawn_as(job.resampled))
    keys = counted.keys
    if not keys.issuperset(names):
        # Other columns may be groups too, such as doc; counts may not.
        _check_groups(names, ParquetFiles(out), job, keys, {*sums.columns} - keys)
    shown = job.shown if measure is None else ()
    measure = measure or _measure_of(made, alpha)
    # Footers have sums by system only: resampling and other groups read the files.
    if drawn.resamples or not {*names, *measure.counts} <= set(sums.columns):
        sums = _by_group(counted, measure, names, job.resampled if drawn.resamples else "")
    also = list(dict.fromkeys([SENTENCES, *(count for count, _ in shown)]))
    scored = measure.scored(sums, names, unit=_UNIT, resampling=drawn, also=also)
    _warn_of_unlike(scored, names)
    warn_of(cautions(counted.footers, made))
    return scored.rename(dict(shown))


@checked
def compare(
    out: FilePath,
    *,
    baseline: str,
    by: Sequence[str] | str = (),
    alpha: Sequence[Share] = (0.5,),
    measure: Measure | None = None,
    unit: Rare[str | None] = None,
    bootstrap: Resamples = TEST_RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap, from the counts of a job.

    Parameters
    ----------
    out, by, alpha, measure, unit
        See ``scores``.
    baseline
        The name of a system.
    bootstrap
        Number of resamples.
    confidence, seed
        See ``alignframe.links.score``.

    Returns
    -------
    polars.DataFrame
        One row per system, group and figure, as from ``Measure.compare``: p-values are corrected
        for the number of systems and groups together.

    Raises
    ------
    InputError
        If there are no counts of a job, or no such system, or systems differ in their units.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> for name in ("eager", "forward"):
    ...     formats.write(formats.read(f"datasets/en-fr/{name}.talp"), f"{name}.parquet")
    >>> run = lake.score("*.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> found = lake.compare("counts", baseline="forward", bootstrap=100)
    >>> found.filter(measure="aer").select("system", "baseline").rows()
    [('eager', 'forward')]
    """
    if measure is not None and Path(out).is_file():
        unit = unit or "sid"
        return measure.compare(
            out,
            baseline=baseline,
            by=by,
            unit=unit,
            bootstrap=bootstrap,
            confidence=confidence,
            seed=seed,
        )
    counted = _counted(out, unit)
    names, resampled = keys_of(by), counted.made.job.resampled
    measure = measure or _measure_of(counted.made, alpha)
    sums = _units(counted, measure, names, out)
    check_even(sums, names, resampled)
    _check_rows(sums, names)
    drawn = Resampling(bootstrap, confidence, seed, of=drawn_as(resampled))
    found = measure.differences(sums, baseline, unit=resampled, resampling=drawn, by=names)
    warn_of(cautions(counted.footers, counted.made))
    return found


def counts_of(
    out: FilePath, alpha: Sequence[float], measure: Measure | None, *, even: bool
) -> tuple[Counted, str]:
    """Return the counts of a job by system and unit of resampling, and the name of the unit.

    Systems must have the same rows if they are to be ``even``.
    """
    counted = _counted(out, None)
    measure = measure or _measure_of(counted.made, alpha)
    sums = _units(counted, measure, [], out)
    if even:
        _check_rows(sums, [])
    return Counted(sums, measure), counted.made.job.resampled


def measure_of(out: FilePath, alpha: Sequence[float]) -> Measure:
    """Return the measure of the counts of a job."""
    return _measure_of(output_of(fspath(out)), alpha)


def _units(
    counted: _Counted, measure: Measure, names: Sequence[str], out: FilePath
) -> pl.DataFrame:
    """Return the counts by group and unit of resampling, which has the name of its column."""
    job, keys = counted.made.job, counted.keys
    if job.resampled in names:
        raise InputError(f"resamples by {job.resampled}", expected="other groups, or none")
    if not keys.issuperset(names):
        _check_groups(names, ParquetFiles(out), job, keys, {*counted.sums.columns} - keys)
    return _by_group(counted, measure, names, job.resampled).rename({_UNIT: job.resampled})


class _Counted(NamedTuple):
    """The counts of a job: their sums by partition and system, and the names of the keys."""

    made: Made
    footers: Footers
    sums: pl.DataFrame
    keys: set[str]


def _counted(out: FilePath, unit: str | None) -> _Counted:
    """Return the counts of a job; refuse a place without them, or whose signatures differ."""
    if unit is not None:
        raise InputError("`unit` needs a table of counts, and `measure`")
    made = output_of(fspath(out), "for a table of counts, give `measure`" * Path(out).is_file())
    made.job.counted(out)
    footers = footers_of(made.output)
    sums, signatures, keys = _sums(made.output, footers)
    if not sums.height:
        raise InputError("no unit is finished", path=out)
    if len(signatures) > 1:
        raise InputError(
            f"units were counted in {len(signatures)} ways: {' and '.join(sorted(signatures))}",
            path=out,
            todo=f"run lake {made.job.name} again until it finishes",
        )
    return _Counted(made, footers, sums, keys)


def _measure_of(made: Made, alpha: Sequence[float]) -> Measure:
    """Return the measure of a job's counts."""
    return made.job.measured(made.output.name, made.last["settings"], alpha)


def _by_group(
    counted: _Counted, measure: Measure, names: Sequence[str], resampled: str
) -> pl.DataFrame:
    """Return the counts by group and unit of resampling, if any."""
    output, sums = counted.made.output, counted.sums
    # Each date has the same sentences.
    if dates := dates_of(counted.footers, output, counted.made.job):
        sums = sums.group_by({SYSTEM, *counted.keys} - {*dates}).agg(pl.col(SENTENCES).max())
    most = sums.group_by(SYSTEM).agg(pl.col(SENTENCES).sum())[SENTENCES].to_list()
    # Too many units would not fit in memory; they are then resampled in random groups.
    few = max(most) <= MAX_UNITS
    matched = matched_of([notes for _, notes in counted.footers])
    files = ParquetFiles(output.name)
    return _grouped(files, measure, names, resampled, few, matched)


def _check_rows(sums: pl.DataFrame, names: Sequence[str]) -> None:
    """Refuse systems that lack rows of others in a group, such as those of a date."""
    for group in sums.partition_by(names) if names else [sums]:
        sizes = group.group_by(SYSTEM).agg(pl.col(SENTENCES).sum()).sort(SENTENCES, SYSTEM)
        (system, least), (_, most) = sizes.row(0), sizes.row(-1)
        if least < most:
            where = f" of {group_name(group, names)}" * bool(names)
            raise InputError(
                f"the system {system!r} was counted on {number_of(least, 'row')}{where}, others on "
                f"{most:,}",
                expected="the same partitions of every system",
                todo="compare them in each of their partitions (`by`)",
            )


def _check_groups(
    names: Sequence[str], files: ParquetFiles, job: Job, keys: set[str], counts: set[str]
) -> None:
    """Refuse names that are neither keys nor other identifying columns."""
    known = [
        column.name
        for column in files.schema
        if column.name in keys
        or column.name == job.resampled
        or (
            column.name not in counts
            and not (job.name != APPLY and pa.types.is_primitive(column.type))
        )
    ]
    for name in names:
        check_known("column in `by`", name, known)


def _warn_of_unlike(scored: pl.DataFrame, names: Sequence[str]) -> None:
    """Warn if systems differ in their number of rows."""
    sizes = scored.group_by(names) if names else scored.group_by(pl.lit(0))
    ends = sizes.agg(low=pl.col(SENTENCES).min(), high=pl.col(SENTENCES).max())
    unlike = ends.filter(pl.col("low") < pl.col("high"))
    if unlike.height:
        warn(
            f"systems were counted on different numbers of rows ({unlike['low'][0]:,} to "
            f"{unlike['high'][0]:,}): their scores are not comparable"
        )


def _sums(output: Output, footers: Footers) -> tuple[pl.DataFrame, set[str], set[str]]:
    """Return the sums in all file footers, the signatures of counts, and the keys."""
    rows: list[dict[str, object]] = []
    signatures: set[str] = set()
    names: set[str] = set()
    for written, notes in footers:
        if STAMP not in notes:
            raise InputError(
                "the file is damaged",
                path=output.folder.full(written.path),
                todo="run the job again",
            )
        signatures.add(notes["signature"])
        names.update(name for name, _ in written.keys)
        for system, counts in json.loads(notes["sums"]).items():
            rows.append({**dict(written.keys), SYSTEM: system, **counts})
    return pl.DataFrame(rows, infer_schema_length=None), signatures, names


def _grouped(
    files: ParquetFiles,
    measure: Measure,
    names: Sequence[str],
    resampled: str,
    few: bool,
    matched: set[str] | None,
) -> pl.DataFrame:
    """Return the counts by group and unit of resampling, read file by file."""
    for name in measure.counts:
        check_known(f"count of the measure {measure.name}", name, files.schema.names)
    keys = [*names, SYSTEM]
    wanted = list(dict.fromkeys([*keys, *measure.counts, *([resampled] if resampled else [])]))
    totals = [pl.col(name).sum() for name in (*measure.counts, SENTENCES)]
    parts: list[pl.DataFrame] = []
    for unit in files.units():
        for batch in files.reader(unit, wanted):
            frame = summable(pl.DataFrame(pl.from_arrow(batch)), measure.counts)
            frame = frame.with_columns(pl.lit(1, pl.Int64).alias(SENTENCES))
            if resampled:
                frame = frame.with_columns(
                    _drawn_unit(frame[resampled], few, unit_name(telling(unit, matched)))
                )
            grouped = frame.group_by([*keys, *([_UNIT] if resampled else [])], maintain_order=True)
            parts.append(grouped.agg(totals))
    if not parts:
        raise InputError("there are no counts", path=files.name)
    whole = pl.concat(parts)
    if resampled and few:
        # Ranks are as good as the structs they stand for, and smaller.
        whole = whole.with_columns(pl.col(_UNIT).rank("dense").cast(pl.Int64))
    return whole.group_by([*keys, *([_UNIT] if resampled else [])], maintain_order=True).agg(totals)


def _drawn_unit(numbers: pl.Series, few: bool, unit: str) -> pl.Series:
    """Return each row's unit of resampling; many units form groups by a hash of their numbers."""
    if numbers.dtype.is_integer() and not few:
        return pl.Series(_UNIT, unit_of(numbers.to_numpy()))
    frame = pl.DataFrame({"number": numbers, "unit": [unit] * len(numbers)})
    return frame.select(pl.struct("number", "unit").alias(_UNIT)).to_series()
