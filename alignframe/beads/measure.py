"""The measure of beads against gold: its counts, and figures of their sums."""

from __future__ import annotations

from functools import partial

import numpy as np

from alignframe.arrays import F64
from alignframe.measures import ratio
from alignframe.stats.figures import Formula, Ratio, Sums
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
    return Measure("beads", COUNTS_BY_TYPE if of_types else COUNTS, tuple(figures), choices)


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
