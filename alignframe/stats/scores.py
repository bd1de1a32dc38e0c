"""Scores of systems as a result, which knows its counts, its differences and its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar, Self

import polars as pl

from alignframe.core.choices import RESAMPLES, TEST_RESAMPLES
from alignframe.errors import FROM_1, InputError, warn_former
from alignframe.result import Result, SignedResult
from alignframe.sources.keys import Keys, named_by
from alignframe.stats.bootstrap import Resampling, drawn_as
from alignframe.stats.differences import place_of
from alignframe.stats.evaluation import Evaluation, evaluate
from alignframe.stats.measure import keys_of
from alignframe.stats.standings import rank_ranges, standings
from alignframe.stats.task import Counted, Task

_INPUTS = ("hyp", "gold", "ref")

FORMER = (
    ("counts", "counts"),
    ("scores", "scores"),
    ("compare", "compare"),
    ("evaluate", "evaluated"),
)
"""Former functions of the areas, and the parts of results that took their place."""


@dataclass(frozen=True, repr=False)
class Scores(SignedResult):
    """The result of ``score``: scores, and on demand what else the same inputs tell.

    A notebook shows the scores. Every part is computed when it is first asked for.

    Examples
    --------
    >>> from alignframe import beads
    >>> gold = [(0, 1, 0, 1), (1, 3, 1, 2)]
    >>> found = beads.score([(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 2)], gold)
    >>> found.scores["strict_recall"][0], found.counts["n_gold_strict"][0]
    (0.5, 1)
    """

    has_standings: ClassVar[bool] = True  # whether it has one score of a system by each figure

    task: Task
    inputs: tuple[Any, ...]
    by: Sequence[str]
    # Resamples of scores, of comparisons and of the page differ, if their number is not given.
    bootstrap: int | None
    confidence: float
    seed: int
    options: Mapping[str, Any]

    @classmethod
    def of(cls, task: Task, inputs: tuple[Any, ...], given: Mapping[str, Any]) -> Self:
        """Return the scores of inputs; ``given`` are all arguments of a function ``score``."""
        options = {name: value for name, value in given.items() if name not in _INPUTS}
        options |= options.pop("options", {})
        drawn = {name: options.pop(name) for name in ("bootstrap", "confidence", "seed")}
        return cls(task, inputs, keys_of(options.pop("by")), options=options, **drawn)

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, one row per system and group."""
        drawn = self.resampling(0)
        figures = self.task.scores(*self.inputs, by=self.groups, drawn=drawn, **self.options)
        return self.restored(figures)

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The counts of each unit, such as a sentence; scores are ratios of their sums."""
        return self.restored(self.numbered)

    @cached_property
    def numbered(self) -> pl.DataFrame:
        """The counts with numbers of keys as sid, if columns ``on`` identify sentences."""
        return self.task.counts(*self.inputs, by=self.groups, **self.options)

    @property
    def keys(self) -> Keys | None:
        """The keys of sentences (``sources.keys.Keys``), if columns ``on`` identify them."""
        held = [self.options.get("keys"), *(getattr(one, "keys", None) for one in self.inputs)]
        return next((keys for keys in held if isinstance(keys, Keys)), None)

    @property
    def groups(self) -> Sequence[str]:
        """The groups, with the unit in place of all columns of its key."""
        if self.keys is None or not {*self.keys.names} <= {*self.by}:
            return self.by
        return [name for name in self.by if name not in self.keys.names] + [self.task.unit]

    def restored(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table with the columns of keys in place of their numbers."""
        return table if self.keys is None else self.keys.restored(table, self.task.unit)

    def compare(self, baseline: str) -> pl.DataFrame:
        """Compare every system with a baseline by the paired bootstrap over units.

        Parameters
        ----------
        baseline
            The name of a system.

        Returns
        -------
        polars.DataFrame
            One row per system and measure: system, baseline, measure, value, baseline_value,
            difference, difference_low, difference_high, p_value (two-sided), p_corrected (for the
            number of systems, by step-down max-T: Westfall & Young 1993) and signature.

        Raises
        ------
        InputError
            If the baseline is not among the systems, or is the only one, or scores are by groups.

        Notes
        -----
        Koehn 2004; Efron & Tibshirani 1993. The number of resamples is by default 10,000.
        """
        self._check_ungrouped("a comparison")
        drawn = self.resampling(TEST_RESAMPLES)
        return self.task.compare(*self.inputs, baseline=baseline, drawn=drawn, **self.options)

    def worst(self, n: int = 10) -> pl.DataFrame:
        """Return the units with the lowest scores of each system, by the first figure.

        Parameters
        ----------
        n
            The number of units per system.

        Returns
        -------
        polars.DataFrame
            One row per system and unit, the worst first: what scores by this unit have.
        """
        FROM_1.checked(n, "`n`")
        self._check_ungrouped("the worst")
        unit = self.task.unit
        counted = self.task.count(*self.inputs, by=[unit], unit=unit, **self.options)
        first, *_ = counted.measure.names
        is_error = first in counted.measure.lower_is_better
        return self.restored(
            counted.scored([unit], "", Resampling(0))
            .filter(pl.col(first).is_not_null())
            .sort(first, unit, descending=[is_error, False])
            .group_by("system", maintain_order=True)
            .head(n)
            .sort("system", maintain_order=True)
        )

    def standings(self, baseline: str | None = None) -> pl.DataFrame:
        """Return the figures of each system as in a paper's table, with what tests say.

        Parameters
        ----------
        baseline
            The system from which the others may differ.

        Returns
        -------
        polars.DataFrame
            See ``alignframe.stats.standings``.

        Examples
        --------
        >>> from alignframe import links
        >>> hyp = {name: f"datasets/en-fr/{name}.talp" for name in ("cautious", "eager")}
        >>> found = links.score(hyp, "datasets/en-fr/gold.talp").standings()
        >>> found.select("system", "best").rows()
        [('cautious', ['precision']), ('eager', ['recall', 'aer', 'f_0.5'])]
        """
        self._check_ungrouped("standings")
        counted, unit, drawn = self._paired(TEST_RESAMPLES if baseline else RESAMPLES)
        if baseline is not None:
            place_of(baseline, counted.frame["system"].unique().sort().to_list())
        return standings(counted, unit, drawn, baseline)

    def ranks(self) -> pl.DataFrame:
        """Return the ranks that each system may have by each figure: 2–4 if nobody can say which.

        Returns
        -------
        polars.DataFrame
            See ``alignframe.stats.rank_ranges``.

        Examples
        --------
        >>> from alignframe import links
        >>> hyp = {name: f"datasets/en-fr/{name}.talp" for name in ("cautious", "eager", "forward")}
        >>> found = links.score(hyp, "datasets/en-fr/gold.talp").ranks().filter(measure="aer")
        >>> found.select("system", "rank_low", "rank_high").rows()
        [('eager', 1, 2), ('forward', 1, 2), ('cautious', 3, 3)]
        """
        self._check_ungrouped("ranks")
        return rank_ranges(*self._paired(RESAMPLES))

    def _paired(self, resamples: int) -> tuple[Counted, str, Resampling]:
        """Return counts by what is resampled, its column, and how it is."""
        drawn = replace(self.resampling(resamples), of=drawn_as(self.task.unit))
        counted = self.task.count(*self.inputs, by=[], unit=self.task.drawn, **self.options)
        return counted, self.task.drawn, drawn

    def evaluated(self, baseline: str | None = None) -> Result:
        """Return scores with intervals, the best system first, and differences from one of them.

        Parameters
        ----------
        baseline
            The system to compare with; by default the best one by the first figure.
        """
        return self._evaluation(baseline)

    def _evaluation(self, baseline: str | None) -> Evaluation:
        self._check_ungrouped("a page")
        unit, drawn = self.task.drawn, self.resampling(TEST_RESAMPLES if baseline else RESAMPLES)
        frame, measure, parts, *_ = self.task.count(*self.inputs, by=[], unit=unit, **self.options)
        if frame[unit].n_unique() == 1:
            drawn = replace(drawn, resamples=0)  # a single unit has no intervals
        return evaluate(
            replace(measure, choices=(*measure.choices, *parts)),
            frame,
            baseline=baseline,
            unit=unit,
            bootstrap=drawn.resamples,
            confidence=drawn.confidence,
            seed=drawn.seed,
        )

    def page(self, **options: Any) -> Any:
        """Return the page of ``evaluated``; ``options`` are its baseline and those of the page."""
        with named_by(self.keys):
            return self.evaluated(options.pop("baseline", None)).page(**options)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the table of scores."""
        return {"scores": self.scores}

    def resampling(self, resamples: int) -> Resampling:
        """Return how units are resampled; ``resamples`` is their number if none was given."""
        number = resamples if self.bootstrap is None else self.bootstrap
        return Resampling(number, self.confidence, self.seed)

    def _check_ungrouped(self, what: str) -> None:
        """Refuse groups for what has none."""
        if self.by:
            raise InputError(f"`by` with {what}", expected="one of them")


def former(score: Callable[..., Result], name: str, part: str) -> Callable[..., Any]:
    """Return a former function; a part of what ``score`` returns took its place.

    It warns with a ``DeprecationWarning``.
    """
    placed = [
        one for one in signature(score).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD
    ]

    def function(*given: object, **options: Any) -> Any:
        area = score.__module__.split(".")[1]
        warn_former(f"{area}.{name}(...)", f"{area}.score(...).{part}")
        own = {word: options.pop(word) for word in ("baseline", "n") if word in options}
        found = getattr(score(*given[: len(placed)], **options), part)
        return found(*given[len(placed) :], **own) if callable(found) else found

    function.__name__ = name
    function.__doc__ = f"Return ``score(...).{part}``, which took its place."
    return function
