"""Gold links in memory, one block at a time, so that gold can be of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, Links, frozen
from alignframe.core.arrow import to_links
from alignframe.core.keys import sentence_column
from alignframe.errors import InputError, sentence_name
from alignframe.formats.rows import inside_only
from alignframe.kernels.links.counts import Counted, count_gold
from alignframe.kernels.ragged import reach
from alignframe.links.text import Text, refuse_outside, text_held
from alignframe.sources.source import Source
from alignframe.stats.bootstrap import MAX_UNITS, unit_of

BLOCK_LINKS = 1 << 23
"""The number of gold links in memory: about 35 MB."""

BANDS = (5, 10, 15, 20, 30, 40)
"""The last length of each band of sentence lengths except the open one."""


@dataclass(frozen=True)
class Gold:
    """A block of gold sentences in ascending order of ``sid``."""

    sid: I64
    counted: Counted
    keys: pa.Table  # a column for each grouping key in gold
    unit: I64  # the sentence's unit of resampling
    whole: bool  # the block is all of gold
    # The numbers of source and target positions that links may have, if the text is given.
    lengths: I64 | None
    outside: int | None  # links outside them that were left out; None if they are refused
    nulls: bool  # words without a link have null links
    hint: str = ""  # advice on the text, for errors


def band_names(bands: Sequence[int] = BANDS) -> list[str]:
    """Return the names of length bands: ``1-5``, ``6-10``, ..., ``41+``."""
    ends = list(bands)
    if not ends or ends[0] < 1 or any(b <= a for a, b in pairwise(ends)):
        raise InputError(f"`bands` are {ends}", expected="ascending lengths from 1, such as 10, 20")
    starts = [1, *(last + 1 for last in bands)]
    closed = [f"{first}-{last}" for first, last in zip(starts, bands, strict=False)]
    return [*closed, f"{starts[-1]}+"]


def gold_blocks(
    source: Source,
    keys: Sequence[str],
    possible_as_sure: bool,
    bitext: object,
    bands: Sequence[int],
    block_links: int,
    executor: Executor | None,
    drop_outside: bool = False,
) -> Iterator[Gold]:
    """Yield gold in blocks of about ``block_links`` links."""
    # Keys are columns of gold, or `length`: the band of the mean length of both sides.
    stored = [name for name in keys if name not in ("length", "sid")]
    waiting: list[pa.RecordBatch] = []
    size = 0
    number = 0
    text = text_held(bitext)
    nulls = source.note("nulls") is not None
    seen: list[I64] = []

    def block(last: bool) -> Gold:
        nonlocal waiting, size, number
        whole = number == 0 and last
        made = _block(
            waiting, keys, stored, possible_as_sure, text, nulls, bands, whole, drop_outside
        )
        _check_repeats(made.sid, seen, source.name)
        waiting, size, number = [], 0, number + 1
        return made

    for batch in source.batches(stored, executor, labels=not possible_as_sure):
        if size >= block_links:
            yield block(last=False)
        waiting.append(batch)
        size += len(batch.column("links").flatten())
    if not waiting and number == 0:
        raise InputError("the gold table has no rows", path=source.name)
    if waiting:
        yield block(last=True)


def _check_repeats(sid: I64, seen: list[I64], name: str) -> None:
    repeats = sid[1:][sid[1:] == sid[:-1]]
    for other in seen:
        if other[-1] >= sid[0] and sid[-1] >= other[0]:
            repeats = np.append(repeats, np.intersect1d(other, sid))
    if repeats.size:
        raise InputError(
            f"gold gives sentence {sentence_name(repeats[0])} more than once",
            path=name,
            expected="one row per sentence, or a long table sorted by sid",
            todo="if several columns identify a sentence, name them with `on`, such as domain,sid",
        )
    seen.append(sid)


def _block(
    batches: list[pa.RecordBatch],
    keys: Sequence[str],
    stored: list[str],
    possible_as_sure: bool,
    text: Text | None,
    nulls: bool,
    bands: Sequence[int],
    whole: bool,
    drop_outside: bool,
) -> Gold:
    names = ["sid", "links", *stored]
    table = pa.Table.from_batches([batch.select(names) for batch in batches]).combine_chunks()
    batch = table.to_batches()[0]
    sid = sentence_column(batch)
    outside = None
    if drop_outside and text is not None:
        batch, outside = inside_only(batch, *(text.lengths_of(sid, "gold") + nulls))
    links = to_links(batch.column("links"))
    if possible_as_sure:
        links = links._replace(sure=frozen(np.zeros(0, np.uint8)))
    if (np.diff(sid) < 0).any():
        order = np.argsort(sid, kind="stable")
        sid, links, table = frozen(sid[order]), links.take(order), table.take(pa.array(order))
    lengths = None if text is None else text.lengths_of(sid, "gold")
    columns: dict[str, pa.Array | pa.ChunkedArray] = {}
    for key in keys:
        if key == "length":
            columns[key] = _bands(links, lengths, bands)
        elif key != "sid":
            columns[key] = table[key]
    hint = "" if text is None else text.hint
    if lengths is not None:
        lengths = lengths + nulls  # null links lead past the last word
        refuse_outside(links, sid, lengths, "gold", droppable=True, hint=hint)
    unit = np.arange(sid.size) if whole and sid.size <= MAX_UNITS else unit_of(sid)
    return Gold(
        sid, count_gold(links), pa.table(columns), unit, whole, lengths, outside, nulls, hint
    )


def _bands(links: Links, lengths: I64 | None, bands: Sequence[int]) -> pa.Array:
    sides = reach(links.starts, links.ends, links.i, links.j) if lengths is None else lengths
    # The mean of both sides; without a text, a sentence ends with its last aligned word.
    length = (sides.sum(axis=0) + 1) // 2
    codes = np.searchsorted(np.asarray(bands), length).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(band_names(bands)))
