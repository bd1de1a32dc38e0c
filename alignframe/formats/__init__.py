"""Reading, writing and detecting files of word alignments and sentence alignments.

``read_beads``, ``write_beads`` and ``read_sentences`` are for beads: sentence alignments.
``read`` returns a table with the columns system, sid and links<i, j, sure>; GIZA++ and Moses
files add their words as src and tgt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike, fspath

import pyarrow as pa

from alignframe.arrow import sentence_column, to_tokens
from alignframe.choices import BEAD_FORMATS, ORDERS
from alignframe.errors import InputError, unknown
from alignframe.formats import giza, moses, naacl, numbered, pharaoh, tsv
from alignframe.formats.beads import detect_beads, read_beads, write_beads
from alignframe.formats.bitext import read_bitext, read_tokens, scan_bitext
from alignframe.formats.external import read_external
from alignframe.formats.names import system_name
from alignframe.formats.parallel import (
    bead_bitext,
    identity_beads,
    parallel_beads,
    read_parallel,
    write_parallel,
)
from alignframe.formats.recognise import FORMATS, detect, format_of
from alignframe.formats.rows import BASE_HINT, Reading, check_range, tidied
from alignframe.formats.sentences import read_sentences, write_sentences
from alignframe.formats.tables import write
from alignframe.formats.tagged import read_tagged, read_tagged_bitext
from alignframe.formats.tmx import read_tmx
from alignframe.formats.word_list import read_word_list
from alignframe.formats.writing import WITH_WORDS, add_words, write_links
from alignframe.kernels.ragged import locate
from alignframe.nested import no_probabilities, read_nested
from alignframe.read.opening import is_stream
from alignframe.tables import SYSTEM, with_options

Reader = Callable[[str | PathLike[str], Reading], Iterator[pa.RecordBatch]]


def _read_parquet(path: str | PathLike[str], reading: Reading) -> Iterator[pa.RecordBatch]:
    if reading.base is not None:
        raise InputError("a base given for Parquet", path=path, expected="positions from 0")
    if is_stream(path):
        raise InputError("Parquet from a pipe", path=path, expected="a file")
    for batch in read_nested(path, system_name(path), reading.min_probability):
        yield tidied(batch, reading)


_READERS: dict[str, Reader] = {
    "pharaoh": pharaoh.read,
    "numbered": numbered.read,
    "naacl": naacl.read,
    "giza": giza.read,
    "moses": moses.read,
    "tsv": tsv.read,
    "parquet": _read_parquet,
}


def scan(
    path: str | PathLike[str],
    format: str | None = None,
    reading: Reading | None = None,
    *,
    bitext: pa.Table | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read a file in batches with sid, links<i, j, sure>, and src and tgt if the file has words.

    Parameters
    ----------
    format
        One of ``FORMATS``; by default detected from the first line.
    reading
        Options; afterwards it holds counts of repairs.
    bitext
        A table with sid, src and tgt, with which links outside their sentence pair are refused.
    """
    reading = reading or Reading()
    name = format or detect(path)
    if name not in _READERS:
        raise unknown("format", name, FORMATS)
    if reading.min_probability is not None and name not in ("naacl", "parquet"):
        raise no_probabilities(path)
    for batch in _READERS[name](path, reading):
        if bitext is not None:
            _check(batch, bitext, path, name, reading)
        yield batch
    reading.warn(fspath(path))
    if name in ("pharaoh", "numbered"):
        reading.warn_of_base(fspath(path), BASE_HINT)


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
        A file, optionally compressed.
    format
        One of ``FORMATS``; by default detected from the first line.
    system
        The system's name; by default the file's name without suffixes.
    base, order, first_sentence, min_probability, encoding
        See ``Reading``. ``min_probability`` is recorded in the table, for signatures of its scores.
    bitext
        A table with sid, src and tgt, with which links outside their sentence pair are refused.

    Returns
    -------
    pyarrow.Table
        The columns system, sid and links<i, j, sure>, one row per sentence; src and tgt if the file
        has words. Links without a label are Sure.

    Raises
    ------
    InputError
        With the file, the line, what was found and what was expected.
    """
    reading = Reading(base, order, first_sentence, min_probability, encoding)
    batches = list(scan(path, format, reading, bitext=bitext))
    if not batches:
        raise InputError("the file has no sentences", path=path, expected="an alignment")
    table = pa.Table.from_batches(batches)
    if "system" not in table.schema.names or system is not None:
        if "system" in table.schema.names:
            table = table.drop_columns(["system"])
        codes = pa.array([0], pa.int32()).take(pa.array([0] * table.num_rows, pa.int32()))
        names = pa.DictionaryArray.from_arrays(codes, pa.array([system or system_name(path)]))
        table = table.add_column(0, pa.field("system", SYSTEM, nullable=False), names)
    return with_options(table, order=reading.order, min_probability=reading.min_probability)


def _check(
    batch: pa.RecordBatch,
    bitext: pa.Table,
    path: str | PathLike[str],
    format: str,
    reading: Reading,
) -> None:
    """Refuse sentences missing from the bitext, and links outside their sentence pair."""
    sid = sentence_column(batch)
    found = locate(sid, bitext["sid"].to_numpy())
    if (found < 0).any():
        missing = int(sid[int((found < 0).argmax())])
        raise InputError(
            f"sentence {missing} (counted from 0) is beyond the text's {bitext.num_rows:,} "
            "sentence pairs",
            path=path,
            line=_line_of(path, format, missing, None, reading),
        )
    lengths = [to_tokens(bitext[side])[found] for side in ("src", "tgt")]
    outside = check_range(batch.column("links"), sid, *lengths)
    if outside:
        sentence, text, link = outside
        line = _line_of(path, format, sentence, link, reading)
        from_one = format in ("pharaoh", "numbered") and reading.base is None and not reading.zeros
        todo = f"if positions count from 1, {BASE_HINT}" if from_one else ""
        raise InputError(f"sentence {sentence}: {text}", path=path, line=line, todo=todo)


def _line_of(
    path: str | PathLike[str],
    format: str,
    sentence: int,
    link: tuple[int, int] | None,
    reading: Reading,
) -> int | None:
    """Return the line of a sentence or of one of its links, if the file allows."""
    if format in ("pharaoh", "moses", "tsv"):
        return sentence + reading.first_line
    if format == "numbered":
        return numbered.line_of(path, sentence, reading)
    if format == "naacl" and link is not None:
        return naacl.line_of(path, sentence, link if reading.order == "src-tgt" else link[::-1])
    return None


__all__ = [
    "BEAD_FORMATS",
    "FORMATS",
    "ORDERS",
    "WITH_WORDS",
    "Reading",
    "add_words",
    "bead_bitext",
    "detect",
    "detect_beads",
    "format_of",
    "identity_beads",
    "parallel_beads",
    "read",
    "read_beads",
    "read_bitext",
    "read_external",
    "read_parallel",
    "read_sentences",
    "read_tagged",
    "read_tagged_bitext",
    "read_tmx",
    "read_tokens",
    "read_word_list",
    "scan",
    "scan_bitext",
    "system_name",
    "write",
    "write_beads",
    "write_links",
    "write_parallel",
    "write_sentences",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
