"""The phrase pairs of every sentence, as a table of spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import wraps

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe import functions
from alignframe.core.arrays import I64, U8, frozen
from alignframe.core.arrow import as_array, to_links
from alignframe.core.keys import sentence_column
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import PHRASES, SPANS
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, warn
from alignframe.formats.rows import inside_only, left_outside
from alignframe.kernels.ragged import locate
from alignframe.kernels.text.words import join_words, space_words
from alignframe.links.inputs import by_sentence, hypotheses
from alignframe.links.text import Text, refuse_outside
from alignframe.options import checked
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.source import Source
from alignframe.typing import ForOutput, FromOne, IntoBitext, IntoHypotheses, Rare, Threads

# The number of sentences whose phrases are held at a time.
_ROWS = 10_000


@checked
def extract(
    links: IntoHypotheses,
    kind: str = "minimal",
    *,
    max_length: FromOne | None = None,
    bitext: IntoBitext | None = None,
    with_words: ForOutput[bool] = False,
    drop_outside: Rare[bool] = False,
    threads: Threads = None,
) -> pl.DataFrame:
    """List the phrase pairs consistent with the links of every sentence.

    Parameters
    ----------
    links
        Links of one or more systems: a frame, a path, or a mapping from system names to these. Sure
        and Possible links count alike.
    kind
        ``minimal``: for each link, the smallest consistent pair of spans around it; ``exhaustive``:
        every consistent pair whose border words are aligned; ``moses``: every consistent pair,
        including unaligned border words.
    max_length
        Maximum phrase length in words, on both sides; by default 7 for ``moses`` and unlimited for
        the others.
    bitext
        A frame with sid, src and tgt, or the path of such a Parquet file. Links outside their
        sentence are then an error, and ``moses`` includes unaligned words at the end. By default, a
        sentence ends with its last aligned word.
    with_words
        Also give the words of each pair, which needs the text.
    drop_outside
        Leave out links outside their sentence pair, which needs the text; by default an error.
    threads
        Number of threads, or an executor, to read Parquet ahead; one by default.

    Returns
    -------
    polars.DataFrame
        The columns system, sid, src_start, src_end, tgt_start, tgt_end (0-based, half-open), one
        row per phrase pair, sorted within a sentence; with ``with_words`` also src and tgt.

    Raises
    ------
    InputError
        If a source cannot be read, has a sentence twice, or has links outside the text.

    Notes
    -----
    Carl & Fissaha 2003, section 2.2. A pair is consistent if it contains a link and no link crosses
    its borders.

    Examples
    --------
    >>> from alignframe import phrases
    >>> phrases.extract(["0-1 1-0 2-2"], "exhaustive").drop("system", "sid").rows()
    [(0, 1, 1, 2), (0, 2, 0, 2), (0, 3, 0, 3), (1, 2, 0, 1), (2, 3, 2, 3)]
    """
    executor = pool_of(threads)
    stream = phrase_batches(links, kind, max_length, bitext, with_words, drop_outside, executor)
    table = pa.Table.from_batches(stream, schema=schema_of(with_words))
    return pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col("system").cast(pl.String))


def schema_of(with_words: bool) -> pa.Schema:
    """Return the schema of phrase pairs, with or without words."""
    if not with_words:
        return PHRASES
    return pa.schema([*PHRASES, *(pa.field(side, pa.string()) for side in ("src", "tgt"))])


@wraps(extract)
def phrase_batches(
    links: object,
    kind: str = "minimal",
    max_length: int | None = None,
    bitext: IntoBitext | None = None,
    with_words: bool = False,
    drop_outside: bool = False,
    executor: Executor | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the result of ``extract``, some sentences at a time."""
    sources = hypotheses(links)
    if with_words and bitext is None:
        worded = [source for source in sources if {*SIDES} <= {*source.columns}]
        if not worded:
            raise InputError("no text given", expected="`bitext`, for the words of phrases")
        bitext = worded[0].files or worded[0].frame
    given = None if bitext is None else sentence_pairs(bitext).in_memory()
    text = None if given is None else Text(given)
    if drop_outside and text is None:
        raise InputError("`drop_outside` needs the text", todo="give `bitext`")
    known = _Words(given) if with_words and given is not None else None
    for batch, lengths in sentences_once(sources, text, executor, drop_outside=drop_outside):
        sid = sentence_column(batch)
        sides = (None, None) if lengths is None else map(pa.array, lengths)
        phrases = functions.extract_phrases(batch.column("links"), kind, max_length, *sides)
        rows = np.repeat(np.arange(batch.num_rows), np.diff(phrases.offsets.to_numpy()))
        spans = phrases.flatten()
        columns = [batch.column("system").take(pa.array(rows)), pa.array(sid[rows])]
        columns += [spans.field(name) for name in SPANS]
        made = pa.record_batch(columns, schema=PHRASES)
        yield (
            made if known is None else known.with_words(made, frozen(locate(sid, known.sid)[rows]))
        )


