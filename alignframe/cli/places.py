"""Checking output paths before any work is done."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from alignframe.core.choices import PAGE, TABLES
from alignframe.core.suffixes import MARKUP, OUTPUTS, TABLE, TABLES_SAID, bare_suffix
from alignframe.errors import InputError

_FILE = re.compile(r"\.[A-Za-z]\w*")
"""A suffix of a file; the name of a folder may end in a number, as in v1.2."""


def check_apart(
    output: str | Path, inputs: Iterable[str], expected: str = "another file to write"
) -> None:
    """Refuse to write over an input; texts that are not paths are ignored."""
    if not Path(output).is_file():
        return
    for text in inputs:
        for path in [text, text.removeprefix("@"), *_several(text)]:
            if _same_file(output, path):
                raise InputError("is both an input and the output", path=path, expected=expected)


def _several(text: str) -> list[str]:
    """Return the files of a pattern of names, or of a list of paths."""
    if text.startswith("@") and Path(text[1:]).is_file():
        return Path(text[1:]).read_text("utf-8", "replace").split("\n")
    return glob.glob(text, recursive=True) if glob.has_magic(text) else []


def _same_file(path: str | Path, other: str) -> bool:
    try:
        return Path(path).samefile(other.strip())
    except (OSError, ValueError):  # there is none, or the text is too long for a path
        return False


def is_table_file(path: Path) -> bool:
    """Whether a path has the suffix of a table and is not a folder."""
    return bare_suffix(path) in TABLES and not path.is_dir()


def check_file(path: Path) -> None:
    """Refuse a path where no file can be written; ``-`` is standard output."""
    if str(path) == "-":
        return
    if not path.parent.is_dir():
        raise InputError("its folder does not exist", path=path)
    if path.is_dir():
        raise InputError("is a folder", path=path, expected="a file to write")
    # Any other file is replaced by a new one, so it is the folder that must be writable.
    in_place = path.exists() and not path.is_file()  # a device or a pipe
    _check_permission(path if in_place else Path(os.path.realpath(path)).parent, path)


def check_one_output(output: str, as_json: bool) -> None:
    """Refuse both data and a summary in JSON on standard output."""
    if as_json and output == "-":
        raise InputError(
            "--json with the output '-'",
            expected="one of them on standard output",
            todo="write to a file, or leave out --json",
        )


def check_tables_path(path: Path) -> None:
    """Refuse a path where tables cannot be written."""
    if path.suffix.lower() in MARKUP:
        check_file(path)
    elif is_table_file(path) or (path.suffix in (".txt", *PAGE) and not path.is_dir()):
        check_file(path)
        TABLE.chosen(path)
    elif _FILE.fullmatch(path.suffix) and not path.is_dir():
        raise InputError(
            f"unknown suffix {path.suffix!r} for a table",
            path=path,
            expected=f"{TABLES_SAID} for the main table, or a folder for all",
            todo="a folder with such a name must exist",
        )
    else:
        check_folder(path)


def is_folder_of_beads(output: str | Path) -> bool:
    """Whether the beads of several documents go to a folder: the path has no file suffix."""
    return str(output).endswith("/") or Path(output).is_dir() or not Path(output).suffix


def check_folder(path: Path) -> None:
    """Refuse a path where no folder can be made."""
    for place in (path, *path.parents):
        if place.is_file():
            raise InputError("is a file", path=place, expected="a folder")
    _check_permission(
        next(place for place in (path, *path.absolute().parents) if place.is_dir()), path
    )


def _check_permission(place: Path, path: Path) -> None:
    if not os.access(place, os.W_OK):
        raise InputError("cannot be written (no permission, or read-only)", path=path)


FOLDERS: dict[str, Callable[[Path], None]] = {"folder": check_folder, "tables": check_tables_path}
"""The check of a path, by what an option writes to it, if not a file."""


def check_place(writes: str, path: Path) -> None:
    """Refuse a path where what an option writes cannot be written."""
    if writes in FOLDERS:
        FOLDERS[writes](path)
    elif not _is_folder(writes, path):
        check_file(path)


def check_suffix(writes: str, path: Path, format: str | None = None) -> None:
    """Refuse a suffix of something else than what an option writes, in a format if it is given."""
    if writes not in FOLDERS and not _is_folder(writes, path):
        OUTPUTS[writes].chosen(path, format, strict=True)


def _is_folder(writes: str, path: Path) -> bool:
    """Whether a path may become a folder, which depends on the number of documents."""
    return writes == "beads" and is_folder_of_beads(path)
