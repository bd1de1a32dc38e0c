"""Pharaoh lines with an id: ``id TAB 0-0 1p2``, one line per sentence.

Numeric ids are sentence numbers, in any order and with gaps. As in NAACL files, they count from 0
if one of them is 0, or else from 1. With other ids, sentence k is the k-th line, and the ids are
kept in a column id, by which systems are joined with gold that has ids as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, U8
from alignframe.errors import InputError
from alignframe.formats.links.pharaoh import are_weighed, check_weighed, parsed, rendered
from alignframe.formats.rows import LINK, LinkFormat, Reading, are_links, rows
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream

_NUMBER = re.compile(rb"[0-9]{1,18}")
_EXPECTED = "id TAB links, such as 12<TAB>0-0 1p2"


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file; sentences are in ascending order. Blank lines are skipped."""
    base = reading.base or 0
    lines: dict[bytes, int] = {}
    batches = []
    for text, first in file.chunks():
        links, numbers = _split(text, first, lines)
        offsets, i, j, sure, weights = parsed(links, first, base, reading, numbers)
        place = np.arange(len(lines) - len(numbers), len(lines))
        batches.append(rows(place, offsets, i, j, sure, reading, weights))
    if not lines:
        raise InputError("the file has no sentences", expected=_EXPECTED)
    check_weighed(reading)
    table = pa.Table.from_batches(batches)
    sid = _sentences(lines, reading)
    if sid is None:
        names = [name.decode("utf-8", "replace") for name in lines]
        yield from table.append_column("id", pa.array(names)).to_batches()
        return
    ascending = bool((np.diff(sid) > 0).all())
    table = table.set_column(0, "sid", pa.array(sid))
    yield from (table if ascending else table.sort_by("sid").combine_chunks()).to_batches()


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO, base: int = 0) -> None:
    """Write one line per sentence, with its id, or its number from 1."""
    for batch in batches:
        data, starts = rendered(batch, base)
        has_ids = "id" in batch.schema.names
        ids = batch.column("id").to_pylist() if has_ids else batch.column("sid").to_numpy() + 1
        for k, name in enumerate(ids):
            out.write(f"{name}\t".encode() + data[starts[k] : starts[k + 1]])


def line_of(
    file: TextFile, sid: int, reading: Reading, _link: tuple[int, int] | None = None
) -> int | None:
    """Return the line of a sentence; None for a stream."""
    if is_stream(file.path):
        return None
    lines: dict[bytes, int] = {}
    for text, first in file.chunks():
        _split(text, first, lines)
    sids = _sentences(lines, reading)
    rows_found = [sid] if sids is None else np.flatnonzero(sids == sid)
    return list(lines.values())[rows_found[0]] if len(rows_found) else None


def _split(text: U8, first: int, lines: dict[bytes, int]) -> tuple[U8, list[int]]:
    """Return the links of a chunk as Pharaoh lines with their numbers; record each id's line."""
    links, numbers = [], []
    for number, line in enumerate(text.tobytes().split(b"\n"), first):
        name, _, rest = line.partition(b"\t")
        name = name.strip()
        if not line.strip():
            continue
        if not name or len(name.split()) > 1 or LINK.fullmatch(name.decode("latin-1")):
            shown = line.strip()[:60].decode("utf-8", "backslashreplace")
            raise InputError(f"no id before a tab in {shown!r}", line=number, expected=_EXPECTED)
        if name in lines:
            raise InputError(
                f"the id {name.decode('utf-8', 'backslashreplace')!r} again, after line "
                f"{lines[name]}",
                line=number,
                expected="each id once",
            )
        lines[name] = number
        numbers.append(number)
        links.append(rest + b"\n")
    return np.frombuffer(b"".join(links), np.uint8), numbers


def _sentences(lines: dict[bytes, int], reading: Reading) -> I64 | None:
    """Return the 0-based sentence numbers of ids; None if they are not all numbers."""
    if not all(map(_NUMBER.fullmatch, lines)):
        return None
    ids = np.array([int(name) for name in lines], np.int64)
    lowest = int(ids.min())
    first = reading.first_sentence
    if first is None:
        first = min(lowest, 1)
        if first == 0:
            reading.guessed["first_sentence"] = "0"
    if lowest < first:
        raise InputError(f"the file has a sentence {lowest}", expected=f"ids from {first}")
    if np.unique(ids).size < ids.size:  # 1 and 01
        raise InputError("the same id with and without leading zeros", expected="each id once")
    return ids - first


def begins(line: str) -> bool:
    """Whether a line is an id, which is no link, and links after a tab."""
    name, tab, links = line.partition("\t")
    return bool(tab and name) and not are_links(name) and " " not in name and are_weighed(links)


FORMAT = LinkFormat(
    read,
    begins,
    write,
    line_of,
    has_base=True,
    has_labels=True,
    has_probabilities=True,
    has_ids=True,
)
