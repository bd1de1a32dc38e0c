"""Warnings of whatever is wrong with the counts in an output, which every view of them gives."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from alignframe.errors import warn
from alignframe.lake.applied import Made
from alignframe.lake.ending import ending
from alignframe.lake.plan import REMOVED, counted_empty, is_absent
from alignframe.lake.units import unit_name
from alignframe.lake.work import cautions_of
from alignframe.stores import Keys, Output
from alignframe.stores.output import Written

Footers = Sequence[tuple[Written, Mapping[str, str]]]


def live_of(footers: Footers) -> dict[Keys, Written]:
    """Return the live files by unit."""
    return {written.keys: written for written, _ in footers}


def footers_of(output: Output) -> Footers:
    """Return the live files of an output, with the metadata of each."""
    return [(written, output.notes(written)) for written in output.done().values()]


def cautions(footers: Footers, made: Made) -> list[str]:
    """Return warnings of whatever is wrong with the counts, as long as they stand."""
    job, last = made.job, made.last
    failed = [failure["unit"] for failure in last["failures"]]
    warned: list[tuple[str, str]] = []
    for written, notes in footers:
        name = unit_name(written.keys)
        if name in failed or name in last["left"]:
            continue
        if is_absent(notes):
            warned.append((name, counted_empty(job.inputs[0], notes.get(REMOVED, ""))))
        else:
            warned += [(name, text) for text in json.loads(notes.get("warned", "[]"))]
    ended = ending(last, live_of(footers), counts=job.measure is not None)
    texts = [*made.odd.values(), *[ended] * bool(ended), *cautions_of(warned, last["left"])]
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
