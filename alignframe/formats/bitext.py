"""Line-parallel text: one sentence per line, words separated by spaces.

Lines may begin with ids and a tab, ``12 TAB some words``, which are left out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from os import PathLike, fspath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import U8
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.formats.sentences import marked_up
from alignframe.guesses import guessed
from alignframe.kernels.words import split_words
from alignframe.read.lines import text_chunks, text_lines
from alignframe.tables import BITEXT, TOKENS
from alignframe.tokens import composed

_LOOKED_AT = 1000
"""The number of lines checked for ids."""

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
    if tgt is None:
        rows: tuple[list[list[str]], list[list[str]]] = [], []
        for number, words in text_lines(src, encoding):
            if words.count("|||") < 1:
                raise InputError(
                    "a line without '|||'",
                    path=src,
                    line=number,
                    expected="source ||| target",
                    todo="give the target side as a second file",
                )
            at = words.index("|||")
            rest = words[at + 1 :]
            rows[0].append(words[:at])
            rows[1].append(rest[: rest.index("|||")] if "|||" in rest else rest)
        sources, targets = (pa.chunked_array([pa.array(side, TOKENS)]) for side in rows)
    else:
        ids: tuple[list[bytes], list[bytes]] = [], []
        sources, targets = map(token_column, (src, tgt), (encoding, encoding), ids)
        _check_ids(ids, (src, tgt))
        if len(sources) != len(targets):
            raise _unequal(src, tgt, len(sources), len(targets))
    columns = [pa.array(range(len(sources)), pa.int64())]
    return pa.Table.from_arrays([*columns, sources, targets], schema=BITEXT)


def scan_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
) -> pa.RecordBatchReader:
    """Read like ``read_bitext``, but as a stream."""
    if tgt is None:
        return read_bitext(src, None, encoding).to_reader()
    parts = _side_by_side(src, tgt, encoding)
    return pa.RecordBatchReader.from_batches(BITEXT, parts)


def _side_by_side(
    src: str | PathLike[str], tgt: str | PathLike[str], encoding: str
) -> Iterator[pa.RecordBatch]:
    """Yield the lines of both files, and raise an InputError if one has more."""
    ids: tuple[list[bytes], list[bytes]] = [], []
    sides = [*map(_token_parts, (src, tgt), (encoding, encoding), ids)]
    held: list[pa.Array | None] = [next(side, None) for side in sides]
    done = 0
    while held[0] is not None and held[1] is not None:
        size = min(len(held[0]), len(held[1]))
        sid = pa.array(range(done, done + size), pa.int64())
        columns = [part.slice(0, size) for part in held if part is not None]
        yield pa.record_batch([sid, *columns], schema=BITEXT)
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
        raise _unequal(src, tgt, *counts)


def _unequal(
    src: str | PathLike[str], tgt: str | PathLike[str], n_src: int, n_tgt: int
) -> InputError:
    return InputError(
        f"{fspath(src)} has {number_of(n_src, 'line')}, {fspath(tgt)} has {n_tgt:,}",
        expected="the same number of lines on both sides",
    )
