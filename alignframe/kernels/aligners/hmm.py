"""The hidden Markov model of word alignment (Vogel, Ney & Tillmann 1996; Och & Ney 2003).

    p(words, positions) = product over j of p(position j | position j - 1) * p(word j | source word)

The positions of a source sentence of I words are 0 (before the first word) to I; a target word is
linked to a position from 1 on, or to NULL, which keeps the previous position: NULL doubles the
states (Och & Ney 2003). Since the future depends only on the position, each has one backward and
two forward probabilities. Probabilities are scaled to sum to 1 over the states of each target word,
to avoid underflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, Floats
from alignframe.kernels.aligners.ibm1 import max_length
from alignframe.kernels.jit import jit


class Chain(NamedTuple):
    """The Markov chain over the positions of a source sentence.

    From a word of class g, the weight of a jump of width w is ``jumps[g, w + L]``, with w clipped
    to -L ... L; of starting at word i, ``first[i]``; of ending i words before the last,
    ``last[i]``, with i clipped to the arrays' sizes. Weights are normalised over the positions of a
    sentence, and mixed with the uniform distribution, of weight ``smoothing``. NULL has probability
    ``p0``. Source word w has class ``classes[w]``.
    """

    classes: I32
    jumps: F64
    first: F64
    last: F64
    smoothing: float
    p0: float


class Lattice(NamedTuple):
    """Work space for the longest sentence pair, as flat arrays; n is the number of source words.

    ``words[j * n + i]`` is the probability of choosing a source word instead of NULL, times that of
    target word j; ``nulls[j]`` is the same for NULL. ``taken`` and ``steps`` hold the probability
    of jumps from place r to word i at ``r * n + i``, without and with the uniform distribution;
    ``back`` is the transpose of ``steps``; ``sums`` has the sum of the weights of each place, then
    that of the ends. ``ends[k]`` is the probability of ending k places before the last.

    ``before[j * (n + 1) + r]`` is the forward probability of place r before word j, ``here`` and
    ``at_null`` those of the states at word j, and ``scales`` their sum before scaling. ``after`` is
    the backward factor of a place after word j, and ``arriving`` that of a jump to a word.
    """

    words: F64
    nulls: F64
    taken: F64
    steps: F64
    back: F64
    sums: F64
    ends: F64
    before: F64
    here: F64
    at_null: F64
    scales: F64
    after: F64
    arriving: F64


@jit
def make_lattice(src_at: I64, tgt_at: I64) -> Lattice:
    """Return work space for sentence pairs."""
    # One place more than source words, and one time more than target words.
    wide, long = max_length(src_at) + 1, max_length(tgt_at) + 1
    square, area = wide * wide, wide * long
    return Lattice(
        np.empty(area),
        np.empty(long),
        np.empty(square),
        np.empty(square),
        np.empty(square),
        np.empty(wide + 1),
        np.empty(wide),
        np.empty(area),
        np.empty(area),
        np.empty(area),
        np.empty(long),
        np.empty(area),
        np.empty(area),
    )


@jit
def fill(lattice: Lattice, chain: Chain, table: Floats, src: I32, tgt: I32, cell: I32) -> None:
    """Fill in the probabilities of a sentence pair's words and jumps."""
    n = src.size
    _fill_words(cell, table, 1.0 - chain.p0, lattice.words)
    _fill_words(tgt, table, chain.p0, lattice.nulls)
    for r in range(n + 1):
        row = lattice.taken[r * n : (r + 1) * n]
        if r == 0:
            _cut(chain.first, 0, row)
        else:
            weights = chain.jumps[chain.classes[src[r - 1]]]
            # Word i, from 0, is i - (r - 1) words on from place r, which is word r - 1.
            _cut(weights, (weights.size - 1) // 2 - (r - 1), row)
        lattice.sums[r] = _to_probabilities(row, 1.0 - chain.smoothing)
        steps = lattice.steps[r * n : (r + 1) * n]
        # Without the uniform part for the counts of jumps, with it for all else.
        for i in range(n):
            steps[i] = row[i] + chain.smoothing / n
            lattice.back[i * (n + 1) + r] = steps[i]
    ends = lattice.ends[: n + 1]
    _cut(chain.last, 0, ends)
    lattice.sums[n + 1] = _to_probabilities(ends, 1.0)


@jit
def _fill_words(cells: I32, table: Floats, weight: float, out: F64) -> None:
    """Write ``weight`` times the table's value of each cell."""
    for k in range(cells.size):
        out[k] = weight * table[cells[k]]


@jit
def _cut(weights: F64, first: int, out: F64) -> None:
    """Copy weights from an index on, clipping indices at both ends."""
    for i in range(out.size):
        out[i] = weights[min(max(first + i, 0), weights.size - 1)]


@jit
def _to_probabilities(weights: F64, whole: float) -> float:
    """Normalise weights to sum to ``whole``, and return their previous sum."""
    total = 0.0
    for weight in weights:
        total += weight
    for k in range(weights.size):
        weights[k] = weights[k] * whole / total if total > 0.0 else whole / weights.size
    return total


@jit
def add_product(out: F64, scales: F64, rows: F64) -> None:
    """Add a vector times a matrix: row k of ``rows``, which are flat, times ``scales[k]``.

    Four rows at a time, so that ``out`` is read and written a quarter as often.
    """
    n = out.size
    whole = scales.size - scales.size % 4
    for k in range(0, whole, 4):
        a, b, c, d = scales[k], scales[k + 1], scales[k + 2], scales[k + 3]
        row_a, row_b = rows[k * n : (k + 1) * n], rows[(k + 1) * n : (k + 2) * n]
        row_c, row_d = rows[(k + 2) * n : (k + 3) * n], rows[(k + 3) * n : (k + 4) * n]
        for i in range(n):
            out[i] += (a * row_a[i] + b * row_b[i]) + (c * row_c[i] + d * row_d[i])
    for k in range(whole, scales.size):
        row = rows[k * n : (k + 1) * n]
        for i in range(n):
            out[i] += scales[k] * row[i]


@jit
def forward(lattice: Lattice, n: int, n_tgt: int) -> float:
    """Fill ``before``, ``here``, ``at_null`` and ``scales``; return the log of the probability.

    ``scales[n_tgt]`` becomes the probability to end.
    """
    steps, words, nulls, ends = lattice.steps, lattice.words, lattice.nulls, lattice.ends
    # ``before`` of the first word: at position 0, with certainty.
    prior = lattice.before[: n + 1]
    prior[:] = 0.0
    prior[0] = 1.0
    log_likelihood = 0.0
    for j in range(n_tgt):
        here = lattice.here[j * n : (j + 1) * n]
        here[:] = 0.0
        reached = 1 if j == 0 else n + 1  # sentences start at position 0
        add_product(here, prior[:reached], steps[: reached * n])
        total = 0.0
        # Words come after all sums: they do not depend on the previous position.
        likely = words[j * n : (j + 1) * n]
        for i in range(n):
            here[i] *= likely[i]
            total += here[i]
        at_null = lattice.at_null[j * (n + 1) : (j + 1) * (n + 1)]
        for r in range(n + 1):
            at_null[r] = nulls[j] * prior[r]
            total += at_null[r]
        log_likelihood += np.log(total)
        lattice.scales[j] = total
        part = 1.0 / total
        # Each place is reached from itself by NULL, or by a link to its word.
        prior = lattice.before[(j + 1) * (n + 1) : (j + 2) * (n + 1)]
        for r in range(n + 1):
            at_null[r] *= part
            prior[r] = at_null[r]
        for i in range(n):
            here[i] *= part
            prior[i + 1] += here[i]
    total = 0.0
    for r in range(n + 1):
        total += prior[r] * ends[n - r]
    lattice.scales[n_tgt] = total
    return log_likelihood + np.log(total)


@jit
def backward(lattice: Lattice, n: int, n_tgt: int) -> None:
    """Fill ``after`` and ``arriving``; ``forward`` comes first."""
    after = lattice.after[(n_tgt - 1) * (n + 1) : n_tgt * (n + 1)]
    for r in range(n + 1):
        # Divided by the same scales as forward, so that products are posteriors.
        after[r] = lattice.ends[n - r] / lattice.scales[n_tgt]
    for j in range(n_tgt - 1, -1, -1):
        part = 1.0 / lattice.scales[j]
        likely = lattice.words[j * n : (j + 1) * n]
        arriving = lattice.arriving[j * n : (j + 1) * n]
        for i in range(n):
            arriving[i] = part * likely[i] * after[i + 1]
        # ``back`` is the transpose, so that the inner loop runs along its rows.
        if j > 0:
            null = part * lattice.nulls[j]
            earlier = lattice.after[(j - 1) * (n + 1) : j * (n + 1)]
            for r in range(n + 1):
                earlier[r] = null * after[r]
            add_product(earlier, arriving, lattice.back[: n * (n + 1)])
            after = earlier


@jit
def write_links(lattice: Lattice, n: int, n_tgt: int, links: F32) -> None:
    """Write the probability of each link; ``backward`` comes first."""
    for j in range(n_tgt):
        after = lattice.after[j * (n + 1) : (j + 1) * (n + 1)]
        for i in range(n):
            links[j * n + i] = lattice.here[j * n + i] * after[i + 1]
