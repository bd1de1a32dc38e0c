"""Links in either layout, long or nested, as batches with one row per sentence."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import Bools, Floats, frozen
from alignframe.core.arrow import (
    are_pairs,
    as_labels,
    is_links,
    is_list,
    is_text,
    links_array,
    null_links,
    positions,
    split_batches,
)
from alignframe.core.keys import sentence_column, system_column
from alignframe.errors import InputError, few_of, in_file, sentence_name
from alignframe.kernels.ragged import run_starts
from alignframe.read.parquet import ParquetFiles

PROBABILITIES = "probabilities"
"""The column of a nested table with a probability for each link."""
# Names of list columns in long tables, where they hold single values.
_LONG = {PROBABILITIES: "probability"}


def is_long(schema: pa.Schema) -> bool:
    """Whether a table has one row per link (i, j), not one row per sentence (links).

    Links of a sentence may be a text, or a list of pairs, as which they stay here.
    """
    nested = "links" in schema.names
    if not {"sid", *(("links",) if nested else ("i", "j"))} <= set(schema.names):
        raise InputError(
            f"a table of links has the columns {few_of(schema.names) or '(none)'}",
            expected="sid, i and j (one row per link), or sid and links (one row per sentence)",
        )
    kind = schema.field("links").type if nested else None
    if kind is not None and not (is_links(kind) or is_text(kind) or are_pairs(kind)):
        raise InputError(
            f"a column links of type {kind}",
            expected="list<struct<i: uint16, j: uint16>>, or texts such as 0-0 1-2",
        )
    # Labels beside the links would be passed over, and each link be Sure.
    beside = schema.field("sure").type if nested and "sure" in schema.names else pa.null()
    if pa.types.is_nested(beside) or (is_text(beside) and not pa.types.is_null(beside)):
        raise InputError(
            f"a column sure of type {beside} beside links",
            expected="the label in each link: list<struct<i: uint16, j: uint16, sure: bool>>",
        )
    return not nested


def has_links(schema: pa.Schema) -> bool:
    """Whether a table is one of links, in either layout."""
    nested = "links" in schema.names and is_links(schema.field("links").type)
    return {"sid", *(("links",) if nested else ("i", "j"))} <= set(schema.names)


def columns_needed(schema: pa.Schema, keep: Sequence[str] = (), labels: bool = False) -> list[str]:
    """Return the columns, with nested fields, that must be read for links."""
    if is_long(schema):
        names = ["system", "sid", "i", "j", *(["sure"] if labels else [])]
        keep = [_LONG.get(name, name) for name in keep]
    elif labels or not pa.types.is_list(kind := schema.field("links").type) or not is_links(kind):
        names = ["system", "sid", "links"]
    else:
        names = ["system", "sid", "links.i", "links.j"]
    return [*names, *keep]


def nest(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    system: str | None = None,
    keep: Sequence[str] = (),
) -> Iterator[pa.RecordBatch]:
    """Yield batches with the columns system, sid, links and those in ``keep``."""
    if not is_long(schema):
        for batch in split_batches(batches):
            links, sid = batch.column("links"), sentence_column(batch)
            if links.null_count:
                raise null_links(links.is_null(), sid, "sentence")
            columns = [system_column(batch, system), batch.column("sid"), links]
            columns += [batch.column(name) for name in keep]
            yield pa.record_batch(columns, names=["system", "sid", "links", *keep])
        return
    # In a long table, consecutive rows with the same system and sid are one sentence, across
    # batches too.
    rest: pa.RecordBatch | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        if rest is not None and rest.num_rows:
            batch = _join(rest, batch)
        for name in ("i", "j"):
            if batch.column(name).null_count:
                missing = batch.column(name).is_null()
                raise null_links(missing, sentence_column(batch), "sentence", name)
        whole, rest = _runs(batch, system, keep)
        if whole.num_rows:
            yield whole
    if rest is not None:
        yield _runs(rest, system, keep, last=True)[0]


def _join(batch: pa.RecordBatch, other: pa.RecordBatch) -> pa.RecordBatch:
    """Concatenate two batches, whose dictionaries may differ."""
    table = pa.Table.from_batches([batch, other]).unify_dictionaries().combine_chunks()
    return table.to_batches()[0]


def _runs(
    batch: pa.RecordBatch,
    system: str | None,
    keep: Sequence[str],
    last: bool = False,
) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Return all sentences of a long batch except the last, and the rows of the last."""
    systems = system_column(batch, system)
    sid = sentence_column(batch)
    offsets = run_starts(frozen(systems.indices.to_numpy()), sid)
    if not last:
        offsets = offsets[:-1]
    starts = offsets[:-1]
    sure = None
    if "sure" in batch.schema.names:
        labels = as_labels(batch.column("sure")).fill_null(True)
        sure = labels.to_numpy(zero_copy_only=False).astype(np.uint8)
    end = int(offsets[-1])
    links = links_array(
        offsets,
        positions(batch.column("i"))[:end],
        positions(batch.column("j"))[:end],
        None if sure is None else sure[:end],
    )
    chosen = pa.array(starts)
    columns = [systems.take(chosen), pa.array(sid[starts]), links]
    for name in keep:
        if name in _LONG:
            values = batch.column(_LONG[name])[:end]
            columns.append(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values))
        else:
            columns.append(batch.column(name).take(chosen))
    whole = pa.record_batch(columns, names=["system", "sid", "links", *keep])
    return whole, batch.slice(end)


