"""Reading, writing and detecting files of beads (sentence alignments)."""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike, fspath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import require_columns
from alignframe.core.choices import BASES, JSON_LINES, OTHER_NAMES, SEPARATORS
from alignframe.core.output import replacing, write_table
from alignframe.core.schemas import SPANS
from alignframe.core.suffixes import BEAD_FORMATS, BEADS
from alignframe.errors import InputError, check_known, in_file, warn
from alignframe.formats.bead_table import (
    DOCUMENT,
    BeadFile,
    BeadFormat,
    BeadReading,
    BeadWriting,
    bead_table,
    checked_beads,
    one_document,
    warn_of,
)
from alignframe.formats.ces import CES, INTERTEXT
from alignframe.formats.ces import LINE as IDS_LINE
from alignframe.formats.ladder import HUNALIGN_TEXT, LADDER
from alignframe.formats.markup import root_of
from alignframe.formats.parallel import check_text, warn_of_base
from alignframe.formats.sentences import Sentences, listed
from alignframe.formats.tmx import TMX
from alignframe.formats.vecalign import VECALIGN
from alignframe.options import checked
from alignframe.read.lines import TextFile, first_text, head_of
from alignframe.read.opening import is_stream, peek, table_suffix
from alignframe.read.parquet import ParquetFiles
from alignframe.read.tables import typed_table
from alignframe.typing import IntoBeads


def _read_parquet(reading: BeadReading) -> BeadFile:
    path = reading.path
    if is_stream(path):
        raise InputError("Parquet from a pipe", expected="a file")
    if table_suffix(path) in _TABLES:
        table = typed_table(path, "the table of beads", ["doc", "system"], reading.encoding)
    else:
        files = ParquetFiles(path)
        require_columns(files.schema, SPANS, "the table of beads")
        table = files.reader(columns=[*SPANS, "doc", "score", "system"]).read_all()
    return BeadFile(checked_beads(table, path, reading.doc, reading.as_written))


_PARQUET = BeadFormat("parquet", _read_parquet, has_base=False)
FORMATS = {form.name: form for form in (VECALIGN, LADDER, CES, INTERTEXT, TMX, _PARQUET)}
_TABLES = (*SEPARATORS, ".json", *JSON_LINES)
_ADDED = "added for sentences in none, as the format covers both texts completely"
# What files that are not beads often are, for the error.
_OTHERS = (
    ("word alignments", re.compile(r"\d+[-p?]\d+(\s+\d+[-p?]\d+)*|\d+\s+\d+\s+\d+\b.*", re.ASCII)),
    ("hunalign's text output", HUNALIGN_TEXT),
)


def detect_beads(path: str | PathLike[str], encoding: str | None = None) -> str:
    """Detect the format of a file of beads by its first non-blank line.

    Raises
    ------
    InputError
        If it looks like none of them.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.detect_beads("datasets/mill/mill.beads")
    'vecalign'
    """
    head = head_of(path)
    if head is None:
        return "parquet"
    root = root_of(head, path)  # XML says its own encoding
    if root is not None:
        looks = f"XML with the root element <{root}>"
        known = next((bead_form for bead_form in FORMATS.values() if bead_form.root == root), None)
    else:
        text = first_text(TextFile(path, encoding)).decode("utf-8", "replace").lstrip()
        first = re.split("[\r\n]", text, maxsplit=1)[0]
        line = first.strip()
        other = next((name for name, form in _OTHERS if form.fullmatch(line)), None)
        looks = f"{other or 'text'}, its first line {line[:60]!r}"
        if line.startswith("<"):
            looks = "XML"
        known = format_of_line(first)
        if not line:
            known = VECALIGN  # a file of blank lines has no beads
        elif set(SPANS) <= set(re.findall(r"\w+", line)):
            known = _PARQUET  # a table of separated cells or JSON
        elif other is not None and " ~~~ " in text:
            known = LADDER  # hunalign's mark between sentences of a bead
    if known is not None:
        return known.name
    is_hunalign = looks.startswith("hunalign")
    raise InputError(
        f"not beads: it looks like {looks}",
        path=path,
        expected=f"one of the formats {', '.join(BEAD_FORMATS)}",
        todo="if it is that, give `format='ladder'`; pairs with scores are converted with: "
        "alignframe convert FILE PAIRS.tmx --columns 1,2"
        if is_hunalign
        else "",
    )


def format_of_line(line: str) -> BeadFormat | None:
    """Return the format of text that the first line of a file is in."""
    if IDS_LINE.fullmatch(line):  # before it is stripped: its last cell may be empty
        return CES
    line = line.strip()
    forms = (form for form in FORMATS.values() if form.line and form.line.fullmatch(line))
    return next(forms, None)


def may_be_beads(line: str) -> bool:
    """Whether a first line is in a format of beads, or in hunalign's text output."""
    return format_of_line(line) is not None or HUNALIGN_TEXT.fullmatch(line.strip()) is not None


def format_of(path: str | PathLike[str]) -> str:
    """Return the format for an output file's suffix; vecalign for a stream or without one."""
    return BEADS.chosen(path)


def output_format(path: str | PathLike[str], format: str | None = None) -> str:
    """Return the format to write, by default that of the suffix; refuse the suffix of another."""
    return BEADS.chosen(path, None if format is None else known_format(format))


