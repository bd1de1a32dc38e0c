"""Beads as XML links between sentence ids: CES/XCES, as in OPUS, and InterText.

``<link xtargets="s1 s2;s1" certainty="0.9"/>`` in a ``linkGrp``. The source is the document of
``fromDoc`` in both. In CES files (root ``cesAlign``) its ids are first in ``xtargets``; in
InterText files (root ``linkGrp``) they are second, as its editor writes and reads them, and
``type="2-1"`` means two sentences of ``toDoc``. InterText does not store scores; CES's
``certainty`` is kept if all values in a file are within 0..1.

OPUS' .ids are the links of CES as lines: ``en/1.xml.gz <tab> fr/1.xml.gz <tab> 1 2 <tab> 1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from os import PathLike, fspath
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from alignframe.core.tokens import number_in
from alignframe.errors import InputError, guessed, in_file
from alignframe.formats.bead_gaps import Listed, gathered
from alignframe.formats.bead_table import (
    BeadFile,
    BeadFormat,
    BeadReading,
    BeadWriting,
    check_size,
    read_number,
    warn_of,
)
from alignframe.formats.files import bare_name, distinct_names
from alignframe.formats.ladder import chain
from alignframe.formats.markup import Escaper, read_xml
from alignframe.read.lines import SNIFFED, first_text
from alignframe.read.opening import peek

_IDS = r"(?:(?:[^\t ]* )*[^\t \d]*\d[^\t ]*)?"  # as there is one way to match, it is fast
LINE = re.compile(
    rf"[^\t]+\.xml(?:\.gz)?\t[^\t]+\.xml(?:\.gz)?\t{_IDS}\t{_IDS}(?:\t[\d.]*)? *", re.ASCII
)
"""A line of a file of OPUS with ids."""
_IDS_EXPECTED = "source document, target document, source ids and target ids, with tabs"
_DIGITS = re.compile(r"\d+", re.ASCII)
# Elements in sentences that are words of their own, or separate words.
_WORDS = ("w", "pc", "lb", "br")
_GIVE = "give the XML files of the sentences as well (`src` and `tgt`)"


class _Link(NamedTuple):
    """A link: its line, source ids, target ids, and score."""

    line: int
    sides: tuple[list[str], list[str]]
    score: float | None


@dataclass
class _Group:
    """A linkGrp: a pair of documents."""

    line: int
    source: str
    links: list[_Link] = field(default_factory=list)


def _read(reading: BeadReading, root: str) -> BeadFile:
    """Read links between sentence ids, whose numbers are found separately on each side."""
    are_ids = root == _CES and LINE.fullmatch(_first_line(reading)) is not None
    groups = _groups_of_ids(reading) if are_ids else _groups(reading.path, root)
    if len(groups) > 1 and any(reading.ids):
        raise InputError(
            f"{len(groups):,} linkGrp, with the sentences of one document",
            expected="one linkGrp",
            todo="omit the sentence files, or split the file",
        )
    # A single group is the document of `reading`; several are named after their `fromDoc`.
    names = [reading.doc]
    if len(groups) > 1:
        names = distinct_names([group.source for group in groups], bare_name)
    for k, name in enumerate(names):
        if name in names[:k]:
            raise InputError(
                f"a second linkGrp from the document {name!r}",
                line=groups[k].line,
                expected="one per document",
                todo="split the file",
            )
    tables, whole = [], False
    for group, name in zip(groups, names, strict=True):
        numbers = [_numbering(group, side, reading, root == _CES) for side in (0, 1)]
        whole |= any(side_numbers.whole for side_numbers in numbers)
        beads = []
        for line, sides, score in group.links:
            src_row, tgt_row = (
                [numbers[k].of[sentence_id] for sentence_id in sides[k]] for k in (0, 1)
            )
            beads.append(Listed(line, src_row, tgt_row, score))
        tables.append(gathered(beads, replace(reading, doc=name)))
    return BeadFile(pa.concat_tables(tables).unify_dictionaries(), whole=whole)


def _groups(path: str | PathLike[str], root: str) -> list[_Group]:
    groups: list[_Group] = []
    seen: list[str] = []
    bad = 0

    def start(name: str, attributes: dict[str, str], line: int) -> None:
        nonlocal bad
        seen.append(name)
        if seen[0] != root:
            raise InputError(f"the root element <{name}>", expected=f"<{root}>")
        if name == "linkGrp":
            groups.append(_Group(line, attributes.get("fromDoc", "")))
        if name == "link":
            if not groups:
                raise InputError("a link outside any linkGrp")
            sides = _ids_of(attributes)
            score = read_number(attributes.get("certainty", "nan"))
            bad += score is None
            groups[-1].links.append(_Link(line, sides if root == _CES else sides[::-1], score))

    read_xml(path, start)
    warn_of(path, bad, "score", "that is not a number left out")
    if not groups:
        raise InputError("no linkGrp in it", expected="links between sentences")
    return groups


def _first_line(reading: BeadReading) -> str:
    """Return the first line of a file, if it is no XML."""
    if b"<" in peek(reading.path, SNIFFED)[:8]:
        return ""
    text = first_text(reading.text).decode("utf-8", "replace")
    return re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]


def _groups_of_ids(reading: BeadReading) -> list[_Group]:
    """Return the links of a file of OPUS with ids, by pair of documents."""
    groups: dict[tuple[str, str], _Group] = {}
    with in_file(None) as place:
        for place.line, line in reading.text.lines():
            if not line.strip():
                continue
            if LINE.fullmatch(line) is None:
                raise InputError(f"{line[:60]!r} cannot be read", expected=_IDS_EXPECTED)
            source, target, src, tgt, *score = line.split("\t")
            group = groups.setdefault((source, target), _Group(place.line, source))
            known = read_number(score[0]) if score else None
            group.links.append(_Link(place.line, (src.split(), tgt.split()), known))
    return [*groups.values()]


def _ids_of(attributes: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the ids of both sides of a link."""
    targets = attributes.get("xtargets")
    if targets is None or targets.count(";") != 1:
        text = "a link without xtargets" if targets is None else f"xtargets={targets[:60]!r}"
        for name in ("target", "targets"):
            if targets is None and name in attributes:
                text = f"a link of TEI, with {name}={attributes[name][:60]!r}"
        raise InputError(
            text,
            expected='ids of two sides, such as xtargets="s1 s2;s1" (CES or InterText)',
        )
    first, second = targets.split(";")
    return first.split(), second.split()


