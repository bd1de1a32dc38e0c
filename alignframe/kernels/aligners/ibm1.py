"""IBM Model 1 (Brown et al. 1993, section 4.2), and helpers for translation tables.

    p(target | source) = product over target words t of sum over s of p(t | s) / (l + 1)
    expected count of a link (s, t) = p(t | s) / sum over s' of p(t | s')

where s is NULL or one of l source words. All positions are equally probable, so target words are
independent of each other, and the sums exact. A table has one value per cell, as in
``alignframe.kernels.cells``: p(target word | source word).
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, Floats
from alignframe.kernels.cells import Pairing
from alignframe.kernels.jit import jit


def expect(pairing: Pairing, table: Floats) -> tuple[F64, float]:
    """Return the expected count of each cell, and the log-likelihood.

    ``table`` has a value for each of the pairing's own cells. The probability of a target sentence
    is that of equation 6 of Brown et al. without their constant factor ε.
    """
    counts = np.zeros(pairing.n_cells)
    p = pairing
    return counts, _expect(p.src_at, p.tgt_at, p.tgt, p.at, p.cell, table, counts)


@jit
def _expect(
    src_at: I64, tgt_at: I64, tgt: I32, at: I64, cell: I32, table: Floats, counts: F64
) -> float:
    """Add the expected counts of links; return the log-likelihood."""
    values = np.empty(max_length(src_at))
    log_likelihood = 0.0
    for s in range(at.size - 1):
        n_src = src_at[s + 1] - src_at[s]
        low = at[s]
        for word in tgt[tgt_at[s] : tgt_at[s + 1]]:
            cells = cell[low : low + n_src]
            # The cells of a sentence are by target position, then by source position.
            low += n_src
            # NULL's cell is the target word's number.
            null = np.float64(table[word])
            total = null
            for i in range(n_src):
                values[i] = table[cells[i]]
                total += values[i]
            log_likelihood += np.log(total / (n_src + 1))
            part = 1.0 / total
            counts[word] += null * part
            for i in range(n_src):
                counts[cells[i]] += values[i] * part
    return log_likelihood


@jit
def max_length(at: I64) -> int:
    """Return the length of the longest sentence."""
    longest = 0
    for s in range(at.size - 1):
        longest = max(longest, at[s + 1] - at[s])
    return longest


def best(pairing: Pairing, table: Floats) -> tuple[I32, F32]:
    """Return the source position of each target word, and the link's probability.

    A word linked to NULL has position -1; ties go to NULL, then to the first position.
    """
    p = pairing
    return _best(p.src_at, p.tgt_at, p.tgt, p.at, p.cell, table)


@jit
def _best(src_at: I64, tgt_at: I64, tgt: I32, at: I64, cell: I32, table: Floats) -> tuple[I32, F32]:
    """Return positions and probabilities, shape (target words,)."""
    first = tgt_at[0]
    places = np.empty(tgt_at[-1] - first, np.int32)
    probabilities = np.empty(places.size, np.float32)
    for s in range(at.size - 1):
        n_src = src_at[s + 1] - src_at[s]
        low = at[s]
        for k in range(tgt_at[s], tgt_at[s + 1]):
            cells = cell[low : low + n_src]
            low += n_src
            most = np.float64(table[tgt[k]])
            total = most
            place = -1
            for i in range(n_src):
                value = np.float64(table[cells[i]])
                total += value
                # Not ``>=``: ties go to NULL, then to the first.
                if value > most:
                    most = value
                    place = i
            places[k - first] = place
            probabilities[k - first] = most / total
    return places, probabilities


def posteriors(pairing: Pairing, table: Floats) -> F32:
    """Return the probability of each link, at the index of its cell."""
    p = pairing
    return _posteriors(p.src_at, p.tgt_at, p.tgt, p.at, p.cell, table)


@jit
def _posteriors(src_at: I64, tgt_at: I64, tgt: I32, at: I64, cell: I32, table: Floats) -> F32:
    """Return the probability of each pair of positions, shape (cells of positions,)."""
    links = np.empty(cell.size, np.float32)
    for s in range(at.size - 1):
        n_src = src_at[s + 1] - src_at[s]
        low = at[s]
        for word in tgt[tgt_at[s] : tgt_at[s + 1]]:
            cells = cell[low : low + n_src]
            row = links[low : low + n_src]
            low += n_src
            total = np.float64(table[word])
            for c in cells:
                total += table[c]
            for i in range(n_src):
                row[i] = table[cells[i]] / total
    return links
