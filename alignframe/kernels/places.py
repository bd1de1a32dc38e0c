"""The position parameters of Model 3, d(j | i, l, m), for the sentence lengths of a text.

A source word at position i of l puts each of its target words at position j of m with probability

    d(j | i, l, m) = (1 - smoothing) * count(j, i, l, m) / sum over j + smoothing / m

(Brown et al. 1993, section 4.4). The parameters of each pair of lengths (l, m) are a block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F64, I64
from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import frozen

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
