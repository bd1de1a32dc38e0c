"""Lexical evidence for beads: translations learnt in both directions, and cognates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from alignframe.beads.document import Document, DocumentSide
from alignframe.core.arrays import F32, F64, I32, I64, frozen
from alignframe.kernels.aligners.translation_tables import normalize
from alignframe.kernels.beads import scores as bead_scores
from alignframe.kernels.beads import word_scores as bead_words
from alignframe.kernels.beads.paths import REACH, Band, Steps
from alignframe.kernels.cells import pair_up
from alignframe.kernels.small import call

STEM = 4
"""The length of stems in letters: inflected forms share translations."""

TWIN_LETTERS = 4
"""The minimum length in letters of a word that counts as its own translation if it occurs on both
sides. Numbers and marks may be shorter."""

MIN_COUNT = 2
"""The minimum count of a word without twin to be distinguished from other rare words."""

ITERATIONS = 4

START = 5.0
"""A twin is initially 1 + this times as probable as another co-occurring word."""

TWIN = 12.0
"""The pseudo-count of a word with its twin."""

SPREAD = 4.0
"""The pseudo-count of a word with all words, distributed by their frequency."""

LEAST = 0.1
"""The minimum expected count of a word pair."""

FEW = 80
"""With this many beads to learn from, pseudo-counts are doubled; with fewer, they grow further."""

FOLDS = 4
"""The number of parts of a document; each is scored with words learnt from the others."""

BLOCK = (10, 80)
"""The minimum and maximum number of adjacent sentences assigned to one part."""

MAX_WORDS = 400
"""The maximum number of words on a side of a bead used for training."""

MAX_PAIRS = 12_000_000
"""The maximum number of word pairs for training, from evenly sampled beads."""

DIRECTION = 0.5
"""The weight of each direction's logarithms, which gives their mean."""


class Spans(NamedTuple):
    """Beads as spans of sentences."""

    src_start: I64
    src_end: I64
    tgt_start: I64
    tgt_end: I64

    @property
    def turned(self) -> Spans:
        """The same with the sides swapped."""
        return Spans(self.tgt_start, self.tgt_end, self.src_start, self.src_end)


@dataclass(frozen=True)
class Numbered:
    """One side of a document as word numbers, and their cognates on the other side."""

    at: I64
    words: I32
    twins: I32

    @property
    def size(self) -> int:
        """The number of distinct words."""
        return self.twins.size

    @cached_property
    def frequencies(self) -> F64:
        """The relative frequency of each word."""
        shares: F64 = np.bincount(self.words, minlength=self.size) / max(self.words.size, 1)
        return np.maximum(shares, 1e-12)

    def part(self, starts: I64, ends: I64) -> tuple[I64, I32]:
        """Return the words of some runs of sentences."""
        sizes = self.at[ends] - self.at[starts]
        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        places = np.arange(bounds[-1]) + np.repeat(self.at[starts] - bounds[:-1], sizes)
        return frozen(bounds), frozen(self.words[places])


def numbered(text: Document) -> tuple[Numbered, Numbered]:
    """Return both sides as numbers of stems."""
    forms = [stems(side) for side in (text.src, text.tgt)]
    kinds = [
        pl.DataFrame({"stem": stems_of_side}).unique(maintain_order=True) for stems_of_side in forms
    ]
    places = [stems_of_side.with_row_index("place") for stems_of_side in kinds]
    counts, words_of_sides = [], []
    for side, stems_of_side, place in zip((text.src, text.tgt), forms, places, strict=True):
        joined = pl.DataFrame({"stem": stems_of_side}).join(
            place, on="stem", how="left", maintain_order="left"
        )
        words = joined["place"].to_numpy().astype(np.int64)[side.numbers]
        counts.append(np.bincount(words, minlength=place.height))
        words_of_sides.append(words)
    # Stems of both sides that are equal are twins: cognates, names, numbers.
    both = places[0].join(places[1], on="stem", suffix="_tgt", maintain_order="left")
    alike = (pl.col("stem").str.len_chars() >= TWIN_LETTERS) | ~pl.col("stem").str.contains(
        r"\p{L}"
    )
    pairs = both.filter(alike).select("place", "place_tgt").to_numpy().astype(np.int64).T
    new = [_told_apart(some, pair) for some, pair in zip(counts, pairs, strict=True)]
    sides = []
    for own, other, words, mine, theirs, side in zip(
        new, new[::-1], words_of_sides, pairs, pairs[::-1], (text.src, text.tgt), strict=True
    ):
        twins = np.full(int(own.max(initial=-1)) + 1, -1, np.int32)
        twins[own[mine]] = other[theirs]
        sides.append(Numbered(side.at, frozen(own[words].astype(np.int32)), frozen(twins)))
    return sides[0], sides[1]


def stems(side: DocumentSide) -> pl.Series:
    """Return the first letters of each word of the vocabulary, without accents."""
    words = pl.Series("stem", side.vocabulary, dtype=pl.String)
    plain = words.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.normalize("NFC")
    return plain.str.slice(0, STEM)


def _told_apart(counts: I64, twins: I64) -> I64:
    """Return the number of each word; rare words without a cognate share one."""
    kept = counts >= MIN_COUNT
    kept[twins] = True
    return np.where(kept, np.cumsum(kept) - 1, kept.sum())


class Table(NamedTuple):
    """Translations of given words; see ``alignframe.kernels.beads.word_scores.add_words``."""

    starts: I64
    targets: I32
    gains: F32
    rest: F32
    null: F32
    twins: I32
    twin_gains: F32


