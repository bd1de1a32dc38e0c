"""Any frame in, Arrow batches out; Arrow lists to numpy arrays and back without copies.

Accepted as a table anywhere in the package: polars DataFrames and LazyFrames, pandas DataFrames,
pyarrow tables, batches, readers and datasets, DuckDB relations, every other object with
``__arrow_c_stream__``, dicts of columns and lists of dicts. Paths: ``alignframe.sources.words``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, U8, U16, Links, frozen
from alignframe.core.schemas import (
    GOLD_LINK,
    GOLD_LINKS,
    LINK,
    LINKS,
    MAX_POSITION,
    SYSTEM,
)
from alignframe.errors import InputError, few_of, number_of, sentence_name

TABLE = (
    "a polars, pandas, pyarrow or DuckDB table, a dict of columns, a list of dicts, or the path of "
    "Parquet, .csv, .tsv or .jsonl"
)
"""Accepted forms of tables."""

BATCH_ROWS = 100_000
"""Rows read at a time, if a row is a sentence."""

LINK_ROWS = 1_000_000
"""Rows read at a time, if a row is a link."""


def is_frame(thing: object) -> bool:
    """Whether ``to_reader`` accepts something, judged without reading it."""
    ways = ("to_arrow_reader", "collect_batches", "scanner", "__arrow_c_stream__")
    if isinstance(thing, (pa.RecordBatch, Mapping)) or _are_rows(thing):
        return True
    return any(hasattr(thing, way) for way in ways)


def is_column(thing: object) -> bool:
    """Whether something is a list, an array or a series, and not a table, a path or a text."""
    if (
        isinstance(thing, (str, bytes, Mapping))
        or hasattr(type(thing), "columns")
        or _are_rows(thing)
    ):
        return False
    return hasattr(thing, "__len__") and not hasattr(thing, "_fields")  # of a named tuple


def _are_rows(thing: object) -> bool:
    """Whether something is a list of dicts."""
    return (
        isinstance(thing, (list, tuple))
        and bool(thing)
        and all(isinstance(row, Mapping) for row in thing)
    )


def to_reader(frame: object, what: str = "a table", expected: str = TABLE) -> pa.RecordBatchReader:
    """Return a streaming reader over any frame, a dict of columns or a list of dicts."""
    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(frame.schema, [frame])
    if hasattr(frame, "to_arrow_reader"):  # a DuckDB relation, run as it is read
        return frame.to_arrow_reader(BATCH_ROWS)
    if hasattr(frame, "collect_batches"):  # a polars LazyFrame, run as it is read
        return _lazy_reader(frame)
    if hasattr(frame, "scanner"):  # a pyarrow dataset
        return frame.scanner(batch_size=BATCH_ROWS).to_reader()
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return _without_views(pa.RecordBatchReader.from_stream(frame))
        except (pa.ArrowException, TypeError, ValueError) as error:  # of pandas's objects
            raise InputError(
                f"{what} that cannot be read ({'; '.join(map(str, error.args))})",
                expected="columns of different names, each with values of one type",
            ) from None
    if isinstance(frame, Mapping) or _are_rows(frame):
        return _of_python(frame, what).to_reader()
    raise InputError(f"an object of type {type(frame).__name__} given as {what}", expected=expected)


def _of_python(frame: Any, what: str) -> pa.Table:
    """Return a dict of columns, or a list of dicts, as a table."""
    try:
        if isinstance(frame, Mapping):
            return pa.table({str(name): _column(values) for name, values in frame.items()})
        names = dict.fromkeys(name for row in frame for name in row)
        return pa.table({str(name): [row.get(name) for row in frame] for name in names})
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{what} that cannot be made ({error})", expected=TABLE) from None


def _column(values: Any) -> Any:
    if isinstance(values, (str, bytes, Mapping)) or hasattr(type(values), "columns"):
        raise TypeError(f"a column of type {type(values).__name__}")
    if hasattr(values, "to_arrow"):  # a polars series
        values = values.to_arrow()
        return values.cast(_plain_type(values.type))
    return pa.array([*values] if isinstance(values, (range, set, tuple)) else values)


def schema_of(frame: object) -> pa.Schema:
    """Return the schema of a frame that is not read yet."""
    if isinstance(frame, (pa.RecordBatchReader, pa.Table)):
        return frame.schema
    return to_reader(frame).schema


def _lazy_reader(frame: Any) -> pa.RecordBatchReader:
    schema = to_reader(frame.collect_schema().to_frame()).schema
    parts = frame.collect_batches(chunk_size=BATCH_ROWS, lazy=True)
    return pa.RecordBatchReader.from_batches(
        schema, (batch for part in parts for batch in to_reader(part))
    )


def _without_views(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Return a reader without string views, which many Arrow functions do not support."""
    plain = pa.schema([(field.name, _plain_type(field.type)) for field in reader.schema])
    if plain.types == reader.schema.types:
        return reader
    return reader.cast(plain.with_metadata(reader.schema.metadata))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind) and not pa.types.is_integer(kind.value_type):
        return SYSTEM
    if pa.types.is_string_view(kind):
        return pa.string()
    if is_list(kind) and pa.types.is_string_view(kind.value_type):
        return pa.large_list(pa.string())
    return kind


