"""Probabilities of target words given source words, from a trained model.

The parameters of a source word are scattered to an array by target word once for all sentences of a
block, so that no search is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, F64, I32, I64, U64
from alignframe.kernels.cells import stand
from alignframe.kernels.cognates import Spelt, common_letters, may_be_alike, put_letters
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
    much likelier it has k + 1 target words than k. Target word t is the word ``columns[t]`` of
    counts, and has the probability ``null`` under NULL. Counts have no more than ``n_columns``.
    """

    rows: I32
    totals: F64
    spread: F64
    growth: F32
    columns: I32
    n_columns: int
    null: F32


class Spelling(NamedTuple):
    """The spelling of words, and the pseudo-counts of equal words; 0 turns it off."""

    src: Spelt
    tgt: Spelt
    n_letters: int
    cutoff: float
    most: float


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


class _Opposite(NamedTuple):
    """The target words of a block, in the order of its text: ``first`` is 1, then 0 for repeats.

    ``different[s]`` words of sentence s are no repeats.
    """

    column: I32
    stem: I32
    first: F64
    different: I64


class _Sorted(NamedTuple):
    """Target words with their letters: first the strict ones of a sentence.

    From ``others[s]`` on they are the others; all count from the first word of the block.
    """

    words: I32
    sets: U64
    sizes: I64
    others: I64


@jit
def weigh(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    counts: Counted,
    known: Words,
    forms: Forms,
    spelling: Spelling,
    concentration: float,
    link: F32,
) -> None:
    """Write the probability of each target word, given each source word.

    That of target position j and source position i in sentence s is ``link[at + i * m + j]``, with
    ``at`` pairs of positions before the sentence, and m target words. A rare word has at least the
    pseudo-counts of the words in the other sentence: a new word is distributed over these.
    """
    rows, columns, totals, spread = known.rows, known.columns, known.totals, known.spread
    starts, targets, values = counts
    stem_starts, stem_targets, stem_values = forms.counts
    stem_rows, stem_worth = forms.rows, forms.worth
    most = spelling.most
    origin = tgt_at[0]
    at = np.zeros(src_at.size, np.int64)
    longest = 1
    for s in range(src_at.size - 1):
        m = tgt_at[s + 1] - tgt_at[s]
        at[s + 1] = at[s] + (src_at[s + 1] - src_at[s]) * m
        longest = max(longest, m)
    met = np.full(columns.size, -1, np.int32)
    column, stem, first, different = _opposite(tgt_at, tgt, columns, forms.columns, met)
    letters = np.zeros(max(spelling.n_letters, 1), np.uint64)
    listed = _listed(tgt_at, tgt, spelling.tgt, longest if most > 0 else 0)
    met[:] = -1
    alike = np.zeros(columns.size if most > 0 else 0, np.float64)
    alikes = np.empty(columns.size, np.int32)
    some = np.empty(longest + 1, np.int32)
    linked = np.zeros(known.n_columns, np.float32)
    shared = np.zeros(forms.n_columns, np.float32)
    more = np.zeros(longest, np.float32)
    places, sentence, place = stand(src_at, src, rows.size)
    for w in range(rows.size):
        if places[w] == places[w + 1]:
            continue
        n_alike = 0
        if most > 0:
            here = sentence[places[w] : places[w + 1]]
            n_alike = _find_alike(
                w, here, tgt_at, spelling, listed, letters, met, alike, alikes, some
            )
        row, stem_row, share = rows[w], stem_rows[w], stem_worth[w]
        if row >= 0:
            for c in range(starts[row], starts[row + 1]):
                linked[targets[c]] = values[c]
        if share > 0:
            for c in range(stem_starts[stem_row], stem_starts[stem_row + 1]):
                shared[stem_targets[c]] = stem_values[c]
        for k in range(places[w], places[w + 1]):
            s = sentence[k]
            # Unsigned, so that numba need not handle negative indices.
            m = np.uint64(tgt_at[s + 1] - tgt_at[s])
            a = np.uint64(tgt_at[s] - origin)
            b = np.uint64(at[s]) + np.uint64(place[k]) * m
            spare = concentration * different[s]
            for j in range(m):
                known_links = linked[np.uint32(column[a + j])]
                others = max(shared[np.uint32(stem[a + j])] - known_links, np.float32(0)) * share
                more[j] = others
                link[b + j] = (concentration + known_links) + others
            if n_alike:
                for j in range(m):
                    like = alike[tgt[np.uint64(tgt_at[s]) + j]]
                    if like > 0:
                        spare += like * first[a + j]
                        pseudo = np.float32(concentration + like)
                        link[b + j] = (pseudo + linked[np.uint32(column[a + j])]) + more[j]
            if share > 0:
                for j in range(m):
                    spare += more[j] * first[a + j]
            worth = np.float32(1 / (totals[w] + max(spread[w], spare)))
            for j in range(m):
                link[b + j] *= worth
        if row >= 0:
            for c in range(starts[row], starts[row + 1]):
                linked[targets[c]] = 0
        if share > 0:
            for c in range(stem_starts[stem_row], stem_starts[stem_row + 1]):
                shared[stem_targets[c]] = 0
        for t in alikes[:n_alike]:
            alike[t] = 0


