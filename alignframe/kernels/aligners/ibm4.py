"""IBM Models 3 and 4 (Brown et al. 1993, sections 4.4 and 4.5; Och & Ney 2003).

Model 3 positions each target word by d(j | i, l, m); Model 4 positions cepts, as in
``kernels.aligners.cepts``. Both are deficient, and neither can be summed over all alignments: the
E-step climbs to a locally best alignment, and sums over it and its neighbours N,

    expected count of x = sum over a in N of p(a) * (count of x in a) / sum over a in N of p(a)

without those less than 1e-7 times as probable. Alignments are stored as one source position per
target word, from 0, with -1 for NULL; within a sentence NULL is 0 and source words count from 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, Floats, frozen
from alignframe.kernels.aligners.cepts import count_jumps
from alignframe.kernels.aligners.fertility import LOG_FLOOR, MAX_FERTILITY, count_fertilities
from alignframe.kernels.aligners.neighbours import climb, compare, take
from alignframe.kernels.aligners.sentence_pair import Logs, Sentence, make_sentence
from alignframe.kernels.cells import Pairing
from alignframe.kernels.jit import jit


class Counts(NamedTuple):
    """Expected counts: arrays like those of ``Logs``, the table's cells, and NULL's.

    ``nulls`` has the counts of p0 and p1: target words not from NULL minus those from NULL, and the
    latter. An empty array is not counted.
    """

    cells: F64
    fertilities: F64
    nulls: F64
    places: F64
    heads: F64
    mores: F64


@jit
def weigh(sentence: Sentence) -> tuple[F64, float]:
    """Turn the gains ``moves`` and ``swaps`` into probabilities relative to the alignment's.

    Return the weight of the alignments with each link, shape (m, l + 1), and of all.
    """
    at, moves, swaps = sentence.at, sentence.moves, sentence.swaps
    links = np.zeros(moves.shape)
    away = np.zeros(at.size)
    total = 1.0
    for j in range(at.size):
        for i in range(moves.shape[1]):
            if moves[j, i] > -np.inf:
                moves[j, i] = np.exp(moves[j, i])
                links[j, i] += moves[j, i]
                away[j] += moves[j, i]
                total += moves[j, i]
            else:
                moves[j, i] = 0.0
        for k in range(j + 1, at.size):
            if swaps[j, k] > -np.inf:
                swaps[j, k] = np.exp(swaps[j, k])
                # A swap links each word as the other was.
                links[j, at[k]] += swaps[j, k]
                links[k, at[j]] += swaps[j, k]
                away[j] += swaps[j, k]
                away[k] += swaps[j, k]
                total += swaps[j, k]
            else:
                swaps[j, k] = 0.0
    for j in range(at.size):
        # All alignments but those in which j is linked elsewhere.
        links[j, at[j]] += total - away[j]
    return links, total


def expect(
    pairing: Pairing, table: Floats, logs: Logs, places_at: I64, choice: I32, counts: Counts
) -> tuple[I32, float]:
    """Add the expected counts of sentence pairs to ``counts``.

    ``table`` has the translation probability of each of the pairing's own cells. ``places_at`` says
    where the places of each sentence begin; -1 if they are equally probable. ``choice`` has the
    initial alignments. Return those after hill climbing, and the log-probability of them and their
    neighbours.
    """
    at = pairing.tgt_at
    best = np.empty(at[-1] - at[0], np.int32)
    return best, _expect(pairing, table, logs, places_at, frozen(choice), counts, best)


@jit
def _expect(
    pairing: Pairing,
    table: Floats,
    logs: Logs,
    places_at: I64,
    choice: I32,
    counts: Counts,
    best: I32,
) -> float:
    """Add the counts of all sentence pairs and write their alignments to ``best``.

    Return the log-probability of the alignments and their neighbours.
    """
    src_at, src, tgt_at, tgt, at, cell, _ = pairing
    log_likelihood = 0.0
    for s in range(at.size - 1):
        froms, tos = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        cells = cell[at[s] : at[s + 1]]
        low, high = tgt_at[s] - tgt_at[0], tgt_at[s + 1] - tgt_at[0]
        first = places_at[s]
        last = first + cells.size
        places = logs.places[first:last]
        # Without parameters of its own, a sentence has uniform positions: log(1 / m).
        if first < 0:
            places = np.full(cells.size if logs.places.size else 0, -np.log(tos.size))
        sentence = make_sentence(froms, tos, cells, table, choice[low:high], logs, places)
        log_likelihood += climb(sentence, logs)
        compare(sentence, logs, LOG_FLOOR, False)
        links, total = weigh(sentence)
        log_likelihood += np.log(total)
        # From weights relative to the alignment's to probabilities.
        links /= total
        _count_links(links, tos, cells, counts.cells)
        if first >= 0:
            _count_places(links, counts.places[first:last])
        _count_fertilities(sentence, total, froms, counts.fertilities, counts.nulls)
        if counts.heads.size:
            _count_jumps(sentence, total, counts.heads, counts.mores)
        for j in range(tos.size):
            best[low + j] = sentence.at[j] - 1
    return log_likelihood


@jit
def _count_links(links: F64, tgt: I32, cell: I32, counts: F64) -> None:
    """Add the probability of each link of a sentence pair to its cell, NULL's included."""
    n = links.shape[1] - 1
    for j in range(tgt.size):
        counts[tgt[j]] += links[j, 0]
        cells = cell[j * n : (j + 1) * n]
        for i in range(n):
            counts[cells[i]] += links[j, i + 1]


