"""Pharaoh (talp): one line per sentence, links ``0-0 1-2``; ``0p1`` or ``0?1`` is Possible.

Labels may also follow a link: ``0-0S 0-1P``, or as triples, ``0-0-S 0-1-P``. The score of a
sentence after ``|||``, as fast_align writes it, is left out.

A link may have a score, ``0-0:0.9`` or ``0-0/0.9``, which is its probability; of two scores
neither is. Tsinghua's ``1:1/1`` counts from 1, and ``/0`` is Possible; so is TransRead's type
``possible``, of ``0:0:sure 1:2:possible``, perhaps after the number of the line.

Positions count from 0; some gold sets count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I64, U8, U16, frozen
from alignframe.core.arrow import are_pairs, from_pairs, is_text, links_array, to_links
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import MAX_POSITION
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError
from alignframe.formats.bitext import split_texts
from alignframe.formats.notations import advice_on
from alignframe.formats.rows import LINK, LinkFormat, Reading, rows, with_gaps
from alignframe.kernels.links.text_format import parse_pharaoh, render_pharaoh
from alignframe.read.lines import TextFile, place
from alignframe.read.lines import is_text as is_utf8
from alignframe.read.nested import are_probable, no_probabilities

_SCORE = r"[-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)"
_SCORED = re.compile(rf"(?<![ \t])[ \t]*\|\|\|[ \t]*{_SCORE}[ \t\r]*$".encode(), re.MULTILINE)
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_WEIGHED = re.compile(
    rf"(\d{{1,6}})(?:-(\d{{1,6}})[:/]({_NUMBER})(?::({_NUMBER}))?|:(\d{{1,6}})"
    r"(?:/([01])|:(sure|possible)))",
    re.ASCII | re.IGNORECASE,
)
"""A link with a score or a type: ``0-0:0.9``, ``0-0:0.9:0.8``, ``1:1/1``, ``0:0:sure``."""
_WORD = re.compile(rb"[^\s]+")
_COUNTED = re.compile(rb"^ *(\d{1,18}) +(?=\d+:\d+:)", re.MULTILINE)


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file, in batches of a few megabytes; sentence k is the k-th line."""
    return _read(file.chunks(), reading)


