"""What is wrong with the counts of a job, as all views of its output say it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from alignframe.errors import number_of, warn
from alignframe.lake.job import Job
from alignframe.lake.plan import REMOVED, counted_empty, is_absent
from alignframe.lake.units import unit_name
from alignframe.lake.work import cautions_of
from alignframe.stores import Output
from alignframe.stores.output import STAMP, Written
from alignframe.typing import Row

UNENDED = {"running": "is still running", "killed": "was killed"}
"""What is said of a run that has not recorded its end, by its status."""

Footers = Sequence[tuple[Written, Mapping[str, str]]]


def footers_of(output: Output) -> Footers:
    """Return the live files of an output, with the metadata of each."""
    return [(written, output.notes(written)) for written in output.done().values()]


def cautions(footers: Footers, job: Job, runs: Sequence[Row]) -> list[str]:
    """Return warnings of whatever is wrong with the counts, as long as they stand."""
    last = runs[-1]
    failed = [failure["unit"] for failure in last["failures"]]
    warned: list[tuple[str, str]] = []
    for written, notes in footers:
        name = unit_name(written.keys)
        if name in failed or name in left_in(last):
            continue
        if is_absent(notes):
            warned.append((name, counted_empty(job.inputs[0], notes.get(REMOVED, ""))))
        else:
            warned += [(name, text) for text in json.loads(notes.get("warned", "[]"))]
    texts = [*_unended(footers, runs), *cautions_of(warned, left_in(last))]
    if failed:
        texts.append(
            f"the last run failed on {len(failed)} of {last['units']} units, the first of them "
            f"{failed[0]}: their counts are from an earlier run, or missing; see lake status"
        )
    return texts


def _unended(footers: Footers, runs: Sequence[Row]) -> list[str]:
    """Say how many units of the output are of a run that has no record of its end, if any."""
    last = runs[-1]
    how = UNENDED.get(last["status"], "")
    if last["status"] == "failed" and last["error"]:
        how = "failed"
    elif last["status"] == "stopped" and not last["state"]:  # while units were in progress
        how = "was stopped"
    known = {unit["stamp"] for run in runs for unit in run["state"]}
    stamps = [notes[STAMP] for _, notes in footers if STAMP in notes]  # others are damaged
    new = sum(stamp not in known for stamp in stamps)
    if not how:
        return [
            f"{number_of(new, 'unit')} of the output are of a run whose record is missing or "
            "damaged: until a run ends, scores have them, and the history has not"
        ] * bool(new and known)
    units = number_of(last["units"] - last["skipped"], "unit")
    if not new:
        then = "the output is as it was before"
    elif not known:
        then = "the output has no others"
    else:
        then = (
            "until a run ends, scores mix these with older ones, and the history has none of them"
        )
    return [f"the last run, {last['run']}, {how} after {new:,} of {units}: {then}"]


def warn_of(cautions: Sequence[str]) -> None:
    """Give the warnings to the caller of the function that calls this."""
    for text in cautions:
        warn(text)


def left_in(last: Row) -> list[str]:
    """Return the units that the inputs no longer had in a run."""
    return list(last.get("left", ()))  # earlier versions recorded none
