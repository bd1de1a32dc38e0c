"""Pharaoh (talp): one line per sentence, links ``0-0 1-2``; ``0p1`` or ``0?1`` is Possible.

Labels may also follow a link: ``0-0S 0-1P``, or as triples, ``0-0-S 0-1-P``. The score of a
sentence after ``|||``, as fast_align writes it, is left out.

A link may have a score, ``0-0:0.9`` or ``0-0/0.9``, which is its probability. SIL's machine.py
writes two, ``0-0:0.9:0.8``: the first, how probable the target word is as a translation of the
source word, is taken, since the second is that of a jump to a position, which says little of the
link; its links to NULL are left out. Tsinghua's ``1:1/1`` counts from 1, and ``/0`` is Possible; so
is TransRead's type ``possible``, of ``0:0:sure 1:2:possible``, perhaps after the number of the
line.

Positions count from 0; some gold sets count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from os import fspath
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I64, U8, U16, frozen
from alignframe.core.arrow import are_pairs, from_pairs, is_text, links_array, to_links
from alignframe.core.keys import sentence_column
from alignframe.core.schemas import MAX_POSITION
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, number_of
from alignframe.formats.bitext import split_texts
from alignframe.formats.notations import advice_on
from alignframe.formats.rows import LINK, LinkFormat, Reading, rows, with_gaps
from alignframe.kernels.links.text_format import parse_pharaoh, render_pharaoh
from alignframe.kernels.small import call
from alignframe.read.lines import TextFile, place
from alignframe.read.lines import is_text as is_utf8
from alignframe.read.nested import PROBABILITIES, are_probable, no_probabilities

_SCORE = r"[-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)"
_SCORED = re.compile(rf"(?<![ \t])[ \t]*\|\|\|[ \t]*{_SCORE}[ \t\r]*$".encode(), re.MULTILINE)
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_WEIGHED = re.compile(
    rf"(\d{{1,6}})(?:(?:-(\d{{1,6}})|([p?])(\d{{1,6}}))[:/]({_NUMBER})(?::({_NUMBER}))?"
    r"|:(\d{1,6})(?:/([01])|:(sure|possible)))",
    re.ASCII | re.IGNORECASE,
)
"""A link with a score or a type: ``0-0:0.9``, ``0-0:0.9:0.8``, ``1:1/1``, ``0:0:sure``."""
_WORD = re.compile(rb"[^\s]+")
_NULL = rf"(?:NULL-\d+|\d+-NULL)(?::{_NUMBER}){{0,2}}"
_NULL_LINK = re.compile(_NULL)
_NULLS = re.compile(rf"(?<!\S){_NULL}(?!\S)".encode())
_LINES = 20_000
"""Lines of two files that are joined at a time."""
_COUNTED = re.compile(rb"^ *(\d{1,18}) +(?=\d+:\d+:)", re.MULTILINE)


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file, in batches of a few megabytes; sentence k is the k-th line."""
    pieces = file.chunks()
    if reading.probabilities is not None:
        pieces = _weighed(file, TextFile(reading.probabilities, reading.encoding))
    return _read(pieces, reading)


def _weighed(file: TextFile, other: TextFile) -> Iterator[tuple[U8, int]]:
    """Yield lines of links with their probabilities, which another file has on the same lines."""
    lines = zip_longest(file.words(), other.words())
    first = 1
    while piece := [*islice(lines, _LINES)]:
        joined = []
        for number, (links, weights) in enumerate(piece, first):
            sizes = [len(each[1]) if each else 0 for each in (links, weights)]
            if sizes[0] != sizes[1]:
                shares = number_of(sizes[1], "probability", "probabilities")
                raise InputError(
                    f"{number_of(sizes[0], 'link')}, and {shares} in {fspath(other.path)}",
                    line=number,
                    expected="one for each link, on the same line",
                )
            pairs = zip(links[1], weights[1], strict=True) if links and weights else ()
            joined.append(" ".join(map(":".join, pairs)) + "\n")
        yield np.frombuffer("".join(joined).encode(), np.uint8), first
        first += len(piece)


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
            lists, weights = _list_column(
                given.cast(pa.string()).to_pylist(), sentence_column(batch), reading
            )
            if weights is not None and PROBABILITIES not in batch.schema.names:
                batch = batch.append_column(PROBABILITIES, weights)
        else:
            lists = split_texts(pc.fill_null(given.cast(pa.string()), ""), field.name)
        batch = batch.set_column(at, field.name, lists)
    return batch


def _list_column(
    texts: Sequence[str], sid: I64, reading: Reading
) -> tuple[pa.ListArray, pa.ListArray | None]:
    """Return the links of texts, and their probabilities, if they have some."""
    try:
        offsets, i, j, sure, weights = parsed(_lines(texts), 1, reading.base or 0, reading)
        lists = links_array(offsets, i, j, sure)
        if weights is None:
            return lists, None
        given = pa.array(weights, from_pandas=True)
        return lists, pa.ListArray.from_arrays(lists.offsets, given)
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
        offsets, i, j, sure, weights = parsed(text, line, base, reading)
        sid = np.arange(sentence, sentence + offsets.size - 1)
        sentence += sid.size
        yield rows(sid, offsets, i, j, sure, reading, weights)
    check_weighed(reading)


