"""Means, orders and comparisons over the training sets of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from alignframe.lexicon.compare import wilcoxon

BACK_OFF = "back-off"
"""What the cascaded back-off is called among the cascades."""

MEASURES = ("precision", "percent_correct")

_TESTED = 6
"""With fewer training sets no difference can be significant at 5 %."""

_WILCOXON = {
    "cascade": pl.String,
    "other": pl.String,
    "size": pl.Int64,
    "k": pl.Int64,
    "sets": pl.Int64,
    "difference": pl.Float64,
    "p_value": pl.Float64,
}


def student_interval(
    values: Sequence[float | None], confidence: float
) -> tuple[float | None, float | None, float | None]:
    """Return the mean of the values there are, and its interval by Student's t; None for none."""
    from scipy.stats import t

    known = [value for value in values if value is not None]
    n = len(known)
    if not n:
        return None, None, None
    mean = math.fsum(known) / n
    if n == 1:
        return mean, None, None
    reach = float(t.ppf((1 + confidence) / 2, n - 1)) * float(np.std(known, ddof=1)) / math.sqrt(n)
    return mean, mean - reach, mean + reach


def summarize(scores: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the means over training sets, with their intervals."""
    # Means are taken here and not by polars, whose sums depend on the number of threads.
    keys = ["cascade", "size", "k"]
    rows, names = [], [f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")]
    for *key, precision, correct in (
        scores.group_by(keys, maintain_order=True).agg(*MEASURES).iter_rows()
    ):
        means = [student_interval(values, confidence) for values in (precision, correct)]
        rows.append((*key, len(precision), *means[0], *means[1]))
    schema = dict.fromkeys(["cascade", "size", "k", "sets"], pl.Int64) | {"cascade": pl.String}
    return pl.DataFrame(rows, schema | dict.fromkeys(names, pl.Float64), orient="row")


def order_of(summary: pl.DataFrame) -> pl.DataFrame:
    """Return the cascades of each size, the most precise one first."""
    ordered = summary.filter(k=1).sort(
        "size", "precision", "cascade", descending=[False, True, False], nulls_last=True
    )
    place = pl.int_range(1, pl.len() + 1).over("size")
    return ordered.select("size", place.alias("place"), "cascade", "precision")


def test_against(scores: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Test every cascade against the baseline over training sets."""
    keys = ["size", "set", "k"]
    others = scores.filter(cascade=baseline).select(*keys, other_precision="precision")
    mine = scores.filter(~pl.col("cascade").is_in([baseline, BACK_OFF]))
    # Rounding makes differences tie that are equal but for the last bit.
    paired = (
        mine.join(others, on=keys, maintain_order="left")
        .with_columns(difference=(pl.col("precision") - pl.col("other_precision")).round(12))
        .drop_nulls("difference")
        .group_by("cascade", "size", "k", maintain_order=True)
        .agg("difference")
    )
    rows = []
    for name, size, k, values in paired.iter_rows():
        p_value = wilcoxon(np.array(values))[1] if len(values) >= _TESTED else None
        mean = math.fsum(values) / len(values)
        rows.append((name, baseline, size, k, len(values), mean, p_value))
    return pl.DataFrame(rows, schema=_WILCOXON, orient="row")


def compare_with(summary: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Compare every cascade with the baseline at the first and the last depth."""
    ends = summary.filter(pl.col("k").is_in([1, summary["k"].max()]))
    keys = ["size", "k", "measure"]
    long = pl.concat(
        ends.select("cascade", "size", "k", measure=pl.lit(name), value=name, low=low, high=high)
        for name, low, high in ((name, f"{name}_low", f"{name}_high") for name in MEASURES)
    )
    others = long.filter(cascade=baseline).drop("cascade")
    paired = long.filter(pl.col("cascade") != baseline).join(
        others, on=keys, suffix="_of_other", maintain_order="left"
    )
    other = pl.col("value_of_other")
    gain = pl.col("value") - other
    above, below = pl.col("low") > pl.col("high_of_other"), pl.col("high") < pl.col("low_of_other")
    return paired.select(
        "cascade",
        pl.lit(baseline).alias("other"),
        *keys,
        "value",
        other.alias("other_value"),
        gain.alias("gain"),
        pl.when(other > 0).then(gain / other).alias("relative_gain"),
        apart=above | below,
    )
