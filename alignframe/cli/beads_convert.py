"""``alignframe beads convert``: sentence alignments from one format to another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.choices import BASES, BEAD_FORMATS
from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.option import split
from alignframe.cli.places import check_one_output
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import ENCODING
from alignframe.errors import InputError, number_of, warn

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.formats.bead_table import BeadFile, BeadReading, Languages

_LANGUAGE = re.compile(r"\.([A-Za-z]{2,3})([-_][A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, kw_only=True)
class Conversion(Input):
    """Beads in a file, the texts that they belong to, and the file to write."""

    provides: ClassVar[tuple[str, ...]] = (
        *("beads", "path", "format", "src", "tgt", "src_name", "tgt_name", "languages", "whole"),
    )

    source: str = flag(
        "Beads, or 'parallel' for --src and --tgt line by line; '-' is standard input. A folder, a "
        "quoted glob or @FILE with a list joins files, each of one document, into Parquet.",
        panel=None,
        flags="IN",
        metavar="IN",
    )
    target: str = flag("A file; '-' is standard output.", panel=None, flags="OUT", metavar="OUT")
    from_format: str | None = flag(
        "Format of the beads in IN; detected by default.",
        None,
        flags="--from",
        choices=BEAD_FORMATS,
    )
    to_format: str | None = flag(
        "Format of OUT; by default from its suffix: .beads (vecalign), .ladder, .xml (ces), .tmx, "
        ".parquet.",
        None,
        flags="--to",
        choices=BEAD_FORMATS,
        panel="Output",
    )
    src: str | None = flag(
        "Source sentences, one per line, or XML with ids; if IN is TMX, a new file for them.",
        None,
        metavar="FILE",
    )
    tgt: str | None = flag("Target sentences, as --src.", None, metavar="FILE")
    languages: str | None = flag(
        "Languages to read from TMX or to name in it, such as en,fr; by default the suffixes of "
        "the two texts if they look like languages, or else those of the TMX.",
        None,
        metavar="SRC,TGT",
    )
    doc: str | None = flag(
        "Name of the document; 'document' by default.", None, metavar="NAME", panel="Output"
    )
    base: int | None = flag(
        "Number of the first sentence (vecalign, ces, intertext); by default 0, or 1 in ids if "
        "none is 0.",
        None,
        choices=BASES,
    )
    encoding: str = flag(ENCODING, "utf-8")
    as_json: bool = flag("Print JSON.", False, flags="--json", panel="Output")

    def arguments(self, shell: Shell) -> dict[str, Any]:
        """Return the beads, the format to write, and what is known of the texts."""
        from alignframe.formats.beads import format_of, known_format
        from alignframe.formats.files import is_several

        check_one_output(self.target, self.as_json)
        several = self.source not in ("-", "parallel") and is_several(self.source)
        if not several and (self.src is None) != (self.tgt is None):
            raise InputError("only one of --src and --tgt", expected="both sides, or none")
        goal = known_format(self.to_format or format_of(self.target))
        found = self._joined(goal) if several else self._single(goal, shell.stack)
        return {**found, "path": self.target, "format": goal}

    def _single(self, goal: str, stack: ExitStack) -> dict[str, Any]:
        from alignframe.formats.bead_table import BeadReading
        from alignframe.formats.beads import detect_beads, of_document
        from alignframe.formats.sentences import write_sentences
        from alignframe.output import together

        source, src, tgt = self.source, self.src, self.tgt
        kind = "parallel" if source == "parallel" else self.from_format or detect_beads(source)
        pair = language_pair(self.languages, kind, goal)
        named = pair or suffix_languages(src, tgt, known=kind == "tmx")
        reading = BeadReading(
            source, self.doc or BeadReading.doc, self.encoding, self.base, languages=named
        )
        read = _read(kind, (src, tgt), reading)
        first, second = read.sides
        found = {
            "beads": of_document(read.beads, self.doc, source),
            "src": first,
            "tgt": second,
            "whole": read.whole,
            "kind": kind,
        }
        if src is not None and tgt is not None:
            found |= {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
            if kind == "tmx":
                stack.enter_context(together())
                write_sentences(first, src)
                write_sentences(second, tgt)
        if first is not None and second is not None and goal == "tmx":
            found["languages"] = pair or read.languages or named or unknown_languages()
        return found

    def _joined(self, goal: str) -> dict[str, Any]:
        from alignframe.beads.sources import beads_source

        if any((self.src, self.tgt, self.doc)):
            raise InputError(
                "--src, --tgt or --doc with several files",
                path=self.source,
                expected="none of them: each file is a document, named after it",
            )
        if goal != "parquet":
            raise InputError(
                f"several files for one of the format {goal}",
                expected="a Parquet file: FILE.parquet",
            )
        reading: dict[str, Any] = {"encoding": self.encoding, "base": self.base}
        return {"beads": beads_source(self.source, format=self.from_format, **reading).frame}


def show_converted(written: int, words: Mapping[str, Any]) -> None:
    """Say how many beads were written, and where."""
    beads, target, kind = words["beads"], words["target"], words.get("kind")
    said: dict[str, Any] = {"to": words["format"], "beads": len(beads)}
    texts = {side: words[side] for side in ("src", "tgt")} if kind == "tmx" else {}
    texts = texts if texts.get("src") else {}
    if kind is None:
        said = {"documents": len(beads["doc"].unique()), **said}
        notes = [
            f"{number_of(said['documents'], 'document')}, {number_of(written, 'bead')} written to "
            f"{target}"
        ]
    else:
        said = {"from": kind, **said, "written": written}
        notes = [f"{listed(beads, written, words['format'])} written to {target}"]
    if words["as_json"]:
        print_summary({**said, "output": target, **texts})
        return
    notes = [] if target == "-" else notes
    if texts:
        notes.append(f"the text written to {texts['src']} and {texts['tgt']}")
    if notes:
        print_note("; ".join(notes))


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


def _read(kind: str, paths: tuple[str | None, str | None], reading: BeadReading) -> BeadFile:
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
        return read_bead_file(kind, reading)
    (first, one), (second, other) = (_document(path, reading.encoding) for path in paths)
    if FORMATS[kind].has_ids:
        reading = replace(reading, ids=(one, other))
    return replace(read_bead_file(kind, reading), sides=(first, second))


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
