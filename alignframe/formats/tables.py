"""Writing links, beads, and any other table."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.arrow import is_frame, to_reader
from alignframe.formats.beads import write_beads
from alignframe.formats.writing import write_links
from alignframe.output import write_table
from alignframe.result import Result, TableResult
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

    Examples
    --------
    >>> from pathlib import Path
    >>> import polars as pl
    >>> from alignframe import formats
    >>> links = pl.DataFrame({"sid": [0, 0], "i": [0, 1], "j": [0, 2], "sure": [True, False]})
    >>> formats.write(links, "links.naacl")
    >>> print(Path("links.naacl").read_text(), end="")
    1 1 1 S
    1 2 3 P
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
        write_table(reader.read_all(), path, format)


def _is_figure(schema: pa.Schema) -> bool:
    """Whether a column ``links`` holds numbers of links, as in scores."""
    return bool(pa.types.is_integer(schema.field("links").type))
