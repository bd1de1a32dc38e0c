"""Documents with one sentence per line, including blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import as_array, is_text, refuse_missing
from alignframe.core.choices import SEPARATORS, TABLES
from alignframe.core.output import replacing
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, few_of, guessed, in_file, number_of, warn
from alignframe.formats.files import is_glob
from alignframe.formats.line_ids import LOOKED_AT, are_behind_ids, cells_of, have_ids, take_ids
from alignframe.formats.text_kinds import is_conllu, sentences_within
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream, peek, table_suffix
from alignframe.read.parquet import is_parquet
from alignframe.read.tables import LINE, read_table, whole_numbers

Sentences: TypeAlias = "Sequence[str] | pa.Array | pa.ChunkedArray"
"""The sentences of a document, in order."""

_NEWLINE = 10
_MARK = "\ufeff"
_MARKUP = re.compile(rb"<s\s+snum=(\d+)>|</s>")
# No sentences: verses that are part of the one before, and borders of paragraphs and articles.
_NO_SENTENCE = re.compile(
    rb"^[ \t]*(<range>|\.EO[APDS]|</?p\b[^<>\n]*>)[ \t\r]*$", re.MULTILINE | re.IGNORECASE
)
_SHOWN = 20
_NUMBERS = re.compile(rb"\s*(\d+[-p]\d+(\s+\d+[-p]\d+)*|\[[\d, ]*\]:\[[\d, ]*\](:\S+)?)\s*")
_ROOT = re.compile(
    rb"\s*<(\?xml|!doctype|!--|(tmx|tei\w*|ces\w*|html|letsmt|xliff|mteval|sami|tt|usx|osis|(src|ref|tst)set)\b)",
    re.IGNORECASE,
)
_JSON = re.compile(rb'\s*(\[\s*)?\{\s*"[^"\n]*"\s*:|\s*\[[^\S\n]*\n\s*["{[]|\s*\["[^\n]*"\]\s*\Z')
_NO_SENTENCES = ("tmx", "html", "xliff", "cesalign", "sami", "tt", "usx", "osis")


def read_sentences(
    path: str | PathLike[str], encoding: str = "utf-8", *, ids: list[bytes] | None = None
) -> pa.StringArray:
    """Read a document with one sentence per line.

    Lines end only at a line feed; a carriage return before it and a byte order mark at the start
    are dropped, as are ids before a tab that every line begins with, and the WPT marks ``<s snum=1>
    ... </s>``. U+0085 and U+2028 belong to sentences. A blank line is a sentence too, so that
    sentence k is line k + 1; lines such as ``<p>``, ``.EOA`` and ``<range>`` count as blank.

    Parameters
    ----------
    path
        A file, optionally compressed; ``-`` is standard input. Of a table, the column text is read.
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
    whole = document(file, ids)
    if whole is not None:
        yield whole
        return
    for data, _ in sentence_chunks(file, ids):
        yield _split(data)


def sentence_chunks(file: TextFile, ids: list[bytes] | None = None) -> Iterator[tuple[bytes, int]]:
    """Yield chunks of lines without ids and WPT's ``<s snum=1>``, with the number of the first."""
    with in_file(file.path):
        has_ids, marks, mark = False, 0, b""
        for data, first in file.texts():
            if first == 1:
                has_ids = have_ids(data)
            if has_ids or b"<s" in data or b"</s>" in data:
                lines = data.removesuffix(b"\n").split(b"\n")
                own = take_ids(lines, first) if has_ids else []
                if first == 1 and own:
                    guessed(file.path, ids=f"left out, such as {own[0].decode()}")
                if ids is not None:
                    ids += own
                data = b"\n".join(map(_without_marks, lines)) + b"\n"
            if first == 1:
                _warn_of_others(data, file.path)
            if (b"\n<" in data or b"\n." in data or data[:1] in b"<.") and (
                found := _NO_SENTENCE.search(data)
            ):
                mark = mark or found[1]
                data, number = _NO_SENTENCE.subn(b"", data)
                marks += number
            yield data, first
        if marks:
            guessed(file.path, marks=f"{number_of(marks, 'line')} such as {mark.decode()} as blank")


def _warn_of_others(data: bytes, path: str | PathLike[str]) -> None:
    """Warn of lines that are all links or beads, or have as many tabs, as rows of a table."""
    lines = [line for line in data.split(b"\n", _SHOWN)[:_SHOWN] if line.strip()]
    if len(lines) > 1 and all(map(_NUMBERS.fullmatch, lines)):
        shown = lines[0].decode("utf-8", "replace")[:60]
        warn(f"{fspath(path)}: lines of links or beads, such as {shown!r}, read as sentences")
    if (cells := cells_of(data)) > 1 and data.strip().count(b"\n"):
        warn(
            f"{fspath(path)}: every line has {cells} cells between tabs, which are read "
            "as one sentence; write each side to a file of its own, for example with: cut -f1 FILE "
            "> SRC; cut -f2 FILE > TGT"
        )


