"""Line-parallel text: one sentence a line, words parted by blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from os import PathLike, fspath

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.lines import chunks, text_lines
from alignframe.kernels.words import split_words
from alignframe.tables import BITEXT, TOKENS

_MARKUP = re.compile(r"<s\s+snum=(\d+)>|</s>")


def read_tokens(path: str | PathLike[str], encoding: str = "utf-8") -> list[list[str]]:
    """Return the words of each line; the marks ``<s snum=1> ... </s>`` of WPT are left out."""
    rows: list[list[str]] = _token_column(path, encoding).to_pylist()
    return rows


def _token_column(path: str | PathLike[str], encoding: str) -> pa.ChunkedArray:
    """Return the words of each line as a column."""
    return pa.chunked_array(list(_token_parts(path, encoding)), TOKENS)


def _token_parts(path: str | PathLike[str], encoding: str) -> Iterator[pa.Array]:
    """Yield the words of each line, in parts of the column."""
    if fspath(path) == "-" or encoding != "utf-8":  # read once, or to be decoded
        yield pa.array(list(_marked(path, encoding)), TOKENS)
        return
    done = 0
    for piece, first in chunks(path):
        data = piece.tobytes()
        if b"<s" in data or b"</s>" in data or not _is_utf8(data):
            # A line at a time: marks are cut off, and what is not text is named by its line.
            yield pa.array(list(islice(_marked(path, encoding), done, None)), TOKENS)
            return
        lines, words, text = split_words(piece)
        column = pa.StringArray.from_buffers(
            words.size - 1, pa.py_buffer(words), pa.py_buffer(text)
        )
        yield pa.ListArray.from_arrays(pa.array(lines), column, type=TOKENS)
        done = first + lines.size - 2


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _marked(path: str | PathLike[str], encoding: str) -> Iterator[list[str]]:
    for _, words in text_lines(path, encoding):
        if words and words[0] == "<s" and words[-1] == "</s>":
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
        If the files have different numbers of lines, or are not text of ``encoding``.
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
        sources, targets = (_token_column(side, encoding) for side in (src, tgt))
        if len(sources) != len(targets):
            raise _unequal(src, tgt, len(sources), len(targets))
    columns = [pa.array(range(len(sources)), pa.int64())]
    return pa.Table.from_arrays([*columns, sources, targets], schema=BITEXT)


def scan_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
) -> pa.RecordBatchReader:
    """Read what ``read_bitext`` does piece by piece, never held in memory as a whole."""
    if tgt is None:
        return read_bitext(src, None, encoding).to_reader()
    parts = _side_by_side(src, tgt, encoding)
    return pa.RecordBatchReader.from_batches(BITEXT, parts)


def _side_by_side(
    src: str | PathLike[str], tgt: str | PathLike[str], encoding: str
) -> Iterator[pa.RecordBatch]:
    """Yield the lines that both files have, and raise an InputError if one has more."""
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
        f"{fspath(src)} has {n_src:,} lines, {fspath(tgt)} has {n_tgt:,}",
        expected="as many lines on both sides",
    )
