"""Measures are declared once; sums, figures, intervals, tests and signatures follow.

Counts of units (sentences, documents, words) are additive over any group; a figure is a ratio or
another function of sums. The bootstrap resamples units and sums their counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, Array
from alignframe.core.choices import TEST_RESAMPLES
from alignframe.core.figures import Formula, Ratio, computed
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, check_known, warn
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.count_tables import check_once, checked_counts, lacking
from alignframe.stats.differences import differences, grouping, paired_counts
from alignframe.stats.sample import Sample, by_unit
from alignframe.typing import Confidence, IntoFrame, Rare, Resamples, Seed

# An example of each part of a declaration.
_TUPLES = {
    "counts": '("n_links",)',
    "figures": '(Ratio("precision", "n_correct", "n_links"),)',
    "choices": '("case:lc",)',
}


@dataclass(frozen=True)
class Measure:
    """A measure: its counts, and the scores computed from their sums.

    Parameters
    ----------
    name
        Its name in signatures.
    counts
        The additive columns.
    figures
        Figures of their sums, in the order of table columns.
    choices
        The parts of a signature for choices that affect the scores, such as ``case:lc``; an empty
        one is left out.
    limits
        Pairs of counts, the first of which is at most the second in every row, and from 0.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe.stats import Measure, Ratio
    >>> length = Measure("length", ("n_hyp", "n_ref"), (Ratio("length_ratio", "n_hyp", "n_ref"),))
    >>> counts = {"system": ["a", "a"], "sid": [0, 1], "n_hyp": [2, 4], "n_ref": [3, 5]}
    >>> length.scores(pl.DataFrame(counts)).select("system", "length_ratio").rows()
    [('a', 0.75)]
    """

    name: str
    counts: tuple[str, ...]
    figures: tuple[Ratio | Formula, ...]
    choices: tuple[str, ...] = ()
    limits: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse declarations that would lead to wrong figures or signatures."""
        for name in ("counts", "figures", "choices"):
            if not isinstance(getattr(self, name), tuple):
                raise InputError(
                    f"{name} of type {type(getattr(self, name)).__name__}",
                    expected=f"a tuple, such as {_TUPLES[name]}",
                )
        for figure in self.figures:
            if not isinstance(figure, Ratio | Formula):
                raise InputError(
                    f"a figure of type {type(figure).__name__}",
                    expected="a Ratio(name, top, bottom) or a Formula(name, function)",
                )
        self._check_names()
        for figure in self.figures:
            for name in (figure.top, figure.bottom) if isinstance(figure, Ratio) else ():
                check_known(f"count of the figure {figure.name}", name, self.counts)
        # A formula that fails, or gives another shape, fails here and not after counting.
        self.of(np.ones((2, 3, len(self.counts))))

    def _check_names(self) -> None:
        """Refuse names that would collide in a table or break a signature."""
        if not self.figures or not self.counts:
            raise InputError(
                f"no {'counts' if self.figures else 'figures'}", expected="at least one"
            )
        ends = [f"{name}{end}" for name in self.names for end in ("", "_low", "_high")]
        # A table of scores holds them all, a table of counts other ones.
        columns = [*ends, "system", "signature"]
        for what, names in (("counts", self.counts), ("figures", self.names)):
            if len(set(names)) < len(names):
                raise InputError(f"the {what} {', '.join(names)}", expected="each name once")
        for names in (columns, [*self.counts, "system", "signature"]):
            twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            if twice:
                raise InputError(
                    f"two columns {twice[0]!r}",
                    expected="figures that leave NAME_low and NAME_high free, and no other column "
                    "called system or signature",
                )
        for text in (self.name, *filter(None, self.choices)):
            if not text or "|" in text:
                raise InputError(
                    f"{text!r} in a signature", expected="a name without '|', which separates parts"
                )

    @property
    def names(self) -> list[str]:
        """The names of the figures."""
        return [figure.name for figure in self.figures]

    @property
    def lower_is_better(self) -> set[str]:
        """The names of figures for which lower is better."""
        return {figure.name for figure in self.figures if not figure.higher_is_better}

    def of(self, sums: Array) -> F64:
        """Return the figures of sums of shape (..., counts), in the shape (..., figures)."""
        named = dict(zip(self.counts, np.moveaxis(sums, -1, 0), strict=True))
        # A ratio without a denominator is undefined: NaN, and null in tables.
        with np.errstate(divide="ignore", invalid="ignore"):
            every = [computed(figure, named, sums.shape[:-1]) for figure in self.figures]
        figures = np.stack(every, axis=-1) if every else np.empty((*sums.shape[:-1], 0))
        return np.where(np.isfinite(figures), figures, np.nan)

    def signature(self, *parts: str) -> str:
        """Return the signature of all choices that affect a figure."""
        return whole_signature(f"metric:{self.name}", *self.choices, *parts)

    def scores(
        self,
        counts: IntoFrame,
        *,
        by: Sequence[str] | str = (),
        unit: str = "sid",
        bootstrap: int = 0,
        confidence: float = 0.95,
        seed: int = 1,
    ) -> pl.DataFrame:
        """Score systems from a table of counts.

        Parameters
        ----------
        counts
            A table, or a file of one, with system, the unit, the counts and any columns to group
            by.
        by
            Columns to group by besides the system.
        unit
            The column of the unit of resampling, whose rows are resampled together.
        bootstrap
            Number of resamples for intervals; 0 for none.
        confidence, seed
            The confidence level of intervals, and the random seed.

        Returns
        -------
        polars.DataFrame
            One row per system and group: system, the columns in ``by``, the figures, with ``_low``
            and ``_high`` beside each when resampled, and signature. Undefined figures are null,
            and so are the intervals of a single unit.

        Raises
        ------
        InputError
            If a column is missing, or counts are not numbers.
        """
        drawn = Resampling(bootstrap, confidence, seed, of="" if unit == "sid" else unit)
        by = keys_of(by)
        frame = self.checked(counts, [*by, "system", *([unit] if bootstrap else [])])
        check_once(frame, [*by, "system"], unit)
        uneven = lacking(frame, unit) if unit in frame.columns else None
        if uneven is not None:
            warn(f"sums are over different units: {uneven}")
        # The table could not have both columns.
        taken = [name for name in by if name in (*self.counts, *self.names)]
        if taken:
            raise InputError(
                f"groups by {taken[0]}, which is also a result of {self.name}",
                todo="give the column another name",
            )
        return self.scored(frame, by, unit=unit, resampling=drawn)

    def compare(
        self,
        counts: IntoFrame,
        *,
        baseline: str,
        by: Sequence[str] | str = (),
        unit: Rare[str] = "sid",
        bootstrap: Resamples = TEST_RESAMPLES,
        confidence: Confidence = 0.95,
        seed: Seed = 1,
        pairs: Rare[bool] = False,
    ) -> pl.DataFrame:
        """Compare every system with a baseline by the paired bootstrap over units.

        Parameters
        ----------
        counts, by, unit, confidence, seed
            See ``scores``.
        baseline
            The name of a system.
        bootstrap
            Number of resamples.
        pairs
            Correct p-values for all pairs of systems, as is due if the same counts made one of them
            the baseline, such as the best.

        Returns
        -------
        polars.DataFrame
            One row per system, group and figure: system, the columns in ``by``, baseline, measure,
            value, baseline_value, difference, difference_low, difference_high, p_value (two-sided),
            p_corrected (for the number of systems and groups) and signature.

        Raises
        ------
        InputError
            If a column is missing, or the baseline is not among the systems, or is the only one;
            if systems differ in their units, or there is only one unit.
        """
        drawn = Resampling(bootstrap, confidence, seed, of="" if unit == "sid" else unit)
        by = keys_of(by)
        frame = paired_counts(self, counts, by, unit)
        return self.differences(frame, baseline, unit=unit, resampling=drawn, by=by, pairs=pairs)

    def scored(
        self,
        counts: pl.DataFrame,
        by: Sequence[str],
        parts: Sequence[str] = (),
        *,
        unit: str = "sid",
        resampling: Resampling,
        also: Sequence[str] = (),
        bands: Sequence[str] = (),
    ) -> pl.DataFrame:
        """Return scores of checked counts; see ``scores``.

        ``parts`` are added to the signature, ``also`` are more columns to sum, and ``bands`` are
        the values of the column length in order.
        """
        figures = self.table(counts, [*by, "system"], unit=unit, resampling=resampling, also=also)
        mark = self.signature(grouping(by), *parts, resampling.signature)
        return signed(figures, by, mark, bands)

    def table(
        self,
        counts: pl.DataFrame,
        keys: Sequence[str],
        *,
        unit: str = "sid",
        resampling: Resampling = Resampling(0),  # noqa: B008 - immutable
        also: Sequence[str] = (),
    ) -> pl.DataFrame:
        """Return the figures of each group, in the order of their first rows; see ``scores``.

        ``keys`` hold ``system``; ``also`` are more columns to sum.
        """
        added = [pl.col(name).sum() for name in dict.fromkeys([*self.counts, *also])]
        totals = counts.group_by(keys, maintain_order=True).agg(added)
        out = totals[[*keys, *also]].hstack(self.columns(totals))
        if not resampling.resamples:
            return out
        intervals = self._intervals(counts, keys, unit, resampling)
        # Null is a group, too.
        return out.join(intervals, on=list(keys), how="left", nulls_equal=True)

    def columns(self, sums: pl.DataFrame) -> list[pl.Series]:
        """Return the figures of each row of sums."""
        figures = self.of(np.stack([sums[name].to_numpy() for name in self.counts]).T)
        return [
            pl.Series(name, figures[..., at], dtype=pl.Float64, nan_to_null=True)
            for at, name in enumerate(self.names)
        ]

    def differences(
        self,
        counts: pl.DataFrame,
        baseline: str,
        parts: Sequence[str] = (),
        *,
        unit: str = "sid",
        resampling: Resampling,
        alone: bool = False,
        by: Sequence[str] = (),
        pairs: bool = False,
    ) -> pl.DataFrame:
        """Return the differences of systems from a baseline; see ``compare`` and ``scored``.

        A single system, or a single unit to resample, is an error unless it may be ``alone``.
        """
        found = differences(
            self,
            counts,
            baseline,
            parts,
            unit=unit,
            resampling=resampling,
            alone=alone,
            by=by,
            pairs=pairs,
        )
        return found.table

    def _intervals(
        self, counts: pl.DataFrame, keys: Sequence[str], unit: str, resampling: Resampling
    ) -> pl.DataFrame:
        """Return, for each row of the totals, the interval of every figure."""
        groups = [name for name in keys if name != "system"]
        parts = counts.partition_by(groups, maintain_order=True) if groups else [counts]
        rows: list[dict[str, object]] = []
        # Each group is resampled on its own, with the same seed.
        for part in parts:
            systems = part["system"].unique().sort().to_list()
            sample = Sample.draw(self.of, by_unit(part, self.counts, systems, unit), resampling)
            for at, system in enumerate(systems):
                row: dict[str, object] = {name: part[name][0] for name in groups}
                row["system"] = system
                for number, figure in enumerate(self.names):
                    low, high = sample.interval(at, number)
                    row |= {f"{figure}_low": low, f"{figure}_high": high}
                rows.append(row)
        schema = {name: counts.schema[name] for name in keys}
        ends = [f"{name}_{end}" for name in self.names for end in ("low", "high")]
        schema |= dict.fromkeys(ends, pl.Float64())
        return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None).fill_nan(None)

    def checked(self, counts: IntoFrame, keys: Sequence[str], what: str = "") -> pl.DataFrame:
        """Return a table of counts as a frame; see ``count_tables.checked_counts``."""
        what = what or f"the table of counts of {self.name}"
        return checked_counts(counts, self.counts, keys, what, self.limits)


