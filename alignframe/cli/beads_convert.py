"""``alignframe beads convert``: sentence alignments from one format to another."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.show import print_note, print_summary
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.formats.files import is_several
from alignframe.options.option import split

if TYPE_CHECKING:
    import pyarrow as pa

_LANGUAGE = re.compile(r"\.([A-Za-z]{2,3})")


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
    encoding: str,
    as_json: bool,
) -> None:
    """Convert beads between formats; --src and --tgt also check their sentence numbers."""
    if source not in ("-", "parallel") and is_several(source):
        _join(source, target, from_format, to_format, (src, tgt, doc), encoding, as_json)
        return
    if (src is None) != (tgt is None):
        raise InputError("only one of --src and --tgt", expected="both sides, or none")
    from alignframe.formats.beads import detect_beads, format_of, known_format, write_beads

    kind = "parallel" if source == "parallel" else from_format or detect_beads(source)
    goal = known_format(to_format or format_of(target))
    pair = language_pair(languages, kind, goal)
    beads, sides = _read(source, kind, (src, tgt), pair, doc, encoding)
    names: dict[str, Any] = {}
    if src is not None and tgt is not None:
        names = {"src_name": Path(src).name, "tgt_name": Path(tgt).name}
    if goal == "tmx" and sides[0] is not None:
        names["languages"] = pair or languages_of(src, tgt)
    written = write_beads(beads, target, goal, src=sides[0], tgt=sides[1], **names)
    if as_json:
        found = {"from": kind, "to": goal, "beads": beads.num_rows, "written": written}
        print_summary({**found, "output": target})
    elif target != "-":
        print_note(f"{listed(beads, written, goal)} written to {target}")


def _join(
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    of_one: tuple[str | None, ...],
    encoding: str,
    as_json: bool,
) -> None:
    """Write the beads of several files as one Parquet file."""
    from alignframe.beads.sources import read_files
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
    beads = read_files(source, from_format, encoding)
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
        return f"{written:,} units (of {number_of(beads.num_rows, 'bead')})"
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


def languages_of(src: str | None, tgt: str | None) -> tuple[str, str]:
    """Return the languages in the suffixes of two texts, or else src and tgt."""
    from alignframe.formats.names import document_name

    suffixes = [Path(document_name(path)).suffix if path else "" for path in (src, tgt)]
    found = [match[1].lower() for text in suffixes if (match := _LANGUAGE.fullmatch(text))]
    if len(found) == 2 and found[0] != found[1]:
        return found[0], found[1]
    warnings.warn(
        "the languages of the texts are unknown, and are written as src and tgt; name them, for "
        "example with --languages en,fr",
        DataWarning,
        stacklevel=2,
    )
    return "src", "tgt"


def _read(
    source: str,
    kind: str,
    paths: tuple[str | None, str | None],
    languages: tuple[str, str] | None,
    doc: str | None,
    encoding: str,
) -> tuple[Any, tuple[Any, Any]]:
    """Return the beads, and the sentences of both sides if known."""
    from alignframe.formats import beads, parallel, sentences, tmx
    from alignframe.formats.bead_table import DOCUMENT

    src, tgt = paths
    name = doc or DOCUMENT
    if kind == "parallel":
        if src is None or tgt is None:
            raise InputError("parallel text without --src and --tgt", expected="both sides")
        table, *sides = parallel.read_parallel(src, tgt, doc=name, encoding=encoding)
        return table, (sides[0], sides[1])
    if kind == "tmx":
        table, *sides = tmx.read_tmx(source, languages, doc=name)
        if src is not None and tgt is not None:
            sentences.write_sentences(sides[0], src)
            sentences.write_sentences(sides[1], tgt)
        return table, (sides[0], sides[1])
    texts, ids = zip(*(_document(path, encoding) for path in paths), strict=True)
    given = {"src": ids[0], "tgt": ids[1]} if kind in ("ces", "intertext") else {}
    table = beads.read_beads(source, kind, doc=doc, encoding=encoding, **given)
    return table, (texts[0], texts[1])


def _document(path: str | None, encoding: str) -> tuple[Any, str | None]:
    """Return the sentences of a side, and its file if that has their ids."""
    from alignframe.formats.ces import read_document
    from alignframe.formats.sentences import read_sentences

    if path is None:
        return None, None
    if Path(path).suffix.lower() == ".xml" or path.lower().endswith(".xml.gz"):
        return read_document(path)[1], path
    return read_sentences(path, encoding), None
