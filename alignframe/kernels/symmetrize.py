"""Joining a forward and a reverse alignment into one (Och & Ney 2003; Koehn, Och & Marcu 2003).

Every method works on the sorted union of both directions. A link is looked up in a small grid, or,
where a sentence is too long for that, by binary search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import I64, U8, U16, Links, make_links, tidy


class Grow(NamedTuple):
    """How a grow method adds links to the intersection.

    ``grow_both`` and ``final_both``: both words of an added link must be unaligned, not just
    one. ``neighbours``: the steps (di, dj), in the order in which they are tried.
    """

    grow_both: bool
    final: bool
    final_both: bool
    neighbours: tuple[tuple[int, int], ...]


_SIDE = 256
"""Positions below it fit the grid."""

_EAST_FIRST = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (1, -1), (1, 1))
_STRAIGHT_FIRST = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))

_SETS = {"intersection": 0, "union": 1, "union-closure": 2, "refined": 3}
_GROWS = {
    "grow-diag": Grow(True, False, False, _EAST_FIRST),
    "grow-diag-final": Grow(True, True, True, _EAST_FIRST),
    "grow-diag-final-and": Grow(True, True, True, _EAST_FIRST),
    "moses-grow-diag": Grow(False, False, False, _STRAIGHT_FIRST),
    "moses-grow-diag-final": Grow(False, True, False, _STRAIGHT_FIRST),
    "moses-grow-diag-final-and": Grow(False, True, True, _STRAIGHT_FIRST),
}
METHODS = (*_SETS, *_GROWS)
"""The names of all methods."""


def symmetrize(forward: Links, reverse: Links, method: str) -> Links:
    """Join two directions, row by row; both in source-target orientation.

    ``method`` is one of ``METHODS``; labels are not carried over.
    """
    one, two = tidy(forward), tidy(reverse)
    both = (one.offsets, one.i, one.j, two.offsets, two.i, two.j)
    if method in _GROWS:
        rule = _GROWS[method]
        steps = np.array(rule.neighbours, np.int64)
        return make_links(*_grow(*both, rule.grow_both, rule.final, rule.final_both, steps))
    if method == "union-closure":
        return make_links(*_closure(*both))
    return make_links(*_select(*both, _SETS[method]))


@jit
def _longest(fo: I64, ro: I64) -> int:
    """Return the most links that a sentence's union can have."""
    longest = np.int64(0)
    for r in range(fo.size - 1):
        longest = max(longest, fo[r + 1] - fo[r] + ro[r + 1] - ro[r])
    return longest


@jit
def _union(fi: U16, fj: U16, ri: U16, rj: U16, keys: I64, sides: U8) -> int:
    """Merge two sorted rows into ``keys``; sides: 1 forward, 2 reverse, 3 both."""
    n = 0
    a = 0
    b = 0
    while a < fi.size or b < ri.size:
        one = (np.int64(fi[a]) << 16) | fj[a] if a < fi.size else np.int64(1) << 40
        two = (np.int64(ri[b]) << 16) | rj[b] if b < ri.size else np.int64(1) << 40
        keys[n] = min(one, two)
        sides[n] = 0
        if one <= two:
            sides[n] |= 1
            a += 1
        if two <= one:
            sides[n] |= 2
            b += 1
        n += 1
    return n


@jit
def _neighbours(keys: I64, n: int, grid: I64, stamp: int, steps: I64, near: I64) -> None:
    """Write where each link's neighbours stand in the sorted keys into ``near``, or -1.

    The neighbour of link k by step s goes to ``near[k * steps + s]``. Links are looked up in the
    grid; where a sentence is too long for it, by binary search.
    """
    widest = np.int64(0)
    for k in range(n):
        widest |= keys[k]
    fits = widest & 0xFF00FF00 == 0 and n <= 0xFFFF
    if fits:
        for k in range(n):
            grid[(keys[k] >> 8) | (keys[k] & 0xFF)] = (stamp << 16) | k
    side = _SIDE if fits else 1 << 16
    number = steps.shape[0]
    for k in range(n):
        for s in range(number):
            i = (keys[k] >> 16) + steps[s, 0]
            j = (keys[k] & 0xFFFF) + steps[s, 1]
            found = np.int64(-1)
            if 0 <= i < side and 0 <= j < side:
                if fits:
                    cell = grid[(i << 8) | j]
                    if cell >> 16 == stamp:
                        found = cell & 0xFFFF
                else:
                    at = np.searchsorted(keys[:n], (i << 16) | j)
                    if at < n and keys[at] == (i << 16) | j:
                        found = at
            near[k * number + s] = found


