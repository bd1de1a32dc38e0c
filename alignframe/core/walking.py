"""Listing local folders: links to folders are followed, and those that lead in circles refused."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from alignframe.errors import InputError


def walked(folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what ``os.walk`` does; the caller may remove subfolders from its list."""

    def failed(error: OSError) -> None:
        # A subfolder may have vanished since its parent was listed, and what is given be a file.
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return
        raise InputError(f"cannot be listed ({error.strerror})", path=error.filename or folder)

    for here, below, files in os.walk(folder, onerror=failed, followlinks=True):
        # os.walk takes a link to nothing for a file, and the partition would be missing.
        for path in (f"{here}/{name}" for name in files if "=" in name):
            if Path(path).is_symlink() and not Path(path).exists():
                raise InputError(
                    "is a link to a folder that is not there",
                    path=path,
                    todo="restore the folder, or remove the link",
                )
        yield here, below, files
        _check_links(folder, here, below)


def matching(pattern: str) -> list[str]:
    """Return the paths that match a pattern; ``**`` is any number of folders."""
    if "**" in pattern:
        # Circles are refused, in which glob would go round; it leaves hidden folders out.
        for _, below, _ in walked(fixed_folder(pattern) or "."):
            below[:] = [name for name in below if not name.startswith(".")]
    return sorted(glob.iglob(pattern, recursive=True))


def fixed_folder(pattern: str) -> str:
    """Return the folder of a file, or the deepest that a pattern names."""
    return re.split(r"[*?[]", pattern)[0].rpartition("/")[0]


def _check_links(top: str, here: str, below: Iterable[str]) -> None:
    """Refuse a link to one of the folders on the way to it, which would be read endlessly."""
    for name in below:
        if not os.path.islink(f"{here}/{name}"):  # noqa: PTH114 - of every folder of a lake
            continue
        path = Path(here, name)
        real = path.resolve()
        passed = Path(here).relative_to(top).parts
        way = [Path(top, *passed[:depth]) for depth in range(len(passed) + 1)]
        if any(folder.resolve().is_relative_to(real) for folder in way):
            raise InputError(
                "is a link to one of its parent folders", path=path, todo="remove the link"
            )
