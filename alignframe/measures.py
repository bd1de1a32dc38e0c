"""The measures of Fraser & Marcu 2007 as functions of counts, over numpy arrays.

The counts may be those of sentences, a corpus, or resamples of it. Undefined values are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from alignframe.arrays import F64, I64
from alignframe.errors import InputError, check_hits, is_number, plain

Counts = F64 | I64


MEASURED = ("n_hyp", "n_sure", "n_hyp_sure", "n_hyp_possible")
"""The counts behind the measures, in the order of ``aer`` and ``f_alpha``."""


def ratio(top: Counts, bottom: Counts) -> F64:
    """Return ``top / bottom``; NaN where ``bottom`` is 0."""
    top, bottom = np.asarray(top, np.float64), np.asarray(bottom, np.float64)
    out = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


def share(hits: Counts, total: Counts) -> F64:
    """Return ``hits / total``; NaN where the total is 0."""
    hits, total = np.broadcast_arrays(hits, total)
    check_hits(hits, total)
    return ratio(hits, total)


def precision(n_hyp: Counts, n_hyp_possible: Counts) -> F64:
    """Return |P∩A| / |A| (eq. 1); NaN where A is empty."""
    return share(n_hyp_possible, n_hyp)


def recall(n_sure: Counts, n_hyp_sure: Counts) -> F64:
    """Return |S∩A| / |S| (eq. 2); NaN where S is empty."""
    return share(n_hyp_sure, n_sure)


def aer(n_hyp: Counts, n_sure: Counts, n_hyp_sure: Counts, n_hyp_possible: Counts) -> F64:
    """Return 1 - (|P∩A| + |S∩A|) / (|S| + |A|) (eq. 3); NaN where both sets are empty."""
    share(n_hyp_possible, n_hyp)
    share(n_hyp_sure, n_sure)
    return 1 - ratio(
        np.add(n_hyp_possible, n_hyp_sure, dtype=np.float64),
        np.add(n_sure, n_hyp, dtype=np.float64),
    )


def f_alpha(
    alpha: float, n_hyp: Counts, n_sure: Counts, n_hyp_sure: Counts, n_hyp_possible: Counts
) -> F64:
    """Return 1 / (α / Precision + (1 - α) / Recall) (eqs. 4 and 5).

    α below 0.5 weights recall. 0 where precision or recall is 0, or A is empty; NaN where S is
    empty.
    """
    check_alpha(alpha)
    alpha = plain(alpha)
    p, r = precision(n_hyp, n_hyp_possible), recall(n_sure, n_hyp_sure)
    p = np.where(np.isnan(p), 0.0, p)
    if p.shape != r.shape:
        p, r = np.broadcast_arrays(p, r)
    good = (p > 0) & (r > 0)
    out: F64 = np.where(np.isnan(r), np.nan, 0.0)
    # The same formula as the macro f_alpha, so that both round alike.
    out[good] = 1 / (alpha / p[good] + (1 - alpha) / r[good])
    return out


def check_alpha(alpha: float) -> None:
    """Raise an InputError if ``alpha`` is not a number from 0 to 1."""
    if not (is_number(alpha) and math.isfinite(alpha) and 0 <= alpha <= 1):
        raise InputError(f"`alpha` is {alpha!r}", expected="a number from 0 to 1")


def checked_alphas(alpha: Sequence[float] | float) -> list[float]:
    """Return distinct values of α, given alone or in a list."""
    given = list(alpha) if isinstance(alpha, Iterable) else [alpha]
    for one in given:
        check_alpha(one)
    return list(dict.fromkeys(float(plain(one)) for one in given))


def alpha_name(alpha: float) -> str:
    """Return the name of the column of F for a given α."""
    short = f"{alpha:g}"
    return f"f_{short}" if float(short) == alpha else f"f_{alpha!r}"
