"""Beads as a shape of input: hypotheses and gold, and lengths of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import fspath
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.core.arrow import as_array, require_columns, to_reader
from alignframe.core.schemas import SPANS, UNNAMED, with_options
from alignframe.errors import InputError, number_of, warn
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
from alignframe.read.parquet import is_parquet
from alignframe.sources.keys import Growing
from alignframe.sources.source import Shape, Source, given, is_columns, only
from alignframe.sources.texts import text_array
from alignframe.sources.words import frame_of, table_of
from alignframe.typing import FilePath, IntoBeads, IntoFrame, Several

_SIZES = ("n_src", "n_tgt")
_SHOWN = 3


def is_bead_source(value: object) -> bool:
    """Whether something is one source of beads, as opposed to several in a mapping or list."""
    if isinstance(value, Mapping):
        return is_columns(value, *SPANS) and not any(
            are_spans(column) and len(column) for column in value.values()
        )
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
        return set(SPANS) <= set(value[0])
    return not isinstance(value, (list, tuple)) or (bool(value) and are_spans(value))


def _read(
    path: FilePath,
    *,
    system: str | None,
    format: str | None = None,
    keys: Growing | None = None,
    **options: Any,
) -> pa.Table:
    """Read a file, or several, each of which is a document named after it."""
    del system  # named by the source
    if keys is not None:  # columns that beads do not have are read from tables only
        kind = "parquet" if is_parquet(path) else format or detect_beads(path)
        if kind != "parquet":
            raise InputError(
                f"beads in the format {kind}",
                path=path,
                expected=f"a table with {', '.join(keys.names)} (`on`)",
            )
        return table_of(path, "the table of beads", SPANS, text=["doc", "system"])
    files = files_by_name(path) if is_several(path) else {DOCUMENT: path}
    tables = [_of_file(format, BeadReading(file, doc, **options)) for doc, file in files.items()]
    return with_options(
        pa.concat_tables(tables, promote_options="default").unify_dictionaries(), file=fspath(path)
    )


def _of_file(format: str | None, reading: BeadReading) -> pa.Table:
    kind = format or detect_beads(reading.path, reading.encoding)
    if kind == "tmx":
        raise InputError(
            "a translation memory numbers the sentences of its own units, not those of a text",
            path=reading.path,
            todo="convert it to beads and text first (alignframe convert FILE.tmx "
            "FILE.beads --src SRC --tgt TGT), and align that text",
        )
    return read_bead_file(kind, reading).beads


def _held(beads: object) -> pa.Table:
    return to_reader(columns_of_spans(beads), "beads", BEAD_SOURCES).read_all()


def _is_long(schema: pa.Schema) -> bool:
    require_columns(schema, SPANS, "the table of beads")
    return False


def _layout(
    batches: Iterator[pa.RecordBatch],
    source: Source,
    _: Sequence[str],
    as_written: bool | None = None,
    keys: Growing | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield all beads as one batch of ``BEADS`` with a column system; files are checked already."""
    table = pa.Table.from_batches(batches, source.schema)
    if keys is not None:
        table = keys.named(table, "doc", source.system or source.name)
    if source.note("file") is None:
        table = checked_beads(table, source.system or source.name, as_written=as_written)
    columns = {name: as_array(table[name]) for name in table.schema.names}
    names = pa.array([source.system or UNNAMED] * len(table), pa.string()).dictionary_encode()
    yield pa.record_batch({"system": names} | columns)


def _shape(
    as_written: bool | None = None, gaps: bool = False, keys: Growing | None = None
) -> Shape:
    return Shape(
        "beads",
        is_bead_source,
        partial(_read, as_written=as_written, gaps=gaps, keys=keys),
        _held,
        _is_long,
        layout=partial(_layout, as_written=as_written, keys=keys),
    )


BEADS = _shape()


