"""The units of a translation memory as a table that keeps all of them, and back.

A unit's XML stands beside its texts, so that its notes, properties, dates and inline codes are
written again. Where a text was changed since, the new text stands in the old unit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from hashlib import blake2b
from os import PathLike
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import is_text, require_columns
from alignframe.core.output import replacing
from alignframe.core.schemas import SPANS
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, in_file, warn
from alignframe.formats.bead_table import DOCUMENT, Languages, read_number, warn_of
from alignframe.formats.markup import Escaper, read_xml
from alignframe.formats.parallel import is_blank
from alignframe.formats.tmx import header_of, unit_of
from alignframe.formats.tmx_reading import Units, same_language

UNIT, DIGEST = "tmx_unit", "tmx_digest"
"""The columns of a unit's XML, and of its texts as they were read."""
_FILES = b"tmx_files"
"""What is known of the files beside their units, by document: header, root and languages."""
_START = re.compile(r"<tu\b[^>]*>")
_SEGMENT = re.compile(r"(<seg\b[^>]*>)(.*?)(</seg>)", re.DOTALL)
_TUV = re.compile(r"<tuv\b[^>]*?(?:xml:)?lang=[\"']([^\"']*)[\"'][^>]*>.*?</tuv>", re.DOTALL)


class _Whole(Units):
    """Units with their XML."""

    def __init__(self, path: str | PathLike[str], languages: Languages | None) -> None:
        super().__init__(path, languages)
        self.kept: list[tuple[str | None, str]] = []  # the tuid and XML of each row
        self.header = self.root = ""
        self._raw: list[str] | None = None
        self._id: str | None = None
        self._fit = Escaper()

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Begin an element."""
        super().start(name, attributes, line)
        given = "".join(f' {key}="{self._attribute(value)}"' for key, value in attributes.items())
        if name == "tmx":  # it may declare the prefixes of attributes
            self.root = re.sub(r'(?<!:)\bversion="[^"]*"', "", given).strip()
        if name in ("tu", "header"):
            self._raw, self._id = [], attributes.get("tuid")
        if self._raw is not None:
            self._raw.append(f"<{name}{given}>")

    def _attribute(self, value: str) -> str:
        """Return the value of an attribute; parsers make its line breaks and tabs spaces."""
        return self._fit(value).replace("\n", "&#10;").replace("\t", "&#9;")

    def text(self, piece: str) -> None:
        """Add to the text of an element."""
        super().text(piece)
        if self._raw is not None:
            self._raw.append(self._fit(piece))

    def end(self, name: str) -> None:
        """End an element."""
        before = len(self.rows)
        super().end(name)
        if self._raw is None:
            return
        self._raw.append(f"</{name}>")
        if name == "header":
            self.header, self._raw = "".join(self._raw), None
        elif name == "tu":
            if len(self.rows) > before:
                self.kept.append((self._id, "".join(self._raw)))
            self._raw = None


def read_units(
    path: str | PathLike[str], languages: Languages | None = None, *, doc: str = DOCUMENT
) -> pa.Table:
    """Read the units of a translation memory as a table.

    Parameters
    ----------
    path, languages, doc
        See ``read_tmx``.

    Returns
    -------
    pyarrow.Table
        A row per unit: doc, id (its tuid), src, tgt, score, src_start, src_end, tgt_start, tgt_end
        (of sentences that are not blank), tmx_unit (its XML) and tmx_digest (of its texts).

    Raises
    ------
    InputError
        See ``read_tmx``.

    Examples
    --------
    >>> from alignframe import formats
    >>> texts = {"src": ["One."], "tgt": ["Un."], "languages": ("en", "fr")}
    >>> _ = formats.write_beads(formats.identity_beads(1), "memory.tmx", **texts)
    >>> formats.read_units("memory.tmx").select(["src", "tgt"]).to_pylist()
    [{'src': 'One.', 'tgt': 'Un.'}]
    """
    with in_file(path):
        units = _Whole(path, languages)
        read_xml(path, units.start, units.end, units.text, ("seg", "prop"))
        source, target = units.checked()
    sides = [[row[0] for row in units.rows], [row[1] for row in units.rows]]
    full = [np.array([not is_blank(text) for text in side], np.int64) for side in sides]
    ends = [np.cumsum(side) for side in full]
    spans = [ends[0] - full[0], ends[0], ends[1] - full[1], ends[1]]
    columns = {
        "doc": pa.array([doc] * len(units.rows), pa.string()),
        "id": pa.array([name for name, _ in units.kept], pa.string()),
        "src": pa.array(sides[0], pa.string()),
        "tgt": pa.array(sides[1], pa.string()),
        "score": pa.array([score for _, _, score in units.rows], pa.float64()),
        **{name: pa.array(span.astype(np.int32)) for name, span in zip(SPANS, spans, strict=True)},
        UNIT: pa.array([raw for _, raw in units.kept], pa.string()),
        DIGEST: pa.array([_digest(src, tgt) for src, tgt, _ in units.rows], pa.string()),
    }
    file = {"header": units.header, "root": units.root, "languages": [source, target]}
    return _with_files(pa.table(columns), {doc: file})


def with_languages(table: pa.Table, languages: Languages) -> pa.Table:
    """Return a table of pairs that knows its languages."""
    return _with_files(table, {DOCUMENT: {"languages": [*languages]}})


def _with_files(table: pa.Table, files: Mapping[str, object]) -> pa.Table:
    return table.replace_schema_metadata({_FILES: json.dumps(files, ensure_ascii=False)})


def files_of(table: pa.Table) -> dict[str, dict[str, Any]]:
    """Return what is known of the files of a table of units, by document."""
    known: dict[str, dict[str, Any]] = json.loads((table.schema.metadata or {}).get(_FILES, b"{}"))
    return known


def joined_units(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the units of several documents as one table."""
    files = {doc: file for table in tables for doc, file in files_of(table).items()}
    whole = pa.concat_tables(
        [table.replace_schema_metadata(None) for table in tables], promote_options="default"
    )
    return _with_files(whole, files)


