"""Documents as sentences: one per line, blank lines and all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.lines import chunks, decoded
from alignframe.formats.writing import check_suffix, replacing

Sentences: TypeAlias = "Sequence[str] | pa.Array | pa.ChunkedArray"
"""The sentences of a document, in order."""

_NEWLINE = 10
_MARK = "\ufeff".encode()


def read_sentences(path: str | PathLike[str], encoding: str = "utf-8") -> pa.StringArray:
    """Read a document of one sentence per line.

    Lines end at a line feed only; a carriage return before it and a byte order mark at the start
    are dropped. U+0085 and U+2028 are characters of a sentence. A blank line is a sentence as
    well, so that sentence k stands in line k + 1.

    Parameters
    ----------
    path
        A file, optionally compressed; ``-`` is standard input.
    encoding
        One in which a line feed is the byte 10.

    Raises
    ------
    InputError
        If the file is missing, empty, or not text of the encoding; with file and line.
    """
    parts = list(sentence_pieces(path, encoding))
    if not parts:
        raise InputError("the file is empty", path=path, expected="one line per sentence")
    if sum(part.nbytes for part in parts) >= 1 << 31:
        raise InputError("more than 2 GB of text", path=path, expected="a document of less")
    return pa.concat_arrays(parts)


def sentence_pieces(path: str | PathLike[str], encoding: str = "utf-8") -> Iterator[pa.StringArray]:
    """Yield the sentences of ``read_sentences`` in pieces, so that not all need be held."""
    for piece, first in chunks(path):
        data = piece.tobytes()
        text = decoded(data, first, path, encoding)
        yield _split(data if encoding in ("utf-8", "utf8") else text.encode())


def _split(text: bytes) -> pa.StringArray:
    """Return whole lines of UTF-8, the last of which may lack its newline, as strings."""
    text = text.replace(b"\r\n", b"\n")
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == _NEWLINE)
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    offsets = np.zeros(ends.size + 1, np.int32)
    offsets[1:] = ends - np.arange(ends.size)
    data = text.replace(b"\n", b"")
    return pa.StringArray.from_buffers(ends.size, pa.py_buffer(offsets), pa.py_buffer(data))


def write_sentences(sentences: Sentences, path: str | PathLike[str]) -> None:
    """Write a document of one sentence per line, in UTF-8.

    Raises
    ------
    InputError
        If a sentence is missing, has a line feed inside or a carriage return at its end: it
        would not be read again as it was.
    """
    check_suffix(path)
    data = lines_of(sentences)
    with replacing(path) as out:
        out.write(data)


def lines_of(sentences: Sentences, *, first: bool = True) -> bytes:
    """Return sentences as lines, the first ones of a file or others.

    Raises
    ------
    InputError
        If one does not fit a line.
    """
    texts = listed(sentences)
    for number, text in enumerate(texts):
        if "\n" in text or text.endswith("\r"):
            raise InputError(
                f"sentence {number} (counted from 0) has a line break: {text[:60]!r}",
                expected="sentences of one line each",
            )
    data = "".join(f"{text}\n" for text in texts).encode()
    # of two marks at a file's start, one is read again
    return _MARK + data if first and data.startswith(_MARK) else data


def listed(sentences: Sentences) -> list[str]:
    """Return sentences as a list; an InputError if one is missing."""
    if isinstance(sentences, (pa.Array, pa.ChunkedArray)):
        sentences = sentences.to_pylist()
    texts = list(sentences)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"sentence {number} (counted from 0) is {text!r}", expected="a text")
    return texts
