"""Counts of phrase pairs and of the phrases on both sides.

A pair is ``node of the source phrase << 32 | node of the target phrase``; a pattern is its links
(see ``kernels.phrases.table``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

import numpy as np
import polars as pl

from alignframe.core.arrays import I32, U32

# The number of rows of counts held before they are summed.
_PENDING = 1 << 22
# The number of rows of sums held before they are spilled to disk.
_MOST = 1 << 25
_PARTS = 16
# The approximate number of rows of sums turned into rows of the table at a time.
_ROWS = 1 << 18
KEY = ("pair", "pattern")
SUMS = ("n", "monotone_previous", "swap_previous", "monotone_next", "swap_next")
_NONE = pl.DataFrame(schema={**dict.fromkeys(KEY, pl.UInt64), **dict.fromkeys(SUMS, pl.UInt32)})


class PairCounts(AbstractContextManager["PairCounts"]):
    """Counts of pairs, their patterns and orientations, spilled to disk if needed."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pending: list[list[pl.DataFrame]] = [[] for _ in range(_PARTS)]
        self._held = 0
        self._files = 0
        self.n_src: U32 = np.zeros(0, np.uint32)
        self.n_tgt: U32 = np.zeros(0, np.uint32)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows, one per pair."""
        new = summed(rows)
        # Parts by source phrase, so that little is summed at once.
        part = pl.col("pair") // (1 << 32) % _PARTS
        for number, pending in enumerate(self._pending):
            pending.append(new.filter(part == number))
        self._held += new.height
        if self._held > _PENDING:
            self._held = 0
            if self._sum() > _MOST:
                self._spill()

    def _sum(self) -> int:
        """Sum pending rows; return the number of rows left."""
        for number, pending in enumerate(self._pending):
            self._pending[number] = [summed(pl.concat(pending))]
        return sum(pending[0].height for pending in self._pending)

    def _spill(self) -> None:
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="alignframe-")
        for number, (part,) in enumerate(self._pending):
            part.write_parquet(Path(self._folder.name) / f"{number}-{self._files}.parquet")
        self._files += 1
        self._pending = [[] for _ in range(_PARTS)]

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield the sums of pairs and patterns in order, keeping source phrases together."""
        if self._pending[0]:
            self._sum()
        if self._folder is None:
            every = [part for pending in self._pending for part in pending]
            self._pending = []
            yield from _cut(pl.concat([*every, _NONE]).sort(KEY))
            return
        if self._pending[0]:
            self._spill()
        for number in range(_PARTS):
            spilled = pl.read_parquet(Path(self._folder.name) / f"{number}-*.parquet")
            yield from _cut(summed(spilled).sort(KEY))


def _cut(sums: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield parts of sorted sums, cut between source phrases."""
    src = sums["pair"].to_numpy() >> np.uint64(32)
    start = 0
    while start < src.size:
        last = src[min(start + _ROWS, src.size) - 1]
        end = int(np.searchsorted(src, last, side="right"))
        yield sums.slice(start, end - start)
        start = end


def summed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the sums of each pair and pattern."""
    return frame.group_by(KEY).agg(pl.col(SUMS).sum())


def added(counts: U32, nodes: I32, size: int) -> U32:
    """Return counts of nodes with more added, growing the array if needed."""
    if size > counts.size:
        # Doubled, so that growing takes linear time in all.
        more = np.zeros(max(size, 2 * counts.size), np.uint32)
        more[: counts.size] = counts
        counts = more
    np.add.at(counts, nodes, np.uint32(1))
    return counts
