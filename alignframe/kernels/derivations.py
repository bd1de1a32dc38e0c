"""The n best paths through a lattice.

A* search from the end, with the score of a node as the exact cost of the rest of a path
(tree-trellis search, Soong & Huang 1991):

    estimate of a partial path = gains from its node to the end + score of its node

so paths are found in order, and only necessary nodes are visited.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import F64, I32, I64
from alignframe.kernels.arrays import grown
from alignframe.kernels.decoder import decode
from alignframe.kernels.heap import pop, push
from alignframe.kernels.jit import jit
from alignframe.kernels.lattice import Arcs, Language, Nodes, Options
from alignframe.kernels.ngram_model import Tree


@jit
def best_ways(nodes: Nodes, arcs: Arcs, size: int, wanted: int) -> tuple[I64, I32, F64]:
    """Return arcs and scores of the ``wanted`` best paths from the first node to the last.

    Each popped entry is completed at once along its best arcs to the first node, and the other arcs
    on the path are queued, so every pop gives a path even with many ties. Path k has the arcs
    ``path_arcs[at[k] : at[k + 1]]``.
    """
    keys, ids = np.empty(64), np.empty(64, np.int32)
    behind = np.empty(64)
    node_of, arc_of, parent = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int32)
    node_of[0], arc_of[0], parent[0], behind[0] = size - 1, -1, -1, 0.0
    push(keys, ids, 0, nodes.score[size - 1], 0)
    queued, n = 1, 1
    at = np.zeros(wanted + 1, np.int64)
    scores = np.empty(wanted)
    path_arcs = np.empty(64, np.int32)
    k, used = 0, 0
    while queued > 0 and k < wanted:
        item = np.int64(ids[0])
        pop(keys, ids, queued)
        queued -= 1
        node = np.int64(node_of[item])
        # An entry is a partial path: its node, the arc that leaves it, the entry after it, and the
        # gain from there to the end (``behind``).
        while node != 0:
            arc = np.int64(nodes.arc[node])
            best, highest = n, -np.inf
            first = n
            while arc >= 0:
                source = np.int64(arcs.source[arc])
                node_of, arc_of = grown(node_of, n + 1), grown(arc_of, n + 1)
                parent, behind = grown(parent, n + 1), grown(behind, n + 1)
                node_of[n], arc_of[n], parent[n] = source, arc, item
                behind[n] = behind[item] + arcs.gain[arc]
                # The best arc keeps the estimate of the entry.
                if nodes.score[source] + behind[n] > highest:
                    best, highest = n, nodes.score[source] + behind[n]
                n += 1
                arc = np.int64(arcs.next[arc])
            keys, ids = grown(keys, queued + n - first), grown(ids, queued + n - first)
            for other in range(first, n):
                if other != best:
                    push(keys, ids, queued, nodes.score[node_of[other]] + behind[other], other)
                    queued += 1
            item, node = best, np.int64(node_of[best])
        # From the first node to the end: entries lead forward, in the order of the translation.
        scores[k] = behind[item]
        while parent[item] >= 0:
            path_arcs = grown(path_arcs, used + 1)
            path_arcs[used] = arc_of[item]
            used += 1
            item = np.int64(parent[item])
        k += 1
        at[k] = used
    return at[: k + 1], path_arcs[:used], scores[:k]


@jit
def translate(
    tree: Tree,
    language: Language,
    states: I32,
    options: Options,
    starts: I64,
    words: I32,
    first: int,
    last: int,
    longest: int,
    limit: int,
    weight: float,
    most: int,
    wanted: int,
) -> tuple[I64, F64, I64, I32, I32]:
    """Return the best translations of sentences from ``first`` to ``last``.

    Sentence r has the words ``words[starts[r] : starts[r + 1]]``; for the rest see ``decode``.
    Return the sentence and the score of each translation; translation k has the options
    ``used[at[k] : at[k + 1]]``, which translate the source words from ``places`` on.
    """
    rows, scores = np.empty(64, np.int64), np.empty(64)
    at = np.zeros(64, np.int64)
    used, places = np.empty(64, np.int32), np.empty(64, np.int32)
    n, m = 0, 0
    for r in range(first, last):
        nodes, arcs, size = decode(
            tree,
            language,
            states,
            options,
            words[starts[r] : starts[r + 1]],
            longest,
            limit,
            weight,
            most,
        )
        ways, found, gained = best_ways(nodes, arcs, size, wanted)
        rows, scores = grown(rows, n + gained.size), grown(scores, n + gained.size)
        at = grown(at, n + gained.size + 1)
        used, places = grown(used, m + found.size), grown(places, m + found.size)
        for k in range(gained.size):
            rows[n], scores[n] = r, gained[k]
            for way in range(ways[k], ways[k + 1] - 1):  # the last arc leads to the end
                used[m], places[m] = arcs.option[found[way]], arcs.start[found[way]]
                m += 1
            n += 1
            at[n] = m
    return rows[:n], scores[:n], at[: n + 1], used[:m], places[:m]
