"""Documents with one sentence per line, including blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from os import PathLike, fspath
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from alignframe.core.output import replacing
from alignframe.errors import InputError, guessed, in_file, warn
from alignframe.read.lines import TextFile
from alignframe.read.opening import peek

Sentences: TypeAlias = "Sequence[str] | pa.Array | pa.ChunkedArray"
"""The sentences of a document, in order."""

_NEWLINE = 10
_MARK = "\ufeff"
_LOOKED_AT = 1000
_MARKUP = re.compile(rb"<s\s+snum=(\d+)>|</s>")
_ID = re.compile(rb"[^\s\d]*\d\S*")
_ROOT = re.compile(
    rb"\s*<(\?xml|!doctype|!--|(tmx|tei\w*|ces\w*|html|letsmt|xliff|mteval|(src|ref|tst)set)\b)",
    re.IGNORECASE,
)
_JSON = re.compile(rb'\s*(\[\s*)?\{\s*"[^"\n]*"\s*:|\s*\[\s*\n\s*["{[]|\s*\["[^\n]*"\]\s*\Z')
_CUES = re.compile(rb"(WEBVTT|\d+\s*\n\s*\d+:\d\d:\d\d[,.]\d+ --> )")


def read_sentences(
    path: str | PathLike[str], encoding: str = "utf-8", *, ids: list[bytes] | None = None
) -> pa.StringArray:
    """Read a document with one sentence per line.

    Lines end only at a line feed; a carriage return before it and a byte order mark at the start
    are dropped, as are ids before a tab that every line begins with, and the WPT marks ``<s snum=1>
    ... </s>``. U+0085 and U+2028 belong to sentences. A blank line is a sentence too, so that
    sentence k is line k + 1.

    Parameters
    ----------
    path
        A file, optionally compressed; ``-`` is standard input.
    encoding
        An encoding in which a line feed is byte 10.
    ids
        Filled with the ids that are left out.

    Raises
    ------
    InputError
        If the file is missing, empty, or not text in the encoding; gives file and line.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.read_sentences("datasets/mill/mill.fr")[0].as_py()
    'Le vieux moulin'
    """
    with in_file(path):
        parts = list(sentence_pieces(TextFile(path, encoding), ids))
        if not parts:
            raise InputError("the file is empty", expected="one line per sentence")
        if sum(part.nbytes for part in parts) >= 1 << 31:  # offsets have 32 bits
            raise InputError("more than 2 GB of text", expected="a smaller document")
        return pa.concat_arrays(parts)


def sentence_pieces(file: TextFile, ids: list[bytes] | None = None) -> Iterator[pa.StringArray]:
    """Yield the sentences of ``read_sentences`` in chunks; ``ids`` are filled if there are some."""
    marked = marked_up(file.path)
    if marked is not None:
        yield marked
        return
    for data, _ in sentence_chunks(file, ids):
        yield _split(data)


def sentence_chunks(file: TextFile, ids: list[bytes] | None = None) -> Iterator[tuple[bytes, int]]:
    """Yield chunks of lines without ids and WPT's ``<s snum=1>``, with the number of the first."""
    with in_file(file.path):
        has_ids = False
        for data, first in file.texts():
            if first == 1:
                has_ids = _have_ids(data)
            if has_ids or b"<s" in data or b"</s>" in data:
                lines = data.removesuffix(b"\n").split(b"\n")
                own = _without_ids(lines, first) if has_ids else []
                if first == 1 and own:
                    guessed(file.path, ids=f"left out, such as {own[0].decode()}")
                if ids is not None:
                    ids += own
                data = b"\n".join(map(_without_marks, lines)) + b"\n"
            if first == 1:
                _warn_of_cells(data, file.path)
            yield data, first


