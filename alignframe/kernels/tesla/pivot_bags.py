"""Bags of expected n-grams, and their overlap (Dahlmeier, Liu & Ng 2011, sections 2.2 and 3.3).

    matched = sum over n-grams of min(weight in hyp, weight in ref)
    P = matched / sum of weights in hyp, R = matched / sum of weights in ref
    F = P R / (α P + (1 - α) R)

for n-grams of 1, 2 and 3 tokens apart. Two networks share an n-gram only if they share each of its
tokens: n-grams with other tokens only count in the sums.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, U64
from alignframe.kernels.jit import jit
from alignframe.kernels.tesla.pivot_ngrams import (
    KEY_BITS,
    ORDERS,
    Alternatives,
    Network,
    Side,
    Table,
    list_ngrams,
    wider,
)
from alignframe.kernels.tesla.segments import Columns
from alignframe.kernels.text.trie import bits_of, slot_of

_BIGRAM = np.uint64(1 << KEY_BITS)
_TRIGRAM = np.uint64(1 << (2 * KEY_BITS))
_SLOTS = 2048


def f_measures(
    table: Alternatives,
    hyp: Columns,
    hyp_tokens: Side,
    ref: Columns,
    ref_tokens: Side,
    size: int,
    alpha: float,
    empty: float,
) -> F64:
    """Return F for the n-grams of 1 to 3 tokens of each row; shape (rows, 3).

    All keys are below ``size``. F is ``empty`` where the reference or the hypothesis has no n-gram
    of an order.
    """
    sides = (*hyp, *hyp_tokens), (*ref, *ref_tokens)
    f_of_rows: F64 = _f_measures(tuple(table), *sides, size, alpha, empty)
    return f_of_rows


def expected(table: Alternatives, columns: Columns, tokens: Side, size: int) -> tuple[U64, F64]:
    """Return the keys and expected weights of the n-grams of the first row."""
    keys, weights = np.empty(_SLOTS, np.uint64), np.empty(_SLOTS)
    everything = np.ones(size, np.int32), 1, np.zeros(ORDERS)
    n_listed, keys, weights = list_ngrams(
        tuple(table), (*columns, *tokens), 0, *everything, keys, weights
    )
    bag = _add_all(*_bag(), keys, weights, n_listed)
    return bag[1][: bag[0]], bag[2][: bag[0]]


@jit
def _bag() -> tuple[int, U64, F64, I32]:
    """Return an empty bag: its size, keys, weights, and a table of the places in them, from 1."""
    return 0, np.empty(_SLOTS // 2, np.uint64), np.empty(_SLOTS // 2), np.zeros(_SLOTS, np.int32)


@jit
def _add_all(
    size: int, keys: U64, weights: F64, slots: I32, new: U64, new_weights: F64, n: int
) -> tuple[int, U64, F64, I32]:
    """Add n-grams to a bag, which may need larger arrays."""
    if size + n > keys.size:
        capacity = keys.size
        # At most half of the slots are taken, and a bag has room for as many n-grams.
        while capacity < size + n:
            capacity *= 2
        keys, weights = wider(keys, weights, size, capacity // 2)
        slots = np.zeros(2 * capacity, np.int32)
        _place(keys, size, slots)
    bits = bits_of(slots)
    mask = np.uint64(slots.size - 1)
    for k in range(n):
        key = new[k]
        slot = slot_of(key, bits)
        while slots[slot] != 0 and keys[slots[slot] - 1] != key:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == 0:
            keys[size] = key
            weights[size] = new_weights[k]
            size += 1
            slots[slot] = size
        else:
            weights[slots[slot] - 1] += new_weights[k]
    return size, keys, weights, slots


@jit
def _place(keys: U64, size: int, slots: I32) -> None:
    """Enter the n-grams of a bag into an empty table."""
    bits = bits_of(slots)
    mask = np.uint64(slots.size - 1)
    for entry in range(size):
        slot = slot_of(keys[entry], bits)
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = entry + 1


@jit
def _weigh(keys: U64, others: F64, slots: I32, new: U64, new_weights: F64, n: int) -> None:
    """Add the weights of another side's n-grams to ``others``, at their places in a bag."""
    bits = bits_of(slots)
    mask = np.uint64(slots.size - 1)
    for k in range(n):
        slot = slot_of(new[k], bits)
        while slots[slot] != 0 and keys[slots[slot] - 1] != new[k]:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] != 0:
            others[slots[slot] - 1] += new_weights[k]


