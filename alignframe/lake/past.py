"""Past runs of a job: the counts of each system on each corpus, run by run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.core.arrays import Array
from alignframe.core.arrow import as_array
from alignframe.errors import InputError, number_of, warn
from alignframe.lake.applied import Made, output_of
from alignframe.lake.cautions import Footers, footers_of
from alignframe.lake.dates import (
    date_name,
    dates_of,
    in_order,
    matched_of,
    split,
    telling,
    times_of,
)
from alignframe.lake.ending import UNRECORDED, has_ended
from alignframe.lake.job import Job
from alignframe.lake.units import SYSTEM, unit_name
from alignframe.lake.writing import SENTENCES
from alignframe.stats.measure import Measure
from alignframe.stores import Keys, Output
from alignframe.stores.output import STAMP, Written
from alignframe.typing import Row

Values = Array
_Place = tuple[str, str, Keys]
"""A system, a corpus and a date."""


@dataclass(frozen=True)
class State:
    """The counts of one system on one corpus after a run.

    ``ground`` is shared by comparable states: the signature of the counts, and the versions of gold
    or references. ``marks`` has the versions of all inputs by name, by their content if ``content``
    (None if an earlier version did not note it), ``contents`` what tells gold alone, if noted.
    """

    system: str
    path: str
    settings: str
    ground: tuple[tuple[str, str], ...]
    sums: Mapping[str, float]
    keys: Keys
    marks: Mapping[str, str]
    contents: Mapping[str, str]
    content: bool | None

    @property
    def rows(self) -> int:
        """The number of sentences or documents."""
        return int(self.sums[SENTENCES])


@dataclass(frozen=True)
class Moment:
    """A run that changed the output: its name, its start, and the output after it.

    In a lake that grows by dates, it is a date: its name, its time if it tells one, and what the
    output has of it. ``states`` has the index of the state in its corpus for each existing system
    and corpus, ``inputs`` the place and version of each input. ``labels`` are those of the run, and
    of later ones that left the output as it was.
    """

    run: str
    started: str
    signature: str
    states: Mapping[tuple[str, str], int]
    inputs: Mapping[str, Mapping[str, str]]
    date: Keys = ()
    labels: tuple[str, ...] = ()
    revision: str = ""

    def also(self, labels: tuple[str, ...]) -> Moment:
        """Return the run with the labels of a later one that left the output as it was."""
        return replace(self, labels=tuple(dict.fromkeys([*self.labels, *labels])))


@dataclass
class Past:
    """The runs that changed a job's output, oldest first; or the dates that it has now."""

    made: Made
    dates: tuple[str, ...] = ()  # the keys that are dates; see ``dates``
    footers: Footers = ()  # the live files, with the metadata of each
    matched: set[str] | None = None  # the keys that tell equal numbers of sentences apart
    last: str = ""  # the run that left the output as it is
    again: list[Keys] = field(default_factory=list)  # units of earlier dates that it changed
    idle: bool = False  # whether the last run that has ended changed no counts
    moments: list[Moment] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)  # sorted
    corpora: list[str] = field(default_factory=list)  # sorted; see ``keys``
    # Those of each corpus, ordered by system and run.
    states: dict[str, list[State]] = field(default_factory=dict)
    # A corpus is named by the values of its keys other than system and dates; empty without them.
    keys: dict[str, Keys] = field(default_factory=dict)
    _measures: dict[tuple[object, ...], Measure] = field(default_factory=dict, repr=False)

    @property
    def job(self) -> Job:
        """The job."""
        return self.made.job

    @property
    def output(self) -> Output:
        """Its output."""
        return self.made.output

    @property
    def record(self) -> Row:
        """The record of its last run."""
        return self.made.last

    @property
    def is_recorded(self) -> bool:
        """Whether a record tells of the run that left the output as it is."""
        return self.last != UNRECORDED

    @property
    def step(self) -> str:
        """What a moment is."""
        return "date" if self.dates else "run"

    def place_of(self, keys: Keys) -> Keys:
        """Return the keys that tell equal numbers of sentences apart."""
        return telling(keys, self.matched)

    @property
    def is_last(self) -> bool:
        """Whether no run is known to have come after those that are recorded."""
        return str(self.record["run"]) > max(self.made.odd, default="")

    def measure(self, state: State, alpha: Sequence[float], *, sentences: bool = False) -> Measure:
        """Return the measure of a state, or its variant for single sentences."""
        key = (state.settings, tuple(alpha), sentences)
        if key not in self._measures:  # thousands of states share one
            settings = json.loads(state.settings)
            made = self.job.measured(self.output.name, settings, alpha, sentences=sentences)
            self._measures[key] = made
        return self._measures[key]

    def read(self, state: State, counts: Sequence[str]) -> tuple[Values, Values]:
        """Return the units of a state, shape (units,), and counts, shape (units, counts)."""
        folder, drawn = self.output.folder, self.job.resampled
        file = pq.ParquetFile(folder.full(state.path), filesystem=folder.filesystem)
        stored = file.schema_arrow.names
        wanted = [name for name in (drawn, *counts, SYSTEM) if name in stored]
        table = file.read(wanted, use_threads=False)
        if SYSTEM in stored:
            table = table.filter(pc.equal(table[SYSTEM].cast(pa.string()), state.system))
        units = (
            _numpy(table[drawn])
            if drawn in stored
            else np.full(table.num_rows, dict(state.keys)[drawn], object)  # partitions are drawn
        )
        return units, np.column_stack([_numpy(table[name]) for name in counts])


