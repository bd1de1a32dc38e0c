"""Numbering the word pairs of a bitext, and the number of each pair of positions.

A translation table is an array with one value per pair of words that co-occur, a cell; models look
its values up by the cell of a pair of positions, stored once, so that no word is searched for.
Source row r has the cells ``starts[r] <= c < starts[r + 1]`` with their target words. Row 0 is
NULL, which is in every sentence, so its cells have the numbers of the target words; source word w
has row w + 1. Words are numbered from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, frozen
from alignframe.kernels.arrays import grown
from alignframe.kernels.jit import jit
from alignframe.kernels.small import call


class Pairing(NamedTuple):
    """Sentence pairs, and the cell of each pair of positions.

    Sentence s has the source words ``src[src_at[s] : src_at[s + 1]]``, similarly target words, and
    at source position i and target position j the cell ``cell[at[s] + j * n_src_words + i]``; the
    cell of NULL is the target word. There are ``n_cells`` cells.
    """

    src_at: I64
    src: I32
    tgt_at: I64
    tgt: I32
    at: I64
    cell: I32
    n_cells: int

    @property
    def sentences(self) -> int:
        """The number of sentence pairs."""
        return self.at.size - 1

    def part(self, low: int, high: int) -> Pairing:
        """Return the sentences ``low <= s < high``, their arrays not copied."""
        src_at, tgt_at, at = (
            frozen(bounds[low : high + 1]) for bounds in (self.src_at, self.tgt_at, self.at)
        )
        return self._replace(src_at=src_at, tgt_at=tgt_at, at=at)


def pair_up(
    src_at: I64, src: I32, tgt_at: I64, tgt: I32, n_src: int, n_tgt: int
) -> tuple[I64, I32, Pairing]:
    """Assign numbers to the word pairs of a bitext of ``n_src`` and ``n_tgt`` distinct words.

    Row s has the target words ``targets[starts[s] : starts[s + 1]]`` in order of first occurrence;
    NULL has all.
    """
    at = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(src_at) * np.diff(tgt_at))])
    cell = np.empty(at[-1], np.int32)
    sides = src_at, src, tgt_at, tgt, at, n_src, n_tgt, cell
    starts, targets = call(_pair_up, *sides, steps=cell.size + n_src + n_tgt)
    targets = targets.copy()  # without the spare room
    pairing = Pairing(src_at, src, tgt_at, tgt, frozen(at), cell, int(targets.size))
    return frozen(starts), frozen(targets), pairing


@jit
def occurrences_of(src_at: I64, src: I32, n_src: int) -> tuple[I64, I32, I32]:
    """Return the occurrences of source words by word: where each begins, sentences, positions.

    Those of word w are from ``places[w]`` to ``places[w + 1]``: a counting sort, so in text order.
    """
    first = src_at[0]
    places = np.zeros(n_src + 1, np.int64)
    for word in src[first : src_at[-1]]:
        places[word + 1] += 1
    # Counts become where each word's occurrences begin.
    for w in range(n_src):
        places[w + 1] += places[w]
    # Where the word's next occurrence goes.
    fill = np.empty(n_src, np.int64)
    for w in range(n_src):
        fill[w] = places[w]
    sentence = np.empty(src_at[-1] - first, np.int32)
    place = np.empty(src_at[-1] - first, np.int32)
    for s in range(len(src_at) - 1):
        for k in range(src_at[s], src_at[s + 1]):
            sentence[fill[src[k]]] = s
            place[fill[src[k]]] = k - src_at[s]
            fill[src[k]] += 1
    return places, sentence, place


@jit
def _pair_up(
    src_at: I64, src: I32, tgt_at: I64, tgt: I32, at: I64, n_src: int, n_tgt: int, cell: I32
) -> tuple[I64, I32]:
    """Return starts and targets; write the cells."""
    places, sentence, place = occurrences_of(src_at, src, n_src)
    starts = np.zeros(n_src + 2, np.int64)
    targets = np.empty(max(n_tgt, 1 << 16), np.int32)
    # NULL's cells.
    for t in range(n_tgt):
        targets[t] = t
    n = n_tgt
    starts[1] = n
    met = np.full(n_tgt, -1, np.int32)  # the cell of each target word with this source word
    for w in range(n_src):
        first = n
        for k in range(places[w], places[w + 1]):
            s = sentence[k]
            wide = src_at[s + 1] - src_at[s]
            here = at[s] + place[k]
            words = tgt[tgt_at[s] : tgt_at[s + 1]]
            targets = grown(targets, n + len(words))
            for t in words:
                c = met[t]
                # A cell of an earlier source word, or none: ``met`` needs no reset.
                if c < first:
                    c = n
                    met[t] = n
                    targets[n] = t
                    n += 1
                # Down the column of this source position.
                cell[here] = c
                here += wide
        starts[w + 2] = n
    return starts, targets[:n]


def localize(pairing: Pairing) -> tuple[Pairing, I32]:
    """Renumber the cells of a part from 0, so that arrays of counts need no room for others.

    The cells of the part's pairs are overwritten, because they are a text's largest array. The old
    number of cell c is ``own[c]``. NULL's cells, which come first, keep their numbers.
    """
    low, high = pairing.at[0], pairing.at[-1]
    n_null = int(pairing.tgt.max(initial=-1)) + 1
    cell = pairing.cell[low:high]
    new = np.full(pairing.n_cells, -1, np.int32)
    own = np.empty(min(pairing.n_cells, n_null + cell.size), np.int32)
    own[:n_null] = new[:n_null] = np.arange(n_null)
    own = frozen(own[: _localize(cell, new, own, n_null)].copy())
    at = frozen(pairing.at - low)
    return pairing._replace(at=at, cell=frozen(cell), n_cells=int(own.size)), own


@jit
def _localize(cells: I32, new: I32, own: I32, n: int) -> int:
    """Replace cells by new numbers; return how many there are now."""
    for k in range(cells.size):
        c = cells[k]
        if new[c] < 0:
            new[c] = n
            own[n] = c
            n += 1
        cells[k] = new[c]
    return n
