"""Link probabilities of sentences outside the training text, each independently.

The model is that of ``kernels.aligners.gibbs`` with fixed parameters. Alignments are summed by
forward-backward (Vogel, Ney & Tillmann 1996), in which a link to source word s has the factor

    n(k + 1 | s) / n(k | s), for the fertility k of s expected from the other target words

a mean field approximation: all expectations come from the previous round.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F32, I32, I64
from alignframe.kernels.aligners.expected_rounds import (
    BLOCK,
    apply_fertilities,
    backward,
    blocks,
    forward,
    initialize,
    make_room,
    total_of,
)
from alignframe.kernels.aligners.link_weights import Counted, Forms, Words, weigh
from alignframe.kernels.aligners.similar_words import Similar
from alignframe.kernels.aligners.slots import Slots, remember
from alignframe.kernels.jit import jit

_ROUNDS = 2
"""Links are worse after one round, and after three, which make probabilities too extreme."""

_LEAST = np.float32(0.01)
"""Less probable positions are not kept."""


@jit
def expect(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    counts: Counted,
    known: Words,
    forms: Forms,
    similar: Similar,
    concentration: float,
    ahead: F32,
    back: F32,
    at_a_time: int,
    seen: Slots,
) -> None:
    """Add the probabilities of every target word's positions to ``seen``.

    Each round uses the expected fertilities of the previous one; the first uses those without
    jumps, with uniform positions. The result for a sentence depends only on its own words.

    ``concentration`` is the pseudo-count of each pair of words. ``ahead`` has the probability of
    each jump, with width 0 in the middle, and ``back`` the same reversed, both with ``BLOCK`` more
    on either side than the longest sentence needs. ``at_a_time`` is the number of position pairs
    whose links are weighted at a time, or more in a long sentence.
    """
    widest, longest, most = 1, 1, 1
    for s in range(src_at.size - 1):
        n, m = src_at[s + 1] - src_at[s], tgt_at[s + 1] - tgt_at[s]
        widest, longest, most = max(widest, n), max(longest, m), max(most, n * m)
    tables, factors = make_room(blocks(widest + 1), longest)
    link, share = tables.link, tables.share
    null, usual = np.empty(longest, np.float32), np.empty(longest, np.float32)
    scale = np.empty(longest, np.float32)
    growth, nulls = known.growth, known.null
    weighed = np.empty(max(most, min(at_a_time, _pairs(src_at, tgt_at))), np.float32)
    high = 0
    while high < src_at.size - 1:
        low, n_pairs = high, 0
        # As many sentences as fit; the first one always does.
        while high < src_at.size - 1:
            n_pairs += (src_at[high + 1] - src_at[high]) * (tgt_at[high + 1] - tgt_at[high])
            if n_pairs > weighed.size:
                break
            high += 1
        bounds = (src_at[low : high + 1], tgt_at[low : high + 1])
        weigh(bounds[0], src, bounds[1], tgt, counts, known, forms, similar, concentration, weighed)
        n_copied = np.uint64(0)
        for s in range(low, high):
            words = src[src_at[s] : src_at[s + 1]]
            n, m = np.uint64(words.size), np.uint64(tgt_at[s + 1] - tgt_at[s])
            wide = blocks(words.size + 1)
            for j in range(m):
                null[j] = nulls[tgt[np.uint64(tgt_at[s]) + j]]
                link[j * wide] = 0
                for i in range(n + np.uint64(1), wide):
                    link[j * wide + i] = 0
            # ``weighed`` is by source position, ``link`` by target position; its place 0 is no
            # word.
            for i in range(n):
                for j in range(m):
                    link[j * wide + i + np.uint64(1)] = weighed[n_copied]
                    n_copied += np.uint64(1)
            initialize(words.size, m, wide, null, tables, factors, usual)
            for _ in range(_ROUNDS):
                apply_fertilities(words, m, wide, growth, tables, factors)
                forward(words.size, m, wide, null, usual, ahead, tables, scale)
                backward(words.size, m, wide, null, scale, back, tables, factors)
            _remember(tgt_at[s] - tgt_at[0], m, wide, share, seen)


@jit
def _pairs(src_at: I64, tgt_at: I64) -> int:
    """Return the number of position pairs."""
    n = 0
    for s in range(src_at.size - 1):
        n += (src_at[s + 1] - src_at[s]) * (tgt_at[s + 1] - tgt_at[s])
    return n


@jit
def _remember(t: int, m: np.uint64, wide: np.uint64, share: F32, seen: Slots) -> None:
    """Add the probable positions of the words from t on to ``seen``."""
    places, weights = seen.places, seen.weights
    for j in range(m):
        row = j * wide
        rest = np.float32(1)
        # Most blocks have no probable position, so their sums are tested first; ``rest`` is NULL's
        # share.
        for k in range(row, row + wide, np.uint64(BLOCK)):
            block_share = total_of(share, k, np.uint64(BLOCK))
            rest -= block_share
            if block_share > _LEAST:
                for i in range(k, k + np.uint64(BLOCK)):
                    if share[i] > _LEAST:
                        place = np.int64(i) - np.int64(row) - 1
                        remember(places, weights, t + np.int64(j), place, share[i])
        if rest > _LEAST:
            remember(places, weights, t + np.int64(j), -1, rest)
