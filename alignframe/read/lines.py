"""Reading text in large chunks of whole lines, with file and line in every error."""

from __future__ import annotations

import codecs
import os
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from os import PathLike

import numpy as np

from alignframe.core.arrays import U8
from alignframe.core.memory import bytes_of
from alignframe.core.tokens import is_doubtful
from alignframe.errors import InputError, guessed, in_file
from alignframe.read.opening import is_stream, open_bytes, peek, read_piece
from alignframe.read.parquet import is_parquet

SNIFFED = 1 << 16
"""The number of bytes from which a format is recognised."""
CHUNK = 1 << 23
"""The number of bytes read at a time."""

MAX_LINE = "16MB"
"""The default limit on the length of a line."""

BLANKS = " \t\r\f\v"
"""The characters that separate words; a no-break space does not."""

# UTF-16's little-endian mark is also the beginning of that of UTF-32.
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF32_MARK = b"\xff\xfe\0\0"
_PARQUET = b"PAR1\x15"  # with the start of a page: a text may begin with the word PAR1
_UTF8_MARK = b"\xef\xbb\xbf"
# Number of bytes checked for UTF-16 in text without a mark, and the fewest that can show it.
_LOOKED_AT = 1000
_FEWEST = 16


def max_line() -> int:
    """Return the limit on the length of a line, in bytes."""
    with in_file(""):
        return max(bytes_of(_limit(), "ALIGNFRAME_MAX_LINE is"), 1)


def _limit() -> str:
    return os.environ.get("ALIGNFRAME_MAX_LINE") or MAX_LINE


def too_long(what: str, line: int | None) -> InputError:
    """Return the error for a line, or another part of a file, beyond the limit."""
    return InputError(
        f"{what} longer than {_limit()}",
        line=line,
        todo="if this is right, set the environment variable ALIGNFRAME_MAX_LINE to a larger size",
    )


def whole_lines(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield pieces of text as chunks of whole lines, each with the number of its first line."""
    # Pieces have at most `most` bytes, so that a longer line spans two, and is refused before
    # memory holds it.
    most = max_line()
    line, held, size = 1, [b""], 0
    for piece in pieces:
        # Blank lines that fill whole pieces count as one line.
        blank = len(piece) >= min(CHUNK, most) and piece.isspace()
        cut = 0 if blank else piece.rfind(b"\n") + 1
        if size + (piece.find(b"\n") if cut else len(piece)) > most:
            if b"\0" in piece:  # not text, which says more
                _refuse_nul(piece, line)
            raise too_long("a run of blank lines" if blank else "a line", line)
        held.append(piece[:cut] if cut else piece)
        size += len(piece)
        if cut:
            data = b"".join(held)
            yield data, line
            line += data.count(b"\n")
            held, size = [piece[cut:]], len(piece) - cut
    if size:
        yield b"".join(held), line


@dataclass(frozen=True)
class TextFile:
    """A file of text, and the encoding that was named for it."""

    path: str | PathLike[str]
    encoding: str | None = None  # None: UTF-8, and errors name no option for it
    form: str = ""  # NFC: text is read in this Unicode form

    def chunks(self, *, keep_mark: bool = False) -> Iterator[tuple[U8, int]]:
        """Yield chunks of whole lines as UTF-8, not yet checked, with the number of the first line.

        With ``keep_mark``, bytes stay as they are.
        """
        empty = True
        most = min(CHUNK, max_line())
        encoding = None if _is_utf8(self.encoding) else self.encoding
        with in_file(self.path), open_bytes(self.path) as file:
            pieces = iter(partial(read_piece, file, most), b"")
            if not keep_mark:
                plain = _plain(pieces, self.path, encoding)
                # Decoding makes pieces longer, and `whole_lines` needs them short.
                pieces = (p[k : k + most] for p in plain for k in range(0, len(p), most))
            for data, line in whole_lines(pieces):
                empty = False
                # Files that were joined have a mark at the beginning of each.
                if not keep_mark and _UTF8_MARK in data:
                    data = data.removeprefix(_UTF8_MARK).replace(b"\n" + _UTF8_MARK, b"\n")
                if b"\0" in data:
                    _refuse_nul(data, line)
                if data:
                    yield np.frombuffer(data, np.uint8), line
            if empty:
                raise InputError("the file is empty", expected="text")

    def texts(self) -> Iterator[tuple[bytes, int]]:
        """Yield ``chunks`` that are valid UTF-8, in NFC if the form says so."""
        is_told = False
        for piece, first in self.chunks():
            data = piece.tobytes()
            if not data.isascii():
                with in_file(self.path):
                    text = decoded(
                        data, first, self.encoding if _is_utf8(self.encoding) else "utf-8"
                    )
                if self.form and is_doubtful(piece) and not unicodedata.is_normalized("NFC", text):
                    data = unicodedata.normalize("NFC", text).encode()
                    if not is_told:
                        guessed(self.path, form="not NFC, read as NFC")
                    is_told = True
                del text  # two files that are read side by side hold a chunk each
            yield data, first

    def whole(self, *, keep_mark: bool = False) -> bytes:
        """Return the contents in UTF-8; see ``texts`` and ``chunks``."""
        if keep_mark:
            return b"".join(part.data for part, _ in self.chunks(keep_mark=True))
        return b"".join(part for part, _ in self.texts())

    def head(self, size: int) -> bytes:
        """Return the beginning as ``chunks`` will give it, without consuming it."""
        head = peek(self.path, size)
        if head.startswith(_UTF16_MARKS) and not head.startswith(_UTF32_MARK):
            head = head[: len(head) // 2 * 2].decode("utf-16", "ignore").encode()
        elif self.encoding is not None and not _is_utf8(self.encoding):
            with in_file(self.path):
                _check_named(head[:_LOOKED_AT], self.encoding)
            with suppress(UnicodeError):  # reading the file raises the error
                head = head.decode(self.encoding, "ignore").encode("utf-8", "surrogatepass")
        head = head.removeprefix(_UTF8_MARK)
        return head if b"\n" in head else head.replace(b"\r", b"\n")

    def words(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each line's number (from 1) and its words, separated by ASCII white space."""
        for data, first in self.texts():
            for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), first):
                # Bytes split at ASCII white space alone: no-break spaces stay inside words.
                yield number, [word.decode() for word in line.split()]

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line's number (from 1) and text, without trailing white space except tabs."""
        for data, first in self.texts():
            for number, line in enumerate(data.decode().removesuffix("\n").split("\n"), first):
                yield number, line.rstrip(" \r\f\v")


