"""The output of jobs: scores from counts, the state of units, and past runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path

import polars as pl
import pyarrow as pa

from alignframe.core.choices import OUTCOMES
from alignframe.core.figures import checked_alphas
from alignframe.errors import InputError, check_known, warn
from alignframe.lake.applied import Made, output_of
from alignframe.lake.ending import UNRECORDED, ending, left_undone
from alignframe.lake.job import Job
from alignframe.lake.plan import REMOVED, counted_empty, is_absent
from alignframe.lake.records import APPLY, unwritten
from alignframe.lake.units import SYSTEM, unit_name
from alignframe.lake.work import cautions_of
from alignframe.lake.writing import SENTENCES
from alignframe.options import checked
from alignframe.read.parquet import ParquetFiles
from alignframe.result import Result
from alignframe.stats.bootstrap import MAX_UNITS, Resampling, drawn_as, unit_of
from alignframe.stats.count_tables import summable
from alignframe.stats.measure import Measure, keys_of
from alignframe.stores import Keys, Output
from alignframe.stores.output import STAMP, Written
from alignframe.typing import Confidence, FilePath, Rare, Resamples, Row, Seed, Share

_UNIT = "_alignframe_unit"
_RUN = ("run", "job", "status", "units", *OUTCOMES, "rows")
_COST = ("seconds", "cpu", "peak_mb", "error")


@dataclass(frozen=True, repr=False)
class Status(Result):
    """The state of a job's output.

    Attributes
    ----------
    units
        One row per unit: unit, status (done, damaged, failed in the last run, left over, or to do
        if the last run did not come to it before its end), why (``removed`` or ``missing`` if the
        first input has no such partition; of what is to do, how the run ended), rows, bytes and
        error.
    run
        The last run; see ``runs``.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> lake.status("counts").units.select("unit", "status", "rows").rows()
    [('all', 'done', 72)]
    """

    units: pl.DataFrame
    run: pl.DataFrame
    signature: str


def runs(out: FilePath) -> pl.DataFrame:
    """Return one row per run of a place, oldest first.

    Parameters
    ----------
    out
        The output of a job.

    Returns
    -------
    polars.DataFrame
        run, job, status (done, failed, stopped, killed or running), units, done, skipped, adopted,
        failed, pruned, rows, seconds, cpu, peak_mb, error and signature.

    Raises
    ------
    InputError
        If no job has written there.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> for _ in range(2):
    ...     run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> lake.runs("counts").select("done", "skipped").rows()
    [(1, 0), (0, 1)]
    """
    made = output_of(fspath(out))
    warn_of([*made.odd.values()])
    if made.last["run"] == UNRECORDED:
        raise unwritten(made.output)
    return _run_table(made.runs)


def status(out: FilePath) -> Status:
    """Return the state of each unit of a place, and the last run.

    Parameters
    ----------
    out
        The output of a job.

    Raises
    ------
    InputError
        If no job has written there.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> lake.status("counts").units["status"].to_list()
    ['done']
    """
    made = output_of(fspath(out))
    output, job, last = made.output, made.job, made.last
    failed = {failure["unit"]: failure["error"] for failure in last["failures"]}
    footers = footers_of(output)
    warn_of(cautions(footers, made))
    undone = [unit_name(keys) for keys in left_undone(last, _live(footers))]
    rows: list[tuple[object, ...]] = []
    for written, notes in footers:
        name = unit_name(written.keys)
        state = "done" if STAMP in notes else "damaged"
        state = "failed" if name in failed else "left over" if name in _left(last) else state
        number = sum(int(sums[SENTENCES]) for sums in json.loads(notes.get("sums", "{}")).values())
        number_or_none = number if job.measure else None
        gone = name in _left(last) or notes.get(REMOVED)
        why = REMOVED if gone else "missing" if is_absent(notes) else ""
        if name in undone and name not in failed:
            undone.remove(name)
            state, why = "to do", last["status"]
        error = failed.pop(name, "")
        rows.append((name, state, why, number_or_none, written.size, error))
    rows += [(name, "failed", "", None, None, error) for name, error in failed.items()]
    rows += [
        (name, "to do", last["status"], None, None, "") for name in undone if name not in failed
    ]
    schema = {
        "unit": pl.String,
        "status": pl.String,
        "why": pl.String,
        "rows": pl.Int64,
        "bytes": pl.Int64,
        "error": pl.String,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row").sort("unit")
    return Status(frame, _run_table([last]), last["signature"])


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
    bootstrap, confidence, seed
        See ``alignframe.links.scores``.

    Returns
    -------
    polars.DataFrame
        One row per system and group, as from the function that scores the same data directly, such
        as ``links.scores``.

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
    if unit is not None:
        raise InputError("`unit` needs a table of counts, and `measure`")
    todo = "for a table of counts, give `measure`" * Path(out).is_file()
    made = output_of(fspath(out), todo)
    output, job, last = made.output, made.job, made.last
    measure_of = job.counted(out)
    names = keys_of(by)
    drawn = Resampling(bootstrap, confidence, seed, of=drawn_as(job.resampled))
    footers = footers_of(output)
    sums, signatures, keys = _sums(output, footers)
    if not sums.height:
        raise InputError("no unit is finished", path=out)
    if len(signatures) > 1:
        raise InputError(
            f"units were counted in {len(signatures)} ways: {' and '.join(sorted(signatures))}",
            path=out,
            todo=f"run lake {job.name} again until it finishes",
        )
    if not keys.issuperset(names):
        # Other columns may be groups too, such as doc; counts may not.
        _check_groups(names, ParquetFiles(out), job, keys, {*sums.columns} - keys)
    shown = job.shown if measure is None else ()
    measure = measure or measure_of({**last["settings"], "alpha": checked_alphas(alpha)})
    # Footers have sums by system only: resampling and other groups read the files.
    if drawn.resamples or not {*names, *measure.counts} <= set(sums.columns):
        most = sums.group_by(SYSTEM).agg(pl.col(SENTENCES).sum())[SENTENCES].to_list()
        # Too many units would not fit in memory; they are then resampled in random groups.
        few = max(most) <= MAX_UNITS
        files = ParquetFiles(out)
        sums = _grouped(files, measure, names, job.resampled if drawn.resamples else "", few)
    also = list(dict.fromkeys([SENTENCES, *(count for count, _ in shown)]))
    scored = measure.scored(sums, names, unit=_UNIT, resampling=drawn, also=also)
    _warn_of_unlike(scored, names)
    warn_of(cautions(footers, made))
    return scored.rename(dict(shown))


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


def cautions(footers: Footers, made: Made) -> list[str]:
    """Return warnings of whatever is wrong with the counts, as long as they stand."""
    job, last = made.job, made.last
    failed = [failure["unit"] for failure in last["failures"]]
    warned: list[tuple[str, str]] = []
    for written, notes in footers:
        name = unit_name(written.keys)
        if name in failed or name in _left(last):
            continue
        if is_absent(notes):
            warned.append((name, counted_empty(job.inputs[0], notes.get(REMOVED, ""))))
        else:
            warned += [(name, text) for text in json.loads(notes.get("warned", "[]"))]
    ended = ending(last, _live(footers), counts=job.measure is not None)
    texts = [*made.odd.values(), *[ended] * bool(ended), *cautions_of(warned, _left(last))]
    if failed:
        texts.append(
            f"the last run failed on {len(failed)} of {last['units']} units, the first of them "
            f"{failed[0]}: their counts are from an earlier run, or missing; see lake status"
        )
    return texts


def warn_of(cautions: Sequence[str]) -> None:
    """Give the warnings to the caller of the function that calls this."""
    for text in cautions:
        warn(text)


def _left(last: Row) -> list[str]:
    return list(last.get("left", ()))  # earlier versions recorded none


Footers = Sequence[tuple[Written, Mapping[str, str]]]


def _live(footers: Footers) -> dict[Keys, Written]:
    return {written.keys: written for written, _ in footers}


def footers_of(output: Output) -> Footers:
    """Return the live files of an output, with the metadata of each."""
    return [(written, output.notes(written)) for written in output.done().values()]


def _run_table(records: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    names = (*_RUN, *_COST, "signature")
    return pl.DataFrame(
        [{name: record.get(name) for name in names} for record in records], infer_schema_length=None
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
    files: ParquetFiles, measure: Measure, names: Sequence[str], resampled: str, few: bool
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
                frame = frame.with_columns(_drawn_unit(frame[resampled], few, unit))
            grouped = frame.group_by([*keys, *([_UNIT] if resampled else [])], maintain_order=True)
            parts.append(grouped.agg(totals))
    if not parts:
        raise InputError("there are no counts", path=files.name)
    whole = pl.concat(parts)
    if resampled and few:
        # Ranks are as good as the structs they stand for, and smaller.
        whole = whole.with_columns(pl.col(_UNIT).rank("dense").cast(pl.Int64))
    return whole.group_by([*keys, *([_UNIT] if resampled else [])], maintain_order=True).agg(totals)


def _drawn_unit(numbers: pl.Series, few: bool, unit: Keys) -> pl.Series:
    """Return each row's unit of resampling; many units form groups by a hash of their numbers."""
    if numbers.dtype.is_integer() and not few:
        return pl.Series(_UNIT, unit_of(numbers.to_numpy()))
    # Sentence 1 of two corpora are two units; of two systems, it is one.
    others = "/".join(f"{name}={value}" for name, value in unit if name != SYSTEM)
    frame = pl.DataFrame({"number": numbers, "unit": [others] * len(numbers)})
    return frame.select(pl.struct("number", "unit").alias(_UNIT)).to_series()


__all__ = ["Status", "runs", "scores", "status"]
