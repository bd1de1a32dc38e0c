"""Opening files for reading: plain or compressed, standard input and pipes.

Standard input and pipes are read only once. What ``peek`` has read of one is kept until it is
opened.
"""

from __future__ import annotations

import glob
import re
import signal
import stat
import sys
import threading
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from alignframe.core.choices import COMPRESSED
from alignframe.core.suffixes import bare_suffix
from alignframe.errors import InputError, in_file, number_of

_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_NUMBERED = re.compile(r"(/dev|/proc/[^/]+)/fd/\d+", re.ASCII)
_PACKERS = {
    b"\x1f\x8b": "gzip",
    **{b"BZh%d1AY&SY" % level: "bz2" for level in range(1, 10)},
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
_ARCHIVES = {
    b"\xfd7zXZ\x00": ("xz", "xz -d"),
    b"PK\x03\x04": ("zip", "unzip"),
    b"7z\xbc\xaf": ("7z", "7z x"),
}
_OTHERS = {
    b"ARROW1\x00\x00": ("Arrow (Feather)", "write it as Parquet"),
    b"SQLite format 3\x00": ("an SQLite database", "write its tables as .csv"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "an old file of Word or Excel",
        "save it as text or .csv",
    ),
    b"%PDF-1.": ("PDF", "extract its text"),
}
_LONGEST = max(map(len, (*_PACKERS, *_ARCHIVES, *_OTHERS)))

# Streams whose first bytes were read, but which are not opened yet.
_peeked: dict[object, pa.NativeFile] = {}
# The last standard input that was opened.
_taken: object = None


def is_unnamed(path: str | PathLike[str]) -> bool:
    """Whether a path is standard input or a file descriptor, as with ``<(...)``."""
    name = fspath(path)
    return name in _STANDARD_INPUT or _NUMBERED.fullmatch(name) is not None


def is_stream(path: str | PathLike[str]) -> bool:
    """Whether a path is standard input or a pipe, which can be read only once."""
    name = fspath(path)
    if name in _STANDARD_INPUT:
        return True
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def open_bytes(path: str | PathLike[str]) -> pa.NativeFile:
    """Open a file for reading, decompressed as its suffix or its first bytes say."""
    name = fspath(path)
    with in_file(name):
        if is_stream(name):
            # What was peeked at in a stream cannot be read again: its holder continues with it.
            seen = _peeked.pop(_key(name), None)
            return _open_stream(name) if seen is None else seen
        if not name:
            raise InputError("the file name is empty", expected="a file")
        if Path(name).is_dir():
            raise InputError("is a folder", expected="a file")
        try:
            if packer := COMPRESSED.get(Path(name).suffix.lower()):
                return pa.input_stream(name, compression=packer)
            file = pa.input_stream(name, compression=None)
            head = file.read(_LONGEST)
            file.seek(0)
            return _unpacked(file, head)
        except FileNotFoundError:
            if found := glob.glob(name):
                raise pattern_of(len(found)) from None
            raise InputError("no such file") from None
        except (OSError, pa.ArrowInvalid) as error:
            raise InputError(f"cannot be read ({error})") from None


def pattern_of(number: int) -> InputError:
    """Return the error for a pattern of names where one file is read."""
    return InputError(
        f"is a pattern of names, of {number_of(number, 'file')}",
        expected="one file",
        todo="name one of them, or join them with cat",
    )


def peek(path: str | PathLike[str], size: int) -> bytes:
    """Return the first bytes of a file, decompressed, without consuming them."""
    name = fspath(path)
    with in_file(name):
        file = open_bytes(name)
        if not is_stream(name):
            with file:
                return read_piece(file, size)
        head = b""
        while len(head) < size and (piece := read_piece(file, size - len(head))):
            head += piece
    _peeked[_key(name)] = pa.PythonFile(_Stream(file, head), mode="r")
    return head


def read_piece(file: pa.NativeFile, size: int) -> bytes:
    """Read up to ``size`` bytes; raise an InputError if a compressed file is damaged."""
    try:
        return bytes(file.read(size))
    except OSError as error:
        raise InputError(f"cannot be decompressed ({error})") from None


def table_suffix(path: str | PathLike[str]) -> str:
    """Return the suffix of a table file in lower case, without that of compression."""
    # A stream has no name.
    return suffix_of_content(path) if is_stream(path) else bare_suffix(path)


def suffix_of_content(path: str | PathLike[str]) -> str:
    """Return the suffix that a table should have by its first line."""
    # Without the mark of an encoding, and the first byte of a character in UTF-16.
    line = peek(path, 1 << 16).lstrip(b" \t\r\n\0\xef\xbb\xbf\xfe\xff").partition(b"\n")[0]
    if line.startswith(b"{"):
        return ".jsonl"
    return ".tsv" if b"\t" in line else ".csv"


def _key(name: str) -> object:
    return standard_input() if name in _STANDARD_INPUT else name


def standard_input() -> BinaryIO:
    """Return standard input; refuse it if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed", expected="a file, or a pipe into the command")
    return sys.stdin.buffer


def _open_stream(name: str) -> pa.NativeFile:
    global _taken
    _heed_interrupts()
    if name in _STANDARD_INPUT:
        raw = standard_input()
        # A second read of standard input would find it empty, and look like an empty file.
        if raw.closed or raw is _taken:
            raise InputError(
                "standard input was already read",
                todo="use '-' or /dev/stdin for one file only",
            )
        _taken = raw
    else:
        try:
            raw = open(name, "rb")  # noqa: SIM115 - closed with the stream
        except OSError as error:
            raise _unreadable(error) from None
    try:
        head = _Stream(raw, b"").read(_LONGEST)
    except OSError as error:
        raise _unreadable(error) from None
    return _unpacked(pa.PythonFile(_Stream(raw, head), mode="r"), head)


def _unpacked(file: pa.NativeFile, head: bytes) -> pa.NativeFile:
    """Return a file, decompressed if its first bytes show compression."""
    for mark, (kind, command) in _ARCHIVES.items():
        if head.startswith(mark):
            file.close()
            raise InputError(
                f"is compressed with {kind}",
                expected="plain text, or gzip, bzip2, zstd or lz4",
                todo=f"decompress it with: {command}",
            )
    for mark, (kind, todo) in _OTHERS.items():
        if head.startswith(mark):
            file.close()
            raise InputError(f"is {kind}", expected="text, or a table", todo=todo)
    packer = next((packer for mark, packer in _PACKERS.items() if head.startswith(mark)), None)
    return pa.CompressedInputStream(file, packer) if packer else file


def _unreadable(error: OSError) -> InputError:
    return InputError(f"cannot be read ({error.strerror or error})")


class _Stream:
    """A stream whose first bytes have been read."""

    def __init__(self, file: BinaryIO, head: bytes) -> None:
        self._file = file
        self._head = head
        self.closed = False

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes."""
        if self._head:
            piece, self._head = self._head[:size], self._head[size:]
            return piece
        _heed_interrupts()
        return bytes(self._file.read(size))

    def close(self) -> None:
        """Close the stream."""
        self.closed = True
        self._file.close()


def _heed_interrupts() -> None:
    """Let Ctrl-C end a waiting read."""
    # Importing polars installs a handler of its own, with which such a read is retried.
    # To set Python's again makes it return with an error.
    handler = signal.getsignal(signal.SIGINT)
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)
