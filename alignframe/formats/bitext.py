"""Line-parallel text: one sentence per line, words separated by spaces.

Lines may begin with ids and a tab, ``12 TAB some words``, which are left out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike, fspath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import I32, U8
from alignframe.arrow import is_text, refuse_missing
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.formats.sentences import marked_up
from alignframe.guesses import guessed
from alignframe.kernels.words import split_words
from alignframe.read.lines import text_chunks
from alignframe.tables import BITEXT, TOKENS
from alignframe.tokens import composed

_LOOKED_AT = 1000
"""The number of lines checked for ids."""

_BAR = "|||"
_MARKUP = re.compile(rb"<s\s+snum=(\d+)>|</s>")
_ID = re.compile(rb"[^\s\d]*\d\S*")
_WORDS = 5000
_ENDS = re.compile(r"[^\W\d_]+[,;:!?،؛؟]")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{5,}")
_TOO_MANY = 0.01
"""The share of words like ``homme,``, or of five Chinese letters, that text as written exceeds.

It has .02 to .95 of them, text split into words at most .003.
"""


def read_tokens(path: str | PathLike[str], encoding: str = "utf-8") -> list[list[str]]:
    """Return the words of each line, without the WPT marks ``<s snum=1> ... </s>``."""
    rows: list[list[str]] = token_column(path, encoding).to_pylist()
    return rows


def token_column(
    path: str | PathLike[str], encoding: str, ids: list[bytes] | None = None
) -> pa.ChunkedArray:
    """Return the words of each line as a column; ``ids`` are filled if lines have some."""
    return pa.chunked_array(list(_token_parts(path, encoding, ids)), TOKENS)


def _token_parts(
    path: str | PathLike[str], encoding: str, ids: list[bytes] | None = None
) -> Iterator[pa.Array]:
    """Yield the words of each line, in chunks. The file is read once."""
    document = marked_up(path)
    if document is not None:
        yield split_texts(document, str(path))
        return
    has_ids = False
    for data, first in text_chunks(path, encoding, "NFC"):
        if first == 1:
            has_ids = _have_ids(data)
        if has_ids or b"<s" in data or b"</s>" in data:
            lines = data.removesuffix(b"\n").split(b"\n")
            own = _without_ids(lines, first, path) if has_ids else []
            if first == 1 and own:
                guessed(path, ids=f"left out, such as {own[0].decode()}")
            if ids is not None:
                ids += own
            data = b"\n".join(map(_without_marks, lines)) + b"\n"
        words = _split(np.frombuffer(data, np.uint8))
        if first == 1:
            check_split(words, fspath(path))
        yield words


def _split(piece: U8) -> pa.ListArray:
    """Return the words of each line of a chunk."""
    lines, words, text = split_words(piece)
    column = pa.StringArray.from_buffers(words.size - 1, pa.py_buffer(words), pa.py_buffer(text))
    return pa.ListArray.from_arrays(pa.array(lines), column, type=TOKENS)


def as_words(sentences: pa.Array, what: str, first: int = 0) -> pa.Array:
    """Return texts, or lists of words, as lists of words in NFC, none missing.

    ``first`` is the number of the first one; text that nobody split is told of if that is 0.
    """
    refuse_missing(sentences, what, first)
    if is_text(sentences.type) and not pa.types.is_null(sentences.type):
        sentences = split_texts(sentences, what)
        if not first:
            check_split(sentences, what)
    sentences = composed(sentences)
    if sentences.values.null_count and sentences.flatten().null_count:
        missing = pc.list_parent_indices(sentences).filter(sentences.flatten().is_null())
        number = first + missing[0].as_py()
        raise InputError(
            f"sentence {number:,} (counted from 0) has a missing word in {what}",
            expected="every word",
        )
    return sentences


def split_texts(texts: pa.Array, what: str) -> pa.ListArray:
    """Return the words of texts, split at spaces like lines of files."""
    plain = composed(texts.cast(pa.string()))
    if pc.any(pc.match_substring(plain, "\n")).as_py():
        raise InputError(f"{what} with a line break inside", expected="one line each")
    if not len(plain):
        return pa.array([], TOKENS)
    lines = pc.binary_join(pa.ListArray.from_arrays([0, len(plain)], plain), "\n")[0]
    return _split(np.frombuffer(lines.as_buffer().to_pybytes() + b"\n", np.uint8))


def check_split(sentences: pa.ListArray, what: str) -> None:
    """Warn of text that nobody split into words."""
    words = sentences[:_LOOKED_AT].flatten()[:_WORDS].to_pylist()
    glued = [word for word in words if word and (_ENDS.fullmatch(word) or _UNSPACED.search(word))]
    if len(glued) > max(_TOO_MANY * len(words), 2):
        warnings.warn(
            f"{what}: {len(glued):,} of the first {len(words):,} words look as if nobody had split "
            f"the text into words, such as {glued[0][:30]!r}; tokenise it first, for example with: "
            "alignframe tesla analyse FILE --show words",
            DataWarning,
            stacklevel=4,
        )


def _have_ids(data: bytes) -> bool:
    """Whether every line begins with an id of its own and a tab."""
    lines = data.removesuffix(b"\n").split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    ids = [line.partition(b"\t")[0] for line in lines if b"\t" in line]
    return (
        len(set(ids)) == len(lines)
        and all(map(_ID.fullmatch, ids))
        and (len(lines) > 1 or ids[0] in (b"0", b"1"))
    )


def _without_ids(lines: list[bytes], first: int, path: str | PathLike[str]) -> list[bytes]:
    """Take the ids off lines, and return them."""
    ids = []
    for k, line in enumerate(lines):
        own, tab, lines[k] = line.partition(b"\t")
        if not tab:
            begin = line.split(maxsplit=1)[:1]
            raise InputError(
                f"a line that begins with {begin[0].decode() if begin else ''!r}",
                path=path,
                line=first + k,
                expected="an id and a tab, as the previous lines begin with",
            )
        ids.append(own)
    return ids


def _without_marks(line: bytes) -> bytes:
    """Return a line without the WPT marks ``<s snum=1> ... </s>``."""
    words = line.split()
    if words and words[0] == b"<s" and words[-1] == b"</s>":
        return b" ".join(words[2:-1])
    return _MARKUP.sub(b" ", line) if _MARKUP.match(line.lstrip()) else line


def _check_ids(ids: Sequence[list[bytes]], paths: Sequence[str | PathLike[str]]) -> None:
    """Refuse sides whose lines have other ids, or ids that one side has and are not in order."""
    names = [fspath(path) for path in paths]
    if all(ids):
        pairs = zip(*ids, strict=False)
        odd = next(((k, pair) for k, pair in enumerate(pairs, 1) if len(set(pair)) > 1), None)
        if odd is not None:
            src, tgt = (one.decode() for one in odd[1])
            raise InputError(
                f"line {odd[0]:,} has the id {src!r} in {names[0]} and {tgt!r} in {names[1]}",
                expected="the same ids in the same order on both sides",
                todo="sort both by id",
            )
        return
    for side, name in zip(ids, names, strict=True):
        numbers = [int(one) for one in side if one.isdigit()]
        in_order = all(b == a + 1 for a, b in pairwise(numbers))
        if in_order or len(numbers) < len(side):
            continue
        raise InputError(
            f"{name} has ids that are not in order, and the other side has none",
            expected="lines in the same order on both sides",
            todo="sort it by id, and add lines that are missing",
        )


@dataclass(frozen=True)
class TextFiles:
    """Files of text as a frame, read whenever it is asked for; see ``read_bitext``."""

    src: str | PathLike[str]
    tgt: str | PathLike[str] | None = None
    encoding: str = "utf-8"

    def to_arrow_reader(self, _: int = 0) -> pa.RecordBatchReader:
        """Return a reader of sid, src and tgt."""
        return scan_bitext(self.src, self.tgt, self.encoding)


def read_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
) -> pa.Table:
    """Read two line-parallel files, or one of lines ``source ||| target``.

    Returns
    -------
    pyarrow.Table
        The columns sid, src and tgt.

    Raises
    ------
    InputError
        If the files differ in their number of lines, or are not text in ``encoding``.
    """
    return scan_bitext(src, tgt, encoding).read_all()


def scan_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
) -> pa.RecordBatchReader:
    """Read like ``read_bitext``, but as a stream."""
    parts = _joined(src, encoding) if tgt is None else _side_by_side(src, tgt, encoding)
    return pa.RecordBatchReader.from_batches(BITEXT, _numbered(parts))


def _numbered(parts: Iterable[tuple[pa.Array, pa.Array]]) -> Iterator[pa.RecordBatch]:
    done = 0
    for src, tgt in parts:
        sid = pa.array(np.arange(done, done + len(src)))
        yield pa.record_batch([sid, src, tgt], schema=BITEXT)
        done += len(src)


def _joined(path: str | PathLike[str], encoding: str) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield both sides of lines ``source ||| target``; what follows another ``|||`` is left out."""
    done = 0
    for part in _token_parts(path, encoding):
        words, offsets = part.values, part.offsets.to_numpy()
        bars = pc.indices_nonzero(pc.equal(words, _BAR)).to_numpy().astype(np.int32)
        bars = np.append(bars, [offsets[-1]] * 2)
        at = np.searchsorted(bars, offsets[:-1])
        if (bars[at] >= offsets[1:]).any():
            raise InputError(
                "a line without '|||'",
                path=path,
                line=done + int((bars[at] >= offsets[1:]).argmax()) + 1,
                expected="source ||| target",
                todo="give the target side as a second file",
            )
        ends = bars[at], np.minimum(bars[at + 1], offsets[1:])
        yield _runs(words, offsets[:-1], ends[0]), _runs(words, ends[0] + 1, ends[1])
        done += len(part)


