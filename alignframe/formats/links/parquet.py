"""Parquet: a table of links in either layout, long or nested, of one system or of several."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from alignframe.core.arrow import is_text
from alignframe.errors import InputError
from alignframe.formats.files import system_name
from alignframe.formats.links import pharaoh
from alignframe.formats.rows import LinkFormat, Reading, tidied
from alignframe.read.lines import TextFile
from alignframe.read.nested import read_nested
from alignframe.read.opening import is_stream


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file or another place; text formats hold sid and links, this one also systems."""
    if is_stream(file.path):
        raise InputError("Parquet from a pipe", expected="a file")
    texts = False
    for batch in read_nested(file.path, system_name(file.path), reading.min_probability):
        texts = is_text(batch.column("links").type)
        yield tidied(pharaoh.from_texts(batch, reading), reading)
    if texts:
        pharaoh.check_weighed(reading)


FORMAT = LinkFormat(
    read=read,
    has_probabilities=True,
    has_ids=True,
)