@jit
def _mark(
    table: Table,
    network: Network,
    r: int,
    among: I32,
    wanted: int,
    marks: I32,
    mark: int,
) -> None:
    """Mark the keys of row r's tokens that have the number ``wanted`` in ``among``."""
    offsets, _, tokens, keys_of, _ = table
    columns, first, phrase, own_keys, _ = network
    for c in range(columns[r], columns[r + 1]):
        if phrase[c] < 0:
            key = own_keys[first[c]]
            if among[key] == wanted:
                marks[key] = mark
            continue
        for t in range(tokens[offsets[phrase[c]]], tokens[offsets[phrase[c] + 1]]):
            if among[keys_of[t]] == wanted:
                marks[keys_of[t]] = mark


@jit
def _alike(hyp: Network, ref: Network, r: int) -> bool:
    """Whether two networks are the same."""
    size = hyp[0][r + 1] - hyp[0][r]
    if ref[0][r + 1] - ref[0][r] != size:
        return False
    for c in range(size):
        a, b = hyp[0][r] + c, ref[0][r] + c
        if hyp[2][a] != ref[2][b]:
            return False
        if hyp[2][a] < 0:
            a, b = hyp[1][a], ref[1][b]
            if hyp[3][a] != ref[3][b] or hyp[4][a] != ref[4][b]:
                return False
    return True


@jit
def _order(key: np.uint64) -> int:
    """Return the number of tokens of an n-gram minus 1."""
    return (key >= _BIGRAM) + (key >= _TRIGRAM)


@jit
def _f_measures(
    table: Table,
    hyp: Network,
    ref: Network,
    n_keys: int,
    alpha: float,
    empty: float,
) -> F64:
    """Return F of each row, shape (rows, orders)."""
    rows = hyp[0].size - 1
    out = np.empty((rows, ORDERS), np.float64)
    _, keys, weights, slots = _bag()
    others = np.zeros(keys.size)  # the hypothesis' weights of the reference's n-grams
    new, new_weights = np.empty(_SLOTS, np.uint64), np.empty(_SLOTS)
    every, of_ref = np.zeros(n_keys, np.int32), np.zeros(n_keys, np.int32)
    shared = np.zeros(n_keys, np.int32)
    ref_total, hyp_total, both = np.zeros(ORDERS), np.zeros(ORDERS), np.zeros(ORDERS)
    for r in range(rows):
        if slots.size > 16 * _SLOTS:  # clearing a large table for every row would be slow
            _, keys, weights, slots = _bag()
        slots[:] = 0
        ref_total[:] = 0.0
        hyp_total[:] = 0.0
        both[:] = 0.0
        # Tokens of the reference, then those of the hypothesis among them. Row numbers mark them,
        # so that nothing is cleared between rows.
        _mark(table, ref, r, every, 0, of_ref, r + 1)
        _mark(table, hyp, r, of_ref, r + 1, shared, r + 1)
        n, new, new_weights = list_ngrams(table, ref, r, shared, r + 1, ref_total, new, new_weights)
        size, keys, weights, slots = _add_all(0, keys, weights, slots, new, new_weights, n)
        if others.size < size:
            others = np.zeros(keys.size)
        others[:size] = 0.0
        n, new, new_weights = list_ngrams(table, hyp, r, shared, r + 1, hyp_total, new, new_weights)
        _weigh(keys, others, slots, new, new_weights, n)
        # Exactly 1 for equal sides, whatever the rounding.
        same = _alike(hyp, ref, r)
        for k in range(size):
            both[_order(keys[k])] += min(weights[k], others[k])
        for order in range(ORDERS):
            if ref_total[order] == 0.0 or hyp_total[order] == 0.0:
                out[r, order] = empty
            elif same:
                out[r, order] = 1.0
            elif both[order] == 0.0:
                out[r, order] = 0.0
            else:
                # Sums in another order may differ in the last bit.
                precision = min(1.0, both[order] / hyp_total[order])
                recall = min(1.0, both[order] / ref_total[order])
                out[r, order] = precision * recall / (alpha * precision + (1 - alpha) * recall)
    return out