class _Numbers(NamedTuple):
    """The number of each id of a side; if ``whole``, right only if no sentence is missing."""

    of: dict[str, int]
    whole: bool = False


def _numbering(group: _Group, side: int, reading: BeadReading, may_lack: bool) -> _Numbers:
    """Return the number, from 0, of each id on a side of a group's links."""
    lines = {
        sentence_id: link.line for link in reversed(group.links) for sentence_id in link.sides[side]
    }
    # With the side's file, a number is the position among its elements <s id="...">.
    document = reading.ids[side]
    if document is not None:
        known = {sentence_id: k for k, sentence_id in enumerate(read_document(document)[0])}
        missing = [sentence_id for sentence_id in lines if sentence_id not in known]
        if missing:
            first = min(missing, key=lambda sentence_id: (lines[sentence_id], sentence_id))
            raise InputError(
                f"the sentence id {first!r} is not in {fspath(document)}",
                line=lines[first],
            )
        return _Numbers(known)
    owners: dict[tuple[int, ...], str] = {}
    for sentence_id in sorted(lines, key=lines.__getitem__):
        numbers = tuple(map(number_in, _DIGITS.findall(sentence_id)))
        if not numbers or owners.setdefault(numbers, sentence_id) != sentence_id:
            what = f"the same numbers as {owners[numbers]!r}" if numbers else "no number in it"
            raise InputError(
                f"the sentence id {sentence_id!r} has {what}",
                line=lines[sentence_id],
                expected="ids that can be put in order",
                todo=_GIVE,
            )
    # Only the last number in the ids varies (`s12`, `12`, `1:12`): it is the sentence's, from 1,
    # or from 0 if there is a 0.
    if len({numbers[:-1] for numbers in owners}) < 2:
        least = min([1, *(numbers[-1] for numbers in owners)])
        base = least if reading.base is None else reading.base
        if reading.base is None and least == 0:
            guessed(reading.path, base="0")
        with in_file(None) as place:
            for numbers, sentence_id in owners.items():
                place.line = lines[sentence_id]
                check_size([numbers[-1] - base], base)
                if any(part > 1 for part in numbers[:-1]):
                    warn_of(
                        reading.path,
                        len(owners),
                        "sentence id",
                        f"such as {sentence_id!r} numbered by the last number alone; if others "
                        f"count sentences or paragraphs, {_GIVE}",
                    )
                    break
        return _Numbers(
            {sentence_id: numbers[-1] - base for numbers, sentence_id in owners.items()}
        )
    # Others vary too (`2:1`, `p2s1`, `s3.12`): ids are ranked, which is right only if every
    # sentence is in some link. InterText has it so; in CES, a missing one is an error.
    ranked = sorted(owners)
    gap = next((pair for pair in pairwise([(), *ranked]) if not _follows(*pair)), None)
    running = [numbers[-1] for numbers in ranked]
    if gap and (running[0] > 1 or running != [*range(running[0], running[0] + len(running))]):
        last, numbers = gap
        said = f"the sentence id {owners[numbers]!r} " + (
            f"after {owners[last]!r}" if last else "is the first"
        )
        if may_lack:
            raise InputError(
                f"{said}, so sentences are missing and cannot be numbered",
                line=lines[owners[numbers]],
                expected="ids with one number, or of every sentence",
                todo=_GIVE,
            )
        guessed(reading.path, ids=f"numbered in their order, although {said}")
    return _Numbers({owners[numbers]: k for k, numbers in enumerate(ranked)}, whole=True)