def languages_of(table: pa.Table) -> Languages | None:
    """Return the languages of a table of units, if they are known."""
    known = next((file["languages"] for file in files_of(table).values()), ())
    said = ",".join(known)
    if not said and UNIT in table.column_names and table.num_rows:  # not kept by all tools
        said = ",".join(_TUV.findall(table[UNIT][0].as_py() or "")[:2])
    src, comma, tgt = said.partition(",")
    return (src, tgt) if comma else None


def has_notes(table: pa.Table) -> bool:
    """Whether the header of a table's file has notes or properties."""
    headers = (str(file.get("header", "")) for file in files_of(table).values())
    return any("</" in header.removesuffix("</header>") for header in headers)


def check_pairs(table: pa.Table) -> None:
    """Raise an InputError unless each row of a table has the texts src and tgt."""
    require_columns(table.schema, SIDES, "the table of pairs")
    for side in SIDES:
        if not is_text(table.schema.field(side).type):
            raise InputError(f"a column {side} of type {table[side].type}", expected="texts")
        if table[side].null_count:
            missing = pc.index(pc.is_null(table[side]), pa.scalar(True)).as_py()
            raise InputError(f"row {missing + 1} without {side}", expected="a text in each row")


def write_units(table: pa.Table, path: str | PathLike[str], languages: Languages) -> int:
    """Write a table of pairs as a translation memory, and return the number of units.

    Parameters
    ----------
    table
        The columns src and tgt, and perhaps id, score, and those of ``read_units``, whose units are
        kept. Other columns of text or numbers become properties.
    path
        The file.
    languages
        Its two languages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import formats
    >>> pairs = pa.table({"src": ["One."], "tgt": ["Un."], "id": ["a"]})
    >>> formats.write_units(pairs, "pairs.tmx", ("en", "fr"))
    1
    """
    check_pairs(table)
    fit = Escaper()
    for field in table.schema:
        if pa.types.is_nested(field.type):
            warn(f"{path}: the column {field.name} is left out, as it holds lists")
    with replacing(path) as out:
        changed = _write(table, out, languages, fit)
    fit.warn(path)
    if len(files_of(table)) > 1 and has_notes(table):
        warn(f"{path}: of the notes in headers, only those of the first document are written")
    warn_of(path, changed, "unit", "whose text was changed has lost the codes within it")
    return int(table.num_rows)


