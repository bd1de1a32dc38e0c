"""Probabilities of target words given source words, from a trained model.

The parameters of a source word are scattered to an array by target word once for all sentences of a
block, so that no search is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, F64, I32, I64
from alignframe.kernels.alike import Alike
from alignframe.kernels.cells import stand
from alignframe.kernels.jit import jit


class Counted(NamedTuple):
    """Counts of links: row r has ``counts[c]`` with ``targets[c]``, starts[r] <= c < starts[r + 1].

    All are above 0.
    """

    starts: I64
    targets: I32
    counts: F32


class Words(NamedTuple):
    """Parameters of the single words of a text.

    Source word w has the row ``rows[w]`` of counts, -1 if it is new, ``totals`` links without
    pseudo-counts, ``spread`` pseudo-counts for its known cells, and in column k of ``growth`` how
    much likelier it has k + 1 target words than k. Target word c of counts is the text's target
    word ``numbers[c]``, -1 if the text lacks it; target word t of the text has the probability
    ``null[t]`` under NULL.
    """

    rows: I32
    totals: F64
    spread: F64
    growth: F32
    numbers: I32
    null: F32


class Forms(NamedTuple):
    """Counts shared by forms of a word: ``counts`` has the links of each pair of stems.

    Source word w has the stem ``rows[w]``, and ``worth[w]`` times its stem's links to the stem
    ``columns[t]`` of target word t as a pseudo-count, the pair's own links left out. There are
    ``n_columns`` target stems. Nothing is shared if no word has a ``worth``.
    """

    counts: Counted
    rows: I32
    columns: I32
    n_columns: int
    worth: F32


@jit
def weigh(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    counts: Counted,
    known: Words,
    forms: Forms,
    alike: Alike,
    concentration: float,
    link: F32,
) -> None:
    """Write the probability of each target word, given each source word.

    That of target position j and source position i in sentence s is ``link[at + i * m + j]``, with
    ``at`` pairs of positions before the sentence, and m target words. A rare word has at least the
    pseudo-counts of the words in the other sentence: a new word is distributed over these. The
    degrees of ``alike`` are pseudo-counts.
    """
    rows, totals, spread, numbers = known.rows, known.totals, known.spread, known.numbers
    starts, targets, values = counts
    stem_starts, stem_targets, stem_values = forms.counts
    stem_rows, stem_worth = forms.rows, forms.worth
    alike_starts, alike_targets, degrees = alike
    at = np.zeros(src_at.size, np.int64)
    longest = 1
    for s in range(src_at.size - 1):
        m = tgt_at[s + 1] - tgt_at[s]
        at[s + 1] = at[s] + (src_at[s + 1] - src_at[s]) * m
        longest = max(longest, m)
    stem, first, different = _opposite(tgt_at, tgt, forms.columns)
    # Side by side, the links of each target word, and its pseudo-count by spelling.
    laid = np.zeros(2 * known.null.size, np.float32)
    shared = np.zeros(forms.n_columns, np.float32)
    more = np.zeros(longest, np.float32)
    places, sentence, place = stand(src_at, src, rows.size)
    for w in range(rows.size):
        if places[w] == places[w + 1]:
            continue
        row, stem_row, share = rows[w], stem_rows[w], stem_worth[w]
        if row >= 0:
            for c in range(starts[row], starts[row + 1]):
                t = numbers[targets[c]]
                if t >= 0:
                    laid[2 * t] = values[c]
        if share > 0:
            for c in range(stem_starts[stem_row], stem_starts[stem_row + 1]):
                shared[stem_targets[c]] = stem_values[c]
        for c in range(alike_starts[w], alike_starts[w + 1]):
            laid[2 * alike_targets[c] + 1] = degrees[c]
        for k in range(places[w], places[w + 1]):
            s = sentence[k]
            # Unsigned, so that numba need not handle negative indices.
            m = np.uint64(tgt_at[s + 1] - tgt_at[s])
            a, b = np.uint64(tgt_at[s]), np.uint64(at[s]) + np.uint64(place[k]) * m
            here = np.uint64(tgt_at[s] - tgt_at[0])
            for j in range(m):
                t = np.uint64(tgt[a + j]) * np.uint64(2)
                linked = laid[t]
                others = max(shared[np.uint32(stem[here + j])] - linked, np.float32(0)) * share
                others += laid[t + np.uint64(1)]
                link[b + j] = (concentration + linked) + others
                more[j] = others * first[here + j]
            spare = concentration * different[s] + _total(more, m)
            worth = np.float32(1 / (totals[w] + max(spread[w], spare)))
            for j in range(m):
                link[b + j] *= worth
        if row >= 0:
            for c in range(starts[row], starts[row + 1]):
                t = numbers[targets[c]]
                if t >= 0:
                    laid[2 * t] = 0
        if share > 0:
            for c in range(stem_starts[stem_row], stem_starts[stem_row + 1]):
                shared[stem_targets[c]] = 0
        for c in range(alike_starts[w], alike_starts[w + 1]):
            laid[2 * alike_targets[c] + 1] = 0


@jit
def _opposite(tgt_at: I64, tgt: I32, stems: I32) -> tuple[I32, F32, F32]:
    """Return the stem of each target word, 1 if its sentence did not have it before, else 0.

    Last comes how many different target words each sentence has.
    """
    origin = tgt_at[0]
    met = np.full(stems.size, -1, np.int32)
    stem = np.empty(tgt_at[-1] - origin, np.int32)
    first = np.zeros(tgt_at[-1] - origin, np.float32)
    different = np.zeros(tgt_at.size - 1, np.float32)
    for s in range(different.size):
        for k in range(tgt_at[s], tgt_at[s + 1]):
            t = tgt[k]
            stem[k - origin] = stems[t]
            if met[t] != s:
                met[t] = s
                first[k - origin] = 1
                different[s] += 1
    return stem, first, different


@jit
def _total(x: F32, size: int) -> float:
    """Return the sum of the first numbers; its four sums do not wait for one another."""
    a = b = c = d = np.float32(0)
    whole = np.uint64(size) // np.uint64(4) * np.uint64(4)
    for k in range(np.uint64(0), whole, np.uint64(4)):
        a += x[k]
        b += x[k + np.uint64(1)]
        c += x[k + np.uint64(2)]
        d += x[k + np.uint64(3)]
    for k in range(whole, np.uint64(size)):
        a += x[k]
    return (a + b) + (c + d)
