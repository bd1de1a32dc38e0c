"""Writing Delta tables: files are added and replaced in one commit."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.errors import InputError
from alignframe.stores.delta import Delta, delta_library, delta_reached, is_delta, storage_options
from alignframe.stores.folder import Folder
from alignframe.stores.output import StampedOutput, Written, replaced, stamp_of
from alignframe.stores.store import Keys

ATTEMPTS = 10
_JOB = "alignframe.lake"
"""Commits under this name exclude each other: the second of two jobs looks again."""


class DeltaOutput(StampedOutput):
    """A Delta table partitioned by the keys of units."""

    unsigned = False

    def __init__(self, name: str, table: str) -> None:
        super().__init__(name, table)
        delta_library()
        self.folder = Folder(name)
        self._seen: Delta | None = None

    def done(self) -> dict[Keys, Written]:
        """Return the files of the table's newest version, on which the next commit builds."""
        self._seen = Delta(self.name) if is_delta(self.name) else None
        found: dict[Keys, Written] = {}
        for file in self._seen.files if self._seen else ():
            path = self._seen.relative(file.path) if self._seen else ""
            if not stamp_of(path) or file.keys in found:
                raise InputError(
                    "is no file of this job",
                    path=file.path,
                    expected="a table of its own for each job's output",
                )
            found[file.keys] = Written(file.keys, path, stamp_of(path), int(file.mark))
        return found

    def version(self) -> str:
        """Return the number of the table's version."""
        return Delta(self.name).version if is_delta(self.name) else ""

    def commit(self, written: Sequence[Written], removed: Sequence[Written] = ()) -> None:
        """Add files and take away those they replace, in one commit."""
        from deltalake.exceptions import CommitFailedError, DeltaError

        with delta_reached(self.name):
            for attempt in range(ATTEMPTS):
                added, gone = replaced(self.done(), written, removed)
                if not added and not gone:
                    return
                try:
                    self._commit(added, gone)
                except CommitFailedError:
                    if attempt == ATTEMPTS - 1:
                        raise
                    time.sleep(0.05 * 2**attempt)  # another job was first: see what it left
                except DeltaError as error:
                    if "already exists" not in str(error) or attempt == ATTEMPTS - 1:
                        raise
                else:
                    return

    def _commit(self, added: Sequence[Written], gone: Sequence[Written]) -> None:
        from deltalake import CommitProperties, Transaction
        from deltalake.transaction import (
            AddAction,
            RemoveAction,
            create_table_with_add_actions,
        )

        now = int(time.time() * 1000)
        adds: list[Any] = [
            AddAction(
                one.path,
                one.size,
                dict(one.keys),
                now,
                True,
                json.dumps({"numRecords": self._rows(one)}),
            )
            for one in added
        ]
        removes: list[Any] = [
            RemoveAction(
                path=one.path,
                deletion_timestamp=now,
                data_change=True,
                partition_values=dict(one.keys),
            )
            for one in gone
        ]
        options = storage_options(self.name)
        keys = [name for name, _ in (added or gone)[0].keys]
        if self._seen is None:
            create_table_with_add_actions(
                self.name,
                self._schema(added[0]),
                adds,
                mode="error",
                partition_by=keys,
                storage_options=options,
            )
            return
        table = self._seen.table  # of that version: a later commit of another job is a conflict
        last = table.transaction_version(_JOB)
        mark = Transaction(_JOB, 0 if last is None else last + 1)
        table.create_write_transaction(
            [*adds, *removes],
            mode="append",
            schema=table.schema(),
            partition_by=keys,
            commit_properties=CommitProperties(app_transactions=[mark], max_commit_retries=0),
        )

    def _rows(self, one: Written) -> int:
        path = self.folder.full(one.path)
        return int(pq.read_metadata(path, filesystem=self.folder.filesystem).num_rows)

    def _schema(self, one: Written) -> Any:
        from deltalake import Schema

        stored = pq.read_schema(self.folder.full(one.path), filesystem=self.folder.filesystem)
        keys = [pa.field(name, pa.string()) for name, _ in one.keys]
        return Schema.from_arrow(pa.schema([*keys, *stored]).remove_metadata())