def parsed(
    text: U8, line: int, base: int, reading: Reading, numbers: Sequence[int] = ()
) -> tuple[I64, U16, U16, U8, F64 | None]:
    """Return offsets, i, j, sure and probability of links in lines, if they are probable enough.

    ``line`` is the number of the first line, ``numbers`` are those of all if some were left out.
    """
    offsets, i, j, sure, fault = call(parse_pharaoh, text, base)
    if fault < 0:
        return offsets, i, j, sure, reading.weigh(None, offsets)
    # Maybe at the score of fast_align after a sentence's links, or at that of a link.
    data = _SCORED.sub(b"", text.tobytes())
    data, nulls = _NULLS.subn(b"", data)
    reading.unlinked += nulls
    data, weights = _without_scores(data, line, reading)
    plain = np.frombuffer(data, np.uint8)
    offsets, i, j, sure, fault = call(parse_pharaoh, plain, base)
    if fault >= 0:
        row = data.count(b"\n", 0, fault)
        raise _fault_at(plain, fault, numbers[row] - row if numbers else line, base)
    known = reading.weigh(weights, offsets, numbers or line)
    if reading.min_probability is None or known is None:
        return offsets, i, j, sure, known
    kept = are_probable(known, reading.min_probability)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
    offsets = frozen(before[offsets])
    return offsets, frozen(i[kept]), frozen(j[kept]), frozen(sure[kept]), known[kept]


def check_weighed(reading: Reading) -> None:
    """Refuse a file without probabilities where the least one is given."""
    if reading.min_probability is not None and not reading.weighed:
        raise no_probabilities()


def _without_scores(data: bytes, line: int, reading: Reading) -> tuple[bytes, F64]:
    """Return lines with plain links, and the score of each; NaN for none."""
    weights: list[float] = []

    def plain(word: re.Match[bytes]) -> bytes:
        link, weight = without_score(word[0].decode("latin-1"), reading)
        weights.append(weight)
        return link.encode("latin-1")

    first = {
        int(found[1]) - data.count(b"\n", 0, found.start()) - line
        for found in _COUNTED.finditer(data)
    }
    if len(first) == 1 and first <= {0, -1}:
        data = _COUNTED.sub(b"", data)
    data = _WORD.sub(plain, data)
    return data, np.array(weights)


def without_score(word: str, reading: Reading) -> tuple[str, float]:
    """Return a link without its score or type, and the score; NaN for none."""
    link = _WEIGHED.fullmatch(word)
    if link is None:
        return word, np.nan
    i, j, mark, target, score, other, second, label, kind = link.groups()
    reading.scored_twice = reading.scored_twice or other is not None
    if score is not None:
        return f"{i}{mark}{target}" if j is None else f"{i}-{j}", float(score)
    # Tsinghua counts from 1.
    less = int(label is not None and reading.base is None)
    if less > min(int(i), int(second)):
        return word, np.nan
    mark = "p" if label == "0" or (kind or "").lower() == "possible" else "-"
    return f"{int(i) - less}{mark}{int(second) - less}", np.nan


def rendered(batch: pa.RecordBatch, base: int = 0) -> tuple[bytes, I64]:
    """Return a line per sentence, with probabilities if there are any, and the start of each."""
    text, starts = call(render_pharaoh, *to_links(batch.column("links")), base)
    data = text.tobytes()
    if PROBABILITIES not in batch.schema.names:
        return data, starts
    links = pa.array(data.decode().split(), pa.string())
    weighed = pc.binary_join_element_wise(links, printed(batch), ":")
    sizes = pc.list_value_length(batch.column("links")).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.append(0, np.cumsum(sizes)), pa.int32())
    lists = pa.ListArray.from_arrays(offsets, pc.coalesce(weighed, links))
    lines = [line.encode() + b"\n" for line in pc.binary_join(lists, " ").to_pylist()]
    return b"".join(lines), np.append(0, np.cumsum([*map(len, lines)])).astype(np.int64)


def printed(batch: pa.RecordBatch) -> pa.StringArray:
    """Return probabilities in as few digits as tell them from others; null for none."""
    given = batch.column(PROBABILITIES).flatten()
    if pa.types.is_floating(given.type):
        given = pc.if_else(pc.is_nan(given), None, given)
    return given.cast(pa.string())


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO, base: int = 0) -> None:
    """Write one line per sentence; missing numbers become empty lines."""
    for batch, missing in with_gaps(batches):
        data, starts = rendered(batch, base)
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
    forms = (LINK, _WEIGHED, _NULL_LINK)
    return all(any(form.fullmatch(word) for form in forms) for word in text.split())


FORMAT = LinkFormat(
    read,
    begins,
    write,
    has_base=True,
    has_labels=True,
    has_probabilities=True,
)
