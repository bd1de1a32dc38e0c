"""Symmetrizing a forward and a reverse alignment (Och & Ney 2003; Koehn, Och & Marcu 2003).

Every method begins with the intersection or the union, and visits the sorted union of both
directions, to add links that neighbour a kept link, or whose words are unaligned. A link is the
number ``i << 16 | j``. Neighbours are looked up in a small grid or, for long sentences, by binary
search.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I64, U8, U16, Links, make_links
from alignframe.core.symmetrization import CLOSURE, GROWS
from alignframe.kernels.jit import jit
from alignframe.kernels.links.closure import closure
from alignframe.kernels.ragged import tidy
from alignframe.kernels.small import call

_SIDE = 256
"""Smaller positions fit the grid."""

_SETS = {"intersection": 0, "union": 1, "refined": 2}


def symmetrize(forward: Links, reverse: Links, method: str) -> Links:
    """Symmetrize two directions, row by row; both in source-target orientation.

    ``method`` is one of ``alignframe.core.symmetrization.METHODS``; the result has no labels.
    """
    both = tidy(forward)[:3], tidy(reverse)[:3]  # without labels
    if method in GROWS:
        rule = GROWS[method]
        steps = np.array(rule.steps, np.int64)
        widest = max(int(np.diff(side[0]).max(initial=0)) for side in both)
        # In a chain of links, each may take a pass over the others, of a few steps.
        often = both[0][1].size + both[1][1].size + widest**2 // 32
        offsets, i, j = call(_grow, *both, steps, *rule[1:], steps=often)
        return make_links(offsets, i.copy(), j.copy())
    joined = _select(*both, _SETS[method.removesuffix(CLOSURE)])
    return make_links(*(closure(*joined) if method.endswith(CLOSURE) else joined))


@jit
def _longest(forward_at: I64, reverse_at: I64) -> int:
    """Return the maximum number of links in a sentence's union."""
    longest = np.int64(0)
    for r in range(len(forward_at) - 1):
        longest = max(
            longest, forward_at[r + 1] - forward_at[r] + reverse_at[r + 1] - reverse_at[r]
        )
    return longest


@jit
def _reach(forward: U16, reverse: U16) -> int:
    """Return the number of positions up to the neighbours of the last one."""
    last = np.int64(0)
    for positions in (forward, reverse):
        for position in positions:
            last = max(last, np.int64(position))
    return last + 2


@jit
def _union(
    forward_i: U16, forward_j: U16, reverse_i: U16, reverse_j: U16, keys: I64, sides: U8
) -> int:
    """Merge two sorted rows into ``keys``; sides: 1 forward, 2 reverse, 3 both."""
    # A row at its end has a key above all others, 2^40.
    n = 0
    a = 0
    b = 0
    while a < len(forward_i) or b < len(reverse_i):
        forward_key = (
            (np.int64(forward_i[a]) << 16) | forward_j[a]
            if a < len(forward_i)
            else np.int64(1) << 40
        )
        reverse_key = (
            (np.int64(reverse_i[b]) << 16) | reverse_j[b]
            if b < len(reverse_i)
            else np.int64(1) << 40
        )
        keys[n] = min(forward_key, reverse_key)
        sides[n] = 0
        # Equal keys advance both rows.
        if forward_key <= reverse_key:
            sides[n] |= 1
            a += 1
        if reverse_key <= forward_key:
            sides[n] |= 2
            b += 1
        n += 1
    return n


@jit
def _place(keys: I64, n: int, key: int) -> int:
    """Return the first place, of n sorted keys, of one that is not below ``key``.

    NumPy's own search takes most of a second to compile.
    """
    low, high = np.int64(0), np.int64(n)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def _neighbours(keys: I64, n: int, grid: I64, stamp: int, steps: I64, near: I64) -> None:
    """Write the indices of each link's neighbours in the sorted keys to ``near``, or -1.

    The neighbour of link k by step s is ``near[k * steps + s]``.
    """
    widest = np.int64(0)
    for k in range(n):
        # The bits of all positions: none from bit 8 on of either means that all are below _SIDE.
        widest |= keys[k]
    fits = widest & 0xFF00FF00 == 0 and n <= 0xFFFF
    if fits:
        for k in range(n):
            # The sentence's stamp beside the index, so that the grid is never cleared.
            grid[(keys[k] >> 8) | (keys[k] & 0xFF)] = (stamp << 16) | k
    side = _SIDE if fits else 1 << 16
    number = steps.shape[0]
    for k in range(n):
        for s in range(number):
            i = (keys[k] >> 16) + steps[s, 0]
            j = (keys[k] & 0xFFFF) + steps[s, 1]
            neighbour = np.int64(-1)
            if 0 <= i < side and 0 <= j < side:
                if fits:
                    cell = grid[(i << 8) | j]
                    if cell >> 16 == stamp:
                        neighbour = cell & 0xFFFF
                else:
                    at = _place(keys, n, (i << 16) | j)
                    if at < n and keys[at] == (i << 16) | j:
                        neighbour = at
            near[k * number + s] = neighbour


