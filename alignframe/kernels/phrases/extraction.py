"""Phrase pairs consistent with links (Carl & Fissaha 2003; Koehn, Och & Marcu 2003).

A pair of spans is *closed* (consistent) if it contains a link and no link crosses its borders:

    for all links (i, j): s <= i <= e if and only if t <= j <= u

``minimal`` phrases are the smallest closed pair around each link, ``exhaustive`` ones all closed
pairs whose border words are linked, and those of ``moses`` may have unlinked words at their
borders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, U16, Links
from alignframe.core.choices import PHRASE_KINDS
from alignframe.kernels.arrays import sort
from alignframe.kernels.jit import jit

KINDS = PHRASE_KINDS
MOSES_LENGTH = 7
"""The longest phrase, in words of either side, that Moses extracts by default."""

MOST = 1 << 27
"""The maximum number of phrases per call: two gigabytes of spans."""

_NOWHERE = 1 << 20


class Phrases(NamedTuple):
    """Phrases of n sentences: row r has ``spans[:, offsets[r] : offsets[r + 1]]``.

    ``spans`` has the shape (4, phrases): source start and end, target start and end, half-open; the
    phrases of a row are sorted and distinct. ``overflow`` is the row at which their number exceeded
    ``MOST``, or -1.
    """

    offsets: I64
    spans: I32
    overflow: int


def extract(links: Links, kind: str, max_length: I64, src_length: I64, tgt_length: I64) -> Phrases:
    """Return the phrases of every sentence; Sure and Possible links count alike.

    Per sentence, ``max_length`` is the maximum phrase length in words, on both sides; the lengths
    of the sentence are used only by ``moses``: if negative or too short, it ends with its last
    aligned word.
    """
    plain = links.starts, links.ends, links.i, links.j
    if kind == "minimal":
        return Phrases(*_minimal(*plain, max_length))
    loose = kind == "moses"
    return Phrases(*_closed(*plain, loose, max_length, src_length, tgt_length))


@jit
def _limits(i: U16, j: U16, n_src: int, n_tgt: int, first: I32, last: I32) -> None:
    """Fill the first and last partner of every source word, then of every target word."""
    first[: n_src + n_tgt] = _NOWHERE
    last[: n_src + n_tgt] = -1
    for k in range(i.size):
        s, t = np.int32(i[k]), np.int32(j[k])
        first[s] = min(first[s], t)
        last[s] = max(last[s], t)
        first[n_src + t] = min(first[n_src + t], s)
        last[n_src + t] = max(last[n_src + t], s)


@jit
def _reach(i: U16, j: U16) -> tuple[int, int]:
    """Return one past the last aligned word on each side."""
    n_src, n_tgt = 0, 0
    for k in range(i.size):
        n_src = max(n_src, np.int64(i[k]) + 1)
        n_tgt = max(n_tgt, np.int64(j[k]) + 1)
    return n_src, n_tgt


@jit
def _wider(spans: I32) -> I32:
    """Return a copy of spans with room for twice as many."""
    wide = np.empty((4, 2 * spans.shape[1]), np.int32)
    for side in range(4):  # Numba takes three seconds to compile an assignment in two dimensions
        for k in range(spans.shape[1]):
            wide[side, k] = spans[side, k]
    return wide


@jit
def _minimal(starts: I64, ends: I64, i: U16, j: U16, max_length: I64) -> tuple[I64, I32, int]:
    """Close every aligned source word: all its links share one smallest closed pair."""
    rows = starts.size
    offsets = np.zeros(rows + 1, np.int64)
    spans = np.empty((4, max(1024, i.size)), np.int32)
    first = np.empty(1024, np.int32)
    last = np.empty(1024, np.int32)
    keys = np.empty(1024, np.uint64)
    n = 0
    for r in range(rows):
        row_i, row_j = i[starts[r] : ends[r]], j[starts[r] : ends[r]]
        n_src, n_tgt = _reach(row_i, row_j)
        if n_src + n_tgt > first.size:
            first = np.empty(2 * (n_src + n_tgt), np.int32)
            last = np.empty(2 * (n_src + n_tgt), np.int32)
            keys = np.empty(2 * (n_src + n_tgt), np.uint64)
        _limits(row_i, row_j, n_src, n_tgt, first, last)
        src_first, src_last = first[:n_src], last[:n_src]
        tgt_first, tgt_last = first[n_src : n_src + n_tgt], last[n_src : n_src + n_tgt]
        n_found = 0
        for word in range(n_src):
            if src_last[word] < 0:
                continue
            # Both spans grow until neither has a word with a partner outside the other.
            s, e = word, word
            t, u = src_first[word], src_last[word]
            new_low, new_high = t, u
            seen_low, seen_high = t, t - 1  # target words whose partners are already included
            while True:
                a, b = s, e
                while seen_high < new_high:
                    seen_high += 1
                    a = min(a, tgt_first[seen_high])
                    b = max(b, tgt_last[seen_high])
                while seen_low > new_low:
                    seen_low -= 1
                    a = min(a, tgt_first[seen_low])
                    b = max(b, tgt_last[seen_low])
                if a == s and b == e:
                    break
                for k in range(a, s):
                    new_low = min(new_low, src_first[k])
                    new_high = max(new_high, src_last[k])
                for k in range(e + 1, b + 1):
                    new_low = min(new_low, src_first[k])
                    new_high = max(new_high, src_last[k])
                s, e = a, b
            if max(e - s, new_high - new_low) < max_length[r]:
                # Spans as one number, 16 bits each with inclusive ends, sort by all four and show
                # repeats.
                keys[n_found] = (
                    (np.uint64(s) << np.uint64(48))
                    | (np.uint64(e) << np.uint64(32))
                    | (np.uint64(new_low) << np.uint64(16))
                    | np.uint64(new_high)
                )
                n_found += 1
        sort(keys, n_found)
        while n + n_found > spans.shape[1]:
            spans = _wider(spans)
        for k in range(n_found):
            if k > 0 and keys[k] == keys[k - 1]:
                continue
            spans[0, n] = np.int64(keys[k] >> np.uint64(48))
            spans[1, n] = np.int64(keys[k] >> np.uint64(32)) % 65536 + 1
            spans[2, n] = np.int64(keys[k] >> np.uint64(16)) % 65536
            spans[3, n] = np.int64(keys[k]) % 65536 + 1
            n += 1
        offsets[r + 1] = n
        if n > MOST:
            return offsets, spans[:, :0], r
    return offsets, spans[:, :n], -1


@jit
def _closed(
    starts: I64,
    ends: I64,
    i: U16,
    j: U16,
    loose: bool,
    max_length: I64,
    src_length: I64,
    tgt_length: I64,
) -> tuple[I64, I32, int]:
    """List every closed pair; unless ``loose``, only those whose border words are aligned.

    From each first source word, the source span grows to the right. Its target span grows with it,
    so every word is visited once per first word; a target word with a partner on the left ends the
    growth.
    """
    rows = starts.size
    offsets = np.zeros(rows + 1, np.int64)
    spans = np.empty((4, max(1024, 4 * i.size)), np.int32)
    first = np.empty(1024, np.int32)
    last = np.empty(1024, np.int32)
    n = 0
    for r in range(rows):
        row_i, row_j = i[starts[r] : ends[r]], j[starts[r] : ends[r]]
        n_src, n_tgt = _reach(row_i, row_j)
        if loose:
            n_src, n_tgt = max(n_src, src_length[r]), max(n_tgt, tgt_length[r])
        if n_src + n_tgt > first.size:
            first = np.empty(2 * (n_src + n_tgt), np.int32)
            last = np.empty(2 * (n_src + n_tgt), np.int32)
        _limits(row_i, row_j, n_src, n_tgt, first, last)
        src_first, src_last = first[:n_src], last[:n_src]
        tgt_first, tgt_last = first[n_src : n_src + n_tgt], last[n_src : n_src + n_tgt]
        longest = max_length[r]
        for s in range(n_src):
            if src_last[s] < 0 and not loose:
                continue
            # The target span of the linked words from s to e, inclusive; empty so far.
            t, u = _NOWHERE, -1
            low, high = _NOWHERE, -1  # partners of the target words from t to u
            for e in range(s, min(n_src, s + longest)):
                if src_last[e] >= 0:
                    new_t, new_u = min(t, src_first[e]), max(u, src_last[e])
                    # It only grows with e, so no longer source span fits, either.
                    if new_u - new_t >= longest:
                        break
                    if u < 0:
                        t, u = new_t, new_t - 1
                    for k in range(new_t, t):
                        low, high = min(low, tgt_first[k]), max(high, tgt_last[k])
                    for k in range(u + 1, new_u + 1):
                        low, high = min(low, tgt_first[k]), max(high, tgt_last[k])
                    t, u = new_t, new_u
                    # A target word is linked to the left of s, which no growth to the right
                    # includes.
                    if low < s:
                        break
                elif not loose:
                    continue
                # Not closed yet: a target word is linked to the right of e.
                if u < 0 or high > e:
                    continue
                start, end = t, u + 1
                # Unlinked words beside the target span, on either side, in all combinations that
                # are short enough.
                if loose:
                    while start > 0 and tgt_last[start - 1] < 0 and u - start + 1 < longest:
                        start -= 1
                    while end < n_tgt and tgt_last[end] < 0 and end - t < longest:
                        end += 1
                while n + (t - start + 1) * (end - u) > spans.shape[1]:
                    spans = _wider(spans)
                for a in range(start, t + 1):
                    for b in range(u + 1, min(end, a + longest) + 1):
                        spans[0, n] = s
                        spans[1, n] = e + 1
                        spans[2, n] = a
                        spans[3, n] = b
                        n += 1
                if n > MOST:
                    return offsets, spans[:, :0], r
        offsets[r + 1] = n
    return offsets, spans[:, :n], -1


@jit
def count_null_links(
    starts: I64, ends: I64, i: U16, j: U16, src_length: I64, tgt_length: I64
) -> I64:
    """Return the number of unaligned words on both sides, shape (rows,).

    If a length is negative, the sentence ends with its last aligned word.
    """
    rows = starts.size
    out = np.zeros(rows, np.int64)
    linked = np.zeros(1024, np.bool_)
    for r in range(rows):
        row_i, row_j = i[starts[r] : ends[r]], j[starts[r] : ends[r]]
        n_src, n_tgt = _reach(row_i, row_j)
        n_src, n_tgt = max(n_src, src_length[r]), max(n_tgt, tgt_length[r])
        if n_src + n_tgt > linked.size:
            linked = np.zeros(2 * (n_src + n_tgt), np.bool_)
        linked[: n_src + n_tgt] = False
        for k in range(row_i.size):
            linked[row_i[k]] = True
            linked[n_src + row_j[k]] = True
        for k in range(n_src + n_tgt):
            out[r] += not linked[k]
    return out
