"""Connected components of words, made fully connected.

A sentence's words are the nodes of a graph, its links the edges; each component becomes complete:
every source word in it is linked to every target word (the union of Fraser & Marcu 2007).
Components are found by union-find with path halving (Tarjan & van Leeuwen 1984).
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I64, U16
from alignframe.kernels.arrays import grown, sort
from alignframe.kernels.jit import jit


@jit
def _root(parent: I64, node: int) -> int:
    """Return the root of a node's component, halving the path to it."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@jit
def closure(offsets: I64, i: U16, j: U16) -> tuple[I64, U16, U16]:
    """Make every connected component of words fully connected; links must be sorted."""
    rows = offsets.size - 1
    ends = np.zeros(rows + 1, np.int64)
    out_i = np.empty(2 * i.size + 16, np.uint16)
    out_j = np.empty(2 * i.size + 16, np.uint16)
    # Source word i is node i, target word j is node 65,536 + j.
    parent = np.empty(1 << 17, np.int64)
    first = np.empty(1 << 17, np.int64)
    after = np.empty(1 << 16, np.int64)
    targets = np.empty(i.size, np.int64)
    n = 0
    for r in range(rows):
        row = range(offsets[r], offsets[r + 1])
        for k in row:
            # Only the sentence's own nodes are reset.
            for node in (np.int64(i[k]), (1 << 16) + np.int64(j[k])):
                parent[node] = node
        for k in row:
            source_root = _root(parent, np.int64(i[k]))
            target_root = _root(parent, (1 << 16) + np.int64(j[k]))
            parent[source_root] = target_root
        # Each component's root has a linked list of target words, ascending.
        size = 0
        for k in row:
            targets[size] = j[k]
            size += 1
            first[_root(parent, (1 << 16) + np.int64(j[k]))] = -1
        sort(targets, size)
        # From the last one on, as each is put in front; repeats follow each other and are skipped.
        for k in range(size - 1, -1, -1):
            target = targets[k]
            root = _root(parent, (1 << 16) + target)
            if first[root] != target:
                after[target] = first[root]
                first[root] = target
        previous = np.int64(-1)
        for k in row:
            source = np.int64(i[k])
            if source == previous:
                continue
            previous = source
            # Links are sorted, so each source word comes up once, in order.
            target = first[_root(parent, source)]
            while target >= 0:
                out_i = grown(out_i, n + 1)
                out_j = grown(out_j, n + 1)
                out_i[n] = source
                out_j[n] = target
                n += 1
                target = after[target]
        ends[r + 1] = n
    return ends, out_i[:n].copy(), out_j[:n].copy()
