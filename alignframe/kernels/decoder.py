"""A phrase-based decoder: stacks, cube pruning, recombination (Koehn 2004; Huang & Chiang 2007).

A *node* is what partial translations have in common that the rest depends on: which words are
covered, where the last phrase ended, the state of the language model, and the last phrase where its
neighbours matter. Coverage is the first
gap, and 64 bits for the words behind it. An *arc* leads from a node to another by a phrase. Nodes
lie in stacks by the number of covered words; those of a stack with the same coverage and place of
the last phrase are a *group*, the best first. An *edge* is a group and a source span that may
follow it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.kernels.heap import pop, push
from alignframe.kernels.jit import jit
from alignframe.kernels.ngram_model import Tree, child_of, step
from alignframe.kernels.pivots_trie import bits_of, child
from alignframe.kernels.ragged import I64

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
U64 = npt.NDArray[np.uint64]

WINDOW = 64
_ONE = np.uint64(1)
_LN10 = np.log(10.0)


class Options(NamedTuple):
    """Translations of source phrases, the best first.

    ``slots`` and ``edges`` are the trie of source phrases; a node of it has the options from
    ``first[node]`` on. Option k has the target words ``words[at[k] : at[k + 1]]`` of the language
    model; ``score`` is what does not depend on its place, ``estimate`` that with the language
    model's guess, ``state`` that of the language model behind it, or -1 if it depends on more.
    ``length`` is that of the source phrase. Of its scores ``reorder[6 * k : 6 * k + 6]`` the first
    three are for lying behind the previous phrase in the source, before it, or elsewhere, the
    others for where the next one lies; there are none where reordering does not count.
    """

    slots: I32
    edges: U64
    first: I64
    at: I64
    words: I32
    score: F64
    estimate: F64
    state: I32
    length: I32
    reorder: F64


class Language(NamedTuple):
    """A language model: the weight of a log10 probability, and what ``step`` takes."""

    order: int
    begin: int
    end: int
    least: float
    weight: float


class Nodes(NamedTuple):
    """The nodes of a sentence; ``arc`` is the first arc that leads to each.

    ``last`` is where the last phrase ended. ``begin`` is where it began and ``via`` its option, if
    reordering counts, else 0 and -1.
    """

    gap: I32
    bits: U64
    last: I32
    begin: I32
    via: I32
    state: I32
    score: F64
    arc: I32


class Arcs(NamedTuple):
    """The arcs of a sentence; ``next`` is another one that leads to the same node, or -1."""

    source: I32
    option: I32
    start: I32
    gain: F64
    next: I32


class Groups(NamedTuple):
    """Groups of nodes: ``members[at[g] : at[g + 1]]``; the cost of what is not covered."""

    at: I32
    members: I32
    future: F64


class Edges(NamedTuple):
    """Edges: a group, a span, the estimate of its best cell; the next edge to the same stack."""

    group: I32
    start: I32
    length: I32
    estimate: F64
    next: I32


class Spans(NamedTuple):
    """Spans of a sentence by start and length: options from ``first`` on, and their number.

    ``best`` estimates the best option, ``within`` the best translation of each span of up to
    ``WINDOW`` words, ``tail`` that of all words from each on.
    """

    first: I64
    count: I32
    best: F64
    within: F64
    tail: F64


@jit
def look_up(options: Options, words: I32, longest: int) -> Spans:
    """Return the spans of a sentence that have options, and the costs of what is to come."""
    n = words.size
    first = np.zeros(n * longest, np.int64)
    count = np.zeros(n * longest, np.int32)
    best = np.full(n * longest, -np.inf)
    bits = bits_of(options.slots)
    for s in range(n):
        node = 0
        for length in range(1, min(longest, n - s) + 1):
            node = child(options.slots, options.edges, bits, node, words[s + length - 1])
            if node == 0:
                break
            at = s * longest + length - 1
            first[at] = options.first[node]
            count[at] = options.first[node + 1] - options.first[node]
            if count[at] > 0:
                best[at] = options.estimate[first[at]]
    width = WINDOW + 1
    within = np.full(n * width, -np.inf)
    tail = np.zeros(n + 1)
    for s in range(n - 1, -1, -1):
        within[s * width] = 0.0
        for end in range(s + 1, min(n, s + WINDOW) + 1):
            cost = -np.inf
            for length in range(1, min(longest, end - s) + 1):
                rest = within[s * width + end - length - s]
                cost = max(cost, rest + best[(end - length) * longest + length - 1])
            within[s * width + end - s] = cost
        tail[s] = -np.inf
        for length in range(1, min(longest, n - s) + 1):
            tail[s] = max(tail[s], best[s * longest + length - 1] + tail[s + length])
    return Spans(first, count, best, within, tail)


@jit
def _cost(spans: Spans, start: int, end: int) -> float:
    """Return the estimate of a span without covered words."""
    if end == spans.tail.size - 1:
        return spans.tail[start]
    return spans.within[start * (WINDOW + 1) + end - start]


@jit
def _reordering(
    options: Options, option: int, start: int, via: int, begin: int, last: int
) -> float:
    """Return the scores of where an option lies beside the phrase ``via`` before it."""
    if options.reorder.size == 0:
        return 0.0
    way = 2
    if start == last:
        way = 0
    elif start + options.length[option] == begin:
        way = 1
    score = options.reorder[6 * option + way]
    if via >= 0:
        score += options.reorder[6 * via + 3 + way]
    return score


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
    """Put the edges of a stack's groups from ``low`` to ``high`` into the stacks they lead to.

    Distances are limited as in Moses: from the last phrase to the next, and from the end of a
    phrase back to the first gap, so that the gap can always be reached.
    """
    n = spans.tail.size - 1
    for g in range(low, high):
        top = groups.members[groups.at[g]]
        gap, bits, last = np.int64(nodes.gap[top]), nodes.bits[top], np.int64(nodes.last[top])
        via, begin = np.int64(nodes.via[top]), np.int64(nodes.begin[top])
        start = gap
        while start < n and (start == gap or start - gap < limit):
            left = bits >> np.uint64(start - gap) if start - gap < WINDOW else np.uint64(0)
            end = n
            if left != 0:
                end = start + 1
                while not left & _ONE:
                    left >>= _ONE
                    end += 1
            else:
                left = np.uint64(0)
            rest = groups.future[g] - _cost(spans, start, end)
            for s in range(start, end):
                if s > gap and s - gap >= limit:
                    break
                if abs(s - last) > limit:
                    continue
                room = min(longest, end - s)
                if s > gap:
                    room = min(room, limit - (s - gap))
                known = nodes.score[top] - weight * abs(s - last) + rest + _cost(spans, start, s)
                for length in range(1, room + 1):
                    span = s * longest + length - 1
                    if spans.count[span] == 0:
                        continue
                    edges.group[at], edges.start[at], edges.length[at] = g, s, length
                    edges.estimate[at] = (
                        known
                        + spans.best[span]
                        + _cost(spans, s + length, end)
                        + _reordering(options, spans.first[span], s, via, begin, last)
                    )
                    edges.next[at] = heads[stack + length]
                    heads[stack + length] = at
                    at += 1
            start = end
            while left & _ONE:
                left >>= _ONE
                start += 1


@jit
def _covered(gap: int, bits: np.uint64, start: int, length: int) -> tuple[int, np.uint64]:
    """Return the coverage with a span more."""
    if start > gap:
        return gap, bits | (((_ONE << np.uint64(length)) - _ONE) << np.uint64(start - gap - 1))
    moved = length
    bits = bits >> np.uint64(length - 1)
    while bits & _ONE:
        bits >>= _ONE
        moved += 1
    return gap + moved, bits >> _ONE


@jit
def _gain(
    tree: Tree, language: Language, states: I32, options: Options, option: int, state: int
) -> tuple[float, int]:
    """Return the score of an option behind a state, and the state behind it."""
    found = 0.0
    first, last = options.at[option], options.at[option + 1]
    for at in range(first, min(last, first + language.order - 1)):
        one, state = step(tree, language.order, state, np.int64(options.words[at]), language.least)
        found += one
    behind = np.int64(options.state[option])
    if behind < 0:
        behind = np.int64(states[state])
    return options.score[option] + language.weight * found, behind


@jit
def _choose(edges: Edges, edge: int, most: int, keys: F64, found: I32) -> int:
    """Fill ``found`` with the edges of the highest estimates, as a heap of keys; return how many.

    No cell of any other edge can be among the ``most`` best ones.
    """
    size = 0
    while edge >= 0:
        estimate = edges.estimate[edge]
        if size < most:
            push(keys, found, size, -estimate, edge)
            size += 1
        elif estimate > -keys[0]:
            pop(keys, found, size)
            push(keys, found, size - 1, -estimate, edge)
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

    A cell is a node of an edge's group and an option of its span. Estimates are sums of both, so
    that a heap gives the cells in order. Return the number of nodes and of arcs.
    """
    chosen_keys, chosen, keys, cells, cell_of, table = work
    n_chosen = _choose(edges, head, most, chosen_keys, chosen)
    queued, n_cells = 0, 0
    for k in range(n_chosen):
        cell_of[3 * n_cells], cell_of[3 * n_cells + 1], cell_of[3 * n_cells + 2] = chosen[k], 0, 0
        push(keys, cells, queued, edges.estimate[chosen[k]], n_cells)
        queued += 1
        n_cells += 1
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
        beside = _reordering(options, option, start, via, begin, end)
        if y == 0 and groups.at[g] + x + 1 < groups.at[g + 1]:
            other = groups.members[groups.at[g] + x + 1]
            cell_of[3 * n_cells], cell_of[3 * n_cells + 1], cell_of[3 * n_cells + 2] = (
                edge,
                x + 1,
                0,
            )
            change = nodes.score[other] - nodes.score[node] - beside
            change += _reordering(options, option, start, np.int64(nodes.via[other]), begin, end)
            push(keys, cells, queued, estimate + change, n_cells)
            queued += 1
            n_cells += 1
        if y + 1 < spans.count[span]:
            change = options.estimate[option + 1] - options.estimate[option] - beside
            change += _reordering(options, option + 1, start, via, begin, end)
            cell_of[3 * n_cells], cell_of[3 * n_cells + 1] = edge, x
            cell_of[3 * n_cells + 2] = y + 1
            push(keys, cells, queued, estimate + change, n_cells)
            queued += 1
            n_cells += 1
        gain, state = _gain(tree, language, states, options, option, np.int64(nodes.state[node]))
        gain += beside - weight * abs(start - end)
        gap, bits = _covered(np.int64(nodes.gap[node]), nodes.bits[node], start, length)
        last = start + length
        score = nodes.score[node] + gain
        via, begin = (option, start) if options.reorder.size else (-1, 0)
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
        nodes.score[at] = max(nodes.score[at], score)
        arcs.source[n_arcs], arcs.option[n_arcs], arcs.start[n_arcs] = node, option, start
        arcs.gain[n_arcs], arcs.next[n_arcs] = gain, nodes.arc[at]
        nodes.arc[at] = n_arcs
        n_arcs += 1
    return size, n_arcs


