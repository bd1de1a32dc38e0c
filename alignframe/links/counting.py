"""Additive counts of hypothesis links against gold, per sentence, for sources of any size.

Hypotheses are read one row group at a time and counted against gold in memory; large gold is
processed in blocks. Memory does not grow with the number of hypothesis links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, U8, Links, frozen
from alignframe.core.arrow import to_links
from alignframe.core.keys import sentence_column
from alignframe.core.parallel import parallel_map
from alignframe.core.schemas import COUNTS
from alignframe.errors import InputError, check_flags, sentence_name, unknown_name
from alignframe.formats.rows import inside_only
from alignframe.kernels.links.counts import Hits, count_hits
from alignframe.kernels.ragged import locate, mark_seen
from alignframe.kernels.small import call
from alignframe.links.found import Coverage, warn_of_labels
from alignframe.links.gold import BANDS, BLOCK_LINKS, Gold, gold_blocks
from alignframe.links.inputs import LINK_COLUMNS, by_sentence, in_order, sizes_of
from alignframe.links.null_links import null_hits
from alignframe.links.text import refuse_outside, system_of
from alignframe.sources.misread import Shared, shared_links
from alignframe.sources.source import Source

UNIT = "_alignframe_unit"
Reduce = Callable[[pa.Table], pa.Table]
"""A function applied to the counts of a piece."""


def count_stream(
    hyp: Sequence[Source],
    gold: Source,
    *,
    by: Sequence[str] | str = (),
    possible_as_sure: bool = False,
    bitext: object = None,
    bands: Sequence[int] = BANDS,
    strict: bool = False,
    drop_outside: bool = False,
    executor: Executor | None = None,
    reduce: Reduce | None = None,
    block_links: int = BLOCK_LINKS,
    systems: Sequence[str] = (),
) -> Iterator[pa.Table]:
    """Yield counts in pieces with ``UNIT``, applying ``reduce`` to each; see ``scores.counts``."""
    check_flags(possible_as_sure=possible_as_sure, strict=strict, drop_outside=drop_outside)
    if drop_outside and bitext is None:
        raise InputError("`drop_outside` needs the text", todo="give `bitext`")
    gold_keys, hyp_keys = _split_keys(by, gold, hyp)
    gold = gold.in_memory()
    if gold.is_long and not in_order(gold):
        gold = by_sentence(gold)
    problems = Coverage()
    hit = problems.hit
    blocks = gold_blocks(
        gold, gold_keys, possible_as_sure, bitext, bands, block_links, executor, drop_outside
    )
    types = {
        name: _value_type(source.schema.field(name).type) for source in hyp for name in hyp_keys
    }
    sources = list(hyp)
    orders = [source.note("order") or "src-tgt" for source in sources]
    sizes: dict[str, int] = {}
    gold_is_sure = not possible_as_sure
    for number, block in enumerate(blocks):
        problems.sentences += block.sid.size
        problems.leave_out("gold", block.outside or 0)
        sizes_of_gold = block.counted.n_sure, block.counted.n_possible
        gold_is_sure = gold_is_sure and np.array_equal(*sizes_of_gold)
        if gold.chosen is None:
            problems.widen("", block.sid)
        if number == 0 and not block.whole:
            # With several blocks, a system without rows in one still misses its sentences.
            sizes = _all_sizes(sources)
        # Systems that are named are counted even if they have no row.
        seen = {name: np.zeros(block.sid.size, np.uint8) for name in (*sizes, *systems)}
        task = partial(_count_piece, gold=block, keep=tuple(hyp_keys), reduce=reduce)
        for at in range(len(sources)):
            counted: Iterable[PieceCounts] = _run(task, sources[at], block, executor)
            # A long table may return to a sentence; it is sorted if it does.
            if sources[at].is_long:
                counted = list(counted)
                if not _each_once(counted, block):
                    sources[at] = by_sentence(sources[at])
                    sizes |= {} if block.whole else sizes_of(sources[at])
                    counted = _run(task, sources[at], block, executor)
            for counts_of_piece in counted:
                for system, rows in counts_of_piece.rows.items():
                    _mark(seen, system, rows, block, sources[at])
                    hit[system] = hit.get(system, 0) + rows.size
                for system, links in counts_of_piece.outside.items():
                    problems.leave_out(system, links)
                for system, ends in counts_of_piece.ends.items():
                    problems.widen(system, ends)
                for system, shared in counts_of_piece.shared.items():
                    problems.shared.setdefault(system, Counter()).update(shared)
                    problems.orders[system] = orders[at]
                if block.whole:
                    for system, size in counts_of_piece.read.items():
                        sizes[system] = sizes.get(system, 0) + size
                yield from counts_of_piece.tables
        if not sizes and not systems:
            raise InputError("the hypothesis has no rows", path=sources[0].name)
        for system, marks in seen.items():
            missing = np.flatnonzero(marks == 0)
            if missing.size:
                problems.missing[system] = problems.missing.get(system, 0) + missing.size
                table = _missing(system, missing, block, types)
                yield reduce(table) if reduce else table
    if gold_is_sure:
        warn_of_labels(sources)
    left = {system: size - hit.get(system, 0) - gold.left_out for system, size in sizes.items()}
    problems.sizes = sizes
    problems.ignored = {system: number for system, number in left.items() if number > 0}
    problems.report(strict)


def _all_sizes(sources: Sequence[Source]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for source in sources:
        sizes |= sizes_of(source)
    return sizes


def _run(
    task: Callable[[Source], PieceCounts], source: Source, block: Gold, executor: Executor | None
) -> Iterator[PieceCounts]:
    """Count the pieces that may have sentences of the block, or all if it is all of gold."""
    pieces = source.pieces()
    if not block.whole:
        low, high = int(block.sid[0]), int(block.sid[-1])
        narrowed = (piece.narrowed(low, high) for piece in pieces)
        pieces = [piece for piece in narrowed if piece is not None]
    return parallel_map(task, pieces, executor)


def _sizes_of(batch: pa.RecordBatch) -> dict[str, int]:
    systems = batch.column("system")
    numbers = np.bincount(systems.indices.to_numpy(), minlength=len(systems.dictionary))
    pairs = zip(systems.dictionary.to_pylist(), numbers.tolist(), strict=True)
    return {name: size for name, size in pairs if size}


def _split_keys(
    by: Sequence[str], gold: Source, hyp: Sequence[Source]
) -> tuple[list[str], list[str]]:
    """Return the keys in gold, and those only in hypotheses."""
    reserved = {*COUNTS, UNIT, "sentences", "links", "signature"} & set(by)
    if reserved:
        raise InputError(
            f"the column {min(reserved)!r} to group by, which is the name of a result",
            todo="give the column another name",
        )
    gold_keys = [name for name in by if name == "length" or name in gold.columns]
    hyp_keys = [name for name in by if name not in gold_keys]
    for name in hyp_keys:
        for source in hyp:
            if name not in source.columns:
                columns = dict.fromkeys(("length", *gold.columns, *source.columns))
                raise unknown_name(
                    "column in `by`", name, [n for n in columns if n not in LINK_COLUMNS]
                )
    return gold_keys, hyp_keys


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _value_column(batch: pa.RecordBatch, name: str) -> pa.Array:
    column = batch.column(name)
    return column.cast(_value_type(column.type))


class PieceCounts(NamedTuple):
    """The counts of a piece, the gold rows of each system there, and sentences read."""

    tables: list[pa.Table]
    rows: dict[str, I64]
    read: dict[str, int]
    ends: dict[str, I64]  # each system's first and last sid
    shared: dict[str, Shared]  # of its first sentences, by how they may be misread
    outside: dict[str, int]  # links of each system that were left out


def _count_piece(
    piece: Source, *, gold: Gold, keep: tuple[str, ...], reduce: Reduce | None
) -> PieceCounts:
    tables: list[pa.Table] = []
    rows: dict[str, list[I64]] = {}
    read: dict[str, int] = {}
    ends: dict[str, list[I64]] = {}
    shared: dict[str, Shared] = {}
    outside: Counter[str] = Counter()
    for batch in piece.batches(keep):
        sid = sentence_column(batch)
        if gold.outside is not None and gold.lengths is not None:
            batch, left = _inside(batch, call(locate, sid, gold.sid), gold.lengths)
            outside.update(left)
        table, matched, links, hits = _count_batch(batch, gold, keep)
        systems = batch.column("system")
        codes = systems.indices.to_numpy()
        names = systems.dictionary.to_pylist()
        for name, size in _sizes_of(batch).items():
            read[name] = read.get(name, 0) + size
            places = np.flatnonzero(codes == names.index(name))
            mine = matched[places]
            own = sid[places]
            ends.setdefault(name, []).append(np.array([own.min(), own.max()]))
            rows.setdefault(name, []).append(mine[mine >= 0])
            if name not in shared:
                shared[name] = shared_links(
                    links, gold.counted, matched, places, hits, (sid, gold.sid)
                )
        if table.num_rows:
            tables.append(table)
    if reduce and tables:
        tables = [reduce(pa.concat_tables(tables, promote_options="permissive"))]
    rows_of_systems = {name: np.concatenate(parts) for name, parts in rows.items()}
    spans = {name: np.concatenate(parts) for name, parts in ends.items()}
    return PieceCounts(tables, rows_of_systems, read, spans, shared, outside)


def _inside(batch: pa.RecordBatch, rows: I64, lengths: I64) -> tuple[pa.RecordBatch, Counter[str]]:
    """Return a batch without links outside their sentence pair, and how many each system had."""
    own = np.where(rows >= 0, lengths[:, rows], -1)  # those that gold lacks are not counted
    kept, outside = inside_only(batch, *own)
    if not outside:
        return kept, Counter()
    before, after = (
        pc.list_value_length(one.column("links")).fill_null(0).to_numpy() for one in (batch, kept)
    )
    systems = batch.column("system")
    left = np.bincount(systems.indices.to_numpy(), before - after)
    names = systems.dictionary.to_pylist()
    return kept, Counter({names[at]: int(left[at]) for at in np.flatnonzero(left)})


def _count_batch(
    batch: pa.RecordBatch, gold: Gold, keep: Sequence[str]
) -> tuple[pa.Table, I64, Links, Hits]:
    """Return a batch's counts of sentences in gold, and gold rows, links and hits of all."""
    sid = sentence_column(batch)
    rows = call(locate, sid, gold.sid)
    links = to_links(batch.column("links"))
    hits = count_hits(links, gold.counted, rows)
    known = rows[rows >= 0]
    kept = batch.select(["system", *keep])
    chosen: slice | I64 = slice(None)  # usually gold has all, and nothing is copied
    if known.size < rows.size:
        chosen = np.flatnonzero(rows >= 0)
        kept = kept.take(pa.array(chosen))
    if gold.lengths is not None:
        mine = links._replace(starts=frozen(links.starts[chosen]), ends=frozen(links.ends[chosen]))
        own = gold.lengths[:, known]
        name = system_of(batch)
        refuse_outside(mine, sid[chosen], own, name, droppable=True, hint=gold.hint)
    columns: dict[str, Any] = {"system": kept.column("system"), "sid": pa.array(sid[chosen])}
    columns |= {name: _value_column(kept, name) for name in keep}
    columns |= {name: gold.keys[name].take(pa.array(known)) for name in gold.keys.column_names}
    columns |= {
        "n_hyp": pa.array(hits.n_hyp[chosen]),
        "n_sure": pa.array(gold.counted.n_sure[known]),
        "n_possible": pa.array(gold.counted.n_possible[known]),
        "n_hyp_sure": pa.array(hits.n_hyp_sure[chosen]),
        "n_hyp_possible": pa.array(hits.n_hyp_possible[chosen]),
        UNIT: pa.array(gold.unit[known]),
    }
    return pa.table(columns), rows, links, hits