def count_lines(path: str | PathLike[str]) -> int:
    """Return the number of lines of a file, without looking into them."""
    lines, last = 0, b"\n"
    with in_file(path), open_bytes(path) as file:
        for piece in iter(partial(read_piece, file, CHUNK), b""):
            lines += piece.count(b"\n")
            last = piece[-1:]
    return lines + (last != b"\n")


def _is_utf8(encoding: str | None) -> bool:
    return encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")


def _plain(
    pieces: Iterator[bytes], path: str | PathLike[str], encoding: str | None
) -> Iterator[bytes]:
    """Yield text in UTF-8 with line feeds at the ends of lines; Parquet is refused."""
    head = b""
    while len(head) < _LOOKED_AT and (piece := next(pieces, b"")):
        head += piece
    if head.startswith(_PARQUET):
        raise InputError("is Parquet", expected="text", todo="give it the suffix .parquet")
    pieces = chain([head], pieces)
    order = _order_of_utf16(head[:_LOOKED_AT])
    if head.startswith(_UTF16_MARKS) and not head.startswith(_UTF32_MARK):
        if not (encoding or "").lower().startswith("utf-16"):
            guessed(path, encoding="utf-16")
        pieces = _in_utf8(pieces, "utf-16")
    elif encoding is not None:
        _check_named(head[:_LOOKED_AT], encoding)
        pieces = _in_utf8(pieces, encoding)
    elif order:
        raise _unmarked(order)
    head = next(pieces, b"")
    only_returns = b"\r" in head[:-1] and b"\n" not in head
    if only_returns:
        guessed(path, line_ends="carriage returns")
    for piece in chain([head], pieces):
        yield piece.replace(b"\r", b"\n") if only_returns else piece


def _in_utf8(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield text of another encoding in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for piece in chain(pieces, [b""]):
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].decode(encoding, "replace").count("\n")
            raise _not_text(error, line, encoding) from None
        except UnicodeError as error:  # of idna and such
            raise InputError(f"is not {encoding} text ({error})", line=line) from None
        line += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")


