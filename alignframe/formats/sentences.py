"""Documents with one sentence per line, including blank lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.output import check_suffix, replacing
from alignframe.read.lines import chunks, decoded

Sentences: TypeAlias = "Sequence[str] | pa.Array | pa.ChunkedArray"
"""The sentences of a document, in order."""

_NEWLINE = 10
_MARK = "\ufeff".encode()


def read_sentences(path: str | PathLike[str], encoding: str = "utf-8") -> pa.StringArray:
    """Read a document with one sentence per line.

    Lines end only at a line feed; a carriage return before it and a byte order mark at the start
    are dropped. U+0085 and U+2028 belong to sentences. A blank line is a sentence too, so that
    sentence k is line k + 1.

    Parameters
    ----------
    path
        A file, optionally compressed; ``-`` is standard input.
    encoding
        An encoding in which a line feed is byte 10.

    Raises
    ------
    InputError
        If the file is missing, empty, or not text in the encoding; gives file and line.
    """
    parts = list(sentence_pieces(path, encoding))
    if not parts:
        raise InputError("the file is empty", path=path, expected="one line per sentence")
    if sum(part.nbytes for part in parts) >= 1 << 31:
        raise InputError("more than 2 GB of text", path=path, expected="a document of less")
    return pa.concat_arrays(parts)


def sentence_pieces(path: str | PathLike[str], encoding: str = "utf-8") -> Iterator[pa.StringArray]:
    """Yield the sentences of ``read_sentences`` in chunks, to save memory."""
    for piece, first in chunks(path):
        data = piece.tobytes()
        text = decoded(data, first, path, encoding)
        yield _split(data if encoding in ("utf-8", "utf8") else text.encode())


def _split(text: bytes) -> pa.StringArray:
    """Split UTF-8 bytes of whole lines into strings; the last line may lack its newline."""
    text = text.replace(b"\r\n", b"\n")
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == _NEWLINE)
    if not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    offsets = np.zeros(ends.size + 1, np.int32)
    offsets[1:] = ends - np.arange(ends.size)
    data = text.replace(b"\n", b"")
    return pa.StringArray.from_buffers(ends.size, pa.py_buffer(offsets), pa.py_buffer(data))


def write_sentences(sentences: Sentences, path: str | PathLike[str]) -> None:
    """Write a document with one sentence per line, in UTF-8.

    Raises
    ------
    InputError
        If a sentence is null, contains a line feed or NUL, or ends with a carriage return: it
        would not survive a round trip.
    """
    check_suffix(path)
    data = lines_of(sentences)
    with replacing(path) as out:
        out.write(data)


def lines_of(sentences: Sentences, *, first: bool = True) -> bytes:
    """Return sentences as lines, at the start of a file or later."""
    texts = listed(sentences)
    for number, text in enumerate(texts):
        if "\n" in text or text.endswith("\r"):
            raise InputError(
                f"sentence {number} (counted from 0) has a line break: {text[:60]!r}",
                expected="sentences of one line each",
            )
        if "\0" in text:
            raise InputError(
                f"sentence {number} (counted from 0) has a NUL: {text[:60]!r}", expected="text"
            )
    data = "".join(f"{text}\n" for text in texts).encode()
    # of two byte order marks, reading drops only one
    return _MARK + data if first and data.startswith(_MARK) else data


def listed(sentences: Sentences) -> list[str]:
    """Return sentences as a list; raise an InputError if one is null, or for a single text."""
    if isinstance(sentences, (str, bytes)):
        raise InputError("one text", expected="a list of sentences", todo="read it from its file")
    if isinstance(sentences, (pa.Array, pa.ChunkedArray)):
        sentences = sentences.to_pylist()
    texts = list(sentences)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"sentence {number} (counted from 0) is {text!r}", expected="a text")
    return texts
