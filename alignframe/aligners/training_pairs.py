"""A text with numbered word pairs, in parts that are processed in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from alignframe.aligners.kept import Kept
from alignframe.aligners.text import Text
from alignframe.core.arrays import I32, I64
from alignframe.core.parallel import parallel_map
from alignframe.kernels.cells import Pairing, localize, pair_up

MOST_TOGETHER = 200_000_000
"""With more position pairs, directions are trained one after the other, to save memory."""

PARTS = 8
"""The number of parts of a text, fixed so that sums are bit-identical for any number of threads."""

Found = TypeVar("Found")


class Part(NamedTuple):
    """Some sentence pairs with their own cells: the part's cell c is ``own[c]`` of the text."""

    pairing: Pairing
    own: I32
    first: int  # its first sentence in the text


@dataclass(frozen=True)
class Paired:
    """A text and its cells, one for each target word that co-occurs with a source word.

    ``places`` has the probable positions of the words of a text outside training, if they were
    found already.

    Source word w of the text (source is the conditioning side) has the cells ``starts[w + 1] <= c <
    starts[w + 2]``, whose target words are ``targets[c]``; the first row is that of NULL. A
    translation table is an array with one value per cell.
    """

    text: Text
    spans: list[tuple[int, int]]  # the sentences of each part
    executor: Executor | None = None
    places: Kept | None = None

    @cached_property
    def _cells(self) -> tuple[I64, I32, list[Part]]:
        src, tgt = self.text.src, self.text.tgt
        words = (src.at, src.words, tgt.at, tgt.words, src.n_words, tgt.n_words)
        starts, targets, pairing = pair_up(*words)
        parts = [Part(*localize(pairing.part(low, high)), low) for low, high in self.spans]
        return starts, targets, parts

    @property
    def starts(self) -> I64:
        """Offsets of each row's cells."""
        return self._cells[0]

    @property
    def targets(self) -> I32:
        """The target word of each cell."""
        return self._cells[1]

    @property
    def parts(self) -> list[Part]:
        """The parts, each with its own cells."""
        return self._cells[2]

    @property
    def n_cells(self) -> int:
        """The number of word pairs, including those with NULL."""
        return self.targets.size

    def each(self, call: Callable[[Part], Found]) -> Iterator[tuple[Part, Found]]:
        """Yield every part with the result of ``call``, in order."""
        yield from zip(self.parts, parallel_map(call, self.parts, self.executor), strict=True)


def pair(text: Text, executor: Executor | None = None, parts: int = PARTS) -> Paired:
    """Cut a text into parts of about equal work."""
    return Paired(text, _spans(places(text), parts), executor)


def beside(texts: Sequence[Paired]) -> list[Paired]:
    """Return texts of the same rows whose parts of the same number have the same rows, or none.

    Models of other limits leave out other rows; a part has rows that the same texts have.
    """
    rows = [paired.text.rows for paired in texts]
    if all(np.array_equal(rows[0], some) for some in rows):
        return list(texts)
    every = np.unique(np.concatenate(rows))
    known = np.array([np.isin(every, some) for some in rows])
    changed = np.flatnonzero((known[:, 1:] != known[:, :-1]).any(axis=0)) + 1
    ends = np.union1d(changed, np.linspace(0, every.size, PARTS + 1).astype(np.int64))
    before = [np.append(0, np.cumsum(some))[ends].tolist() for some in known]
    return [
        replace(paired, spans=list(pairwise(at))) for paired, at in zip(texts, before, strict=True)
    ]


def places(text: Text) -> I64:
    """Return the number of pairs of positions before each sentence, and in total."""
    return np.append(0, np.cumsum(np.diff(text.src.at) * np.diff(text.tgt.at)))


def _spans(at: I64, parts: int) -> list[tuple[int, int]]:
    """Cut sentences into parts with about equally many pairs of positions."""
    ends = np.searchsorted(at, np.linspace(0, at[-1], parts + 1))
    ends[0], ends[-1] = 0, at.size - 1
    return list(pairwise(np.unique(ends).tolist()))