def _write(table: pa.Table, out: BinaryIO, languages: Languages, fit: Escaper) -> int:
    changed = 0
    docs = table["doc"].unique().to_pylist() if "doc" in table.column_names else []
    known = [file for doc, file in files_of(table).items() if doc in docs or not docs]
    kept, root = (str(known[0].get(name, "")) if known else "" for name in ("header", "root"))
    said = f'<?xml version="1.0" encoding="utf-8"?>\n<tmx version="1.4"{" " * bool(root)}{root}>'
    out.write(f"{said}\n{kept or header_of(fit(languages[0]))}\n<body>\n".encode())
    own = {"doc", "id", "src", "tgt", "score", "type", *SPANS, UNIT, DIGEST}
    others = [
        name
        for name, kind in zip(table.schema.names, table.schema.types, strict=True)
        if name not in own and not pa.types.is_nested(kind)
    ]
    for row in _rows(table):
        src, tgt, unit = row["src"], row["tgt"], row.get(UNIT)
        told = {name: row[name] for name in others if row[name] is not None}
        if row.get("score") is not None:
            told = {"score": row["score"]} | told
        if unit is None:
            props = {key: _shown(key, value) for key, value in told.items()}
            unit = unit_of((src, tgt), None, languages, fit, row.get("id"), props)
        else:
            if row.get(DIGEST) != _digest(src, tgt):
                unit, lost = _with_texts(unit, (src, tgt), languages, fit)
                changed += lost
            unit = _with_notes(unit, row.get("id"), told, fit)
        out.write(f"{unit}\n".encode())
    out.write(b"</body>\n</tmx>\n")
    return changed


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches():
        yield from batch.to_pylist()


def _with_texts(
    raw: str, texts: tuple[str, str], languages: Languages, fit: Escaper
) -> tuple[str, bool]:
    """Return a unit with other texts, and whether a code within an old one is lost."""
    lost = False
    for language, text in zip(languages, texts, strict=True):
        tuv = next((m for m in _TUV.finditer(raw) if same_language(m[1], language)), None)
        if tuv is None:
            raise InputError(f"a unit without {language}", expected="the languages of its file")
        segment = _SEGMENT.search(tuv[0])
        if segment is None or segment[2] == fit(text):
            continue
        lost = lost or "<" in segment[2]
        made = f"{tuv[0][: segment.start()]}{segment[1]}{fit(text)}{segment[3]}"
        raw = f"{raw[: tuv.start()]}{made}{tuv[0][segment.end() :]}{raw[tuv.end() :]}"
    return raw, lost


def _with_notes(unit: str, name: str | None, told: Mapping[str, Any], fit: Escaper) -> str:
    """Return a unit with its id and with properties that it lacks or has otherwise."""
    start, rest = _START.match(unit), ""
    if start is None:
        raise InputError("a unit that does not begin with <tu>", expected="those of read_units")
    begin, rest = start[0], unit[start.end() :]
    if name is not None and f'tuid="{fit(name)}"' not in begin:
        plain = re.sub(r"\s+tuid=(\"[^\"]*\"|'[^']*')", "", begin)
        begin = plain.replace("<tu", f'<tu tuid="{fit(name)}"', 1)
    head, tuv, sides = rest.partition("<tuv")
    for key, value in told.items():
        prop = re.compile(rf'<prop\b[^>]*\btype="{re.escape(fit(key))}"[^>]*>([^<]*)</prop>')
        old, new = prop.search(head), _shown(key, value)
        if old is None:
            head += f'<prop type="{fit(key)}">{fit(new)}</prop>'
        elif old[1] != fit(new) and not (key == "score" and read_number(old[1].strip()) == value):
            head = head[: old.start(1)] + fit(new) + head[old.end(1) :]
    return f"{begin}{head}{tuv}{sides}"


def _shown(key: str, value: Any) -> str:
    """Return the value of a property; scores are numbers."""
    number = key == "score" and isinstance(value, (int, float, Decimal))
    return repr(float(value)) if number else str(value)


def _digest(src: str, tgt: str) -> str:
    return blake2b(f"{src}\0{tgt}".encode(), digest_size=8).hexdigest()
