"""Catalogues of Iceberg in SQLite files, read without SQLAlchemy, which is slow to load."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyiceberg.table import StaticTable


class SqliteTables:
    """The tables of an SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.properties = {"warehouse": f"file://{path.parent}"}

    def load_table(self, identifier: str) -> StaticTable:
        """Return a table for reading, as catalogues of pyiceberg do."""
        from pyiceberg.exceptions import NoSuchTableError
        from pyiceberg.table import StaticTable

        row = _row_of(self._path, identifier)
        if row is None:
            raise NoSuchTableError(identifier)
        return StaticTable.from_metadata(row[0], self.properties)


def _row_of(path: Path, identifier: str) -> tuple[str, str | None] | None:
    """Return where an SQLite file says that the metadata of a table is, and was before."""
    namespace, _, table = identifier.rpartition(".")
    query = (
        # The layout of pyiceberg's SQL catalogue.
        "select metadata_location, previous_metadata_location from iceberg_tables"
        " where catalog_name = ? and table_namespace = ? and table_name = ?"
    )
    # A file that was just created is empty.
    if not path.exists() or not path.stat().st_size:
        return None
    begun = "select 1 from sqlite_master where name = 'iceberg_tables'"
    with closing(_opened(path)) as file:
        # Its creation may have been interrupted.
        if file.execute(begun).fetchone() is None:
            return None
        row: tuple[str, str | None] | None = file.execute(
            query, (name_within(path), namespace, table)
        ).fetchone()
    return row


def _opened(path: Path) -> sqlite3.Connection:
    # For writing: otherwise, what a killed commit has left could not be undone.
    return sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)


def name_within(path: Path) -> str:
    """Return the catalogue's name in its SQLite file: the only one there, or the file's name."""
    if not path.exists():
        return path.stem
    query = "select distinct catalog_name from iceberg_namespace_properties"
    try:
        with closing(_opened(path)) as file:
            names = [name for (name,) in file.execute(query)]
    except sqlite3.Error:  # errors of the file are reported by the catalogue
        return path.stem
    return str(names[0]) if len(names) == 1 else path.stem


def is_cut_off(path: Path, identifier: str) -> bool:
    """Whether the first metadata of a table were written in part; nothing came after them."""
    row = _row_of(path, identifier)
    if row is None or row[1] is not None or not row[0].startswith("file:"):
        return False
    try:
        json.loads(Path(path_of(row[0])).read_bytes())
    except ValueError:
        return True
    except OSError:  # loading the table tells of it
        return False
    return False


def path_of(uri: str) -> str:
    """Return a file's path in its file system; Iceberg's URIs are not percent-encoded."""
    if uri.startswith("file:"):
        return "/" + uri.removeprefix("file:").lstrip("/")
    return uri.partition("://")[2] if "://" in uri else uri
