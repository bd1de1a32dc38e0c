"""Documents with one sentence per line, including blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.guesses import guessed
from alignframe.output import replacing
from alignframe.read.lines import text_chunks, text_head

Sentences: TypeAlias = "Sequence[str] | pa.Array | pa.ChunkedArray"
"""The sentences of a document, in order."""

_NEWLINE = 10
_MARK = "\ufeff"
_LOOKED_AT = 1000
_ROOT = re.compile(
    rb"\s*<(\?xml|!doctype|!--|(tmx|tei\w*|ces\w*|html|letsmt|xliff|mteval|(src|ref|tst)set)\b)",
    re.IGNORECASE,
)
_CUES = re.compile(rb"(WEBVTT|\d+\s*\n\s*\d+:\d\d:\d\d[,.]\d+ --> )")


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
    found = marked_up(path)
    if found is not None:
        yield found
        return
    for data, _ in text_chunks(path, encoding):
        yield _split(data)


def marked_up(path: str | PathLike[str]) -> pa.StringArray | None:
    """Return the sentences ``<s id="...">`` of XML; other markup is refused, plain text is None."""
    head = text_head(path, _LOOKED_AT)
    todo = "give its sentences, one per line"
    if _CUES.match(head):
        raise InputError("holds subtitles", path=path, expected="one sentence per line", todo=todo)
    if not _ROOT.match(head):
        return None
    from alignframe.formats.ces import read_document
    from alignframe.formats.markup import root_of

    root = root_of(head)
    if root is None or root.lower() in ("tmx", "html", "xliff", "cesalign"):
        if root == "tmx":
            todo = (
                "write its sides with: alignframe beads convert FILE.tmx -o BEADS --src ... --tgt"
            )
        found = f"is XML (root <{root}>)" if root else "is markup"
        raise InputError(found, path=path, expected="one sentence per line", todo=todo)
    _, texts = read_document(path)
    guessed(path, format=f"XML (root <{root}>), its sentences <s>")
    return pa.array(texts, pa.string())


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
    data = lines_of(sentences)
    with replacing(path) as out:
        out.write(data)


def lines_of(sentences: Sentences) -> bytes:
    """Return sentences as lines; of two byte order marks at the start of one, reading drops one."""
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
    return "".join(f"{_MARK * text.startswith(_MARK)}{text}\n" for text in texts).encode()


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
