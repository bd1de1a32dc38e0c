"""The E-step of the hidden Markov model: forward-backward, and expected counts (Baum-Welch).

    count(link j, i) = forward * backward of its state
    count(jump r to i) = sum over j of before(j, r) * taken(r, i) * arriving(j, i)

The weights of jumps are normalised over the positions of each sentence, which differ in number, so
beside the jumps taken, the opportunities to take them are counted (see ``update``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, Floats, frozen
from alignframe.kernels.aligners.hmm import (
    Chain,
    Lattice,
    add_product,
    backward,
    fill,
    forward,
    make_lattice,
    write_links,
)
from alignframe.kernels.aligners.ibm1 import max_length
from alignframe.kernels.cells import Pairing
from alignframe.kernels.jit import jit


class Counts(NamedTuple):
    """Expected counts of links by cell, and of the chain's weights.

    Row 0 of ``jumps``, ``first`` and ``last`` counts how often a weight was used, and row 1 how
    often it would be used per unit of weight (see ``update``).
    """

    cells: F64
    jumps: F64
    first: F64
    last: F64
    log_likelihood: float


def expect(
    pairing: Pairing, table: Floats, chain: Chain, *, apart: bool = True
) -> tuple[Counts, F32]:
    """Return the expected counts of sentence pairs by forward-backward.

    If the direction is not trained ``apart``, links are not counted; the probability of each is
    returned at the index of its cell, for ``count_agreed``.
    """
    counts = Counts(
        np.zeros(pairing.n_cells),
        np.zeros((2, *chain.jumps.shape)),
        np.zeros((2, chain.first.size)),
        np.zeros((2, chain.last.size)),
        0.0,
    )
    links = np.empty(0 if apart else pairing.cell.size, np.float32)
    log_likelihood = _expect(pairing, table, chain, counts, links)
    return counts._replace(log_likelihood=log_likelihood), links


@jit
def count_agreed(pairing: Pairing, links: F32, turned: F32, counts: F64) -> None:
    """Count each link by the geometric mean of its probabilities in both directions.

    Each target word counts once, and NULL gets the rest. ``turned`` are the links of the other
    direction.
    """
    src_at, _, tgt_at, tgt, at, cell, _ = pairing
    mean = np.empty(max_length(src_at))
    for s in range(at.size - 1):
        n, m = src_at[s + 1] - src_at[s], tgt_at[s + 1] - tgt_at[s]
        for j in range(m):
            first, total = at[s] + j * n, 0.0
            for i in range(n):
                mean[i] = np.sqrt(links[first + i] * turned[at[s] + i * m + j])
                total += mean[i]
            # The means may sum to more than 1; if to less, the rest is NULL's.
            part = 1.0 / max(total, 1.0)
            for i in range(n):
                counts[cell[first + i]] += mean[i] * part
            counts[tgt[tgt_at[s] + j]] += max(1.0 - total, 0.0)


def update(weights: F64, counts: F64) -> F64:
    """Return improved weights, which sum to 1, from counts of ``expect``.

    Weights are normalised over the places of each sentence, so the M-step has no closed form.
    This is one step of the algorithm of Hunter (2004, "MM algorithms for generalized Bradley-Terry
    models", section 5), which never lowers the likelihood: the number of times a weight was
    taken, divided by the sum, over the times it could have been, of one over the weights' sum.
    """
    taken, chance = counts
    # Weights without an opportunity become 0; a row of these alone keeps its weights.
    new = np.divide(taken, chance, out=np.zeros_like(weights), where=chance > 0.0)
    sums = new.sum(axis=-1, keepdims=True)
    return frozen(np.where(sums > 0.0, new / np.where(sums > 0.0, sums, 1.0), weights))


@jit
def _expect(pairing: Pairing, table: Floats, chain: Chain, counts: Counts, links: F32) -> float:
    """Add the counts of all sentence pairs; return the log-likelihood."""
    src_at, src, tgt_at, tgt, at, cell, _ = pairing
    lattice = make_lattice(src_at, tgt_at)
    wide = max_length(src_at) + 1
    moves, spare = np.empty(wide * wide), np.empty(wide + max_length(tgt_at))
    log_likelihood = 0.0
    for s in range(at.size - 1):
        froms, tos = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        cells = cell[at[s] : at[s + 1]]
        n, n_tgt = froms.size, tos.size
        fill(lattice, chain, table, froms, tos, cells)
        log_likelihood += forward(lattice, n, n_tgt)
        backward(lattice, n, n_tgt)
        # With agreement, the caller counts links once both directions are known.
        if links.size:
            write_links(lattice, n, n_tgt, links[at[s] : at[s + 1]])
        else:
            _count_links(lattice, tos, cells, counts.cells)
        _count_moves(lattice, n, n_tgt, moves, spare)
        _count_jumps(lattice, moves, chain, froms, counts)
        _count_ends(lattice, n, n_tgt, spare, counts.last)
    return log_likelihood


@jit
def _count_links(lattice: Lattice, tgt: I32, cell: I32, counts: F64) -> None:
    """Add the probability of each link of a sentence pair to its cell, NULL's included."""
    n = cell.size // tgt.size
    for j in range(tgt.size):
        after = lattice.after[j * (n + 1) : (j + 1) * (n + 1)]
        here = lattice.here[j * n : (j + 1) * n]
        at_null = lattice.at_null[j * (n + 1) : (j + 1) * (n + 1)]
        cells = cell[j * n : (j + 1) * n]
        null = at_null[0] * after[0]
        for i in range(n):
            null += at_null[i + 1] * after[i + 1]
            counts[cells[i]] += here[i] * after[i + 1]
        counts[tgt[j]] += null


@jit
def _count_moves(lattice: Lattice, n: int, n_tgt: int, moves: F64, before: F64) -> None:
    """Write the sum over target words of before times arriving, shape (n + 1, n).

    Times the probability of a jump, it is that jump's count.
    """
    moves[: (n + 1) * n] = 0.0
    for r in range(n + 1):
        for j in range(n_tgt):
            # A column of ``before``, copied, so that the product is one of rows.
            before[j] = lattice.before[j * (n + 1) + r]
        add_product(moves[r * n : (r + 1) * n], before[:n_tgt], lattice.arriving[: n_tgt * n])


@jit
def _count_jumps(lattice: Lattice, moves: F64, chain: Chain, src: I32, counts: Counts) -> None:
    """Add the expected jumps of a sentence pair, at the weights of their source words' classes."""
    n = src.size
    for r in range(n + 1):
        row = moves[r * n : (r + 1) * n]
        taken = lattice.taken[r * n : (r + 1) * n]
        for i in range(n):
            # Jumps by the uniform distribution are not counted, as it is not trained.
            row[i] *= taken[i]
        if r == 0:
            _count_weights(row, 0, lattice.sums[0], counts.first[0], counts.first[1])
        else:
            group = chain.classes[src[r - 1]]
            reach = (chain.jumps.shape[1] - 1) // 2
            taken_of, chance_of = counts.jumps[0, group], counts.jumps[1, group]
            _count_weights(row, reach - (r - 1), lattice.sums[r], taken_of, chance_of)


@jit
def _count_weights(taken: F64, first: int, total: float, times: F64, chances: F64) -> None:
    """Count the weights used, and the opportunities of all weights.

    Places beyond a table share its first or last weight.
    """
    if total <= 0.0:
        return
    chance = 0.0
    for value in taken:
        chance += value
    # Expected departures from the place, per unit of weight.
    chance /= total
    for i in range(taken.size):
        k = min(max(first + i, 0), times.size - 1)
        times[k] += taken[i]
        chances[k] += chance


@jit
def _count_ends(lattice: Lattice, n: int, n_tgt: int, taken: F64, counts: F64) -> None:
    """Add the expected ends of a sentence pair, by their distance from the last place."""
    before = lattice.before[n_tgt * (n + 1) : (n_tgt + 1) * (n + 1)]
    taken = taken[: n + 1]
    for k in range(n + 1):
        taken[k] = before[n - k] * lattice.ends[k] / lattice.scales[n_tgt]
    _count_weights(taken, 0, lattice.sums[n + 1], counts[0], counts[1])
