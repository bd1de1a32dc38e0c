"""Reading, writing and detecting files of beads (sentence alignments)."""

from __future__ import annotations

import re
import warnings
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.arrow import require_columns
from alignframe.choices import BEAD_FORMATS, JSON_LINES, SEPARATORS
from alignframe.errors import DataWarning, InputError, unknown
from alignframe.formats.bead_lines import read_bead_lines, write_bead_lines
from alignframe.formats.bead_table import (
    DOCUMENT,
    bead_table,
    check_inside,
    checked_beads,
    one_document,
    warn_of,
)
from alignframe.formats.ces import read_ces, write_ces, write_intertext
from alignframe.formats.ladder import read_ladder, write_ladder
from alignframe.formats.markup import root_of
from alignframe.formats.parallel import joined_beads
from alignframe.formats.recognise import head_of
from alignframe.formats.sentences import Sentences
from alignframe.formats.tmx import read_tmx, write_tmx
from alignframe.output import check_suffix, replacing, write_table
from alignframe.parquet import ParquetFiles
from alignframe.read.opening import is_stream, peek
from alignframe.tables import SPANS
from alignframe.typing import IntoBeads

_BY_SUFFIX = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".ladder": "ladder",
    ".xml": "ces",
    ".tmx": "tmx",
    ".beads": "vecalign",
    ".txt": "vecalign",
}
_TABLES = (*SEPARATORS, ".json", *JSON_LINES)
_ROOTS = {"cesAlign": "ces", "linkGrp": "intertext", "tmx": "tmx"}
_ADDED = "added for sentences in none, as the format covers both texts completely"
_BEAD = re.compile(r"\[[^\]]*\]\s*:\s*\[")
_RUNG = re.compile(r"0\s+0(\s+\S+)?|\d+\s+\d+(\s+(-?\d*\.\d*(e[-+]?\d+)?|nan))?", re.ASCII)
_OTHERS = (
    ("word alignments", re.compile(r"\d+[-p?]\d+(\s+\d+[-p?]\d+)*|\d+\s+\d+\s+\d+\b.*", re.ASCII)),
    ("hunalign's text output", re.compile(r"[^\t]*\t[^\t]*\t-?[\d.]+(e[-+]?\d+)?")),
)


def detect_beads(path: str | PathLike[str]) -> str:
    """Detect the format of a file of beads by its first non-blank line.

    Raises
    ------
    InputError
        If it looks like none of them.
    """
    head = head_of(path)
    if head is None:
        return "parquet"
    utf16 = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = head.decode("utf-16" if utf16 else "utf-8-sig", "replace").lstrip()
    if text.startswith("<"):
        root = root_of(head)
        if root in _ROOTS:
            return _ROOTS[root]
        looks = "XML" if root is None else f"XML with the root element <{root}>"
    else:
        line = text.split("\n", 1)[0].strip()
        if not line or _BEAD.match(line):
            return "vecalign"  # a file of blank lines has no beads
        if _RUNG.fullmatch(line):
            return "ladder"
        other = next((name for name, form in _OTHERS if form.fullmatch(line)), None)
        looks = f"{other or 'text'}, its first line {line[:60]!r}"
    raise InputError(
        f"not beads: it looks like {looks}",
        path=path,
        expected=f"one of the formats {', '.join(BEAD_FORMATS)}",
    )


def format_of(path: str | PathLike[str]) -> str:
    """Return the format for an output file's suffix, by default vecalign."""
    suffix = Path(fspath(path)).suffix.lower()
    if suffix in _TABLES:
        raise InputError(
            f"the suffix {suffix}, which is not that of a bead format",
            path=path,
            expected=f"one of {', '.join(_BY_SUFFIX)}",
            todo="for a table, write .parquet",
        )
    return _BY_SUFFIX.get(suffix, "vecalign")


def suffix_of(format: str) -> str:
    """Return the file suffix of a format."""
    return next((suffix for suffix, one in _BY_SUFFIX.items() if one == format), ".xml")