def _follows(last: tuple[int, ...], numbers: tuple[int, ...]) -> bool:
    """Whether the numbers of an id may be the next: 2.1 after 1.7 or 2.0, not after 2.2 or 0.3."""
    same = next((k for k, (a, b) in enumerate(zip(last, numbers, strict=False)) if a != b), None)
    if same is None:
        return max(numbers[len(last) :]) < 2
    return numbers[same] == last[same] + 1 and max(numbers[same + 1 :], default=0) < 2


def read_document(path: str | PathLike[str]) -> tuple[list[str], list[str]]:
    """Return the ids and texts, with single spaces, of the sentences ``<s id="...">`` of XML."""
    ids: list[str] = []
    texts: list[list[str]] = []
    known: set[str] = set()
    depth = 0

    def start(name: str, attributes: dict[str, str], _: int) -> None:
        nonlocal depth
        if depth and name in _WORDS:
            texts[-1].append(" ")
        if name != "s":
            return
        depth += 1
        sentence_id = attributes.get("id", attributes.get("xml:id"))
        if sentence_id is None or sentence_id in known or depth > 1:
            what = (
                "without an id"
                if sentence_id is None
                else f"with the id {sentence_id!r} of another"
            )
            raise InputError("a sentence inside a sentence" if depth > 1 else f"a sentence {what}")
        known.add(sentence_id)
        ids.append(sentence_id)
        texts.append([])

    def end(name: str) -> None:
        nonlocal depth
        if depth and name in _WORDS:
            texts[-1].append(" ")
        depth -= name == "s"

    def text(piece: str) -> None:
        if depth:
            texts[-1].append(piece)

    read_xml(path, start, end, text, ("s",))
    if not ids:
        raise InputError("no sentence <s id=...> in it", path=path)
    return ids, [" ".join("".join(pieces).split()) for pieces in texts]


def _write_ces(beads: BeadWriting, out: BinaryIO) -> int:
    """Write beads as links between the ids s1, s2, ... of the named documents."""
    source, target = (Escaper()(name) for name in beads.names)
    out.write(b'<?xml version="1.0" encoding="utf-8"?>\n')
    out.write(b'<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML cesAlign//EN" "">\n')
    out.write(b'<cesAlign version="1.0">\n')
    out.write(f'<linkGrp targType="s" fromDoc="{source}" toDoc="{target}">\n'.encode())
    rows = zip(beads.spans.tolist(), beads.scores, strict=True)
    for k, ((a, b, c, d), score) in enumerate(rows, 1):
        sides = f"{_ids('s', a, b)};{_ids('s', c, d)}"
        certainty = "" if score is None else f' certainty="{score!r}"'
        out.write(f'<link id="SL{k}" xtargets="{sides}"{certainty}/>\n'.encode())
    out.write(b"</linkGrp>\n</cesAlign>\n")
    return len(beads.spans)


def _write_intertext(beads: BeadWriting, out: BinaryIO) -> int:
    """Write beads for InterText, with ids 1:1, 1:2, ..., as sentences of one paragraph."""
    # InterText requires links that cover both texts in order, and has no place for scores.
    links = [
        f"<link type='{d - c}-{b - a}' xtargets='{_ids('1:', c, d)};{_ids('1:', a, b)}' "
        "status='auto'/>\n"
        for a, b, c, d, _ in chain(beads)
    ]
    warn_of(beads.path, sum(score is not None for score in beads.scores), "score", "left out")
    source, target = (Escaper()(name).replace("'", "&apos;") for name in beads.names)
    out.write(b"<?xml version='1.0' encoding='utf-8'?>\n")
    out.write(f"<linkGrp toDoc='{target}' fromDoc='{source}'>\n".encode())
    out.write("".join(links).encode())
    out.write(b"</linkGrp>\n")
    return len(links)


def _ids(prefix: str, start: int, end: int) -> str:
    numbers: Iterable[int] = range(start + 1, end + 1)
    return " ".join(f"{prefix}{number}" for number in numbers)


_CES, _INTERTEXT = "cesAlign", "linkGrp"
CES = BeadFormat(
    "ces",
    partial(_read, root=_CES),
    _write_ces,
    root=_CES,
    has_ids=True,
)
INTERTEXT = BeadFormat(
    "intertext",
    partial(_read, root=_INTERTEXT),
    _write_intertext,
    root=_INTERTEXT,
    has_ids=True,
    whole=True,
)
