"""The probable positions of a text's words, packed piece by piece, in memory or in files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from alignframe.core.arrays import I64
from alignframe.kernels.aligners.link_rows import Sides
from alignframe.kernels.aligners.slots import Packed, Slots, make_slots, pack, pieces, unpack


class Kept:
    """Slots of the words of sentences that begin at ``tgt_at``, free at first.

    ``spans`` are the sentences of each piece, by default so many that pieces are of a useful size.
    With a ``folder``, each piece is a file in it, whose name begins with ``name``.
    """

    def __init__(
        self,
        tgt_at: I64,
        folder: str | None = None,
        name: str = "",
        spans: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        self.spans = list(pieces(tgt_at) if spans is None else spans)
        self._words = [int(tgt_at[high] - tgt_at[low]) for low, high in self.spans]
        self._packed: list[Packed | Path | None] = [None] * len(self.spans)
        self._home = None if folder is None else Path(folder) / name

    def __iter__(self) -> Iterator[Slots]:
        return map(self.of, range(len(self.spans)))

    def of(self, n: int) -> Slots:
        """Return the slots of a piece."""
        packed = self._packed[n]
        if packed is None:
            return make_slots(self._words[n])
        if isinstance(packed, Path):
            data = memoryview(packed.read_bytes())
            sizes = np.frombuffer(data, np.uint8, self._words[n])
            used = int(sizes.sum())
            places = np.frombuffer(data, np.int16, used, sizes.size)
            weights = np.frombuffer(data, np.float32, used, sizes.size + 2 * used)
            packed = Packed(sizes.copy(), places.copy(), weights.copy())
        return unpack(packed)

    def drop(self, n: int) -> None:
        """Forget the slots of a piece."""
        packed, self._packed[n] = self._packed[n], None
        if isinstance(packed, Path):
            packed.unlink()

    def keep(self, n: int, slots: Slots) -> None:
        """Keep the slots of a piece, instead of what was kept."""
        self.put(n, pack(slots))

    def put(self, n: int, packed: Packed) -> None:
        """Keep what is packed already."""
        if self._home is None:
            self._packed[n] = packed
            return
        path = self._home.with_name(f"{self._home.name}-{n}")
        with path.open("wb") as file:
            for array in packed:
                array.tofile(file)
        self._packed[n] = path


Free: TypeAlias = Callable[[tuple[int, int]], list[Kept]]
"""Returns the free slots of each direction for the sampler of a seed."""


def free_slots(
    texts: Sequence[Sides], folders: Sequence[str | None], seed: tuple[int, int]
) -> list[Kept]:
    """Return free slots for each direction; those of each sampler have other files."""
    return [
        Kept(sides.tgt_at, folder, str(seed[1]))
        for sides, folder in zip(texts, folders, strict=True)
    ]


def temporary(owner: object) -> str:
    """Return a new folder that is deleted with its owner."""
    folder = tempfile.mkdtemp(prefix="alignframe-")
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder
