"""Writing Iceberg tables: files are added and replaced in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from alignframe.errors import InputError
from alignframe.stores.folder import Folder
from alignframe.stores.iceberg import (
    Iceberg,
    catalogue_of,
    has_catalogue,
    iceberg_reached,
    named_table,
    path_of,
)
from alignframe.stores.output import StampedOutput, Written
from alignframe.stores.store import Keys

_AT_ONCE = 200
"""The number of units whose old files are removed by one predicate."""


class IcebergOutput(StampedOutput):
    """An Iceberg table partitioned by the keys of units, which are columns of its files too."""

    keys_in_file = True
    _seen: Iceberg | None = None

    def __init__(self, name: str, table: str, *, new: bool = True) -> None:
        super().__init__(name, table)
        self.identifier = named_table(name)[1]
        # If nothing may be created, a missing catalogue counts as one without tables.
        self.catalogue: Any = catalogue_of(name, new=new) if new or has_catalogue(name) else None
        self.folder = Folder(self._location())

    def _location(self) -> str:
        """Return the location of the table, existing or new."""
        if self.catalogue is None:
            return str(Path(named_table(self.name)[0]).parent / self.identifier.replace(".", "/"))
        if (table := self._table()) is not None:
            uri = table.location()
        else:
            warehouse = self.catalogue.properties.get("warehouse", "")
            if not warehouse:
                raise InputError(
                    "the catalogue has no warehouse", path=self.name, expected="a folder for tables"
                )
            uri = f"{warehouse.rstrip('/')}/{self.identifier.replace('.', '/')}"
        return path_of(uri) if uri.startswith(("file:", "/")) else str(uri)

    def _table(self) -> Any:
        from pyiceberg.exceptions import NoSuchTableError

        if self.catalogue is None:
            return None
        with iceberg_reached(self.name):
            try:
                return self.catalogue.load_table(self.identifier)
            except NoSuchTableError:
                return None

    def _newest(self) -> Iceberg | None:
        return None if self._table() is None else Iceberg(self.name, catalogue=self.catalogue)

    def _reached(self) -> AbstractContextManager[None]:
        return iceberg_reached(self.name)

    def _is_conflict(self, error: Exception) -> bool:
        from pyiceberg.exceptions import CommitFailedException
        from sqlalchemy.exc import OperationalError  # of the catalogue, if it is an SQLite file

        return isinstance(error, (CommitFailedException, OperationalError)) or (
            isinstance(error, ValueError) and "already referenced" in str(error)
        )

    def _commit(self, added: Sequence[Written], gone: Sequence[Written]) -> None:
        # Based on the snapshot seen, so that a later commit of another job is a conflict.
        table = self._seen.table if self._seen else self._created(added[0])
        with table.transaction() as change:
            for start in range(0, len(gone), _AT_ONCE):
                change.delete(_any_of([one.keys for one in gone[start : start + _AT_ONCE]]))
            if added:
                change.add_files([self._uri(one) for one in added])

    def _uri(self, one: Written) -> str:
        path = self.folder.full(one.path)
        return f"file://{path}" if self.folder.filesystem is None else f"s3://{path}"

    def _created(self, one: Written) -> Any:
        """Create the table with the schema of a file."""
        from pyiceberg.exceptions import CommitFailedException, TableAlreadyExistsError

        stored = pq.read_schema(self.folder.full(one.path), filesystem=self.folder.filesystem)
        self.catalogue.create_namespace_if_not_exists(self.identifier.rpartition(".")[0])
        try:
            made = self.catalogue.create_table(
                self.identifier,
                schema=stored.remove_metadata(),
                properties={"commit.retry.num-retries": "0"},
            )
        except TableAlreadyExistsError as error:
            raise CommitFailedException("another job has made the table") from error
        if one.keys:
            with made.update_spec() as spec:
                for name, _ in one.keys:
                    spec.add_identity(name)
        return made


def _any_of(units: Sequence[Keys]) -> Any:
    """Return the predicate that selects the rows of units."""
    from pyiceberg import expressions

    made: Any = expressions
    every: list[Any] = []
    for keys in units:
        parts = [
            made.IsNull(name) if value is None else made.EqualTo(name, value)
            for name, value in keys
        ]
        every.append(made.And(*parts) if len(parts) > 1 else (parts or [made.AlwaysTrue()])[0])
    return made.Or(*every) if len(every) > 1 else every[0]