def _missing(system: str, rows: I64, gold: Gold, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return the counts of missing sentences: no links but null links, all others missed."""
    zero = np.zeros(rows.size, np.int64)
    hits = null_hits(system, rows, gold) if gold.nulls else Hits(zero, zero, zero)
    take = pa.array(rows)
    names = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows.size, np.int32)), pa.array([system])
    )
    columns: dict[str, Any] = {"system": names, "sid": pa.array(gold.sid[rows])}
    columns |= {name: pa.nulls(rows.size, kind) for name, kind in types.items()}
    columns |= {name: gold.keys[name].take(take) for name in gold.keys.column_names}
    columns |= {
        "n_hyp": pa.array(hits.n_hyp),
        "n_sure": pa.array(gold.counted.n_sure[rows]),
        "n_possible": pa.array(gold.counted.n_possible[rows]),
        "n_hyp_sure": pa.array(hits.n_hyp_sure),
        "n_hyp_possible": pa.array(hits.n_hyp_possible),
        UNIT: pa.array(gold.unit[rows]),
    }
    return pa.table(columns)


def _mark(
    seen: dict[str, U8],
    system: str,
    rows: I64,
    gold: Gold,
    source: Source,
) -> None:
    marks = seen.setdefault(system, np.zeros(gold.sid.size, np.uint8))
    again = call(mark_seen, marks, frozen(rows))
    if again >= 0:
        twice = sentence_name(int(gold.sid[rows[again]]))
        raise InputError(
            f"{system} gives sentence {twice} more than once",
            path=source.name,
            expected="one row per sentence and system",
            todo="give runs different system names, or name the columns that identify a sentence "
            "with `on`",
        )


def _each_once(results: Sequence[PieceCounts], gold: Gold) -> bool:
    """Whether the rows of each sentence of a long source are contiguous."""
    seen: dict[str, U8] = {}
    for counts_of_piece in results:
        for system, rows in counts_of_piece.rows.items():
            marks = seen.setdefault(system, np.zeros(gold.sid.size, np.uint8))
            if call(mark_seen, marks, frozen(rows)) >= 0:
                return False
    return True
