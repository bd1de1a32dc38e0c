"""Phrase pairs with their inner links, orientations, and lexical weights.

    lex(t | s) = product over words t_x of the mean of p(t_x | s_y) over links, or p(t_x | NULL)

(Koehn, Och & Marcu 2003, section 4.4), for the most frequent links of a pair. The links inside a
pair of at most ``LONGEST`` words per side are 64 bits, its *pattern*: bit ``8 * b + a`` links
source word a with target word b, so byte b has the partners of b. Equal alignments are then equal
numbers.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, I64, U8, U16, U64
from alignframe.kernels.jit import jit
from alignframe.kernels.text.trie import bits_of, child

LONGEST = 8
"""The longest phrase whose links fit in a pattern."""

OTHER, MONOTONE, SWAP = range(3)
"""How a phrase lies beside its neighbour on the target side."""

_ONE = np.uint64(1)


@jit
def _is_linked(i: U16, j: U16, low: int, high: int, s: int, t: int, n_src: int, n_tgt: int) -> bool:
    """Whether words are linked; the positions before both sentences are, and those after."""
    if (s == -1 and t == -1) or (s == n_src and t == n_tgt):
        return True
    end = high  # the links of a sentence are sorted
    while low < high:
        middle = (low + high) // 2
        if np.int64(i[middle]) < s or (np.int64(i[middle]) == s and np.int64(j[middle]) < t):
            low = middle + 1
        else:
            high = middle
    return low < end and np.int64(i[low]) == s and np.int64(j[low]) == t


@jit
def _side(straight: bool, crossed: bool) -> int:
    """Return the orientation by the links at both corners; both or none is ``OTHER``."""
    if straight != crossed:
        return MONOTONE if straight else SWAP
    return OTHER


@jit
def describe(
    starts: I64, ends: I64, i: U16, j: U16, lengths: I64, rows: I64, src: I64, tgt: I64
) -> tuple[U64, U8, U8]:
    """Return each pair's pattern, and its orientation to the previous and the next target phrase.

    Links are sorted; ``lengths`` has the shape (2, sentences). ``rows`` has the sentence of each
    pair, and ``src`` and ``tgt`` its spans, shape (2, pairs). Orientations are those of Moses'
    word-based msd model (Koehn et al. 2005), by the links at the corners of the pair.
    """
    n = rows.size
    patterns = np.zeros(n, np.uint64)
    previous = np.zeros(n, np.uint8)
    following = np.zeros(n, np.uint8)
    for k in range(n):
        r = rows[k]
        low, high = starts[r], ends[r]
        begin = low
        src_start, src_end, tgt_start, tgt_end = src[0, k], src[1, k], tgt[0, k], tgt[1, k]
        # The first link from the first source word on, by bisection: links are sorted.
        top = high
        while begin < top:
            middle = (begin + top) // 2
            if np.int64(i[middle]) < src_start:
                begin = middle + 1
            else:
                top = middle
        pattern = np.uint64(0)
        while begin < high and np.int64(i[begin]) < src_end:
            pattern |= _ONE << np.uint64(
                8 * (np.int64(j[begin]) - tgt_start) + np.int64(i[begin]) - src_start
            )
            begin += 1
        patterns[k] = pattern
        n_src, n_tgt = lengths[0, r], lengths[1, r]
        previous[k] = _side(
            _is_linked(i, j, low, high, src_start - 1, tgt_start - 1, n_src, n_tgt),
            _is_linked(i, j, low, high, src_end, tgt_start - 1, n_src, n_tgt),
        )
        following[k] = _side(
            _is_linked(i, j, low, high, src_end, tgt_end, n_src, n_tgt),
            _is_linked(i, j, low, high, src_start - 1, tgt_end, n_src, n_tgt),
        )
    return patterns, previous, following


@jit
def _turned(pattern: np.uint64) -> np.uint64:
    """Return a pattern with its sides swapped."""
    out = np.uint64(0)
    for b in range(8):
        for a in range(8):
            if (pattern >> np.uint64(8 * b + a)) & _ONE:
                out |= _ONE << np.uint64(8 * a + b)
    return out


@jit
def _is_later(first: np.uint64, second: np.uint64) -> bool:
    """Whether a pattern sorts after another, by the partners of the first word, then the next."""
    for b in range(8):
        mine = (first >> np.uint64(8 * b)) & np.uint64(255)
        theirs = (second >> np.uint64(8 * b)) & np.uint64(255)
        if mine == theirs:
            continue
        # Lists of partners, ascending, in lexical order: at the first difference the one with the
        # smaller partner is earlier, unless the other list ended before.
        differ = mine ^ theirs
        lowest = differ & (~differ + _ONE)
        if mine & lowest:
            return theirs < lowest
        return mine > lowest
    return False


@jit
def choose(groups: I64, patterns: U64, counts: I64) -> tuple[U64, U64]:
    """Return each pair's most frequent pattern, and the one for the other direction.

    Like Moses, ties go to the last in an order that depends on the direction.
    ``patterns[groups[k] : groups[k + 1]]`` are those of pair k.
    """
    n = groups.size - 1
    forward = np.zeros(n, np.uint64)
    reverse = np.zeros(n, np.uint64)
    for k in range(n):
        best_forward = best_reverse = groups[k]
        # By frequency, then the later one in order.
        for at in range(groups[k] + 1, groups[k + 1]):
            if counts[at] > counts[best_forward] or (
                counts[at] == counts[best_forward]
                and _is_later(patterns[at], patterns[best_forward])
            ):
                best_forward = at
            if counts[at] > counts[best_reverse] or (
                counts[at] == counts[best_reverse]
                and _is_later(_turned(patterns[at]), _turned(patterns[best_reverse]))
            ):
                best_reverse = at
        forward[k], reverse[k] = patterns[best_forward], patterns[best_reverse]
    return forward, reverse


@jit
def lexical_weights(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    forward: U64,
    reverse: U64,
    rows: I64,
    partners: I32,
    of_tgt: F64,
    of_src: F64,
    null_tgt: F64,
    null_src: F64,
) -> tuple[F64, F64]:
    """Return lex(src | tgt) and lex(tgt | src) of phrase pairs.

    Koehn, Och & Marcu 2003, section 4.4. Words that were never linked have probability 1.

    Pair k has the source words ``src[src_at[k] : src_at[k + 1]]``, and so on; ``forward`` are the
    patterns for lex(tgt | src), ``reverse`` those for lex(src | tgt). Source word s is linked with
    ``partners[rows[s] : rows[s + 1]]``, sorted: ``of_tgt`` has the probability of each given s,
    ``of_src`` that of s given each, and ``null_tgt`` and ``null_src`` that of each word given NULL.
    """
    n = forward.size
    lex_src, lex_tgt = np.ones(n), np.ones(n)
    for k in range(n):
        s_at, t_at = src_at[k], tgt_at[k]
        n_src, n_tgt = src_at[k + 1] - s_at, tgt_at[k + 1] - t_at
        # First lex(tgt | src), where each target word x has links to source words, then the
        # opposite.
        for way in range(2):
            pattern = forward[k] if way == 0 else reverse[k]
            outer, inner = (n_tgt, n_src) if way == 0 else (n_src, n_tgt)
            product = 1.0
            for x in range(outer):
                total, links = 0.0, 0
                for y in range(inner):
                    a, b = (y, x) if way == 0 else (x, y)
                    if not (pattern >> np.uint64(8 * b + a)) & _ONE:
                        continue
                    word = src[s_at + a]
                    low, high = rows[word], rows[word + 1]
                    end = high
                    wanted = tgt[t_at + b]
                    while low < high:
                        middle = (low + high) // 2
                        if partners[middle] < wanted:
                            low = middle + 1
                        else:
                            high = middle
                    is_known = low < end and partners[low] == wanted
                    links += 1
                    if is_known:
                        total += of_tgt[low] if way == 0 else of_src[low]
                    else:
                        # Never linked in training.
                        total += 1.0
                if links:
                    product *= total / links
                else:
                    product *= null_tgt[tgt[t_at + x]] if way == 0 else null_src[src[s_at + x]]
            if way == 0:
                lex_tgt[k] = product
            else:
                lex_src[k] = product
    return lex_src, lex_tgt


@jit
def find_phrases(slots: I32, edges: U64, words: I32, starts: I64, ends: I64) -> I32:
    """Return the node of each phrase ``words[starts[k] : ends[k]]``, 0 if unknown.

    Negative words are in no phrase.
    """
    bits = bits_of(slots)
    nodes = np.zeros(starts.size, np.int32)
    for k in range(starts.size):
        node = np.int64(0)
        for at in range(starts[k], ends[k]):
            if words[at] < 0:
                node = 0
                break
            node = child(slots, edges, bits, node, words[at])
            if node == 0:
                break
        nodes[k] = node
    return nodes