def read_texts(texts: Sequence[str], reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read texts of one sentence each, like lines in ``read``."""
    return _read([(_lines(texts), 1)], reading)


def from_texts(batch: pa.RecordBatch, reading: Reading) -> pa.RecordBatch:
    """Return a batch whose links and words are lists, where they were texts; or lists of pairs."""
    for at, field in enumerate(batch.schema):
        pairs = field.name == "links" and are_pairs(field.type)
        if field.name not in ("links", *SIDES) or not (pairs or is_text(field.type)):
            continue
        given = batch.column(at)
        if pairs:
            lists = from_pairs(given)
        elif field.name == "links":
            lists = _list_column(
                given.cast(pa.string()).to_pylist(), sentence_column(batch), reading
            )
        else:
            lists = split_texts(pc.fill_null(given.cast(pa.string()), ""), field.name)
        batch = batch.set_column(at, field.name, lists)
    return batch


def _list_column(texts: Sequence[str], sid: I64, reading: Reading) -> pa.ListArray:
    try:
        return links_array(*parsed(_lines(texts), 1, reading.base or 0, reading))
    except InputError as error:
        if error.line is not None:  # a row of a table is known by its sentence
            error.said = f"sentence {sid[error.line - 1]}: {error.said}"
            error.found_at(error.path, None)
        raise


def _lines(texts: Sequence[str]) -> U8:
    lines = [" ".join(text.splitlines()) for text in texts]
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return np.frombuffer(data, np.uint8)


def _read(pieces: Iterable[tuple[U8, int]], reading: Reading) -> Iterator[pa.RecordBatch]:
    base = reading.base or 0
    sentence = 0
    for text, line in pieces:
        offsets, i, j, sure = parsed(text, line, base, reading)
        sid = np.arange(sentence, sentence + offsets.size - 1)
        sentence += sid.size
        yield rows(sid, offsets, i, j, sure, reading)
    check_weighed(reading)


def parsed(
    text: U8, line: int, base: int, reading: Reading, numbers: Sequence[int] = ()
) -> tuple[I64, U16, U16, U8]:
    """Return offsets, i, j and sure of the links in a chunk of lines, if they are probable enough.

    ``line`` is the number of the first line, ``numbers`` are those of all if some were left out.
    """
    offsets, i, j, sure, fault = parse_pharaoh(text, base)
    if fault < 0:
        return offsets, i, j, sure
    # Maybe at the score of fast_align after a sentence's links, or at that of a link.
    data = _SCORED.sub(b"", text.tobytes())
    data, weights = _without_scores(data, line, reading)
    plain = np.frombuffer(data, np.uint8)
    offsets, i, j, sure, fault = parse_pharaoh(plain, base)
    if fault >= 0:
        row = data.count(b"\n", 0, fault)
        raise _fault_at(plain, fault, numbers[row] - row if numbers else line, base)
    reading.weighed = reading.weighed or not bool(np.isnan(weights).all())
    if reading.min_probability is None:
        return offsets, i, j, sure
    kept = are_probable(weights, reading.min_probability)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
    return frozen(before[offsets]), frozen(i[kept]), frozen(j[kept]), frozen(sure[kept])


def check_weighed(reading: Reading) -> None:
    """Refuse a file without probabilities where the least one is given."""
    if reading.min_probability is not None and not reading.weighed:
        raise no_probabilities()


def _without_scores(data: bytes, line: int, reading: Reading) -> tuple[bytes, F64]:
    """Return lines with plain links, and the score of each; NaN for none."""
    weights: list[float] = []

    def plain(word: re.Match[bytes]) -> bytes:
        link = _WEIGHED.fullmatch(word[0].decode("latin-1"))
        weights.append(np.nan)
        if link is None:
            return word[0]
        i, j, score, other, second, label, kind = link.groups()
        if other is not None:
            reading.scored_twice = True
        elif score is not None:
            weights[-1] = float(score)
        # Tsinghua counts from 1.
        less = int(label is not None and reading.base is None)
        if less > min(int(i), int(second or 1)):
            return word[0]
        mark = "p" if label == "0" or (kind or "").lower() == "possible" else "-"
        return f"{int(i) - less}{mark}{int(j or second) - less}".encode()

    first = {
        int(found[1]) - data.count(b"\n", 0, found.start()) - line
        for found in _COUNTED.finditer(data)
    }
    if len(first) == 1 and first <= {0, -1}:
        data = _COUNTED.sub(b"", data)
    data = _WORD.sub(plain, data)
    if reading.scored_twice and reading.min_probability is not None:
        raise InputError(
            "links with two scores, of which neither is known to be the probability",
            expected="one score, as in 0-0:0.9, where `min_probability` is given",
            todo="keep one of them, as with: sed -E 's/:[^ :]+( |$)/\\1/g' for the first",
        )
    return data, np.array(weights)


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


def _fault_at(text: U8, at: int, first_line: int, base: int) -> InputError:
    """Return the error for the link at a byte of a chunk of lines."""
    line, whole, word = place(text, at, first_line)
    error = _fault(word, whole, base)
    error.found_at(None, line)
    return error


def _fault(word: str, whole: str, base: int) -> InputError:
    if not is_utf8(word):
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
    if re.fullmatch(r"(0:\d+|\d+:0)/[01]", word):
        todo = "such links count from 1: if these count from 0, give `base=0`"
    elif advice := advice_on(whole):
        todo = advice
    elif re.fullmatch(r"\d+( \d+ \d+)( [SP])?.*", whole):
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
    links = _COUNTED.sub(b"", links.encode()).decode()
    return are_weighed(links) and (not score or re.fullmatch(_SCORE, score.strip()) is not None)


def are_weighed(text: str) -> bool:
    """Whether a text consists of zero or more links, perhaps with scores or types."""
    return all(LINK.fullmatch(word) or _WEIGHED.fullmatch(word) for word in text.split())


FORMAT = LinkFormat(
    read,
    begins,
    write,
    has_base=True,
    has_labels=True,
    has_scores=True,
)
