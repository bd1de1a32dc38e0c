"""Models of the two sides of a parallel text: word translations and spelling."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.beads.characters import POINTS, bytes_of, runs
from alignframe.beads.evidence import ITERATIONS, MAX_WORDS, MIN_COUNT, SPREAD
from alignframe.beads.line_pairs import LinePairs
from alignframe.core.arrays import F32, F64, I32, I64, U8, Bools, frozen
from alignframe.kernels.beads import line_features, line_words
from alignframe.kernels.beads.line_features import letters
from alignframe.kernels.beads.line_words import Gains, Words

MAX_PAIRS = 20_000_000
"""The maximum number of word pairs for training Model 1, from evenly sampled lines."""

LEAST = 0.02
"""The minimum expected count of a word pair."""


@dataclass(frozen=True)
class Spellings:
    """Byte n-grams, one column per side, and the main script of each side."""

    # For `alignframe.kernels.beads.line_features.likely`.
    counts: I32
    shares: F32
    scripts: tuple[str, str]

    @classmethod
    def of(cls, src: pa.Array, tgt: pa.Array) -> Spellings:
        """Count the n-grams of texts in lower case."""
        counts, contexts = (np.zeros((1 << line_features.BITS, 2), np.int32) for _ in range(2))
        for side, texts in enumerate((src, tgt)):
            line_features.ngrams(*bytes_of(texts), counts[:, side], contexts[:, side])
        return cls(
            frozen(counts),
            frozen(line_features.shares(frozen(contexts))),
            (_script(src), _script(tgt)),
        )

    def likely(self, texts: pa.Array) -> F64:
        """Return the mean log probability of each text's bytes, one row per side."""
        likelihoods: F64 = line_features.likely(*bytes_of(texts), self.counts, self.shares)
        return likelihoods

    def usual(self, side: int, texts: pa.Array) -> F64:
        """Return the share of each text's letters in a side's script; 1 without letters."""
        letters, own = line_features.letters(*bytes_of(texts), letter_table((self.scripts[side],)))
        shares: F64 = np.where(letters > 0, own / np.maximum(letters, 1), 1.0)
        return shares


def _script(texts: pa.Array) -> str:
    """Return the most frequent script."""
    counts = letters_by_script(texts)
    return max(counts, key=counts.__getitem__)


@dataclass(frozen=True)
class LineModel:
    """Word and spelling models of a text."""

    stems: tuple[pa.Array, pa.Array]  # the known stems of each side
    tables: tuple[Gains, Gains]  # source to target, and back
    spellings: Spellings
    ratio: float  # the median of log((target characters + 5) / (source characters + 5))

    @classmethod
    def learn(cls, lines: LinePairs) -> LineModel:
        """Train on parallel lines."""
        known, words = [], []
        taken = _taken(*(np.diff(side.at) for side in lines.sides))
        for side in lines.sides:
            kept = np.bincount(side.numbers, minlength=len(side.stems)) >= MIN_COUNT
            new = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
            known.append(side.stems.filter(pa.array(kept)))
            some = side if taken.size == lines.size else side.some(taken)
            words.append(Words(*map(frozen, line_words.known(some.at, frozen(new[some.numbers])))))
        n_src, n_tgt = map(len, known)
        first, second = words
        tables = (_model_1(first, second, n_src, n_tgt), _model_1(second, first, n_tgt, n_src))
        ratio = float(np.median(length_ratios(*lines.texts)))
        spellings = Spellings.of(*map(pc.utf8_lower, lines.texts))
        return cls((known[0], known[1]), tables, spellings, ratio)

    def numbers(self, lines: LinePairs) -> tuple[I32, I32]:
        """Return the number of each word's stem; -1 for unknown ones."""
        src, tgt = (
            pc.index_in(side.stems, value_set=known)
            .fill_null(-1)
            .to_numpy()
            .astype(np.int32)[side.numbers]
            for side, known in zip(lines.sides, self.stems, strict=True)
        )
        return frozen(src), frozen(tgt)


