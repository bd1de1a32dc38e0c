"""Sentence alignments from one format to another, for ``alignframe convert``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.option import split
from alignframe.core.suffixes import TEXT
from alignframe.errors import InputError, number_of, warn
from alignframe.typing import Arguments, Row

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.cli.convert import Conversion
    from alignframe.formats.bead_table import BeadFile, BeadReading, Languages

_LANGUAGE = re.compile(r"\.([A-Za-z]{2,3})([-_][A-Za-z0-9]{2,8})*")


def convert_beads(given: Conversion, is_text: bool = False) -> tuple[Row, str]:
    """Convert beads, or the two sides of a text to beads; return a summary and a note."""
    from alignframe.core.output import together
    from alignframe.formats.beads import output_format, write_beads
    from alignframe.formats.files import is_several

    source, target = given.source[0], given.target
    several = len(given.source) == 1 and source != "-" and is_several(source)
    # With one side only, neither can be checked against the beads.
    if not several and (given.src is None) != (given.tgt is None):
        raise InputError("only one of --src and --tgt", expected="both sides, or none")
    goal = output_format(target, given.to_format)
    if several:
        beads = _joined(given, goal)
        written = write_beads(beads, target, goal)
        documents = len(beads["doc"].unique())
        said = f"{number_of(documents, 'document')}, {number_of(written, 'bead')}"
        summary = {"documents": documents, "to": goal, "beads": len(beads)}
        return summary, f"{said} written to {target}"
    # Beads and the text of a TMX are written, or none of them.
    with together():
        kind, beads, sides = _single(given, goal, is_text)
        written = write_beads(beads, target, goal, **sides)
    summary = {"from": kind, "to": goal, "beads": len(beads), "written": written}
    notes = [] if target == "-" else [f"{listed(beads, written, goal)} written to {target}"]
    if kind in ("tmx", "text") and given.src:
        summary |= {"src": given.src, "tgt": given.tgt}
        notes.append(f"the text written to {given.src} and {given.tgt}")
    return summary, "; ".join(notes)


def _single(given: Conversion, goal: str, is_text: bool) -> tuple[str, Any, Row]:
    """Return the format of beads, these, and what is known of their texts; write those of a TMX."""
    from alignframe.formats.bead_table import BeadFile, BeadReading
    from alignframe.formats.beads import detect_beads, of_document
    from alignframe.formats.parallel import read_parallel
    from alignframe.formats.sentences import write_sentences

    source, doc = given.source[0], given.doc or BeadReading.doc
    src, tgt = given.source if len(given.source) == 2 else (given.src, given.tgt)
    kind = "text" if is_text else given.from_format or detect_beads(source, given.encoding)
    pair = language_pair(given.languages, kind, goal)
    named = pair or suffix_languages(src, tgt, known=kind == "tmx")
    if is_text:
        _refuse_existing([given.src, given.tgt])
        reading_text: Arguments = {"doc": doc, "encoding": given.encoding, "columns": given.columns}
        beads, *sides = read_parallel(*given.source, **reading_text, whole=True)
        read = BeadFile(beads, (sides[0], sides[1]))
    else:
        reading = BeadReading(source, doc, given.encoding, given.base, languages=named)
        read = _read(kind, (src, tgt), reading)
    first, second = read.sides
    text: Row = {"src": first, "tgt": second, "whole": read.whole}
    if src is not None and tgt is not None:
        text |= {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
        if kind == "tmx" or (len(given.source) < 2 and is_text):
            for path in (src, tgt):
                TEXT.chosen(path)
            write_sentences(first, src)
            write_sentences(second, tgt)
    if first is not None and second is not None and goal == "tmx":
        text["languages"] = pair or read.languages or named or unknown_languages()
    return kind, of_document(read.beads, given.doc, source), text


def _joined(given: Conversion, goal: str) -> Any:
    from alignframe.beads.sources import beads_source

    if any((given.src, given.tgt, given.doc)):
        raise InputError(
            "--src, --tgt or --doc with several files",
            path=given.source[0],
            expected="none of them: each file is a document, named after it",
        )
    if goal != "parquet":
        raise InputError(
            f"several files for one of the format {goal}",
            expected="a Parquet file: FILE.parquet",
        )
    reading: Arguments = {"encoding": given.encoding, "base": given.base}
    return beads_source(given.source[0], format=given.from_format, **reading).frame


def listed(beads: pa.Table | pl.DataFrame, written: int, format: str) -> str:
    """Describe how many beads were written, left out and added."""
    if format == "tmx":
        return f"{number_of(written, 'unit')} (of {number_of(len(beads), 'bead')})"
    added = written - len(beads)
    return number_of(written, "bead") + (f" ({added:,} of them added)" if added else "")


def language_pair(text: str | None, *formats: str) -> tuple[str, str] | None:
    """Return the two languages of --languages; raise an InputError if invalid or unused."""
    if text is None:
        return None
    names = split(text)
    if len(names) != 2:
        raise InputError(f"--languages {text}", expected="two, comma-separated: en,fr")
    if "tmx" not in formats:
        raise InputError(
            f"--languages with the format {formats[-1]}",
            expected="--languages only with tmx, which stores them",
        )
    return names[0], names[1]


def suffix_languages(src: str | None, tgt: str | None, *, known: bool) -> Languages | None:
    """Return the languages in the suffixes of two texts; if ``known``, of ISO 639-1."""
    from alignframe.formats.files import document_name, is_language

    suffixes = [Path(document_name(path)).suffix if path else "" for path in (src, tgt)]
    languages = [text[1:].replace("_", "-") for text in suffixes if _LANGUAGE.fullmatch(text)]
    # The language is in small letters; regions such as pt-BR keep theirs.
    languages = [code[:3].lower() + code[3:] if code[2:3] != "-" else code for code in languages]
    if known and not all(map(is_language, languages)):
        return None
    return (languages[0], languages[1]) if len({*languages}) == 2 else None


def unknown_languages() -> Languages:
    """Return names for unknown languages, with a warning."""
    warn(
        "the languages of the texts are unknown, and are written as src and tgt; name them, for "
        "example with --languages en,fr"
    )
    return "src", "tgt"


def _read(kind: str, paths: tuple[str | None, str | None], reading: BeadReading) -> BeadFile:
    """Return the beads, and the sentences of both sides if known."""
    from alignframe.formats.beads import FORMATS, read_bead_file

    if kind == "tmx":
        _refuse_existing(paths)
        return read_bead_file(kind, reading)
    (first, one), (second, other) = (_document(path, reading.encoding) for path in paths)
    if FORMATS[kind].has_ids:
        reading = replace(reading, ids=(one, other))
    read = read_bead_file(kind, reading)
    return read if first is second is None else replace(read, sides=(first, second))


def _refuse_existing(paths: Sequence[str | None]) -> None:
    """Refuse files for the text of a translation memory or a table that exist already."""
    for path in paths:
        if path is not None and Path(path).is_file():
            raise InputError(
                "exists already, and the input has a text of its own",
                path=path,
                expected="--src and --tgt as new files for it",
                todo="delete the file, or name another",
            )


def _document(path: str | None, encoding: str) -> tuple[Any, str | None]:
    """Return the sentences of a side, and its file if that has their ids."""
    from alignframe.formats.ces import read_document
    from alignframe.formats.sentences import read_sentences
    from alignframe.read.opening import table_suffix

    if path is None:
        return None, None
    if table_suffix(path) == ".xml":
        return read_document(path)[1], path
    return read_sentences(path, encoding), None