@jit
def _select(
    forward: tuple[I64, U16, U16],
    reverse: tuple[I64, U16, U16],
    method: int,
) -> tuple[I64, U16, U16]:
    """Return the links of the intersection (``method`` 0), the union (1) or refined (2), by row."""
    (forward_at, forward_i, forward_j), (reverse_at, reverse_i, reverse_j) = forward, reverse
    rows = forward_at.size - 1
    steps = np.array([[0, -1], [0, 1], [-1, 0], [1, 0]])
    number = steps.shape[0]
    offsets = np.zeros(rows + 1, np.int64)
    out_i = np.empty(forward_i.size + reverse_i.size, np.uint16)
    out_j = np.empty(forward_i.size + reverse_i.size, np.uint16)
    keys = np.empty(_longest(forward_at, reverse_at), np.int64)
    sides = np.empty(keys.size, np.uint8)
    n_src, n_tgt = _reach(forward_i, reverse_i), _reach(forward_j, reverse_j)
    grid = np.zeros(min(n_src, _SIDE) * _SIDE, np.int64)
    near = np.empty(number * _longest(forward_at, reverse_at), np.int64)
    # The last sentence, by number, in which a source or target word was linked.
    row_used = np.zeros(n_src, np.int64)
    col_used = np.zeros(n_tgt, np.int64)
    n = 0
    for r in range(rows):
        forward_row = slice(forward_at[r], forward_at[r + 1])
        reverse_row = slice(reverse_at[r], reverse_at[r + 1])
        size = _union(
            forward_i[forward_row],
            forward_j[forward_row],
            reverse_i[reverse_row],
            reverse_j[reverse_row],
            keys,
            sides,
        )
        kept = np.zeros(size, np.bool_)
        for k in range(size):
            kept[k] = method == 1 or sides[k] == 3
        if method == 2:
            _neighbours(keys, size, grid, r + 1, steps, near)
            _refine(keys, size, near, kept, row_used, col_used, r + 1)
        for k in range(size):
            if kept[k]:
                out_i[n] = keys[k] >> 16
                out_j[n] = keys[k] & 0xFFFF
                n += 1
        offsets[r + 1] = n
    return offsets, out_i[:n].copy(), out_j[:n].copy()


@jit
def _bends(near: I64, kept: U8, k: int) -> bool:
    """Whether a link has both a kept horizontal and a kept vertical neighbour."""
    beside = False
    above = False
    for s in range(2):
        at = near[4 * k + s]
        beside |= at >= 0 and kept[at]
        at = near[4 * k + 2 + s]
        above |= at >= 0 and kept[at]
    return beside and above


@jit
def _refine(
    keys: I64, n: int, near: I64, kept: U8, row_used: I64, col_used: I64, stamp: int
) -> None:
    """Iterate over the union by (i, j) until nothing is added (Och & Ney 2003, "refined")."""
    # A bend is a link with both a horizontal and a vertical neighbour. The rule forbids any in the
    # whole set, so one in the intersection, if directions link a word more than once, rules out all
    # links that touch others.
    bent = False
    for k in range(n):
        if kept[k]:
            row_used[keys[k] >> 16] = stamp
            col_used[keys[k] & 0xFFFF] = stamp
            bent |= _bends(near, kept, k)
    added = True
    while added:
        added = False
        for k in range(n):
            if kept[k]:
                continue
            i = keys[k] >> 16
            j = keys[k] & 0xFFFF
            wanted = row_used[i] != stamp and col_used[j] != stamp
            if not wanted and not bent:
                # Added on trial, as the bends of its neighbours depend on it.
                touches = False
                kept[k] = True
                bends = _bends(near, kept, k)
                for s in range(4):
                    at = near[4 * k + s]
                    if at >= 0 and kept[at]:
                        touches = True
                        bends |= _bends(near, kept, at)
                kept[k] = False
                wanted = touches and not bends
            if wanted:
                kept[k] = True
                row_used[i] = stamp
                col_used[j] = stamp
                added = True


