"""Beads as a shape of input: hypotheses and gold, and lengths of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from os import fspath
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.arrow import as_array, require_columns, to_reader
from alignframe.errors import InputError, number_of
from alignframe.formats.bead_table import (
    BEAD_SOURCES,
    DOCUMENT,
    BeadReading,
    are_spans,
    checked_beads,
    columns_of_spans,
)
from alignframe.formats.beads import detect_beads, read_bead_file
from alignframe.formats.files import files_by_name, is_several
from alignframe.read.source import Shape, Source, given, is_columns, only
from alignframe.sources import frame_of, text_array
from alignframe.tables import SPANS, UNNAMED, option_of, with_options
from alignframe.typing import FilePath

_SIZES = ("n_src", "n_tgt")


def is_bead_source(value: Any) -> bool:
    """Whether something is one source of beads, as opposed to several in a mapping or list."""
    if isinstance(value, Mapping):
        return is_columns(value, *SPANS) and not any(
            are_spans(column) and len(column) for column in value.values()
        )
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
        return set(SPANS) <= set(value[0])
    return not isinstance(value, (list, tuple)) or (bool(value) and are_spans(value))


def _read(
    path: FilePath, *, system: str | None, format: str | None = None, **options: Any
) -> pa.Table:
    """Read a file, or several, each of which is a document named after it."""
    del system  # named by the source
    files = files_by_name(path) if is_several(path) else {DOCUMENT: path}
    tables = [_of_file(one, format, BeadReading(doc, **options)) for doc, one in files.items()]
    return with_options(pa.concat_tables(tables).unify_dictionaries(), file=fspath(path))


def _of_file(path: FilePath, format: str | None, reading: BeadReading) -> pa.Table:
    kind = format or detect_beads(path)
    if kind == "tmx":
        raise InputError(
            "a translation memory numbers the sentences of its own units, not those of a text",
            path=path,
            todo="convert it to beads and text first (alignframe beads convert FILE.tmx "
            "FILE.beads --src SRC --tgt TGT), and align that text",
        )
    return read_bead_file(path, kind, reading).beads


def _held(beads: Any) -> pa.Table:
    return to_reader(columns_of_spans(beads), "beads", BEAD_SOURCES).read_all()


def _is_long(schema: pa.Schema, name: str | None) -> bool:
    require_columns(schema, SPANS, "the table of beads", name)
    return False


def _layout(
    batches: Iterator[pa.RecordBatch],
    schema: pa.Schema,
    *,
    system: str | None,
    path: str,
    as_written: bool | None = None,
    **_: Any,
) -> Iterator[pa.RecordBatch]:
    """Yield all beads as one batch of ``BEADS`` with a column system; files are checked already."""
    table = pa.Table.from_batches(batches, schema)
    if option_of(schema, "file") is None:
        table = checked_beads(table, system or path, as_written=as_written)
    columns = {name: as_array(table[name]) for name in table.schema.names}
    names = pa.array([system or UNNAMED] * len(table), pa.string()).dictionary_encode()
    yield pa.record_batch({"system": names} | columns)


def _shape(as_written: bool | None = None) -> Shape:
    return Shape(
        "beads",
        is_bead_source,
        partial(_read, as_written=as_written),
        _held,
        _is_long,
        lambda schema, *_, **__: schema.names,
        partial(_layout, as_written=as_written),
    )


BEADS = _shape()


def beads_source(
    beads: Any, name: str | None = None, as_written: bool | None = None, **reading: Any
) -> Source:
    """Return beads as a source; ``name`` is that of its system, and what errors call a table.

    If ``as_written`` is not None, errors say how a sentence may be in two beads. ``reading`` has
    the format of a file, and fields of ``BeadReading``.
    """
    shape = BEADS if as_written is None else _shape(as_written)
    return only(beads, shape, name or "a table", name, **(reading or {"format": None}))


def beads_of(source: Source) -> pl.DataFrame:
    """Return the beads of a source, as system, doc, the four span ends and score."""
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(source.batches())))
    names = pl.col("system", "doc").cast(pl.String)
    return frame.with_columns(names).select("system", "doc", *SPANS, "score")


def hypotheses(hyp: Any, gold: Source, golden: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the beads of each system; a file's single document is gold's single document."""
    found: dict[str, pl.DataFrame] = {}
    for source in given(hyp, BEADS, "hypothesis", format=None):
        frame = beads_of(source)
        docs = golden["doc"].unique()
        is_file = source.note("file") or gold.note("file")
        if is_file and len(docs) == 1 == frame["doc"].n_unique():
            frame = frame.with_columns(pl.lit(docs[0]).alias("doc"))
        # An empty table is a system that found nothing.
        systems = frame["system"].unique().sort() if frame.height else [source.system or UNNAMED]
        found |= {system: frame.filter(pl.col("system") == system) for system in systems}
    return found


def lengths_of(lengths: Any, beads: pl.DataFrame) -> pl.DataFrame:
    """Return document lengths as doc, n_src and n_tgt; an empty table if none are given."""
    if lengths is None:
        schema = {"doc": pl.String, "n_src": pl.Int64, "n_tgt": pl.Int64}
        return pl.DataFrame(schema=schema)
    if isinstance(lengths, tuple):
        docs = beads["doc"].unique().to_list()
        if len(docs) > 1:
            raise InputError(
                f"{number_of(len(docs), 'document')} with one text",
                expected="the text of a single document (--src, --tgt)",
            )
        sizes = {
            name: [len(text_array(side))] * len(docs)
            for name, side in zip(_SIZES, lengths, strict=True)
        }
        lengths = pl.DataFrame({"doc": docs, **sizes})
    frame = frame_of(lengths, "the table of lengths", ("doc", *_SIZES)).select(
        pl.col("doc").cast(pl.String), *_SIZES
    )
    if frame["doc"].is_duplicated().any():
        raise InputError("the lengths have a document twice", expected="each once")
    largest = beads.group_by("system", "doc").agg(
        *(
            pl.col(f"{side}_end").filter(pl.col(f"{side}_start") < pl.col(f"{side}_end")).max()
            for side in ("src", "tgt")
        )
    )
    for system, doc, n_src, n_tgt, src_end, tgt_end in (
        largest.join(frame, on="doc", how="left")
        .select("system", "doc", *_SIZES, "src_end", "tgt_end")
        .sort("doc", "system")
        .iter_rows()
    ):
        for side, size, end in (("source", n_src, src_end), ("target", n_tgt, tgt_end)):
            if size is None:
                raise InputError(
                    f"no length of document {doc!r}", expected="n_src and n_tgt of every document"
                )
            if end is not None and end > size:
                raise InputError(
                    f"{system} has a bead with the {side} sentence {end - 1:,} of the document "
                    f"{doc!r}, which has {number_of(size, 'sentence')}, numbered from 0",
                    todo="check that the text belongs to the beads",
                )
    return frame
