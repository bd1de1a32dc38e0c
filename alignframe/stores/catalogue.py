"""The catalogues of Iceberg tables.

A place is ``iceberg:CATALOG.namespace.table``. CATALOG is the name of a catalogue configured in
pyiceberg (``~/.pyiceberg.yaml`` or ``PYICEBERG_CATALOG__NAME__URI``), or the path of an SQLite file
next to the tables: ``iceberg:lake/catalog.db.mt.links``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from alignframe.errors import InputError, MissingExtraError, unknown_name
from alignframe.stores.folder import Folder
from alignframe.stores.found import CATALOGUES, ICEBERG, ICEBERG_FORM
from alignframe.stores.remote import CONNECT_SECONDS, REQUEST_SECONDS, endpoint, region
from alignframe.stores.sqlite_catalogue import SqliteTables, name_within

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

Catalogue = TypeVar("Catalogue", "Catalog", "SqliteTables")


def named_table(name: str) -> tuple[str, str]:
    """Split a place's name into the catalogue and the table with its namespace."""
    catalogue, *rest = name.removeprefix(ICEBERG).rsplit(".", 2)
    if len(rest) < 2 or not all((catalogue, *rest)):
        raise InputError("names no Iceberg table", path=name, expected=ICEBERG_FORM)
    return catalogue, ".".join(rest)


def has_catalogue(name: str) -> bool:
    """Whether a place's catalogue exists, as far as can be seen without connecting."""
    catalogue, _ = named_table(name)
    return not catalogue.endswith(CATALOGUES) or Path(catalogue).exists()


def catalogue_of(name: str, *, new: bool = False) -> Catalog | SqliteTables:
    """Return the catalogue of a place; only a ``new`` one can write tables.

    With ``new``, a missing SQLite file is created.
    """
    check_library()
    catalogue, _ = named_table(name)
    if not catalogue.endswith(CATALOGUES):
        return _reaching(_configured(name))
    path = Path(catalogue).absolute()
    if not path.exists() and not new:
        raise InputError("no such catalogue", path=catalogue)
    if new:
        check_beside(path)
    with iceberg_reached(name):
        # For reading, the file is queried directly, as SQLAlchemy is slow to load.
        if not new:
            return _reaching(SqliteTables(path))
        from pyiceberg.catalog import load_catalog

        return _reaching(
            load_catalog(
                name_within(path),
                type="sql",
                uri=f"sqlite:///{path}",
                warehouse=f"file://{path.parent}",
            )
        )


def check_library() -> None:
    """Refuse Iceberg without its library."""
    try:
        import pyiceberg  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "pyiceberg", "iceberg", "reading and writing Iceberg tables"
        ) from None


def check_beside(catalogue: Path) -> None:
    """Refuse an SQLite file whose folder cannot be written; journals and tables lie there, too."""
    if not catalogue.parent.is_dir():
        raise InputError("its folder does not exist", path=catalogue)
    Folder(str(catalogue.parent)).check()


def _reaching(catalogue: Catalogue) -> Catalogue:
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
        # Anything else is a fault of this package, and keeps its traceback.
        known = type(error).__module__.partition(".")[0] in _LIBRARIES
        if not known and not isinstance(error, (OSError, ValueError, ImportError)):
            raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"the Iceberg table cannot be read or written ({said})",
            path=name,
            todo="name an SQLite file, or a catalogue of pyiceberg's settings",
        ) from None


def _configured(name: str) -> Catalog:
    """Return a catalogue of pyiceberg's settings."""
    from pyiceberg.catalog import AVAILABLE_CATALOGS, load_catalog
    from pyiceberg.utils.config import Config

    catalogue, _ = named_table(name)
    with iceberg_reached(name):
        try:
            return load_catalog(catalogue)
        # pyiceberg raises it for unknown names and for unknown types alike.
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
                raise unknown_name("catalogue type", settings["type"], kinds, path=name) from None
            raise