@checked
def read_beads(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    doc: str | None = None,
    base: int | None = None,
    encoding: str = "utf-8",
    src: str | PathLike[str] | None = None,
    tgt: str | PathLike[str] | None = None,
    as_written: bool | None = None,
) -> pa.Table:
    """Read a file of beads into a table.

    Parameters
    ----------
    path
        A file, optionally compressed; for Parquet also a folder or a glob.
    format
        One of ``BEAD_FORMATS``; by default detected from the first line.
    doc
        The document's name; ``document`` by default. Of a file with several documents (a Parquet
        column ``doc``, several ``linkGrp`` with ``fromDoc``), the one to read, by default all.
    base
        The number of the first sentence in vecalign, ``ces`` and ``intertext``: 0 or 1; by default
        0, or 1 in ids if none is 0.
    encoding
        Encoding of files other than XML and Parquet.
    src, tgt
        XML files with elements ``<s id="...">``, for ``ces`` and ``intertext``.
    as_written
        Whether a sentence may be in two beads, with a ``DataWarning`` that gives the lines. If
        False, the error names the option of ``beads.score`` for it.

    Returns
    -------
    pyarrow.Table
        The schema ``tables.BEADS``, sorted by (src_start, tgt_start), plus a column system if a
        Parquet file has one. Beads may cross.

    Raises
    ------
    InputError
        With the file, the line or row, what was found and what was expected; also if a sentence is
        in two beads.

    Examples
    --------
    >>> from alignframe import formats
    >>> beads = formats.read_beads("datasets/mill/mill.beads")
    >>> beads.select(["src_start", "src_end", "tgt_start", "tgt_end"]).to_pylist()[2]
    {'src_start': 2, 'src_end': 4, 'tgt_start': 2, 'tgt_end': 3}
    """
    reading = BeadReading(path, doc or DOCUMENT, encoding, base, (src, tgt), as_written)
    return of_document(read_bead_file(format, reading).beads, doc, path)


def read_bead_file(format: str | None, reading: BeadReading) -> BeadFile:
    """Read a file of beads with what else it has, such as its sentences; see ``read_beads``."""
    path = reading.path
    kind = FORMATS[known_format(format or detect_beads(path, reading.encoding))]
    if not kind.has_ids and any(reading.ids):
        raise InputError(
            f"sentence files given for the format {kind.name}",
            expected="sentence files only for ces and intertext",
        )
    if reading.base is not None and (not kind.has_base or reading.base not in BASES):
        raise InputError(
            f"the base {reading.base} for the format {kind.name}",
            path=path,
            expected="0 or 1, for "
            + ", ".join(form.name for form in FORMATS.values() if form.has_base),
        )
    if kind.line and not peek(path, 1):
        warn(f"{fspath(path)}: the file is empty: no beads")
        return BeadFile(bead_table(reading.doc, np.zeros((0, 4), np.int64)))
    with in_file(path):
        content = kind.read(reading)
    if kind.line and kind.has_base and reading.base is None:
        warn_of_base(content.beads, path)
    return replace(content, whole=content.whole or kind.whole)


def of_document(beads: pa.Table, doc: str | None, path: str | PathLike[str]) -> pa.Table:
    """Return the beads of the named document, if there are several."""
    names = beads["doc"].unique().to_pylist()
    if doc is None or len(names) < 2:
        return beads
    check_known("`doc`", doc, names, path=path)
    return beads.filter(pc.equal(beads["doc"].cast(pa.string()), doc))


@checked
def write_beads(
    beads: IntoBeads,
    path: str | PathLike[str],
    format: str | None = None,
    *,
    src: Sentences | None = None,
    tgt: Sentences | None = None,
    src_name: str = "src",
    tgt_name: str = "tgt",
    languages: tuple[str, str] = ("src", "tgt"),
    whole: bool = False,
) -> int:
    """Write beads of one document and system (of several as Parquet), and return their number.

    Parameters
    ----------
    beads
        Any kind of table with the columns src_start, src_end, tgt_start and tgt_end, and optionally
        doc, score and system.
    path
        Written atomically. ``-`` is standard output.
    format
        One of ``BEAD_FORMATS``; by default from the file's suffix: .beads (vecalign), .ladder,
        .xml (ces), .tmx or .parquet.
    src, tgt
        The sentences, needed for ``tmx``; ``ladder`` and ``intertext`` need their number. Beads
        beyond them are an error.
    src_name, tgt_name
        Document names in ``ces`` and ``intertext``.
    languages
        Languages in ``tmx``.
    whole
        Whether the beads must have every sentence of both sides, as those of a ladder.

    Returns
    -------
    int
        The number of beads written. ``tmx`` leaves out those with an empty side; ``ladder`` and
        ``intertext``, which cover both texts, add beads for sentences without one. A
        ``DataWarning`` counts either.

    Raises
    ------
    InputError
        If the format cannot hold the beads: several documents, or crossing beads in a ladder or for
        InterText.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats
    >>> number = formats.write_beads(formats.identity_beads(2), "text.beads")
    >>> print(Path("text.beads").read_text(), end="")
    [0]:[0]
    [1]:[1]
    """
    kind = FORMATS[output_format(path, format)]
    write = kind.write
    if write is None:
        table = checked_beads(beads)
        write_table(table, path, kind.name)
        return len(table)
    _, spans, scores = one_document(beads)
    sides = tuple(None if side is None else listed(side) for side in (src, tgt))
    check_text(spans, *sides, whole=whole, filled=kind.whole)
    writing = BeadWriting(
        path, spans, scores, (sides[0], sides[1]), (src_name, tgt_name), languages
    )
    with replacing(path) as out:
        written = write(writing, out)
    warn_of(path, max(written - len(spans), 0), "bead", _ADDED)
    return written


def known_format(format: str) -> str:
    """Return the name of a format, or raise an InputError."""
    check_known("format", format, BEAD_FORMATS, others=OTHER_NAMES)
    return format
