"""Iceberg tables: the data files of a snapshot, added and replaced in one transaction.

``stores/catalogue.py`` says how a place is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.core.arrays import I64
from alignframe.errors import InputError
from alignframe.stores.catalogue import (
    catalogue_of,
    check_beside,
    check_library,
    has_catalogue,
    iceberg_reached,
    named_table,
)
from alignframe.stores.delta import DeltaOutput
from alignframe.stores.folder import Folder
from alignframe.stores.found import CATALOGUES, ICEBERG, ICEBERG_FORM, format_of
from alignframe.stores.output import StampedOutput, Written
from alignframe.stores.remote import (
    filesystem,
)
from alignframe.stores.sqlite_catalogue import SqliteTables, is_cut_off, path_of
from alignframe.stores.store import DataFile, Keys, Store, key_text

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem
    from pyiceberg.catalog import Catalog
    from pyiceberg.manifest import DataFile as IcebergFile
    from pyiceberg.table import DataScan, Table

_AT_ONCE = 200
"""The number of units whose old files are removed by one predicate."""


def _open(name: str, catalogue: Catalog | SqliteTables, version: str = "") -> Store:
    snapshot = int(version) if version.isdigit() else None
    with iceberg_reached(name):
        table = catalogue.load_table(named_table(name)[1])
        local = table.location().startswith(("file:", "/"))
        system = None if local else filesystem()
        scan = table.scan(snapshot_id=snapshot)
        files = sorted(_files(name, table, scan, system), key=lambda file: file.path)
        current = table.current_snapshot()
    if snapshot is None:
        version = "none" if current is None else str(current.snapshot_id)
    schema = pa.schema(scan.projection().as_arrow())
    return Store(name, files, version, path_of(table.location()), system, schema, table)


def _files(
    name: str, table: Table, scan: DataScan, filesystem: FileSystem | None
) -> Iterator[DataFile]:
    """Yield the live files of a scan."""
    deleted: dict[str, dict[str, I64]] = {}
    specs, fields = table.specs(), scan.projection()
    types = fields.as_arrow().types
    # Fields of partitions have names of their own.
    kinds = {
        field.field_id: (field.name, kind) for field, kind in zip(fields.fields, types, strict=True)
    }
    for task in scan.plan_files():
        for deletes in task.delete_files:
            if deletes.file_path not in deleted:
                deleted[deletes.file_path] = _positions(name, deletes, filesystem)
        file = task.file
        if str(file.file_format).rpartition(".")[2].upper() != "PARQUET":
            raise InputError(
                f"a file of the format {file.file_format}", path=name, expected="Parquet"
            )
        keys = tuple(
            (name, key_text(pa.scalar(file.partition[at], kind).as_py()))
            for at, field in enumerate(specs[file.spec_id].fields)
            # Other transforms, such as bucket or day, do not keep the value of the column.
            if str(field.transform) == "identity" and field.source_id in kinds
            for name, kind in [kinds[field.source_id]]
        )
        places = (deleted[deletes.file_path].get(file.file_path) for deletes in task.delete_files)
        rows = [place for place in places if place is not None]
        yield DataFile(
            path_of(file.file_path),
            keys,
            f"{file.file_size_in_bytes}:{len(rows)}",
            np.unique(np.concatenate(rows)) if rows else None,
            file.file_size_in_bytes,
        )


def _positions(name: str, file: IcebergFile, filesystem: FileSystem | None) -> dict[str, I64]:
    """Return the numbers of deleted rows by the URI of their file."""
    if str(file.content).rpartition(".")[2] != "POSITION_DELETES":
        raise InputError("rows are deleted by their values", path=name, todo="compact the table")
    rows = pq.read_table(path_of(file.file_path), filesystem=filesystem)
    by_file = rows.group_by("file_path").aggregate([("pos", "list")]).to_pylist()
    return {row["file_path"]: np.asarray(row["pos_list"], np.int64) for row in by_file}


class IcebergOutput(StampedOutput):
    """An Iceberg table partitioned by the keys of units, which are columns of its files too."""

    form = ICEBERG_FORM
    keys_in_file = True
    _seen: Store | None = None

    def __init__(self, name: str, table: str) -> None:
        check_library()
        self.name, self.table = name, table
        catalogue, self.identifier = named_table(name)
        # The SQLite file of the catalogue, if it is one.
        self._file = Path(catalogue).absolute() if catalogue.endswith(CATALOGUES) else None
        # Only `prepare` creates one: until then, a missing catalogue counts as one without tables.
        self.catalogue: Any = catalogue_of(name) if has_catalogue(name) else None
        self.folder = Folder(self._location())
        self._check_location()

    @staticmethod
    def holds(name: str) -> bool:
        """Whether a name is that of an Iceberg table."""
        return name.startswith(ICEBERG)

    @staticmethod
    def open(name: str, version: str = "") -> Store:
        """Open the current snapshot of a table, or an older one."""
        return _open(name, catalogue_of(name), version)

    def check_exists(self) -> None:
        """Refuse a catalogue that does not exist."""
        catalogue_of(self.name)

    def check(self) -> None:
        """Check that the place and the catalogue's file can be written."""
        if self._file is not None:
            check_beside(self._file)
        super().check()

    def prepare(self) -> None:
        """Prepare the place for writing, and create the catalogue if it is a missing file."""
        self.catalogue = catalogue_of(self.name, new=True)
        super().prepare()

    def _check_location(self) -> None:
        """Refuse the location of a table of another format."""
        delta = DeltaOutput.holds(self.folder.name)
        if delta or (self._table() is None and format_of(self.folder) == "parquet"):
            raise InputError(
                f"the folder of the Iceberg table {self.identifier} has "
                f"{'a Delta table' if delta else 'a table of Parquet files'}",
                path=self.folder.name,
                expected="a separate place for each table",
                todo=f"name the folder itself to write {'Delta' if delta else 'Parquet'}",
            )

    def _location(self) -> str:
        """Return the location of the table, existing or new."""
        if (table := self._table()) is not None:
            uri = table.location()
        elif self._file is not None:
            # The name of the file is part of it: others may lie in the same folder.
            return f"{self._file}.{self.identifier}"
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
            if self._file is not None and is_cut_off(self._file, self.identifier):
                return None
            try:
                return self.catalogue.load_table(self.identifier)
            except NoSuchTableError:
                return None

    def owns(self, place: str) -> bool:
        """Whether a record in the folder, of a run that wrote to a place, is of this table.

        Earlier versions gave tables of two catalogues in one folder the same location.
        """
        if self._file is None or not place.startswith(ICEBERG):
            # Earlier versions did not record the place; those of folders are runs gone astray.
            return not place or place.startswith(ICEBERG)
        other = self._file.with_name(Path(named_table(place)[0]).name)
        return other == self._file or not other.is_file()

    def _newest(self) -> Store | None:
        new = self._table() is None
        return None if new else _open(self.name, self.catalogue)

    def _reached(self) -> AbstractContextManager[None]:
        return iceberg_reached(self.name)

    def _is_conflict(self, error: Exception) -> bool:
        from pyiceberg.exceptions import CommitFailedException, TableAlreadyExistsError
        from sqlalchemy.exc import OperationalError  # of the catalogue, if it is an SQLite file

        conflicts = (CommitFailedException, TableAlreadyExistsError, OperationalError)
        return isinstance(error, conflicts) or (
            # add_files refuses a file that another job has committed.
            isinstance(error, ValueError) and "already referenced" in str(error)
        )

    def _commit(self, added: Sequence[Written], gone: Sequence[Written]) -> None:
        # Based on the snapshot seen, so that a later commit of another job is a conflict. A new
        # table appears with its partitions and files, in one commit.
        seen = self._seen
        with seen.table.transaction() if seen else self._created(added[0]) as change:
            # Killed jobs of earlier versions have left tables that lack partitions.
            empty = seen is None or not seen.files
            if empty and added and change.table_metadata.spec().is_unpartitioned():
                with change.update_spec() as spec:
                    for name, _ in added[0].keys:
                        spec.add_identity(name)
            for start in range(0, len(gone), _AT_ONCE):
                change.delete(_any_of([old.keys for old in gone[start : start + _AT_ONCE]]))
            if added:
                change.add_files([self._uri(written) for written in added])

    def _uri(self, written: Written) -> str:
        path = self.folder.full(written.path)
        return f"file://{path}" if self.folder.filesystem is None else f"s3://{path}"

    def _created(self, written: Written) -> Any:
        """Return the transaction that creates the table, with the schema of a file."""
        stored = pq.read_schema(self.folder.full(written.path), filesystem=self.folder.filesystem)
        self.catalogue.create_namespace_if_not_exists(self.identifier.rpartition(".")[0])
        if self._file is not None and is_cut_off(self._file, self.identifier):
            self.catalogue.drop_table(self.identifier)
        return self.catalogue.create_table_transaction(
            self.identifier,
            schema=stored.remove_metadata(),
            location=None if self._file is None else f"file://{self.folder.root}",
            # pyiceberg would repeat the commit on the new snapshot, over what another job wrote.
            properties={"commit.retry.num-retries": "0"},
        )


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


TABLE = IcebergOutput
