"""Reading, writing and recognising files of word alignments.

``read`` returns a table with the columns system, sid and links<i, j, sure>; GIZA++ and Moses
files add their words as src and tgt.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.arrow import sentence_column, to_tokens
from alignframe.errors import DataWarning, InputError
from alignframe.formats import giza, moses, naacl, pharaoh
from alignframe.formats.bitext import read_bitext, read_tokens
from alignframe.formats.lines import open_bytes
from alignframe.formats.rows import ORDERS, Reading, check_range
from alignframe.kernels.ragged import locate
from alignframe.nested import read_nested
from alignframe.parquet import is_parquet
from alignframe.tables import GOLD_LINKS, SYSTEM

Reader = Callable[[str | PathLike[str], Reading], Iterator[pa.RecordBatch]]

_READERS: dict[str, Reader] = {
    "pharaoh": pharaoh.read,
    "naacl": naacl.read,
    "giza": giza.read,
    "moses": moses.read,
}
FORMATS = (*_READERS, "parquet")
"""The names of all formats."""

_SUFFIXES = re.compile(
    r"\.(gz|bz2|zst|lz4|talp|pharaoh|align|wa|naacl|nonullalign|a3|final|moses|parquet|pq|txt)$",
    re.IGNORECASE,
)
_SNIFFED = 1 << 16


def system_name(path: str | PathLike[str]) -> str:
    """Return a file's name without the suffixes of formats and packers."""
    name = Path(fspath(path)).name
    while len(shorter := _SUFFIXES.sub("", name)) < len(name) and shorter:
        name = shorter
    return name


def detect(path: str | PathLike[str]) -> str:
    """Return the format of a file by its first line that is not blank.

    Raises
    ------
    InputError
        If the file is empty, or looks like none of the formats.
    """
    if is_parquet(path):
        return "parquet"
    if fspath(path) == "-":
        raise InputError("the format of standard input is not known", todo="name the format")
    with open_bytes(path) as file:
        head = file.read(_SNIFFED)
    if head[:4] == b"PAR1":
        return "parquet"
    lines = (line.decode("utf-8", "replace").strip("\ufeff \t\r") for line in head.split(b"\n"))
    line = next((line for line in lines if line), "")
    if line.startswith("# Sentence pair"):
        return "giza"
    if "|||" in line:
        return "moses"
    words = line.split()
    if words and all(re.fullmatch(r"\d+[-p?]\d+", word) for word in words):
        return "pharaoh"
    if re.fullmatch(r"\d+\s+\d+\s+\d+(\s+[SPsp])?(\s+[-+.\deE]+)?", line):
        return "naacl"
    if head and not line and not head.strip():
        return "pharaoh"  # nothing but empty lines: sentences without links
    if not head:
        raise InputError("the file is empty", path=path, expected="an alignment")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError("the text is in UTF-16", path=path, expected="UTF-8", todo="convert it")
    raise InputError(
        f"the format is not recognised; its first line is {line[:60]!r}",
        path=path,
        todo=f"name one of the formats {', '.join(FORMATS)}",
    )


