"""Detecting whether a file has changed since it was read."""

from __future__ import annotations

import os
from os import PathLike


def file_stamp(path: str | PathLike[str]) -> tuple[int, int]:
    """Return the size of a file and the time of its last change in nanoseconds."""
    found = os.stat(path)  # noqa: PTH116 - of every file of a lake
    return found.st_size, found.st_mtime_ns
