"""The most probable source positions of each target word, in a fixed number of slots.

Sums of probabilities over samples would need an array of all pairs of positions; nearly all of
their mass is in a few positions, of which the ``SLOTS`` with the largest sums are kept. Target word
t has the slots ``SLOTS * t`` to ``SLOTS * (t + 1)``: a position in its sentence, or -1 for NULL,
with a weight, which is 0 for a free slot. Most words have one or two in use, so all but those being
filled are packed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I16, I32, I64, U8
from alignframe.kernels.aligners.weighted_links import Weighted
from alignframe.kernels.jit import jit

SLOTS = 4

AT_A_TIME = 1 << 18
"""About how many target words have their slots unpacked at a time."""


class Slots(NamedTuple):
    """Positions, and the sums of their probabilities."""

    places: I16
    weights: F32


class Packed(NamedTuple):
    """Slots in use, ``sizes[t]`` of target word t, all in order."""

    sizes: U8
    places: I16
    weights: F32


def make_slots(words: int) -> Slots:
    """Return free slots for target words."""
    return Slots(np.full(SLOTS * words, -1, np.int16), np.zeros(SLOTS * words, np.float32))


def pieces(tgt_at: I64) -> Iterator[tuple[int, int]]:
    """Yield the sentences of each piece of a text whose slots are packed together."""
    words = tgt_at - tgt_at[0]
    ends = np.searchsorted(words, np.arange(0, words[-1], AT_A_TIME))
    yield from pairwise(np.unique([*ends, tgt_at.size - 1]).tolist())


@jit
def pack(slots: Slots) -> Packed:
    """Return the slots in use."""
    places, weights = slots.places, slots.weights
    n = 0
    for weight in weights:
        n += weight > 0
    sizes = np.zeros(weights.size // SLOTS, np.uint8)
    packed_places, packed_weights = np.empty(n, np.int16), np.empty(n, np.float32)
    n = 0
    for k in range(weights.size):
        if weights[k] > 0:
            sizes[k // SLOTS] += 1
            packed_places[n], packed_weights[n] = places[k], weights[k]
            n += 1
    return Packed(sizes, packed_places, packed_weights)


def unpack(packed: Packed) -> Slots:
    """Return all slots, as they were before ``pack``."""
    slots = make_slots(packed.sizes.size)
    _unpack(packed, slots)
    return slots


@jit
def _unpack(packed: Packed, slots: Slots) -> None:
    sizes, places, weights = packed
    all_places, all_weights = slots
    n = 0
    for t in range(sizes.size):
        # The first slots of a word are used first.
        for k in range(SLOTS * t, SLOTS * t + sizes[t]):
            all_places[k], all_weights[k] = places[n], weights[n]
            n += 1


@jit
def remember(places: I16, weights: F32, t: int, place: int, weight: float) -> None:
    """Add to the weight of a position; a new one takes a free or the least probable slot."""
    least = t * SLOTS
    for k in range(t * SLOTS, (t + 1) * SLOTS):
        if weights[k] == 0 or places[k] == place:
            places[k] = place
            weights[k] += weight
            return
        if weights[k] < weights[least]:
            least = k
    # What was in the slot is lost, so sums are lower bounds.
    if weight > weights[least]:
        places[least] = place
        weights[least] = weight


@jit
def merge(ours: Slots, theirs: Slots) -> None:
    """Add the weights of ``theirs`` to the same words' slots of ``ours``."""
    places, weights = ours.places, ours.weights
    their_places, their_weights = theirs.places, theirs.weights
    for k in range(their_weights.size):
        if their_weights[k] > 0:
            # As in a sweep, so that it is compiled for one type.
            place = np.int64(their_places[k])
            remember(places, weights, k // SLOTS, place, their_weights[k])


def best(slots: Slots, samples: float) -> tuple[I32, F32]:
    """Return the most probable position of each target word, -1 for NULL, and its probability.

    ``samples`` is the number of samples, by which sums of probabilities are divided.
    """
    weights = slots.weights.reshape(-1, SLOTS)
    at = np.arange(len(weights)) * SLOTS + weights.argmax(axis=1)
    return slots.places[at].astype(np.int32), slots.weights[at] / np.float32(samples)


def likely(tgt_at: I64, slots: Slots, samples: float, threshold: float) -> Weighted:
    """Return the links that are more probable than a threshold, by target word."""
    probability = slots.weights / np.float32(samples)
    kept = np.flatnonzero((probability > threshold) & (slots.places >= 0))
    word = kept // SLOTS
    # Slots are by target word, so kept ones are ascending: where each sentence's end.
    ends = np.searchsorted(word, tgt_at - tgt_at[0])
    first = np.repeat(tgt_at[:-1] - tgt_at[0], np.diff(ends))
    i = slots.places[kept].astype(np.int32)
    return Weighted(ends, i, (word - first).astype(np.int32), probability[kept])
