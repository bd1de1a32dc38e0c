"""The state of units in the output of a job, and its past runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import fspath
from typing import Any

import polars as pl

from alignframe.core.choices import OUTCOMES
from alignframe.lake.applied import output_of
from alignframe.lake.cautions import UNENDED, cautions, footers_of, left_in, warn_of
from alignframe.lake.plan import REMOVED, is_absent
from alignframe.lake.records import runs_of, unwritten
from alignframe.lake.units import unit_name
from alignframe.lake.writing import SENTENCES
from alignframe.result import Result
from alignframe.stores import open_output
from alignframe.stores.output import STAMP
from alignframe.typing import FilePath

_RUN = ("run", "job", "status", "units", *OUTCOMES, "rows")
_COST = ("seconds", "cpu", "peak_mb", "error")


@dataclass(frozen=True, repr=False)
class Status(Result):
    """The state of a job's output.

    Attributes
    ----------
    units
        One row per unit: unit, status (done, damaged, failed in the last run, or left over), why
        (``removed`` or ``missing`` if the first input has no such partition), rows, bytes and
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
        failed, pruned, rows, seconds, cpu, peak_mb, error and signature. What a run has done, and
        its costs, are null as long as it runs, and if it was killed.

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
    output = open_output(out, "", new=False)
    found = runs_of(output)
    if not found:
        raise unwritten(output)
    return _run_table(found)


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
    output, job, runs = output_of(fspath(out))
    last = runs[-1]
    failed = {failure["unit"]: failure["error"] for failure in last["failures"]}
    footers = footers_of(output)
    warn_of(cautions(footers, job, runs))
    rows: list[tuple[object, ...]] = []
    for written, notes in footers:
        name = unit_name(written.keys)
        state = "done" if STAMP in notes else "damaged"
        state = "failed" if name in failed else "left over" if name in left_in(last) else state
        number = sum(int(sums[SENTENCES]) for sums in json.loads(notes.get("sums", "{}")).values())
        number_or_none = number if job.measure else None
        error = failed.pop(name, "")
        gone = name in left_in(last) or notes.get(REMOVED)
        why = REMOVED if gone else "missing" if is_absent(notes) else ""
        rows.append((name, state, why, number_or_none, written.size, error))
    rows += [(name, "failed", "", None, None, error) for name, error in failed.items()]
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
    kinds: dict[str, Any] = dict.fromkeys(_RUN, pl.Int64) | dict.fromkeys(_COST, pl.Float64)
    kinds |= dict.fromkeys(("run", "job", "status", "error", "signature"), pl.String)
    # What a run has done is recorded when it ends.
    unknown = {*OUTCOMES, *_COST, "rows"} - {"skipped", "error"}
    rows = [
        [
            None if name in unknown and record["status"] in UNENDED else record.get(name)
            for name in kinds
        ]
        for record in records
    ]
    return pl.DataFrame(rows, kinds, orient="row")
