"""Several files as one input: a folder, a glob, or a file that lists paths."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from alignframe.core.choices import PARQUET
from alignframe.errors import InputError
from alignframe.formats.names import LIST, distinct_names, is_glob, text_name
from alignframe.formats.sentences import read_sentences


def is_several(path: str | PathLike[str]) -> bool:
    """Whether a path means several files: a folder, a glob, or a list such as ``@files.txt``."""
    name = fspath(path)
    if name.startswith(LIST):
        return True
    if Path(name).is_dir():
        # A folder of Parquet files is a single table.
        return not any(file.is_dir() or is_table(file) for file in Path(name).iterdir())
    return is_glob(name) and not is_table(name)


def is_table(path: str | PathLike[str]) -> bool:
    """Whether a path has the Parquet suffix."""
    return Path(path).suffix.lower() in PARQUET


def is_list(path: str | PathLike[str]) -> bool:
    """Whether a path means a file that lists paths."""
    return fspath(path).startswith(LIST)


def files_of(path: str | PathLike[str]) -> list[Path]:
    """Return the files that a path of several stands for; hidden ones only if they are listed."""
    name = fspath(path)
    if is_list(name):
        lines = read_sentences(name.removeprefix(LIST)).to_pylist()
        files = [Path(line.strip()) for line in lines if line.strip()]
    elif is_glob(name):
        files = [Path(name_found) for name_found in sorted(glob.glob(name, recursive=True))]
    else:
        files = sorted(Path(name).iterdir())
    return [file for file in files if is_list(name) or (file.is_file() and file.name[0] != ".")]


def files_by_name(path: str | PathLike[str]) -> dict[str, Path]:
    """Return the files that a path stands for, by document name, without suffixes."""
    name = fspath(path)
    files = files_of(name)
    if not files:
        raise InputError("no files", path=name, expected="one file per document")
    return by_name(files, name)


def by_name(files: Iterable[str | PathLike[str]], where: str) -> dict[str, Path]:
    """Return files by document name, with folders if they tell equal names apart."""
    paths = [Path(file) for file in files]
    named: dict[str, Path] = {}
    for own, file in zip(distinct_names(paths, text_name), paths, strict=True):
        if own in named:
            raise InputError(
                f"two files for the document {text_name(file)!r}: {named[own]} and {file}",
                path=where,
                todo="give a glob of one of them, such as 'texts/*.en', or rename one",
            )
        named[own] = file
    return named