@jit
def _select(
    fo: I64, fi: U16, fj: U16, ro: I64, ri: U16, rj: U16, method: int
) -> tuple[I64, U16, U16]:
    """Intersection (0), union (1) and refined (3)."""
    rows = fo.size - 1
    steps = np.array([[0, -1], [0, 1], [-1, 0], [1, 0]])
    number = steps.shape[0]
    offsets = np.zeros(rows + 1, np.int64)
    out_i = np.empty(fi.size + ri.size, np.uint16)
    out_j = np.empty(fi.size + ri.size, np.uint16)
    keys = np.empty(_longest(fo, ro), np.int64)
    sides = np.empty(keys.size, np.uint8)
    grid = np.zeros(_SIDE * _SIDE, np.int64)
    near = np.empty(number * _longest(fo, ro), np.int64)
    row_used = np.zeros(1 << 16, np.int64)
    col_used = np.zeros(1 << 16, np.int64)
    n = 0
    for r in range(rows):
        f = slice(fo[r], fo[r + 1])
        b = slice(ro[r], ro[r + 1])
        size = _union(fi[f], fj[f], ri[b], rj[b], keys, sides)
        kept = np.zeros(size, np.bool_)
        for k in range(size):
            kept[k] = method == 1 or sides[k] == 3
        if method == 3:
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
    """Pass over the union by (i, j) until nothing is added (Och & Ney 2003, "refined")."""
    bent = False  # directions that link a word more than once may bend from the start
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
def _grow(
    fo: I64,
    fi: U16,
    fj: U16,
    ro: I64,
    ri: U16,
    rj: U16,
    grow_both: bool,
    final: bool,
    final_both: bool,
    steps: I64,
) -> tuple[I64, U16, U16]:
    rows = fo.size - 1
    number = steps.shape[0]
    offsets = np.zeros(rows + 1, np.int64)
    out_i = np.empty(fi.size + ri.size, np.uint16)
    out_j = np.empty(fi.size + ri.size, np.uint16)
    keys = np.empty(_longest(fo, ro), np.int64)
    sides = np.empty(keys.size, np.uint8)
    grid = np.zeros(_SIDE * _SIDE, np.int64)
    near = np.empty(number * _longest(fo, ro), np.int64)
    row_used = np.zeros(1 << 16, np.int64)
    col_used = np.zeros(1 << 16, np.int64)
    n = 0
    for r in range(rows):
        stamp = r + 1
        f = slice(fo[r], fo[r + 1])
        b = slice(ro[r], ro[r + 1])
        size = _union(fi[f], fj[f], ri[b], rj[b], keys, sides)
        _neighbours(keys, size, grid, stamp, steps, near)
        kept = np.zeros(size, np.bool_)
        for k in range(size):
            if sides[k] == 3:
                kept[k] = True
                row_used[keys[k] >> 16] = stamp
                col_used[keys[k] & 0xFFFF] = stamp
        added = True
        while added:
            added = False
            # Links added during a pass are visited in the same pass if they lie further on.
            for k in range(size):
                if not kept[k]:
                    continue
                for s in range(number):
                    at = near[k * number + s]
                    if at < 0 or kept[at]:
                        continue
                    i = keys[at] >> 16
                    j = keys[at] & 0xFFFF
                    free_i = row_used[i] != stamp
                    free_j = col_used[j] != stamp
                    if (free_i and free_j) if grow_both else (free_i or free_j):
                        kept[at] = True
                        row_used[i] = stamp
                        col_used[j] = stamp
                        added = True
        if final:
            for side in (1, 2):
                for k in range(size):
                    if kept[k] or not sides[k] & side:
                        continue
                    i = keys[k] >> 16
                    j = keys[k] & 0xFFFF
                    free_i = row_used[i] != stamp
                    free_j = col_used[j] != stamp
                    if (free_i and free_j) if final_both else (free_i or free_j):
                        kept[k] = True
                        row_used[i] = stamp
                        col_used[j] = stamp
        for k in range(size):
            if kept[k]:
                out_i[n] = keys[k] >> 16
                out_j[n] = keys[k] & 0xFFFF
                n += 1
        offsets[r + 1] = n
    return offsets, out_i[:n].copy(), out_j[:n].copy()


@jit
def _root(parent: I64, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@jit
def _closure(fo: I64, fi: U16, fj: U16, ro: I64, ri: U16, rj: U16) -> tuple[I64, U16, U16]:
    """Union, with every connected component of words made fully connected."""
    rows = fo.size - 1
    offsets = np.zeros(rows + 1, np.int64)
    out_i = np.empty(2 * (fi.size + ri.size) + 16, np.uint16)
    out_j = np.empty(2 * (fi.size + ri.size) + 16, np.uint16)
    keys = np.empty(_longest(fo, ro), np.int64)
    sides = np.empty(keys.size, np.uint8)
    # Source word i is node i, target word j is node 65,536 + j.
    parent = np.empty(1 << 17, np.int64)
    first = np.empty(1 << 17, np.int64)
    after = np.empty(1 << 16, np.int64)
    n = 0
    for r in range(rows):
        f = slice(fo[r], fo[r + 1])
        b = slice(ro[r], ro[r + 1])
        size = _union(fi[f], fj[f], ri[b], rj[b], keys, sides)
        for k in range(size):
            for node in (keys[k] >> 16, (1 << 16) + (keys[k] & 0xFFFF)):
                parent[node] = node
        for k in range(size):
            one = _root(parent, keys[k] >> 16)
            two = _root(parent, (1 << 16) + (keys[k] & 0xFFFF))
            parent[one] = two
        # A chain of target words, in ascending order, hangs on each component's root.
        targets = np.unique(keys[:size] & 0xFFFF)
        for k in range(targets.size):
            first[_root(parent, (1 << 16) + targets[k])] = -1
        for k in range(targets.size - 1, -1, -1):
            root = _root(parent, (1 << 16) + targets[k])
            after[targets[k]] = first[root]
            first[root] = targets[k]
        previous = np.int64(-1)
        for k in range(size):
            i = keys[k] >> 16
            if i == previous:
                continue
            previous = i
            j = first[_root(parent, i)]
            while j >= 0:
                if n == out_i.size:
                    out_i = np.concatenate((out_i, np.empty_like(out_i)))
                    out_j = np.concatenate((out_j, np.empty_like(out_j)))
                out_i[n] = i
                out_j[n] = j
                n += 1
                j = after[j]
        offsets[r + 1] = n
    return offsets, out_i[:n].copy(), out_j[:n].copy()
