"""The name of a document, from the name of a file of beads."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path

from alignframe.formats.bead_table import DOCUMENT
from alignframe.formats.opening import is_unnamed

_SUFFIXES = re.compile(
    r"\.(gz|bz2|zst|lz4|beads|vecalign|ladder|ces|xces|alignment|xml|tmx|parquet|pq|txt)$",
    re.IGNORECASE,
)


def document_name(path: str | PathLike[str]) -> str:
    """Return a file's name without its folders and the suffixes of formats and packers."""
    name = Path(fspath(path)).name
    while len(shorter := _SUFFIXES.sub("", name)) < len(name) and shorter:
        name = shorter
    return DOCUMENT if not name or is_unnamed(path) else name