def beads_source(
    beads: IntoBeads,
    name: str | None = None,
    as_written: bool | None = None,
    *,
    gaps: bool = False,
    keys: Growing | None = None,
    **reading: object,
) -> Source:
    """Return beads as a source named ``name``; ``reading`` are a format and ``BeadReading``'s."""
    # Errors say how a sentence may be in two beads where that can be allowed.
    shape = _shape(as_written, gaps, keys)
    source = only(beads, shape, name or "a table", name, **(reading or {"format": None}))
    return _keyed(source, shape, keys)


def _keyed(source: Source, shape: Shape, keys: Growing | None) -> Source:
    """Return a source whose documents have keys; a file read before is read with its columns."""
    if keys is None or source.shape is shape:
        return source
    path = source.note("file")
    table = source.frame if path is None else shape.read(path, system=source.system)
    return replace(source, shape=shape, frame=table, schema=table.schema)


def beads_of(source: Source) -> pl.DataFrame:
    """Return the beads of a source, as system, doc, the four span ends and score."""
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(source.batches())))
    names = pl.col("system", "doc").cast(pl.String)
    # Parts are of beads with gaps, in files read as they are written.
    parts = [name for name in frame.columns if name == "part_of" and source.note("file")]
    return frame.with_columns(names).select("system", "doc", *SPANS, "score", *parts)


def hypotheses(
    hyp: IntoBeads | Several[IntoBeads],
    gold: Source,
    golden: pl.DataFrame,
    gaps: bool = False,
    keys: Growing | None = None,
) -> dict[str, pl.DataFrame]:
    """Return the beads of each system; a file's single document is gold's single document."""
    systems_read: dict[str, pl.DataFrame] = {}
    shape = _shape(gaps=gaps, keys=keys)
    for each in given(hyp, shape, "hypothesis", format=None):
        source = _keyed(each, shape, keys)
        frame = beads_of(source)
        docs = golden["doc"].unique()
        is_file = source.note("file") or gold.note("file")
        if is_file and len(docs) == 1 == frame["doc"].n_unique():
            frame = frame.with_columns(pl.lit(docs[0]).alias("doc"))
        # An empty table is a system that found nothing.
        systems = frame["system"].unique().sort() if frame.height else [source.system or UNNAMED]
        systems_read |= {system: frame.filter(pl.col("system") == system) for system in systems}
    return systems_read


def lengths_of(
    lengths: IntoFrame | None, beads: pl.DataFrame, keys: Growing | None = None
) -> pl.DataFrame:
    """Return document lengths as doc, n_src and n_tgt; an empty table if none are given."""
    if lengths is None:
        return pl.DataFrame(schema={"doc": pl.String, "n_src": pl.Int64, "n_tgt": pl.Int64})
    if isinstance(lengths, tuple):
        docs = beads["doc"].unique().to_list()
        if len(docs) > 1:
            raise InputError(
                f"{number_of(len(docs), 'document')} with one text",
                expected="the text of a single document (`src`, `tgt`)",
            )
        sizes = {
            name: [len(text_array(side))] * len(docs)
            for name, side in zip(_SIZES, lengths, strict=True)
        }
        lengths = pl.DataFrame({"doc": docs, **sizes})
    if keys is not None:
        lengths = keys.named(table_of(lengths, "the table of lengths"), "doc", "the lengths")
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
        if system == "gold" and all(
            size > _LONGER * (end or size) for size, end in ((n_src, src_end), (n_tgt, tgt_end))
        ):
            warn(
                f"gold ends with the sentences {src_end - 1:,} and {tgt_end - 1:,} of the document "
                f"{doc!r}, which has {n_src:,} and {n_tgt:,}: check that the text belongs to the "
                "beads"
            )
    return frame


# How much longer than gold's beads a text may be without a warning.
_LONGER = 1.5
# Beads of gold that tell whether a system's sides are swapped, and more that may be chance.
_SAMPLE, _FEW = 10_000, 5
_TURNED = ("tgt", "tgt", "src", "src")


