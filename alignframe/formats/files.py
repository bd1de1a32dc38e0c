"""Several files as one input: a folder, a glob, or a file that lists paths."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from alignframe.choices import PARQUET
from alignframe.errors import InputError
from alignframe.formats.names import text_name
from alignframe.formats.sentences import read_sentences

LIST = "@"
"""The prefix of a file that lists paths, one per line."""


def is_several(path: str | PathLike[str]) -> bool:
    """Whether a path means several files: a folder, a glob, or a list such as ``@files.txt``.

    A folder of Parquet files is a single table.
    """
    name = fspath(path)
    if name.startswith(LIST):
        return True
    if Path(name).is_dir():
        return not any(file.is_dir() or is_table(file) for file in Path(name).iterdir())
    return _is_glob(name) and not is_table(name)


def is_table(path: str | PathLike[str]) -> bool:
    """Whether a path has the Parquet suffix."""
    return Path(path).suffix.lower() in PARQUET


def is_list(path: str | PathLike[str]) -> bool:
    """Whether a path means a file that lists paths."""
    return fspath(path).startswith(LIST)


def folder_of(path: str | PathLike[str]) -> Path:
    """Return the name of several files: their folder, or the file that lists them."""
    name = fspath(path).removeprefix(LIST)
    return Path(f"{name.partition('*')[0]}_").parent if _is_glob(name) else Path(name)


def files_by_name(path: str | PathLike[str]) -> dict[str, Path]:
    """Return the files that a path stands for, by document name.

    A document is named after its file, without suffixes of formats, compression and languages.
    Hidden files are ignored.
    """
    name = fspath(path)
    if is_list(name):
        lines = read_sentences(name.removeprefix(LIST)).to_pylist()
        files = [Path(line.strip()) for line in lines if line.strip()]
    elif _is_glob(name):
        files = [Path(one) for one in sorted(glob.glob(name, recursive=True))]
    else:
        files = sorted(Path(name).iterdir())
    files = [file for file in files if is_list(name) or (file.is_file() and file.name[0] != ".")]
    if not files:
        raise InputError("no files", path=name, expected="one file per document")
    return by_name(files, name)


def by_name(files: Iterable[str | PathLike[str]], where: str) -> dict[str, Path]:
    """Return files by document name; raise an InputError if two share a name."""
    found: dict[str, Path] = {}
    for file in map(Path, files):
        own = text_name(file)
        if own in found:
            raise InputError(
                f"two files of a document {own!r}: {found[own]} and {file}",
                path=where,
                todo="give a glob of one of them, such as 'texts/*.en', or rename one",
            )
        found[own] = file
    return found


def _is_glob(name: str) -> bool:
    return glob.has_magic(name) and not Path(name).exists()
