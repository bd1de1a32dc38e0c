"""The neighbours of an alignment under Models 3 and 4: those a move or a swap away.

A move gives a target word another source word; a swap exchanges those of two target words (Brown et
al. 1993, section 4.4). What a neighbour gains is the ratio of the factors that change. Within a
sentence NULL is 0 and source words count from 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.kernels.cells import I32
from alignframe.kernels.cepts import (
    HEAD,
    NEXT,
    changed_cept,
    fill_cepts,
    heads_change,
)
from alignframe.kernels.fertility import (
    LOG_FLOOR,
    MAX_FERTILITY,
    count_fertilities,
    fill_gains,
    log_fertilities,
    make_possible,
)
from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import I64

F64 = npt.NDArray[np.float64]
Floats = npt.NDArray[Any]

_LEAST_GAIN = 1e-9
"""A gain below this is rounding: it is no step upwards."""
_UNCHANGED = -2


class Logs(NamedTuple):
    """Logarithms of the probabilities of Model 3 or Model 4, but for translations.

    ``fertilities[w, φ]`` are those of source word w, in Model 3 with log φ! added; ``p0`` and
    ``p1`` NULL's. Model 3 has ``places``, whose target place j and source place i of sentence s are
    at ``places_at[s] + j * l + i``; in Model 4 they are empty. Model 4 has ``heads[g, h, jump]``
    and ``mores[h, jump]`` for the classes g of source and h of target words, where the last g is
    the start; in Model 3 they are empty.
    """

    fertilities: F64
    p0: float
    p1: float
    src_classes: I32
    tgt_classes: I32
    places: F64
    heads: F64
    mores: F64


class Sentence(NamedTuple):
    """Work space of a sentence pair of l source and m target words.

    ``logs[j, i]`` is what target word j is worth at source word i, translation (and place in Model
    3); ``at`` the alignment; ``up`` and ``down`` what another target word more or less is worth at
    a source word; ``cepts``, ``costs`` and ``after`` as in ``alignframe.kernels.cepts``;
    ``moves[j, i]`` and ``swaps[j, k]`` (j < k) the neighbours' log-probabilities over the
    alignment's, or -inf.
    """

    logs: F64
    rows: F64
    at: I64
    src_classes: I32
    tgt_classes: I32
    up: F64
    down: F64
    cepts: I64
    costs: F64
    after: I64
    moves: F64
    swaps: F64


@jit
def make_sentence(
    src: I32, tgt: I32, cell: I32, table: Floats, choice: I32, logs: Logs, places: F64
) -> Sentence:
    """Prepare the work on a sentence pair; ``choice`` is the alignment to begin with."""
    n, m = src.size, tgt.size
    links = np.empty((m, n + 1))
    at = np.empty(m, np.int64)
    for j in range(m):
        links[j, 0] = _log(table[tgt[j]])
        row = cell[j * n : (j + 1) * n]
        for i in range(n):
            links[j, i + 1] = _log(table[row[i]])
        at[j] = choice[j] + 1
    if places.size:
        for j in range(m):
            for i in range(n):
                links[j, i + 1] += places[j * n + i]
    make_possible(at, links)
    rows = np.empty((n, MAX_FERTILITY + 1))
    src_classes = np.empty(n + 1, np.int32)
    tgt_classes = np.empty(m, np.int32)
    src_classes[0] = logs.src_classes[-1]
    for i in range(n):
        rows[i] = logs.fertilities[src[i]]
        src_classes[i + 1] = logs.src_classes[src[i]]
    for j in range(m):
        tgt_classes[j] = logs.tgt_classes[tgt[j]]
    return Sentence(
        links,
        rows,
        at,
        src_classes,
        tgt_classes,
        np.empty(n + 1),
        np.empty(n + 1),
        np.empty((5, n + 2), np.int64),
        np.empty((2, n + 2)),
        np.empty(m, np.int64),
        np.empty((m, n + 1)),
        np.empty((m, m)),
    )


@jit
def _log(p: float) -> float:
    return np.log(p) if p > 1e-7 else LOG_FLOOR


@jit
def prepare(sentence: Sentence, logs: Logs) -> float:
    """Describe the alignment for ``compare``; return the sentence's log-probability with it."""
    at, m, n = sentence.at, sentence.at.size, sentence.up.size - 1
    fertility = count_fertilities(at, n)
    fill_gains(fertility, sentence.rows, m, logs.p0, logs.p1, sentence.up, sentence.down)
    total = log_fertilities(fertility, sentence.rows, m, logs.p0, logs.p1)
    for j in range(m):
        total += sentence.logs[j, at[j]]
    if logs.heads.size:
        total += fill_cepts(
            at,
            sentence.src_classes,
            sentence.tgt_classes,
            logs.heads,
            logs.mores,
            sentence.cepts,
            sentence.costs,
            sentence.after,
        )
    return total


