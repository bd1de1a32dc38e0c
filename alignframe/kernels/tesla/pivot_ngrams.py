"""Expected n-grams of confusion networks (Dahlmeier, Liu & Ng 2011, section 3.3).

A network has one column per phrase; a column's alternatives are sequences of pivot tokens with
probabilities, chosen independently in every column:

    weight(g) = sum over g's occurrences of the product of probabilities of the alternatives it
                spans, times its tokens' factors (1, or the discount of a function word)

Only the last one or two tokens matter from column to column, so the cost does not depend on the
number of paths. An n-gram is a key of up to three token numbers, from 1 on, of 21 bits each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I32, I64, U64
from alignframe.kernels.jit import jit

ORDERS = 3
KEY_BITS = 21
LARGEST = (1 << KEY_BITS) - 2
"""The largest number of a lemma or tag: three of them, from 1 on, fit in one key."""

_SHIFT = np.uint64(KEY_BITS)
_ROOM = 32

# The sole alternative of a token without a phrase.
_CERTAIN, _SINGLE = np.ones(1), np.arange(2)

# Short lists of n-grams: those with which a path may begin a column (one token, two) or end it, and
# alternatives of a single token; LAST has the ends of the previous column.
_FIRST, _FIRST_TWO, _END, _END_TWO, _WHOLE, _LAST = range(6)
_LISTS = 6

Network = tuple[I64, I64, I32, I32, F64]
"""Columns, and tokens without a phrase, in the form kernels take: ``(*Columns, *Side)``."""

Table = tuple[I64, F64, I64, I32, F64]


class Side(NamedTuple):
    """The tokens of all sentences: the alternatives of columns without a phrase."""

    keys: I32
    factors: F64


class Alternatives(NamedTuple):
    """The pivot phrases of each phrase of a table.

    Phrase p has the alternatives ``offsets[p] <= a < offsets[p + 1]``; alternative a has a
    probability and the tokens ``tokens[a] <= t < tokens[a + 1]``, each with a key (the number of
    its lemma, or of its tag) and a factor.
    """

    offsets: I64
    probability: F64
    tokens: I64
    keys: I32
    factors: F64


@jit
def _joined(head: np.uint64, last: np.uint64) -> np.uint64:
    """Return the key of an n-gram extended by a token."""
    return (head << _SHIFT) | last


@jit
def wider(keys: U64, weights: F64, used: int, room: int) -> tuple[U64, F64]:
    """Return copies of arrays with twice ``room``."""
    new_keys, new_weights = np.empty(2 * room, np.uint64), np.empty(2 * room, np.float64)
    for k in range(used):
        new_keys[k], new_weights[k] = keys[k], weights[k]
    return new_keys, new_weights


@jit
def _merged(keys: U64, weights: F64, which: int, size: int) -> int:
    """Merge equal keys of a short list, in place; return its new length."""
    n_kept = 0
    for k in range(size):
        key = keys[which, k]
        at = 0
        while at < n_kept and keys[which, at] != key:
            at += 1
        if at < n_kept:
            weights[which, at] += weights[which, k]
        else:
            keys[which, at] = key
            weights[which, at] = weights[which, k]
            n_kept += 1
    return n_kept


@jit
def _inside(
    keys_of: I32,
    factors: F64,
    start: int,
    tokens: I64,
    probability: F64,
    low: int,
    high: int,
    shared: I32,
    row: int,
    totals: F64,
    sums: F64,
    list_keys: U64,
    list_weights: F64,
    sizes: I64,
    keys: U64,
    weights: F64,
    n: int,
) -> int:
    """List the n-grams inside the alternatives of a column, and those at their borders.

    Return how many are listed. ``tokens`` counts from ``start``; ``sums`` gets the weights of what
    begins and ends the alternatives, shared or not.
    """
    firsts, first_twos, ends, end_twos, wholes = 0, 0, 0, 0, 0
    for a in range(low, high):
        p = probability[a]
        begin, end = start + tokens[a], start + tokens[a + 1]
        key_1, key_2 = np.uint64(0), np.uint64(0)  # of the previous token, and the one before it
        factor_1, factor_2 = 0.0, 0.0
        known_1, known_2 = False, False
        for t in range(begin, end):
            key, factor = np.uint64(keys_of[t]) + np.uint64(1), factors[t]
            known = shared[keys_of[t]] == row
            weight = p * factor
            two_weight = weight * factor_1
            three_weight = two_weight * factor_2
            totals[0] += weight
            totals[1] += two_weight
            totals[2] += three_weight
            # At the beginning of an alternative the previous factors are 0, so nothing crosses its
            # border here.
            pair = _joined(key_1, key)
            if t == begin:
                sums[_FIRST] += weight
            if t == begin + 1:
                sums[_FIRST_TWO] += two_weight
            if known:
                keys[n], weights[n] = key, weight
                n += 1
                if t == begin:
                    list_keys[_FIRST, firsts], list_weights[_FIRST, firsts] = key, weight
                    firsts += 1
                if known_1:
                    keys[n], weights[n] = pair, two_weight
                    n += 1
                    if t == begin + 1:
                        list_keys[_FIRST_TWO, first_twos] = pair
                        list_weights[_FIRST_TWO, first_twos] = two_weight
                        first_twos += 1
                    if known_2:
                        keys[n], weights[n] = _joined(_joined(key_2, key_1), key), three_weight
                        n += 1
            key_2, factor_2, known_2 = key_1, factor_1, known_1
            key_1, factor_1, known_1 = key, factor, known
        weight = p * factor_1
        sums[_END] += weight
        if known_1:
            list_keys[_END, ends], list_weights[_END, ends] = key_1, weight
            ends += 1
        if end - begin == 1:
            sums[_WHOLE] += weight
            if known_1:
                list_keys[_WHOLE, wholes], list_weights[_WHOLE, wholes] = key_1, weight
                wholes += 1
        else:
            two_weight = weight * factor_2
            sums[_END_TWO] += two_weight
            if known_1 and known_2:
                list_keys[_END_TWO, end_twos] = _joined(key_2, key_1)
                list_weights[_END_TWO, end_twos] = two_weight
                end_twos += 1
    sizes[_FIRST] = _merged(list_keys, list_weights, _FIRST, firsts)
    sizes[_FIRST_TWO] = _merged(list_keys, list_weights, _FIRST_TWO, first_twos)
    sizes[_END] = _merged(list_keys, list_weights, _END, ends)
    sizes[_END_TWO] = _merged(list_keys, list_weights, _END_TWO, end_twos)
    sizes[_WHOLE] = _merged(list_keys, list_weights, _WHOLE, wholes)
    return n


@jit
def _across(
    list_keys: U64,
    list_weights: F64,
    sizes: I64,
    two_keys: U64,
    two_weights: F64,
    n_two: int,
    keys: U64,
    weights: F64,
    n: int,
) -> int:
    """List the n-grams that cross a column's border; ``two`` are the pairs that end before it."""
    for s in range(sizes[_FIRST]):
        key, weight = list_keys[_FIRST, s], list_weights[_FIRST, s]
        for e in range(sizes[_LAST]):
            keys[n] = _joined(list_keys[_LAST, e], key)
            weights[n] = list_weights[_LAST, e] * weight
            n += 1
        for e in range(n_two):
            keys[n] = _joined(two_keys[e], key)
            weights[n] = two_weights[e] * weight
            n += 1
    for s in range(sizes[_FIRST_TWO]):
        key, weight = list_keys[_FIRST_TWO, s], list_weights[_FIRST_TWO, s]
        for e in range(sizes[_LAST]):
            keys[n] = (list_keys[_LAST, e] << (_SHIFT + _SHIFT)) | key
            weights[n] = list_weights[_LAST, e] * weight
            n += 1
    return n


