"""A text with numbered word pairs, in parts that are processed in parallel."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from alignframe.aligners.text import Text
from alignframe.core.arrays import I32, I64, frozen
from alignframe.core.memory import give_back
from alignframe.core.parallel import parallel_map
from alignframe.kernels.cells import Numbers, Pairing, localize, number, pair_up

MOST_TOGETHER = 200_000_000
"""With more position pairs, directions are trained one after the other, to save memory."""

PARTS = 8
"""The number of parts of a text, fixed so that sums are bit-identical for any number of threads."""

PIECES = 8
"""The number of pieces that together fill the memory for cells; several are in use at once."""

Found = TypeVar("Found")


class Part(NamedTuple):
    """Some sentence pairs with their own cells: the part's cell c is ``own[c]`` of the text."""

    pairing: Pairing
    own: I32
    first: int  # its first sentence in the text
    stored: Stored | None = None  # the file of its cells, which the pairing then lacks

    @property
    def folder(self) -> str | None:
        """The folder for temporary files, if memory is limited."""
        return None if self.stored is None else str(Path(self.stored.path).parent)

    def pieces(self) -> Iterator[Pairing]:
        """Yield the part with its cells, piece by piece if they are in a file."""
        if self.stored is None:
            yield self.pairing
            return
        for low, high in self.stored.spans:
            piece = self.pairing.part(low, high)
            first, end = piece.at[0], piece.at[-1]
            cell = np.fromfile(self.stored.path, np.int32, end - first, offset=4 * first)
            yield piece._replace(at=frozen(piece.at - first), cell=frozen(cell))


class Stored(NamedTuple):
    """A file of cells, and the sentences of each of its pieces."""

    path: str
    spans: list[tuple[int, int]]


@dataclass(frozen=True)
class Paired:
    """A text and its cells, one for each target word that co-occurs with a source word.

    Source word w of the text (source is the conditioning side) has the cells ``starts[w + 1] <= c <
    starts[w + 2]``, whose target words are ``targets[c]``; the first row is that of NULL. A
    translation table is an array with one value per cell.
    """

    text: Text
    spans: list[tuple[int, int]]  # the sentences of each part
    executor: Executor | None = None
    held: int | None = None  # with more pairs of positions, cells are kept in a file

    @cached_property
    def _cells(self) -> tuple[I64, I32, list[Part]]:
        src, tgt = self.text.src, self.text.tgt
        words = (src.at, src.words, tgt.at, tgt.words, src.n_words, tgt.n_words)
        if self.held is not None and places(self.text)[-1] > self.held:
            give_back()
            starts, targets, pairing = pair_up(*words, cells=False)
            return starts, targets, [self._stored(starts, targets, pairing, self.held)]
        starts, targets, pairing = pair_up(*words)
        parts = [Part(*localize(pairing.part(low, high)), low) for low, high in self.spans]
        return starts, targets, parts

    def _stored(self, starts: I64, targets: I32, pairing: Pairing, held: int) -> Part:
        """Write the cells of a text's only part to a file that is deleted with the text."""
        spans = _spans(pairing.at, -(-PIECES * int(pairing.at[-1]) // held))
        n_null = int(pairing.tgt.max(initial=-1)) + 1
        numbers = Numbers(n_null, int(targets.size), int(pairing.at[-1]))
        path = Path(tempfile.mkdtemp(prefix="alignframe-")) / "cells"
        weakref.finalize(self, shutil.rmtree, path.parent, ignore_errors=True)
        with path.open("wb") as file:
            for low, high in spans:
                cell = number(pairing.part(low, high), starts, targets).cell
                numbers.renew(cell)
                cell.tofile(file)
        return Part(pairing, numbers.own, 0, Stored(str(path), spans))

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


def pair(
    text: Text, executor: Executor | None = None, parts: int = PARTS, held: int | None = None
) -> Paired:
    """Cut a text into parts of about equal work."""
    return Paired(text, _spans(places(text), parts), executor, held)


def places(text: Text) -> I64:
    """Return the number of pairs of positions before each sentence, and in total."""
    return np.append(0, np.cumsum(np.diff(text.src.at) * np.diff(text.tgt.at)))


def _spans(at: I64, parts: int) -> list[tuple[int, int]]:
    """Cut sentences into parts with about equally many pairs of positions."""
    ends = np.searchsorted(at, np.linspace(0, at[-1], parts + 1))
    ends[0], ends[-1] = 0, at.size - 1
    return list(pairwise(np.unique(ends).tolist()))
