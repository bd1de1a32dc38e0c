"""Pharaoh lines with an id: ``id TAB 0-0 1p2``, one line per sentence.

Numeric ids are sentence numbers, in any order and with gaps. As in NAACL files, they count from 0
if one of them is 0, or else from 1. Other ids are dropped: sentence k is the k-th line.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.arrays import I64, U8
from alignframe.arrow import to_links
from alignframe.errors import DataWarning, InputError
from alignframe.formats.pharaoh import fault_at
from alignframe.formats.rows import LINK, Reading, rows
from alignframe.kernels.parse import parse_pharaoh
from alignframe.kernels.render import render_pharaoh
from alignframe.read.lines import chunks
from alignframe.read.opening import is_stream

_NUMBER = re.compile(rb"[0-9]{1,18}")
_EXPECTED = "id TAB links, such as 12<TAB>0-0 1p2"


def read(path: str | PathLike[str], reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file; sentences are in ascending order. Blank lines are skipped."""
    base = reading.base or 0
    lines: dict[bytes, int] = {}
    batches = []
    for text, first in chunks(path):
        links, numbers = _split(text, first, path, lines)
        offsets, i, j, sure, fault = parse_pharaoh(links, base)
        if fault >= 0:
            row = int(np.count_nonzero(links[:fault] == ord("\n")))
            raise fault_at(path, links, fault, numbers[row] - row, base)
        place = np.arange(len(lines) - len(numbers), len(lines))
        batches.append(rows(place, offsets, i, j, sure, reading))
    if not lines:
        raise InputError("the file has no sentences", path=path, expected=_EXPECTED)
    sid = _sentences(lines, path, reading)
    ascending = bool((np.diff(sid) > 0).all())
    table = pa.Table.from_batches(batches).set_column(0, "sid", pa.array(sid))
    yield from (table if ascending else table.sort_by("sid").combine_chunks()).to_batches()


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO, base: int = 0) -> None:
    """Write one line per sentence, with ids from 1: the first sentence has sid 0."""
    for batch in batches:
        text, starts = render_pharaoh(*to_links(batch.column("links")), base)
        data = text.tobytes()
        for k, sid in enumerate(batch.column("sid").to_pylist()):
            out.write(b"%d\t" % (sid + 1) + data[starts[k] : starts[k + 1]])


def line_of(path: str | PathLike[str], sid: int, reading: Reading) -> int | None:
    """Return the line of a sentence; None for a stream."""
    if is_stream(path):
        return None
    lines: dict[bytes, int] = {}
    for text, first in chunks(path):
        _split(text, first, path, lines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = np.flatnonzero(_sentences(lines, path, reading) == sid)
    return list(lines.values())[found[0]] if found.size else None


def _split(
    text: U8, first: int, path: str | PathLike[str], lines: dict[bytes, int]
) -> tuple[U8, list[int]]:
    """Return the links of a chunk as Pharaoh lines with their numbers; record each id's line."""
    links, numbers = [], []
    for number, line in enumerate(text.tobytes().split(b"\n"), first):
        name, _, rest = line.partition(b"\t")
        name = name.strip()
        if not line.strip():
            continue
        if not name or len(name.split()) > 1 or LINK.fullmatch(name.decode("latin-1")):
            shown = line.strip()[:60].decode("utf-8", "backslashreplace")
            raise InputError(
                f"no id before a tab in {shown!r}", path=path, line=number, expected=_EXPECTED
            )
        if name in lines:
            raise InputError(
                f"the id {name.decode('utf-8', 'backslashreplace')!r} again, after line "
                f"{lines[name]}",
                path=path,
                line=number,
                expected="each id once",
            )
        lines[name] = number
        numbers.append(number)
        links.append(rest + b"\n")
    return np.frombuffer(b"".join(links), np.uint8), numbers


def _sentences(lines: dict[bytes, int], path: str | PathLike[str], reading: Reading) -> I64:
    """Return the 0-based sentence numbers of ids."""
    other = next((name for name in lines if not _NUMBER.fullmatch(name)), None)
    if other is not None:
        warnings.warn(
            f"{fspath(path)}: sentences are numbered by their lines; ids such as "
            f"{other.decode('utf-8', 'backslashreplace')!r} are not kept",
            DataWarning,
            stacklevel=2,
        )
        return np.arange(len(lines))
    ids = np.array([int(name) for name in lines], np.int64)
    lowest = int(ids.min())
    first = reading.first_sentence
    if first is None:
        first = min(lowest, 1)
    if lowest < first:
        raise InputError(
            f"the file has a sentence {lowest}", path=path, expected=f"ids from {first}"
        )
    if np.unique(ids).size < ids.size:  # 1 and 01
        raise InputError(
            "the same id with and without leading zeros", path=path, expected="each id once"
        )
    return ids - first
