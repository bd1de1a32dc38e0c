"""The data structures of the phrase-based decoder: nodes, arcs, and spans (Koehn 2004).

A *node* is what continuations of partial translations depend on: the words covered (the first gap,
and 64 bits for the words after it), the end of the last phrase, the language model state, and, for
lexicalised reordering, the last phrase. An *arc* leads from a node to another by a phrase. Nodes
are in stacks by the number of covered words; those of a stack with equal coverage and last position
form a *group*, best first. An *edge* is a group with a source span that may follow it. Future cost
is the best estimate of a span's words, over all ways to divide it:

    cost(start, end) = max over m of cost(start, m) + best(m, end), cost(start, start) = 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I32, I64, U64
from alignframe.kernels.heap import pop, push
from alignframe.kernels.jit import jit
from alignframe.kernels.text.ngram_model import Tree
from alignframe.kernels.text.ngram_states import step
from alignframe.kernels.text.trie import bits_of, child

WINDOW = 64
ONE = np.uint64(1)


class Options(NamedTuple):
    """Translations of source phrases, best first.

    ``slots`` and ``edges`` are the trie of source phrases; a node has the options from
    ``first[node]`` on. Option k has the target words ``words[at[k] : at[k + 1]]`` of the language
    model; ``score`` does not depend on context, ``estimate`` adds the language model's estimate,
    and ``state`` is the language model's state after it, or -1 if that depends on more context.
    ``length`` is that of the source phrase. ``reorder[6 * k : 6 * k + 6]`` are the scores of
    orientations: monotone, swap and discontinuous, to the previous phrase and then to the next; it
    is empty without lexicalised reordering.
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
    """A language model: the weight of a log10 probability, and the arguments of ``step``."""

    order: int
    begin: int
    end: int
    least: float
    weight: float


class Nodes(NamedTuple):
    """The nodes of a sentence; ``arc`` is the first arc that leads to each.

    ``last`` is where the last phrase ended. ``begin`` is where it began and ``via`` its option, or
    0 and -1 without lexicalised reordering.
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
    """Groups of nodes: ``members[at[g] : at[g + 1]]``, and the cost of their uncovered words."""

    at: I32
    members: I32
    future: F64


class Edges(NamedTuple):
    """Edges: group, span, estimate of the best cell, and the next edge to the same stack."""

    group: I32
    start: I32
    length: I32
    estimate: F64
    next: I32


class Spans(NamedTuple):
    """Spans of a sentence by start and length: options from ``first`` on, and their number.

    ``best`` estimates the best option, ``within`` the best translation of each span of up to
    ``WINDOW`` words, and ``tail`` that of the rest of the sentence from each word.
    """

    first: I64
    count: I32
    best: F64
    within: F64
    tail: F64


@jit
def look_up(options: Options, words: I32, longest: int) -> Spans:
    """Return the spans of a sentence with options, and future costs."""
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
            # By the last phrase of the span.
            cost = -np.inf
            for length in range(1, min(longest, end - s) + 1):
                rest = within[s * width + end - length - s]
                cost = max(cost, rest + best[(end - length) * longest + length - 1])
            within[s * width + end - s] = cost
        # To the end of the sentence, spans may be longer than the window: by the first phrase.
        tail[s] = -np.inf
        for length in range(1, min(longest, n - s) + 1):
            tail[s] = max(tail[s], best[s * longest + length - 1] + tail[s + length])
    return Spans(first, count, best, within, tail)


@jit
def cost(spans: Spans, start: int, end: int) -> float:
    """Return the future cost of an uncovered span."""
    if end == spans.tail.size - 1:
        return spans.tail[start]
    return spans.within[start * (WINDOW + 1) + end - start]


@jit
def reordering(options: Options, option: int, start: int, via: int, begin: int, last: int) -> float:
    """Return the reordering scores of an option after the phrase ``via``.

    Callers skip it without lexicalised reordering, as the call alone takes a fifth of the time.
    """
    # 0 monotone, 1 swap, 2 discontinuous: both this option and the previous one have a score.
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
def covered(gap: int, bits: np.uint64, start: int, length: int) -> tuple[int, np.uint64]:
    """Return the coverage with an additional span."""
    if start > gap:
        return gap, bits | (((ONE << np.uint64(length)) - ONE) << np.uint64(start - gap - 1))
    # The phrase begins at the gap: the next gap is after it and all words covered there. Bit 0 is
    # the word after the old gap, hence ``length - 1``, and one more at the end for the new gap
    # itself.
    moved = length
    bits = bits >> np.uint64(length - 1)
    while bits & ONE:
        bits >>= ONE
        moved += 1
    return gap + moved, bits >> ONE


@jit
def gain_of(
    tree: Tree, language: Language, states: I32, options: Options, option: int, state: int
) -> tuple[float, int]:
    """Return the score of an option after a state, and the next state."""
    log_prob = 0.0
    first, last = options.at[option], options.at[option + 1]
    # Words further on have all their context inside the phrase: their part is in ``score``.
    for at in range(first, min(last, first + language.order - 1)):
        word_log_prob, state = step(
            tree, language.order, state, np.int64(options.words[at]), language.least
        )
        log_prob += word_log_prob
    behind = np.int64(options.state[option])
    if behind < 0:
        behind = np.int64(states[state])
    return options.score[option] + language.weight * log_prob, behind


@jit
def group_nodes(
    spans: Spans, nodes: Nodes, low: int, high: int, groups: Groups, first: int, keys: F64, ids: I32
) -> int:
    """Group the nodes of a stack, from ``first`` on; return the number of groups.

    The members of a group are in order; the first begins at ``groups.at[first]``.
    """
    for k in range(low, high):
        push(keys, ids, k - low, nodes.score[k], k)
    # In descending order of scores, so that a group's first node is its best.
    order = np.empty(high - low, np.int32)
    group_of = np.empty(high - low, np.int32)
    tops = np.empty(high - low, np.int32)
    sizes = np.zeros(high - low, np.int32)
    n = 0
    for k in range(high - low):
        node = ids[0]
        pop(keys, ids, high - low - k)
        order[k] = node
        # Groups are few, so they are compared one by one.
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
        group_of[k] = g
        sizes[g] += 1
    at = groups.at[first]
    for g in range(n):
        groups.at[first + g] = at
        at += sizes[g]
        top = tops[g]
        gap, bits = np.int64(nodes.gap[top]), nodes.bits[top]
        # The sum over all gaps: from each, the bits are searched for its end, then for the next
        # one.
        future, start = 0.0, gap
        while start < spans.tail.size - 1:
            gap_bits = bits >> np.uint64(start - gap)
            if gap_bits == 0:
                future += spans.tail[start]
                break
            end = start + 1
            while not gap_bits & ONE:
                gap_bits >>= ONE
                end += 1
            future += cost(spans, start, end)
            start = end
            while gap_bits & ONE:
                gap_bits >>= ONE
                start += 1
        groups.future[first + g] = future
    groups.at[first + n] = at
    sizes[:] = 0
    for k in range(high - low):
        g = group_of[k]
        groups.members[groups.at[first + g] + sizes[g]] = order[k]
        sizes[g] += 1
    return first + n