def _check_named(head: bytes, encoding: str) -> None:
    """Raise an InputError if the encoding is not known, or text is not in the UTF-16 of its name.

    UTF-16 and UTF-32 decode nearly any bytes, to letters that nobody wrote.
    """
    try:
        b"\0".decode(encoding, "replace")
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise InputError(f"`encoding` is {encoding!r}, which is not known", path="") from None
    wide = name.startswith(("utf-16", "utf-32"))
    if not head or not wide or head.startswith((_UTF32_MARK, _UTF32_MARK[::-1])):
        return
    order = _order_of_utf16(head)
    if order and name.startswith("utf-16") and name != f"utf-16-{order.lower()}":
        raise _unmarked(order)
    marked = name in ("utf-16", "utf-32")
    # Line feeds and blanks have a NUL byte there, and text of a line has one of them at least.
    plain = b"\0" not in head and (_may_be_utf8(head) or (b"\n" in head and b" " in head))
    if marked or plain:
        own = (
            "leave `encoding` out, as it is UTF-8"
            if _may_be_utf8(head)
            else f"name its own `encoding`{f', such as {name}-le or {name}-be' * (not plain)}"
        )
        lacks = "no byte order mark" if marked else "no NUL bytes"
        raise InputError(f"the text is not {encoding}: it has {lacks}", line=1, todo=own)


def _may_be_utf8(head: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(head)  # its end may be cut
        return b"\0" not in head
    return False


def _unmarked(order: str) -> InputError:
    return InputError(
        f"the text is in UTF-16{order} without a byte order mark",
        line=1,
        expected="UTF-8",
        todo=f"name its encoding (`encoding='utf-16-{order.lower()}'`), "
        f"or convert it with: iconv -f UTF-16{order} -t UTF-8",
    )


def _refuse_nul(data: bytes, first: int) -> None:
    """Raise an InputError with the line of a NUL byte, which would count as a letter."""
    raise InputError(
        "a NUL byte",
        line=first + data.count(b"\n", 0, data.index(b"\0")),
        expected="text in UTF-8",
        todo="if the rest is right, delete such bytes with: tr -d '\\000'",
    )


def _order_of_utf16(data: bytes) -> str:
    """Return LE or BE if text is UTF-16 without a mark, by its NULs; else an empty string."""
    if data.startswith(_UTF16_MARKS):
        return ""
    # Such bytes are valid UTF-8, and would be read as words of letters and NULs.
    half = len(data) // 2
    counts = {"LE": data[1::2].count(0), "BE": data[::2].count(0)}
    order = max(counts, key=counts.__getitem__)
    # Most high bytes are NUL in Latin scripts, and hardly any low ones in any script.
    clear = len(data) >= _FEWEST and 2 * counts[order] > half > 8 * min(counts.values())
    return order if clear else ""


def place(text: U8, fault: int, first_line: int) -> tuple[int, str, str]:
    """Return the line number of a byte, its line, and the word that starts there."""
    data = text.tobytes()
    begin = data.rfind(b"\n", 0, fault) + 1
    end = data.find(b"\n", fault)
    whole = data[begin : end if end >= 0 else len(data)]
    word = data[fault : end if end >= 0 else len(data)].split(maxsplit=1)
    number = first_line + data.count(b"\n", 0, fault)
    return number, _show(whole), _show(word[0]) if word else ""


def _show(data: bytes) -> str:
    text = data.strip().decode("utf-8", "backslashreplace")
    return text if len(text) <= 60 else text[:57] + "..."


def is_text(word: str) -> bool:
    """Whether a part of a file, as shown by ``place``, was valid UTF-8 without NUL bytes."""
    return "\\x" not in word and "\x00" not in word


def decoded(data: bytes, line: int, encoding: str | None = "utf-8") -> str:
    """Return a chunk of a file as text; ``line`` is the number of its first line."""
    try:
        return data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise _not_text(error, line, encoding) from None
    except LookupError:
        raise InputError(f"`encoding` is {encoding!r}, which is not known", path="") from None


def _not_text(error: UnicodeDecodeError, line: int, encoding: str | None) -> InputError:
    named = "name its encoding, for example `encoding='latin-1'`, or "
    return InputError(
        f"the byte 0x{error.object[error.start]:02x} is not {encoding or 'utf-8'} text",
        line=line,
        todo=f"{named if encoding else ''}convert the file to UTF-8",
    )


def head_of(path: str | PathLike[str]) -> bytes | None:
    """Return the beginning of a file; None for Parquet."""
    if is_parquet(path):
        return None
    head = peek(path, SNIFFED)
    if head[:4] != b"PAR1":
        return head
    if is_stream(path):
        raise InputError(
            "Parquet from a pipe", path=path, expected="a file, as Parquet is not read sequentially"
        )
    return None


def first_text(file: TextFile) -> bytes:
    """Return the beginning of a file in UTF-8; refuse what is no text as reading it would."""
    head = file.head(SNIFFED)
    if b"\0" in head:
        next(file.chunks(), None)  # which says what the matter is
    return head
