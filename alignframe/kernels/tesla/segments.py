"""Segmenting sentences into phrases (Dahlmeier, Liu & Ng 2011, section 3.2).

The phrases are those with the maximum product of Pr(p), found by dynamic programming from the end:

    best(at) = max over phrases p from ``at`` of log Pr(p) + best(at + length of p)

A single word is always possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I32, I64, U64, frozen
from alignframe.kernels.jit import jit
from alignframe.kernels.text.trie import Nodes, bits_of, child

_ALIKE = 1e-9
"""Closer logarithms are equal: they were summed in another order."""

NO_PHRASE = -1
"""The phrase number of a single word that is not a phrase of the table."""


class Columns(NamedTuple):
    """The phrases of n sentences: row r has the columns ``offsets[r] <= c < offsets[r + 1]``.

    ``first`` is the position of each phrase's first token, and ``phrase`` its number or
    ``NO_PHRASE``.
    """

    offsets: I64
    first: I64
    phrase: I32


def segment(
    trie: Nodes,
    phrase_of: I32,
    log_p: F64,
    log_unseen: float,
    starts: I64,
    ends: I64,
    words: I32,
) -> Columns:
    """Return the most probable phrases of every sentence; ties go to the longest first phrase.

    ``phrase_of`` has the number of each trie node's phrase, or ``NO_PHRASE``; ``log_p`` the log
    probability of each phrase, ``log_unseen`` that of a single word that is not a phrase. Sentence
    r holds the tokens from ``starts[r]`` to before ``ends[r]``, with the table's numbers of their
    words, negative if unknown.
    """
    columns = _segment(*trie, phrase_of, log_p, log_unseen, starts, ends, words)
    return Columns(*map(frozen, columns))


@jit
def _segment(
    slots: I32,
    edges: U64,
    phrase_of: I32,
    log_p: F64,
    log_unseen: float,
    starts: I64,
    ends: I64,
    words: I32,
) -> tuple[I64, I64, I32]:
    """Return the fields of ``Columns``."""
    rows = starts.size
    total, longest = 0, 0
    for r in range(rows):
        total += ends[r] - starts[r]
        longest = max(longest, ends[r] - starts[r])
    offsets = np.zeros(rows + 1, np.int64)
    first = np.empty(total, np.int64)
    phrase = np.empty(total, np.int32)
    best = np.zeros(longest + 1, np.float64)  # of the rest of the sentence, from each token
    length = np.zeros(longest + 1, np.int64)
    choice = np.zeros(longest + 1, np.int32)
    bits = bits_of(slots)
    n = 0
    for r in range(rows):
        start = starts[r]
        size = ends[r] - start
        best[size] = 0.0
        for at in range(size - 1, -1, -1):
            best[at] = log_unseen + best[at + 1]
            length[at] = 1
            choice[at] = NO_PHRASE
            node = np.int64(0)
            for end in range(at, size):
                word = words[start + end]
                if word < 0:
                    break
                node = child(slots, edges, bits, node, word)
                if node == 0:
                    break
                number = phrase_of[node]
                if number < 0:
                    continue
                score = log_p[number] + best[end + 1]
                # A single word that is a phrase has only the phrase's probability.
                if end == at or score >= best[at] - _ALIKE:
                    best[at] = score
                    length[at] = end + 1 - at
                    choice[at] = number
        at = 0
        while at < size:
            first[n] = start + at
            phrase[n] = choice[at]
            n += 1
            at += length[at]
        offsets[r + 1] = n
    return offsets, first[:n], phrase[:n]
