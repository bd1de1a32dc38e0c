"""DuckLake tables: the live files of a snapshot, by the catalogue in a DuckDB or SQLite file.

A place is ``ducklake:CATALOGUE.schema.table``, such as ``ducklake:lake/meta.ducklake.main.links``.
The tables of the catalogue are read as they are, without DuckDB's extension.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.core.arrays import I64
from alignframe.errors import InputError
from alignframe.stores.remote import filesystem, is_remote
from alignframe.stores.sqlite_catalogue import path_of
from alignframe.stores.store import DataFile, Store, hive_keys

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

DUCKLAKE = "ducklake:"
"""What names of DuckLake tables begin with."""
_NAMES = {
    "varchar": pa.string(),
    "boolean": pa.bool_(),
    "blob": pa.binary(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
}
_NUMBERS = re.compile(r"u?int(8|16|32|64)|float(32|64)")
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")

Row = dict[str, Any]


class DuckLake:
    """Tables that are only read."""

    @staticmethod
    def holds(name: str) -> bool:
        """Whether a place is named as one."""
        return name.startswith(DUCKLAKE)

    @staticmethod
    def open(name: str, version: str = "") -> Store:
        """Open the table at a snapshot, by default the latest."""
        catalogue, *table = name.removeprefix(DUCKLAKE).rsplit(".", 2)
        if len(table) < 2 or not all((catalogue, *table)):
            raise InputError(
                "names no DuckLake table", path=name, expected=f"{DUCKLAKE}CATALOGUE.schema.table"
            )
        with _opened(name, Path(catalogue)) as connection:
            return _Table(name, connection, version, *table).store(Path(catalogue).parent)


@contextmanager
def _opened(name: str, catalogue: Path) -> Iterator[Any]:
    """Open a catalogue for reading, and turn its errors into InputErrors."""
    import duckdb

    if not catalogue.is_file():
        raise InputError("no such catalogue", path=catalogue, expected="a DuckDB or SQLite file")
    with catalogue.open("rb") as file:
        is_sqlite = file.read(13) == b"SQLite format"
    try:
        opened: Any = (
            sqlite3.connect(f"{catalogue.absolute().as_uri()}?mode=ro", uri=True)
            if is_sqlite
            else duckdb.connect(str(catalogue), read_only=True)
        )
        with closing(opened) as connection:
            yield connection
    except (duckdb.Error, sqlite3.Error) as error:
        raise InputError(
            f"the catalogue cannot be read ({str(error).splitlines()[0]})",
            path=name,
            expected="a catalogue of DuckLake that no other program holds open for writing",
        ) from None


class _Table:
    """A table of a catalogue at a snapshot."""

    def __init__(self, name: str, connection: Any, version: str, schema: str, table: str) -> None:
        self._name, self._connection = name, connection
        (latest,) = connection.execute("select max(snapshot_id) from ducklake_snapshot").fetchone()
        self._version = int(version or latest)
        schemas = {
            row["schema_id"]: row for row in self._live("schema") if row["schema_name"] == schema
        }
        own = [
            row
            for row in self._live("table")
            if row["table_name"] == table and row["schema_id"] in schemas
        ]
        if not own:
            raise InputError(f"no DuckLake table {schema}.{table}", path=name)
        self._id, self._steps = own[0]["table_id"], (schemas[own[0]["schema_id"]], own[0])

    def _rows(self, kind: str) -> list[Row]:
        """Return the rows of a table of the catalogue."""
        found = self._connection.execute(f'select * from "ducklake_{kind}"')  # noqa: S608
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def _live(self, kind: str) -> list[Row]:
        """Return those that are there at the snapshot."""
        return [
            row
            for row in self._rows(kind)
            if row["begin_snapshot"] <= self._version
            and (row["end_snapshot"] is None or row["end_snapshot"] > self._version)
        ]

    def _own(self, kind: str) -> list[Row]:
        """Return those of the table."""
        return [row for row in self._live(kind) if row["table_id"] == self._id]

    def store(self, beside: Path) -> Store:
        """Return the place of the table, whose catalogue lies in a folder."""
        self._refuse_inlined()
        (data,) = (row["value"] for row in self._rows("metadata") if row["key"] == "data_path")
        stored = self._own("data_file")
        root = self._root(data, beside, stored)
        remote = filesystem() if is_remote(root) else None
        columns = self._own("column")
        return Store(
            self._name,
            sorted(self._files(root, remote, stored, columns), key=lambda file: file.path),
            str(self._version),
            path_of(root),
            remote,
            _schema(columns, self._doubtful(stored)),
        )

    def _root(self, data: str, beside: Path, stored: list[Row]) -> str:
        """Return the folder of the table's files.

        DuckDB takes it relative to the folder it works in, which may be another one now.
        """
        places = [Path(), beside, *beside.absolute().parents]
        roots = [data] if is_remote(data) else [str(place / data) for place in places]
        for step in self._steps:
            roots = [_joined(root, step) for root in roots]
        if is_remote(data) or not stored:
            return roots[0]
        for root in roots:
            if is_remote(first := _joined(root, stored[0])) or Path(path_of(first)).is_file():
                return root
        raise InputError(
            f"no file {stored[0]['path']} in {data}",
            path=self._name,
            expected="the files in the folder that the catalogue names, seen from where the "
            "lake was made",
        )

    def _refuse_inlined(self) -> None:
        """Refuse rows in the catalogue itself, where DuckLake puts a few at a time."""
        rows = sum(
            len(self._live(row["table_name"].removeprefix("ducklake_")))
            for row in self._rows("inlined_data_tables")
            if row["table_id"] == self._id
        )
        if rows:
            raise InputError(
                f"{rows} rows lie in the catalogue",
                path=self._name,
                expected="all rows in files",
                todo="write them there by CALL ducklake_flush_inlined_data, which takes the name "
                "that the lake is attached as",
            )

    def _files(
        self, root: str, remote: FileSystem | None, stored: list[Row], columns: list[Row]
    ) -> Iterator[DataFile]:
        names = {row["column_id"]: row["column_name"] for row in columns}
        # Other transforms, such as bucket or day, do not keep the value of the column.
        keys = {
            (row["partition_id"], row["partition_key_index"]): names[row["column_id"]]
            for row in self._rows("partition_column")
            if row["transform"] == "identity" and row["column_id"] in names
        }
        values: dict[int, list[tuple[int, str | None]]] = {}
        for row in self._rows("file_partition_value"):
            value = (row["partition_key_index"], row["partition_value"])
            values.setdefault(row["data_file_id"], []).append(value)
        deleted = self._deleted(root, remote)
        for row in stored:
            self._check(row)
            path = path_of(_joined(root, row))
            gone = deleted.get(row["data_file_id"])
            # Files that were added as they were have the numbers of their columns apart.
            mapped = self._mapped.get(row["mapping_id"], [])
            own = [one for one in mapped if one["parent_column"] is None]
            found = hive_keys(path) if own else ()
            numbers = {
                one["source_name"].lower(): one["target_field_id"]
                for one in own
                if one["is_partition"]
            }
            partition = (
                (keys.get((row["partition_id"], place)), value)
                for place, value in sorted(values.get(row["data_file_id"], []))
            )
            yield DataFile(
                path,
                tuple((name, value) for name, value in partition if name is not None)
                or tuple(
                    (names[number], value)
                    for name, value in found
                    if (number := numbers.get(name.lower())) in names
                ),
                f"{row['file_size_bytes']}:{0 if gone is None else gone.size}",
                gone,
                row["file_size_bytes"],
                tuple(
                    (one["source_name"], one["target_field_id"])
                    for one in own
                    if not one["is_partition"]
                ),
            )

    @cached_property
    def _mapped(self) -> dict[int, list[Row]]:
        """The names of columns in files that were added as they were, by their mapping."""
        mapped: dict[int, list[Row]] = {}
        for row in self._rows("name_mapping"):
            mapped.setdefault(row["mapping_id"], []).append(row)
        return mapped

    def _deleted(self, root: str, remote: FileSystem | None) -> dict[int, I64]:
        """Return the numbers of deleted rows of each file."""
        rows: dict[int, list[I64]] = {}
        for row in self._own("delete_file"):
            self._check(row)
            if row["format"] != "parquet":
                raise InputError(f"deletes of the format {row['format']}", path=self._name)
            places = pq.read_table(path_of(_joined(root, row)), filesystem=remote)
            rows.setdefault(row["data_file_id"], []).append(places.column("pos").to_numpy())
        for row in self._few_deleted():
            if row["begin_snapshot"] <= self._version:
                rows.setdefault(row["file_id"], []).append(np.array([row["row_id"]], np.int64))
        return {number: np.unique(np.concatenate(parts)) for number, parts in rows.items()}

    def _few_deleted(self) -> list[Row]:
        """Return the deletes in the catalogue itself, whose table is made when it is needed."""
        import duckdb

        try:
            return self._rows(f"inlined_delete_{self._id}")
        except (duckdb.CatalogException, sqlite3.OperationalError):
            return []

    def _check(self, row: Row) -> None:
        """Refuse a file that is encrypted, or that has rows of later snapshots."""
        if row["encryption_key"] is not None:
            raise InputError("its files are encrypted", path=self._name, expected="plain files")
        if (row.get("partial_max") or 0) > self._version:
            raise InputError(
                f"the files of snapshot {self._version} are merged with those of later ones",
                path=self._name,
                todo="read the latest snapshot",
            )

    def _doubtful(self, stored: list[Row]) -> set[int]:
        """Return the columns with a value that is in no file: older ones, and some added ones."""
        begun: dict[int, int] = {}
        for row in self._rows("column"):
            if row["table_id"] == self._id and row["initial_default"] not in {None, "NULL"}:
                number, begin = row["column_id"], row["begin_snapshot"]
                begun[number] = min(begun.get(number, begin), begin)
        oldest = min((row["begin_snapshot"] for row in stored), default=0)
        found = {row["mapping_id"] for row in stored} & {*self._mapped}
        added = [{one["target_field_id"] for one in self._mapped[number]} for number in found]
        return {
            number
            for number, begin in begun.items()
            if begin > oldest or any(number not in known for known in added)
        }


def _schema(columns: list[Row], without: set[int]) -> pa.Schema:
    """Return the columns, each with the number by which files have it."""
    parts: dict[int | None, list[Row]] = {}
    for row in sorted(columns, key=lambda row: int(row["column_order"])):
        parts.setdefault(row["parent_column"], []).append(row)

    def field_of(row: Row) -> pa.Field:
        inner = [field_of(part) for part in parts.get(row["column_id"], [])]
        notes = {"PARQUET:field_id": str(row["column_id"])}
        return pa.field(row["column_name"], _type_of(row["column_type"], inner), metadata=notes)

    return pa.schema([field_of(row) for row in parts[None] if row["column_id"] not in without])


def _type_of(kind: str, inner: list[pa.Field]) -> pa.DataType:
    """Return the Arrow type of a column; of one that the package never computes with, text."""
    if kind == "struct":
        return pa.struct(inner)
    if kind == "list":
        return pa.list_(inner[0])
    if _NUMBERS.fullmatch(kind):
        return pa.type_for_alias(kind.replace("float32", "float").replace("float64", "double"))
    if decimal := _DECIMAL.fullmatch(kind):
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    return _NAMES.get(kind, pa.string())


def _joined(root: str, row: Row) -> str:
    """Return the path of a row, which may be relative to a folder."""
    path = str(row["path"])
    return f"{root.rstrip('/')}/{path}".rstrip("/") if row["path_is_relative"] else path
