"""Pharaoh (talp): one line per sentence, links ``0-0 1-2``; ``0p1`` or ``0?1`` is Possible.

Labels may also follow a link: ``0-0S 0-1P``, or as triples, ``0-0-S 0-1-P``. The score of a
sentence after ``|||``, as fast_align writes it, is left out.

Positions count from 0; some gold sets count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import U8
from alignframe.core.arrow import to_links
from alignframe.core.schemas import MAX_POSITION
from alignframe.errors import InputError
from alignframe.formats.rows import LinkFormat, Reading, are_links, rows, with_gaps
from alignframe.kernels.links.text_format import parse_pharaoh, render_pharaoh
from alignframe.read.lines import TextFile, is_text, place

_SCORE = r"[-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)"
_SCORED = re.compile(rf"[ \t]*\|\|\|[ \t]*{_SCORE}[ \t\r]*$".encode(), re.MULTILINE)


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file, in batches of a few megabytes; sentence k is the k-th line."""
    return _read(file.chunks(), reading)


def read_texts(texts: Sequence[str], reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read texts of one sentence each, like lines in ``read``."""
    lines = [" ".join(text.splitlines()) for text in texts]
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return _read([(np.frombuffer(data, np.uint8), 1)], reading)


def _read(pieces: Iterable[tuple[U8, int]], reading: Reading) -> Iterator[pa.RecordBatch]:
    base = reading.base or 0
    sentence = 0
    for text, line in pieces:
        offsets, i, j, sure, fault = parse_pharaoh(text, base)
        if fault >= 0:  # maybe at the score of fast_align after a sentence's links
            text = np.frombuffer(_SCORED.sub(b"", text.tobytes()), np.uint8)
            offsets, i, j, sure, fault = parse_pharaoh(text, base)
        if fault >= 0:
            raise fault_at(text, fault, line, base)
        sid = np.arange(sentence, sentence + offsets.size - 1)
        sentence += sid.size
        yield rows(sid, offsets, i, j, sure, reading)


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO, base: int = 0) -> None:
    """Write one line per sentence; missing numbers become empty lines."""
    for batch, missing in with_gaps(batches):
        links = to_links(batch.column("links"))
        text, starts = render_pharaoh(*links, base)
        data = text.tobytes()
        at = 0
        for k in np.flatnonzero(missing):
            out.write(data[at : starts[k]] + b"\n" * int(missing[k]))
            at = int(starts[k])
        out.write(data[at:])


def fault_at(text: U8, at: int, first_line: int, base: int) -> InputError:
    """Return the error for the link at a byte of a chunk of lines."""
    line, whole, word = place(text, at, first_line)
    error = _fault(word, whole, base)
    error.found_at(None, line)
    return error


def _fault(word: str, whole: str, base: int) -> InputError:
    if not is_text(word):
        return InputError(
            f"bytes that are not UTF-8 text ({word!r})",
            expected="links such as 0-0 1-2",
            todo="check the file's format and encoding",
        )
    numbers = re.fullmatch(r"(\d+)(?:-(\d+)(?:-?[SPsp])?|[p?](\d+))", word, re.ASCII)
    # Compared by length first, since Python refuses to convert thousands of digits.
    if numbers and any(
        len(n.lstrip("0")) > 6 or int(n) - base > MAX_POSITION for n in numbers.groups("0")
    ):
        return InputError(
            f"the link {word!r} has a position beyond {MAX_POSITION + base:,}",
            expected=f"positions up to {MAX_POSITION + base:,}",
        )
    if numbers:
        return InputError(
            f"the link {word!r} has a position 0, but positions should count from 1",
            todo="omit the base of 1, or correct the file",
        )
    if re.fullmatch(r"-\d+[-p?]-?\d+|\d+[-p?]-\d+", word, re.ASCII):
        return InputError(
            f"the link {word!r} has a negative position",
            expected="positions from 0",
        )
    todo = ""
    if re.fullmatch(r"\d+( \d+ \d+)( [SP])?.*", whole):
        todo = "this looks like the NAACL format: use naacl"
    elif "|||" in whole:
        todo = "this looks like the Moses format: use moses"
    elif whole.startswith("# Sentence pair"):
        todo = "this looks like GIZA++'s A3 format: use giza"
    return InputError(
        f"{word!r} is not a link",
        expected="links such as 0-0 1-2, or 0p1, 0-1P or 0-1-P for a Possible one",
        todo=todo,
    )


def begins(line: str) -> bool:
    """Whether a line holds nothing but links, if any, with perhaps a score after ``|||``."""
    links, _, score = line.partition("|||")
    return are_links(links) and (not score or re.fullmatch(_SCORE, score.strip()) is not None)


FORMAT = LinkFormat(
    read,
    begins,
    write,
    has_base=True,
    has_labels=True,
)
