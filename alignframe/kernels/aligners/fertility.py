"""Fertilities and NULL in Models 3 and 4 (Brown et al. 1993, sections 4.4 and 4.5).

An alignment assigns each of m target words a source word ``at[j]`` from 1 on, or NULL, which is 0.
A source word's fertility φ is its number of target words, with probability n(φ | word); NULL's is

    C(m - φ, φ) p0^(m - 2 φ) p1^φ

so that NULL has at most half of the target words. Logarithms are natural.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I64, frozen
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


# The position parameters of Model 3, d(j | i, l, m), for the sentence lengths of a text.
#
# A source word at position i of l puts each of its target words at position j of m with probability
#
# d(j | i, l, m) = (1 - smoothing) * count(j, i, l, m) / sum over j + smoothing / m
#
# (Brown et al. 1993, section 4.4). The parameters of each pair of lengths (l, m) are a block.

MAX_LENGTH = 100
"""In longer sentences, on either side, all positions are equally probable."""


class Blocks(NamedTuple):
    """A block of positions for each pair of lengths.

    Block b, for ``src_sizes[b]`` source and ``tgt_sizes[b]`` target words, begins at ``at[b]``;
    source position i and target position j are at ``at[b] + j * src_sizes[b] + i``. Sentence s has
    the block that begins at ``of[s]``, or -1.
    """

    src_sizes: I64
    tgt_sizes: I64
    at: I64
    of: I64

    @property
    def size(self) -> int:
        """The number of positions in all blocks."""
        return int(self.at[-1])


def make_blocks(src_at: I64, tgt_at: I64) -> Blocks:
    """Return the blocks for the sentence pairs of a text."""
    src_sizes, tgt_sizes = np.diff(src_at), np.diff(tgt_at)
    short = (src_sizes <= MAX_LENGTH) & (tgt_sizes <= MAX_LENGTH)
    keys = src_sizes[short] * (MAX_LENGTH + 1) + tgt_sizes[short]
    lengths, block = np.unique(keys, return_inverse=True)
    block_src, block_tgt = np.divmod(lengths, MAX_LENGTH + 1)
    at = np.concatenate([np.zeros(1, np.int64), np.cumsum(block_src * block_tgt)])
    of = np.full(src_sizes.size, -1, np.int64)
    of[short] = at[block]
    return Blocks(frozen(block_src), frozen(block_tgt), frozen(at), frozen(of))


def log_places(blocks: Blocks, counts: F64, smoothing: float) -> F64:
    """Return log d(j | i, l, m) for all blocks, from counts in the same layout."""
    logs = np.empty(blocks.size)
    _log_places(blocks.src_sizes, blocks.tgt_sizes, blocks.at, counts, smoothing, logs)
    return frozen(logs)


@jit
def _log_places(
    src_sizes: I64, tgt_sizes: I64, at: I64, counts: F64, smoothing: float, logs: F64
) -> None:
    """Write the logarithms; a source position without counts is uniform."""
    for b in range(src_sizes.size):
        n, m = src_sizes[b], tgt_sizes[b]
        block_counts, out = counts[at[b] : at[b + 1]], logs[at[b] : at[b + 1]]
        for i in range(n):
            # The target positions of source position i are n places apart.
            total = block_counts[i::n].sum()
            for k in range(i, n * m, n):
                share = block_counts[k] / total if total > 0.0 else 1.0 / m
                out[k] = np.log((1.0 - smoothing) * share + smoothing / m)
