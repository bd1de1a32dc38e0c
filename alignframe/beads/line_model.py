"""What a parallel text teaches of its two sides: which words go together, and how each is spelt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import F32, F64, I32, I64
from alignframe.beads.characters import bytes_of
from alignframe.beads.document import Side
from alignframe.beads.evidence import ITERATIONS, MAX_WORDS, MIN_COUNT, SPREAD, stems
from alignframe.beads.line_scripts import letter_table, letters_by_script
from alignframe.kernels import bead_scores, line_features
from alignframe.kernels.cells import pair_up
from alignframe.kernels.ragged import frozen
from alignframe.kernels.translations import normalize

MAX_PAIRS = 20_000_000
"""The most pairs of words that Model 1 is learnt from, in lines taken evenly from all."""

LEAST = 0.001
"""How often two words must be expected together to count."""


class Table(NamedTuple):
    """What given words become, as ``alignframe.kernels.bead_scores.add_words`` takes it."""

    starts: I64
    targets: I32
    gains: F32
    rest: F32
    null: F32


@dataclass(frozen=True)
class Spellings:
    """N-grams of bytes, a column per side, and the script of most of each side's letters."""

    counts: I32
    contexts: I32
    scripts: tuple[str, str]

    @classmethod
    def of(cls, src: pa.Array, tgt: pa.Array) -> Spellings:
        """Count those of texts in lower case."""
        counts, contexts = (np.zeros((1 << line_features.BITS, 2), np.int32) for _ in range(2))
        for side, texts in enumerate((src, tgt)):
            line_features.ngrams(*bytes_of(texts), counts[:, side], contexts[:, side])
        return cls(frozen(counts), frozen(contexts), (_script(src), _script(tgt)))

    def likely(self, texts: pa.Array) -> F64:
        """Return the mean logarithms of the probability of each text's bytes, a row per side."""
        found: F64 = line_features.likely(*bytes_of(texts), self.counts, self.contexts)
        return found

    def usual(self, side: int, texts: pa.Array) -> F64:
        """Return the share of each text's letters that are of a side's script; 1 without any."""
        letters, own = line_features.letters(*bytes_of(texts), letter_table((self.scripts[side],)))
        found: F64 = np.where(letters > 0, own / np.maximum(letters, 1), 1.0)
        return found


def _script(texts: pa.Array) -> str:
    """Return the script of most letters."""
    counts = letters_by_script(texts)
    return max(counts, key=counts.__getitem__)


@dataclass(frozen=True)
class LineModel:
    """What a text teaches.

    Attributes
    ----------
    stems
        The word stems that are known of each side.
    tables
        Translations from source to target, and back.
    spellings
        Of the source side and the target side.
    ratio
        The median of log((target characters + 5) / (source characters + 5)).
    """

    stems: tuple[pa.Array, pa.Array]
    tables: tuple[Table, Table]
    spellings: Spellings
    ratio: float

    @classmethod
    def learn(cls, src: pa.Array, tgt: pa.Array, words: str) -> LineModel:
        """Learn from lines that translate each other, of texts without missing ones."""
        lower = [pc.utf8_lower(side) for side in (src, tgt)]
        sides = [Side(side, words) for side in (src, tgt)]
        known, numbers = [], []
        for side in sides:
            forms = stems(side).to_arrow()
            encoded = forms.dictionary_encode()
            own = encoded.indices.to_numpy().astype(np.int64)[side.numbers]
            kept = np.bincount(own, minlength=len(encoded.dictionary)) >= MIN_COUNT
            new = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
            known.append(encoded.dictionary.filter(pa.array(kept)))
            numbers.append(new[own])
        lines = _taken(np.diff(sides[0].at), np.diff(sides[1].at))
        first, second = (
            _known(side.at, own, lines) for side, own in zip(sides, numbers, strict=True)
        )
        n_src, n_tgt = map(len, known)
        tables = (_model_1(first, second, n_src, n_tgt), _model_1(second, first, n_tgt, n_src))
        ratio = float(np.median(length_ratios(src, tgt)))
        return cls((known[0], known[1]), tables, Spellings.of(*lower), ratio)

    def numbers(self, sides: tuple[Side, Side]) -> tuple[I32, I32]:
        """Return the number of each word's stem, -1 of unknown ones."""
        src, tgt = (
            pc.index_in(stems(side).to_arrow(), value_set=known)
            .fill_null(-1)
            .to_numpy()
            .astype(np.int32)[side.numbers]
            for side, known in zip(sides, self.stems, strict=True)
        )
        return frozen(src), frozen(tgt)


def length_ratios(src: pa.Array, tgt: pa.Array) -> F64:
    """Return the logarithm of the ratio of the numbers of characters, five more on either side."""
    first, second = (pc.utf8_length(side).to_numpy().astype(np.float64) for side in (src, tgt))
    found: F64 = np.log((second + 5.0) / (first + 5.0))
    return found


def _taken(src: I64, tgt: I64) -> I64:
    """Return the lines that words are learnt from, by their numbers of words."""
    (kept,) = np.nonzero((src <= MAX_WORDS) & (tgt <= MAX_WORDS))
    every = -(-int((src * tgt)[kept].sum()) // MAX_PAIRS)
    taken: I64 = kept[:: max(every, 1)]
    return taken


def _known(at: I64, numbers: I32, lines: I64) -> tuple[I64, I32]:
    """Return the known words of some lines."""
    places = np.repeat(np.arange(at.size - 1), np.diff(at))
    wanted = np.zeros(at.size - 1, np.bool_)
    wanted[lines] = True
    kept = wanted[places] & (numbers >= 0)
    sizes = np.bincount(places[kept], minlength=at.size - 1)[lines]
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return frozen(bounds), frozen(numbers[kept])


def _model_1(given: tuple[I64, I32], judged: tuple[I64, I32], n_given: int, n_judged: int) -> Table:
    """Return the translations of Model 1, by the frequency of the judged word."""
    starts, targets, p = pair_up(*given, *judged, n_given, n_judged)
    arrays = (p.src_at, p.tgt_at, p.tgt, p.at, p.cell.view(np.uint32))
    table, counts = np.empty(p.n_cells, np.float32), np.ones(p.n_cells)
    for _ in range(ITERATIONS):
        normalize(starts, counts, 0.0, table)
        counts[:] = 0.0
        bead_scores.expect(*arrays, 0, p.sentences, table, counts)
    rows = np.repeat(np.arange(n_given + 1), np.diff(starts))
    total = SPREAD + np.bincount(rows, counts, n_given + 1)
    frequencies = np.bincount(judged[1], minlength=n_judged) / max(judged[1].size, 1)
    kept = np.flatnonzero(counts > LEAST)
    kept = kept[np.lexsort((targets[kept], rows[kept]))]
    rows, targets = rows[kept], targets[kept]
    gains = counts[kept] / total[rows] / frequencies[targets]
    rest = SPREAD / total
    first = int(np.searchsorted(rows, 1))
    null = np.full(n_judged, rest[0])
    null[targets[:first]] += gains[:first]
    sizes = np.bincount(rows[first:] - 1, minlength=n_given)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    floats = (array.astype(np.float32) for array in (gains[first:], rest[1:], null))
    return Table(*(frozen(array) for array in (ends, targets[first:], *floats)))
