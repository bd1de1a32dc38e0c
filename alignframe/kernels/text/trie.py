"""Phrases as nodes of a hashed trie, with a number for every phrase.

A phrase is its prefix extended by one word: the 64-bit key ``parent << 32 | word`` of an
open-addressing table (linear probing, multiplicative hashing by 2^64 over the golden ratio, Knuth
1973, section 6.4). Keys are exact, so different phrases never share a node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, U64, frozen
from alignframe.kernels.jit import jit

ROOT = 0
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Nodes(NamedTuple):
    """A trie that no longer grows, for kernels.

    ``slots`` is an open-addressing table, its size a power of two, of the numbers of nodes (0 where
    there is none); ``edges`` holds, for each node, its parent and its last word as
    ``parent << 32 | word``. Node 0 is the root, the phrase without words.
    """

    slots: I32
    edges: U64


class Trie:
    """A trie that grows with new phrases."""

    def __init__(self, room: int = 1024) -> None:
        size = 1 << max(4, (2 * room - 1).bit_length())
        self._slots = np.zeros(size, np.int32)
        self._edges = np.zeros(size // 2, np.uint64)
        self.size = 1

    def add(self, words: I32, starts: I64, ends: I64) -> I32:
        """Return the node of each phrase ``words[starts[k] : ends[k]]``."""
        starts, ends = frozen(starts), frozen(ends)
        nodes = np.empty(starts.size, np.int32)
        done = 0
        while True:
            # Until the trie is full; then it is doubled, and the rest is added.
            done, self.size = _add(
                self._slots, self._edges, self.size, words, starts, ends, nodes, done
            )
            if done == starts.size:
                return nodes
            edges = np.zeros(2 * self._edges.size, np.uint64)
            edges[: self.size] = self._edges[: self.size]
            self._edges = edges
            self._slots = np.zeros(0, np.int32)  # freed before it is doubled
            self._slots = np.zeros(2 * edges.size, np.int32)
            _fill(self._slots, self._edges, self.size)

    def nodes(self) -> Nodes:
        """Return the trie as it is now."""
        return Nodes(frozen(self._slots), frozen(self._edges[: self.size]))

    def close(self) -> None:
        """Free the memory needed only for adding phrases."""
        self._slots = np.zeros(0, np.int32)
        self._edges = self._edges[: self.size].copy()

    def phrases(self, nodes: I32) -> tuple[I64, I32]:
        """Return where the phrase of each node starts, the end as a last entry, and the words."""
        return _phrases(self._edges, frozen(nodes))


@jit
def slot_of(edge: np.uint64, bits: np.uint64) -> np.uint64:
    """Return the first slot to probe for an edge in a table of ``1 << bits`` slots."""
    # The high bits of the product; the shift brings the parent's number down to the word's bits.
    return ((edge ^ (edge >> np.uint64(29))) * _MULTIPLIER) >> (np.uint64(64) - bits)


@jit
def bits_of(slots: I32) -> np.uint64:
    """Return the binary logarithm of a table's size."""
    bits = np.uint64(0)
    while (np.int64(1) << np.int64(bits)) < slots.size:
        bits += np.uint64(1)
    return bits


@jit
def child(slots: I32, edges: U64, bits: np.uint64, node: int, word: int) -> int:
    """Return the node of a phrase extended by one word, or 0."""
    edge = (np.uint64(node) << np.uint64(32)) | np.uint64(word)
    mask = np.uint64(slots.size - 1)
    slot = slot_of(edge, bits)
    # No child has the number 0, the root, so 0 is a free slot.
    while slots[slot] != 0:
        if edges[slots[slot]] == edge:
            return np.int64(slots[slot])
        slot = (slot + np.uint64(1)) & mask
    return 0


@jit
def _add(
    slots: I32, edges: U64, size: int, words: I32, starts: I64, ends: I64, nodes: I32, first: int
) -> tuple[int, int]:
    """Add phrases from ``first`` on until the trie is full; return the next one."""
    bits = bits_of(slots)
    mask = np.uint64(slots.size - 1)
    for k in range(first, starts.size):
        # A phrase may need a node for each of its words.
        if size + (ends[k] - starts[k]) > edges.size:
            return k, size
        node = np.int64(ROOT)
        for at in range(starts[k], ends[k]):
            edge = (np.uint64(node) << np.uint64(32)) | np.uint64(words[at])
            slot = slot_of(edge, bits)
            while slots[slot] != 0 and edges[slots[slot]] != edge:
                slot = (slot + np.uint64(1)) & mask
            if slots[slot] == 0:
                slots[slot] = size
                edges[size] = edge
                size += 1
            node = np.int64(slots[slot])
        nodes[k] = node
    return starts.size, size


@jit
def _fill(slots: I32, edges: U64, size: int) -> None:
    """Enter the nodes of a trie into an empty table."""
    bits = bits_of(slots)
    mask = np.uint64(slots.size - 1)
    for node in range(1, size):
        slot = slot_of(edges[node], bits)
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = node


@jit
def _phrases(edges: U64, nodes: I32) -> tuple[I64, I32]:
    """Return where each phrase starts, and the words: two passes from the nodes up to the root."""
    starts = np.zeros(nodes.size + 1, np.int64)
    for k in range(nodes.size):
        node = np.int64(nodes[k])
        starts[k + 1] = starts[k]
        while node != ROOT:
            starts[k + 1] += 1
            node = np.int64(edges[node] >> np.uint64(32))
    words = np.empty(starts[-1], np.int32)
    for k in range(nodes.size):
        node = np.int64(nodes[k])
        at = starts[k + 1]
        while node != ROOT:
            at -= 1
            words[at] = np.int32(edges[node] & np.uint64(0xFFFFFFFF))
            node = np.int64(edges[node] >> np.uint64(32))
    return starts, words
