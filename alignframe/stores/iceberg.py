"""Iceberg tables: the data files of the current snapshot.

A place is ``iceberg:CATALOG.namespace.table``. CATALOG is the name of a catalogue configured in
pyiceberg (``~/.pyiceberg.yaml`` or ``PYICEBERG_CATALOG__NAME__URI``), or the path of an SQLite file
next to the tables: ``iceberg:lake/catalog.db.mt.links``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError, MissingExtraError, unknown
from alignframe.stores.folder import Folder
from alignframe.stores.remote import (
    CONNECT_SECONDS,
    REQUEST_SECONDS,
    endpoint,
    filesystem,
    region,
)
from alignframe.stores.store import DataFile, Store, key_text

if TYPE_CHECKING:
    from pyiceberg.table import Table

PREFIX = "iceberg:"
_FILES = (".db", ".sqlite", ".sqlite3")


def is_iceberg(name: str) -> bool:
    """Whether a path is the name of an Iceberg table."""
    return name.startswith(PREFIX)


def named_table(name: str) -> tuple[str, str]:
    """Split a place's name into the catalogue and the table with its namespace."""
    catalogue, *rest = name.removeprefix(PREFIX).rsplit(".", 2)
    if len(rest) < 2 or not all((catalogue, *rest)):
        raise InputError(
            "names no Iceberg table", path=name, expected="iceberg:CATALOG.namespace.table"
        )
    return catalogue, ".".join(rest)


def has_catalogue(name: str) -> bool:
    """Whether a place's catalogue exists, as far as can be seen without connecting."""
    catalogue, _ = named_table(name)
    return not catalogue.endswith(_FILES) or Path(catalogue).exists()


def catalogue_of(name: str, *, new: bool = False) -> Any:
    """Return the catalogue of a place; only a ``new`` one can write tables.

    With ``new``, a missing SQLite file is created.
    """
    try:
        from pyiceberg.catalog import load_catalog
    except ImportError:
        raise MissingExtraError(
            "pyiceberg", "iceberg", "reading and writing Iceberg tables"
        ) from None
    catalogue, _ = named_table(name)
    if not catalogue.endswith(_FILES):
        return _reaching(_configured(name))
    path = Path(catalogue).absolute()
    if not path.exists() and not new:
        raise InputError("no such catalogue", path=catalogue)
    if not path.parent.is_dir():
        raise InputError("its folder does not exist", path=catalogue)
    if new:
        Folder(str(path.parent)).check()
    with iceberg_reached(name):
        if not new:
            return _reaching(_SqliteTables(path))
        return _reaching(
            load_catalog(
                _name_within(path),
                type="sql",
                uri=f"sqlite:///{path}",
                warehouse=f"file://{path.parent}",
            )
        )


class _SqliteTables:
    """The tables of an SQLite file, read without SQLAlchemy, which is slow to load."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.properties = {"warehouse": f"file://{path.parent}"}

    def load_table(self, identifier: str) -> Table:
        from pyiceberg.exceptions import NoSuchTableError
        from pyiceberg.table import StaticTable

        namespace, _, table = identifier.rpartition(".")
        query = (
            "select metadata_location from iceberg_tables"
            " where catalog_name = ? and table_namespace = ? and table_name = ?"
        )
        with closing(_opened(self._path)) as file:
            found = file.execute(query, (_name_within(self._path), namespace, table)).fetchone()
        if found is None:
            raise NoSuchTableError(identifier)
        return StaticTable.from_metadata(found[0], self.properties)


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)


def _reaching(catalogue: Any) -> Any:
    """Return a catalogue that accesses object stores like ``remote.filesystem``."""
    settings = {
        "s3.endpoint": endpoint(),
        "s3.region": region(),
        "s3.connect-timeout": str(CONNECT_SECONDS),
        "s3.request-timeout": str(REQUEST_SECONDS),
    }
    for name, value in settings.items():
        if value:
            catalogue.properties.setdefault(name, value)
    return catalogue


def _name_within(path: Path) -> str:
    """Return the catalogue's name in its SQLite file: the only one there, or the file's name."""
    if not path.exists():
        return path.stem
    query = "select distinct catalog_name from iceberg_namespace_properties"
    try:
        with closing(_opened(path)) as file:
            found = [name for (name,) in file.execute(query)]
    except sqlite3.Error:  # errors of the file are reported by the catalogue
        return path.stem
    return str(found[0]) if len(found) == 1 else path.stem


_LIBRARIES = {
    "pyiceberg",
    "sqlalchemy",
    "sqlite3",
    "botocore",
    "requests",
    "thrift",
    "pydantic_core",
}
"""Libraries of catalogues, whose errors have no common base."""


@contextmanager
def iceberg_reached(name: str) -> Iterator[None]:
    """Turn a catalogue's errors into InputErrors."""
    from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

    try:
        yield
    except (NoSuchTableError, NoSuchNamespaceError):
        catalogue, table = named_table(name)
        raise InputError(f"no Iceberg table {table} in {catalogue}", path=name) from None
    except InputError:
        raise
    except Exception as error:
        known = type(error).__module__.partition(".")[0] in _LIBRARIES
        if not known and not isinstance(error, (OSError, ValueError, ImportError)):
            raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"the Iceberg table cannot be read or written ({said})",
            path=name,
            todo="name an SQLite file, or a catalogue of pyiceberg's settings",
        ) from None


