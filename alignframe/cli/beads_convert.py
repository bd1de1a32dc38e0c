"""``alignframe beads convert``: sentence alignments from one format to another."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.places import check_one_output
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError, number_of, warn
from alignframe.formats.files import is_several
from alignframe.options.option import split

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.formats.bead_table import BeadFile, BeadReading, Languages

_LANGUAGE = re.compile(r"\.([A-Za-z]{2,3})([-_][A-Za-z0-9]{2,8})*")


def convert(
    *,
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    src: str | None,
    tgt: str | None,
    languages: str | None,
    doc: str | None,
    base: int | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Convert beads between formats; --src and --tgt also check their sentence numbers."""
    check_one_output(target, as_json)
    if source not in ("-", "parallel") and is_several(source):
        _join(source, target, from_format, to_format, (src, tgt, doc), base, encoding, as_json)
        return
    if (src is None) != (tgt is None):
        raise InputError("only one of --src and --tgt", expected="both sides, or none")
    from alignframe.formats.bead_table import BeadReading
    from alignframe.formats.beads import (
        detect_beads,
        format_of,
        known_format,
        of_document,
        write_beads,
    )
    from alignframe.formats.sentences import write_sentences
    from alignframe.output import together

    kind = "parallel" if source == "parallel" else from_format or detect_beads(source)
    goal = known_format(to_format or format_of(target))
    pair = language_pair(languages, kind, goal)
    named = pair or suffix_languages(src, tgt, known=kind == "tmx")
    reading = BeadReading(doc or BeadReading.doc, encoding, base, languages=named)
    found = _read(source, kind, (src, tgt), reading)
    beads = of_document(found.beads, doc, source)
    names: dict[str, Any] = {}
    if src is not None and tgt is not None:
        names = {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
    first, second = found.sides
    if first is not None and second is not None and goal == "tmx":
        names["languages"] = pair or found.languages or named or unknown_languages()
    with together():
        if kind == "tmx" and src is not None and tgt is not None:
            write_sentences(first, src)
            write_sentences(second, tgt)
        written = write_beads(
            beads, target, goal, src=first, tgt=second, whole=found.whole, **names
        )
    texts = {"src": src, "tgt": tgt} if kind == "tmx" and src is not None else {}
    if as_json:
        said = {"from": kind, "to": goal, "beads": beads.num_rows, "written": written}
        print_summary({**said, "output": target, **texts})
        return
    note = f"{listed(beads, written, goal)} written to {target}" if target != "-" else ""
    if texts:
        note += f"{'; ' * bool(note)}the text written to {src} and {tgt}"
    if note:
        print_note(note)


def _join(
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    of_one: tuple[str | None, ...],
    base: int | None,
    encoding: str,
    as_json: bool,
) -> None:
    """Write the beads of several files as one Parquet file."""
    from alignframe.beads.sources import beads_source
    from alignframe.formats.beads import format_of, known_format, write_beads

    if any(of_one):
        raise InputError(
            "--src, --tgt or --doc with several files",
            path=source,
            expected="none of them: each file is a document, named after it",
        )
    goal = known_format(to_format or format_of(target))
    if goal != "parquet":
        raise InputError(
            f"several files for one of the format {goal}", expected="a Parquet file: FILE.parquet"
        )
    beads = beads_source(source, format=from_format, encoding=encoding, base=base).frame
    written = write_beads(beads, target, goal)
    documents = len(beads["doc"].unique())
    if as_json:
        print_summary({"documents": documents, "to": goal, "beads": written, "output": target})
    elif target != "-":
        print_note(
            f"{number_of(documents, 'document')}, {number_of(written, 'bead')} written to {target}"
        )


def listed(beads: pa.Table, written: int, format: str) -> str:
    """Describe how many beads were written, left out and added."""
    if format == "tmx":
        return f"{number_of(written, 'unit')} (of {number_of(beads.num_rows, 'bead')})"
    added = written - beads.num_rows
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
    from alignframe.formats.names import document_name, is_language

    suffixes = [Path(document_name(path)).suffix if path else "" for path in (src, tgt)]
    found = [text[1:].replace("_", "-") for text in suffixes if _LANGUAGE.fullmatch(text)]
    found = [one[:3].lower() + one[3:] if one[2:3] != "-" else one for one in found]
    if known and not all(map(is_language, found)):
        return None
    return (found[0], found[1]) if len({*found}) == 2 else None


def unknown_languages() -> Languages:
    """Return names for unknown languages, with a warning."""
    warn(
        "the languages of the texts are unknown, and are written as src and tgt; name them, for "
        "example with --languages en,fr"
    )
    return "src", "tgt"


def _read(
    source: str, kind: str, paths: tuple[str | None, str | None], reading: BeadReading
) -> BeadFile:
    """Return the beads, and the sentences of both sides if known."""
    from alignframe.formats.bead_table import BeadFile
    from alignframe.formats.beads import FORMATS, read_bead_file
    from alignframe.formats.parallel import read_parallel

    src, tgt = paths
    if kind == "parallel":
        if src is None or tgt is None:
            raise InputError("parallel text without --src and --tgt", expected="both sides")
        beads, *sides = read_parallel(src, tgt, doc=reading.doc, encoding=reading.encoding)
        return BeadFile(beads, (sides[0], sides[1]))
    if kind == "tmx":
        for path in paths:
            if path is not None and Path(path).is_file():
                raise InputError(
                    "exists already, and a translation memory has a text of its own",
                    path=path,
                    expected="--src and --tgt as new files for it",
                    todo="delete the file, or name another",
                )
        return read_bead_file(source, kind, reading)
    (first, one), (second, other) = (_document(path, reading.encoding) for path in paths)
    if FORMATS[kind].has_ids:
        reading = replace(reading, ids=(one, other))
    return replace(read_bead_file(source, kind, reading), sides=(first, second))


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