@jit
def compare(sentence: Sentence, logs: Logs, least: float, rising: bool) -> tuple[float, int, int]:
    """Fill ``moves`` and ``swaps`` with what neighbours gain, -inf for less than ``least``.

    If ``rising``, only those that gain more than all before them are filled in.

    Returns
    -------
    gain, j, to
        The best neighbour: target word j moves to source word ``to``, or is swapped with target
        word ``-to - 1``. Without any, j is -1.
    """
    gain, j, to = _compare_moves(
        sentence.logs,
        sentence.at,
        sentence.up,
        sentence.down,
        sentence.src_classes,
        sentence.tgt_classes,
        logs.heads,
        logs.mores,
        sentence.cepts,
        sentence.costs,
        sentence.after,
        least,
        rising,
        sentence.moves,
    )
    other, first, second = _compare_swaps(
        sentence.logs,
        sentence.at,
        sentence.src_classes,
        sentence.tgt_classes,
        logs.heads,
        logs.mores,
        sentence.cepts,
        sentence.costs,
        sentence.after,
        max(gain, least) if rising else least,
        rising,
        sentence.swaps,
    )
    if first >= 0 and other > gain:
        return other, first, -second - 1
    return gain, j, to


@jit
def _compare_moves(
    logs: F64,
    at: I64,
    up: F64,
    down: F64,
    src_classes: I32,
    tgt_classes: I32,
    heads: F64,
    mores: F64,
    cepts: I64,
    costs: F64,
    after: I64,
    least: float,
    rising: bool,
    moves: F64,
) -> tuple[float, int, int]:
    best, word, place = -np.inf, -1, -1
    placed = heads.size > 0
    own_head, own_centre, own_cost = -1, 0, 0.0
    for j in range(at.size):
        i = at[j]
        row, out = logs[j], moves[j]
        leaving = down[i] - row[i]
        most = 0.0
        if placed and i > 0:
            own_head, own_centre, own_cost = changed_cept(
                cepts[HEAD, i], after, j, _UNCHANGED, tgt_classes, mores
            )
            leaving += own_cost - costs[1, i]
            most = -costs[0, i] - costs[0, cepts[NEXT, i]]
        for k in range(row.size):
            out[k] = -np.inf
            if k == i:
                continue
            gain = leaving + up[k] + row[k]
            if placed:
                # What the other factors can gain at most is what they cost now.
                bound = gain + most
                if k > 0:
                    bound -= costs[0, k] + costs[0, cepts[NEXT, k]] + costs[1, k]
                if bound < least:
                    continue
                head, centre, cost = -1, 0, 0.0
                if k > 0:
                    head, centre, cost = changed_cept(
                        cepts[HEAD, k], after, _UNCHANGED, j, tgt_classes, mores
                    )
                    gain += cost - costs[1, k]
                if i < k:
                    gain += heads_change(
                        i,
                        own_head,
                        own_centre,
                        k,
                        head,
                        centre,
                        src_classes,
                        tgt_classes,
                        heads,
                        cepts,
                        costs,
                    )
                else:
                    gain += heads_change(
                        k,
                        head,
                        centre,
                        i,
                        own_head,
                        own_centre,
                        src_classes,
                        tgt_classes,
                        heads,
                        cepts,
                        costs,
                    )
            if gain >= least:
                out[k] = gain
                if gain > best:
                    best, word, place = gain, j, k
                    if rising:
                        least = gain
    return best, word, place


@jit
def _compare_swaps(
    logs: F64,
    at: I64,
    src_classes: I32,
    tgt_classes: I32,
    heads: F64,
    mores: F64,
    cepts: I64,
    costs: F64,
    after: I64,
    least: float,
    rising: bool,
    swaps: F64,
) -> tuple[float, int, int]:
    best, one, two = -np.inf, -1, -1
    placed = heads.size > 0
    for j in range(at.size):
        i = at[j]
        row, out = logs[j], swaps[j]
        most = 0.0
        if placed and i > 0:
            most = -costs[0, i] - costs[0, cepts[NEXT, i]] - costs[1, i]
        for k in range(j + 1, at.size):
            out[k] = -np.inf
            other = at[k]
            if other == i:
                continue
            gain = row[other] + logs[k, i] - row[i] - logs[k, other]
            if placed:
                bound = gain + most
                if other > 0:
                    bound -= costs[0, other] + costs[0, cepts[NEXT, other]] + costs[1, other]
                if bound < least:
                    continue
                if i < other:
                    low, high, leaves, joins = i, other, j, k
                else:
                    low, high, leaves, joins = other, i, k, j
                low_head, low_centre = -1, 0
                if low > 0:
                    low_head, low_centre, cost = changed_cept(
                        cepts[HEAD, low], after, leaves, joins, tgt_classes, mores
                    )
                    gain += cost - costs[1, low]
                high_head, high_centre, cost = changed_cept(
                    cepts[HEAD, high], after, joins, leaves, tgt_classes, mores
                )
                gain += cost - costs[1, high]
                gain += heads_change(
                    low,
                    low_head,
                    low_centre,
                    high,
                    high_head,
                    high_centre,
                    src_classes,
                    tgt_classes,
                    heads,
                    cepts,
                    costs,
                )
            if gain >= least:
                out[k] = gain
                if gain > best:
                    best, one, two = gain, j, k
                    if rising:
                        least = gain
    return best, one, two


@jit
def climb(sentence: Sentence, logs: Logs) -> float:
    """Go to the best neighbour until none is better; return the log-probability there."""
    while True:
        total = prepare(sentence, logs)
        _, j, to = compare(sentence, logs, _LEAST_GAIN, True)
        if j < 0:
            return total
        take(sentence.at, j, to)


@jit
def take(at: I64, j: int, to: int) -> None:
    """Move target word j to source word ``to``, or swap it with target word ``-to - 1``."""
    if to >= 0:
        at[j] = to
    else:
        at[j], at[-to - 1] = at[-to - 1], at[j]
