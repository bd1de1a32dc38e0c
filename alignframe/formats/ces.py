"""Beads as XML links between sentence ids: CES/XCES, as in OPUS, and InterText.

``<link xtargets="s1 s2;s1" certainty="0.9"/>`` in a ``linkGrp``. The source is the document of
``fromDoc`` in both. In CES files (root ``cesAlign``) its ids are first in ``xtargets``; in
InterText files (root ``linkGrp``) they are second, as its editor writes and reads them, and
``type="2-1"`` means two sentences of ``toDoc``. InterText does not store scores; CES's
``certainty`` is kept if all values in a file are within 0..1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.bead_gaps import Listed, gathered
from alignframe.formats.bead_lines import check_size, read_score
from alignframe.formats.bead_table import Spans, warn_of
from alignframe.formats.ladder import chain
from alignframe.formats.markup import Escaper, read_xml
from alignframe.formats.names import document_name

_DIGITS = re.compile(r"\d+", re.ASCII)
_ROOTS = {"ces": "cesAlign", "intertext": "linkGrp"}


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


def read_ces(
    path: str | PathLike[str],
    doc: str,
    format: str = "ces",
    src: str | PathLike[str] | None = None,
    tgt: str | PathLike[str] | None = None,
    as_written: bool | None = None,
) -> pa.Table:
    """Read links between sentence ids.

    Ids are mapped to numbers separately on each side:

    - With the side's XML file, a sentence's number is its position among the elements ``<s
      id="...">``.
    - Without it, numbers are taken from the ids. If only the last number in them varies (``s12``,
      ``12``, ``1:12``), it is the sentence number, from 1, or from 0 if there is a 0. If others
      vary too (``2:1``, ``p2s1``, ``s3.12``), ids are sorted and numbered from 0, which is right
      only if every sentence is in some link, possibly with an empty side.

    A single ``linkGrp`` is the document ``doc``; several are each named after their ``fromDoc``
    without suffixes.
    """
    groups = _groups(path, format)
    if len(groups) > 1 and (src is not None or tgt is not None):
        raise InputError(
            f"{len(groups):,} linkGrp, with the sentences of one document",
            path=path,
            expected="one linkGrp",
            todo="omit the sentence files, or split the file",
        )
    names = [doc] if len(groups) == 1 else [document_name(group.source) for group in groups]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise InputError(
                f"a second linkGrp from the document {name!r}",
                path=path,
                line=groups[k].line,
                expected="one per document",
                todo="split the file",
            )
    tables = []
    for group, name in zip(groups, names, strict=True):
        numbers = [_numbering(group, side, path, ids) for side, ids in ((0, src), (1, tgt))]
        found = []
        for line, sides, score in group.links:
            src_row, tgt_row = ([numbers[k][one] for one in sides[k]] for k in (0, 1))
            found.append(Listed(line, src_row, tgt_row, score))
        tables.append(gathered(found, name, path, as_written))
    return pa.concat_tables(tables).unify_dictionaries()


def _groups(path: str | PathLike[str], format: str) -> list[_Group]:
    groups: list[_Group] = []
    seen: list[str] = []

    def start(name: str, attributes: dict[str, str], line: int) -> None:
        seen.append(name)
        if seen[0] != _ROOTS[format]:
            raise InputError(
                f"the root element <{name}>",
                path=path,
                line=line,
                expected=f"<{_ROOTS[format]}> of the format {format}",
            )
        if name == "linkGrp":
            groups.append(_Group(line, attributes.get("fromDoc", "")))
        if name == "link":
            if not groups:
                raise InputError("a link outside any linkGrp", path=path, line=line)
            groups[-1].links.append(_link(attributes, line, format, path))

    read_xml(path, start)
    if not groups:
        raise InputError("no linkGrp in it", path=path, expected="links between sentences")
    return groups


def _link(attributes: dict[str, str], line: int, format: str, path: str | PathLike[str]) -> _Link:
    targets = attributes.get("xtargets")
    if targets is None or targets.count(";") != 1:
        raise InputError(
            "a link without xtargets" if targets is None else f"xtargets={targets[:60]!r}",
            path=path,
            line=line,
            expected='ids of two sides, such as xtargets="s1 s2;s1"',
        )
    sides = [side.split() for side in targets.split(";")]
    first, second = sides if format == "ces" else sides[::-1]
    return _Link(line, (first, second), read_score(attributes.get("certainty"), path, line))


def _numbering(
    group: _Group, side: int, path: str | PathLike[str], document: str | PathLike[str] | None
) -> dict[str, int]:
    """Return the number of each id on a side of a group's links."""
    lines = {one: link.line for link in reversed(group.links) for one in link.sides[side]}
    if document is not None:
        known = {one: k for k, one in enumerate(read_document(document)[0])}
        missing = [one for one in lines if one not in known]
        if missing:
            first = min(missing, key=lambda one: (lines[one], one))
            raise InputError(
                f"the sentence id {first!r} is not in {fspath(document)}",
                path=path,
                line=lines[first],
            )
        return known
    parts = {one: tuple(map(int, _DIGITS.findall(one))) for one in lines}
    owners: dict[tuple[int, ...], str] = {}
    for one, numbers in sorted(parts.items(), key=lambda item: lines[item[0]]):
        if not numbers or owners.setdefault(numbers, one) != one:
            what = f"the same numbers as {owners[numbers]!r}" if numbers else "no number in it"
            raise InputError(
                f"the sentence id {one!r} has {what}",
                path=path,
                line=lines[one],
                expected="ids that can be put in order",
                todo="give the XML files of the sentences as well",
            )
        check_size(numbers[-1], path, lines[one])
    if len({(len(numbers), numbers[:-1]) for numbers in owners}) == 1:
        base = min([1, *(numbers[-1] for numbers in owners)])
        return {one: numbers[-1] - base for numbers, one in owners.items()}
    return {owners[numbers]: k for k, numbers in enumerate(sorted(owners))}


