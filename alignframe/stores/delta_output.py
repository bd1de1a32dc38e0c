"""Writing Delta tables: files are added and replaced in one commit."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.stores.delta import Delta, delta_library, delta_reached, is_delta, storage_options
from alignframe.stores.folder import Folder
from alignframe.stores.output import StampedOutput, Written
from alignframe.stores.remote import footer

_JOB = "alignframe.lake"
"""Concurrent commits under this name conflict: the second of two jobs reads the table again."""


class DeltaOutput(StampedOutput):
    """A Delta table partitioned by the keys of units."""

    _seen: Delta | None = None

    def __init__(self, name: str, table: str) -> None:
        super().__init__(name, table)
        delta_library()
        self.folder = Folder(name)

    def _newest(self) -> Delta | None:
        return Delta(self.name) if is_delta(self.name) else None

    def _reached(self) -> AbstractContextManager[None]:
        return delta_reached(self.name)

    def _is_conflict(self, error: Exception) -> bool:
        from deltalake.exceptions import CommitFailedError, DeltaError

        return isinstance(error, CommitFailedError) or (
            isinstance(error, DeltaError) and "already exists" in str(error)
        )

    def _commit(self, added: Sequence[Written], gone: Sequence[Written]) -> None:
        from deltalake import CommitProperties, Transaction
        from deltalake.transaction import AddAction, RemoveAction, create_table_with_add_actions

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
        return int(footer(self.folder.full(one.path), self.folder.filesystem).num_rows)

    def _schema(self, one: Written) -> Any:
        from deltalake import Schema

        stored = pq.read_schema(self.folder.full(one.path), filesystem=self.folder.filesystem)
        keys = [pa.field(name, pa.string()) for name, _ in one.keys]
        return Schema.from_arrow(pa.schema([*keys, *stored]).remove_metadata())
