"""Fertilities and NULL in Models 3 and 4 (Brown et al. 1993, sections 4.4 and 4.5).

An alignment assigns each of m target words a source word ``at[j]`` from 1 on, or NULL, which is 0.
A source word's fertility φ is its number of target words, with probability n(φ | word); NULL's is

    C(m - φ, φ) p0^(m - 2 φ) p1^φ

so that NULL has at most half of the target words. Logarithms are natural.
"""

from __future__ import annotations

import math

import numpy as np

from alignframe.arrays import F64, I64
from alignframe.kernels.jit import jit

MAX_FERTILITY = 10
"""The largest fertility with a probability of its own."""
LOG_FLOOR = math.log(1e-7)
"""The logarithm of the smallest probability; each word above ``MAX_FERTILITY`` adds it once."""


@jit
def log_fertility(row: F64, phi: int) -> float:
    """Return the log-probability of a fertility from those up to ``MAX_FERTILITY``."""
    if phi <= MAX_FERTILITY:
        return row[phi]
    return row[MAX_FERTILITY] + (phi - MAX_FERTILITY) * LOG_FLOOR


@jit
def log_null(phi: int, n_tgt: int, log_p0: float, log_p1: float) -> float:
    """Return the log-probability that NULL generates phi of the target words.

    This is ``C(m - φ, φ) p0^(m - 2φ) p1^φ`` (equation 31 of Brown et al., whose φ! for the order of
    NULL's words is cancelled by the 1/φ! for their places).
    """
    rest = n_tgt - 2 * phi
    if rest < 0:
        return -np.inf
    # log C(m - φ, φ): lgamma(n + 1) is log n!.
    ways = math.lgamma(n_tgt - phi + 1.0) - math.lgamma(phi + 1.0) - math.lgamma(rest + 1.0)
    total = ways
    # 0 log 0 is 0 here: p0 or p1 may be 0.
    if rest > 0:
        total += rest * log_p0
    if phi > 0:
        total += phi * log_p1
    return total


@jit
def count_fertilities(at: I64, n_src: int) -> I64:
    """Return the number of target words of NULL and of each source word."""
    fertility = np.zeros(n_src + 1, np.int64)
    for i in at:
        fertility[i] += 1
    return fertility


@jit
def fill_gains(
    fertility: I64, rows: F64, n_tgt: int, log_p0: float, log_p1: float, up: F64, down: F64
) -> None:
    """Write the gains in log-probability when a source word gets or loses a target word.

    ``rows`` has the log-probabilities of the fertilities of each source word of the sentence.
    """
    phi = fertility[0]
    null = log_null(phi, n_tgt, log_p0, log_p1)
    up[0] = log_null(phi + 1, n_tgt, log_p0, log_p1) - null
    # A word cannot lose what it does not have.
    down[0] = log_null(phi - 1, n_tgt, log_p0, log_p1) - null if phi > 0 else -np.inf
    for i in range(1, fertility.size):
        phi = fertility[i]
        now = log_fertility(rows[i - 1], phi)
        up[i] = log_fertility(rows[i - 1], phi + 1) - now
        down[i] = log_fertility(rows[i - 1], phi - 1) - now if phi > 0 else -np.inf


@jit
def log_fertilities(fertility: I64, rows: F64, n_tgt: int, log_p0: float, log_p1: float) -> float:
    """Return the log-probability of a sentence's fertilities, including NULL's."""
    total = log_null(fertility[0], n_tgt, log_p0, log_p1)
    for i in range(1, fertility.size):
        total += log_fertility(rows[i - 1], fertility[i])
    return total


@jit
def make_possible(at: I64, logs: F64) -> None:
    """Reassign words from NULL, at the least loss, until it has at most half of them.

    ``logs[j, i]`` is the log-probability of target word j at source word i.
    """
    nulls = 0
    for i in at:
        nulls += i == 0
    while 2 * nulls > at.size:
        best, place, word = -np.inf, 0, 0
        for j in range(at.size):
            if at[j] == 0:
                for i in range(1, logs.shape[1]):
                    gain = logs[j, i] - logs[j, 0]
                    if gain > best:
                        best, place, word = gain, i, j
        at[word] = place
        nulls -= 1