def _runs(words: pa.Array, starts: I32, ends: I32) -> pa.ListArray:
    """Return runs of words as lists."""
    offsets = np.concatenate([[0], np.cumsum(ends - starts)])
    at = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], ends - starts)
    own = words.take(pa.array(at))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), own, type=TOKENS)


def _side_by_side(
    src: str | PathLike[str], tgt: str | PathLike[str], encoding: str
) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the lines of both files, and raise an InputError if one has more."""
    ids: tuple[list[bytes], list[bytes]] = [], []
    sides = [*map(_token_parts, (src, tgt), (encoding, encoding), ids)]
    held: list[pa.Array | None] = [next(side, None) for side in sides]
    done = 0
    if held[0] is not None and _BAR in held[0][:1].flatten().to_pylist():
        raise InputError(
            "a line with '|||', which has both sides, and a target side as well",
            path=src,
            line=1,
            todo="omit the target side, or give only the source side",
        )
    while held[0] is not None and held[1] is not None:
        size = min(len(held[0]), len(held[1]))
        yield held[0].slice(0, size), held[1].slice(0, size)
        done += size
        for k, part in enumerate(held):
            if part is not None:
                held[k] = part.slice(size) if len(part) > size else next(sides[k], None)
    counts = [
        done + (len(part) if part is not None else 0) + sum(map(len, side))
        for part, side in zip(held, sides, strict=True)
    ]
    _check_ids(ids, (src, tgt))
    if counts[0] != counts[1]:
        raise InputError(
            f"{fspath(src)} has {number_of(counts[0], 'line')}, {fspath(tgt)} has {counts[1]:,}",
            expected="the same number of lines on both sides",
        )
