"""Translation tables: probabilities from counts, and lookup for another text.

    p(t | s) = count(s, t) / sum over t of count(s, t)                            EM
    p(t | s) = exp(ψ(count(s, t) + α) - ψ(sum over t of (count(s, t) + α)))       variational Bayes

(Beal 2003, section 3.3). A table has one value per cell, as in ``alignframe.kernels.cells``.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, I64, Floats
from alignframe.kernels.jit import jit

TINY = 1e-30
"""A lower bound on exp(E[log p]): it must not be 0 for all words of a sentence."""


@jit
def add_at(counts: F64, cells: I32, some: F64) -> None:
    """Add the counts of some cells to those of all."""
    for k in range(cells.size):
        counts[cells[k]] += some[k]


@jit
def normalize(starts: I64, counts: F64, alpha: float, table: Floats) -> None:
    """Normalise counts to probabilities in each row; a row without counts is uniform.

    An ``alpha`` above 0 is the concentration of a symmetric Dirichlet prior over a row's cells;
    probabilities are then exp(E[log p]), the M-step of variational Bayes (Beal 2003, section 3.3).
    """
    for r in range(len(starts) - 1):
        low, high = starts[r], starts[r + 1]
        total = 0.0
        for c in range(low, high):
            total += counts[c]
        if total <= 0.0:
            for c in range(low, high):
                table[c] = 1.0 / (high - low)
        elif alpha <= 0.0:
            part = 1.0 / total
            for c in range(low, high):
                table[c] = counts[c] * part
        else:
            whole = digamma(total + alpha * (high - low))
            for c in range(low, high):
                table[c] = max(np.exp(digamma(counts[c] + alpha) - whole), TINY)


@jit
def digamma(x: float) -> float:
    """Return ψ(x) for x > 0, to an error of about 1e-12.

    ψ(x) = ψ(x + 1) - 1/x up to x = 8; then the asymptotic series (Abramowitz & Stegun 6.3.18).
    """
    below = 0.0
    while x < 8.0:
        below += 1.0 / x
        x += 1.0
    # A polynomial in 1 / x^2, by Horner's rule: Bernoulli numbers over twice their index.
    y = 1.0 / (x * x)
    series = y * (
        1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760))))
    )
    return np.log(x) - 0.5 / x - series - below


@jit
def look_up(
    starts: I64,
    targets: I32,
    values: Floats,
    wanted_starts: I64,
    wanted_targets: I32,
    rows: I32,
    columns: I32,
    floor: float,
) -> Floats:
    """Return the values of a table for the cells of another, at least ``floor``.

    Row r of the other is row ``rows[r]`` of the table, its target word t is ``columns[t]``; -1 is
    unknown.
    """
    looked_up = np.full(wanted_targets.size, floor, values.dtype)
    n_tgt = 0
    for t in targets:
        n_tgt = max(n_tgt, t + 1)
    # Known words may have no cell in the table.
    for t in columns:
        n_tgt = max(n_tgt, t + 1)
    dense = np.zeros(n_tgt, values.dtype)
    for r in range(wanted_starts.size - 1):
        if rows[r] < 0 or wanted_starts[r] == wanted_starts[r + 1]:
            continue
        low, high = starts[rows[r]], starts[rows[r] + 1]
        # One row at a time is spread out by target word, and cleared after use.
        for c in range(low, high):
            dense[targets[c]] = values[c]
        for c in range(wanted_starts[r], wanted_starts[r + 1]):
            t = columns[wanted_targets[c]]
            if t >= 0 and dense[t] > floor:
                looked_up[c] = dense[t]
        for c in range(low, high):
            dense[targets[c]] = 0.0
    return looked_up