def read_beads(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    doc: str | None = None,
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
        The document's name; ``document`` by default. A Parquet column ``doc``, and ``fromDoc`` in
        files of several documents, take precedence.
    encoding
        Encoding of files other than XML and Parquet.
    src, tgt
        XML files with elements ``<s id="...">``, for ``ces`` and ``intertext``.
    as_written
        Whether a sentence may be in two beads, with a ``DataWarning`` that gives the lines. If
        False, the error names the option of ``beads.scores`` for it.

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
    """
    kind = known_format(format or detect_beads(path))
    if kind not in ("ces", "intertext") and (src is not None or tgt is not None):
        raise InputError(
            f"sentence files given for the format {kind}",
            expected="sentence files only for ces and intertext",
        )
    name = doc or DOCUMENT
    if kind == "parquet":
        return _read_parquet(path, name, as_written)
    if kind == "tmx":
        return read_tmx(path, doc=name)[0]
    if kind in ("ces", "intertext"):
        return read_ces(path, name, kind, src, tgt, as_written)
    if not peek(path, 1):
        warnings.warn(f"{fspath(path)}: the file is empty: no beads", DataWarning, stacklevel=2)
        return bead_table(name, np.zeros((0, 4), np.int64))
    if kind == "ladder":
        return read_ladder(path, name, encoding)
    return read_bead_lines(path, name, encoding, as_written)


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
        One of ``BEAD_FORMATS``; by default from the file's suffix: .parquet, .ladder, .xml (ces),
        .tmx, or vecalign.
    src, tgt
        The sentences, needed for ``tmx``; ``ladder`` and ``intertext`` need their number. Beads
        beyond them are an error.
    src_name, tgt_name
        Document names in ``ces`` and ``intertext``.
    languages
        Languages in ``tmx``.

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
    """
    kind = known_format(format or format_of(path))
    check_suffix(path)
    if kind == "parquet":
        table = checked_beads(beads)
        write_table(table, path, kind)
        return len(table)
    _, spans, scores = one_document(beads)
    sizes = (None if src is None else len(src), None if tgt is None else len(tgt))
    check_inside(spans, *sizes)
    names = (src_name, tgt_name)
    rows: Any = []
    if kind == "tmx":
        if src is None or tgt is None:
            raise InputError(
                "no sentences",
                expected="the text of both sides, for tmx",
                todo="give --src and --tgt (in Python src and tgt)",
            )
        rows = list(zip(*joined_beads(beads, src, tgt, fspath(path)), strict=True))
    written = len(rows) if kind == "tmx" else len(spans)
    with replacing(path) as out:
        if kind == "vecalign":
            write_bead_lines(spans, scores, out)
        elif kind == "ladder":
            written = write_ladder(spans, scores, out, sizes)
        elif kind == "ces":
            write_ces(spans, scores, out, names)
        elif kind == "intertext":
            written = write_intertext(spans, scores, out, names, sizes, path)
        else:
            write_tmx(rows, out, languages, path)
    warn_of(path, written - len(spans) if kind != "tmx" else 0, "bead", _ADDED)
    return written


def known_format(format: str) -> str:
    """Return the name of a format, or raise an InputError."""
    if format not in BEAD_FORMATS:
        raise unknown("format", format, BEAD_FORMATS)
    return format


def _read_parquet(path: str | PathLike[str], doc: str, as_written: bool | None) -> pa.Table:
    if is_stream(path):
        raise InputError("Parquet from a pipe", path=path, expected="a file")
    files = ParquetFiles(path)
    require_columns(files.schema, SPANS, fspath(path))
    batches = files.batches([*SPANS, "doc", "score", "system"])
    tables = [pa.Table.from_batches([batch]) for batch in batches]
    whole = pa.concat_tables(tables, promote_options="permissive") if tables else None
    given = files.schema.empty_table() if whole is None else whole
    return checked_beads(given, path, doc, as_written)
