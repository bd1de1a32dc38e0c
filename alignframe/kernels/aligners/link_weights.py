"""Probabilities of target words given source words, from a trained model.

    p(t | s) = (concentration + links(s, t) + shared(s, t) + spelt(s, t)) / (total of s)

is the mean of the posterior distribution under a Dirichlet prior, whose pseudo-counts are a
constant, the links of other forms of both stems, and the similarity of spelling. The parameters of
a source word are scattered into an array by target word once per block of sentences, so that no
search is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64
from alignframe.kernels.aligners.similar_words import Similar
from alignframe.kernels.cells import occurrences_of
from alignframe.kernels.jit import jit


class Counted(NamedTuple):
    """Counts of links, all above 0.

    Row r has ``counts[c]`` with ``targets[c]`` for ``starts[r] <= c < starts[r + 1]``.
    """

    starts: I64
    targets: I32
    counts: F32


class Words(NamedTuple):
    """Parameters of the single words of a text.

    Source word w has the row ``rows[w]`` of counts (-1 if it is new), ``totals`` links without
    pseudo-counts, and ``spread`` pseudo-counts over its known cells; column k of ``growth`` is the
    ratio of its probability of k + 1 target words to that of k. Target word c of the counts is word
    ``numbers[c]`` of the text, or -1; target word t of the text has probability ``null[t]`` given
    NULL.
    """

    rows: I32
    totals: F64
    spread: F64
    growth: F32
    numbers: I32
    null: F32


class Forms(NamedTuple):
    """Counts shared by forms of a word: ``counts`` has the links of each pair of stems.

    Source word w has the stem ``rows[w]``, and target word t the stem ``columns[t]``, of
    ``n_columns``. The pair's pseudo-count is ``worth[w]`` times the links between both stems,
    without the pair's own. Nothing is shared if ``worth`` is 0.
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
    similar: Similar,
    concentration: float,
    link: F32,
) -> None:
    """Write the probability of each target word, given each source word.

    Target position j and source position i are at ``link[at + i * m + j]``, where ``at`` is the
    number of position pairs in previous sentences, and m that of target words. A rare word has at
    least the pseudo-counts of the words in the other sentence, so a new word is distributed over
    these. The degrees of ``similar`` are pseudo-counts.
    """
    rows, totals, spread, numbers = known.rows, known.totals, known.spread, known.numbers
    starts, targets, values = counts
    stem_starts, stem_targets, stem_values = forms.counts
    stem_rows, stem_worth = forms.rows, forms.worth
    similar_starts, similar_targets, degrees = similar
    at = np.zeros(src_at.size, np.int64)
    longest = 1
    for s in range(src_at.size - 1):
        m = tgt_at[s + 1] - tgt_at[s]
        at[s + 1] = at[s] + (src_at[s + 1] - src_at[s]) * m
        longest = max(longest, m)
    stem, first, different = _opposite(tgt_at, tgt, forms.columns)
    # For each target word, its links and its pseudo-count by spelling, interleaved.
    scattered = np.zeros(2 * known.null.size, np.float32)
    shared = np.zeros(forms.n_columns, np.float32)
    more = np.zeros(longest, np.float32)
    places, sentence, place = occurrences_of(src_at, src, rows.size)
    for w in range(rows.size):
        if places[w] == places[w + 1]:
            continue
        row, stem_row, share = rows[w], stem_rows[w], stem_worth[w]
        if row >= 0:
            for c in range(starts[row], starts[row + 1]):
                t = numbers[targets[c]]
                if t >= 0:
                    scattered[2 * t] = values[c]
        if share > 0:
            for c in range(stem_starts[stem_row], stem_starts[stem_row + 1]):
                shared[stem_targets[c]] = stem_values[c]
        for c in range(similar_starts[w], similar_starts[w + 1]):
            scattered[2 * similar_targets[c] + 1] = degrees[c]
        for k in range(places[w], places[w + 1]):
            s = sentence[k]
            # Unsigned, so that numba need not handle negative indices.
            m = np.uint64(tgt_at[s + 1] - tgt_at[s])
            a, b = np.uint64(tgt_at[s]), np.uint64(at[s]) + np.uint64(place[k]) * m
            here = np.uint64(tgt_at[s] - tgt_at[0])
            for j in range(m):
                t = np.uint64(tgt[a + j]) * np.uint64(2)
                linked = scattered[t]
                # The links of both stems without the pair's own.
                others = max(shared[np.uint32(stem[here + j])] - linked, np.float32(0)) * share
                others += scattered[t + np.uint64(1)]
                link[b + j] = (concentration + linked) + others
                more[j] = others * first[here + j]
            # Pseudo-counts of the sentence's distinct words: they take part even if training never
            # saw the pair, so a new word's probabilities sum to 1 over them.
            spare = concentration * different[s] + _total(more, m)
            worth = np.float32(1 / (totals[w] + max(spread[w], spare)))
            for j in range(m):
                link[b + j] *= worth
        if row >= 0:
            # Only what this source word wrote is cleared.
            for c in range(starts[row], starts[row + 1]):
                t = numbers[targets[c]]
                if t >= 0:
                    scattered[2 * t] = 0
        if share > 0:
            for c in range(stem_starts[stem_row], stem_starts[stem_row + 1]):
                shared[stem_targets[c]] = 0
        for c in range(similar_starts[w], similar_starts[w + 1]):
            scattered[2 * similar_targets[c] + 1] = 0


@jit
def _opposite(tgt_at: I64, tgt: I32, stems: I32) -> tuple[I32, F32, F32]:
    """Return each target word's stem, and 1 at its first occurrence in a sentence, else 0.

    The third result is the number of distinct target words of each sentence.
    """
    origin = tgt_at[0]
    last = np.full(stems.size, -1, np.int32)
    stem = np.empty(tgt_at[-1] - origin, np.int32)
    first = np.zeros(tgt_at[-1] - origin, np.float32)
    different = np.zeros(tgt_at.size - 1, np.float32)
    for s in range(different.size):
        for k in range(tgt_at[s], tgt_at[s + 1]):
            t = tgt[k]
            stem[k - origin] = stems[t]
            if last[t] != s:
                last[t] = s
                first[k - origin] = 1
                different[s] += 1
    return stem, first, different


@jit
def _total(x: F32, size: int) -> float:
    """Return the sum of the first ``size`` numbers, as four independent sums."""
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
