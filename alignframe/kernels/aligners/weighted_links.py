"""Links of sentences, from the source position of each target word or from link probabilities.

A target word has one link at most, to its best source position (the Viterbi alignment), or those
whose posterior probability exceeds a threshold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32, I64
from alignframe.kernels.arrays import sort
from alignframe.kernels.jit import jit
from alignframe.kernels.small import call


class Weighted(NamedTuple):
    """Links from source places i to target places j, with their probabilities.

    Sentence s has the links ``offsets[s] <= k < offsets[s + 1]``.
    """

    offsets: I64
    i: I32
    j: I32
    probability: F32


@jit
def _chosen(tgt_at: I64, places: I32, probabilities: F32) -> tuple[I64, I32, I32, F32]:
    """Return the fields of ``chosen``; links are by target position."""
    offsets = np.zeros(len(tgt_at), np.int64)
    i, j = np.empty(len(places), np.int32), np.empty(len(places), np.int32)
    link_p = np.empty(len(places), np.float32)
    n = 0
    for s in range(len(tgt_at) - 1):
        first = tgt_at[s] - tgt_at[0]
        for k in range(first, tgt_at[s + 1] - tgt_at[0]):
            if places[k] >= 0:
                i[n], j[n], link_p[n] = places[k], k - first, probabilities[k]
                n += 1
        offsets[s + 1] = n
    return offsets, i[:n], j[:n], link_p[:n]


def chosen(tgt_at: I64, places: I32, probabilities: F32) -> Weighted:
    """Return the links of target words with one source position each, or -1."""
    return Weighted(*call(_chosen, tgt_at, places, probabilities))


@jit
def _likely(src_at: I64, at: I64, posteriors: F32, threshold: float) -> tuple[I64, I32, I32, F32]:
    """Return the fields of ``likely``; links are by target position, then by source position."""
    offsets = np.zeros(at.size, np.int64)
    # Counted first, so that the results have no spare room.
    size = 0
    for p in posteriors:
        size += p > threshold
    i, j = np.empty(size, np.int32), np.empty(size, np.int32)
    link_p = np.empty(size, np.float32)
    n = 0
    for s in range(at.size - 1):
        n_src = src_at[s + 1] - src_at[s]
        for k in range(at[s + 1] - at[s]):
            p = posteriors[at[s] + k]
            if p > threshold:
                # Posteriors of a sentence have the shape (n_tgt, n_src), flat.
                i[n], j[n], link_p[n] = k % n_src, k // n_src, p
                n += 1
        offsets[s + 1] = n
    return offsets, i, j, link_p


def likely(src_at: I64, at: I64, posteriors: F32, threshold: float) -> Weighted:
    """Return the links with a probability above a threshold.

    That of the places (i, j) of sentence s is ``posteriors[at[s] + j * n_src_words + i]``.
    """
    return Weighted(*_likely(src_at, at, posteriors, threshold))


def put_in_order(offsets: I64, i: I32, j: I32, probability: F32) -> None:
    """Sort each sentence's links by (i, j), in place; both are below 65,536."""
    call(_put_in_order, offsets, i, j, probability.view(np.int32))


@jit
def _put_in_order(offsets: I64, i: I32, j: I32, bits: I32) -> None:
    """Sort links whose probabilities are given as bits, with the sign bit clear.

    Bits of numbers of 0 or more sort like the numbers, so one number holds a whole link: 16 bits
    each of i and j, and 31 of the probability.
    """
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    keys = np.empty(longest, np.int64)
    for s in range(len(offsets) - 1):
        low, high = offsets[s], offsets[s + 1]
        in_order = True
        for k in range(high - low):
            at = low + k
            keys[k] = (np.int64(i[at]) << 47) | (np.int64(j[at]) << 31) | bits[at]
            in_order &= k == 0 or keys[k] >= keys[k - 1]
        if not in_order:
            sort(keys, high - low)
            for k in range(high - low):
                # i is below 65,536, so the sign bit stays clear.
                i[low + k] = keys[k] >> 47
                j[low + k] = (keys[k] >> 31) & 0xFFFF
                bits[low + k] = keys[k] & 0x7FFFFFFF
