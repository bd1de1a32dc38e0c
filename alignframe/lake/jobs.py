"""Declarations of jobs: inputs, rows of a unit, and the measure of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from alignframe.errors import InputError
from alignframe.signatures import whole_signature

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.lake.units import Unit
    from alignframe.stats.measure import Measure

Settings = Mapping[str, Any]
APPLY = "apply"
"""The job of a user-defined function."""


@dataclass(frozen=True)
class Job:
    """A job: a row-wise function over the units of a lake."""

    name: str  # the command: ``alignframe lake NAME``
    table: str  # the kind of rows, used in file names
    inputs: tuple[str, ...]  # the partitions of the first are the units
    # The function of ``alignframe.lake`` that yields tables of rows, given a unit and the settings:
    # at least one table, possibly empty. If rows are counts, its module has
    # ``NAME_measure(settings)``.
    made_by: str
    counts: bool = False  # whether its rows are counts for a measure
    whole: bool = False  # the result covers all of the other inputs, like all sentences of gold
    resampled: str = "sid"  # the unit of resampling for intervals
    # Counts shown in tables of scores, with their column names.
    shown: tuple[tuple[str, str], ...] = ()

    def _found(self, what: str) -> Any:
        module, _, name = self.made_by.partition(":")
        return getattr(import_module(f"alignframe.lake.{module}"), f"{name}_{what}")

    @property
    def rows(self) -> Callable[[Unit, Settings], Iterator[pa.Table]]:
        """The function that yields the rows of a unit."""
        found: Callable[[Unit, Settings], Iterator[pa.Table]] = self._found("rows")
        return found

    def signature(self, settings: Settings) -> str:
        """Return the signature of all choices that can change a row."""
        if self.measure is not None:
            return self.measure(settings).signature()
        parts = [
            f"{name.replace('_', '-')}:{value}"
            for name, value in settings.items()
            if value is not None and name != "made_with" and not isinstance(value, (dict, list))
        ]
        return whole_signature(f"job:{self.name}", *parts)

    @property
    def measure(self) -> Callable[[Settings], Measure] | None:
        """The function from settings to a measure; None if the rows are not counts."""
        found: Callable[[Settings], Measure] | None = (
            self._found("measure") if self.counts else None
        )
        return found

    @property
    def sentence_measure(self) -> Callable[[Settings], Measure] | None:
        """The function from settings to the measure of single sentences, which differs for BLEU."""
        module, _, name = self.made_by.partition(":")
        other = module and getattr(
            import_module(f"alignframe.lake.{module}"), f"{name}_sentences", None
        )
        return other if other and self.counts else self.measure


JOBS = (
    Job(
        "score",
        "counts",
        ("hyp", "gold"),
        "counting:score",
        counts=True,
        whole=True,
        shown=(("n_hyp", "links"),),
    ),
    Job(
        "beads",
        "counts",
        ("hyp", "gold"),
        "counting:beads",
        counts=True,
        whole=True,
        resampled="doc",
        shown=(("sentences", "documents"),),
    ),
    Job("tesla", "counts", ("hyp", "ref"), "counting:tesla", counts=True),
    Job("symmetrize", "links", ("forward", "reverse"), "making:symmetrize"),
    Job("align", "links", ("text",), "making:align"),
    Job("phrases", "phrases", ("links", "text"), "making:phrases"),
)


def job_of(name: str, settings: Settings | None = None) -> Job:
    """Return a job by its name and the recorded settings of a run."""
    for job in JOBS:
        if job.name == name:
            return job
    if name == APPLY and settings is not None:
        from alignframe.lake.applied import Applied

        return Applied.of(settings)
    raise InputError(
        f"the job {name!r}", expected=f"one of {', '.join([*(j.name for j in JOBS), APPLY])}"
    )
