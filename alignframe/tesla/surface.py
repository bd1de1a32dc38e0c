"""Further features: characters, words, content and function words, order and length.

They need only words, and content words from a tagger if available. They include the n-grams of chrF
(Popović 2015) and BLEU (Papineni et al. 2002), with a weight for each order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I64, frozen
from alignframe.core.signatures import exact
from alignframe.functions.bags import f_measure
from alignframe.functions.mt import against_each
from alignframe.functions.sequences import Sequences
from alignframe.language.analysed import Analysed
from alignframe.tesla.feature_names import CHARACTERS, SURFACE_SETS, WORDS


class Places(NamedTuple):
    """Positions of tokens: sentence r has ``items[bounds[r] : bounds[r + 1]]``."""

    bounds: I64
    items: I64


class SurfaceFeatures:
    """F-measures of surface overlap, and length ratios; all from 0 to 1."""

    def __init__(self, kind: str = "wide") -> None:
        self._alpha, self.names = SURFACE_SETS[kind]
        self.signature = f"set:{kind},alpha={exact(self._alpha)}"

    def of(self, hyp: Analysed, ref: Analysed) -> F64:
        """Return the features of each sentence of ``hyp`` against the same row of ``ref``."""
        from alignframe.kernels.lexicon.cognates import lcs_of_rows

        both = [(side, _tokens(side)) for side in (hyp, ref)]
        # n-grams of characters without spaces, and of words; lemmas of content and function words.
        groups: dict[str, list[F64]] = {
            "chr": self._shared([_characters(*side_places) for side_places in both], CHARACTERS),
            "word": self._shared([_words(*side_places) for side_places in both], WORDS),
        }
        for kind in ("content", "function"):
            if f"{kind}_1" in self.names:
                sides = [_lemmas(side, at, kind == "content") for side, at in both]
                groups[kind] = self._shared(sides, 1)
        lemmas = [Sequences(frozen(at.bounds), frozen(side.lemmas[at.items])) for side, at in both]
        n_lemmas = max(int(sequences.items.max(initial=-1)) for sequences in lemmas) + 1
        # order_1: the longest common subsequence of lemmas.
        common = lcs_of_rows(*lemmas[0], *lemmas[1], n_lemmas)
        sizes = hyp.lengths(), ref.lengths()
        groups["order"] = [f_measure(common, *sizes, self._alpha)]
        # short_1: the translation's length by the reference's if shorter; long_1: the reverse.
        groups["short"], groups["long"] = [_ratio(*sizes)], [_ratio(*sizes[::-1])]
        split = (name.rsplit("_", 1) for name in self.names)
        features = np.column_stack([groups[group][int(order) - 1] for group, order in split])
        features[sizes[0] == 0] = 0.0
        return features

    def _shared(self, sides: list[Sequences], order: int) -> list[F64]:
        """Return the F-measures of the n-grams of two sides, by order."""
        groups = np.arange(sides[0].bounds.size)
        counts = against_each(sides[0], sides[1], groups, order)
        hyp, ref, matched = np.moveaxis(counts, -1, 0)
        return list(f_measure(matched, hyp, ref, self._alpha).T)


def _tokens(side: Analysed) -> Places:
    """Return the positions of tokens, sentence by sentence."""
    lengths = side.lengths()
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    places = np.repeat(side.starts - bounds[:-1], lengths) + np.arange(bounds[-1])
    return Places(bounds, places)


def _characters(side: Analysed, at: Places) -> Sequences:
    """Return the characters of the words of each sentence."""
    words = side.words[at.items]
    used = np.unique(words)
    texts = side.vocabulary.words.known.take(pa.array(used))
    points = np.frombuffer("".join(texts.to_pylist()).encode("utf-32-le", "surrogatepass"), "<i4")
    sizes = pc.utf8_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    which = np.searchsorted(used, words)
    long = sizes[which]
    ends = np.concatenate(([0], np.cumsum(long)))
    places = np.repeat(starts[which] - ends[:-1], long) + np.arange(ends[-1])
    return Sequences(ends[at.bounds], frozen(points.astype(np.int32)[places]))


def _words(side: Analysed, at: Places) -> Sequences:
    """Return the words of each sentence."""
    return Sequences(at.bounds, frozen(side.words[at.items]))


def _lemmas(side: Analysed, at: Places, content: bool) -> Sequences:
    """Return the lemmas of content words or of function words."""
    kept = side.content[at.items] == content
    before = np.concatenate(([0], np.cumsum(kept)))
    return Sequences(before[at.bounds], frozen(side.lemmas[at.items[kept]]))


def _ratio(size: I64, other: I64) -> F64:
    """Return ``size / other``, at most 1."""
    return np.minimum(1.0, size / np.maximum(other, 1))