@jit
def _by_target(keys: I64, n: int, place: I64, order: I64) -> None:
    """Write the order of sorted links by (j, i) to ``order``: a counting sort.

    ``place`` has room for every position and one more.
    """
    widest = np.int64(0)
    for k in range(n):
        widest = max(widest, keys[k] & 0xFFFF)
    for j in range(widest + 2):
        place[j] = 0
    for k in range(n):
        place[(keys[k] & 0xFFFF) + 1] += 1
    for j in range(widest):
        place[j + 1] += place[j]
    for k in range(n):
        j = keys[k] & 0xFFFF
        order[place[j]] = k
        place[j] += 1


@jit
def _add(keys: I64, k: int, need: int, kept: U8, row_used: I64, col_used: I64, stamp: int) -> bool:
    """Add link k if enough of its words are unaligned; return whether it was added."""
    i = keys[k] >> 16
    j = keys[k] & 0xFFFF
    if kept[k] or (row_used[i] != stamp) + (col_used[j] != stamp) < need:
        return False
    kept[k] = True
    row_used[i] = stamp
    col_used[j] = stamp
    return True


@jit
def _grow(
    forward: tuple[I64, U16, U16],
    reverse: tuple[I64, U16, U16],
    steps: I64,
    by_target: bool,
    pull: bool,
    need: int,
    final: int,
) -> tuple[I64, U16, U16]:
    """Return the links of the grown intersection by row; see ``symmetrization.Grow``."""
    (forward_at, forward_i, forward_j), (reverse_at, reverse_i, reverse_j) = forward, reverse
    rows = len(forward_at) - 1
    offsets = np.zeros(rows + 1, np.int64)
    out_i = np.empty(len(forward_i) + len(reverse_i), np.uint16)
    out_j = np.empty(len(forward_i) + len(reverse_i), np.uint16)
    longest = _longest(forward_at, reverse_at)
    keys = np.empty(longest, np.int64)
    sides = np.empty(longest, np.uint8)
    kept = np.empty(longest, np.bool_)
    order = np.empty(longest, np.int64)
    for k in range(longest):
        order[k] = k
    place = np.empty((1 << 16) + 1, np.int64)
    n_src, n_tgt = _reach(forward_i, reverse_i), _reach(forward_j, reverse_j)
    grid = np.zeros(min(n_src, _SIDE) * _SIDE, np.int64)
    near = np.empty(steps.shape[0] * longest, np.int64)
    row_used = np.zeros(n_src, np.int64)
    col_used = np.zeros(n_tgt, np.int64)
    rule = (steps, pull, need, final)
    n = 0
    for r in range(rows):
        forward_row = slice(forward_at[r], forward_at[r + 1])
        reverse_row = slice(reverse_at[r], reverse_at[r + 1])
        size = _union(
            forward_i[forward_row],
            forward_j[forward_row],
            reverse_i[reverse_row],
            reverse_j[reverse_row],
            keys,
            sides,
        )
        _neighbours(keys, size, grid, r + 1, steps, near)
        if by_target:
            _by_target(keys, size, place, order)
        _grow_row(keys, size, sides, near, order, rule, kept, row_used, col_used, r + 1)
        for k in range(size):
            if kept[k]:
                out_i[n] = keys[k] >> 16
                out_j[n] = keys[k] & 0xFFFF
                n += 1
        offsets[r + 1] = n
    return offsets, out_i[:n], out_j[:n]


@jit
def _grow_row(
    keys: I64,
    size: int,
    sides: U8,
    near: I64,
    order: I64,
    rule: tuple[I64, bool, int, int],
    kept: U8,
    row_used: I64,
    col_used: I64,
    stamp: int,
) -> None:
    """Mark the links that are kept of a sentence's union."""
    steps, pull, need, final = rule
    number = steps.shape[0]
    for k in range(size):
        kept[k] = False
        if sides[k] == 3:
            _add(keys, k, 0, kept, row_used, col_used, stamp)
    added = True
    while added:
        added = False
        # Links added during a pass take effect in the same pass.
        for k in order[:size]:
            # Pulling, links outside are visited and look for a kept neighbour; pushing, kept links
            # are visited and add theirs.
            if kept[k] == pull:
                continue
            for s in range(number):
                at = near[k * number + s]
                if at < 0 or kept[at] != pull:
                    continue
                wanted = k if pull else at
                added |= _add(keys, wanted, need, kept, row_used, col_used, stamp)
    if final:
        # Forward links first, then reverse ones: 1 and 2 are the bits of ``sides``.
        for side in (1, 2):
            for k in order[:size]:
                if sides[k] & side:
                    _add(keys, k, final, kept, row_used, col_used, stamp)
