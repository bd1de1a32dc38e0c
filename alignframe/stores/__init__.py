"""Places with tables: files, globs, folders, Delta, Iceberg, object stores.

``open_store`` lists the live files of a place and their partitions; ``alignframe.read.parquet``
reads them. The libraries of Delta and Iceberg are imported on first use.
"""

from __future__ import annotations

from os import PathLike, fspath

from alignframe.errors import InputError
from alignframe.stores.delta import DeltaOutput, is_delta, open_delta
from alignframe.stores.folder import Folder
from alignframe.stores.iceberg import IcebergOutput, is_iceberg, open_iceberg
from alignframe.stores.output import Output, format_of
from alignframe.stores.plain import PlainOutput, open_plain
from alignframe.stores.remote import is_remote, open_remote
from alignframe.stores.store import DataFile, Keys, Store

__all__ = ["DataFile", "Keys", "Output", "Store", "open_output", "open_store"]


def open_store(path: str | PathLike[str], version: str = "") -> Store:
    """Open the place at a path.

    Parameters
    ----------
    path
        See above.
    version
        The version of a Delta or Iceberg table, by default the latest. Other places have only one.

    Raises
    ------
    InputError
        If there is nothing, or it cannot be read.
    MissingExtraError
        If its library is not installed.

    Examples
    --------
    >>> from alignframe import formats, stores
    >>> formats.write(formats.read("datasets/en-fr/gold.talp"), "gold.parquet")
    >>> [file.path for file in stores.open_store("gold.parquet").files]
    ['gold.parquet']
    """
    name = fspath(path)
    if is_iceberg(name):
        return open_iceberg(name, version)
    if is_delta(name):
        return open_delta(name, version)
    return open_remote(name) if is_remote(name) else open_plain(name)


def open_output(
    path: str | PathLike[str], table: str, format: str = "", *, new: bool = True
) -> Output:
    """Open the table of a kind of rows, such as ``counts``, that a job writes to a place.

    The place is a folder, ``iceberg:CATALOG.namespace.table`` or a folder of an object store. The
    format is by default that of the existing table, or else Parquet; ``new`` says whether a
    catalogue may be created.

    Examples
    --------
    >>> from alignframe import stores
    >>> stores.open_output("counts", "counts").path_of((("system", "a"),), "")
    'system=a/counts.parquet'
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
        return IcebergOutput(name, table, new=new)
    if (kind or format) == "delta":
        return DeltaOutput(name, table)
    return PlainOutput(name, table)
