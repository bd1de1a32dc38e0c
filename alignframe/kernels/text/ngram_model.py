"""Back-off n-gram models (Katz 1987; ARPA files): reading their lines, and looking n-grams up.

    log p(w | h) = log_prob(h w) if that n-gram is listed, else back_off(h) + log p(w | h')

where h' is the context h without its first word. The n-grams are nodes of a trie whose root is the
empty n-gram: the child of a node by a word is the n-gram extended by that word. Children are in one
hash table with the exact keys ``node << 32 | word``, so there are no false matches. ``suffixes``
has the longest proper suffix of each n-gram in the trie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32, I64, U8, U64
from alignframe.kernels.jit import jit

FINE, NO_NUMBER, TOO_FEW, TOO_MANY, UNKNOWN_WORD, POSITIVE = range(6)
"""Faults of a line."""

EMPTY = np.uint64(0)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Tree(NamedTuple):
    """A trie: ``keys`` and ``nodes`` are the hash table; the others have one entry per node."""

    keys: U64
    nodes: I32
    log_probs: F32
    back_offs: F32
    suffixes: I32
    depths: U8


@jit
def hash_bytes(text: U8, start: int, end: int) -> int:
    """Return the 64-bit FNV-1a hash of some bytes."""
    h = np.uint64(0xCBF29CE484222325)
    for k in range(start, end):
        h = (h ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    return h


@jit
def _word_slot(text: U8, start: int, end: int, table: I32, offsets: I64, data: U8) -> int:
    """Return the slot of a word in the table of words, or the free slot for it."""
    mask = table.size - 1
    # Words are compared byte by byte, so equal hashes do not matter.
    h = hash_bytes(text, start, end)
    slot = np.int64(h ^ (h >> np.uint64(32))) & mask
    size = end - start
    while table[slot] >= 0:
        at = offsets[table[slot]]
        if offsets[table[slot] + 1] - at == size:
            k = 0
            while k < size and text[start + k] == data[at + k]:
                k += 1
            if k == size:
                break
        slot = (slot + 1) & mask
    return slot


@jit
def number_words(offsets: I64, data: U8) -> tuple[I32, int]:
    """Return a hash table of words, and the first duplicate word, or -1.

    Word k is ``data[offsets[k] : offsets[k + 1]]``; a slot holds a word's number, or -1.
    """
    size = 16
    while size < 2 * offsets.size:
        size *= 2
    table = np.full(size, -1, np.int32)
    for k in range(offsets.size - 1):
        slot = _word_slot(data, offsets[k], offsets[k + 1], table, offsets, data)
        if table[slot] >= 0:
            return table, k
        table[slot] = k
    return table, -1


@jit
def find_words(text: U8, starts: I64, table: I32, offsets: I64, data: U8) -> I32:
    """Return the number of each word ``text[starts[k] : starts[k + 1]]``, -1 where unknown."""
    numbers = np.empty(starts.size - 1, np.int32)
    for k in range(numbers.size):
        numbers[k] = table[_word_slot(text, starts[k], starts[k + 1], table, offsets, data)]
    return numbers


@jit
def _is_gap(byte: int) -> bool:
    """Whether a byte separates fields of a line: space, tab or carriage return."""
    return byte == 32 or byte == 9 or byte == 13


@jit
def _number(text: U8, start: int, end: int) -> float:
    """Parse a decimal number such as ``-1.25e-3``; NaN if invalid."""
    at = start
    # Bytes: 43 plus, 45 minus, 46 point, 48 to 57 digits, 69 and 101 the exponent's letter.
    negative = at < end and text[at] == 45
    if at < end and (text[at] == 45 or text[at] == 43):
        at += 1
    value = 0.0
    digits, scale = 0, 0
    dotted = False
    while at < end and (48 <= text[at] <= 57 or (text[at] == 46 and not dotted)):
        if text[at] == 46:
            dotted = True
        else:
            value = value * 10.0 + (text[at] - 48)
            digits += 1
            scale -= dotted
        at += 1
    if digits == 0:
        return np.nan
    if at < end and (text[at] == 101 or text[at] == 69):
        at += 1
        down = at < end and text[at] == 45
        if at < end and (text[at] == 45 or text[at] == 43):
            at += 1
        # No exponent, or one of more than four digits.
        if at == end or end - at > 4:
            return np.nan
        power = 0
        while at < end and 48 <= text[at] <= 57:
            power = power * 10 + (text[at] - 48)
            at += 1
        scale += -power if down else power
    if at < end:
        return np.nan
    # One division of a whole number rounds once; negative powers of ten are not exact.
    value = value / 10.0**-scale if scale < 0 else value * 10.0**scale
    return -value if negative else value


@jit
def parse_lines(
    text: U8, begin: int, order: int, table: I32, offsets: I64, data: U8
) -> tuple[int, int, int, int, F32, F32, I64, I32, I64]:
    """Read lines of n-grams until one that begins with a backslash.

    ``text`` has whole lines, of which the one at byte ``begin`` is the first. The known words
    ``table``, ``offsets`` and ``data``, from ``number_words``, are unused for order 1.

    Return where the next line begins, the number of lines read, what is wrong with the last of them
    and at which byte; then of each n-gram its log probability and back-off, the bytes of its first
    word, the numbers of its words (if the order is above 1), and its line, counted from 0.
    """
    # No order has more n-grams than there are lines left.
    room = 1
    for byte in text[begin:]:
        room += byte == 10
    log_probs = np.empty(room, np.float32)
    back_offs = np.zeros(room, np.float32)
    spans = np.empty(2 * room, np.int64)
    words = np.empty(room * order if order > 1 else 0, np.int32)
    numbers = np.empty(room, np.int64)
    n, lines, at, fault, place = 0, 0, begin, FINE, begin
    # A backslash begins the next section.
    while at < text.size and text[at] != 92:
        field = 0
        place = at
        while at < text.size and text[at] != 10:
            if _is_gap(text[at]):
                at += 1
                continue
            start = at
            while at < text.size and text[at] != 10 and not _is_gap(text[at]):
                at += 1
            # Log probability, then as many words as the order, then the back-off, which may be
            # missing.
            if field == 0 or field == order + 1:
                value = _number(text, start, at)
                if np.isnan(value):
                    fault, place = NO_NUMBER, start
                    break
                if field == 0 and value > 0:
                    fault, place = POSITIVE, start
                    break
                if field == 0:
                    log_probs[n] = value
                else:
                    back_offs[n] = value
            elif field > order + 1:
                fault, place = TOO_MANY, start
                break
            elif order > 1:
                word = table[_word_slot(text, start, at, table, offsets, data)]
                if word < 0:
                    fault, place = UNKNOWN_WORD, start
                    break
                words[n * order + field - 1] = word
            else:
                # Unigrams are the vocabulary: their words are not known yet.
                spans[2 * n], spans[2 * n + 1] = start, at
            field += 1
        if fault == FINE and 0 < field <= order:
            fault = TOO_FEW
        if fault != FINE:
            break
        if field > 0:
            if field == order + 1:
                back_offs[n] = 0.0
            numbers[n] = lines
            n += 1
        lines += 1
        at += 1
    counted = words[: n * order] if order > 1 else words
    spans = spans[: 2 * n]
    return at, lines, fault, place, log_probs[:n], back_offs[:n], spans, counted, numbers[:n]


@jit
def child_slot(keys: U64, node: int, word: int) -> int:
    """Return the slot of a node's child by a word, or the free slot for it."""
    # Words count from 1, so no key is 0.
    key = (np.uint64(node) << np.uint64(32)) | np.uint64(word + 1)
    mixed = key * _FACTOR
    slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(keys.size - 1))
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & (keys.size - 1)
    return slot


