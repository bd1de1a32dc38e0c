"""Link probabilities of sentences outside the training text, each independently.

The model is that of ``kernels.aligners.gibbs`` with fixed parameters. Alignments are summed by
forward-backward (Vogel, Ney & Tillmann 1996), in which a link to source word s has the factors

    n(k + 1 | s) / n(k | s), for the fertility k of s expected from the other target words
    1 + more * q^2, for the probability q of the link in the other direction, if there is one

a mean field approximation: all expectations come from the previous round. The second factor is
that of samplers, whose links are certain; see ``alignframe.aligners.bayes``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32, I64, frozen
from alignframe.kernels.aligners.expected_rounds import (
    BLOCK,
    apply_fertilities,
    backward,
    begin,
    blocks,
    favour,
    forward,
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


class Given(NamedTuple):
    """Sentence pairs in one direction, and the parameters of their words.

    Sentence s has the words ``src[src_at[s] : src_at[s + 1]]``, alike of the target.
    ``concentration`` is the pseudo-count of each pair of words. ``ahead`` has the probability of
    each jump, with width 0 in the middle, and ``back`` the same reversed, both with ``BLOCK`` more
    on either side than the longest sentence needs.
    """

    src_at: I64
    src: I32
    tgt_at: I64
    tgt: I32
    counts: Counted
    known: Words
    forms: Forms
    similar: Similar
    concentration: np.float32
    ahead: F32
    back: F32

    def part(self, low: int, high: int) -> Given:
        """Return the sentences ``low <= s < high``."""
        src_at, tgt_at = self.src_at[low : high + 1], self.tgt_at[low : high + 1]
        return self._replace(
            src_at=frozen(src_at - src_at[0]),
            src=frozen(self.src[src_at[0] : src_at[-1]]),
            tgt_at=frozen(tgt_at - tgt_at[0]),
            tgt=frozen(self.tgt[tgt_at[0] : tgt_at[-1]]),
        )


@jit
def expect(
    one: Given, other: Given, more: float, at_a_time: int, seen: Slots, others_seen: Slots
) -> None:
    """Add the probabilities of every target word's positions to ``seen``.

    Each round uses the expected fertilities and links of the previous one; the first uses those
    without jumps, with uniform positions. The result for a sentence depends only on its own words.

    ``other`` is the other direction of the same sentences, and ``others_seen`` what is seen in it;
    neither is used if ``more`` is 0. ``at_a_time`` is the number of position pairs whose links are
    weighted at a time, or more in a long sentence.
    """
    both = more > 0
    src_at, tgt_at = one.src_at, one.tgt_at
    widest, longest, most = 1, 1, 1
    for s in range(src_at.size - 1):
        n, m = src_at[s + 1] - src_at[s], tgt_at[s + 1] - tgt_at[s]
        widest, longest, most = max(widest, n), max(longest, m), max(most, n * m)
    size = max(most, min(at_a_time, _pairs(src_at, tgt_at)))
    weighed = np.empty(size, np.float32)
    others_weighed = np.empty(size if both else 0, np.float32)
    room = make_room(widest, longest, one.known.growth, one.ahead, one.back)
    others_room = make_room(longest, widest, other.known.growth, other.ahead, other.back)
    # Words have other numbers in the other direction, if its model knows others.
    src, tgt, nulls = one.src, one.tgt, one.known.null
    others_src, others_tgt, others_nulls = other.src, other.tgt, other.known.null
    high = 0
    while high < src_at.size - 1:
        low, n_pairs = high, 0
        # As many sentences as fit; the first one always does.
        while high < src_at.size - 1:
            n_pairs += (src_at[high + 1] - src_at[high]) * (tgt_at[high + 1] - tgt_at[high])
            if n_pairs > size:
                break
            high += 1
        _weigh(one, low, high, weighed)
        if both:
            _weigh(other, low, high, others_weighed)
        done = 0
        for s in range(low, high):
            words = src[src_at[s] : src_at[s + 1]]
            n, m = words.size, tgt_at[s + 1] - tgt_at[s]
            rows, columns = np.uint64(n), np.uint64(m)
            begin(rows, tgt[tgt_at[s] : tgt_at[s + 1]], nulls, weighed[done:], room)
            if both:
                theirs = others_tgt[src_at[s] : src_at[s + 1]]
                begin(columns, theirs, others_nulls, others_weighed[done:], others_room)
            for _ in range(_ROUNDS):
                apply_fertilities(words, columns, room)
                if both:
                    theirs = others_src[tgt_at[s] : tgt_at[s + 1]]
                    apply_fertilities(theirs, rows, others_room)
                    favour(rows, columns, more, room, others_room)
                    favour(columns, rows, more, others_room, room)
                    forward(m, rows, others_room)
                    backward(m, rows, others_room)
                forward(n, columns, room)
                backward(n, columns, room)
            _remember(tgt_at[s] - tgt_at[0], columns, blocks(n + 1), room.tables.share, seen)
            if both:
                share = others_room.tables.share
                _remember(src_at[s] - src_at[0], rows, blocks(m + 1), share, others_seen)
            done += n * m


@jit
def _weigh(given: Given, low: int, high: int, weighed: F32) -> None:
    """Write the probabilities of target words given source words, of some sentences."""
    weigh(
        given.src_at[low : high + 1],
        given.src,
        given.tgt_at[low : high + 1],
        given.tgt,
        given.counts,
        given.known,
        given.forms,
        given.similar,
        given.concentration,
        weighed,
    )


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