def _numpy(column: pa.ChunkedArray) -> Values:
    """Return a column, without loading pandas, as Arrow does for one in chunks."""
    values: Values = as_array(column).to_numpy(zero_copy_only=False)
    return values


def past_of(out: str) -> Past:
    """Return the runs that changed a place; the last of them left its output as it is.

    In a lake that grows by dates, return its dates, as the last run has left them.
    """
    made = output_of(out)
    made.job.counted(out)
    footers = footers_of(made.output)
    dates = dates_of(footers, made.output, made.job)
    past = Past(made, dates, footers, matched_of([notes for _, notes in footers if notes]))
    moments = [
        (record, stamps)
        for record in made.runs
        if (stamps := _stamps(record)) and record["job"] == made.job.name
    ]
    moments += _as_it_is(made, moments[-1][1] if moments else {})
    if dates:
        past.again = _again(moments, dates)
        moments = moments[-1:]
    read = _Reader(past)
    lost, states = 0, None
    before: Mapping[Keys, str] = {}
    for record, stamps in moments:
        past.idle = stamps == before
        own = (record["label"],) if record["label"] else ()
        if past.idle:
            if states is not None and past.moments:
                past.moments.append(past.moments.pop().also(own))
            continue
        before = stamps
        states = read.all(stamps)
        if states is None:
            lost += 1
            continue
        past.last = record["run"]
        if dates:
            past.moments = _by_date(record, states)
            continue
        notes = record["run"], record["started"], record["signature"]
        now = Moment(
            *notes,
            _of(states, ()),
            record["inputs"],
            labels=own,
            revision=record["revision"],
        )
        past.idle = bool(past.moments) and _same(past, past.moments[-1], now)
        if past.idle:
            # Its counts stand in other files, which were made of what the inputs have now.
            now = replace(past.moments.pop().also(own), states=now.states, inputs=now.inputs)
        past.moments.append(now)
    if lost:
        warn(
            f"{number_of(lost, 'run')} of {len(moments):,} left out, because their counts no "
            "longer exist"
        )
    if not past.moments:
        raise InputError("no unit is finished", path=out)
    return read.finished()


def _by_date(record: Row, states: Mapping[_Place, int]) -> list[Moment]:
    """Return what a run left of each date, oldest first."""
    days = in_order({day for _, _, day in states})
    return [
        Moment(
            date_name(day), time, record["signature"], _of(states, day), record["inputs"], date=day
        )
        for day, time in zip(days, times_of(days), strict=True)
    ]


def _again(moments: Sequence[tuple[Row, Mapping[Keys, str]]], dates: Sequence[str]) -> list[Keys]:
    """Return the units of earlier dates that the last run has counted again."""
    *earlier, (_, now) = moments or [({}, {})]
    before = earlier[-1][1] if earlier else {}
    *_, newest = in_order({split(keys, dates).date for keys in now}) or [()]
    return [
        keys
        for keys, stamp in now.items()
        if before.get(keys, stamp) != stamp and split(keys, dates).date != newest
    ]


def _of(states: Mapping[_Place, int], day: Keys) -> dict[tuple[str, str], int]:
    return {(system, corpus): at for (system, corpus, date), at in states.items() if date == day}


def _as_it_is(made: Made, before: Mapping[Keys, str]) -> list[tuple[Row, dict[Keys, str]]]:
    """Return the output as it is, if it is not as the last run that has ended left it.

    So that figures of runs end with those of ``lake.scores``.
    """
    files = made.output.done()
    live = {keys: written.stamp for keys, written in files.items() if written.stamp}
    # Damaged files are reported by name, and no state of the output.
    if not live or live == before or len(live) < len(files):
        return []
    if not has_ended(made.last) and not made.last["state"]:
        return [(made.last, live)]
    times = [made.output.folder.time_of(written.path) for written in files.values()]
    started = max(times).isoformat(timespec="seconds")
    return [({**made.last, "run": UNRECORDED, "started": started, "inputs": {}} | _UNKNOWN, live)]