@jit
def plant(
    tree: Tree, size: int, order: int, words: I32, log_probs: F32, back_offs: F32
) -> tuple[int, int]:
    """Add the n-grams of an order, and missing prefixes.

    Added prefixes have a log probability of NaN until ``complete`` computes it. Return the new
    number of nodes, and the fault: -1 if all went well, -2 if the tree has no room, or the first
    n-gram that was there before.
    """
    keys, nodes = tree.keys, tree.nodes
    for k in range(log_probs.size):
        node = 0
        for depth in range(1, order + 1):
            word = words[k * order + depth - 1]
            slot = child_slot(keys, node, word)
            if keys[slot] == EMPTY:
                if size == tree.log_probs.size:
                    return size, -2
                keys[slot] = (np.uint64(node) << np.uint64(32)) | np.uint64(word + 1)
                nodes[slot] = size
                tree.log_probs[size] = np.nan
                tree.back_offs[size] = 0
                tree.depths[size] = depth
                size += 1
            node = nodes[slot]
        # Not a new node, nor a prefix added for another n-gram.
        if not np.isnan(tree.log_probs[node]):
            return size, k
        tree.log_probs[node] = log_probs[k]
        tree.back_offs[node] = back_offs[k]
    return size, -1


@jit
def complete(tree: Tree, size: int, order: int) -> int:
    """Find the suffix of every n-gram; compute the probabilities of added prefixes by backing off.

    Return how many were added.
    """
    keys, nodes = tree.keys, tree.nodes
    parents = np.zeros(size, np.int32)
    words = np.zeros(size, np.int32)
    for slot in range(keys.size):
        if keys[slot] != EMPTY:
            parents[nodes[slot]] = np.int32(keys[slot] >> np.uint64(32))
            words[nodes[slot]] = np.int32(keys[slot] & np.uint64(0xFFFFFFFF)) - 1
    tree.suffixes[0] = -1
    added = 0
    # By length, because an n-gram's suffix is shorter and must be complete.
    for depth in range(1, order + 1):
        for node in range(1, size):
            if tree.depths[node] != depth:
                continue
            slot = 0
            context = tree.suffixes[parents[node]]
            less = tree.back_offs[parents[node]]
            # The longest suffix of the context that the word follows; each step down costs its
            # back-off.
            while context >= 0:
                slot = child_slot(keys, context, words[node])
                if keys[slot] != EMPTY:
                    break
                less += tree.back_offs[context]
                context = tree.suffixes[context]
            tree.suffixes[node] = nodes[slot] if context >= 0 else 0
            if np.isnan(tree.log_probs[node]):
                tree.log_probs[node] = less + tree.log_probs[tree.suffixes[node]]
                added += 1
    return added