@jit
def list_ngrams(
    table: Table,
    network: Network,
    r: int,
    shared: I32,
    row: int,
    totals: F64,
    keys: U64,
    weights: F64,
) -> tuple[int, U64, F64]:
    """List the n-grams of row r with their weights, one entry per occurrence.

    An n-gram is listed only if all its tokens have the number ``row`` in ``shared``; ``totals``
    receives the weight of all n-grams of each order. The returned arrays may be larger copies.
    """
    offsets, probability, tokens, keys_of, factors = table
    columns, first, phrase, own_keys, own_factors = network
    room = _ROOM
    list_keys, list_weights = np.empty((_LISTS, room), np.uint64), np.empty((_LISTS, room))
    sizes, sums = np.zeros(_LISTS, np.int64), np.zeros(_LISTS)
    two_keys, two_weights = np.empty(room * room, np.uint64), np.empty(room * room)
    n, n_two, sum_two = 0, 0, 0.0
    for c in range(columns[r], columns[r + 1]):
        # the ends of the previous column
        n_last, sum_last = sizes[_END], sums[_END]
        for k in range(n_last):
            list_keys[_LAST, k] = list_keys[_END, k]
            list_weights[_LAST, k] = list_weights[_END, k]
        sizes[_LAST] = n_last
        sums[:] = 0.0
        low, high, most = 0, 1, 3
        if phrase[c] >= 0:
            low, high = offsets[phrase[c]], offsets[phrase[c] + 1]
            most = 3 * (tokens[high] - tokens[low])
        if high - low > room:
            room = 2 * (high - low)
            longer, longer_weights = np.empty((_LISTS, room), np.uint64), np.empty((_LISTS, room))
            for part in range(_LISTS):
                for k in range(list_keys.shape[1]):
                    longer[part, k] = list_keys[part, k]
                    longer_weights[part, k] = list_weights[part, k]
            list_keys, list_weights = longer, longer_weights
        if n + most > keys.size:
            keys, weights = wider(keys, weights, n, n + most)
        # A token without a phrase is the sole alternative.
        is_token = phrase[c] < 0
        n = _inside(
            own_keys if is_token else keys_of,
            own_factors if is_token else factors,
            first[c] if is_token else 0,
            _SINGLE if is_token else tokens,
            _CERTAIN if is_token else probability,
            low, high, shared, row, totals, sums,
            list_keys, list_weights, sizes, keys, weights, n,
        )  # fmt: skip
        most = n_last * (sizes[_FIRST] + sizes[_FIRST_TWO]) + n_two * sizes[_FIRST]
        if n + most > keys.size:
            keys, weights = wider(keys, weights, n, n + most)
        n = _across(list_keys, list_weights, sizes, two_keys, two_weights, n_two, keys, weights, n)
        # The weight of all n-grams across the border is a product of sums, as columns are
        # independent.
        totals[1] += sum_last * sums[_FIRST]
        totals[2] += sum_two * sums[_FIRST] + sum_last * sums[_FIRST_TWO]
        # the pairs that end paths after this column
        n_two, sum_two = sizes[_END_TWO], sums[_END_TWO] + sum_last * sums[_WHOLE]
        if n_two + n_last * sizes[_WHOLE] > two_keys.size:
            two_keys, two_weights = wider(two_keys, two_weights, 0, n_two + n_last * sizes[_WHOLE])
        for k in range(n_two):
            two_keys[k] = list_keys[_END_TWO, k]
            two_weights[k] = list_weights[_END_TWO, k]
        for w in range(sizes[_WHOLE]):
            for e in range(n_last):
                two_keys[n_two] = _joined(list_keys[_LAST, e], list_keys[_WHOLE, w])
                two_weights[n_two] = list_weights[_LAST, e] * list_weights[_WHOLE, w]
                n_two += 1
    return n, keys, weights
