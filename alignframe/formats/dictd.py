"""Dictionaries of the dict server, as published by FreeDict: an index and a text file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import fspath
from pathlib import Path

from alignframe.errors import InputError, in_file
from alignframe.read.lines import BLANKS, TextFile, decoded
from alignframe.read.opening import open_bytes

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}

# Grammar, notes, fields, references; pronunciation, but not the slash of ``and/or``.
_ASIDE = re.compile(r"<[^>]*>|\([^)]*\)|\[[^]]*\]|\{[^}]*\}|(?<!\S)/[^/]*/(?![^\s,;])")

_SENSE = re.compile(r"\s*\d+\.(?!\S)")
# An indented line such as ``Synonyms: {...}`` or ``Note: ...``.
_LABEL = re.compile(r"\s+\w+:(?!\S)")

_QUOTES = ('"', "“", "„", "«")
_COMMA = re.compile(r"[,;](?!\d)|[،؛、，；]")


def read_dict(file: TextFile) -> Iterator[tuple[str, str]]:
    """Yield the headwords of a dictionary with their translations, of one word or more."""
    index, store = _files_of_dict(fspath(file.path))
    # Offsets count the bytes of a mark.
    data = TextFile(store).whole(keep_mark=True)
    for number, line in TextFile(index, file.encoding).lines():
        cells = line.split("\t")
        # Entries about the dictionary itself.
        if cells[0].startswith(("00-database", "00database")):
            continue
        try:
            start, size = map(_number, cells[1:3])
        except (ValueError, KeyError):
            form = "headword, offset and length, separated by tabs, the numbers in base 64"
            raise InputError(
                f"{line!r} cannot be read",
                path=index,
                line=number,
                expected=form,
                todo="take both files from one package",
            ) from None
        if start + size > len(data):
            raise InputError(
                f"an entry that ends at the byte {start + size:,}",
                path=index,
                line=number,
                expected=f"no more than the {len(data):,} bytes of {store}",
                todo="take both files from one package",
            )
        entry = data[start : start + size]
        encoding = file.encoding or "utf-8"
        try:
            text = entry.decode(encoding)
        except UnicodeDecodeError:
            with in_file(store):
                text = decoded(entry, data.count(b"\n", 0, start) + 1, encoding)
        headword, translations = _definition(text, cells[0])
        for translation in translations:
            yield headword, translation


def _files_of_dict(name: str) -> tuple[str, str]:
    """Return the paths of a dictionary's index and text."""
    suffix = next((end for end in (".index", ".dict", ".dict.dz") if name.endswith(end)), None)
    if suffix is None:
        raise InputError(
            "not named like a dictd dictionary", path=name, expected=".index, .dict or .dict.dz"
        )
    # Raises the error of a file that is missing or cannot be read.
    open_bytes(name).close()
    stem = name.removesuffix(suffix)
    stores = [stem + ".dict", stem + ".dict.dz"] if suffix == ".index" else [name]
    store = next((file for file in stores if Path(file).exists()), None)
    index = stem + ".index"
    if store is None or not Path(index).exists():
        missing = " or ".join(stores) if store is None else index
        raise InputError(f"{missing} is missing", path=name, expected="an index and its text")
    return index, store


def _number(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * 64 + _VALUES[digit]
    if not digits:
        raise ValueError
    return value


def _definition(text: str, key: str) -> tuple[str, list[str]]:
    """Return the headword and its translations."""
    lines = [line for line in text.split("\n") if line.strip()]
    # The index folds its keys (`achilles heel`), so the first line's spelling is taken if it
    # differs only in case and punctuation.
    headword = _plain(lines[0]) if lines else key
    if _folded(headword) != _folded(key):
        headword = key
    translations: list[str] = []
    example = False
    for line in lines[1:]:
        sense = _SENSE.match(line)
        if sense or not line[0].isspace():
            example = False
        if _LABEL.match(line):
            continue
        rest = line[sense.end() :] if sense else line
        if rest.lstrip().startswith(_QUOTES):
            example = True  # followed by its translation on indented lines
        elif not example:
            parts = _COMMA.split(_plain(rest))
            translations += [part.strip() for part in parts if any(map(str.isalnum, part))]
    return headword, translations


def _plain(line: str) -> str:
    return " ".join(re.findall(f"[^{BLANKS}]+", _ASIDE.sub(" ", line)))


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
