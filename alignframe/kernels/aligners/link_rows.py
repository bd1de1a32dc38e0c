"""Counting the links of an alignment by word pair, and sharing counts among forms of a stem.

    pseudo-count(s, t) = strength * (links of both stems - links(s, t)) / (1 + links of s's stem)

so that a rare form is translated like the other forms of its stem, and a frequent one by its own
counts. It is given to the words t in the sentence pairs of s. Source words are processed by stem,
in blocks, so that an array by target word has all counts of a source word, and little is sorted at
a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F64, I16, I32, I64
from alignframe.kernels.aligners.link_table import Rows
from alignframe.kernels.arrays import grown
from alignframe.kernels.jit import jit

_AT_A_TIME = 1 << 22
"""The number of occurrences of source words that are sorted at a time."""


class Sides(NamedTuple):
    """Sentence pairs: s has the words ``src[src_at[s] : src_at[s + 1]]``, alike of the target."""

    src_at: I64
    src: I32
    tgt_at: I64
    tgt: I32

    @property
    def pairs(self) -> int:
        """The number of pairs of positions."""
        return int(np.diff(self.src_at) @ np.diff(self.tgt_at))

    def part(self, low: int, high: int) -> Sides:
        """Return the sentences ``low <= s < high``, their words not copied."""
        return self._replace(src_at=self.src_at[low : high + 1], tgt_at=self.tgt_at[low : high + 1])


class ByStem(NamedTuple):
    """The forms of stems: group g has the source words ``order[at[g] : at[g + 1]]``.

    Target word t has the stem ``stems[t]``, whose forms are ``tgt_order[tgt_at[k] : tgt_at[k +
    1]]`` for the stem k.
    """

    order: I32
    at: I64
    stems: I32
    tgt_order: I32
    tgt_at: I64


@jit
def count_opposite(sides: Sides, n_src: int, n_tgt: int) -> I64:
    """Return the number of distinct target words in the sentence pairs of each source word."""
    src_at, src, tgt_at, tgt = sides
    order = np.empty(n_src, np.int32)
    for w in range(n_src):
        order[w] = w
    n_met = np.zeros(n_src, np.int64)
    met = np.full(n_tgt, -1, np.int32)
    frequency = _frequency(src_at, src, n_src)
    low = 0
    while low < n_src:
        high = _block(frequency, order, low)
        places, sentences = _occurrences(src_at, src, order, low, high, frequency)
        for w in range(low, high):
            for k in range(places[w - low], places[w - low + 1]):
                s = sentences[k]
                for t in tgt[tgt_at[s] : tgt_at[s + 1]]:
                    n_met[w] += met[t] != w
                    met[t] = w
        low = high
    return n_met


@jit
def find_opposite(sides: Sides, starts: I64, targets: I32, n_tgt: int) -> I32:
    """Return 1 for each target word of a source word's row that is in one of its pairs, or 0."""
    src_at, src, tgt_at, tgt = sides
    n_src = len(starts) - 1
    order = np.empty(n_src, np.int32)
    for w in range(n_src):
        order[w] = w
    are_met = np.zeros(len(targets), np.int32)
    met = np.full(n_tgt, -1, np.int32)
    frequency = _frequency(src_at, src, n_src)
    low = 0
    while low < n_src:
        high = _block(frequency, order, low)
        places, sentences = _occurrences(src_at, src, order, low, high, frequency)
        for w in range(low, high):
            if starts[w] == starts[w + 1]:
                continue
            for k in range(places[w - low], places[w - low + 1]):
                s = sentences[k]
                for t in tgt[tgt_at[s] : tgt_at[s + 1]]:
                    met[t] = w
            for c in range(starts[w], starts[w + 1]):
                are_met[c] = met[targets[c]] == w
        low = high
    return are_met


