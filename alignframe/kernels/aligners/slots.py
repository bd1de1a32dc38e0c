"""The most probable source positions of each target word, in a fixed number of slots.

Sums of probabilities over samples would need an array of all pairs of positions; nearly all of
their mass is in a few positions, of which the ``SLOTS`` with the largest sums are kept. Target word
t has the slots ``SLOTS * t`` to ``SLOTS * (t + 1)``: a position in its sentence, or -1 for NULL,
with a weight, which is 0 for a free slot.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I16, I32, I64
from alignframe.kernels.aligners.weighted_links import Weighted
from alignframe.kernels.jit import jit

SLOTS = 4

_AT_A_TIME = 1 << 19
"""The number of target words processed at a time if their slots are in a file."""


class Slots(NamedTuple):
    """Positions, and the sums of their probabilities."""

    places: I16
    weights: F32

    def let_go(self) -> None:
        """Release memory pages of slots that are in a file."""
        for array in self:
            base: Any = array.base
            if isinstance(base, mmap.mmap) and hasattr(base, "madvise"):
                base.madvise(mmap.MADV_DONTNEED)

    def parts(self) -> Iterator[Slots]:
        """Yield the slots in pieces, releasing pieces of a file."""
        step = SLOTS * _AT_A_TIME
        for low in range(0, self.weights.size, step):
            yield Slots(self.places[low : low + step], self.weights[low : low + step])
            self.let_go()


def make_slots(words: int, folder: str | None = None) -> Slots:
    """Return free slots for target words: in memory, or in unnamed files in a folder."""
    size = SLOTS * words
    if folder is None:
        return Slots(np.full(size, -1, np.int16), np.zeros(size, np.float32))
    slots = Slots(_in_file(size, np.int16, folder), _in_file(size, np.float32, folder))
    # Weights of a new file are 0 already.
    slots.places[:] = -1
    slots.let_go()
    return slots


def _in_file(size: int, kind: Any, folder: str) -> Any:
    """Return memory-mapped zeros; the file is deleted with them."""
    with TemporaryFile(dir=folder) as file:
        return np.memmap(file, kind, "w+", shape=size)


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


def merge(ours: Slots, theirs: Slots) -> None:
    """Add the weights of ``theirs`` to ``ours``."""
    for mine, other in zip(ours.parts(), theirs.parts(), strict=True):
        _merge(mine, other)


@jit
def _merge(ours: Slots, theirs: Slots) -> None:
    """Add weights slot by slot to the same word's slots."""
    places, weights = ours.places, ours.weights
    their_places, their_weights = theirs.places, theirs.weights
    for k in range(their_weights.size):
        if their_weights[k] > 0:
            remember(places, weights, k // SLOTS, their_places[k], their_weights[k])


def best(slots: Slots, samples: float) -> tuple[I32, F32]:
    """Return the most probable position of each target word, -1 for NULL, and its probability.

    ``samples`` is the number of samples, by which sums of probabilities are divided.
    """
    words = slots.weights.size // SLOTS
    place, probability, t = np.empty(words, np.int32), np.empty(words, np.float32), 0
    for part in slots.parts():
        weights = part.weights.reshape(-1, SLOTS)
        at = np.arange(len(weights)) * SLOTS + weights.argmax(axis=1)
        place[t : t + at.size] = part.places[at]
        probability[t : t + at.size] = part.weights[at]
        t += at.size
    probability /= np.float32(samples)
    return place, probability


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
