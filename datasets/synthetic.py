"""Large synthetic corpora of links, for measuring speed and memory.

Sentences have 10 to 30 words; four out of five links are on the diagonal, the rest near it; two
thirds of the gold links are Sure. ``python -m datasets.synthetic 1000000 FOLDER`` writes
``hyp.parquet`` and ``gold.parquet`` (nested), ``hyp_long.parquet`` and ``gold_long.parquet``.
``write_text`` writes the words of these sentences, ``text.parquet``: word frequencies follow Zipf's
law, and each word has a single translation, so that phrases recur.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.core.arrow import links_array
from alignframe.core.schemas import ALIGNMENTS, BITEXT, GOLD, SYSTEM, TOKENS

_ROWS = 100_000


def batch(
    first: int, rows: int, seed: int, *, gold: bool, system: str = "synthetic"
) -> pa.RecordBatch:
    """Return the sentences from ``first`` to ``first + rows`` as a nested batch."""
    shape = np.random.default_rng([first, 0])
    sizes = shape.integers(10, 31, rows)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    i = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    rng = np.random.default_rng([first, seed])
    off = np.where(rng.random(i.size) < 0.2, rng.integers(-4, 5, i.size), 0)
    j = np.clip(i + off, 0, None).astype(np.uint16)
    sid = pa.array(np.arange(first, first + rows))
    sure = (rng.random(i.size) < 2 / 3).astype(np.uint8) if gold else None
    links = links_array(offsets, i.astype(np.uint16), j, sure)
    if gold:
        return pa.record_batch([sid, links], schema=GOLD)
    codes = pa.array(np.zeros(rows, np.int32))
    names = pa.DictionaryArray.from_arrays(codes, pa.array([system])).cast(SYSTEM)
    return pa.record_batch([names, sid, links], schema=ALIGNMENTS)


def text(first: int, rows: int) -> pa.RecordBatch:
    """Return the words of the sentences of ``batch``; targets are 4 words longer, for the links."""
    sizes = np.random.default_rng([first, 0]).integers(10, 31, rows)
    longer = sizes + 4
    ends = np.cumsum(longer)
    rng = np.random.default_rng([first, 3])
    # The inverse of the cumulative distribution for frequencies of 1 / rank over 50,000 words.
    ranks = np.exp(rng.random(ends[-1]) * np.log(50_000)).astype(np.int32)
    place = np.arange(ends[-1]) - np.repeat(ends - longer, longer)
    inside = place < np.repeat(sizes, longer)
    vocabulary = {side: pa.array([f"{side}{n}" for n in range(50_000)]) for side in "st"}
    columns = [pa.array(np.arange(first, first + rows))]
    for side, length, chosen in (("s", sizes, ranks[inside]), ("t", longer, ranks)):
        offsets = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
        words = vocabulary[side].take(pa.array(chosen))
        columns.append(pa.ListArray.from_arrays(pa.array(offsets), words, type=TOKENS))
    return pa.record_batch(columns, schema=BITEXT)


def write_text(folder: Path, sentences: int) -> None:
    """Write the words of this many sentences."""
    with pq.ParquetWriter(folder / "text.parquet", BITEXT, compression="zstd") as writer:
        for first in range(0, sentences, _ROWS):
            writer.write_batch(text(first, min(_ROWS, sentences - first)))


def flatten(nested: pa.RecordBatch) -> pa.Table:
    """Return a nested batch as a long table."""
    links = nested.column("links")
    sizes: npt.NDArray[np.int32] = np.diff(links.offsets.to_numpy())
    rows = pa.array(np.repeat(np.arange(nested.num_rows), sizes))
    names = [name for name in nested.schema.names if name != "links"]
    columns = {name: nested.column(name).take(rows) for name in names}
    flat = links.flatten()
    columns |= {field.name: flat.field(field.name) for field in flat.type}
    return pa.table(columns)


def write(folder: Path, sentences: int, *, long: bool = True) -> None:
    """Write a corpus of this many sentences, with about 20 links each in hypothesis and gold."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, gold, seed in (("hyp", False, 1), ("gold", True, 2)):
        writers: dict[str, pq.ParquetWriter] = {}
        for first in range(0, sentences, _ROWS):
            made = batch(first, min(_ROWS, sentences - first), seed, gold=gold)
            tables = {name: pa.Table.from_batches([made])}
            if long:
                tables[f"{name}_long"] = flatten(made)
            for stem, table in tables.items():
                if stem not in writers:
                    path = folder / f"{stem}.parquet"
                    writers[stem] = pq.ParquetWriter(path, table.schema, compression="zstd")
                writers[stem].write_table(table, row_group_size=1_000_000 if long else _ROWS)
        for writer in writers.values():
            writer.close()


if __name__ == "__main__":
    write(Path(sys.argv[2]), int(sys.argv[1]))
