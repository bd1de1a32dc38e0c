"""A phrase-based decoder: stacks, cube pruning, recombination (Koehn 2004; Huang & Chiang 2007).

    score = sum over phrases of (their features and language model) - weight * distance

Stacks hold the nodes of 0, 1, ... covered words. From a stack, edges lead to later ones; a stack is
filled with the ``most`` best cells of its edges, in order of estimate (score + future cost). A cell
is a node of the edge's group with an option of its span: neighbours of a cell in this grid are only
looked at once it is taken. Nodes with equal states are one, and keep all their arcs. Terms are
those of ``alignframe.kernels.mt.lattice``.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32
from alignframe.kernels.heap import pop, push
from alignframe.kernels.jit import jit
from alignframe.kernels.mt.lattice import (
    ONE,
    WINDOW,
    Arcs,
    Edges,
    Groups,
    Language,
    Nodes,
    Options,
    Spans,
    cost,
    covered,
    gain_of,
    group_nodes,
    look_up,
    reordering,
)
from alignframe.kernels.text.ngram_model import Tree
from alignframe.kernels.text.ngram_states import child_of, step


@jit
def _extend(
    options: Options,
    spans: Spans,
    longest: int,
    limit: int,
    weight: float,
    stack: int,
    nodes: Nodes,
    groups: Groups,
    low: int,
    high: int,
    edges: Edges,
    at: int,
    heads: I32,
) -> None:
    """Add the edges of a stack's groups from ``low`` to ``high`` to their next stacks.

    Distances are limited as in Moses: from the last phrase to the next, and from the end of a
    phrase back to the first gap, so that the gap stays reachable.
    """
    n = spans.tail.size - 1
    lexical = options.reorder.size > 0
    for g in range(low, high):
        top = groups.members[groups.at[g]]
        gap, bits, last = np.int64(nodes.gap[top]), nodes.bits[top], np.int64(nodes.last[top])
        via, begin = np.int64(nodes.via[top]), np.int64(nodes.begin[top])
        start = gap
        while start < n and (start == gap or start - gap < limit):
            gap_bits = bits >> np.uint64(start - gap) if start - gap < WINDOW else np.uint64(0)
            end = n
            if gap_bits != 0:
                end = start + 1
                while not gap_bits & ONE:
                    gap_bits >>= ONE
                    end += 1
            else:
                gap_bits = np.uint64(0)
            # The future cost of all gaps but this one, which a phrase divides in two.
            rest = groups.future[g] - cost(spans, start, end)
            for s in range(start, end):
                if s > gap and s - gap >= limit:
                    break
                if abs(s - last) > limit:
                    continue
                # A phrase that leaves words of the first gap open may not end too far from it.
                room = min(longest, end - s)
                if s > gap:
                    room = min(room, limit - (s - gap))
                base = nodes.score[top] - weight * abs(s - last) + rest + cost(spans, start, s)
                for length in range(1, room + 1):
                    span = s * longest + length - 1
                    if spans.count[span] == 0:
                        continue
                    edges.group[at], edges.start[at], edges.length[at] = g, s, length
                    estimate = base + spans.best[span] + cost(spans, s + length, end)
                    if lexical:
                        estimate += reordering(options, spans.first[span], s, via, begin, last)
                    edges.estimate[at] = estimate
                    # Each later stack has a linked list of the edges that lead to it.
                    edges.next[at] = heads[stack + length]
                    heads[stack + length] = at
                    at += 1
            start = end
            while gap_bits & ONE:
                gap_bits >>= ONE
                start += 1


@jit
def _choose(edges: Edges, edge: int, most: int, keys: F64, heap: I32) -> int:
    """Fill ``heap`` with the edges of the highest estimates; return the number of edges.

    The ``most`` best cells are all among these edges.
    """
    size = 0
    while edge >= 0:
        # Keys are negated, so the worst of the edges held is on top.
        estimate = edges.estimate[edge]
        if size < most:
            push(keys, heap, size, -estimate, edge)
            size += 1
        elif estimate > -keys[0]:
            pop(keys, heap, size)
            push(keys, heap, size - 1, -estimate, edge)
        edge = np.int64(edges.next[edge])
    return size


@jit
def _fill(
    tree: Tree,
    language: Language,
    states: I32,
    options: Options,
    spans: Spans,
    longest: int,
    weight: float,
    most: int,
    nodes: Nodes,
    arcs: Arcs,
    groups: Groups,
    edges: Edges,
    head: int,
    size: int,
    n_arcs: int,
    work: tuple[F64, I32, F64, I32, I32, I32],
) -> tuple[int, int]:
    """Fill a stack with the ``most`` best cells of the edges that lead to it.

    A cell is a node of an edge's group with an option of its span. Estimates are sums of both, so a
    heap yields the cells in order. Return the numbers of nodes and arcs.
    """
    chosen_keys, chosen, keys, cells, cell_of, table = work
    lexical = options.reorder.size > 0
    n_chosen = _choose(edges, head, most, chosen_keys, chosen)
    queued, n_cells = 0, 0
    for k in range(n_chosen):
        cell_of[3 * n_cells], cell_of[3 * n_cells + 1], cell_of[3 * n_cells + 2] = chosen[k], 0, 0
        push(keys, cells, queued, edges.estimate[chosen[k]], n_cells)
        queued += 1
        n_cells += 1
    # Nodes of this stack by hash: open addressing, with at least four slots per node.
    table[:] = -1
    mask = table.size - 1
    popped = 0
    while queued > 0 and popped < most:
        popped += 1
        estimate = keys[0]
        cell = np.int64(cells[0])
        pop(keys, cells, queued)
        queued -= 1
        edge, x, y = np.int64(cell_of[3 * cell]), cell_of[3 * cell + 1], cell_of[3 * cell + 2]
        g, start = np.int64(edges.group[edge]), np.int64(edges.start[edge])
        length = np.int64(edges.length[edge])
        span = start * longest + length - 1
        node = np.int64(groups.members[groups.at[g] + x])
        option = spans.first[span] + y
        via, begin = np.int64(nodes.via[node]), np.int64(nodes.begin[node])
        end = np.int64(nodes.last[node])
        beside = reordering(options, option, start, via, begin, end) if lexical else 0.0
        # Along the options from every cell, along the nodes only from the first option: so every
        # cell is queued once.
        if y == 0 and groups.at[g] + x + 1 < groups.at[g + 1]:
            following = groups.members[groups.at[g] + x + 1]
            cell_of[3 * n_cells], cell_of[3 * n_cells + 1], cell_of[3 * n_cells + 2] = (
                edge,
                x + 1,
                0,
            )
            change = nodes.score[following] - nodes.score[node] - beside
            if lexical:
                before = np.int64(nodes.via[following])
                change += reordering(options, option, start, before, begin, end)
            push(keys, cells, queued, estimate + change, n_cells)
            queued += 1
            n_cells += 1
        if y + 1 < spans.count[span]:
            change = options.estimate[option + 1] - options.estimate[option] - beside
            if lexical:
                change += reordering(options, option + 1, start, via, begin, end)
            cell_of[3 * n_cells], cell_of[3 * n_cells + 1] = edge, x
            cell_of[3 * n_cells + 2] = y + 1
            push(keys, cells, queued, estimate + change, n_cells)
            queued += 1
            n_cells += 1
        gain, state = gain_of(tree, language, states, options, option, np.int64(nodes.state[node]))
        gain += beside - weight * abs(start - end)
        gap, bits = covered(np.int64(nodes.gap[node]), nodes.bits[node], start, length)
        last = start + length
        score = nodes.score[node] + gain
        via, begin = (option, start) if lexical else (-1, 0)
        mixed = (
            bits
            ^ (np.uint64(state) << np.uint64(32))
            ^ np.uint64((gap << 8) + last + 31 * via + 31)
        )
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(40)) & mask
        while table[slot] >= 0:
            at = table[slot]
            if (
                nodes.bits[at] == bits
                and nodes.state[at] == state
                and nodes.gap[at] == gap
                and nodes.last[at] == last
                and nodes.via[at] == via
            ):
                break
            slot = (slot + 1) & mask
        at = np.int64(table[slot])
        if at < 0:
            at = size
            size += 1
            table[slot] = at
            nodes.gap[at], nodes.bits[at], nodes.last[at] = gap, bits, last
            nodes.state[at], nodes.score[at], nodes.arc[at] = state, score, -1
            nodes.via[at], nodes.begin[at] = via, begin
        # Recombined: the node has its best score, and all arcs for lists of n best.
        nodes.score[at] = max(nodes.score[at], score)
        arcs.source[n_arcs], arcs.option[n_arcs], arcs.start[n_arcs] = node, option, start
        arcs.gain[n_arcs], arcs.next[n_arcs] = gain, nodes.arc[at]
        nodes.arc[at] = n_arcs
        n_arcs += 1
    return size, n_arcs


@jit
def decode(
    tree: Tree,
    language: Language,
    states: I32,
    options: Options,
    words: I32,
    longest: int,
    limit: int,
    weight: float,
    most: int,
) -> tuple[Nodes, Arcs, int]:
    """Return the lattice of a sentence, and the number of its nodes.

    Node 0 is the start, and the last node the end, whose arcs have no option. Each source word has
    at least one option. ``longest`` is the length of the longest source phrase, ``limit`` the
    maximum distance between phrases, ``weight`` the weight of the distance per word, and ``most``
    the number of cells popped per stack.
    """
    n = words.size
    spans = look_up(options, words, longest)
    # At most ``most`` nodes and arcs per stack, the start, and the end with an arc from each node.
    room = n * most + 2
    nodes = Nodes(
        np.zeros(room, np.int32),
        np.zeros(room, np.uint64),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.full(room, -1, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room),
        np.full(room, -1, np.int32),
    )
    more = room + most
    arcs = Arcs(
        np.zeros(more, np.int32),
        np.full(more, -1, np.int32),
        np.zeros(more, np.int32),
        np.zeros(more),
        np.full(more, -1, np.int32),
    )
    groups = Groups(np.zeros(room + 1, np.int32), np.zeros(room, np.int32), np.zeros(room))
    # Edges lead only to the next stacks, so older ones can be overwritten.
    block = most * (min(limit, n) + 1) * longest
    ring = block * (longest + 1)
    edges = Edges(
        np.zeros(ring, np.int32),
        np.zeros(ring, np.int32),
        np.zeros(ring, np.int32),
        np.zeros(ring),
        np.zeros(ring, np.int32),
    )
    heads = np.full(n + longest + 1, -1, np.int32)
    slots = 4
    while slots < 4 * most:
        slots *= 2
    # For edges chosen, cells queued (each popped one adds two at most), and the nodes' hash table.
    work = (
        np.zeros(most + 1),
        np.zeros(most + 1, np.int32),
        np.zeros(3 * most + 1),
        np.zeros(3 * most + 1, np.int32),
        np.zeros(9 * most + 3, np.int32),
        np.zeros(slots, np.int32),
    )
    nodes.state[0] = states[child_of(tree, 0, language.begin)] if language.order > 1 else 0
    low, high, n_arcs, n_groups = 0, 1, 0, 0
    for stack in range(n + 1):
        if stack > 0:
            low = high
            high, n_arcs = _fill(
                tree,
                language,
                states,
                options,
                spans,
                longest,
                weight,
                most,
                nodes,
                arcs,
                groups,
                edges,
                np.int64(heads[stack]),
                low,
                n_arcs,
                work,
            )
        if stack < n:
            first = n_groups
            n_groups = group_nodes(spans, nodes, low, high, groups, first, work[2], work[3])
            at = block * (stack % (longest + 1))
            _extend(
                options,
                spans,
                longest,
                limit,
                weight,
                stack,
                nodes,
                groups,
                first,
                n_groups,
                edges,
                at,
                heads,
            )
    # The end of the sentence.
    nodes.score[high] = -np.inf
    for node in range(low, high):
        state = np.int64(nodes.state[node])
        log_prob, _ = step(tree, language.order, state, language.end, language.least)
        gain = language.weight * log_prob
        if options.reorder.size and nodes.via[node] >= 0:
            gain += options.reorder[6 * nodes.via[node] + (3 if nodes.last[node] == n else 5)]
        arcs.source[n_arcs], arcs.gain[n_arcs] = node, gain
        arcs.option[n_arcs], arcs.next[n_arcs] = -1, nodes.arc[high]
        nodes.arc[high] = n_arcs
        nodes.score[high] = max(nodes.score[high], nodes.score[node] + gain)
        n_arcs += 1
    return nodes, arcs, high + 1