def _warn_of_cells(data: bytes, path: str | PathLike[str]) -> None:
    """Warn of lines that all have as many tabs: they are rows of a table, not sentences."""
    lines = [line.strip() for line in data.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]]
    tabs = {line.count(b"\t") for line in lines if line}
    if len(tabs) == 1 and 0 not in tabs and sum(map(bool, lines)) > 1:
        warn(
            f"{fspath(path)}: every line has {tabs.pop() + 1} cells between tabs, which are read "
            "as one sentence; write each side to a file of its own, for example with: cut -f1 FILE "
            "> SRC; cut -f2 FILE > TGT"
        )


def _have_ids(data: bytes) -> bool:
    """Whether every line begins with an id of its own and a tab."""
    lines = data.removesuffix(b"\n").split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    ids = [line.partition(b"\t")[0] for line in lines if b"\t" in line]
    # A single line with a tab has an id only if counting may start with it.
    return (
        len(set(ids)) == len(lines)
        and all(map(_ID.fullmatch, ids))
        and (len(lines) > 1 or ids[0] in (b"0", b"1"))
    )


def _without_ids(lines: list[bytes], first: int) -> list[bytes]:
    """Take the ids off lines, and return them."""
    ids = []
    for k, line in enumerate(lines):
        own, tab, lines[k] = line.partition(b"\t")
        if not tab:
            begin = line.split(maxsplit=1)[:1]
            raise InputError(
                f"a line that begins with {begin[0].decode() if begin else ''!r}",
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


def check_ids(ids: Sequence[list[bytes]], paths: Sequence[str | PathLike[str]]) -> None:
    """Refuse sides whose lines have other ids, or ids that one side has and are not in order."""
    names = [fspath(path) for path in paths]
    if all(ids):
        pairs = zip(*ids, strict=False)
        odd = next(((k, pair) for k, pair in enumerate(pairs, 1) if len(set(pair)) > 1), None)
        if odd is not None:
            src, tgt = (line_id.decode() for line_id in odd[1])
            raise InputError(
                f"line {odd[0]:,} has the id {src!r} in {names[0]} and {tgt!r} in {names[1]}",
                expected="the same ids in the same order on both sides",
                todo="sort both by id",
            )
        return
    for side, name in zip(ids, names, strict=True):
        numbers = [int(number_text) for number_text in side if number_text.isdigit()]
        in_order = all(b == a + 1 for a, b in pairwise(numbers))
        if in_order or len(numbers) < len(side):
            continue
        raise InputError(
            f"{name} has ids that are not in order, and the other side has none",
            expected="lines in the same order on both sides",
            todo="sort it by id, and add lines that are missing",
        )


def marked_up(path: str | PathLike[str]) -> pa.StringArray | None:
    """Return the sentences ``<s id="...">`` of XML; other markup is refused, plain text is None."""
    with in_file(path):
        head = TextFile(path).head(_LOOKED_AT)
        todo = "give its sentences, one per line"
        if _CUES.match(head):
            raise InputError("holds subtitles", expected="one sentence per line", todo=todo)
        if _JSON.match(head):
            raise InputError(
                "holds JSON",
                expected="one sentence per line",
                todo="name a file of an object per line .jsonl, or write its texts to lines",
            )
        if not _ROOT.match(head):
            return None
        from alignframe.formats.ces import read_document
        from alignframe.formats.markup import root_of

        root = root_of(peek(path, _LOOKED_AT), path)
        if root is None or root.lower() in ("tmx", "html", "xliff", "cesalign"):
            if root == "tmx":
                todo = "write its sides with: alignframe convert FILE.tmx BEADS --src SRC --tgt TGT"
            what = f"is XML (root <{root}>)" if root else "is markup"
            raise InputError(what, expected="one sentence per line", todo=todo)
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
    # Each text begins where the line breaks before it have been taken out.
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

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.write_sentences(["One.", "Two."], "text.en")
    >>> formats.read_sentences("text.en").to_pylist()
    ['One.', 'Two.']
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
    # A reader drops one mark at the start of a line, so a text that begins with one gets two.
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