def _configured(name: str) -> Any:
    """Return a catalogue of pyiceberg's settings."""
    from pyiceberg.catalog import AVAILABLE_CATALOGS, load_catalog
    from pyiceberg.utils.config import Config

    catalogue, _ = named_table(name)
    with iceberg_reached(name):
        try:
            return load_catalog(catalogue)
        except ValueError:
            settings = Config().get_catalog_config(catalogue)
            if not settings:
                raise InputError(
                    f"no catalogue {catalogue!r} in pyiceberg's settings",
                    path=name,
                    expected="one that is there, or an SQLite file such as lake/catalog.db",
                    todo=f"set PYICEBERG_CATALOG__{catalogue.upper()}__URI, or add it to "
                    "~/.pyiceberg.yaml",
                ) from None
            kinds = [kind.value for kind in AVAILABLE_CATALOGS]
            if settings.get("type", kinds[0]) not in kinds:
                raise unknown("catalogue type", settings["type"], kinds, path=name) from None
            raise


def path_of(uri: str) -> str:
    """Return a file's path in its file system; Iceberg's URIs are not percent-encoded."""
    if uri.startswith("file:"):
        return "/" + uri.removeprefix("file:").lstrip("/")
    return uri.partition("://")[2] if "://" in uri else uri


class Iceberg(Store):
    """A snapshot of an Iceberg table, in a given catalogue or that of its place.

    By default, it is the current snapshot.
    """

    def __init__(self, name: str, version: str = "", catalogue: Any = None) -> None:
        self.name = name
        self.snapshot = int(version) if version.isdigit() else None
        catalogue = catalogue or catalogue_of(name)
        with iceberg_reached(name):
            self.table: Table = catalogue.load_table(named_table(name)[1])
            self._scan = self.table.scan(snapshot_id=self.snapshot)
            self._fields = self._scan.projection()
            self.schema = pa.schema(self._fields.as_arrow())
        if not self.table.location().startswith(("file:", "/")):
            self.filesystem = filesystem()
        self.root = path_of(self.table.location())
        with iceberg_reached(name):
            self.files = sorted(self._files(), key=lambda file: file.path)

    @property
    def version(self) -> str:
        """The id of the snapshot."""
        if self.snapshot is not None:
            return str(self.snapshot)
        found = self.table.current_snapshot()
        return "none" if found is None else str(found.snapshot_id)

    def relative(self, path: str) -> str:
        """Return a file's path within the table."""
        return path.removeprefix(self.root).lstrip("/")

    def _files(self) -> Iterator[DataFile]:
        deleted: dict[str, Any] = {}
        specs = self.table.specs()
        types = self._fields.as_arrow().types
        kinds = {one.field_id: kind for one, kind in zip(self._fields.fields, types, strict=True)}
        for task in self._scan.plan_files():
            for one in task.delete_files:
                if one.file_path not in deleted:
                    deleted[one.file_path] = self._positions(one)
            file = task.file
            if str(file.file_format).rpartition(".")[2].upper() != "PARQUET":
                raise InputError(
                    f"a file of the format {file.file_format}", path=self.name, expected="Parquet"
                )
            spec = specs[file.spec_id]
            keys = tuple(
                (
                    field.name,
                    key_text(pa.scalar(file.partition[at], kinds[field.source_id]).as_py()),
                )
                for at, field in enumerate(spec.fields)
                if str(field.transform) == "identity" and field.source_id in kinds
            )
            rows = [
                found[file.file_path]
                for one in task.delete_files
                if file.file_path in (found := deleted[one.file_path])
            ]
            yield DataFile(
                path_of(file.file_path),
                keys,
                f"{file.file_size_in_bytes}:{len(rows)}",
                np.unique(np.concatenate(rows)) if rows else None,
                file.file_size_in_bytes,
            )

    def _positions(self, file: Any) -> dict[str, Any]:
        """Return the numbers of deleted rows by the URI of their file."""
        import pyarrow.parquet as pq

        if str(file.content).rpartition(".")[2] != "POSITION_DELETES":
            raise InputError(
                "rows are deleted by their values", path=self.name, todo="compact the table"
            )
        table = pq.read_table(path_of(file.file_path), filesystem=self.filesystem)
        paths = table["file_path"].to_pylist()
        found: dict[str, list[int]] = {}
        for path, place in zip(paths, table["pos"].to_pylist(), strict=True):
            found.setdefault(path, []).append(place)
        return {path: np.asarray(places, np.int64) for path, places in found.items()}