def keys_of(by: Sequence[str] | str) -> list[str]:
    """Return the distinct columns to group by besides the system."""
    names = [by] if isinstance(by, str) else by
    return [name for name in dict.fromkeys(names) if name != "system"]


def signed(
    table: pl.DataFrame, by: Sequence[str], mark: str, bands: Sequence[str] = ()
) -> pl.DataFrame:
    """Return scores with system and groups first, sorted by them, and their signature last."""
    first = ["system", *by]
    if table.height > 1:
        # `bands` are the values of the column length in their order, which is not alphabetical.
        sorted_by = [
            pl.col(name).replace_strict(list(bands), range(len(bands)), return_dtype=pl.Int64)
            if bands and name == "length"
            else pl.col(name)
            for name in first
        ]
        table = table.sort(sorted_by)
    rest = [name for name in table.columns if name not in first]
    return table[[*first, *rest]].with_columns(pl.lit(mark).alias("signature"))


def combine_measures(measures: Sequence[Measure], choices: Sequence[str] = ()) -> Measure:
    """Combine several measures of the same units, with shared ``choices``."""
    return Measure(
        ",".join(measure.name for measure in measures),
        tuple(name for measure in measures for name in measure.counts),
        tuple(figure for measure in measures for figure in measure.figures),
        (*choices, *(choice for measure in measures for choice in measure.choices)),
        tuple(limit for measure in measures for limit in measure.limits),
    )
