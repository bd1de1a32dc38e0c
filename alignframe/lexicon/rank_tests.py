"""Comparing lexicons on the words that both have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.signatures import whole_signature
from alignframe.lexicon.rates import Rates
from alignframe.stats.ranks import ranks

# With more differences, the signed-rank statistic is taken as normal, as scipy does by default.
_EXACT = 50

_SCHEMA = {
    "lexicon": pl.String,
    "other": pl.String,
    "k": pl.Int64,
    "types": pl.Int64,
    "precision": pl.Float64,
    "other_precision": pl.Float64,
    "difference": pl.Float64,
    "wins": pl.Int64,
    "losses": pl.Int64,
    "ties": pl.Int64,
    "statistic": pl.Float64,
    "p_value": pl.Float64,
    "signature": pl.String,
}


def rank_tests(rates: Mapping[str, Rates], k: int, baseline: str | None) -> pl.DataFrame:
    """Return the tests of every pair of lexicons, or of each against a baseline, by depth."""
    pairs = (
        combinations(rates, 2)
        if baseline is None
        else ((name, baseline) for name in rates if name != baseline)
    )
    rows = [
        {"lexicon": name, "other": other, "k": depth + 1} | _row(rates[name], rates[other], depth)
        for name, other in pairs
        for depth in range(k)
    ]
    mark = whole_signature(
        "metric:bible|weigh:types|pairs:nonempty|"
        "types:known-to-both|test:wilcoxon,two-sided,ties:left-out"
    )
    return pl.DataFrame([row | {"signature": mark} for row in rows], schema=_SCHEMA)


def _row(mine: Rates, others: Rates, depth: int) -> dict[str, object]:
    """Return the figures of two lexicons over their common words."""
    both = mine.known & others.known
    types = int(np.count_nonzero(both))
    pairs = mine.pairs[both]
    hits, other_hits = mine.hits[both, depth], others.hits[both, depth]
    differences = (hits - other_hits) / pairs  # in integers, so that equal ones tie
    precision = float((hits / pairs).mean()) if types else None
    other = float((other_hits / pairs).mean()) if types else None
    statistic, p_value = wilcoxon(differences) if types else (None, None)
    return {
        "types": types,
        "precision": precision,
        "other_precision": other,
        "difference": float(differences.mean()) if types else None,
        "wins": int(np.count_nonzero(differences > 0)),
        "losses": int(np.count_nonzero(differences < 0)),
        "ties": int(np.count_nonzero(differences == 0)),
        "statistic": statistic,
        "p_value": p_value,
    }


def wilcoxon(differences: F64) -> tuple[float, float]:
    """Return the signed-rank statistic and its p-value, ignoring zero differences."""
    left = differences[differences != 0]
    n = left.size
    if not n:
        return 0.0, 1.0
    if n <= _EXACT:
        from scipy.stats import wilcoxon as exact  # slow to import

        test = exact(left)
        return float(test.statistic), float(test.pvalue)
    ranked = ranks(np.abs(left))
    tied = np.unique(ranked, return_counts=True)[1].astype(np.float64)
    # The variance under the null hypothesis, less what ties take from it.
    variance = (n * (n + 1.0) * (2.0 * n + 1.0) - float((tied**3 - tied).sum()) / 2) / 24
    statistic = min(float(ranked[left > 0].sum()), float(ranked[left < 0].sum()))
    z = (n * (n + 1.0) / 4 - statistic) / math.sqrt(variance)
    return statistic, math.erfc(z / math.sqrt(2))