def to_table(frame: object) -> pa.Table:
    """Return any frame as a pyarrow table."""
    return frame if isinstance(frame, pa.Table) else to_reader(frame).read_all()


def require_columns(schema: pa.Schema, names: Iterable[str], what: str) -> None:
    """Raise an InputError if ``schema`` lacks one of ``names``."""
    missing = [name for name in names if name not in schema.names]
    if missing:
        raise InputError(
            f"{what} has the columns {few_of(schema.names) or '(none)'}",
            expected=f"the column {missing[0]}",
        )


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is text, optionally dictionary-encoded, or null."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return kind in (pa.string(), pa.large_string(), pa.string_view(), pa.null())


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is a list, with 32-bit or 64-bit offsets."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def is_words(kind: pa.DataType) -> bool:
    """Whether a type is a list of texts: the words of a sentence."""
    return is_list(kind) and is_text(kind.value_type)


def split_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Cut batches to at most ``BATCH_ROWS`` rows and leave out empty ones."""
    for batch in batches:
        for start in range(0, batch.num_rows, BATCH_ROWS):
            yield batch.slice(start, BATCH_ROWS)


def as_array(column: object) -> pa.Array:
    """Return a column of Arrow or polars as one array."""
    column = column.to_arrow() if hasattr(column, "to_arrow") else column
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def is_links(kind: pa.DataType) -> bool:
    """Whether a type is a list of structs with the fields i and j."""
    return (
        is_list(kind)
        and pa.types.is_struct(kind.value_type)
        and {"i", "j"} <= {field.name for field in kind.value_type}
    )


def are_pairs(kind: pa.DataType) -> bool:
    """Whether a type is a list of lists of whole numbers, such as of pairs (i, j)."""
    inner = kind.value_type if is_list(kind) else kind
    return is_list(kind) and is_list(inner) and bool(pa.types.is_integer(inner.value_type))


def from_pairs(column: pa.Array) -> pa.ListArray:
    """Return links from lists of pairs (i, j), or of triples (i, j, sure)."""
    links = column.flatten()
    sizes = pc.fill_null(pc.list_value_length(links), 0).to_numpy(zero_copy_only=False)
    if not np.isin(sizes, (2, 3)).all():
        raise InputError("links with other parts", expected="(i, j), or (i, j, sure)")
    flat, starts = links.flatten(), np.cumsum(sizes) - sizes
    sure, labelled = np.ones(sizes.size, np.uint8), sizes == 3
    labels = as_labels(flat.take(pa.array(starts[labelled] + 2, pa.int64())))
    sure[labelled] = labels.to_numpy(zero_copy_only=False)
    i, j = (positions(flat.take(pa.array(starts + k, pa.int64()))) for k in (0, 1))
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    offsets = frozen(np.append(0, np.cumsum(lengths)).astype(np.int64))
    return links_array(offsets, i, j, frozen(sure))


def positions(values: pa.Array) -> U16:
    """Return link positions as uint16; decimals, as of sums in DuckDB, if they are whole."""
    if values.null_count:
        raise InputError("a link with a missing position", expected="i and j of every link")
    if not (pa.types.is_integer(values.type) or pa.types.is_decimal(values.type)):
        raise InputError(f"link positions of type {values.type}", expected="whole numbers")
    if values.type != pa.uint16():
        try:
            values = values.cast(pa.uint16())
        except pa.ArrowInvalid:
            bad = next(n for n in values.to_pylist() if n != int(n) or not 0 <= n <= MAX_POSITION)
            raise InputError(
                f"the link position {bad}",
                expected=f"whole numbers from 0 to {MAX_POSITION:,}",
            ) from None
    return frozen(values.to_numpy())


def to_links(column: pa.Array | pa.ChunkedArray, *, nulls: bool = False) -> Links:
    """Return a column of links as numpy arrays; with ``nulls``, a null list counts as empty."""
    array = as_array(column)
    if not is_links(array.type):
        raise InputError(
            f"a column of links of type {array.type}",
            expected="list<struct<i: uint16, j: uint16>>, with sure: bool in gold",
        )
    offsets = array.offsets.to_numpy().astype(np.int64, copy=False)
    starts, ends = offsets[:-1], offsets[1:]
    if array.null_count:
        if not nulls:
            raise null_links(array.is_null(), np.arange(len(array)), "row")
        ends = np.where(array.is_valid().to_numpy(zero_copy_only=False), ends, starts)
    values = array.values
    if values.null_count and array.flatten().null_count:
        raise InputError("a missing link in a list", expected="i and j of every link")
    sure, first_bit = np.zeros(0, np.uint8), 0
    if "sure" in {field.name for field in values.type}:
        labels = as_labels(values.field("sure"))
        if labels.null_count == len(labels):
            labels = None  # a column of unknown labels: every link is Sure
        elif labels.null_count:
            labels = labels.fill_null(True)
        if labels is not None:
            # Booleans are bits, which a slice may begin within a byte.
            sure, first_bit = np.frombuffer(labels.buffers()[1], np.uint8), labels.offset
    return Links(
        frozen(starts),
        frozen(ends),
        frozen(positions(values.field("i"))),
        frozen(positions(values.field("j"))),
        frozen(sure),
        first_bit,
    )


def null_links(missing: pa.Array, named: I64, noun: str, column: str = "links") -> InputError:
    """Return the error for null links, or positions, in rows numbered by ``named``."""
    first = named[pc.index(missing, True).as_py()]
    return InputError(
        f"null {column} in {missing.true_count:,} of {number_of(len(missing), 'row')}, the first "
        f"of {noun} {sentence_name(first) if noun == 'sentence' else first}",
        expected="an empty list if the sentence has no links"
        if column == "links"
        else "i and j of every link",
        todo=f"to leave such rows out, filter: where {column} is not null",
    )


def as_labels(labels: pa.Array) -> pa.Array:
    """Return Sure labels as booleans; raise an InputError unless they are booleans or 0 and 1."""
    if pa.types.is_boolean(labels.type):
        return labels
    if pa.types.is_null(labels.type):
        return labels.cast(pa.bool_())
    problem = f"labels sure of type {labels.type}"
    if pa.types.is_integer(labels.type):
        odd = labels.filter(pc.invert(pc.is_in(labels, pa.array([0, 1, None], labels.type))))
        if not len(odd):
            return labels.cast(pa.bool_())
        problem = f"the label sure {odd[0]}"
    raise InputError(problem, expected="true or false")


def _list_array(offsets: I64, links: pa.StructArray, kind: pa.ListType) -> pa.ListArray:
    if offsets[-1] > np.iinfo(np.int32).max:
        raise InputError("more than 2,147,483,647 links in one batch", todo="use smaller batches")
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), links, type=kind)


def links_array(
    offsets: I64,
    i: U16,
    j: U16,
    sure: U8 | None = None,
) -> pa.ListArray:
    """Return links as an Arrow list column; with ``sure`` (one byte per link) as gold links."""
    fields = [pa.array(i), pa.array(j)]
    if sure is not None:
        fields.append(pa.array(sure.astype(np.bool_)))
    link = LINK if sure is None else GOLD_LINK
    struct = pa.StructArray.from_arrays(fields, fields=list(link))
    return _list_array(offsets, struct, LINKS if sure is None else GOLD_LINKS)


def from_links(links: Links) -> pa.ListArray:
    """Return links without labels, stored row after row, as an Arrow column."""
    offsets = np.append(links.starts, links.ends[-1:]) if links.rows else np.zeros(1, np.int64)
    return links_array(offsets, links.i, links.j)


def to_tokens(column: pa.Array | pa.ChunkedArray) -> I64:
    """Return the number of tokens of each sentence in a column; -1 for null."""
    lengths = pc.list_value_length(as_array(column)).cast(pa.int64()).fill_null(-1)
    return frozen(lengths.to_numpy())


def refuse_missing(column: pa.Array, what: str, first: int = 0) -> None:
    """Raise an InputError if a sentence is null; the first of the column has the number given."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()  # the dictionary may have a null
    if column.null_count:
        number = first + pc.index(column.is_null(), pa.scalar(True)).as_py()
        raise InputError(
            f"{what}: sentence {number:,} (counted from 0) is missing",
            expected="every sentence; one without words is an empty text or list",
        )
