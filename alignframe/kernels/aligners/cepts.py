"""The distortion of Model 4 (Brown et al. 1993, section 4.5).

The target words of a source word are its cept. Its first word, the head, is placed relative to the
centre of the previous cept, the rounded-up mean of its positions; each further word is placed
relative to the word before it:

    p(head j) = d1(j - centre | class of the previous source word, class of target word j)
    p(further j) = d>1(j - position of the word before | class of target word j)

Only non-empty cepts count, in the order of their source words; the first is preceded by the start,
whose centre is the position before the sentence. Distances are clipped to those in the tables.
"""

from __future__ import annotations

from alignframe.core.arrays import F64, I32, I64
from alignframe.kernels.jit import jit

MAX_JUMP = 100
"""Distances beyond this are counted together."""
HEAD, CENTRE, BEFORE, NEXT, FERTILITY = 0, 1, 2, 3, 4
_NONE = -2


@jit
def head_column(jump: int) -> int:
    """Return the column of a head's distance."""
    return min(max(jump, -MAX_JUMP), MAX_JUMP) + MAX_JUMP


@jit
def more_column(jump: int) -> int:
    """Return the column of a further word's distance, which is 1 or more."""
    return min(jump, MAX_JUMP)


@jit
def fill_cepts(
    at: I64,
    src_classes: I32,
    tgt_classes: I32,
    heads: F64,
    mores: F64,
    cepts: I64,
    costs: F64,
    after: I64,
) -> float:
    """Describe the cepts of an alignment; return the log-probability of its distortion.

    ``src_classes`` are the classes of the start and of the sentence's words; ``heads[g, h]`` are
    the log-probabilities of distances after a source word of class g to a head of class h,
    ``mores[h]`` those to a further word. Filled in, for l source and m target words:

    ``cepts``, shape (5, l + 2), by source word from 1 on: head (-1: none), centre, the nearest
    source word with a cept before it (0: the start) and after it (l + 1: none), fertility. Column 0
    is the start.

    ``costs``, shape (2, l + 2): the log-probability of each cept's head, and of its further words.

    ``after``, shape (m,): the next target word of the same cept, or -1.
    """
    n_src = cepts.shape[1] - 2
    cepts[HEAD] = -1
    cepts[CENTRE] = 0
    cepts[FERTILITY] = 0
    costs[:] = 0.0
    # From the last target word, so that each cept is a linked list from its head on. ``CENTRE`` is
    # the sum of positions first.
    for j in range(at.size - 1, -1, -1):
        i = at[j]
        after[j] = cepts[HEAD, i]
        if i > 0 and after[j] >= 0:
            costs[1, i] += mores[tgt_classes[after[j]], more_column(after[j] - j)]
        cepts[HEAD, i] = j
        cepts[CENTRE, i] += j
        cepts[FERTILITY, i] += 1
    # NULL's words are in no cept; its column is the start.
    cepts[HEAD, 0] = -1
    cepts[CENTRE, 0] = -1
    last = 0
    total = 0.0
    for i in range(1, n_src + 1):
        cepts[BEFORE, i] = last
        head = cepts[HEAD, i]
        if head >= 0:
            cepts[CENTRE, i] = _centre(cepts[CENTRE, i], cepts[FERTILITY, i])
            jump = head - cepts[CENTRE, last]
            costs[0, i] = heads[src_classes[last], tgt_classes[head], head_column(jump)]
            total += costs[0, i] + costs[1, i]
            last = i
    # Backwards, for the nearest cept after each word.
    following = n_src + 1
    for i in range(n_src, -1, -1):
        cepts[NEXT, i] = following
        if cepts[HEAD, i] >= 0:
            following = i
    return total


@jit
def _centre(places: int, n: int) -> int:
    """Return the rounded-up mean of n positions from their sum."""
    return -(-places // n)


@jit
def changed_cept(
    first: int, after: I64, out: int, new: int, tgt_classes: I32, mores: F64
) -> tuple[int, int, float]:
    """Return head, centre and the further words' cost of a cept after removing and adding a word.

    ``first`` is its head; a word of -2 means no change. An empty cept has the head -1.
    """
    head, last = -1, -1
    places, n = 0, 0
    cost = 0.0
    j = first
    while True:
        # The cept's words in order, without ``out`` and with ``new`` merged in.
        if j == out and j >= 0:
            j = after[j]
        if new >= 0 and (j < 0 or new < j):
            place = new
            new = _NONE
        elif j >= 0:
            place = j
            j = after[j]
        else:
            break
        if last < 0:
            head = place
        else:
            cost += mores[tgt_classes[place], more_column(place - last)]
        last = place
        places += place
        n += 1
    return head, _centre(places, n) if n else 0, cost


@jit
def heads_change(
    low: int,
    low_head: int,
    low_centre: int,
    high: int,
    high_head: int,
    high_centre: int,
    src_classes: I32,
    tgt_classes: I32,
    heads: F64,
    cepts: I64,
    costs: F64,
) -> float:
    """Return the change in the heads' log-probability from changing two cepts, ``low < high``.

    NULL, as ``low``, does not contribute.
    """
    # A head depends on the cept before it, so at most four change: those of both cepts, and the
    # next one after each. ``last`` and ``centre`` are the cept before the one in hand, and its
    # centre.
    change = 0.0
    if low == 0:
        last = cepts[BEFORE, high]
        centre = cepts[CENTRE, last]
    else:
        last = cepts[BEFORE, low]
        centre = cepts[CENTRE, last]
        change -= costs[0, low]
        # If the lower cept is empty now, the next one follows the one before it.
        if low_head >= 0:
            column = head_column(low_head - centre)
            change += heads[src_classes[last], tgt_classes[low_head], column]
            last, centre = low, low_centre
        following = cepts[NEXT, low]
        # A cept lies between both: the first one there now follows the lower cept, and the higher
        # cept follows the last one there.
        if following < high:
            head = cepts[HEAD, following]
            change += heads[src_classes[last], tgt_classes[head], head_column(head - centre)]
            change -= costs[0, following]
            last = cepts[BEFORE, high]
            centre = cepts[CENTRE, last]
    change -= costs[0, high]
    if high_head >= 0:
        column = head_column(high_head - centre)
        change += heads[src_classes[last], tgt_classes[high_head], column]
        last, centre = high, high_centre
    following = cepts[NEXT, high]
    if following < cepts.shape[1] - 1:
        head = cepts[HEAD, following]
        change += heads[src_classes[last], tgt_classes[head], head_column(head - centre)]
        change -= costs[0, following]
    return change


@jit
def count_jumps(
    at: I64,
    src_classes: I32,
    tgt_classes: I32,
    weight: float,
    work: I64,
    heads: F64,
    mores: F64,
) -> None:
    """Add the distances of an alignment to their counts; ``work`` has the shape (4, l + 1)."""
    first, last, places, sizes = work[0], work[1], work[2], work[3]
    first[:] = -1
    for j in range(at.size):
        i = at[j]
        if i == 0:
            continue
        if first[i] < 0:
            first[i] = j
            places[i] = j
            sizes[i] = 1
        else:
            mores[tgt_classes[j], more_column(j - last[i])] += weight
            places[i] += j
            sizes[i] += 1
        last[i] = j
    before, centre = 0, -1
    for i in range(1, src_classes.size):
        head = first[i]
        if head >= 0:
            heads[src_classes[before], tgt_classes[head], head_column(head - centre)] += weight
            before, centre = i, _centre(places[i], sizes[i])
