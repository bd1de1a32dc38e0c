"""Places that hold tables: files, globs, folders, Delta, Iceberg, object stores.

``open_store`` says which files of a place are alive, and to which partition each belongs;
``alignframe.parquet`` reads them. The libraries of Delta and Iceberg are imported on first use.
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from alignframe.errors import InputError
from alignframe.stores.delta import Delta, is_delta
from alignframe.stores.folder import Folder
from alignframe.stores.iceberg import Iceberg, is_iceberg
from alignframe.stores.output import Output, PlainOutput, format_of
from alignframe.stores.plain import Plain
from alignframe.stores.remote import Remote, is_remote
from alignframe.stores.store import SUFFIXES, DataFile, Keys, Store

__all__ = ["DataFile", "Keys", "Output", "Store", "is_place", "open_output", "open_store"]


def open_store(path: str | PathLike[str], version: str = "") -> Store:
    """Return the place that a path means.

    Parameters
    ----------
    path
        See above.
    version
        A version of a Delta or Iceberg table, by default the newest. Other places have but one.

    Raises
    ------
    InputError
        If nothing is there, or it cannot be read.
    MissingExtraError
        If its library is not installed.
    """
    name = fspath(path)
    if is_iceberg(name):
        return Iceberg(name, version)
    if is_delta(name):
        return Delta(name, version)
    return Remote(name) if is_remote(name) else Plain(name)


def is_place(path: str | PathLike[str]) -> bool:
    """Whether a path means a table: a file of Parquet's suffix, a glob of such, or a place."""
    name = fspath(path)
    if is_iceberg(name) or is_remote(name):
        return True
    return name.endswith((*SUFFIXES, "*")) or Path(name).is_dir()


def open_output(
    path: str | PathLike[str], table: str, format: str = "", *, new: bool = True
) -> Output:
    """Return the table that a job writes to a place.

    Parameters
    ----------
    path
        A folder, ``iceberg:CATALOG.namespace.table`` or a folder of an object store.
    table
        What it holds, such as ``counts``.
    format
        ``parquet``, ``delta`` or ``iceberg``; by default what is there already, else Parquet.
    new
        Whether a catalogue may be made.

    Raises
    ------
    InputError
        If the format is not that of the place.
    """
    name = fspath(path)
    kind = "iceberg" if is_iceberg(name) else "delta" if is_delta(name) else ""
    if not kind:
        kind = format_of(Folder(name))
    if format and kind and format != kind:
        raise InputError(f"the format {format!r}", path=name, expected=f"{kind}, which it has")
    if format == "iceberg" and not kind:
        raise InputError(
            "the format iceberg", path=name, expected="iceberg:CATALOG.namespace.table as its name"
        )
    if (kind or format) == "iceberg":
        from alignframe.stores.iceberg_output import IcebergOutput

        return IcebergOutput(name, table, new=new)
    if (kind or format) == "delta":
        from alignframe.stores.delta_output import DeltaOutput

        return DeltaOutput(name, table)
    return PlainOutput(name, table)
