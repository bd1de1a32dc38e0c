"""Dates: keys that the other inputs lack, and whose partitions repeat the same sentences.

The partitions of a lake that grows by dates are no corpora of their own: each has the sentences of
gold anew. They stand in the order of their values, as runs do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.errors import number_of
from alignframe.lake.job import Job
from alignframe.lake.units import SYSTEM, unit_name
from alignframe.stores import Keys, Output
from alignframe.stores.output import Written

MATCHED = "matched"
"""The note of the keys by which a unit was matched with the other inputs."""


def matched_of(notes: Sequence[Mapping[str, str]]) -> set[str] | None:
    """Return the keys by which units were matched with other inputs; None if that is not known.

    A sentence is the same in all partitions by other keys, as it is for all systems.
    """
    # Earlier versions did not note it, and a job of one input matches nothing.
    known = [json.loads(one[MATCHED]) for one in notes if MATCHED in one]
    return {name for names in known for name in names} if known else None


def telling(keys: Keys, matched: set[str] | None) -> Keys:
    """Return the keys that tell equal numbers of sentences apart."""
    # Sentence 1 of two corpora are two sentences; of two systems or dates, it is one.
    return tuple(one for one in keys if one[0] != SYSTEM and (matched is None or one[0] in matched))


def dates_of(
    footers: Sequence[tuple[Written, Mapping[str, str]]], output: Output, job: Job
) -> tuple[str, ...]:
    """Return the keys of an output that are dates, in the order in which folders have them."""
    intact = [(written, notes) for written, notes in footers if notes]
    matched = matched_of([notes for _, notes in intact])
    if matched is None:
        return ()
    units = [dict(written.keys) for written, _ in intact]
    names = tuple(
        name
        for name in units[0]
        if name not in (SYSTEM, job.resampled, *matched)
        and all(_is_ordered(values.get(name)) for values in units)
    )
    return names if names and _repeat(names, [file for file, _ in intact], output, job) else ()


def _is_ordered(value: str | None) -> bool:
    """Whether a value is like a date or a number, and not a name."""
    return value is not None and value[:1] in tuple("0123456789")


def _repeat(names: Sequence[str], files: Sequence[Written], output: Output, job: Job) -> bool:
    """Whether two partitions that differ in these keys alone have sentences in common.

    One alone may be the first.
    """
    if job.whole:  # each has all sentences of gold
        return True
    alike: dict[Keys, list[Written]] = {}
    for file in files:
        alike.setdefault(split(file.keys, names).rest, []).append(file)
    first, *others = max(alike.values(), key=len)
    return not others or not _drawn(first, output, job).isdisjoint(_drawn(others[0], output, job))


def _drawn(file: Written, output: Output, job: Job) -> set[object]:
    path = output.folder.full(file.path)
    opened = pq.ParquetFile(path, filesystem=output.folder.filesystem)
    column: pa.ChunkedArray = opened.read([job.resampled], use_threads=False)[job.resampled]
    return set(column.to_pylist())


class Split(NamedTuple):
    """The keys of a unit that are dates, and the rest."""

    date: Keys
    rest: Keys


def split(keys: Keys, names: Sequence[str]) -> Split:
    """Return which keys of a unit are dates."""
    return Split(
        tuple(one for one in keys if one[0] in names),
        tuple(one for one in keys if one[0] not in names),
    )


def in_order(dates: Iterable[Keys]) -> list[Keys]:
    """Return dates by the numbers in them: 2026-11-9 before 2026-11-10."""
    return sorted(dates, key=lambda date: (_numbers(date_name(date)), date_name(date)))


def _numbers(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"[0-9]+", text)]


def date_name(date: Keys) -> str:
    """Return the name of a date: its values."""
    return "/".join(str(value) for _, value in date)


def times_of(dates: Sequence[Keys]) -> list[str]:
    """Return the times of dates in ISO format; empty texts if one has another format."""
    found = []
    for date in dates:
        text = date_name(date).replace("/", "-")
        try:
            # Shorter ones are numbers.
            found.append(datetime.fromisoformat(text).isoformat() if len(text) >= 8 else "")
        except ValueError:
            found.append("")
    return found if all(found) else [""] * len(found)


def counted_again(units: Sequence[Keys]) -> list[str]:
    """Say which units of earlier dates the last run has counted again, if any."""
    if not units:
        return []
    more = ", ..." if len(units) > 1 else ""
    return [
        f"The last run has counted {number_of(len(units), 'unit')} of earlier dates again: "
        f"{unit_name(units[0])}{more}."
    ]