@jit
def _group(
    spans: Spans, nodes: Nodes, low: int, high: int, groups: Groups, first: int, keys: F64, ids: I32
) -> int:
    """Make groups, from ``first`` on, of the nodes of a stack; return the number of groups.

    The members of a group stand in order; ``groups.at[first]`` says where those may begin.
    """
    for k in range(low, high):
        push(keys, ids, k - low, nodes.score[k], k)
    # In falling order of scores, so that the first node of a group is its best.
    order = np.empty(high - low, np.int32)
    mine = np.empty(high - low, np.int32)
    tops = np.empty(high - low, np.int32)
    sizes = np.zeros(high - low, np.int32)
    n = 0
    for k in range(high - low):
        node = ids[0]
        pop(keys, ids, high - low - k)
        order[k] = node
        g = 0
        while g < n and not (
            nodes.bits[tops[g]] == nodes.bits[node]
            and nodes.last[tops[g]] == nodes.last[node]
            and nodes.gap[tops[g]] == nodes.gap[node]
            and nodes.begin[tops[g]] == nodes.begin[node]
        ):
            g += 1
        if g == n:
            tops[n] = node
            n += 1
        mine[k] = g
        sizes[g] += 1
    at = groups.at[first]
    for g in range(n):
        groups.at[first + g] = at
        at += sizes[g]
        top = tops[g]
        gap, bits = np.int64(nodes.gap[top]), nodes.bits[top]
        future, start = 0.0, gap
        while start < spans.tail.size - 1:
            left = bits >> np.uint64(start - gap)
            if left == 0:
                future += spans.tail[start]
                break
            end = start + 1
            while not left & _ONE:
                left >>= _ONE
                end += 1
            future += _cost(spans, start, end)
            start = end
            while left & _ONE:
                left >>= _ONE
                start += 1
        groups.future[first + g] = future
    groups.at[first + n] = at
    sizes[:] = 0
    for k in range(high - low):
        g = mine[k]
        groups.members[groups.at[first + g] + sizes[g]] = order[k]
        sizes[g] += 1
    return first + n


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

    Node 0 is the beginning, the last one the end; its arcs have no option.

    Parameters
    ----------
    words
        The source words; every one has an option of its own.
    longest
        The longest source phrase.
    limit, weight
        The longest distance between phrases, and the weight of a word of it.
    most
        How many cells are taken per stack.
    """
    n = words.size
    spans = look_up(options, words, longest)
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
    # Edges lead to one of the next stacks, so that older ones can be written over.
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
            n_groups = _group(spans, nodes, low, high, groups, first, work[2], work[3])
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
        found, _ = step(tree, language.order, state, language.end, language.least)
        gain = language.weight * found
        if options.reorder.size and nodes.via[node] >= 0:
            gain += options.reorder[6 * nodes.via[node] + (3 if nodes.last[node] == n else 5)]
        arcs.source[n_arcs], arcs.gain[n_arcs] = node, gain
        arcs.option[n_arcs], arcs.next[n_arcs] = -1, nodes.arc[high]
        nodes.arc[high] = n_arcs
        nodes.score[high] = max(nodes.score[high], nodes.score[node] + gain)
        n_arcs += 1
    return nodes, arcs, high + 1