def sort_long(source: Sequence[str] | pa.RecordBatchReader, path: str) -> None:
    """Sort a long table, a reader or files, by system and sid into Parquet, maybe out of core."""
    import duckdb

    with duckdb.connect() as connection:
        if isinstance(source, pa.RecordBatchReader):
            given = connection.from_arrow(source)
        else:
            given = connection.read_parquet(list(source), hive_partitioning=True)
        by = [name for name in ("system", "sid") if name in given.columns]
        given.order(", ".join(by)).write_parquet(path)


def also_kept(schema: pa.Schema) -> list[str]:
    """Return the columns that files of links may have besides: words, ids and probabilities."""
    known = [name for name in ("src", "tgt") if name in schema.names]
    if "id" in schema.names and is_text(schema.field("id").type):
        known.append("id")
    return [*known, PROBABILITIES] if is_weighed(schema) else known


def is_weighed(schema: pa.Schema) -> bool:
    """Whether a table of links, in either layout, has their probabilities."""
    return (_LONG[PROBABILITIES] if is_long(schema) else PROBABILITIES) in schema.names


def no_probabilities() -> InputError:
    """Return the error for a file without the probabilities of its links."""
    return InputError(
        "has no probabilities",
        todo="`min_probability` needs links such as 0-0:0.9, NAACL with a fifth column, or a table "
        "with a column probabilities (of a row per link: probability)",
    )


def no_probability(number: float, line: int | None = None) -> InputError:
    """Return the error for a number that is no probability."""
    return InputError(
        f"the probability {number:.6g} of a link",
        line=line,
        expected="numbers from 0 to 1",
        todo="if it is a logarithm, write its exponential",
    )


def is_odd(weights: Floats) -> Bools:
    """Whether numbers are no probabilities, such as logarithms; sums are rounded."""
    return (weights < 0) | (weights > 1 + 1e-6)


