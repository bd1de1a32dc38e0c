"""Words of a bitext that are spelt alike and stand opposite one another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, I32, I64, U64
from alignframe.kernels.arrays import grown
from alignframe.kernels.cells import stand
from alignframe.kernels.cognates import Spelt, common_letters, count_bits, put_letters
from alignframe.kernels.jit import jit

AT_A_TIME = 1000
"""Sentences whose words are looked at together."""


class Alike(NamedTuple):
    """Source word w is like ``targets[c]`` by ``degrees[c]``, starts[w] <= c < starts[w + 1].

    Degrees are above 0, and 1 for equal words.
    """

    starts: I64
    targets: I32
    degrees: F32


class _Listed(NamedTuple):
    """Target words, first the strict ones of each sentence; from ``others[s]`` on the others.

    A word has its letters as a set, and repeats ``repeated`` of them; ``needed`` are those that it
    must have in common with a word of its length. All count from the first word.
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
) -> Alike:
    """Find the target words that are spelt like a source word and stand in its sentences.

    Two words are alike from 0, where their longest common subsequence has ``cutoff`` times the
    letters of the longer one, to 1, where they are equal. Strict words are like equal ones alone.
    """
    n_src, n_tgt = src_spelt.at.size - 1, tgt_spelt.at.size - 1
    longest = 1
    for s in range(tgt_at.size - 1):
        longest = max(longest, tgt_at[s + 1] - tgt_at[s])
    letters = np.zeros(max(n_letters, 1), np.uint64)
    room = np.empty(longest + 1, np.int32), np.empty(n_tgt, np.int32), letters
    found = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)
    n = 0
    # Some sentences at a time, so that their words are at hand.
    for low in range(0, src_at.size - 1, AT_A_TIME):
        high = min(low + AT_A_TIME, src_at.size - 1)
        theirs = tgt_at[low : high + 1]
        listed = _list(theirs, tgt, tgt_spelt, cutoff)
        stood = stand(src_at[low : high + 1], src, n_src)
        found, n = _add(theirs, stood, listed, src_spelt, tgt_spelt, cutoff, room, found, n)
    return _sorted(found, n, n_src, room[1])


@jit
def _list(tgt_at: I64, tgt: I32, spelt: Spelt, cutoff: float) -> _Listed:
    ends, strict, every = spelt.at, spelt.strict, spelt.sets
    origin = tgt_at[0]
    size = tgt_at[-1] - origin
    words, sets = np.empty(size, np.int32), np.empty(size, np.uint64)
    needed, repeated = np.empty(size, np.int64), np.empty(size, np.int64)
    others = np.zeros(tgt_at.size - 1, np.int64)
    n = 0
    for s in range(others.size):
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
    stood: tuple[I64, I32, I32],
    listed: _Listed,
    src: Spelt,
    tgt: Spelt,
    cutoff: float,
    room: tuple[I32, I32, U64],
    found: tuple[I32, I32, F32],
    n: int,
) -> tuple[tuple[I32, I32, F32], int]:
    """Add the pairs of some sentences to ``found``, which has n; return it with their number."""
    places, sentence, _ = stood
    words, sets, needed, repeated, others = listed
    src_at, src_letters, src_sets, strict = src.at, src.letters, src.sets, src.strict
    ends, tgt_letters = tgt.at, tgt.letters
    some, met, letters = room
    sources, targets, degrees = found
    met[:] = -1
    for w in range(places.size - 1):
        if places[w] == places[w + 1]:
            continue
        begin, end = src_at[w], src_at[w + 1]
        size, mine, only = end - begin, src_sets[w], strict[w]
        need, spare = np.int64(np.ceil(cutoff * size)), size - count_bits(mine)
        put = False
        for at in range(places[w], places[w + 1]):
            s = sentence[at]
            # What strict words are like is strict as well.
            low = tgt_at[s] - tgt_at[0] if only else others[s]
            high = others[s] if only else tgt_at[s + 1] - tgt_at[0]
            n_some = 0
            if only:
                for k in range(np.uint64(low), np.uint64(high)):
                    some[n_some] = words[k]
                    n_some += sets[k] == mine
            else:
                for k in range(np.uint64(low), np.uint64(high)):
                    some[n_some] = words[k]
                    # A letter that the other word lacks is in no common subsequence.
                    most = count_bits(sets[k] & mine) + min(repeated[k], spare)
                    n_some += most >= max(needed[k], need)
            for k in range(n_some):
                t = some[k]
                if met[t] == w:
                    continue
                met[t] = w
                if not put:
                    put_letters(src_letters, begin, end, letters, True)
                    put = True
                a, b = ends[t], ends[t + 1]
                wide = max(size, b - a)
                common = common_letters(src_letters, begin, end, tgt_letters, a, b, letters)
                if wide > 0 and common > cutoff * wide and (common == wide or not only):
                    if n == sources.size:
                        sources, targets = grown(sources, n + 1024), grown(targets, n + 1024)
                        degrees = grown(degrees, n + 1024)
                    sources[n], targets[n] = w, t
                    degrees[n] = (common / wide - cutoff) / (1 - cutoff)
                    n += 1
        if put:
            put_letters(src_letters, begin, end, letters, False)
    return (sources, targets, degrees), n


@jit
def _sorted(found: tuple[I32, I32, F32], n: int, n_src: int, met: I32) -> Alike:
    """Return the first n pairs of words by source word, each once."""
    sources, targets, degrees = found
    fill = np.zeros(n_src + 1, np.int64)
    for k in range(n):
        fill[sources[k] + 1] += 1
    for w in range(n_src):
        fill[w + 1] += fill[w]
    starts = fill.copy()
    order = np.empty(n, np.int64)
    for k in range(n):
        order[fill[sources[k]]] = k
        fill[sources[k]] += 1
    met[:] = -1
    ours, theirs = np.empty(n, np.int32), np.empty(n, np.float32)
    kept = 0
    for w in range(n_src):
        first = kept
        for c in range(starts[w], starts[w + 1]):
            k = order[c]
            if met[targets[k]] != w:
                met[targets[k]] = w
                ours[kept], theirs[kept] = targets[k], degrees[k]
                kept += 1
        starts[w] = first
    starts[n_src] = kept
    return Alike(starts, ours[:kept].copy(), theirs[:kept].copy())


@jit
def turn(alike: Alike, n_tgt: int) -> Alike:
    """Return the same for the ``n_tgt`` target words, each with its source words."""
    theirs, sources, given = alike
    starts = np.zeros(n_tgt + 1, np.int64)
    for t in sources:
        starts[t + 1] += 1
    for t in range(n_tgt):
        starts[t + 1] += starts[t]
    fill = starts[:-1].copy()
    targets, degrees = np.empty_like(sources), np.empty_like(given)
    for w in range(theirs.size - 1):
        for c in range(theirs[w], theirs[w + 1]):
            t = sources[c]
            targets[fill[t]], degrees[fill[t]] = w, given[c]
            fill[t] += 1
    return Alike(starts, targets, degrees)
