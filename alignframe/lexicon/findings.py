"""Means, rankings and comparisons over the training sets of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.lexicon.changes import changes
from alignframe.lexicon.rank_tests import wilcoxon

BACK_OFF = "back-off"
"""The name of the cascaded back-off among the cascades."""

MEASURES = ("precision", "recall", "percent_correct")

_CHANGED = {
    "cascade": pl.String,
    "other": pl.String,
    "size": pl.Int64,
    "words": pl.Int64,
    "changed": pl.Int64,
    "better": pl.Int64,
    "worse": pl.Int64,
}
_CHANGES: dict[str, pl.DataType | type[pl.DataType]] = {
    "cascade": pl.String,
    "other": pl.String,
    "size": pl.Int64,
    **dict.fromkeys(("src", "before", "after"), pl.String),
    **dict.fromkeys(("before_place", "after_place"), pl.Int32),
    **dict.fromkeys(("before_list", "after_list"), pl.List(pl.String)),
    **dict.fromkeys(("pairs", "before_hits", "after_hits"), pl.Int64),
}

# With fewer training sets no difference can be significant at 5%.
_TESTED = 6

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
    """Return the mean of non-null shares and its interval by Student's t; None if all are null.

    The interval of a share stays within 0 and 1.
    """
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    known = [value for value in values if value is not None]
    n = len(known)
    if not n:
        return None, None, None
    mean = math.fsum(known) / n
    if n == 1:
        return mean, None, None
    # t times the standard error of the mean.
    reach = (
        float(stdtrit(n - 1, (1 + confidence) / 2)) * float(np.std(known, ddof=1)) / math.sqrt(n)
    )
    return mean, max(mean - reach, 0.0), min(mean + reach, 1.0)


def summarize(scores: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the means over training sets, with their intervals."""
    # Means are not left to polars, whose sums depend on the number of threads.
    keys = ["cascade", "size", "k"]
    rows, names = [], [f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")]
    for *key, sets, first, second, third in (
        scores.group_by(keys, maintain_order=True).agg(pl.len(), *MEASURES).iter_rows()
    ):
        means = (student_interval(values, confidence) for values in (first, second, third))
        rows.append((*key, sets, *chain.from_iterable(means)))
    schema = dict.fromkeys(["cascade", "size", "k", "sets"], pl.Int64) | {"cascade": pl.String}
    return pl.DataFrame(rows, schema | dict.fromkeys(names, pl.Float64), orient="row")


def order_of(summary: pl.DataFrame) -> pl.DataFrame:
    """Return the cascades of each size, most precise first."""
    ordered = summary.filter(k=1).sort(
        "size", "precision", "cascade", descending=[False, True, False], nulls_last=True
    )
    place = pl.int_range(1, pl.len() + 1).over("size")
    return ordered.select("size", place.alias("place"), "cascade", "precision")


def best_of(summary: pl.DataFrame) -> pl.DataFrame:
    """Return the cascades with the highest mean for each size, depth and measure."""
    alone = summary.filter(pl.col("cascade") != BACK_OFF)
    keys = ["size", "k", "measure"]
    long = pl.concat(
        alone.select("size", "k", pl.lit(name).alias("measure"), "cascade", value=name)
        for name in MEASURES
    )
    best = long.filter(pl.col("value") == pl.col("value").max().over(keys))
    return best.sort(keys, maintain_order=True)


def changed_words(
    lexicons: Mapping[str, pl.DataFrame], baseline: str, test: pa.Table, size: int, top: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return how many words' best translation differs from the baseline's, and the first words."""
    full = {name: table for name, table in lexicons.items() if table.height}
    if baseline not in full or len(full) < 2:
        return pl.DataFrame(schema=_CHANGED), pl.DataFrame(schema=_CHANGES)
    ordered = {baseline: full.pop(baseline), **full}
    differences = changes(ordered, test, threads=1).select(
        pl.col("lexicon").alias("cascade"),
        pl.col("baseline").alias("other"),
        pl.lit(size, pl.Int64).alias("size"),
        pl.exclude("lexicon", "baseline"),
    )
    known = {name: set(table["src"]) for name, table in ordered.items()}
    rows = []
    for name in full:
        mine = differences.filter(cascade=name)
        gain = mine["after_hits"] - mine["before_hits"]
        rows.append(
            (
                name,
                baseline,
                size,
                len(known[name] & known[baseline]),
                mine.height,
                int((gain > 0).sum()),
                int((gain < 0).sum()),
            )
        )
    return (
        pl.DataFrame(rows, schema=_CHANGED, orient="row"),
        differences.group_by("cascade", maintain_order=True).head(top),
    )


def test_against(scores: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """Test every cascade against the baseline over training sets."""
    keys = ["size", "set", "k"]
    others = scores.filter(cascade=baseline).select(*keys, other_precision="precision")
    mine = scores.filter(~pl.col("cascade").is_in([baseline, BACK_OFF]))
    # Rounded, so that differences equal up to the last bit tie.
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
