"""A sentence pair under Models 3 and 4: the factors of its alignment's probability.

    p(target, alignment | source) = p(fertilities) * product over j of t(word j | its source word)
        * product over j of d(j | its position) in Model 3, or the cepts' distortion in Model 4

(Brown et al. 1993, sections 4.4 and 4.5). Factors are kept as logarithms, so that a changed
alignment costs a few additions. Within a sentence NULL is 0 and source words count from 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I32, I64, Floats
from alignframe.kernels.aligners.cepts import fill_cepts
from alignframe.kernels.aligners.fertility import (
    LOG_FLOOR,
    MAX_FERTILITY,
    count_fertilities,
    fill_gains,
    log_fertilities,
    make_possible,
)
from alignframe.kernels.jit import jit


class Logs(NamedTuple):
    """Log probabilities of Model 3 or Model 4, except translations.

    ``fertilities[w, φ]`` are those of source word w, in Model 3 with log φ! added; ``p0`` and
    ``p1`` are NULL's. Model 3 has ``places``, with target position j and source position i of
    sentence s at ``places_at[s] + j * l + i``. Model 4 has ``heads[g, h, jump]`` and ``mores[h,
    jump]`` for the classes g of source and h of target words; the last g is the start. The other
    model's arrays are empty.
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

    ``logs[j, i]`` is the log-probability of target word j at source word i (including its position
    in Model 3); ``at`` is the alignment; ``up`` and ``down`` are the gains of one target word more
    or fewer at a source word; ``cepts``, ``costs`` and ``after`` are as in
    ``kernels.aligners.cepts``; ``moves[j, i]`` and ``swaps[j, k]`` (j < k) are the gains of
    neighbours, or -inf.
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
    """Prepare a sentence pair; ``choice`` is its initial alignment, -1 for NULL."""
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
                # Positions of Model 3 join the translations: both depend on j and i alone.
                links[j, i + 1] += places[j * n + i]
    make_possible(at, links)
    # Side by side, so that source position i has row i - 1.
    rows = np.empty((n, MAX_FERTILITY + 1))
    src_classes = np.empty(n + 1, np.int32)
    tgt_classes = np.empty(m, np.int32)
    src_classes[0] = logs.src_classes[-1]
    for i in range(n):
        for phi in range(MAX_FERTILITY + 1):
            rows[i, phi] = logs.fertilities[src[i], phi]
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
    """Return log p, at least ``LOG_FLOOR``."""
    return np.log(p) if p > 1e-7 else LOG_FLOOR


@jit
def prepare(sentence: Sentence, logs: Logs) -> float:
    """Prepare the alignment for ``compare``; return its log-probability."""
    at, m, n = sentence.at, sentence.at.size, sentence.up.size - 1
    fertility = count_fertilities(at, n)
    fill_gains(fertility, sentence.rows, m, logs.p0, logs.p1, sentence.up, sentence.down)
    total = log_fertilities(fertility, sentence.rows, m, logs.p0, logs.p1)
    for j in range(m):
        total += sentence.logs[j, at[j]]
    # Only Model 4 has heads.
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
