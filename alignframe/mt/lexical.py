"""Word translation probabilities from counts of links, as in Moses."""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, I64, U64
from alignframe.kernels.ragged import frozen
from alignframe.tesla.pivot_count import Side


class Lexical:
    """Counts of linked words over a text; an unaligned word is linked to NULL."""

    def __init__(self) -> None:
        self._pairs: list[U64] = []
        self._counts: list[I64] = []
        self._alone: list[I64] = [np.zeros(0, np.int64), np.zeros(0, np.int64)]

    def add(self, src: Side, tgt: Side, rows: I64, ends: tuple[I64, I64]) -> None:
        """Count the links of some sentences, between the tokens ``ends``."""
        words = [side.words[tokens] for side, tokens in zip((src, tgt), ends, strict=True)]
        pairs = words[0].astype(np.uint64) << np.uint64(32) | words[1].astype(np.uint64)
        each, counts = np.unique(pairs, return_counts=True)
        self._pairs.append(each)
        self._counts.append(counts.astype(np.int64))
        for at, (side, tokens) in enumerate(zip((src, tgt), ends, strict=True)):
            sizes = side.starts[rows + 1] - side.starts[rows]
            shift = np.repeat(side.starts[rows] - (np.cumsum(sizes) - sizes), sizes)
            every = np.arange(shift.size) + shift
            linked = np.zeros(side.words.size, np.bool_)
            linked[tokens] = True
            unlinked = np.bincount(side.words[every[~linked[every]]])
            known = self._alone[at]
            total = np.zeros(max(unlinked.size, known.size), np.int64)
            total[: unlinked.size] += unlinked
            total[: known.size] += known
            self._alone[at] = total

    def probabilities(self, src: Side, tgt: Side) -> tuple[I64, I32, F64, F64, F64, F64]:
        """Return the probabilities in the form for ``kernels.phrase_table.lexical_weights``."""
        pairs, at = np.unique(np.concatenate(self._pairs), return_inverse=True)
        counts = np.bincount(at, weights=np.concatenate(self._counts))
        s = (pairs >> np.uint64(32)).astype(np.int64)
        t = (pairs & np.uint64(2**32 - 1)).astype(np.int32)
        sizes = len(src.known.known), len(tgt.known.known)
        alone = [
            _padded(counts_alone, size)
            for counts_alone, size in zip(self._alone, sizes, strict=True)
        ]
        totals = (
            np.bincount(s, weights=counts, minlength=sizes[0]) + alone[0],
            np.bincount(t, weights=counts, minlength=sizes[1]) + alone[1],
        )
        rows = np.concatenate([[0], np.cumsum(np.bincount(s, minlength=sizes[0]))])
        # As in Moses, p(word, NULL) is the word's share of all unlinked words of its side.
        null = [own / max(own.sum(), 1) for own in alone]
        return (
            frozen(rows.astype(np.int64)),
            frozen(t),
            frozen(counts / totals[0][s]),
            frozen(counts / totals[1][t]),
            frozen(null[1]),
            frozen(null[0]),
        )


def _padded(counts: I64, size: int) -> I64:
    return np.concatenate([counts, np.zeros(size - counts.size, np.int64)])
