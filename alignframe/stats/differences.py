"""Differences of systems from a baseline, tested together over groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.errors import InputError, check_known, number_of, warn
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.count_tables import check_once, lacking
from alignframe.stats.sample import Sample, by_unit, corrected
from alignframe.typing import IntoFrame

if TYPE_CHECKING:
    from alignframe.stats.measure import Measure

_COLUMNS = {
    **dict.fromkeys(("baseline", "measure"), pl.String()),
    **dict.fromkeys(("value", "baseline_value"), pl.Float64()),
    **dict.fromkeys(("difference", "difference_low", "difference_high"), pl.Float64()),
    **dict.fromkeys(("p_value", "p_corrected"), pl.Float64()),
}
"""The columns of a comparison after system and groups."""


class Differences(NamedTuple):
    """The differences from a baseline, and the tests of all pairs that were corrected together."""

    table: pl.DataFrame
    samples: Sequence[Sample]  # of each group
    family: Sequence[tuple[Sample, int, int]]  # of two systems in the order of their names
    p_values: F64  # (figures, family)
    signature: str


def differences(
    measure: Measure,
    counts: pl.DataFrame,
    baseline: str,
    parts: Sequence[str] = (),
    *,
    unit: str,
    resampling: Resampling,
    alone: bool = False,
    by: Sequence[str] = (),
    pairs: bool = False,
) -> Differences:
    """Return the differences in each group.

    All tests of a figure are one family, with those of all ``pairs`` of systems if p-values are
    corrected for these. Groups without the baseline, or of it alone, are left out
    with a warning. See ``Measure.differences``.
    """
    place_of(baseline, counts["system"].unique().sort().to_list(), alone=alone)
    family: list[tuple[Sample, int, int]] = []
    apart: list[tuple[Sample, int, int]] = []  # pairs without the baseline
    heads: list[dict[str, object]] = []
    groups = counts.sort(by).partition_by(by, maintain_order=True) if by else [counts]
    samples: list[Sample] = []
    left = 0
    for group in groups:
        names = group["system"].unique().sort().to_list()
        if by and (baseline not in names or len(names) < 2):
            left += 1
            continue
        base = names.index(baseline)
        grid = by_unit(group, measure.counts, names, unit)
        if not alone:
            resampling.check_units(len(grid))
        sample = Sample.draw(measure.of, grid, resampling)
        samples.append(sample)
        others = [at for at in range(len(names)) if at != base]
        family += [(sample, at, base) for at in others]
        apart += [(sample, *two) for two in combinations(others, 2) if pairs]
        own = {name: group[name][0] for name in by}
        heads += [{"system": names[at], **own, "baseline": baseline} for at in others]
    if left:
        warn(
            f"{number_of(left, 'group')} of {len(groups):,} by {', '.join(by)} left out, which "
            f"{'has' if left == 1 else 'have'} no counts of {baseline}, or of no other system"
        )
    if left == len(groups):
        raise InputError(
            f"no group by {', '.join(by)} has counts of {baseline} and of another system",
            expected="two systems to compare in a group",
        )
    every = family + apart
    p_values = np.array(
        [corrected([(*test, number) for test in every]) for number, _ in enumerate(measure.names)]
    )
    rows = [
        head
        | {"measure": figure}
        | sample.difference(at, base, number)
        | {"p_corrected": p_values[number, place]}
        for place, (head, (sample, at, base)) in enumerate(zip(heads, family, strict=True))
        for number, figure in enumerate(measure.names)
    ]
    schema = {name: counts.schema[name] for name in by}
    table = pl.DataFrame(rows, schema={"system": pl.String(), **schema, **_COLUMNS}).fill_nan(None)
    exchanged = any(sample.exchanges(len(every)) for sample in samples)
    drawn = resampling.paired_signature(exchanged=exchanged, pairs=pairs)
    mark = measure.signature(grouping(by), *parts, drawn)
    return Differences(table.with_columns(signature=pl.lit(mark)), samples, every, p_values, mark)


def paired_counts(
    measure: Measure, counts: IntoFrame, by: Sequence[str], unit: str
) -> pl.DataFrame:
    """Return counts as a frame, in which all systems have the same units once."""
    frame = measure.checked(counts, [*by, "system", unit])
    check_once(frame, [*by, "system"], unit)
    check_even(frame, by, unit)
    return frame


def check_even(counts: pl.DataFrame, by: Sequence[str], unit: str) -> None:
    """Refuse systems that lack units of others in a group."""
    for group in counts.partition_by(by, maintain_order=True) if by else [counts]:
        uneven = lacking(group, unit, group_name(group, by))
        if uneven is not None:
            raise uneven


def grouping(by: Sequence[str]) -> str:
    """Return the signature part for the grouping columns, if any."""
    return f"by:{','.join(by)}" if by else ""


def group_name(group: pl.DataFrame, by: Sequence[str]) -> str:
    """Return what messages call a group, from its first row; empty without groups."""
    return ", ".join(f"{name} {group[name][0]}" for name in by)


def place_of(baseline: str, systems: Sequence[str], *, alone: bool = False) -> int:
    """Return the index of a baseline among systems."""
    if len(systems) < 2 and not alone:
        raise InputError(
            f"only the system {systems[0]!r}" if systems else "a table without rows",
            expected="two or more to compare",
        )
    check_known("`baseline`", baseline, systems)
    return list(systems).index(baseline)
