"""The likeliest source places of each target word, without room for all places.

Target word t has the slots ``SLOTS * t`` to ``SLOTS * (t + 1)``: a place in its sentence, or -1 for
NULL, with a weight, which is 0 where a slot is free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, I16, I32, I64
from alignframe.kernels.jit import jit
from alignframe.kernels.links import Weighted

SLOTS = 4


class Slots(NamedTuple):
    """Places, and the sums of their probabilities."""

    places: I16
    weights: F32


def make_slots(words: int) -> Slots:
    """Return free slots for so many target words."""
    return Slots(np.full(SLOTS * words, -1, np.int16), np.zeros(SLOTS * words, np.float32))


@jit
def remember(places: I16, weights: F32, t: int, place: int, weight: float) -> None:
    """Add to the weight of a place; a new one takes a free slot, or that of the least weight."""
    least = t * SLOTS
    for k in range(t * SLOTS, (t + 1) * SLOTS):
        if weights[k] == 0 or places[k] == place:
            places[k] = place
            weights[k] += weight
            return
        if weights[k] < weights[least]:
            least = k
    if weight > weights[least]:
        places[least] = place
        weights[least] = weight


@jit
def merge(ours: Slots, theirs: Slots) -> None:
    """Add the weights of ``theirs`` to ``ours``."""
    places, weights = ours.places, ours.weights
    their_places, their_weights = theirs.places, theirs.weights
    for k in range(their_weights.size):
        if their_weights[k] > 0:
            remember(places, weights, k // SLOTS, their_places[k], their_weights[k])


def best(slots: Slots, samples: float) -> tuple[I32, F32]:
    """Return the likeliest place of each target word, -1 for NULL, and its probability."""
    weights = slots.weights.reshape(-1, SLOTS)
    at = np.arange(len(weights)) * SLOTS + weights.argmax(axis=1)
    return slots.places[at].astype(np.int32), slots.weights[at] / np.float32(samples)


def likely(tgt_at: I64, slots: Slots, samples: float, threshold: float) -> Weighted:
    """Return the links that are more probable than a threshold, by target word."""
    probability = slots.weights / np.float32(samples)
    kept = np.flatnonzero((probability > threshold) & (slots.places >= 0))
    word = kept // SLOTS
    ends = np.searchsorted(word, tgt_at - tgt_at[0])
    first = np.repeat(tgt_at[:-1] - tgt_at[0], np.diff(ends))
    i = slots.places[kept].astype(np.int32)
    return Weighted(ends, i, (word - first).astype(np.int32), probability[kept])