def warn_of_differences(hyp: pl.DataFrame, gold: pl.DataFrame, systems: Sequence[str]) -> None:
    """Warn of documents that gold or a system lacks, and of systems that number others."""
    wanted = set(gold["doc"])
    for system in systems:
        mine = set(hyp.filter(pl.col("system") == system)["doc"])
        if wanted - mine:
            text = f"{system} has no beads of {_listed(wanted - mine)}; gold's count as missed"
            warn(text)
        if mine - wanted:
            text = (
                f"gold has no beads of {_listed(mine - wanted)}; those of {system} count as wrong"
            )
            warn(text)
    _warn_of_ends(hyp, gold, _warn_of_numbers(hyp, gold))


def _warn_of_numbers(hyp: pl.DataFrame, gold: pl.DataFrame) -> set[str]:
    """Warn of, and return, systems that have far more of gold's beads numbered otherwise."""
    some = gold.select("doc", *SPANS).head(_SAMPLE)
    beads_of_documents = hyp.select("system", "doc", *SPANS).join(
        some.select("doc").unique(), "doc", "semi"
    )
    turned = {target: f"{span}{target[3:]}" for target, span in zip(SPANS, _TURNED, strict=True)}
    others = {"the sides of one are swapped; are source and target exchanged?": some.rename(turned)}
    for by, whose in ((1, "the system"), (-1, "gold")):
        others[f"sentences of {whose} are counted from 1; if so, read it with `base=1`"] = (
            some.with_columns(pl.col(SPANS) + by)
        )
    shared, *moved = (
        dict(
            beads_of_documents.join(each, [*each.columns], "semi")
            .group_by("system")
            .len()
            .iter_rows()
        )
        for each in (some, *others.values())
    )
    told: set[str] = set()
    for said, numbers in zip(others, moved, strict=True):
        for system, number in sorted(numbers.items()):
            if number > 2 * shared.get(system, 0) + _FEW:
                told.add(system)
                warn(
                    f"{system} and gold share {shared.get(system, 0):,} of gold's first beads, "
                    f"and {number:,} if {said}",
                    "gold" if "of gold" in said else system,
                )
    return told


def _warn_of_ends(hyp: pl.DataFrame, gold: pl.DataFrame, told: set[str]) -> None:
    """Warn of systems that end at other sentences than gold: they may count blank lines."""
    sides = "src", "tgt"
    full = {side: pl.col(f"{side}_start") < pl.col(f"{side}_end") for side in sides}
    mine, golden = (
        frame.group_by("system", "doc").agg(
            *(pl.col(f"{side}_end").filter(full[side]).max() for side in sides),
            *(
                pl.col(f"{side}_end").filter(full["src"] & full["tgt"]).max().alias(f"{side}_far")
                for side in sides
            ),
            covers=pl.all_horizontal(
                (pl.col(f"{side}_end") - pl.col(f"{side}_start")).sum()
                == pl.col(f"{side}_end").filter(full[side]).max()
                for side in sides
            ),
        )
        for frame in (hyp, gold)
    )
    both = mine.join(golden.drop("system"), on="doc", suffix="_gold").filter(
        ~pl.col("system").is_in(list(told))
    )
    # A system may lack the last beads, but not if it has all others; gold may lack the last
    # sentences without a translation.
    wrong = both.filter(
        pl.any_horizontal(
            (pl.col(f"{side}_far") > pl.col(f"{side}_end_gold"))
            | ((pl.col(f"{side}_end") < pl.col(f"{side}_end_gold")) & pl.col("covers"))
            for side in sides
        )
    ).sort("system", "doc")
    for (system,), rows in wrong.group_by("system", maintain_order=True):
        first = rows.row(0, named=True)
        size = both.filter(system=system).height
        where = f" in {rows.height:,} of {size:,} documents ({first['doc']!r})" if size > 1 else ""
        last = [f"{first[f'src_end{of}']} and {first[f'tgt_end{of}']}" for of in ("", "_gold")]
        warn(
            f"{system} and gold end with different sentences{where}: {last[0]}, and {last[1]} in "
            "gold (from 1); do both count the same lines of the same text, such as blank ones?"
        )


def _listed(names: set[str]) -> str:
    """Return the number of documents with the first names, as text."""
    shown = ", ".join(repr(name) for name in sorted(names)[:_SHOWN])
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names):,} document{'s' if len(names) > 1 else ''} ({shown}{more})"
