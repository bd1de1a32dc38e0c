"""Tables of links as .csv, .tsv or JSON lines: ``sid,i,j[,sure][,probability]``, a row per link.

Or ``sid,links``, a row per sentence, with links such as ``0-0 1p2``. Sentences and positions count
from 0. The probability may be called ``p``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import as_array, is_text
from alignframe.formats.files import system_name
from alignframe.formats.links import pharaoh
from alignframe.formats.rows import LinkFormat, Reading, tidied
from alignframe.read.lines import TextFile
from alignframe.read.nested import PROBABILITIES, also_kept, nest
from alignframe.read.nested import without_improbable as probable
from alignframe.read.tables import typed_table

_TEXTS = ("system", "id")
_NAMES = {"links", "system", "id", "probabilities"}


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file, which may hold several systems; sentences are in ascending order."""
    table = typed_table(file.path, "the table of links", _TEXTS, file.encoding, is_known=True)
    at = table.schema.get_field_index("links")
    if at >= 0 and is_text(table.schema.field(at).type):
        table = table.set_column(at, "links", pc.fill_null(table["links"].cast(pa.string()), ""))
    names = ["probability" if name == "p" else name for name in table.schema.names]
    if "i" in names and names.count("probability") == 1:
        table = table.rename_columns(names)
    keep = also_kept(table.schema)
    least = reading.min_probability
    table = table.sort_by([(name, "ascending") for name in ("system", "sid") if name in names])
    for batch in nest(table.to_batches(), table.schema, system_name(file.path), keep):
        likely = probable(batch, least) if PROBABILITIES in keep else batch
        yield tidied(pharaoh.from_texts(likely, reading), reading)
    if PROBABILITIES not in keep:
        pharaoh.check_weighed(reading)


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO) -> None:
    """Write .csv with a row per link."""
    for number, frame in enumerate(_frames(batches)):
        frame.write_csv(out, include_header=not number)


def write_json(batches: Iterable[pa.RecordBatch], out: BinaryIO) -> None:
    """Write JSON lines, one per link."""
    for frame in _frames(batches):
        frame.write_ndjson(out)


def _frames(batches: Iterable[pa.RecordBatch]) -> Iterator[pl.DataFrame]:
    for batch in batches:
        links = as_array(batch.column("links"))
        flat = links.flatten()
        sizes = pc.list_value_length(links).to_numpy()
        sid = np.repeat(batch.column("sid").to_numpy(), sizes)
        columns = {"sid": pa.array(sid), "i": flat.field("i"), "j": flat.field("j")}
        if "sure" in {field.name for field in flat.type}:
            columns["sure"] = flat.field("sure")
        if PROBABILITIES in batch.schema.names:
            columns["probability"] = batch.column(PROBABILITIES).flatten()
        yield pl.DataFrame(pl.from_arrow(pa.table(columns)))


def begins(line: str) -> bool:
    """Whether a line has the names of columns of links, if only to say that one is missing."""
    names = set(re.findall(r"\w+", line))
    if "links" in names:
        return "sid" in names or names <= _NAMES
    return names >= {"sid", "i", "j"}


FORMAT = LinkFormat(
    read,
    begins,
    write,
    has_labels=True,
    has_probabilities=True,
    has_ids=True,
    has_empty=False,
)