@jit
def _opposite(tgt_at: I64, tgt: I32, columns: I32, stems: I32, met: I32) -> _Opposite:
    origin = tgt_at[0]
    size = tgt_at[-1] - origin
    column, stem = np.empty(size, np.int32), np.empty(size, np.int32)
    first, different = np.zeros(size, np.float64), np.zeros(tgt_at.size - 1, np.int64)
    for s in range(different.size):
        for k in range(tgt_at[s], tgt_at[s + 1]):
            t = tgt[k]
            column[k - origin], stem[k - origin] = columns[t], stems[t]
            if met[t] != s:
                met[t] = s
                first[k - origin] = 1
                different[s] += 1
    return _Opposite(column, stem, first, different)


@jit
def _listed(tgt_at: I64, tgt: I32, spelt: Spelt, longest: int) -> _Sorted:
    """Return the target words with their letters; none of them if the longest sentence is 0."""
    ends, sets, strict = spelt.at, spelt.sets, spelt.strict
    origin = tgt_at[0]
    size = tgt_at[-1] - origin if longest else 0
    words, their_sets = np.empty(size, np.int32), np.empty(size, np.uint64)
    sizes, others = np.empty(size, np.int64), np.zeros(tgt_at.size - 1, np.int64)
    if longest:
        n = 0
        for s in range(others.size):
            for now in (True, False):
                if not now:
                    others[s] = n
                for k in range(tgt_at[s], tgt_at[s + 1]):
                    t = tgt[k]
                    if strict[t] == now:
                        words[n], their_sets[n], sizes[n] = t, sets[t], ends[t + 1] - ends[t]
                        n += 1
    return _Sorted(words, their_sets, sizes, others)


@jit
def _find_alike(
    w: int,
    sentences: I32,
    tgt_at: I64,
    spelling: Spelling,
    listed: _Sorted,
    letters: U64,
    met: I32,
    alike: F64,
    alikes: I32,
    some: I32,
) -> int:
    """Write the pseudo-counts of a sentence's target words spelt similarly to a source word.

    Returns
    -------
    int
        The number of words in ``alikes``; ``alike`` has the pseudo-count of each.
    """
    src, tgt, _, cutoff, most = spelling
    words, sets, sizes, others = listed
    src_at, src_letters, tgt_ends, tgt_letters = src.at, src.letters, tgt.at, tgt.letters
    begin, end = src_at[w], src_at[w + 1]
    size, mine, strict = end - begin, src.sets[w], src.strict[w]
    found = 0
    put = False
    for s in sentences:
        # Strict words are similar only to equal words, which are strict too.
        low = tgt_at[s] - tgt_at[0] if strict else others[s]
        high = others[s] if strict else tgt_at[s + 1] - tgt_at[0]
        n = 0
        if strict:
            for k in range(np.uint64(low), np.uint64(high)):
                some[n] = words[k]
                n += sets[k] == mine
        else:
            for k in range(np.uint64(low), np.uint64(high)):
                some[n] = words[k]
                n += may_be_alike(size, mine, False, sizes[k], sets[k], False, cutoff)
        for k in range(n):
            t = some[k]
            if met[t] == w:
                continue
            met[t] = w
            if not put:
                put_letters(src_letters, begin, end, letters, True)
                put = True
            a, b = tgt_ends[t], tgt_ends[t + 1]
            common = common_letters(src_letters, begin, end, tgt_letters, a, b, letters)
            wide = max(size, b - a)
            if wide > 0 and common >= (wide if strict else cutoff * wide):
                alike[t] = most * ((common / wide - cutoff) / (1 - cutoff))
                alikes[found] = t
                found += alike[t] > 0
    if put:
        put_letters(src_letters, begin, end, letters, False)
    return found
