"""The pivot phrases of a table's phrases, by lemmas or tags."""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I64
from alignframe.kernels.ragged import frozen
from alignframe.kernels.tesla.pivot_ngrams import Alternatives
from alignframe.kernels.text.trie import Trie
from alignframe.tesla.pivot_table import PivotTable


def alternatives(table: PivotTable, kind: str, function_weight: float) -> Alternatives:
    """Return the pivot phrases of a table, compared by ``lemmas`` or ``tags``."""
    pivot = table.pivot
    keys = getattr(pivot, kind)
    # Phrases with the same keys and content words are one, whose probabilities are summed.
    looks = frozen(2 * keys + pivot.content)
    nodes = Trie(looks.size // 2).add(looks, pivot.starts, pivot.ends)
    phrases = np.repeat(np.arange(table.phrases), np.diff(table.offsets))
    first, probability = _merged(phrases << 32 | nodes, table.probability)
    lengths = pivot.lengths()[first]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    tokens = np.repeat(pivot.starts[first] - starts, lengths) + np.arange(ends[-1])
    return Alternatives(
        frozen(np.searchsorted(phrases[first], np.arange(table.phrases + 1))),
        frozen(probability),
        frozen(np.append(starts, ends[-1])),
        frozen(keys[tokens]),
        frozen(np.where(pivot.content[tokens], 1.0, function_weight)),
    )


def _merged(keys: I64, weights: F64) -> tuple[I64, F64]:
    """Return the first position of each key, in that order, and the sum of its weights."""
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    sums = np.bincount(places.ravel(), weights=weights).astype(np.float64)
    order = np.argsort(first)
    return first[order].astype(np.int64), sums[order]
