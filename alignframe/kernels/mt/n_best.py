"""The n best paths through a lattice.

A* search from the end, with the score of a node as the exact cost of the rest of a path
(tree-trellis search, Soong & Huang 1991):

    estimate of a partial path = gains from its node to the end + score of its node

so paths are found in order, and only necessary nodes are visited.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, I64
from alignframe.kernels.arrays import grown
from alignframe.kernels.heap import pop, push
from alignframe.kernels.jit import jit
from alignframe.kernels.mt.decoder import decode
from alignframe.kernels.mt.lattice import Arcs, Language, Nodes, Options
from alignframe.kernels.text.ngram_model import Tree


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


# The best candidate of each segment along a line in the space of weights (Och 2003).
#
# Along ``weights + x * direction``, a candidate's score is a line in x, ``scores + x * slopes``,
# and the best candidates are the upper envelope of these lines. Lines are put on a stack by
# ascending slope; each first removes those that it overtakes before they begin to be best (as in
# Andrew's monotone chain), so an envelope takes linear time after sorting.


@jit
def best_candidates(at: I64, scores: F64) -> I64:
    """Return the first of the best candidates ``at[s] <= k < at[s + 1]`` of each segment s."""
    best = np.empty(at.size - 1, np.int64)
    for s in range(best.size):
        best[s] = at[s]
        for k in range(at[s] + 1, at[s + 1]):
            if scores[k] > scores[best[s]]:
                best[s] = k
    return best


@jit
def envelopes(at: I64, order: I64, scores: F64, slopes: F64) -> tuple[I64, F64, I64, I64]:
    """Return the upper envelope of each segment's candidates, as lines ``scores + x * slopes``.

    Segment s has the candidates ``at[s] <= k < at[s + 1]``; ``order`` sorts each segment's by
    ascending slope. Return the best candidate of each segment at minus infinity; then every x at
    which a best candidate changes, with the old and the new one.
    """
    first = np.empty(at.size - 1, np.int64)
    thresholds = np.empty(1024)
    before, after = np.empty(1024, np.int64), np.empty(1024, np.int64)
    n = 0
    longest = 0
    for s in range(first.size):
        longest = max(longest, at[s + 1] - at[s])
    hull = np.empty(longest, np.int64)
    begins = np.empty(longest)
    for s in range(first.size):
        size = 0
        for place in range(at[s], at[s + 1]):
            k = order[place]
            x = -np.inf
            # Of parallel lines only the highest counts; ties keep the first.
            if size > 0 and slopes[hull[size - 1]] == slopes[k]:
                if scores[k] <= scores[hull[size - 1]]:
                    continue
                size -= 1
            while size > 0:
                top = hull[size - 1]
                # Where line k overtakes the last one: before that begins to be best, it never is.
                x = (scores[top] - scores[k]) / (slopes[k] - slopes[top])
                if x > begins[size - 1]:
                    break
                size -= 1
            hull[size] = k
            begins[size] = x if size > 0 else -np.inf
            size += 1
        first[s] = hull[0]
        thresholds = grown(thresholds, n + size)
        before, after = grown(before, n + size), grown(after, n + size)
        for k in range(1, size):
            thresholds[n], before[n], after[n] = begins[k], hull[k - 1], hull[k]
            n += 1
    return first, thresholds[:n], before[:n], after[:n]
