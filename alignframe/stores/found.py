"""What a folder's files tell of the table that lies there, so that no other is written into it."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.stores.folder import Folder
from alignframe.stores.footers import DAMAGED, footer
from alignframe.stores.store import hive_keys

ICEBERG = "iceberg:"
"""What names of Iceberg tables begin with."""
ICEBERG_FORM = f"{ICEBERG}CATALOG.namespace.table"
CATALOGUES = (".db", ".sqlite", ".sqlite3")
"""Suffixes of SQLite files with catalogues of Iceberg."""
METADATA = "metadata"
"""The folder within an Iceberg table that says which of its files are live."""
_METADATA_FILE = ".metadata.json"
_NAMED = re.compile(r"-([0-9a-f]{16,})\.parquet$")


def stamp_of(path: str) -> str:
    """Return the stamp in a file name; empty if there is none."""
    match = _NAMED.search(path)
    return "" if match is None else match[1]


def format_of(folder: Folder) -> str:
    """Return the format of the table in a folder without a Delta log; empty if there is none."""
    if has_metadata(folder):
        return "iceberg"
    form = ""
    for path, _ in folder.listed(".parquet"):
        # Only tables with a log name their files by stamps. One other file tells: of a lake of
        # Parquet, no more is listed.
        if not path.startswith("data/") or not stamp_of(path):
            return "parquet"
        # The first commit of the table was interrupted: only the files tell.
        form = form or ("iceberg" if _has_keys(folder, path) else "delta")
    return form


def _has_keys(folder: Folder, path: str) -> bool:
    """Whether a file has the keys in its path as columns, too, as Iceberg needs them."""
    names = {name for name, _ in hive_keys(path)}
    try:
        schema = footer(folder.full(path), folder.filesystem).schema.to_arrow_schema()
    except (*DAMAGED, OSError, pa.ArrowException):
        return False
    return bool(names & {*schema.names})


def has_metadata(folder: Folder) -> bool:
    """Whether a folder has the metadata of an Iceberg table."""
    return next(folder.listed(_METADATA_FILE, METADATA), None) is not None


def iceberg_name(folder: str) -> str:
    """Return the name of the Iceberg table whose place a folder is by the SQLite file beside it."""
    catalogue, *table = folder.rstrip("/").rsplit(".", 2)
    known = len(table) == 2 and catalogue.endswith(CATALOGUES) and Path(catalogue).is_file()
    return f"{ICEBERG}{folder.rstrip('/')}" if known else ""


def held_by_iceberg(folder: str) -> InputError:
    """Return the error of the place of an Iceberg table that is named like any folder."""
    return InputError(
        "is the place of an Iceberg table",
        path=folder,
        expected=f"the name of the table, {iceberg_name(folder) or ICEBERG_FORM}",
    )
