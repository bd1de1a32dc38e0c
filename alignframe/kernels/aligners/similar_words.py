"""Similarly spelt words that occur in the same sentence pair of a bitext.

    similarity = (LCSR - cutoff) / (1 - cutoff), if above 0

where LCSR is the longest common subsequence over the length of the longer word (Melamed 1995,
section 4.3). Pairs of words are compared only if their sets of letters allow a subsequence that
long, and once in a block of sentences, however often they occur in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32, I64, U64
from alignframe.kernels.cells import occurrences_of
from alignframe.kernels.jit import jit
from alignframe.kernels.lexicon.cognates import Spelt, common_letters, count_bits, put_letters

AT_A_TIME = 1000
"""Number of sentence pairs processed at a time."""

_REPEATED = 1 << 20
"""Once there are as many more pairs of words, those found before are left out."""


class Similar(NamedTuple):
    """Source word w is similar to ``targets[c]`` for ``starts[w] <= c < starts[w + 1]``.

    ``degrees[c]`` is the similarity: above 0, and 1 for equal words.
    """

    starts: I64
    targets: I32
    degrees: F32


class _Listed(NamedTuple):
    """Target words of sentences: the strict ones first, and from ``others[s]`` on the others.

    ``sets`` has each word's set of letters, ``repeated`` the number of repeated letters, and
    ``needed`` the letters that it must share with a word of its length.
    """

    words: I32
    sets: U64
    needed: I64
    repeated: I64
    others: I64


@jit
def find_opposite(
    src_at: I64,
    src: I32,
    tgt_at: I64,
    tgt: I32,
    src_spelt: Spelt,
    tgt_spelt: Spelt,
    n_letters: int,
    cutoff: float,
) -> Similar:
    """Find the target words in the sentence pairs of a source word that are spelt similarly.

    Similarity grows from 0, if the longest common subsequence has ``cutoff`` times the letters of
    the longer word, to 1 for equal words. Strict words are similar only to equal ones.
    """
    n_src, n_tgt = len(src_spelt.at) - 1, len(tgt_spelt.at) - 1
    longest = 1
    for s in range(len(tgt_at) - 1):
        longest = max(longest, tgt_at[s + 1] - tgt_at[s])
    letters = np.zeros(max(n_letters, 1), np.uint64)
    scratch = np.empty(longest + 1, np.int32), np.empty(n_tgt, np.int32), letters
    alike_pairs = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)
    n, most = 0, _REPEATED
    # In blocks of sentences, whose words stay in the cache.
    for low in range(0, len(src_at) - 1, AT_A_TIME):
        high = min(low + AT_A_TIME, len(src_at) - 1)
        block_at = tgt_at[low : high + 1]
        listed = _list(block_at, tgt, tgt_spelt, cutoff)
        occurrences = occurrences_of(src_at[low : high + 1], src, n_src)
        alike_pairs, n = _add(
            block_at, occurrences, listed, src_spelt, tgt_spelt, cutoff, scratch, alike_pairs, n
        )
        if n > most:
            starts, targets, degrees = _sorted(alike_pairs, n, n_src, scratch[1])
            sources = np.empty(targets.size, np.int32)
            for w in range(n_src):
                sources[starts[w] : starts[w + 1]] = w
            alike_pairs, n = (sources, targets, degrees), targets.size
            most = 2 * n + _REPEATED
    return _sorted(alike_pairs, n, n_src, scratch[1])


@jit
def _list(tgt_at: I64, tgt: I32, spelt: Spelt, cutoff: float) -> _Listed:
    """Return the target words of each sentence with bounds for rejecting pairs."""
    ends, strict, every = spelt.at, spelt.strict, spelt.sets
    origin = tgt_at[0]
    size = tgt_at[-1] - origin
    words, sets = np.empty(size, np.int32), np.empty(size, np.uint64)
    needed, repeated = np.empty(size, np.int64), np.empty(size, np.int64)
    others = np.zeros(len(tgt_at) - 1, np.int64)
    n = 0
    for s in range(len(others)):
        for now in (True, False):
            if not now:
                others[s] = n
            for k in range(tgt_at[s], tgt_at[s + 1]):
                t = tgt[k]
                if strict[t] == now:
                    words[n], sets[n] = t, every[t]
                    wide = ends[t + 1] - ends[t]
                    needed[n] = np.int64(np.ceil(cutoff * wide))
                    repeated[n] = wide - count_bits(every[t])
                    n += 1
    return _Listed(words, sets, needed, repeated, others)


@jit
def _add(
    tgt_at: I64,
    occurrences: tuple[I64, I32, I32],
    listed: _Listed,
    src: Spelt,
    tgt: Spelt,
    cutoff: float,
    scratch: tuple[I32, I32, U64],
    alike_pairs: tuple[I32, I32, F32],
    n: int,
) -> tuple[tuple[I32, I32, F32], int]:
    """Append the pairs of some sentences to the first n of ``alike_pairs``; return both anew.

    ``scratch`` has room for the target words of a sentence, for the vocabulary, and for letters.
    """
    places, sentence, _ = occurrences
    words, sets, needed, repeated, others = listed
    src_at, src_letters, src_sets, strict = src.at, src.letters, src.sets, src.strict
    ends, tgt_letters = tgt.at, tgt.letters
    candidates, last, letters = scratch
    sources, targets, degrees = alike_pairs
    for t in range(len(last)):
        last[t] = -1
    for w in range(len(places) - 1):
        if places[w] == places[w + 1]:
            continue
        begin, end = src_at[w], src_at[w + 1]
        src_size, src_set, src_strict = end - begin, src_sets[w], strict[w]
        # ``spare``: letters beyond one of each kind, which the bits of a set do not show.
        need, spare = np.int64(np.ceil(cutoff * src_size)), src_size - count_bits(src_set)
        put = False
        for at in range(places[w], places[w + 1]):
            s = sentence[at]
            # Strict words are similar only to strict ones.
            low = tgt_at[s] - tgt_at[0] if src_strict else others[s]
            high = others[s] if src_strict else tgt_at[s + 1] - tgt_at[0]
            n_candidates = 0
            if src_strict:
                for k in range(np.uint64(low), np.uint64(high)):
                    candidates[n_candidates] = words[k]
                    n_candidates += sets[k] == src_set
            else:
                for k in range(np.uint64(low), np.uint64(high)):
                    candidates[n_candidates] = words[k]
                    # A letter that the other word lacks is in no common subsequence.
                    most = count_bits(sets[k] & src_set) + min(repeated[k], spare)
                    n_candidates += most >= max(needed[k], need)
            for k in range(n_candidates):
                t = candidates[k]
                if last[t] == w:
                    continue
                # ``last`` holds the previous source word compared with each target word.
                last[t] = w
                # Letters are set up only for words with a candidate.
                if not put:
                    put_letters(src_letters, begin, end, letters, True)
                    put = True
                tgt_begin, tgt_end = ends[t], ends[t + 1]
                wide = max(src_size, tgt_end - tgt_begin)
                common = common_letters(
                    src_letters, begin, end, tgt_letters, tgt_begin, tgt_end, letters
                )
                if wide > 0 and common > cutoff * wide and (common == wide or not src_strict):
                    if n == len(sources):
                        sources, targets, degrees = _longer(sources, targets, degrees)
                    sources[n], targets[n] = w, t
                    degrees[n] = (common / wide - cutoff) / (1 - cutoff)
                    n += 1
        if put:
            put_letters(src_letters, begin, end, letters, False)
    return (sources, targets, degrees), n


@jit
def _longer(sources: I32, targets: I32, degrees: F32) -> tuple[I32, I32, F32]:
    """Return copies with room for as many pairs again, and 1024 at least."""
    n = len(sources)
    room = max(2 * n, 1024)
    longer = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.float32)
    for k in range(n):
        longer[0][k], longer[1][k], longer[2][k] = sources[k], targets[k], degrees[k]
    return longer


@jit
def _sorted(alike_pairs: tuple[I32, I32, F32], n: int, n_src: int, last: I32) -> Similar:
    """Return the first n pairs by source word, without repeats."""
    sources, targets, degrees = alike_pairs
    fill = np.zeros(n_src + 1, np.int64)
    for k in range(n):
        fill[sources[k] + 1] += 1
    for w in range(n_src):
        fill[w + 1] += fill[w]
    starts = np.empty(n_src + 1, np.int64)
    for w in range(n_src + 1):
        starts[w] = fill[w]
    order = np.empty(n, np.int64)
    for k in range(n):
        order[fill[sources[k]]] = k
        fill[sources[k]] += 1
    for t in range(len(last)):
        last[t] = -1
    sorted_targets, sorted_degrees = np.empty(n, np.int32), np.empty(n, np.float32)
    n_kept = 0
    for w in range(n_src):
        first = n_kept
        for c in range(starts[w], starts[w + 1]):
            k = order[c]
            # Pairs found in several blocks of sentences are kept once.
            if last[targets[k]] != w:
                last[targets[k]] = w
                sorted_targets[n_kept], sorted_degrees[n_kept] = targets[k], degrees[k]
                n_kept += 1
        starts[w] = first
    starts[n_src] = n_kept
    return Similar(starts, sorted_targets[:n_kept], sorted_degrees[:n_kept])


@jit
def turn(similar: Similar, n_tgt: int) -> Similar:
    """Return the transpose: for each of ``n_tgt`` target words, its source words."""
    src_starts, listed, listed_degrees = similar
    starts = np.zeros(n_tgt + 1, np.int64)
    for t in listed:
        starts[t + 1] += 1
    for t in range(n_tgt):
        starts[t + 1] += starts[t]
    # Counting sort by target word; source words stay in order.
    fill = np.empty(n_tgt, np.int64)
    for t in range(n_tgt):
        fill[t] = starts[t]
    targets, degrees = np.empty(len(listed), np.int32), np.empty(len(listed), np.float32)
    for w in range(len(src_starts) - 1):
        for c in range(src_starts[w], src_starts[w + 1]):
            t = listed[c]
            targets[fill[t]], degrees[fill[t]] = w, listed_degrees[c]
            fill[t] += 1
    return Similar(starts, targets, degrees)
