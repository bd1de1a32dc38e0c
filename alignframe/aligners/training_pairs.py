"""A text whose word pairs are numbered, cut into parts that are worked on side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from alignframe.aligners.text import Text
from alignframe.arrays import I32, I64
from alignframe.errors import InputError
from alignframe.executors import mapped
from alignframe.kernels.cells import Pairing, localize, pair_up

PARTS = 8
"""Parts of a text. Fixed, so that sums are the same to the last bit for any number of threads."""

Found = TypeVar("Found")


class Part(NamedTuple):
    """Some sentence pairs, with cells of their own: cell c of the part is ``own[c]`` of the text.

    They are the text's sentences from ``first`` on.
    """

    pairing: Pairing
    own: I32
    first: int


@dataclass(frozen=True)
class Paired:
    """A text, and a table's cells: the target words that stand beside each source word.

    Source word w of the text (source: the side that is conditioned on) has the cells
    ``starts[w + 1] <= c < starts[w + 2]``, whose target words are ``targets[c]``; the first row is
    NULL's. An array of one value a cell is a translation table. Cells are numbered when they are
    first asked for; ``spans`` are the sentences of each part.
    """

    text: Text
    spans: list[tuple[int, int]]
    executor: Executor | None = None

    @cached_property
    def _cells(self) -> tuple[I64, I32, list[Part]]:
        src, tgt = self.text.src, self.text.tgt
        starts, targets, pairing = pair_up(
            src.at, src.words, tgt.at, tgt.words, src.n_words, tgt.n_words
        )
        parts = [Part(*localize(pairing.part(low, high)), low) for low, high in self.spans]
        return starts, targets, parts

    @property
    def starts(self) -> I64:
        """Where the cells of each row begin."""
        return self._cells[0]

    @property
    def targets(self) -> I32:
        """The target word of each cell."""
        return self._cells[1]

    @property
    def parts(self) -> list[Part]:
        """The parts, each with cells of its own."""
        return self._cells[2]

    @property
    def n_cells(self) -> int:
        """The number of word pairs, those with NULL included."""
        return self.targets.size

    def each(self, call: Callable[[Part], Found]) -> Iterator[tuple[Part, Found]]:
        """Yield every part with what ``call`` finds in it, in order."""
        yield from zip(self.parts, mapped(call, self.parts, self.executor), strict=True)


def pair(text: Text, executor: Executor | None = None, parts: int = PARTS) -> Paired:
    """Cut a text into parts of about the same work, whose word pairs will be numbered."""
    if executor is not None and not hasattr(executor, "map"):
        raise InputError(f"the executor {executor!r}", expected="one with a method map, or None")
    at = np.append(0, np.cumsum(np.diff(text.src.at) * np.diff(text.tgt.at)))
    ends = np.searchsorted(at, np.linspace(0, at[-1], parts + 1))
    ends[0], ends[-1] = 0, text.sentences
    return Paired(text, list(pairwise(np.unique(ends).tolist())), executor)
