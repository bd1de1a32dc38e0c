"""Places with tables: files, globs, folders, Delta, Iceberg, DuckLake, object stores.

``open_store`` lists the live files of a place and their partitions; ``alignframe.read.parquet``
reads them. Each format of ``LAKE_FORMATS`` is the class TABLE of the module that bears its name.
The libraries of Delta and Iceberg are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath

from alignframe.core.choices import LAKE_FORMATS
from alignframe.errors import InputError
from alignframe.stores.ducklake import DuckLake
from alignframe.stores.folder import Folder
from alignframe.stores.found import format_of, held_by_iceberg, iceberg_name
from alignframe.stores.output import Output
from alignframe.stores.store import DataFile, Keys, Store

__all__ = ["DataFile", "Keys", "Output", "Store", "open_output", "open_store"]

_KINDS: dict[str, type[Output]] = {
    name: import_module(f"{__name__}.{name}").TABLE for name in LAKE_FORMATS
}
_READ: dict[str, type[Output | DuckLake]] = {**_KINDS, "ducklake": DuckLake}
"""Those, and what is only read."""


def kind_of(name: str) -> str:
    """Return the format of the table at a place, or that its name says; empty for others."""
    return next((own for own, kind in _READ.items() if kind.holds(name)), "")


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
    return _READ[kind_of(name) or "parquet"].open(name, version)


def open_output(path: str | PathLike[str], table: str, format: str = "") -> Output:
    """Open the table of a kind of rows, such as ``counts``, that a job writes to a place.

    The place is a folder, ``iceberg:CATALOG.namespace.table`` or a folder of an object store. The
    format is by default that of the existing table, or else Parquet. Nothing is made there before
    the output is prepared.

    Raises
    ------
    InputError
        If there is a table of another format.

    Examples
    --------
    >>> from alignframe import stores
    >>> stores.open_output("counts", "counts").path_of((("system", "a"),), "")
    'system=a/counts.parquet'
    """
    name = fspath(path)
    named = kind_of(name)
    if named and named not in _KINDS:
        raise InputError(
            "a DuckLake table, which is only read",
            path=name,
            expected=f"a folder, or {_KINDS['iceberg'].form}",
        )
    form = named or format_of(Folder(name))
    if not named and (form == "iceberg" or iceberg_name(name)):
        raise held_by_iceberg(name)
    if format and form and format != form:
        raise InputError(
            f"the format {format!r}",
            path=name,
            expected=f"{form}, which it has",
            todo="leave out `format`, or name another place",
        )
    kind = _KINDS[form or format or "parquet"]
    if kind.form and not form:
        raise InputError(f"the format {format}", path=name, expected=f"{kind.form} as its name")
    return kind(name, table)