def _without_marks(line: bytes) -> bytes:
    """Return a line without the WPT marks ``<s snum=1> ... </s>``."""
    words = line.split()
    if words and words[0] == b"<s" and words[-1] == b"</s>":
        return b" ".join(words[2:-1])
    return _MARKUP.sub(b" ", line) if _MARKUP.match(line.lstrip()) else line


def text_table(path: str | PathLike[str], encoding: str = "utf-8") -> pa.Table:
    """Return the sentences of a file as a table: sid and text."""
    texts = read_sentences(path, encoding)
    guessed(path, table="the sentences, as sid and text")
    return pa.table({"sid": pa.array(np.arange(len(texts))), "text": texts})


def document(file: TextFile, ids: list[bytes] | None = None) -> pa.StringArray | None:
    """Return the sentences of a file that has them otherwise than in lines; None for lines.

    These are the column text of a table, ``<s id="...">`` of XML, and the words of CoNLL-U. What
    else is known is refused. ``ids`` are filled if a table has others than 0, 1, 2, ... as sid.
    """
    if _is_table(file):
        with in_file(file.path):
            return _text_column(file, ids)
    if is_conllu(file):
        from alignframe.formats.tagged import conllu_forms

        guessed(file.path, format="CoNLL-U, the words of its column FORM")
        return conllu_forms(file)
    within = sentences_within(file)
    if within is not None:
        return pa.array(within, pa.string())
    with in_file(file.path):
        head = file.head(LOOKED_AT)
        todo = "give its sentences, one per line"
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

        root = root_of(peek(file.path, LOOKED_AT), file.path)
        if root is None or root.lower() in _NO_SENTENCES:
            if root == "tmx":
                todo = "write its sides with: alignframe convert FILE.tmx BEADS --src SRC --tgt TGT"
            elif root == "xliff":
                todo = "write both sides with: alignframe convert FILE.xliff PAIRS.tsv"
            what = f"is XML (root <{root}>)" if root else "is markup"
            raise InputError(what, expected="one sentence per line", todo=todo)
    _, texts = read_document(file.path)
    guessed(file.path, format=f"XML (root <{root}>), its sentences <s>")
    return pa.array(texts, pa.string())


def _is_table(file: TextFile) -> bool:
    """Whether a file is a table; .csv and .tsv only with a column text, as they may be lines."""
    if is_glob(file.path):
        return False  # which opening it says
    if is_parquet(file.path):
        return True
    suffix = "" if is_stream(file.path) else table_suffix(file.path)
    if suffix not in SEPARATORS:
        return suffix in TABLES
    first = file.head(LOOKED_AT).lstrip(b"\r\n").partition(b"\n")[0].decode("utf-8", "replace")
    cells = [cell.strip(' "\r\ufeff') for cell in first.split(SEPARATORS[suffix])]
    return "text" in cells and not are_behind_ids(file)


def _text_column(file: TextFile, ids: list[bytes] | None) -> pa.StringArray:
    """Return the texts of a table in the order of sid."""
    frame = read_table(file.path, "the sentences", file.encoding)
    if "text" not in frame.columns:
        names = [name for name in frame.columns if name != LINE]
        both = (
            "it has both sides: where these cannot be given as one table, write the words of each "
            "to a file, one sentence per line"
        )
        found = f"the sentences have the columns {few_of(names)}"
        raise InputError(
            found, expected="the column text", todo=both if {*SIDES} <= {*names} else ""
        )
    if "sid" in frame.columns:
        frame = frame.with_columns(whole_numbers(frame, "sid", 0)).sort("sid", maintain_order=True)
        sids = frame["sid"].to_list()
        if sids != [*range(len(sids))]:
            if ids is None or len({*sids}) < len(sids):
                wrong = next(k for k, sid in enumerate(sids) if sid != k)
                raise InputError(f"the sid {sids[wrong]}", expected="0, 1, 2, ..., each once")
            ids += [b"%d" % sid for sid in sids]
    texts = as_array(frame["text"].to_arrow())
    if not is_text(texts.type):
        raise InputError(f"a column text of type {texts.type}", expected="texts")
    if not is_parquet(file.path) and table_suffix(file.path) in SEPARATORS:
        texts = pc.fill_null(texts, "")
    refuse_missing(texts, "the column text")
    return texts.cast(pa.string())


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
