"""Counting co-occurring words in sentence pairs, one source word at a time.

    count(s, t) = sum over sentence pairs of 1 if both words occur in it        by types
                                             min(n(s), n(t))                    by tokens

For each source word, the target words of its sentences are summed in a dense row, so that only one
row of the matrix is in memory. Words are numbered from 0 in byte order; sentence s has the words
``offsets[s] <= k < offsets[s + 1]``. A mask (see ``kernels.lexicon.masks``) leaves out pairs of
positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, U64
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.jit import jit

_AHEAD = 64
"""Sentences fetched ahead."""


@jit
def sentence_types(offsets: I64, words: I32, n_words: int, counted: bool) -> tuple[I64, I32, I32]:
    """Return the distinct words of each sentence and, if ``counted``, their counts.

    Sentence s has ``types[at[s] : at[s + 1]]``.
    """
    seen = np.full(n_words, -1, np.int64)
    at = np.zeros(offsets.size, np.int64)
    types = np.empty(words.size, np.int32)
    times = np.empty(words.size if counted else 0, np.int32)
    n = 0
    for s in range(offsets.size - 1):
        first = n
        for word in words[offsets[s] : offsets[s + 1]]:
            place = seen[word]
            # Seen in an earlier sentence, or never: ``seen`` needs no reset.
            if place < first:
                place = n
                seen[word] = n
                types[n] = word
                if counted:
                    times[n] = 0
                n += 1
            if counted:
                times[place] += 1
        at[s + 1] = n
    return at, types[:n], times[: n if counted else 0]


@jit
def invert(offsets: I64, words: I32, n_words: int, placed: bool) -> tuple[I64, I32, I32]:
    """Return the occurrences of each word: ``starts[w] <= p < starts[w + 1]``.

    Place p is in sentence ``sentence[p]`` and, if ``placed``, at ``place[p]`` in ``words``; they
    ascend.
    """
    starts = np.zeros(n_words + 1, np.int64)
    for word in words:
        starts[word + 1] += 1
    for w in range(n_words):
        starts[w + 1] += starts[w]
    # Counting sort: where the next occurrence of each word goes.
    fill = starts[:-1].copy()
    sentence = np.empty(words.size, np.int32)
    place = np.empty(words.size if placed else 0, np.int32)
    for s in range(offsets.size - 1):
        for k in range(offsets[s], offsets[s + 1]):
            word = words[k]
            sentence[fill[word]] = s
            if placed:
                place[fill[word]] = k
            fill[word] += 1
    return starts, sentence, place


class Text(NamedTuple):
    """The occurrences of source words, and the target words of sentences.

    The words of a sentence are its types, but its tokens where tokens are counted under a mask.
    Where they are counted without one, ``src_times`` and ``tgt_times`` have the count of each type
    in its sentence. Arrays that a way of counting does not need are empty.
    """

    starts: I64
    sentence: I32
    place: I32
    src_at: I64
    src_times: I32
    tgt_at: I64
    tgt_words: I32
    tgt_times: I32
    n_tgt_words: int
    mask: U64
    mask_at: I64
    by_token: bool


class Scratch(NamedTuple):
    """Arrays with one element per target word: zeros, except ``touched`` and ``stamp`` (-1).

    ``ends`` and ``rows`` hold the places of sentences and masks that are fetched ahead.
    """

    row: I32
    touched: I32
    rows_with: I32
    columns_with: I32
    stamp: I64
    ends: I64
    rows: I64


@jit
def make_scratch(n_tgt_words: int) -> Scratch:
    """Return the scratch arrays for ``add_up``."""
    return Scratch(
        np.zeros(n_tgt_words, np.int32),
        np.empty(n_tgt_words + 1, np.int32),
        np.zeros(n_tgt_words, np.int32),
        np.zeros(n_tgt_words, np.int32),
        np.full(n_tgt_words, -1, np.int64),
        np.zeros(2 * _AHEAD + 1, np.int64),
        np.zeros(_AHEAD + 1, np.int64),
    )


@jit
def add_up(text: Text, s: int, scratch: Scratch) -> int:
    """Count the target words of source word s in ``scratch.row``; return how many are distinct.

    ``scratch.touched`` lists them. The caller must set the row back to zeros. A text with a mask
    has tokens.
    """
    sentences = text.sentence[text.starts[s] : text.starts[s + 1]]
    places = text.place[text.starts[s] : text.starts[s + 1]]
    if text.mask_at.size:
        return _add_tokens_left(
            sentences,
            places,
            text.src_at,
            text.tgt_at,
            text.tgt_words,
            text.mask,
            text.mask_at,
            scratch.row,
            scratch.touched,
            scratch.rows_with,
            scratch.columns_with,
            scratch.stamp,
        )
    if text.by_token:
        return _add_tokens(
            sentences,
            text.src_times[places],
            text.tgt_at,
            text.tgt_words,
            text.tgt_times,
            scratch.row,
            scratch.touched,
            scratch.ends,
        )
    return _add_types(
        sentences, text.tgt_at, text.tgt_words, scratch.row, scratch.touched, scratch.ends
    )


@jit
def add_up_both(left: Text, whole: Text, s: int, ours: Scratch, theirs: Scratch) -> int:
    """Count the target words of a source word that pass the filters in ``ours.row``.

    All of its target words are counted in ``theirs.row`` and listed in ``theirs.touched``; their
    number is returned. ``left`` has a mask, ``whole`` none.
    """
    # Tokens of a mask and types with counts are laid out differently: two passes.
    if left.by_token:
        add_up(left, s, ours)
        return add_up(whole, s, theirs)
    return _add_types_left(
        left.sentence[left.starts[s] : left.starts[s + 1]],
        left.place[left.starts[s] : left.starts[s + 1]],
        left.src_at,
        left.tgt_at,
        left.tgt_words,
        left.mask,
        left.mask_at,
        ours.row,
        theirs.row,
        theirs.touched,
        theirs.ends,
        theirs.rows,
    )


@jit
def _fetch(sentences: I32, tgt_at: I64, tgt_words: I32, ends: I64) -> int:
    """Record where the target words of sentences begin and end, and touch both ends.

    Sentences are far apart in memory: prefetching a few of them is nearly three times as fast as
    waiting for each when its words are counted.
    """
    for k in range(sentences.size):
        ends[2 * k] = tgt_at[sentences[k]]
        ends[2 * k + 1] = tgt_at[sentences[k] + 1]
    checksum = 0
    for k in range(sentences.size):
        checksum += tgt_words[ends[2 * k]] + tgt_words[ends[2 * k + 1] - 1]
    return checksum


@jit
def _add_types(
    sentences: I32, tgt_at: I64, tgt_words: I32, row: I32, touched: I32, ends: I64
) -> int:
    """Count the sentences of each target word."""
    n = 0
    for low in range(0, sentences.size, _AHEAD):
        block = sentences[low : low + _AHEAD]
        # Stored, so that the compiler does not remove the read.
        ends[-1] = _fetch(block, tgt_at, tgt_words, ends)
        for k in range(block.size):
            for t in tgt_words[ends[2 * k] : ends[2 * k + 1]]:
                # Written before it is known to be new, which saves a branch; hence one spare place
                # in it.
                touched[n] = t
                n += row[t] == 0
                row[t] += 1
    return n


@jit
def _add_tokens(
    sentences: I32,
    times: I32,
    tgt_at: I64,
    tgt_words: I32,
    tgt_times: I32,
    row: I32,
    touched: I32,
    ends: I64,
) -> int:
    """Count the smaller number of occurrences, of either word, in each sentence."""
    n = 0
    for low in range(0, sentences.size, _AHEAD):
        block = sentences[low : low + _AHEAD]
        ends[-1] = _fetch(block, tgt_at, tgt_words, ends)
        for k in range(block.size):
            for q in range(ends[2 * k], ends[2 * k + 1]):
                t = tgt_words[q]
                touched[n] = t
                n += row[t] == 0
                row[t] += min(times[low + k], tgt_times[q])
    return n


@jit
def _add_types_left(
    sentences: I32,
    places: I32,
    src_at: I64,
    tgt_at: I64,
    tgt_words: I32,
    mask: U64,
    mask_at: I64,
    row: I32,
    whole: I32,
    touched: I32,
    ends: I64,
    rows: I64,
) -> int:
    """Count all target words in ``whole``, and those left by the mask in ``row``."""
    n = 0
    for low in range(0, sentences.size, _AHEAD):
        block = sentences[low : low + _AHEAD]
        ends[-1] = _fetch(block, tgt_at, tgt_words, ends)
        checksum = 0
        for k in range(block.size):
            # Where the row of this source word begins in the sentence pair's mask.
            wide = (ends[2 * k + 1] - ends[2 * k] + 63) >> 6
            rows[k] = mask_at[block[k]] + (places[low + k] - src_at[block[k]]) * wide
        for k in range(block.size):
            checksum ^= np.int64(mask[rows[k]])
        # Stored, so that the compiler does not remove the reads, which fetch the masks.
        rows[-1] = checksum
        for k in range(block.size):
            at = rows[k]
            for begin in range(ends[2 * k], ends[2 * k + 1], 64):
                bits = np.int64(mask[at])  # signed: numba adds unsigned numbers as floats
                at += 1
                for t in tgt_words[begin : min(begin + 64, ends[2 * k + 1])]:
                    touched[n] = t
                    n += whole[t] == 0
                    whole[t] += 1
                    row[t] += bits & 1
                    bits >>= 1
    return n


@jit
def _add_tokens_left(
    sentences: I32,
    places: I32,
    src_at: I64,
    tgt_at: I64,
    tgt_words: I32,
    mask: U64,
    mask_at: I64,
    row: I32,
    touched: I32,
    rows_with: I32,
    columns_with: I32,
    stamp: I64,
) -> int:
    """Add the smaller number of occurrences, of either word, with the other as a candidate."""
    n = 0
    k = 0
    while k < sentences.size:
        # The positions of the source word in one sentence follow each other.
        s, end = sentences[k], k + 1
        while end < sentences.size and sentences[end] == s:
            end += 1
        wide = (tgt_at[s + 1] - tgt_at[s] + 63) >> 6
        for p in range(k, end):
            for w in range(wide):
                bits = mask[mask_at[s] + (places[p] - src_at[s]) * wide + w]
                while bits:
                    t = tgt_words[tgt_at[s] + 64 * w + lowest_bit(bits)]
                    bits &= bits - np.uint64(1)
                    # A repeated target word counts once for each position of the source word.
                    if stamp[t] != places[p]:
                        stamp[t] = places[p]
                        rows_with[t] += 1
        # First the positions of each target word are counted; then its first one adds it, and
        # clears.
        for adding in (False, True):
            for w in range(wide):
                bits = np.uint64(0)
                for p in range(k, end):
                    bits |= mask[mask_at[s] + (places[p] - src_at[s]) * wide + w]
                while bits:
                    t = tgt_words[tgt_at[s] + 64 * w + lowest_bit(bits)]
                    bits &= bits - np.uint64(1)
                    if not adding:
                        columns_with[t] += 1
                    elif columns_with[t]:
                        touched[n] = t
                        n += row[t] == 0
                        row[t] += min(rows_with[t], columns_with[t])
                        rows_with[t] = 0
                        columns_with[t] = 0
        k = end
    return n
