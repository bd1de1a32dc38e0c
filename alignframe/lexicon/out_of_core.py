"""Inducing a lexicon in bounded memory, with counts of parts of the text summed by DuckDB on disk.

Counts are additive, so the kernel counts the candidates of some sentence pairs at a time, and
DuckDB sums them. Words stay numbers until the end, so that rows have a fixed width, which grouping
can spill.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, frozen
from alignframe.core.tokens import SIDES
from alignframe.engines.session import limited
from alignframe.kernels.lexicon import candidates as kernel
from alignframe.lexicon.corpus import Batch, Corpus, Reading
from alignframe.lexicon.memory_budget import Room
from alignframe.lexicon.pairs import Pairs

_SHARES = 64
# The number of rows of a share held before they are written.
_ROWS = 20_000

# The estimated bytes for grouping, per byte of a compressed file.
_BYTES = 64

_WRITE = """
    copy (select *, src % {shares} as share from given)
    to '{folder}' (format parquet, partition_by (share), overwrite_or_ignore, compression lz4)
"""
_SUM = """
    select src, tgt, sum(n_both)::bigint as n_both, sum(n_whole)::bigint as n_whole
    from read_parquet($files, hive_partitioning = false)
    group by src, tgt having sum(n_both) >= $least
"""
_COUNTS = pa.schema([(name, pa.int32()) for name in ("src", "tgt", "n_both", "n_whole")])


class _Totals:
    """The count of each word, by its number in the whole text."""

    def __init__(self) -> None:
        self.sides: list[I64] = [np.zeros(0, np.int64), np.zeros(0, np.int64)]
        self.total = 0

    def add(self, pairs: Pairs) -> None:
        """Add the counts of a part."""
        *counts, total = pairs.totals()
        self.total += total
        numbers = (pairs.corpus.src.numbers, pairs.corpus.tgt.numbers)
        for k, (more, at) in enumerate(zip(counts, numbers, strict=True)):
            longer = np.zeros(max(self.sides[k].size, int(at.max()) + 1), np.int64)
            longer[: self.sides[k].size] = self.sides[k]
            longer[at] += more
            self.sides[k] = longer


def induce_spilling(
    reading: Reading,
    batches: Iterable[Batch],
    counted: Callable[[Corpus], Pairs],
    room: Room,
    *,
    n_best: int,
    signed: bool,
    min_both: int,
) -> list[pa.Array]:
    """Return the columns of a lexicon, from the filtered candidates that ``counted`` returns."""
    totals = _Totals()
    with (
        tempfile.TemporaryDirectory(prefix="alignframe-") as folder,
        limited(["lexicon"], f"{room.for_grouping // 1_000_000}MB", threads=1) as connection,
    ):
        counts = _counts(reading, batches, counted, totals, room)
        given = connection.from_arrow(pa.RecordBatchReader.from_batches(_COUNTS, counts))
        # Shares of the source words, each of which can be grouped in the available memory.
        connection.execute(f"set partitioned_write_flush_threshold = {_ROWS}")
        given.query("given", _WRITE.format(shares=_SHARES, folder=folder.replace("'", "''")))
        most = min(n_best, reading.words("tgt"))
        rows = int(np.count_nonzero(totals.sides[0] >= min_both)) * most
        room.check_rows(reading.words(), rows)
        best = _Best(reading, totals, most, signed)
        for files in _together(folder, room.for_grouping // _BYTES):
            chosen = {"files": files, "least": min_both}
            best.add(connection.sql(_SUM, params=chosen).to_arrow_reader(1_000_000))
        return best.columns()


def _counts(
    reading: Reading,
    batches: Iterable[Batch],
    counted: Callable[[Corpus], Pairs],
    totals: _Totals,
    room: Room,
) -> Iterator[pa.RecordBatch]:
    """Yield the candidates of parts of the text, with words numbered as in the whole text."""
    for some in _parts(batches, room.tokens_at_once):
        room.check_words(reading.words())
        pa.default_memory_pool().release_unused()  # memory held by reading
        pairs = counted(reading.corpus(some))
        totals.add(pairs)
        left, whole = pairs.left(), pairs.whole
        src, tgt = pairs.corpus.src.numbers, pairs.corpus.tgt.numbers
        least = int(left is whole)  # removed candidates count too
        low = 0
        for starts, targets, both, every in pairs.by_range(
            whole, partial(kernel.all_candidates, left, whole, least)
        ):
            rows = np.repeat(np.arange(low, low + starts.size - 1), np.diff(starts))
            low += starts.size - 1
            columns = [src[rows], tgt[targets], both, every]
            yield pa.record_batch(
                [pa.array(column.astype(np.int32)) for column in columns], schema=_COUNTS
            )


def _together(folder: str, most: int) -> Iterator[list[str]]:
    """Yield the files of shares, combining small shares, because each query has a fixed cost."""
    held: list[str] = []
    size = 0
    for share in sorted(Path(folder).glob("share=*")):
        files = sorted(share.glob("*.parquet"))
        more = sum(file.stat().st_size for file in files)
        if held and size + more > most:
            yield held
            held, size = [], 0
        held += map(str, files)
        size += more
    if held:
        yield held


def _parts(batches: Iterable[Batch], part: int) -> Iterator[list[Batch]]:
    """Yield batches combined or split into parts of about ``part`` words."""
    held: list[Batch] = []
    for batch in batches:
        for piece in batch.pieces(part):
            held.append(piece)
            if sum(batch_held.tokens for batch_held in held) >= part:
                yield held
                held = []
    if held:
        yield held


class _Best:
    """The best candidates of each source word, updated with incoming sums."""

    def __init__(self, reading: Reading, totals: _Totals, most: int, signed: bool) -> None:
        # Words by their position in the sorted vocabulary, which breaks ties.
        self._ranks = [frozen(reading.numberings[side].ranks()) for side in SIDES]
        self._orders = [np.argsort(ranks) for ranks in self._ranks]
        self._known = [reading.numberings[side].known for side in SIDES]
        self._totals = [frozen(n[o]) for n, o in zip(totals.sides, self._orders, strict=True)]
        self._total = totals.total
        self._signed = signed
        self._most = most
        words = self._orders[0].size
        self._held = np.zeros(words, np.int64)
        self._targets = np.empty(words * self._most, np.int32)
        self._counts = np.empty(words * self._most, np.int64)
        self._ratios = np.empty(words * self._most, np.float64)

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Add candidates: src, tgt, n_both and n_whole, with word numbers."""
        for batch in batches:
            source, target, both, whole = (column.to_numpy() for column in batch.columns)
            kernel.keep_best(
                frozen(self._ranks[0][source]),
                frozen(self._ranks[1][target]),
                frozen(both),
                frozen(whole - both),
                *self._totals,
                self._total,
                self._signed,
                self._held,
                self._targets,
                self._counts,
                self._ratios,
            )

    def columns(self) -> list[pa.Array]:
        """Return the columns of a lexicon."""
        held = self._held
        sources = np.repeat(np.arange(held.size), held)
        place = np.arange(sources.size) - np.repeat(np.cumsum(held) - held, held)
        at = sources * self._most + place
        chosen = (sources, self._targets[at])
        words = [
            known.take(pa.array(order[words]))
            for known, order, words in zip(self._known, self._orders, chosen, strict=True)
        ]
        return [
            *words,
            pa.array((place + 1).astype(np.int32)),
            pa.array(self._ratios[at]),
            pa.array(self._counts[at]),
            *(pa.array(n[words]) for n, words in zip(self._totals, chosen, strict=True)),
        ]
