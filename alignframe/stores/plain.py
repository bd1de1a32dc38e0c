"""Local Parquet files, globs and folders, optionally hive-partitioned."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from alignframe.choices import PARQUET
from alignframe.errors import InputError
from alignframe.stamps import file_stamp
from alignframe.stores.remote import check_scheme
from alignframe.stores.store import DataFile, Store, digest, hive_keys, is_hidden


class Plain(Store):
    """A file, a glob or a folder."""

    def __init__(self, name: str) -> None:
        if not Path(name).exists():
            check_scheme(name)
        self.name = name
        self.root = str(Path(name if Path(name).is_dir() else _root(name)))
        self.files = [DataFile(path, hive_keys(path), file_mark(path)) for path in _files(name)]

    @property
    def version(self) -> str:
        """A digest of the names, sizes and times of the files."""
        return digest(self.marks(self.files))

    def relative(self, path: str) -> str:
        """Return a file's path within the place."""
        inside = path.startswith(f"{self.root}/")
        return path[len(self.root) + 1 :] if inside else os.path.relpath(path, self.root)


def file_mark(path: str) -> str:
    """Return an identifier that changes with a local file."""
    try:
        size, changed = file_stamp(path)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    return f"{size}:{changed}"


def _files(name: str) -> list[str]:
    if Path(name).is_dir():
        found = sorted(_listed(name))
        if not found:
            raise InputError(
                "is a folder without Parquet files",
                path=name,
                expected="a file, or a folder of .parquet files",
            )
        return found
    if glob.has_magic(name) and not Path(name).exists():
        root = _root(name)
        if Path(root, "_delta_log").is_dir():
            raise InputError(
                "a pattern over a Delta table",
                path=name,
                expected=f"the folder of the table, {root}",
            )
        every = (file for file in glob.iglob(name, recursive=True) if not is_hidden(file, root))
        found = sorted(file for file in every if Path(file).is_file())
        if not found:
            raise InputError("no file matches the pattern", path=name)
        return found
    if not Path(name).exists():
        raise InputError("no such file", path=name)
    if not Path(name).is_file():
        raise InputError("Parquet from a pipe", path=name, expected="a file")
    return [name]


def _root(name: str) -> str:
    """Return the folder of a file, or the deepest that a pattern names."""
    return re.split(r"[*?[]", name)[0].rpartition("/")[0]


def _listed(folder: str) -> Iterator[str]:
    """Yield the Parquet files in a folder, recursively; names that begin with _ or . are hidden."""

    def failed(error: OSError) -> None:
        if isinstance(error, FileNotFoundError):
            return  # a subfolder that has vanished since its parent was listed
        raise InputError(f"cannot be listed ({error.strerror})", path=error.filename or folder)

    for here, below, files in os.walk(folder, onerror=failed, followlinks=True):
        if "_delta_log" in below and here != folder:
            raise InputError(
                "holds a Delta table", path=here, todo="name the folder of the table itself"
            )
        below[:] = [name for name in below if not _is_hidden_folder(name)]
        _check_links(here, below)
        for name in files:
            if name.endswith(PARQUET) and not name.startswith(("_", ".")):
                yield str(Path(here, name))


def _is_hidden_folder(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _check_links(here: str, below: Iterable[str]) -> None:
    """Refuse a link to one of its parent folders, which would be read endlessly."""
    for path in (f"{here}/{name}" for name in below):
        if Path(path).is_symlink() and Path(here).resolve().is_relative_to(Path(path).resolve()):
            raise InputError(
                "is a link to one of its parent folders", path=path, todo="remove the link"
            )