@jit
def count_links(
    sides: Sides,
    place: I16,
    forms: ByStem,
    strength: float,
    start: Rows,
    start_totals: F64,
    alpha: float,
    totals: F64,
) -> Rows:
    """Return the count of each linked word pair, and of those with pseudo-counts other than alpha.

    ``start`` has the pairs that begin with more than ``alpha``. ``totals``, the links of NULL and
    of each source word, gain the pseudo-counts.
    """
    src_at, src, tgt_at, tgt = sides
    order, group_at, stems, tgt_order, tgt_forms = forms
    start_at, start_size, start_targets, start_values = start
    n_src, n_tgt = order.size, stems.size
    frequency = _frequency(src_at, src, n_src)
    row_at, row_size = np.zeros(n_src, np.int64), np.zeros(n_src, np.int32)
    targets, values = np.empty(1 << 16, np.int32), np.empty(1 << 16, np.float32)
    n = 0
    own, opposite = np.zeros(n_tgt, np.float32), np.zeros(n_tgt, np.float32)
    listed = np.empty(n_tgt, np.int32)
    stem_links = np.zeros(tgt_forms.size - 1, np.float32)
    linked_stems = np.empty(tgt_forms.size - 1, np.int32)
    low, g = 0, 0
    while low < n_src:
        high = _block(frequency, order, low)
        # Forms of a stem stay together.
        last = g
        while group_at[last] < high:
            last += 1
        high = group_at[last]
        link_places, links = _links(sides, place, order, low, high, totals)
        places, sentences = np.empty(0, np.int64), np.empty(0, np.int32)
        if strength > 0:
            places, sentences = _occurrences(src_at, src, order, low, high, frequency)
        while g < last:
            n_stems, several = 0, group_at[g + 1] - group_at[g] > 1
            total = 1.0
            if strength > 0:
                for r in range(group_at[g], group_at[g + 1]):
                    total += totals[order[r] + 1]
                for k in range(link_places[group_at[g] - low], link_places[group_at[g + 1] - low]):
                    stem = stems[links[k]]
                    if stem_links[stem] == 0:
                        linked_stems[n_stems] = stem
                        n_stems += 1
                        several |= tgt_forms[stem + 1] - tgt_forms[stem] > 1
                    stem_links[stem] += 1
                for k in range(n_stems):
                    stem = linked_stems[k]
                    for q in range(tgt_forms[stem], tgt_forms[stem + 1]):
                        opposite[tgt_order[q]] = stem_links[stem]
            worth = np.float32(strength / total)
            for r in range(group_at[g], group_at[g + 1]):
                w = order[r]
                n_listed = 0
                for k in range(link_places[r - low], link_places[r - low + 1]):
                    t = links[k]
                    if own[t] == 0:
                        listed[n_listed] = t
                        n_listed += 1
                    own[t] += 1
                n_linked = n_listed
                if n_stems and several:
                    for k in range(n_listed):
                        opposite[listed[k]] -= own[listed[k]]
                    for k in range(places[r - low], places[r - low + 1]):
                        s = sentences[k]
                        for t in tgt[tgt_at[s] : tgt_at[s + 1]]:
                            # More links than its own: another form has some. Negative once met.
                            if opposite[t] > 0:
                                opposite[t] = -opposite[t]
                                if own[t] == 0:
                                    listed[n_listed] = t
                                    n_listed += 1
                targets = grown(targets, n + n_listed + start_size[w])
                values = grown(values, n + n_listed + start_size[w])
                row_at[w] = n
                for k in range(n_listed):
                    t = listed[k]
                    count = own[t]
                    if opposite[t] < 0:
                        more = -opposite[t] * worth
                        totals[w + 1] += more
                        count += more
                        opposite[t] = -opposite[t]
                    targets[n + k], values[n + k] = t, count
                    if n_stems and several and k < n_linked:
                        opposite[t] += own[t]
                    # Where it is, until the pairs of ``start`` have been added.
                    own[t] = -1 - k
                size = n_listed
                for c in range(start_at[w], start_at[w] + start_size[w]):
                    t = start_targets[c]
                    if own[t] < 0:
                        values[n - 1 - np.int64(own[t])] += start_values[c]
                        own[t] = 0
                    else:
                        targets[n + size], values[n + size] = t, start_values[c]
                        size += 1
                for k in range(n_listed):
                    if own[listed[k]] < 0:
                        values[n + k] += alpha
                        own[listed[k]] = 0
                row_size[w] = size
                n += size
                totals[w + 1] += start_totals[w + 1]
            for k in range(n_stems):
                stem = linked_stems[k]
                stem_links[stem] = 0
                for q in range(tgt_forms[stem], tgt_forms[stem + 1]):
                    opposite[tgt_order[q]] = 0
            g += 1
        low = high
    totals[0] += start_totals[0]
    return Rows(row_at, row_size, targets[:n].copy(), values[:n].copy())


@jit
def _frequency(at: I64, words: I32, n_words: int) -> I64:
    """Return how often each word occurs."""
    frequency = np.zeros(n_words, np.int64)
    for w in words[at[0] : at[-1]]:
        frequency[w] += 1
    return frequency


@jit
def _block(frequency: I64, order: I32, low: int) -> int:
    """Return the end of a block of words: at least one, and as many as are sorted at a time."""
    high, n = low + 1, frequency[order[low]]
    while high < len(order) and n + frequency[order[high]] <= _AT_A_TIME:
        n += frequency[order[high]]
        high += 1
    return high


@jit
def _ranks(order: I32, low: int, high: int) -> I32:
    """Return the place in a block of each word, or -1."""
    ranks = np.full(len(order), -1, np.int32)
    for r in range(low, high):
        ranks[order[r]] = r - low
    return ranks


@jit
def _occurrences(
    src_at: I64, src: I32, order: I32, low: int, high: int, frequency: I64
) -> tuple[I64, I32]:
    """Return the sentences of each word of a block, in text order, and where each word's begin."""
    ranks = _ranks(order, low, high)
    places = np.zeros(high - low + 1, np.int64)
    for r in range(low, high):
        places[r - low + 1] = places[r - low] + frequency[order[r]]
    fill = np.empty(len(places), np.int64)
    for r in range(len(places)):
        fill[r] = places[r]
    sentences = np.empty(places[-1], np.int32)
    for s in range(len(src_at) - 1):
        for w in src[src_at[s] : src_at[s + 1]]:
            r = ranks[w]
            if r >= 0:
                sentences[fill[r]] = s
                fill[r] += 1
    return places, sentences


@jit
def _links(
    sides: Sides, place: I16, order: I32, low: int, high: int, totals: F64
) -> tuple[I64, I32]:
    """Return the target words linked to each word of a block, and where each word's begin."""
    src_at, src, tgt_at, tgt = sides
    ranks = _ranks(order, low, high)
    places = np.zeros(high - low + 1, np.int64)
    for r in range(low, high):
        places[r - low + 1] = places[r - low] + np.int64(totals[order[r] + 1])
    fill = places.copy()
    words = np.empty(places[-1], np.int32)
    for s in range(src_at.size - 1):
        for k in range(tgt_at[s], tgt_at[s + 1]):
            i = np.int64(place[k])
            if i >= 0:
                r = ranks[src[src_at[s] + i]]
                if r >= 0:
                    words[fill[r]] = tgt[k]
                    fill[r] += 1
    return places, words
