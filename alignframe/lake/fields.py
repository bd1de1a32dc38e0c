"""Figures of a lake's runs, corpus by corpus, resampling all runs at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from alignframe.core.arrays import F32, I64
from alignframe.lake.past import Past, Values
from alignframe.lake.units import unit_name
from alignframe.stats.bootstrap import MAX_UNITS, Resampling, unit_of
from alignframe.stats.measure import Measure
from alignframe.stats.sample import Sample

Ground = tuple[tuple[str, str], ...]
Grounds = tuple[Ground, ...]


@dataclass
class Field:
    """The figures of all states of a corpus or of all corpora together."""

    corpus: str | None  # None for all corpora together
    # The index of the state of each system in each run, shape (runs, systems); -1 for none.
    at: I64
    grounds: list[Grounds]  # what comparable states have in common
    rows: list[int]  # sentences or documents in each state
    names: dict[Grounds, list[str]] = dataclasses.field(default_factory=dict)
    # The resampled figures of all states of a ground.
    samples: dict[Grounds, Sample] = dataclasses.field(default_factory=dict)
    # The index of a state among those of its ground.
    columns: dict[int, int] = dataclasses.field(default_factory=dict)

    def add(self, ground: Grounds, states: Sequence[int], measure: Measure, sample: Sample) -> None:
        """Add the figures of the states of a ground."""
        self.names[ground], self.samples[ground] = measure.names, sample
        self.columns |= {state: column for column, state in enumerate(states)}

    def placed(self, state: int, figure: str) -> tuple[Sample, int, int] | None:
        """Return the sample of a state, with the indices of state and figure; None if missing."""
        ground = self.grounds[state]
        names = self.names[ground]
        if figure not in names:
            return None
        return self.samples[ground], self.columns[state], names.index(figure)


@dataclass(frozen=True)
class Sentences:
    """The figures of single sentences or documents of a corpus."""

    units: Values  # their sorted numbers or names, shape (units,)
    # Shape (states, figures, units); NaN where a figure is undefined or a state lacks a unit.
    values: F32
    size: F32  # shape (units,): the largest count of a unit in any state, its weight in the corpus


def fields(
    past: Past, figures: Sequence[str], alpha: Sequence[float], resampling: Resampling
) -> Iterator[tuple[Field, Sentences | None]]:
    """Yield each corpus with its sentences, then all corpora together if there are several.

    Comparable states are resampled together, by the same units as in ``lake.scores``.
    """
    few = _most(past) <= MAX_UNITS
    whole = _Whole(past, few) if len(past.corpora) > 1 else None
    for corpus in past.corpora:
        states = past.states[corpus]
        field = Field(
            corpus,
            _places(past, corpus),
            [(state.ground,) for state in states],
            [state.rows for state in states],
        )
        grids = [_Grid(past, corpus, ground, alpha) for ground in dict.fromkeys(field.grounds)]
        for grid in grids:
            labels, sums = grid.drawn(few)
            field.add(
                grid.ground,
                grid.states,
                grid.measure,
                Sample.draw(grid.measure.of, sums, resampling),
            )
            if whole is not None:
                whole.add(corpus, grid, labels, sums)
        alone = _sentences(grids, len(states), figures)
        del grids, grid, labels, sums  # which are large
        yield field, alone
    if whole is not None:
        yield whole.field(resampling), None


_TOGETHER = 64
"""How many states are computed at a time."""


def _narrow(counts: Values) -> Values:
    """Return whole counts in half the bytes, if no sum of them needs more."""
    fits = counts.dtype.kind in "iu" and counts.min(initial=0) >= 0 and counts.sum() < 1 << 31
    return counts.astype(np.int32) if fits else counts


class _Grid:
    """The counts of all states of a corpus that share a ground, shape (states, units, counts)."""

    def __init__(self, past: Past, corpus: str, ground: Grounds, alpha: Sequence[float]) -> None:
        every = past.states[corpus]
        self.ground = ground
        self.states = [at for at, state in enumerate(every) if (state.ground,) == ground]
        self.measure = past.measure(every[self.states[0]], alpha)
        self.alone = past.measure(every[self.states[0]], alpha, sentences=True)
        read: list[tuple[Values, Values]] = []
        for at in self.states:
            units, counts = past.read(every[at], self.measure.counts)
            # Thousands of states share their units.
            same = bool(read) and np.array_equal(units, read[0][0])
            read.append((read[0][0] if same else units, _narrow(counts)))
        self.units = _united([units for units, _ in read])
        shape = (len(read), self.units.size, len(self.measure.counts))
        self.counts = np.zeros(shape, np.result_type(*(counts.dtype for _, counts in read)))
        self.has = np.zeros(shape[:2], np.bool_)
        for at, (units, counts) in enumerate(read):
            rows = np.searchsorted(self.units, units)
            # The usual case, without the cost of scattered rows.
            if np.array_equal(units, self.units):
                self.counts[at] = counts
            elif np.bincount(rows).max(initial=0) <= 1:
                self.counts[at, rows] = counts
            else:
                np.add.at(self.counts[at], rows, counts)  # documents with several rows
            self.has[at, rows] = True

    def drawn(self, few: bool) -> tuple[Values, Values]:
        """Return the units of resampling and their counts, shape (units, states, counts).

        Units are sentences if they are few, or else random groups of them.
        """
        # Names of documents cannot be hashed into groups as numbers are.
        if few or self.units.dtype.kind not in "iu":
            return self.units, self.counts.swapaxes(0, 1)
        labels, rows = np.unique(unit_of(self.units.astype(np.int64)), return_inverse=True)
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(labels.size))
        summed = [np.add.reduceat(part[:, order], starts, axis=1) for part in self.parts()]
        return labels, np.concatenate(summed).swapaxes(0, 1)

    def parts(self) -> Iterator[Values]:
        """Yield the counts of some states after another, as all at once would take much memory."""
        for start in range(0, len(self.counts), _TOGETHER):
            yield self.counts[start : start + _TOGETHER]


class _Whole:
    """The sums over all corpora, for each run and system that has all of them."""

    def __init__(self, past: Past, few: bool) -> None:
        self.past, self.few = past, few
        self.at = np.full((len(past.moments), len(past.systems)), -1, np.int64)
        self.tuples: list[tuple[int, ...]] = []
        numbers: dict[tuple[int, ...], int] = {}
        for run, moment in enumerate(past.moments):
            for place, system in enumerate(past.systems):
                mine = tuple(moment.states.get((system, corpus), -1) for corpus in past.corpora)
                grounds = {dict(g)["signature"] for g in self._grounds(mine)}
                # A system that lacks a corpus, or was counted in several ways, has no overall
                # score.
                if -1 in mine or len(grounds) > 1:
                    continue
                if mine not in numbers:
                    numbers[mine] = len(self.tuples)
                    self.tuples.append(mine)
                self.at[run, place] = numbers[mine]
        self.parts: dict[Grounds, _Sums] = {}
        for number, mine in enumerate(self.tuples):
            self.parts.setdefault(self._grounds(mine), _Sums()).states.append(number)

    def _grounds(self, states: Sequence[int]) -> Grounds:
        past = self.past
        return tuple(
            past.states[corpus][at].ground
            for corpus, at in zip(past.corpora, states, strict=True)
            if at >= 0
        )

    def add(self, corpus: str, grid: _Grid, labels: Values, sums: Values) -> None:
        """Add the sums of a corpus."""
        place = self.past.corpora.index(corpus)
        columns = {state: column for column, state in enumerate(grid.states)}
        for ground, part in self.parts.items():
            if (ground[place],) != grid.ground:
                continue
            wanted = [columns[self.tuples[number][place]] for number in part.states]
            name = unit_name(self.past.place_of(self.past.keys[corpus])) if self.few else ""
            part.add([(label, name) for label in labels.tolist()], sums[:, wanted])
            part.measure = grid.measure

    def field(self, resampling: Resampling) -> Field:
        """Return the figures of all corpora together."""
        rows = [
            sum(
                self.past.states[corpus][at].rows
                for corpus, at in zip(self.past.corpora, states, strict=True)
            )
            for states in self.tuples
        ]
        field = Field(None, self.at, [self._grounds(states) for states in self.tuples], rows)
        for ground, part in self.parts.items():
            if part.measure is not None:
                field.add(
                    ground,
                    part.states,
                    part.measure,
                    Sample.draw(part.measure.of, part.in_order(), resampling),
                )
        return field


class _Sums:
    """Sums over several corpora on the same ground, row by row."""

    def __init__(self) -> None:
        self.states: list[int] = []
        self.rows: dict[tuple[object, str], int] = {}
        self.sums: Values = np.zeros((0, 0, 0), np.int8)
        self.measure: Measure | None = None

    def add(self, labels: Sequence[tuple[object, str]], sums: Values) -> None:
        """Add sums to the rows with the same labels."""
        rows = [self.rows.setdefault(label, len(self.rows)) for label in labels]
        # Corpora may share labels, and each may bring new ones.
        longer = np.zeros((len(self.rows), *sums.shape[1:]), np.result_type(self.sums, sums))
        longer[: len(self.sums)] = self.sums if self.sums.size else 0
        longer[rows] += sums
        self.sums = longer

    def in_order(self) -> Values:
        """Return the sums in the order of labels."""
        # Resampling draws by row, so the order of rows must not depend on that of corpora.
        return self.sums[[self.rows[label] for label in sorted(self.rows)]]


def _most(past: Past) -> int:
    """Return the maximum number of sentences of a system in a run."""
    return max(
        sum(
            past.states[corpus][at].rows
            for (name, corpus), at in moment.states.items()
            if name == system
        )
        for moment in past.moments
        for system in past.systems
    )


def _places(past: Past, corpus: str) -> I64:
    places = [
        [moment.states.get((system, corpus), -1) for system in past.systems]
        for moment in past.moments
    ]
    return np.array(places, np.int64)


def _sentences(grids: Sequence[_Grid], states: int, figures: Sequence[str]) -> Sentences:
    units = _united([grid.units for grid in grids])
    values = np.full((states, len(figures), units.size), np.nan, np.float32)
    size = np.zeros(units.size, np.float32)
    for grid in grids:
        rows = np.searchsorted(units, grid.units)
        names = grid.alone.names
        columns = [(at, names.index(name)) for at, name in enumerate(figures) if name in names]
        for number, part in enumerate(grid.parts()):
            some = slice(number * _TOGETHER, number * _TOGETHER + len(part))
            # User-defined figures may multiply counts.
            own = grid.alone.of(part.astype(np.int64) if part.dtype.kind in "iu" else part)
            # A sentence that a state lacks has no figure, whereas zero counts have one.
            own[~grid.has[some]] = np.nan
            places = np.array(grid.states[some])[:, None]
            for at, column in columns:
                values[places, at, rows] = own[:, :, column]
        size[rows] = np.maximum(size[rows], grid.counts.max(axis=(0, 2)))
    return Sentences(units, values, size)


def _united(units: Sequence[Values]) -> Values:
    """Return the sorted union of units of several states, which are mostly the same."""
    first = units[0]
    others = [unit for unit in units if not np.array_equal(unit, first)]
    return np.unique(np.concatenate([first, *others]))
