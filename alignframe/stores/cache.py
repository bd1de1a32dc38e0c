"""Tables cached in the user's cache folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.core.output import write_table
from alignframe.errors import InputError
from alignframe.stores.footers import DAMAGED


def cache_folder() -> Path:
    """Return the folder in ALIGNFRAME_CACHE, or else ``alignframe`` in the user's cache folder."""
    own = os.environ.get("ALIGNFRAME_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path("~/.cache").expanduser()) / "alignframe"


def cached(
    key: str, schemas: Mapping[str, pa.Schema], make: Callable[[], dict[str, pa.Table]]
) -> dict[str, pa.Table]:
    """Return the tables cached under a key; make and cache them if there are none."""
    paths = {name: cache_folder() / f"{key}-{name}.parquet" for name in schemas}
    tables = {name: _read(path, schemas[name]) for name, path in paths.items()}
    tables_kept = {name: table for name, table in tables.items() if table is not None}
    if len(tables_kept) == len(schemas):
        return tables_kept
    made = make()
    for name, path in paths.items():
        _keep(made[name], path)
    return made


def _read(path: Path, schema: pa.Schema) -> pa.Table | None:
    try:
        with pq.ParquetFile(path) as file:
            table = file.read(use_threads=False)
    except DAMAGED:
        return None
    return table if table.schema.equals(schema) else None


def _keep(table: pa.Table, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, path, "parquet")
    # A cache is a favour: without one, tables are made again.
    except (OSError, InputError):
        return
