"""Line-parallel text: one sentence per line, words separated by spaces.

Lines may begin with ids, ``12 TAB some words``, counted from 0 or 1, which are stripped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike, fspath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import U8
from alignframe.errors import InputError, number_of
from alignframe.kernels.words import split_words
from alignframe.read.lines import chunks, decoded, text_lines
from alignframe.tables import BITEXT, TOKENS

_LOOKED_AT = 1000
"""The number of lines checked for ids."""

_MARKUP = re.compile(r"<s\s+snum=(\d+)>|</s>")


def read_tokens(path: str | PathLike[str], encoding: str = "utf-8") -> list[list[str]]:
    """Return the words of each line, without the WPT marks ``<s snum=1> ... </s>``."""
    rows: list[list[str]] = token_column(path, encoding).to_pylist()
    return rows


def token_column(path: str | PathLike[str], encoding: str) -> pa.ChunkedArray:
    """Return the words of each line as a column."""
    return pa.chunked_array(list(_token_parts(path, encoding)), TOKENS)


def _token_parts(path: str | PathLike[str], encoding: str) -> Iterator[pa.Array]:
    """Yield the words of each line, in chunks. The file is read once."""
    ids: int | None = None
    slow = encoding != "utf-8"
    for piece, first in chunks(path):
        data = piece.tobytes()
        if first == 1:
            ids = _first_id(data)
        # Line by line, to strip marks and ids and to give the line of invalid text.
        slow = slow or ids is not None or b"<s" in data or b"</s>" in data or not _is_utf8(data)
        if slow:
            yield pa.array(list(_marked(data, first, ids, path, encoding)), TOKENS)
            continue
        yield _split(piece)


def _split(piece: U8) -> pa.ListArray:
    """Return the words of each line of a chunk."""
    lines, words, text = split_words(piece)
    column = pa.StringArray.from_buffers(words.size - 1, pa.py_buffer(words), pa.py_buffer(text))
    return pa.ListArray.from_arrays(pa.array(lines), column, type=TOKENS)


def split_texts(texts: pa.Array, what: str) -> pa.ListArray:
    """Return the words of texts, split at spaces like lines of files."""
    plain = texts.cast(pa.string())
    if pc.any(pc.match_substring(plain, "\n")).as_py():
        raise InputError(f"{what} with a line break inside", expected="one line each")
    if not len(plain):
        return pa.array([], TOKENS)
    lines = pc.binary_join(pa.ListArray.from_arrays([0, len(plain)], plain), "\n")[0]
    return _split(np.frombuffer(lines.as_buffer().to_pybytes() + b"\n", np.uint8))


def _first_id(data: bytes) -> int | None:
    """Return the id of the first line, 0 or 1, if lines begin with counting ids; else None."""
    lines = data.removesuffix(b"\n").split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    start = 0 if lines[0].startswith(b"0\t") else 1
    numbered = all(line.startswith(b"%d\t" % k) for k, line in enumerate(lines, start))
    return start if numbered else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _marked(
    data: bytes, first: int, ids: int | None, path: str | PathLike[str], encoding: str
) -> Iterator[list[str]]:
    """Yield the words of each line of a chunk, without marks or ids."""
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), first):
        words = [decoded(word, number, path, encoding) for word in line.split()]
        if ids is not None:
            if words[:1] != [str(ids + number - 1)]:
                raise InputError(
                    f"a line that begins with {words[0] if words else ''!r}",
                    path=path,
                    line=number,
                    expected=f"the id {ids + number - 1}, as the previous lines begin with ids",
                )
            yield words[1:]
        elif words and words[0] == "<s" and words[-1] == "</s>":
            yield words[2:-1]
        elif words and _MARKUP.match(words[0]):
            yield [word for word in words if not _MARKUP.fullmatch(word)]
        else:
            yield words


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
        sources, targets = (token_column(side, encoding) for side in (src, tgt))
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
    sides = [_token_parts(src, encoding), _token_parts(tgt, encoding)]
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
    if counts[0] != counts[1]:
        raise _unequal(src, tgt, *counts)


def _unequal(
    src: str | PathLike[str], tgt: str | PathLike[str], n_src: int, n_tgt: int
) -> InputError:
    return InputError(
        f"{fspath(src)} has {number_of(n_src, 'line')}, {fspath(tgt)} has {n_tgt:,}",
        expected="the same number of lines on both sides",
    )