_UNKNOWN = {"label": "", "revision": ""}


def _same(past: Past, before: Moment, now: Moment) -> bool:
    """Whether two runs have equal counts, although their files are others."""
    if before.states.keys() != now.states.keys() or before.signature != now.signature:
        return False
    for key, number in now.states.items():
        old, new = (past.states[key[1]][at] for at in (before.states[key], number))
        if old is new:
            continue
        if (old.ground, old.settings, old.sums) != (new.ground, new.settings, new.sums):
            return False
        # Sums are equal, but those of single sentences need not be.
        counts = past.measure(new, [0.5]).counts
        both = [past.read(state, counts) for state in (old, new)]
        orders = [np.argsort(units, kind="stable") for units, _ in both]
        for columns in zip(*both, strict=True):
            if not np.array_equal(*(own[by] for own, by in zip(columns, orders, strict=True))):
                return False
    return True


def _stamps(record: Row) -> dict[Keys, str]:
    return {tuple(unit["keys"].items()): unit["stamp"] for unit in record.get("state", ())}


class _Reader:
    """Reads the footer of each file once, and numbers the states."""

    def __init__(self, past: Past) -> None:
        self.past = past
        self._of = cache(self._read)
        self._known: dict[tuple[str, str], str] = {}

    def all(self, stamps: Mapping[Keys, str]) -> dict[_Place, int] | None:
        """Return the index of the state of each system, corpus and date; None if a file is gone."""
        numbers_of: dict[_Place, int] = {}
        for keys, stamp in stamps.items():
            numbers = self._of(keys, stamp)
            if numbers is None:
                return None
            numbers_of |= numbers
        return numbers_of

    def _read(self, keys: Keys, stamp: str) -> dict[_Place, int] | None:
        path = self.past.output.past(keys, stamp)
        notes = {} if path is None else self.past.output.notes(Written(keys, path, stamp, 0))
        if path is None or STAMP not in notes:
            return None
        day, rest = split(keys, self.past.dates)
        others = tuple((name, value) for name, value in rest if name != SYSTEM)
        corpus = "/".join(str(value) for _, value in others)
        if (had := self.past.keys.setdefault(corpus, others)) != others:
            raise InputError(
                f"two corpora are called {corpus}: {unit_name(had)} and {unit_name(others)}",
                path=self.past.output.name,
            )
        marks = json.loads(notes["made_of"])
        marks.pop("settings")
        stat, contents = (json.loads(notes.get(name, "{}")) for name in ("stat", "contents"))
        _, *others_in = marks  # in the order of the inputs
        versions = marks, stat, contents
        inputs = [(name, self._same(name, *versions)) for name in others_in]
        code = json.loads(notes["settings"]).get("code", "")
        ground = (
            ("signature", notes["signature"]),
            *inputs,
            # The code of a user's function is not in the signature, but its counts are comparable
            # only with those of the same code.
            *([("function", code)] if code else []),
        )
        states = self.past.states.setdefault(corpus, [])
        numbers = {}
        for system, sums in json.loads(notes["sums"]).items():
            numbers[system, corpus, day] = len(states)
            states.append(
                State(
                    system,
                    path,
                    notes["settings"],
                    ground,
                    sums,
                    keys,
                    marks,
                    contents,
                    {"content": True, "stat": False}.get(notes.get("check", "")),
                )
            )
        return numbers

    def _same(self, name: str, *versions: Mapping[str, str]) -> str:
        """Return one mark for all of an input's versions that are the same by any check."""
        marks = [(name, by[name]) for by in versions if name in by]
        first = next((self._known[one] for one in marks if one in self._known), marks[0][1])
        self._known |= dict.fromkeys(marks, first)
        return first

    def finished(self) -> Past:
        """Return the past with states ordered by system, then run."""
        past = self.past
        past.corpora = sorted(past.states)
        past.systems = sorted({state.system for states in past.states.values() for state in states})
        places: dict[str, dict[int, int]] = {}
        for corpus, states in past.states.items():
            order = sorted(range(len(states)), key=lambda at: (states[at].system, at))
            places[corpus] = {old: new for new, old in enumerate(order)}
            past.states[corpus] = [states[at] for at in order]
        past.moments = [
            replace(
                moment,
                states={key: places[key[1]][number] for key, number in moment.states.items()},
            )
            for moment in past.moments
        ]
        return past
