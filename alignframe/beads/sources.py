"""Reading beads: frames, files, or several by name; and lengths of documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.errors import InputError, number_of
from alignframe.formats.bead_table import are_spans, checked_beads
from alignframe.formats.beads import detect_beads, read_beads
from alignframe.formats.files import files_by_name, folder_of, is_several
from alignframe.formats.names import document_name
from alignframe.read.source import is_columns, is_path, named
from alignframe.sources import frame_of
from alignframe.tables import SPANS, UNNAMED
from alignframe.typing import FilePath

_SIZES = ("n_src", "n_tgt")


def read(
    source: Any,
    system: str | None = None,
    format: str | None = None,
    encoding: str = "utf-8",
    as_written: bool | None = None,
) -> pl.DataFrame:
    """Read any table or file of beads, as system, doc, the four span ends and score."""
    if is_path(source) and is_several(source):
        table = read_files(source, format, encoding, as_written)
    elif is_path(source):
        table = _of_file(source, format, encoding, as_written=as_written)
    else:
        table = checked_beads(source, system or "the beads", as_written=as_written)
    frame = pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col("doc").cast(pl.String))
    if "system" in frame.columns:
        frame = frame.with_columns(pl.col("system").cast(pl.String))
    else:
        frame = frame.with_columns(pl.lit(name_of(source, system)).alias("system"))
    if system and frame["system"].n_unique() > 1:
        frame = frame.with_columns(pl.format("{}/{}", pl.lit(system), "system").alias("system"))
    elif system:
        frame = frame.with_columns(pl.lit(system).alias("system"))
    score = (
        pl.col("score").cast(pl.Float64) if "score" in frame.columns else pl.lit(None, pl.Float64)
    )
    return frame.select("system", "doc", *SPANS, score.alias("score"))


def read_files(
    source: FilePath, format: str | None, encoding: str, as_written: bool | None = None
) -> pa.Table:
    """Return the beads of several files, each a document named after its file; see ``read``."""
    tables = [
        _of_file(path, format, encoding, name, as_written)
        for name, path in files_by_name(source).items()
    ]
    return pa.concat_tables(tables).unify_dictionaries()


def _of_file(
    path: FilePath,
    format: str | None,
    encoding: str,
    doc: str | None = None,
    as_written: bool | None = None,
) -> pa.Table:
    """Return the beads of a file."""
    kind = format or detect_beads(path)
    if kind == "tmx":
        raise InputError(
            "a translation memory numbers the sentences of its own units, not those of a text",
            path=path,
            todo="convert it to beads and text first (alignframe beads convert FILE.tmx "
            "FILE.beads --src SRC --tgt TGT), and align that text",
        )
    return read_beads(path, kind, doc=doc, encoding=encoding, as_written=as_written)


def is_bead_source(given: Any) -> bool:
    """Whether something is one source of beads, as opposed to several in a mapping or list."""
    if isinstance(given, Mapping):
        return is_columns(given, *SPANS)
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], Mapping):
        return set(SPANS) <= set(given[0])
    return not isinstance(given, (list, tuple)) or (bool(given) and are_spans(given))


def name_of(source: Any, system: str | None = None) -> str:
    """Return the default system name of a source."""
    if system or not is_path(source):
        return system or UNNAMED
    return document_name(folder_of(source) if is_several(source) else source)


def same_document(hyp: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Return the hypothesis with gold's document name, if both hold a single document."""
    names = gold["doc"].unique()
    if len(names) != 1 or hyp["doc"].n_unique() != 1:
        return hyp
    return hyp.with_columns(pl.lit(names[0]).alias("doc"))


def hypotheses(hyp: Any, gold: pl.DataFrame, *, gold_is_file: bool) -> dict[str, pl.DataFrame]:
    """Return the beads of each system; a file's single document is gold's single document."""
    found: dict[str, pl.DataFrame] = {}
    for name, source in named(hyp, is_bead_source):
        frame = read(source, name)
        if gold_is_file or is_path(source):
            frame = same_document(frame, gold)
        # An empty table is a system that found nothing.
        for system in frame["system"].unique().sort() if frame.height else [name_of(source, name)]:
            if system in found:
                raise InputError(
                    f"two hypotheses are called {system!r}", todo="give each a different name"
                )
            found[system] = frame.filter(pl.col("system") == system)
    if not found:
        raise InputError("no hypothesis given", expected="at least one")
    return found


def lengths_of(lengths: Any, beads: pl.DataFrame) -> pl.DataFrame:
    """Return document lengths as doc, n_src and n_tgt; an empty table if none are given."""
    if lengths is None:
        schema = {"doc": pl.String, "n_src": pl.Int64, "n_tgt": pl.Int64}
        return pl.DataFrame(schema=schema)
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