def scan(
    path: str | PathLike[str],
    format: str | None = None,
    reading: Reading | None = None,
    *,
    bitext: pa.Table | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read a file piece by piece: batches with sid, links<i, j, sure>, and src and tgt if given.

    Parameters
    ----------
    format
        One of ``FORMATS``; recognised by the file's first line if left out.
    reading
        Options; afterwards it holds what was mended.
    bitext
        A table with sid, src and tgt: links outside their sentence pair are then refused.
    """
    reading = reading or Reading()
    name = format or detect(path)
    if name == "parquet":
        yield from read_nested(path)[1]
        return
    if name not in _READERS:
        raise InputError(f"the format {name!r}", expected=f"one of {', '.join(FORMATS)}")
    for batch in _READERS[name](path, reading):
        if bitext is not None:
            _check(batch, bitext, path, name)
        yield batch
    reading.warn(fspath(path))
    if name == "pharaoh" and reading.base is None and reading.links >= 20 and not reading.zeros:
        warnings.warn(
            f"{fspath(path)}: no link has a position 0, so positions may count from 1; "
            "if so, set the base to 1",
            DataWarning,
            stacklevel=2,
        )


def read(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    system: str | None = None,
    base: int | None = None,
    order: str = "src-tgt",
    first_sentence: int | None = None,
    min_probability: float | None = None,
    encoding: str = "utf-8",
    bitext: pa.Table | None = None,
) -> pa.Table:
    """Read a file of alignments into a table.

    Parameters
    ----------
    path
        A file, packed or not.
    format
        One of ``FORMATS``; recognised by the file's first line if left out.
    system
        The system's name; the file's name without its suffixes if left out.
    base, order, first_sentence, min_probability, encoding
        See ``Reading``.
    bitext
        A table with sid, src and tgt: links outside their sentence pair are then refused.

    Returns
    -------
    pyarrow.Table
        The columns system, sid and links<i, j, sure>, a row a sentence; src and tgt if the file
        has words. Links without a label are Sure.

    Raises
    ------
    InputError
        With the file, the line, what was found and what was expected.
    """
    reading = Reading(base, order, first_sentence, min_probability, encoding)
    batches = list(scan(path, format, reading, bitext=bitext))
    if not batches:
        raise InputError("no sentence in it", path=path, expected="an alignment")
    table = pa.Table.from_batches(batches)
    if "system" not in table.schema.names or system is not None:
        if "system" in table.schema.names:
            table = table.drop_columns(["system"])
        codes = pa.array([0], pa.int32()).take(pa.array([0] * table.num_rows, pa.int32()))
        names = pa.DictionaryArray.from_arrays(codes, pa.array([system or system_name(path)]))
        table = table.add_column(0, pa.field("system", SYSTEM, nullable=False), names)
    return table


def write(
    batches: Iterable[pa.RecordBatch],
    path: str | PathLike[str],
    format: str,
    *,
    base: int = 0,
    system: str | None = None,
) -> None:
    """Write batches with sid and links (and src and tgt, where the format holds words).

    The file appears whole or not at all. ``-`` is standard output.
    """
    if format not in FORMATS:
        raise InputError(f"the format {format!r}", expected=f"one of {', '.join(FORMATS)}")
    if format in ("giza", "moses"):
        batches = _with_words(batches, format)
    with _replacing(path) as out:
        if format == "parquet":
            _write_parquet(batches, out, system)
        elif format == "pharaoh":
            pharaoh.write(batches, out, base)
        elif format == "naacl":
            naacl.write(batches, out)
        elif format == "giza":
            giza.write(batches, out)
        else:
            moses.write(batches, out, base)


def add_words(batches: Iterable[pa.RecordBatch], bitext: pa.Table) -> Iterator[pa.RecordBatch]:
    """Give batches the columns src and tgt of a bitext."""
    known = bitext["sid"].to_numpy()
    for batch in batches:
        found = pa.array(locate(sentence_column(batch), known))
        columns = {"sid": batch.column("sid"), "links": batch.column("links")}
        for side in ("src", "tgt"):
            columns[side] = bitext[side].combine_chunks().take(found)
        yield pa.record_batch(list(columns.values()), names=list(columns))


def _with_words(batches: Iterable[pa.RecordBatch], format: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if "src" not in batch.schema.names:
            raise InputError(
                f"the format {format} holds words, and there are none",
                todo="give the two sides of the text as well",
            )
        yield batch


def _check(
    batch: pa.RecordBatch,
    bitext: pa.Table,
    path: str | PathLike[str],
    format: str,
) -> None:
    sid = sentence_column(batch)
    found = locate(sid, bitext["sid"].to_numpy())
    if (found < 0).any():
        missing = int(sid[int((found < 0).argmax())])
        raise InputError(
            f"sentence {missing} (counted from 0) is beyond the text's {bitext.num_rows:,} "
            "sentence pairs",
            path=path,
            line=missing + 1 if format in ("pharaoh", "moses") else None,
        )
    lengths = [to_tokens(bitext[side])[found] for side in ("src", "tgt")]
    outside = check_range(batch.column("links"), sid, *lengths)
    if outside:
        sentence, text = outside
        line = sentence + 1 if format in ("pharaoh", "moses") else None
        raise InputError(f"sentence {sentence}: {text}", path=path, line=line)


@contextmanager
def _replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that takes its name only once it is written."""
    import os
    import sys

    name = fspath(path)
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if Path(name).is_dir():
        raise InputError("is a folder", path=name, expected="a file to write")
    draft = f"{name}.{os.getpid()}.part"
    try:
        with open(draft, "wb") as out:
            yield out
        os.replace(draft, name)
    except FileNotFoundError:
        raise InputError("its folder does not exist", path=name) from None
    finally:
        Path(draft).unlink(missing_ok=True)


def _write_parquet(batches: Iterable[pa.RecordBatch], out: BinaryIO, system: str | None) -> None:
    writer: pq.ParquetWriter | None = None
    try:
        for batch in batches:
            table = pa.Table.from_batches([batch])
            if "system" not in table.schema.names and system is not None:
                names = pa.array([system] * table.num_rows).dictionary_encode()
                table = table.add_column(0, pa.field("system", SYSTEM, nullable=False), names)
            if writer is None:
                writer = pq.ParquetWriter(out, _strict(table.schema), compression="zstd")
            writer.write_table(table.cast(writer.schema), row_group_size=100_000)
    finally:
        if writer is not None:
            writer.close()


def _strict(schema: pa.Schema) -> pa.Schema:
    """Return the schema with links that cannot be missing: such lists are read faster."""
    fields = []
    for field in schema:
        if field.name == "links" and "sure" in {inner.name for inner in field.type.value_type}:
            field = pa.field("links", GOLD_LINKS, nullable=False)
        fields.append(field.with_nullable(False) if field.name == "sid" else field)
    return pa.schema(fields)


__all__ = [
    "FORMATS",
    "ORDERS",
    "Reading",
    "add_words",
    "detect",
    "read",
    "read_bitext",
    "read_tokens",
    "scan",
    "system_name",
    "write",
]
