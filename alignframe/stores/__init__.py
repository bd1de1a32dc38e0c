"""Places with tables: files, globs, folders, Delta, Iceberg, object stores.

``open_store`` lists the live files of a place and their partitions; ``alignframe.read.parquet``
reads them. Each format of ``LAKE_FORMATS`` is the class TABLE of the module that bears its name.
The libraries of Delta and Iceberg are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from pathlib import Path

from alignframe.core.choices import LAKE_FORMATS
from alignframe.errors import InputError
from alignframe.stores.folder import Folder
from alignframe.stores.output import Output, format_of
from alignframe.stores.store import DataFile, Keys, Store

__all__ = ["DataFile", "Keys", "Output", "Store", "open_output", "open_store"]

_KINDS: dict[str, type[Output]] = {
    name: import_module(f"{__name__}.{name}").TABLE for name in LAKE_FORMATS
}


def kind_of(name: str) -> str:
    """Return the format of the table at a place, or that its name says; empty for others."""
    return next((own for own, kind in _KINDS.items() if kind.holds(name)), "")


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
    form = kind_of(name)
    if not form and Path(name).is_dir():
        _refuse_table("iceberg", Folder(name))
    return _KINDS[form or "parquet"].open(name, version)


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
    form = kind_of(name)
    if form != "iceberg":
        _refuse_table("iceberg", Folder(name))
    form = form or format_of(Folder(name))
    if format and form and format != form:
        raise InputError(f"the format {format!r}", path=name, expected=f"{form}, which it has")
    kind = _KINDS[form or format or "parquet"]
    if kind.form and not form:
        raise InputError(f"the format {format}", path=name, expected=f"{kind.form} as its name")
    output = kind(name, table, new=new)
    if form == "iceberg":  # whose location its catalogue knows
        _refuse_table("delta", output.folder)
    return output


_LOGS = {
    "iceberg": ("metadata", ".metadata.json", f"{_KINDS['iceberg'].form}, as the table is called"),
    "delta": ("_delta_log", ".json", "a table with another name"),
}
"""Where tables with a log keep it, and what to write instead of their folder."""


def _refuse_table(form: str, folder: Folder) -> None:
    """Refuse the folder of a table of another format, whose files are not all live."""
    below, suffix, expected = _LOGS[form]
    if any(path.endswith(suffix) for path, _ in folder.listed(suffix, below)):
        said = f"is the folder of a table of the format {form}"
        raise InputError(said, path=folder.name, expected=expected)
