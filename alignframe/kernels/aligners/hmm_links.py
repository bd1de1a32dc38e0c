"""Links by the hidden Markov model of ``alignframe.kernels.aligners.hmm``.

``best`` returns the most probable path (Viterbi), ``posteriors`` the probability of every link,
summed over all paths (forward-backward; Vogel, Ney & Tillmann 1996):

    best(j, i) = p(word j | word i) * max over r of best(j - 1, r) * p(i | r)
    p(link j, i) = forward(j, i) * backward(j, i)
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F32, I32, Floats
from alignframe.kernels.aligners.hmm import (
    Chain,
    Lattice,
    backward,
    fill,
    forward,
    make_lattice,
    write_links,
)
from alignframe.kernels.aligners.ibm1 import max_length
from alignframe.kernels.cells import Pairing
from alignframe.kernels.jit import jit


@jit
def best(pairing: Pairing, table: Floats, chain: Chain) -> tuple[I32, F32]:
    """Return the source place of each target word by the Viterbi algorithm, -1 for NULL.

    The probability of a link, or of NULL, is summed over all paths.
    """
    src_at, src, tgt_at, tgt, at, cell, _ = pairing
    lattice = make_lattice(src_at, tgt_at)
    wide, long = max_length(src_at) + 1, max_length(tgt_at) + 1
    # Flat and as large as the longest sentence pair needs, for all of them.
    came_from = np.empty(wide * long, np.int32)
    scores = np.empty(wide)
    first = tgt_at[0]
    places = np.empty(tgt_at[-1] - first, np.int32)
    probabilities = np.empty(places.size, np.float32)
    for s in range(at.size - 1):
        froms, tos = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        n = froms.size
        fill(lattice, chain, table, froms, tos, cell[at[s] : at[s + 1]])
        forward(lattice, n, tos.size)
        backward(lattice, n, tos.size)
        path = places[tgt_at[s] - first : tgt_at[s + 1] - first]
        _walk(lattice, n, scores[: n + 1], came_from, path)
        _weigh(lattice, n, path, probabilities[tgt_at[s] - first : tgt_at[s + 1] - first])
    return places, probabilities


@jit
def _walk(lattice: Lattice, n: int, scores: Floats, came_from: I32, path: I32) -> None:
    """Write the most probable path.

    ``came_from`` has the previous place for word i; NULL keeps the place, which is not written.
    """
    here = np.empty(n)
    word_won = np.empty((path.size, n + 1), np.bool_)
    scores[:] = 0.0
    scores[0] = 1.0
    for j in range(path.size):
        before = came_from[j * n : (j + 1) * n]
        # Below all scores, so that the first place reached is taken.
        here[:] = -1.0
        for r in range(n + 1):
            steps = lattice.steps[r * n : (r + 1) * n]
            score = scores[r]
            if score > 0.0:
                for i in range(n):
                    value = score * steps[i]
                    if value > here[i]:
                        here[i] = value
                        before[i] = r
        likely = lattice.words[j * n : (j + 1) * n]
        most = 0.0
        for r in range(n + 1):
            # The better of two ways to be at place r after word j: NULL from place r, or a link to
            # word r - 1.
            scores[r] *= lattice.nulls[j]
            word_won[j, r] = r > 0 and here[r - 1] * likely[r - 1] >= scores[r]
            if word_won[j, r]:
                scores[r] = here[r - 1] * likely[r - 1]
            most = max(most, scores[r])
        for r in range(n + 1):
            # Scaled to a maximum of 1, to avoid underflow.
            scores[r] /= most
    # The last place, weighted by the probability of ending there; then back along the path.
    place, most = 0, -1.0
    for r in range(n + 1):
        if scores[r] * lattice.ends[n - r] > most:
            place, most = r, scores[r] * lattice.ends[n - r]
    for j in range(path.size - 1, -1, -1):
        if word_won[j, place]:
            path[j] = place - 1
            place = came_from[j * n + place - 1]
        else:
            path[j] = -1


@jit
def _weigh(lattice: Lattice, n: int, path: I32, probabilities: F32) -> None:
    """Write the probability of each word's link or NULL on the path, summed over all paths."""
    for j in range(path.size):
        after = lattice.after[j * (n + 1) : (j + 1) * (n + 1)]
        if path[j] >= 0:
            probabilities[j] = lattice.here[j * n + path[j]] * after[path[j] + 1]
        else:
            null = 0.0
            for r in range(n + 1):
                null += lattice.at_null[j * (n + 1) + r] * after[r]
            probabilities[j] = null


@jit
def posteriors(pairing: Pairing, table: Floats, chain: Chain) -> F32:
    """Return the probability of each link, at the index of its cell."""
    src_at, src, tgt_at, tgt, at, cell, _ = pairing
    lattice = make_lattice(src_at, tgt_at)
    links = np.empty(cell.size, np.float32)
    for s in range(at.size - 1):
        froms, tos = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        n = froms.size
        fill(lattice, chain, table, froms, tos, cell[at[s] : at[s + 1]])
        forward(lattice, n, tos.size)
        backward(lattice, n, tos.size)
        write_links(lattice, n, tos.size, links[at[s] : at[s + 1]])
    return links