def add_evidence(
    sides: tuple[Numbered, Numbered], band: Band, steps: Steps, beads: Spans, smoothing: float
) -> None:
    """Add lexical evidence to the scores of all beads, averaged over both directions."""
    # A bead used for training looks probable even if it is wrong, so each part of the document is
    # scored with translations learnt from the other parts.
    beads = _taken(sides, beads)
    rows = (band.lo, frozen(band.lo + np.diff(band.at) - 1))
    ways = (rows, call(bead_words.columns, *band, sides[1].at.size, steps=band.cells))
    for turned, ends in enumerate(ways):
        given, judged = sides[::-1] if turned else sides
        spans = beads.turned if turned else beads
        fold = _folds(given.at.size - 1, sides[0].at.size - 1)
        for part, table in _learnt(given, judged, spans, fold):
            call(
                bead_words.add_words,
                *band,
                steps.sizes,
                bool(turned),
                *(frozen(end) for end in ends),
                *(given.at, given.words, judged.at, judged.words),
                *table,
                smoothing,
                DIRECTION,
                fold,
                part,
                steps.scores,
                steps=_steps(given, judged, table.starts, band.cells),
            )


def _steps(given: Numbered, judged: Numbered, starts: I64, cells: int) -> int:
    """Return about how long ``add_words`` takes for a part of the document; see ``call``."""
    translations = given.words.size * float(np.diff(starts) @ given.frequencies)
    words = cells * judged.words.size / (judged.at.size - 1)
    # Four a microsecond, for each number of given sentences.
    return int((translations + words) * REACH / FOLDS / 4)


def _taken(sides: tuple[Numbered, Numbered], beads: Spans) -> Spans:
    """Return the beads from which translations are learnt."""
    src = sides[0].at[beads.src_end] - sides[0].at[beads.src_start]
    tgt = sides[1].at[beads.tgt_end] - sides[1].at[beads.tgt_start]
    kept = np.flatnonzero((src <= MAX_WORDS) & (tgt <= MAX_WORDS))
    every = -(-int((src * tgt)[kept].sum()) // MAX_PAIRS)
    return Spans(*(end[kept[:: max(every, 1)]] for end in beads))


def _folds(size: int, n_src: int) -> I32:
    """Return the part of each sentence on a side of ``size`` sentences, ``n_src`` of the source."""
    block = int(np.clip(n_src / FOLDS + 1, *BLOCK))
    # Runs of sentences take turns; both sides have as many, of proportional lengths.
    turn = np.arange(size) * n_src // max(size, 1) // block
    return frozen((turn % FOLDS).astype(np.int32))


def _learnt(
    given: Numbered, judged: Numbered, beads: Spans, fold: I32
) -> Iterator[tuple[int, Table]]:
    """Yield each part with translations learnt from the beads of the others."""
    own = fold[beads.src_start]
    order = np.argsort(own, kind="stable")
    bounds = np.searchsorted(own[order], np.arange(FOLDS + 1))
    runs = [
        side.part(*(end[order] for end in ends))
        for side, ends in ((given, beads[:2]), (judged, beads[2:]))
    ]
    starts, targets, p = pair_up(*runs[0], *runs[1], given.size, judged.size)
    rows = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    table, counts = np.empty(p.n_cells, np.float32), np.ones(p.n_cells)
    # Model 1 starts with twins as likelier translations.
    counts[starts[1] :] += START * (given.twins[rows[starts[1] :] - 1] == targets[starts[1] :])
    cells = p.n_cells // 8  # microseconds
    call(normalize, starts, counts, 0.0, table, steps=cells)
    for _ in range(ITERATIONS - 1):
        counts[:] = 0.0
        bead_scores.expect(p, 0, p.sentences, table, counts)
        call(normalize, starts, counts, 0.0, table, steps=cells)
    parts = np.zeros((FOLDS, p.n_cells))
    for part, some in enumerate(parts):
        bead_scores.expect(p, bounds[part], bounds[part + 1], table, some)
    counts = parts.sum(axis=0)
    doubt = 1.0 + FEW / max(p.sentences, 1)
    for part, some in enumerate(parts):
        # Without the part's own expected counts: one training for all parts.
        yield part, _table(given, judged, rows, targets, counts - some, doubt)


def _table(
    given: Numbered, judged: Numbered, rows: I64, targets: I32, counts: F64, doubt: float
) -> Table:
    """Return probabilities relative to the target word's frequency, smoothed by pseudo-counts."""
    # Rows ascend; row 0 is for the empty word, row w + 1 for given word w.
    pseudo = np.concatenate([np.zeros(1), np.where(given.twins >= 0, TWIN * doubt, 0.0)])
    total = pseudo + SPREAD * doubt + np.bincount(rows, counts, given.size + 1)
    kept = np.flatnonzero(counts > LEAST)
    rows, targets = rows[kept], targets[kept]
    gains = counts[kept] / total[rows] / judged.frequencies[targets]
    rest = SPREAD * doubt / total
    first = int(np.searchsorted(rows, 1))
    null = np.full(judged.size, rest[0])
    null[targets[:first]] += gains[:first]
    sizes = np.bincount(rows[first:] - 1, minlength=given.size)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    twin = pseudo[1:] / total[1:] / judged.frequencies[given.twins]
    floats = (array.astype(np.float32) for array in (gains[first:], rest[1:], null))
    arrays = (starts, targets[first:], *floats, given.twins, twin.astype(np.float32))
    return Table(*(frozen(array) for array in arrays))
