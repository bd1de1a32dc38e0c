"""The measure of beads against gold: its counts, and figures of their sums or of documents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.figures import Formula, Ratio, Sums, ratio
from alignframe.stats.measure import Measure

_SIDES = (("precision", "hyp"), ("recall", "gold"))
COUNTS_BY_TYPE = ("n_hyp", "n_gold", "n_hyp_strict", "n_gold_strict", "n_hyp_lax", "n_gold_lax")
COUNTS = (
    *COUNTS_BY_TYPE,
    *("n_hyp_pairs", "n_gold_pairs", "n_both_pairs"),
    *("n_src_aligned", "n_tgt_aligned", "n_src", "n_tgt"),
)
"""The counts of a document."""


def beads_measure(
    one_sided: str = "precision",
    *,
    lengths: bool = False,
    of_types: bool = False,
    gold_as_written: bool = False,
) -> Measure:
    """Return the measure behind ``scores``, in total or by type."""
    figures: list[Ratio | Formula] = []
    for kind in ("strict", "lax"):
        sides = (Ratio(f"{kind}_{name}", f"n_{side}_{kind}", f"n_{side}") for name, side in _SIDES)
        precision, recall = sides
        figures += [precision, recall, Formula(f"{kind}_f", partial(_f, precision, recall))]
    if not of_types:
        figures += [
            Ratio(f"pair_{name}", "n_both_pairs", f"n_{side}_pairs") for name, side in _SIDES
        ]
        figures.append(Formula("alignment_rate", _alignment_rate))
    choices = (
        f"empty:{'count' if of_types else one_sided}",
        "average:corpus",
        "missing:empty",
        *([] if of_types else [f"lengths:{'given' if lengths else 'last-bead'}"]),
        *(["gold:as-written"] if gold_as_written else []),
    )
    limits = [(figure.top, figure.bottom) for figure in figures if isinstance(figure, Ratio)]
    counts = COUNTS_BY_TYPE if of_types else COUNTS
    return Measure("beads", counts, tuple(figures), choices, tuple(limits))


def _f(precision: Ratio, recall: Ratio, sums: Sums) -> F64:
    """Return 2PR / (P + R); 0 where both are 0, NaN where either is NaN."""
    p, r = precision.of(sums), recall.of(sums)
    out: F64 = np.where(np.isnan(p) | np.isnan(r), np.nan, 0.0)
    np.divide(2 * p * r, p + r, out=out, where=p + r > 0)
    return out


def _alignment_rate(sums: Sums) -> F64:
    """Return the share of aligned sentences, averaged over sides with sentences."""
    src, tgt = (ratio(sums[f"n_{side}_aligned"], sums[f"n_{side}"]) for side in ("src", "tgt"))
    both: F64 = np.where(np.isnan(src), tgt, np.where(np.isnan(tgt), src, (src + tgt) / 2))
    return both


def of_documents(measure: Measure, counted: pl.DataFrame) -> tuple[Measure, pl.DataFrame]:
    """Return a measure of macro averages, and its counts."""
    # Each figure becomes the mean over the documents, one per row, for which it is defined: its
    # sum and their number are counts, `<figure>_sum` and `<figure>_docs`.
    columns = {figure.name: figure for figure in measure.columns(counted.select(measure.counts))}
    for name in (name_of_column for name_of_column in columns if name_of_column.endswith("_f")):
        # F is over the documents that recall is over, 0 where a system has nothing.
        recall = columns[f"{name.removesuffix('_f')}_recall"]
        columns[name] = columns[name].fill_null(0.0).set(recall.is_null(), None)
    figures = columns.values()
    sums = [figure.fill_null(0.0).alias(f"{figure.name}_sum") for figure in figures]
    numbers = [
        figure.is_not_null().cast(pl.Int64).alias(f"{figure.name}_docs") for figure in figures
    ]
    means = replace(
        measure,
        counts=tuple(column.name for column in (*sums, *numbers)),
        figures=tuple(Ratio(name, f"{name}_sum", f"{name}_docs") for name in measure.names),
        choices=tuple(
            "average:documents" if choice == "average:corpus" else choice
            for choice in measure.choices
        ),
    )
    return means, counted.hstack([*sums, *numbers])