def are_probable(weights: Floats, least: float) -> Bools:
    """Whether each link is as probable as ``least``; one without a probability is."""
    odd = weights[is_odd(weights)]
    if odd.size:
        raise no_probability(odd[0])
    # The threshold has the values' type, because 0.9 in 32 bits differs from 0.9 in 64. NaN, a
    # missing probability, is not less.
    return ~(weights < np.asarray(least, weights.dtype))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def without_improbable(batch: pa.RecordBatch, least: float | None) -> pa.RecordBatch:
    """Drop the links of a nested batch that are less probable than ``least``; keep sentences."""
    links, given = batch.column("links"), batch.column(PROBABILITIES)
    if is_text(links.type):
        found = f"a column {PROBABILITIES} beside texts of links"
        raise InputError(found, expected="probabilities in the texts, such as 0-0:0.9")
    values = given.flatten() if is_list(given.type) else None
    if values is None or not (_is_number(values.type) or pa.types.is_null(values.type)):
        raise InputError(f"a column {PROBABILITIES} of type {given.type}", expected="list<float>")
    sizes, others = (
        pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        for lists in (links, given)
    )
    if (sizes != others).any():
        at = int(np.argmax(sizes != others))
        raise InputError(
            f"sentence {sentence_name(sentence_column(batch)[at])} has {sizes[at]:,} links and "
            f"{others[at]:,} probabilities",
            expected="one per link",
        )
    if pa.types.is_null(values.type):
        values = values.cast(pa.float64())
    weights = values.to_numpy(zero_copy_only=False)
    kept = are_probable(weights, least or 0.0) if weights.size else np.zeros(0, np.bool_)
    return batch if least is None else with_only(batch, kept)


def with_only(batch: pa.RecordBatch, kept: Bools) -> pa.RecordBatch:
    """Return a nested batch with some of its links and their probabilities; sentences stay."""
    sizes = pc.fill_null(pc.list_value_length(batch.column("links")), 0)
    before = np.concatenate([[0], np.cumsum(kept)])
    offsets = pa.array(before[np.concatenate([[0], np.cumsum(sizes)])], pa.int32())
    for name in ("links", PROBABILITIES):
        at = batch.schema.get_field_index(name)
        if at >= 0:
            field = batch.schema.field(at)  # one schema for all batches of a file
            flat = batch.column(at).flatten().filter(pa.array(kept, pa.bool_()))
            own = pa.ListArray.from_arrays(offsets, flat)
            batch = batch.set_column(at, field, own.cast(field.type))  # polars has large lists
    return batch


def read_nested(
    path: str | PathLike[str], system: str, least: float | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the links of Parquet files as nested batches, with columns src and tgt if present."""
    files = ParquetFiles(path)
    with in_file(files.paths[0]):
        long = is_long(files.schema)
    keep = also_kept(files.schema)
    stored = _LONG[PROBABILITIES] if long else PROBABILITIES
    if not long and is_text(files.schema.field("links").type) and PROBABILITIES not in keep:
        least = None  # texts have their own
    lacking = [part for part in files.parts(whole_files=True) if stored not in part.stored]
    if least is not None and lacking:
        with in_file(lacking[0].file.path):
            raise no_probabilities()
    if lacking and PROBABILITIES in keep:
        keep.remove(PROBABILITIES)
    for batch in _in_order(files, keep, system):
        yield without_improbable(batch, least) if PROBABILITIES in keep else batch


def _in_order(files: ParquetFiles, keep: Sequence[str], system: str) -> Iterator[pa.RecordBatch]:
    """Yield nested batches of files; sort long tables that are out of order."""
    wanted = columns_needed(files.schema, keep, labels=True)
    if not is_long(files.schema) or _ascending(files, system):
        yield from nest(files.batches(wanted), files.schema, system, keep)
        return
    with tempfile.TemporaryDirectory(prefix="alignframe-") as folder:
        draft = str(Path(folder, "sorted.parquet"))
        sort_long(files.reader(), draft)
        again = ParquetFiles(draft)
        yield from nest(again.batches(wanted), again.schema, system, keep)


def _ascending(files: ParquetFiles, system: str) -> bool:
    """Whether each system's rows are contiguous in a long table, with ascending sids."""
    done: set[str] = set()
    last_system, last_sid = "", -1
    for batch in files.batches(["system", "sid"]):
        systems, sid = system_column(batch, system), sentence_column(batch)
        starts = run_starts(frozen(systems.indices.to_numpy()), sid)[:-1]
        names = systems.take(pa.array(starts)).to_pylist()
        for name, number in zip(names, sid[starts].tolist(), strict=True):
            if name != last_system:
                if name in done:
                    return False
                done.add(name)
                last_system, last_sid = name, -1
            if number < last_sid:
                return False
            last_sid = number
    return True