def length_ratios(src: pa.Array, tgt: pa.Array) -> F64:
    """Return the log ratio of the numbers of characters, each plus five."""
    first, second = (pc.utf8_length(side).to_numpy().astype(np.float64) for side in (src, tgt))
    ratios: F64 = np.log((second + 5.0) / (first + 5.0))
    return ratios


def _taken(src: I64, tgt: I64) -> I64:
    """Return the lines for training word translations, by their numbers of words."""
    (kept,) = np.nonzero((src <= MAX_WORDS) & (tgt <= MAX_WORDS))
    every = -(-int((src * tgt)[kept].sum()) // MAX_PAIRS)
    taken: I64 = kept[:: max(every, 1)]
    return taken


def _model_1(given: Words, judged: Words, n_given: int, n_judged: int) -> Gains:
    """Return the translations of Model 1, relative to the judged word's frequency."""
    starts, targets, counts, totals, null = line_words.learn(
        *given, *judged, n_given, n_judged, ITERATIONS, LEAST
    )
    frequencies = np.bincount(judged.words, minlength=n_judged) / max(judged.words.size, 1)
    totals += SPREAD
    # A word's translations, and SPREAD pseudo-counts by the words' frequencies.
    gains = counts / np.repeat(totals, np.diff(starts)) / frequencies[targets]
    whole = SPREAD + null.sum()
    often = null > LEAST
    null[often] /= frequencies[often]
    floats = gains, SPREAD / totals, (SPREAD + np.where(often, null, 0.0)) / whole
    return Gains(
        frozen(starts), frozen(targets), *(frozen(array.astype(np.float32)) for array in floats)
    )


SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Han", "Hangul", "Hiragana", "Devanagari"),
    *("Bengali", "Tamil", "Telugu", "Thai", "Georgian", "Armenian", "Ethiopic", "Khmer"),
    "Katakana",
)
"""Writing systems by Unicode name."""

TOGETHER = ("Han", "Hiragana", "Katakana", "Hangul")
"""Scripts that a text may mix: if one is the text's, all are."""

SAMPLE = 1_000
"""The maximum number of lines, sampled evenly, in which letters of scripts are counted."""

LEAST_SHARE = 0.2
"""The minimum share of a side's letters for a script to be one of the text's."""


class Scripts(NamedTuple):
    """The scripts of a text, of both sides together."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, src: pa.Array, tgt: pa.Array) -> Scripts:
        """Return the scripts of at least a fifth of the letters on a side."""
        names: set[str] = set()
        for side in (src, tgt):
            counts = letters_by_script(side)
            least = LEAST_SHARE * sum(counts.values())
            names |= {name for name, count in counts.items() if count and count >= least}
        return cls(tuple(name for name in SCRIPTS if name in names))

    def known(self, src: pa.Array, tgt: pa.Array) -> Bools:
        """Return whether half of each line's letters or more are in these scripts; texts in NFC."""
        mixed = TOGETHER if set(TOGETHER).intersection(self.names) else ()
        own = {*self.names, *mixed}
        # Letters of scripts missing from `SCRIPTS` count as the text's own.
        others = letter_table(tuple(name for name in SCRIPTS if name not in own))
        counts = (letters(*bytes_of(side), others) for side in (src, tgt))
        first, second = (2 * foreign <= every for every, foreign in counts)
        are_known: Bools = first & second
        return are_known


def letters_by_script(texts: pa.Array) -> dict[str, int]:
    """Return the number of letters of each script, in evenly sampled lines."""
    column = pl.Series("text", pl.from_arrow(texts))[:: -(-len(texts) // SAMPLE) or 1]
    of = pl.col("text").str.count_matches
    counts = column.to_frame().select(of(rf"\p{{{name}}}").sum().alias(name) for name in SCRIPTS)
    return counts.row(0, named=True)


@lru_cache(maxsize=len(SCRIPTS))
def letter_table(scripts: tuple[str, ...]) -> U8:
    """Return 1 for each code point that is a letter, and 3 for letters of the scripts."""
    table = np.zeros(POINTS, np.uint8)
    for low, high in runs(r"\p{L}"):
        table[low:high] = 1
    for name in scripts:
        for low, high in runs(rf"\p{{{name}}}"):
            table[low:high] |= 2 * table[low:high]
    return frozen(table)
