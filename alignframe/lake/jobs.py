"""Jobs, declared: what each takes, what it makes of a unit, and what its rows are summed to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from alignframe.errors import InputError
from alignframe.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.lake.units import Unit
    from alignframe.stats.measure import Measure

Settings = Mapping[str, Any]
APPLY = "apply"
"""The job of a function of the user's own."""


@dataclass(frozen=True)
class Job:
    """A job: a row-wise function over the units of a lake.

    Parameters
    ----------
    name
        The command: ``alignframe lake NAME``.
    table
        What its rows are, which names its files.
    inputs
        The names of its inputs; the partitions of the first are the units.
    made_by
        The function of ``alignframe.lake`` that yields tables of rows for a unit and the settings;
        at least one, which may be empty. Its module has ``NAME_measure(settings)`` where rows are
        counts.
    counts
        Whether its rows are counts, that a measure makes scores of.
    whole
        Whether all of the other inputs belongs to the result, as all sentences of gold do.
    resampled
        What is drawn for intervals.
    shown
        Counts that stand in tables of scores, and what they are called there.
    """

    name: str
    table: str
    inputs: tuple[str, ...]
    made_by: str
    counts: bool = False
    whole: bool = False
    resampled: str = "sid"
    shown: tuple[tuple[str, str], ...] = ()

    def _found(self, what: str) -> Any:
        module, _, name = self.made_by.partition(":")
        return getattr(import_module(f"alignframe.lake.{module}"), f"{name}_{what}")

    @property
    def rows(self) -> Callable[[Unit, Settings], Iterator[pa.Table]]:
        """What makes rows of a unit."""
        found: Callable[[Unit, Settings], Iterator[pa.Table]] = self._found("rows")
        return found

    def signature(self, settings: Settings) -> str:
        """Return the text that names every choice which changes a row."""
        if self.measure is not None:
            return self.measure(settings).signature()
        parts = [
            f"{name.replace('_', '-')}:{value}"
            for name, value in settings.items()
            if value is not None and name != "made_with" and not isinstance(value, (dict, list))
        ]
        return "|".join([f"alignframe:{__version__}", f"job:{self.name}", *parts])

    @property
    def measure(self) -> Callable[[Settings], Measure] | None:
        """What makes a measure of the settings; None of a job whose rows are no counts."""
        found: Callable[[Settings], Measure] | None = (
            self._found("measure") if self.counts else None
        )
        return found

    @property
    def sentence_measure(self) -> Callable[[Settings], Measure] | None:
        """What makes the measure of single sentences, where that differs, as of BLEU."""
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
    """Return a job by its name, and by the settings that a run has noted."""
    for job in JOBS:
        if job.name == name:
            return job
    if name == APPLY and settings is not None:
        from alignframe.lake.applied import Applied

        return Applied.of(settings)
    raise InputError(
        f"the job {name!r}", expected=f"one of {', '.join([*(j.name for j in JOBS), APPLY])}"
    )
