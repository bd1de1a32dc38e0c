"""Writing links, beads, and any other table."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.arrow import is_frame, to_reader
from alignframe.choices import PARQUET, SEPARATORS, TABLES
from alignframe.errors import InputError
from alignframe.formats.beads import write_beads
from alignframe.formats.writing import check_suffix, replacing, write_links
from alignframe.result import Result, TableResult
from alignframe.tables import SIGNATURE, notes_of
from alignframe.typing import IntoFrame, IntoLinks

_BEADS = {"src_start", "src_end", "tgt_start", "tgt_end"}


def write(
    table: IntoFrame | IntoLinks | Iterable[pa.RecordBatch] | Result,
    path: str | PathLike[str],
    format: str | None = None,
    **options: Any,
) -> None:
    """Write links, beads or any other table: anything that a function of this package returns.

    Parameters
    ----------
    table
        Links, nested or long, or an iterable of batches; beads; any other frame, whose metadata
        Parquet keeps; or a result with several tables, which go to a folder.
    path
        The file appears whole or not at all. ``-`` is standard output.
    format
        One of ``FORMATS`` for links, of ``BEAD_FORMATS`` for beads; by default from the suffix.
        Other tables are written as .parquet, .csv, .tsv or .jsonl.
    **options
        Those of ``write_links`` or ``write_beads``.

    Raises
    ------
    InputError
        If it is not a table, or the format is unknown or cannot hold it.
    """
    if isinstance(table, Result) and not isinstance(table, TableResult):
        table.write(path)
        return
    if isinstance(table, pl.Series):
        table = table.to_frame(table.name or "tokens")
    if not is_frame(table):
        write_links(table, path, format, **options)
        return
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    reader = to_reader(table)
    names = set(reader.schema.names)
    if names >= _BEADS:
        write_beads(reader.read_all(), path, format, **options)
    elif ("links" in names and not _is_figure(reader.schema)) or {"sid", "i", "j"} <= names:
        write_links(reader, path, format, **options)
    else:
        _write_table(reader.read_all(), path, format)


def _is_figure(schema: pa.Schema) -> bool:
    """Whether a column ``links`` holds numbers of links, as in scores."""
    return bool(pa.types.is_integer(schema.field("links").type))


def _write_table(table: pa.Table, path: str | PathLike[str], format: str | None) -> None:
    """Write a table of neither links nor beads."""
    check_suffix(path)
    suffix = Path(path).suffix.lower() if format is None else f".{format}"
    if suffix not in TABLES:
        raise InputError(
            f"the suffix {suffix!r} for a table of {', '.join(table.column_names[:8])}",
            path=path,
            expected=".parquet, .csv, .tsv or .jsonl",
        )
    if suffix in SEPARATORS and any(pa.types.is_nested(kind) for kind in table.schema.types):
        raise InputError("a column of lists", path=path, expected=".parquet or .jsonl")
    notes = notes_of(table.schema)
    with replacing(path) as out:
        if suffix in PARQUET and notes:
            pq.write_table(table.replace_schema_metadata(notes), out, compression="zstd")
            return
        frame = pl.DataFrame(pl.from_arrow(table))
        if suffix in PARQUET:
            marks = frame["signature"].unique().to_list() if "signature" in frame.columns else []
            signed = {SIGNATURE: marks[0]} if len(marks) == 1 else None
            frame.write_parquet(out, metadata=signed)
        elif suffix in SEPARATORS:
            frame.write_csv(out, separator=SEPARATORS[suffix])
        else:
            frame.write_ndjson(out)