def read_document(path: str | PathLike[str]) -> tuple[list[str], list[str]]:
    """Return the ids and the texts of the sentences ``<s id="...">`` of an XML document.

    White space is normalised to single spaces.
    """
    ids: list[str] = []
    texts: list[list[str]] = []
    known: set[str] = set()
    depth = 0

    def start(name: str, attributes: dict[str, str], line: int) -> None:
        nonlocal depth
        if name != "s":
            return
        depth += 1
        one = attributes.get("id", attributes.get("xml:id"))
        if one is None or one in known or depth > 1:
            what = "without an id" if one is None else f"with the id {one!r} of another"
            raise InputError(
                "a sentence inside a sentence" if depth > 1 else f"a sentence {what}",
                path=path,
                line=line,
            )
        known.add(one)
        ids.append(one)
        texts.append([])

    def end(name: str) -> None:
        nonlocal depth
        depth -= name == "s"

    def text(piece: str) -> None:
        if depth:
            texts[-1].append(piece)

    read_xml(path, start, end, text, ("s",))
    if not ids:
        raise InputError("no sentence <s id=...> in it", path=path)
    return ids, [" ".join("".join(pieces).split()) for pieces in texts]


def write_ces(
    spans: Spans,
    scores: Sequence[float | None],
    out: BinaryIO,
    names: tuple[str, str],
) -> None:
    """Write beads as links between the ids s1, s2, ... of the named documents."""
    source, target = (Escaper()(name) for name in names)
    out.write(b'<?xml version="1.0" encoding="utf-8"?>\n')
    out.write(b'<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML cesAlign//EN" "">\n')
    out.write(b'<cesAlign version="1.0">\n')
    out.write(f'<linkGrp targType="s" fromDoc="{source}" toDoc="{target}">\n'.encode())
    for k, ((a, b, c, d), score) in enumerate(zip(spans.tolist(), scores, strict=True), 1):
        sides = f"{_ids('s', a, b)};{_ids('s', c, d)}"
        certainty = "" if score is None else f' certainty="{score!r}"'
        out.write(f'<link id="SL{k}" xtargets="{sides}"{certainty}/>\n'.encode())
    out.write(b"</linkGrp>\n</cesAlign>\n")


def write_intertext(
    spans: Spans,
    scores: list[float | None],
    out: BinaryIO,
    names: tuple[str, str],
    sizes: tuple[int | None, int | None],
    path: str | PathLike[str],
) -> int:
    """Write beads for InterText, and return their number.

    Ids are 1:1, 1:2, ..., as sentences of one paragraph.

    InterText requires links that cover both texts in order, so sentences in no bead get separate
    links. Scores are dropped, with a ``DataWarning``.
    """
    links = [
        f"<link type='{d - c}-{b - a}' xtargets='{_ids('1:', c, d)};{_ids('1:', a, b)}' "
        "status='auto'/>\n"
        for a, b, c, d, _ in chain(spans, scores, sizes)
    ]
    warn_of(path, sum(score is not None for score in scores), "score", "left out")
    source, target = (Escaper()(name).replace("'", "&apos;") for name in names)
    out.write(b"<?xml version='1.0' encoding='utf-8'?>\n")
    out.write(f"<linkGrp toDoc='{target}' fromDoc='{source}'>\n".encode())
    out.write("".join(links).encode())
    out.write(b"</linkGrp>\n")
    return len(links)


def _ids(prefix: str, start: int, end: int) -> str:
    numbers: Iterable[int] = range(start + 1, end + 1)
    return " ".join(f"{prefix}{number}" for number in numbers)