class _Words:
    """The words of all sentences, as buffers."""

    def __init__(self, bitext: Source) -> None:
        table = bitext.table()
        sid = table["sid"].to_numpy()
        order = np.argsort(sid, kind="stable")
        self.sid = frozen(sid[order].astype(np.int64))
        self.sides = {side: _buffers(table[side], order) for side in ("src", "tgt")}

    def with_words(self, phrases: pa.RecordBatch, rows: I64) -> pa.RecordBatch:
        """Return phrases of the sentences in given rows, with the words of both sides."""
        columns = list(phrases.columns)
        for side, buffers in self.sides.items():
            ends = (frozen(phrases.column(f"{side}_{end}").to_numpy()) for end in ("start", "end"))
            offsets, text = join_words(*buffers, rows, *ends)
            if offsets[-1] > np.iinfo(np.int32).max:
                raise InputError(
                    f"more than 2 GB of words in the phrases of {_ROWS:,} sentences",
                    todo="limit the length of phrases",
                )
            made = pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(text)
            columns.append(pa.StringArray.from_buffers(rows.size, *made))
        return pa.record_batch(columns, schema=schema_of(with_words=True))


def _buffers(column: pa.ChunkedArray, order: I64) -> tuple[I64, I64, U8]:
    """Return the buffers ``lists``, ``words`` and ``spaced`` for ``join_words``."""
    lists = as_array(column.cast(pa.large_list(pa.large_string()))).take(pa.array(order))
    values = lists.values
    # An array may be a slice: its buffers have words before and after it.
    _, words, data = values.buffers()
    offsets = np.frombuffer(words, np.int64)[values.offset : values.offset + len(values) + 1]
    text = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    words_at = frozen(offsets - offsets[0])
    spaced = space_words(words_at, frozen(text[offsets[0] : offsets[-1]]))
    return frozen(lists.offsets.to_numpy()), words_at, frozen(spaced)


def sentences_once(
    sources: Sequence[Source],
    text: Text | None = None,
    executor: Executor | None = None,
    *,
    labels: bool = False,
    called: str | None = None,
    drop_outside: bool = False,
) -> Iterator[tuple[pa.RecordBatch, I64 | None]]:
    """Yield batches of system, sid and links, with lengths (2, sentences) of a text."""
    for source in sources:
        seen: dict[str, list[I64]] = {}
        outside = 0
        # Sorted, so that no sentence is split between batches.
        whole = by_sentence(source.in_memory()) if source.is_long else source
        for wide in whole.batches(labels=labels, executor=executor):
            for start in range(0, wide.num_rows, _ROWS):
                batch = wide.slice(start, _ROWS)
                sid = sentence_column(batch)
                for name, rows in rows_of_systems(batch.column("system")).items():
                    seen.setdefault(name, []).append(sid[rows])
                lengths = None
                if text is not None:
                    name = called or (source.name if len(seen) > 1 else next(iter(seen)))
                    lengths = text.lengths_of(sid, name)
                    if drop_outside:
                        batch, left = inside_only(batch, *lengths)
                        outside += left
                    else:
                        refuse_outside(
                            to_links(batch.column("links")),
                            sid,
                            lengths,
                            name,
                            droppable=True,
                            hint=text.hint,
                        )
                yield batch.select(["system", "sid", "links"]), lengths
        if outside:
            warn(f"{source.name}: {left_outside(outside)}")
        for name, parts in seen.items():
            sid = np.sort(np.concatenate(parts))
            twice = sid[1:][sid[1:] == sid[:-1]]
            if twice.size:
                raise InputError(
                    f"{called or name} gives sentence {twice[0]} more than once",
                    path=source.name,
                    expected="one row per sentence and system",
                    todo="give runs different system names",
                )


def rows_of_systems(column: pa.DictionaryArray) -> dict[str, I64]:
    """Return the rows of each system with any; a dictionary may have unused names."""
    codes = column.indices.to_numpy()
    rows = {
        name: np.flatnonzero(codes == k) for k, name in enumerate(column.dictionary.to_pylist())
    }
    return {name: mine for name, mine in rows.items() if mine.size}
