"""An exact solver of the transportation problem with a few integer similarities.

Maximize ``sum s_ij w_ij`` with the flow ``w`` out of row i at most its supply and into column j at
most its demand (Dahlmeier, Liu & Ng 2011, section 2.2), by the primal-dual method (Ford & Fulkerson
1956). Row i has a dual ``u_i``, column j a price ``p_j``, with ``u_i + p_j >= s_ij``; flow goes
only along *tight* edges, where both are equal. Rows begin at the largest similarity, prices at 0.
Rows with supply left are *free*, columns with demand left *open*. Open columns have price 0, free
rows the lowest dual of all, the *level*, which is gained by each unit that reaches an open column.
Where none can be reached, the reached rows fall and the reached columns rise until another edge is
tight. At level 0, or without such an edge, the flow is optimal.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I32, I64, U64
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.jit import jit

Room = tuple[I32, I32, I32, I32, U64, U64]


@jit
def words_of(wide: int | None) -> int:
    """Return the number of 64-bit words of a set; None means one.

    The code compiled for None has no loops over sets.
    """
    if wide is None:
        return 1
    return wide


@jit
def solve(
    low: int,
    top: int,
    rows: int,
    columns: int,
    wide: int | None,
    edges: U64,
    supply: I64,
    demand: I64,
    room: Room,
) -> int:
    """Return the maximum of ``sum s_ij w_ij``; supply and demand are reduced by the flow.

    Similarities are integers from ``low`` to ``top``, above 0, or 0 without an edge. Row i has the
    columns ``edges[v, i]`` at the similarity low + v: a set of ``wide`` 64-bit words, or of one if
    that is None. ``edges`` is flat, of the shape (at least top - low + 1, side of ``room``, words).
    Supply and demand, of each row and column, are below 2^31. ``room`` is from ``make_room``.
    """
    words = words_of(wide)
    flow, dual, queue, parents, sets, held = room
    side = np.int64(dual.size)
    # ``sets`` holds the sets of free rows, open columns, those seen in a search, and the columns of
    # each price; ``held`` the rows with flow into each column.
    free, open_, seen_rows, seen_columns = 0, words, 2 * words, 3 * words
    prices = 4 * words
    step = side * words
    for at in range((5 + top) * words):
        sets[at] = 0
    for j in range(columns):
        bit = np.uint64(1) << np.uint64(j & 63)
        sets[prices + (j >> 6)] |= bit
        if demand[j] > 0:
            sets[open_ + (j >> 6)] |= bit
        for w in range(words):
            held[j * words + w] = 0
    for i in range(rows):
        dual[i] = top
        # Rows without edges cannot send anything, and would only be searched.
        any_edge = np.uint64(0)
        for v in range(top - low + 1):
            for w in range(words):
                any_edge |= edges[v * step + i * words + w]
        if any_edge and supply[i] > 0:
            sets[free + (i >> 6)] |= np.uint64(1) << np.uint64(i & 63)
    level = top
    value = np.int64(0)
    while True:
        # Direct pushes give most of the flow.
        for w in range(words):
            pending = sets[free + w]
            while pending:
                i = (w << 6) + lowest_bit(pending)
                pending &= pending - np.uint64(1)
                for c in range(words):
                    tight = np.uint64(0)
                    # An edge of similarity low + v is tight where the price is low + v - dual[i].
                    for v in range(max(0, dual[i] - low), top - low + 1):
                        tight |= (
                            edges[v * step + i * words + c]
                            & sets[prices + (low + v - dual[i]) * words + c]
                        )
                    tight &= sets[open_ + c]
                    while tight and supply[i] > 0:
                        bit = tight & (~tight + np.uint64(1))
                        tight ^= bit
                        j = (c << 6) + lowest_bit(bit)
                        amount = min(supply[i], demand[j])
                        supply[i] -= amount
                        demand[j] -= amount
                        value += level * amount
                        row_bit = np.uint64(1) << np.uint64(i & 63)
                        # Flow is read only where ``held`` has its bit, so it is never cleared.
                        if held[j * words + w] & row_bit:
                            flow[i * side + j] += amount
                        else:
                            held[j * words + w] |= row_bit
                            flow[i * side + j] = amount
                        if demand[j] == 0:
                            sets[open_ + c] ^= bit
                if supply[i] == 0:
                    sets[free + w] ^= np.uint64(1) << np.uint64(i & 63)
        # Breadth-first search from all free rows, repeated after each augmentation.
        tail = 0
        while True:
            tail = 0
            for w in range(words):
                sets[seen_columns + w] = 0
                pending = sets[free + w]
                sets[seen_rows + w] = pending
                while pending:
                    i = (w << 6) + lowest_bit(pending)
                    pending &= pending - np.uint64(1)
                    queue[tail] = i
                    parents[i] = -1
                    tail += 1
            open_column = -1
            head = 0
            while head < tail and open_column < 0:
                i = queue[head]
                head += 1
                for c in range(words):
                    tight = np.uint64(0)
                    for v in range(max(0, dual[i] - low), top - low + 1):
                        tight |= (
                            edges[v * step + i * words + c]
                            & sets[prices + (low + v - dual[i]) * words + c]
                        )
                    tight &= ~sets[seen_columns + c]
                    if tight & sets[open_ + c]:
                        open_column = (c << 6) + lowest_bit(tight & sets[open_ + c])
                        parents[side + open_column] = i
                        break
                    sets[seen_columns + c] |= tight
                    while tight:
                        j = (c << 6) + lowest_bit(tight)
                        tight &= tight - np.uint64(1)
                        parents[side + j] = i
                        for w in range(words):
                            new = held[j * words + w] & ~sets[seen_rows + w]
                            sets[seen_rows + w] |= new
                            while new:
                                k = (w << 6) + lowest_bit(new)
                                new &= new - np.uint64(1)
                                parents[k] = j
                                queue[tail] = k
                                tail += 1
            if open_column < 0:
                break
            # The largest flow that fits the path, then augmentation along it.
            amount = demand[open_column]
            i = parents[side + open_column]
            while parents[i] >= 0:
                amount = min(amount, np.int64(flow[i * side + parents[i]]))
                i = parents[side + parents[i]]
            amount = min(amount, supply[i])
            value += level * amount
            supply[i] -= amount
            if supply[i] == 0:
                sets[free + (i >> 6)] ^= np.uint64(1) << np.uint64(i & 63)
            demand[open_column] -= amount
            if demand[open_column] == 0:
                sets[open_ + (open_column >> 6)] ^= np.uint64(1) << np.uint64(open_column & 63)
            j = open_column
            while j >= 0:
                i = parents[side + j]
                row_bit = np.uint64(1) << np.uint64(i & 63)
                if held[j * words + (i >> 6)] & row_bit:
                    flow[i * side + j] += amount
                else:
                    held[j * words + (i >> 6)] |= row_bit
                    flow[i * side + j] = amount
                j = parents[i]
                if j >= 0:
                    flow[i * side + j] -= amount
                    if flow[i * side + j] == 0:
                        held[j * words + (i >> 6)] ^= row_bit
        # The smallest decrease of the reached rows that makes another edge tight.
        fall = level
        for head in range(tail):
            i = queue[head]
            for v in range(top - low, -1, -1):
                if dual[i] - low - v >= fall:
                    break
                for c in range(words):
                    beyond = edges[v * step + i * words + c] & ~sets[seen_columns + c]
                    if beyond:
                        p = 0
                        while not beyond & sets[prices + p * words + c]:
                            p += 1
                        fall = min(fall, dual[i] + p - low - v)
            # No smaller decrease is possible.
            if fall == 1:
                break
        if tail == 0 or fall >= level:
            return value
        level -= fall
        for head in range(tail):
            dual[queue[head]] -= fall
        # Columns are kept by price: rising moves them up, from the highest price down, so that none
        # moves twice.
        for p in range(top - fall, -1, -1):
            for w in range(words):
                rising = sets[prices + p * words + w] & sets[seen_columns + w]
                sets[prices + p * words + w] ^= rising
                sets[prices + (p + fall) * words + w] |= rising


@jit
def make_room(side: int, words: int, top: int) -> Room:
    """Return working space for problems of at most ``side`` rows and columns.

    ``top`` is the largest similarity. Flow, and the rows with flow into each column, are read only
    where they were written.
    """
    return (
        np.empty(side * side, np.int32),
        np.empty(side, np.int32),
        np.empty(side, np.int32),
        np.empty(2 * side, np.int32),
        np.empty((5 + top) * words, np.uint64),
        np.empty(side * words, np.uint64),
    )


@jit
def solve_whole(supply: I64, demand: I64, similar: I64) -> tuple[int, I64]:
    """Return the maximum matching of integers, and its flow, shape (rows, columns).

    All are 0 or more; ``similar`` is small, supply and demand are below 2^31.
    """
    rows, columns = similar.shape
    side = max(rows, columns)
    words = (side + 63) >> 6
    top = similar.max()
    edges = np.zeros(top * side * words, np.uint64)
    for i in range(rows):
        for j in range(columns):
            if similar[i, j] > 0:
                at = ((similar[i, j] - 1) * side + i) * words + (j >> 6)
                edges[at] |= np.uint64(1) << np.uint64(j & 63)
    room = make_room(side, words, top)
    value = solve(1, top, rows, columns, words, edges, supply, demand, room)
    flow, _, _, _, _, held = room
    flows = np.zeros((rows, columns), np.int64)
    for i in range(rows):
        for j in range(columns):
            if (held[j * words + (i >> 6)] >> np.uint64(i & 63)) & np.uint64(1):
                flows[i, j] = flow[i * side + j]
    return value, flows
