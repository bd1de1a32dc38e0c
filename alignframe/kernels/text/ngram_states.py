"""Scoring sentences and phrases with a back-off model, word by word.

A state is the node of the longest context that may matter for the next word, in the trie of
``kernels.text.ngram_model``; a word follows it by the child or, backing off, by the child of
its suffix. Contexts that all continuations treat alike are one state (Li & Khudanpur 2008), so that
the decoder can recombine more.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, I64
from alignframe.kernels.jit import jit
from alignframe.kernels.text.ngram_model import EMPTY, Tree, child_slot


@jit
def step(tree: Tree, order: int, state: int, word: int, least: float) -> tuple[float, int]:
    """Return the log probability of a word after a state, and the next state.

    A state is the node of the relevant context, 0 if empty. Unknown words are negative, have the
    log probability ``least`` after backing off, and give an empty context.
    """
    keys, nodes = tree.keys, tree.nodes
    total = 0.0
    if word < 0:
        while state > 0:
            total += tree.back_offs[state]
            state = np.int64(tree.suffixes[state])
        return total + least, 0
    slot = child_slot(keys, state, word)
    while keys[slot] == EMPTY:
        total += tree.back_offs[state]
        state = np.int64(tree.suffixes[state])
        # Every known word is a unigram, a child of the root, so the loop ends.
        slot = child_slot(keys, state, word)
    node = np.int64(nodes[slot])
    total += tree.log_probs[node]
    return total, np.int64(tree.suffixes[node]) if tree.depths[node] == order else node


@jit
def least_states(tree: Tree) -> I32:
    """Return the shortest equivalent context of each node.

    A node without continuations and back-off weight is equivalent to its suffix.
    """
    needed = tree.back_offs != 0
    for key in tree.keys:
        if key != EMPTY:
            # The parent in the key: it has a continuation.
            needed[np.int64(key >> np.uint64(32))] = True
    states = np.zeros(needed.size, np.int32)
    for node in range(1, needed.size):
        at = node
        while at > 0 and not needed[at]:
            at = np.int64(tree.suffixes[at])
        states[node] = at
    return states


@jit
def child_of(tree: Tree, node: int, word: int) -> int:
    """Return the node of an n-gram extended by one word, which must exist."""
    return np.int64(tree.nodes[child_slot(tree.keys, node, word)])


@jit
def score_sentences(
    tree: Tree,
    order: int,
    starts: I64,
    ends: I64,
    words: I32,
    begin: int,
    end: int,
    least: float,
) -> F64:
    """Return the log probability of each sentence, including its end.

    Sentence r has the words ``words[starts[r] : ends[r]]``, -1 where unknown to the model;
    ``begin`` and ``end`` are the words that begin and end every sentence. Unknown words have the
    log probability ``least`` after backing off, and are no context.
    """
    out = np.zeros(starts.size)
    first = child_of(tree, 0, begin) if order > 1 else 0
    for r in range(starts.size):
        state = first
        for k in range(starts[r], ends[r] + 1):
            word = np.int64(words[k]) if k < ends[r] else end
            log_prob, state = step(tree, order, state, word, least)
            out[r] += log_prob
    return out


@jit
def score_phrases(
    tree: Tree, order: int, states: I32, starts: I64, words: I32, least: float
) -> tuple[F64, F64, I32]:
    """Return context-independent parts of the log probability of phrases.

    These are the log probability of the phrase alone, that of the words whose context is within it,
    and the state after it, -1 if it depends on the context. Phrase k is ``words[starts[k] :
    starts[k + 1]]``.
    """
    n = starts.size - 1
    alone, inside = np.zeros(n), np.zeros(n)
    behind = np.full(n, -1, np.int32)
    for k in range(n):
        state = 0
        for at in range(starts[k], starts[k + 1]):
            log_prob, state = step(tree, order, state, np.int64(words[at]), least)
            alone[k] += log_prob
            # The context has all words that the model can see.
            if at - starts[k] >= order - 1:
                inside[k] += log_prob
        if starts[k + 1] - starts[k] >= order - 1:
            behind[k] = states[state]
    return alone, inside, behind
