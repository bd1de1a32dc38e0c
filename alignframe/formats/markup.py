"""Reading XML in one pass, with the line in every error, and escaping text for XML.

Nothing outside the file is fetched, so an entity defined in an external DTD is an error in text. In
attributes, the parser drops such entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os import PathLike
from xml.parsers import expat

from alignframe.errors import InputError, in_file
from alignframe.formats.bead_table import warn_of
from alignframe.read.lines import CHUNK, max_line, too_long
from alignframe.read.opening import open_bytes, read_piece

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_xml(
    path: str | PathLike[str],
    start: Callable[[str, dict[str, str], int], object],
    end: Callable[[str], object] | None = None,
    text: Callable[[str], object] | None = None,
    holders: Sequence[str] = (),
) -> None:
    """Read an XML file, optionally compressed, with callbacks."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    most = max_line()
    # A parser buffers a text, or a tag, to its end, so its size is limited here.
    size = 0

    def started(name: str, attributes: dict[str, str]) -> None:
        nonlocal size
        local = _local(name)
        if local in holders:
            size = 0
        try:
            start(local, attributes, parser.CurrentLineNumber)
        except InputError as error:
            error.found_at(error.path, error.line or parser.CurrentLineNumber)
            raise

    def kept(piece: str) -> None:
        nonlocal size
        size += len(piece)
        if size > most:
            raise too_long("a text", parser.CurrentLineNumber)
        if text is not None:
            text(piece)

    def skipped(name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise InputError(
                f"the entity &{name}; is not defined in the file",
                line=parser.CurrentLineNumber,
                todo="replace it by the character itself",
            )

    def outside(*entity: str | None) -> int:
        raise InputError(
            f"an entity whose text is elsewhere, in {entity[2]}",
            line=parser.CurrentLineNumber,
            expected="all text in one file",
        )

    parser.StartElementHandler = started
    parser.ExternalEntityRefHandler = outside
    parser.SkippedEntityHandler = skipped
    if end is not None:
        parser.EndElementHandler = lambda name: end(_local(name))
    if text is not None:
        parser.CharacterDataHandler = kept
    with in_file(path), open_bytes(path) as file:
        read = 0
        try:
            while piece := read_piece(file, min(CHUNK, most)):
                parser.Parse(piece, False)
                read += len(piece)
                # The parser stands at the beginning of a tag whose end has not come.
                if read - parser.CurrentByteIndex > most:
                    raise too_long("a tag", parser.CurrentLineNumber)
            parser.Parse(b"", True)
        except InputError:  # raised by callbacks
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:
            what, line = _check_encoding(error)
            raise InputError(f"is not well-formed XML ({what})", line=line) from None


def _check_encoding(error: Exception) -> tuple[str, int]:
    """Return what is wrong, and the line; raise an InputError if the declared encoding is."""
    if isinstance(error, expat.ExpatError):
        what = expat.errors.messages[error.code]
        if what != expat.errors.XML_ERROR_INCORRECT_ENCODING:
            return what, error.lineno
        found = "the XML declares an encoding that its bytes do not have"
    else:
        found = f"the XML declares an encoding that cannot be read ({error})"
    todo = 'if it is UTF-8, write encoding="UTF-8" in its first line; or else convert it to UTF-8'
    raise InputError(found, todo=todo) from None


def root_of(head: bytes, path: str | PathLike[str]) -> str | None:
    """Return the name of the first element in the beginning of an XML file, if any.

    Raises
    ------
    InputError
        If the encoding that the file declares is not its own.
    """
    names: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: names.append(_local(name))
    with in_file(path):
        try:
            parser.Parse(head, False)
        except (expat.ExpatError, LookupError, ValueError) as error:
            _check_encoding(error)  # of others, the root may have been read before
    return names[0] if names else None


def _local(name: str) -> str:
    return name.rpartition(":")[2]


_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


class Escaper:
    """Escapes text and attributes for XML; characters forbidden in XML 1.0 become U+FFFD."""

    def __init__(self) -> None:
        self.replaced = 0

    def __call__(self, text: str) -> str:
        """Return text with markup escaped, and carriage returns, which parsers would normalise."""
        plain, count = _FORBIDDEN.subn("\ufffd", text)
        self.replaced += count
        return plain.translate(_ESCAPED)

    def warn(self, path: str | PathLike[str]) -> None:
        """Warn of the characters that were replaced."""
        warn_of(path, self.replaced, "character", "that XML forbids replaced by U+FFFD")