@jit
def _count_places(links: F64, counts: F64) -> None:
    """Add the probability of each link to the count of its pair of positions; NULL's have none."""
    n = links.shape[1] - 1
    for k in range(counts.size):
        counts[k] += links[k // n, k % n + 1]


@jit
def _count_fertilities(sentence: Sentence, total: float, src: I32, counts: F64, nulls: F64) -> None:
    """Count fertilities; a swap changes none."""
    at, moves = sentence.at, sentence.moves
    fertility = count_fertilities(at, src.size)
    more, less = np.zeros(fertility.size), np.zeros(fertility.size)
    # Sums of moves' weights into and out of each source word.
    for j in range(at.size):
        for i in range(fertility.size):
            more[i] += moves[j, i]
            less[at[j]] += moves[j, i]
    for i in range(1, fertility.size):
        row, phi = counts[src[i - 1]], fertility[i]
        # A move adds one word to a source word and takes one from another.
        row[min(phi, MAX_FERTILITY)] += (total - more[i] - less[i]) / total
        row[min(phi + 1, MAX_FERTILITY)] += more[i] / total
        if phi > 0:
            row[min(phi - 1, MAX_FERTILITY)] += less[i] / total
    null = fertility[0] + (more[0] - less[0]) / total
    # Each of the m - φ words not from NULL is followed by one from NULL (φ times) or by none.
    nulls[0] += at.size - 2 * null
    nulls[1] += null


@jit
def _count_jumps(sentence: Sentence, total: float, heads: F64, mores: F64) -> None:
    """Add the distances of the alignment and its neighbours, each by its probability.

    Neighbours are made in place and undone, as few are probable enough to count.
    """
    at, moves, swaps = sentence.at, sentence.moves, sentence.swaps
    src_classes, tgt_classes = sentence.src_classes, sentence.tgt_classes
    work = np.empty((4, src_classes.size), np.int64)
    part = 1.0 / total
    count_jumps(at, src_classes, tgt_classes, part, work, heads, mores)
    for j in range(at.size):
        i = at[j]
        for to in range(src_classes.size):
            if moves[j, to] > 0.0:
                at[j] = to
                weight = moves[j, to] * part
                count_jumps(at, src_classes, tgt_classes, weight, work, heads, mores)
        at[j] = i
        for k in range(j + 1, at.size):
            if swaps[j, k] > 0.0:
                take(at, j, -k - 1)
                weight = swaps[j, k] * part
                count_jumps(at, src_classes, tgt_classes, weight, work, heads, mores)
                # A swap undoes itself.
                take(at, j, -k - 1)


@jit
def count_alignments(
    pairing: Pairing,
    choice: I32,
    src_classes: I32,
    tgt_classes: I32,
    places_at: I64,
    counts: Counts,
) -> None:
    """Add the fertilities, places and distances of alignments to ``counts``.

    The classes and the beginnings of places are as in ``Logs`` and ``expect``.
    """
    src_at, src, tgt_at, tgt, _, _, _ = pairing
    for s in range(src_at.size - 1):
        froms, tos = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        low = tgt_at[s] - tgt_at[0]
        at = np.empty(tos.size, np.int64)
        for j in range(tos.size):
            at[j] = choice[low + j] + 1
        fertility = count_fertilities(at, froms.size)
        for i in range(froms.size):
            counts.fertilities[froms[i], min(fertility[i + 1], MAX_FERTILITY)] += 1.0
        # Alignments of other models may have more words of NULL than these allow.
        null = min(fertility[0], tos.size // 2)
        counts.nulls[0] += tos.size - 2 * null
        counts.nulls[1] += null
        if counts.places.size and places_at[s] >= 0:
            for j in range(tos.size):
                if at[j] > 0:
                    counts.places[places_at[s] + j * froms.size + at[j] - 1] += 1.0
        if counts.heads.size:
            sources = np.empty(froms.size + 1, np.int32)
            sources[0] = src_classes[-1]
            for i in range(froms.size):
                sources[i + 1] = src_classes[froms[i]]
            work = np.empty((4, sources.size), np.int64)
            count_jumps(at, sources, tgt_classes[tos], 1.0, work, counts.heads, counts.mores)


def best(pairing: Pairing, table: Floats, logs: Logs, choice: I32) -> tuple[I32, F32]:
    """Return the alignments of Model 4 by hill climbing from ``choice``, and link probabilities.

    A link's probability, or that of NULL, is that among the alignment and its neighbours.
    """
    at = pairing.tgt_at
    places = np.empty(at[-1] - at[0], np.int32)
    probabilities = np.empty(places.size, np.float32)
    _decode(pairing, table, logs, frozen(choice), places, probabilities, np.empty(0, np.float32))
    return places, probabilities


def posteriors(pairing: Pairing, table: Floats, logs: Logs, choice: I32) -> F32:
    """Return the probability of each link, at the index of its cell.

    It is relative to the alignment of Model 4 reached from ``choice`` and its neighbours.
    """
    at = pairing.tgt_at
    places = np.empty(at[-1] - at[0], np.int32)
    probabilities = np.empty(places.size, np.float32)
    links = np.empty(pairing.cell.size, np.float32)
    _decode(pairing, table, logs, frozen(choice), places, probabilities, links)
    return links


@jit
def _decode(
    pairing: Pairing,
    table: Floats,
    logs: Logs,
    choice: I32,
    places: I32,
    probabilities: F32,
    all_links: F32,
) -> None:
    """Write the alignments reached by hill climbing and their links' probabilities.

    ``all_links``, unless empty, gets the probability of every link.
    """
    src_at, src, tgt_at, tgt, at, cell, _ = pairing
    for s in range(at.size - 1):
        froms, tos = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        low, high = tgt_at[s] - tgt_at[0], tgt_at[s + 1] - tgt_at[0]
        cells = cell[at[s] : at[s + 1]]
        # Model 4 has no places.
        sentence = make_sentence(froms, tos, cells, table, choice[low:high], logs, logs.places[:0])
        climb(sentence, logs)
        compare(sentence, logs, LOG_FLOOR, False)
        links, total = weigh(sentence)
        n = froms.size
        for j in range(tos.size):
            i = sentence.at[j]
            places[low + j] = i - 1
            probabilities[low + j] = links[j, i] / total
            if all_links.size:
                for k in range(n):
                    all_links[at[s] + j * n + k] = links[j, k + 1] / total
