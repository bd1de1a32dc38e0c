"""The state of a job's output, and its runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import fspath

import polars as pl

from alignframe.core.choices import OUTCOMES
from alignframe.lake.applied import output_of
from alignframe.lake.cautions import cautions, footers_of, live_of, warn_of
from alignframe.lake.ending import UNRECORDED, left_undone
from alignframe.lake.plan import REMOVED, is_absent
from alignframe.lake.records import unwritten
from alignframe.lake.units import unit_name
from alignframe.lake.writing import SENTENCES
from alignframe.result import Result
from alignframe.stores.output import STAMP
from alignframe.typing import FilePath

_RUN = ("run", "label", "revision", "job", "status", "units", *OUTCOMES, "rows")
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
        run, label, revision (of the git work tree it was started in), job, status (done, failed,
        stopped, killed or running), units, done, skipped, adopted, failed, pruned, rows, seconds,
        cpu, peak_mb, error and signature.

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
    undone = [unit_name(keys) for keys in left_undone(last, live_of(footers))]
    rows: list[tuple[object, ...]] = []
    for written, notes in footers:
        name = unit_name(written.keys)
        state = "done" if STAMP in notes else "damaged"
        state = "failed" if name in failed else "left over" if name in last["left"] else state
        number = sum(int(sums[SENTENCES]) for sums in json.loads(notes.get("sums", "{}")).values())
        number_or_none = number if job.measure else None
        gone = name in last["left"] or notes.get(REMOVED)
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


def _run_table(records: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    names = (*_RUN, *_COST, "signature")
    return pl.DataFrame(
        [{name: record.get(name) for name in names} for record in records], infer_schema_length=None
    )
