"""Delta tables: the live files according to the log, added and replaced in one commit."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.core.arrays import Array
from alignframe.errors import InputError, MissingExtraError
from alignframe.stores.folder import Folder
from alignframe.stores.footers import footer
from alignframe.stores.output import StampedOutput, Written
from alignframe.stores.remote import (
    endpoint,
    filesystem,
    is_remote,
    path_in_store,
    reached,
)
from alignframe.stores.store import DataFile, Store, digest, key_text

if TYPE_CHECKING:
    from deltalake import Schema

LOG = "_delta_log"
_FIRST = f"{0:020}.json"
_COMMIT = re.compile(r"[0-9]{20}\.(json|checkpoint.*\.parquet)")
_DRAFT = re.compile(r"[0-9]{20}\.json#[0-9]+|_commit_.*\.json\.tmp")
_DAY = 24 * 60 * 60
_CAUSE = re.compile(r"\s*(?:\x1b\[[0-9;]*m)?↳(?:\x1b\[0m)?\s*(.*)")
"""A line of deltalake's errors with the cause of the line before."""
_JOB = "alignframe.lake"
"""Concurrent commits under this name conflict: the second of two jobs reads the table again."""


def delta_library() -> ModuleType:
    """Return the package deltalake."""
    try:
        import deltalake
    except ImportError:
        raise MissingExtraError("deltalake", "delta", "reading and writing Delta tables") from None
    return deltalake  # type: ignore[no-any-return]


def storage_options(name: str) -> dict[str, str] | None:
    """Return deltalake's storage options for a table."""
    if not is_remote(name):
        return None
    # As long as `remote` waits; object_store's own limit is three minutes.
    return {
        "timeout": "30s",
        "connect_timeout": "5s",
        "max_retries": "3",
        "retry_timeout": "30s",
        **({"allow_http": "true"} if endpoint().startswith("http://") else {}),
    }


@contextmanager
def delta_reached(name: str) -> Iterator[None]:
    """Turn deltalake's errors into InputErrors."""
    from deltalake.exceptions import DeltaError

    try:
        yield
    except (DeltaError, OSError) as error:
        said, *more = str(error).splitlines() or [type(error).__name__]
        causes = [cause[1] for line in more if (cause := _CAUSE.fullmatch(line))]
        raise InputError(
            f"the Delta table cannot be read or written ({': '.join([said, *causes])})",
            path=name,
        ) from None


def _log_of(name: str) -> dict[str, int]:
    """Return the size of each file in the log of a folder; nothing if it has none."""
    if is_remote(name):
        from pyarrow.fs import FileSelector

        if "*" in name:
            return {}
        selector = FileSelector(f"{path_in_store(name)}/{LOG}", allow_not_found=True)
        with reached(name):
            return {info.base_name: info.size or 0 for info in filesystem().get_file_info(selector)}
    try:
        return {path.name: path.stat().st_size for path in Path(name, LOG).iterdir()}
    except FileNotFoundError:
        return {}


def _has_commit(name: str) -> bool:
    """Whether the log of a folder has a commit, other than a first one that was cut off."""
    commits = {file: size for file, size in _log_of(name).items() if _COMMIT.fullmatch(file)}
    if set(commits) != {_FIRST}:
        return bool(commits)
    *_, last = ["", *Folder(name).read_text(f"{LOG}/{_FIRST}").splitlines()]
    try:
        return isinstance(json.loads(last), dict)
    except ValueError:
        return False


def _mark_of(deleted: Array | None) -> str:
    """Return what tells deleted rows of a file from others; empty if there are none."""
    return "" if deleted is None or not deleted.size else f":{digest(map(str, deleted.tolist()))}"


class DeltaOutput(StampedOutput):
    """A Delta table partitioned by the keys of units."""

    _seen: Store | None = None

    def __init__(self, name: str, table: str) -> None:
        super().__init__(name, table)
        delta_library()

    @staticmethod
    def holds(name: str) -> bool:
        """Whether a folder has a log."""
        return bool(_log_of(name)) if is_remote(name) else Path(name, LOG).is_dir()

    @staticmethod
    def open(name: str, version: str = "") -> Store:
        """Open a folder with ``_delta_log``."""
        library, remote = delta_library(), is_remote(name)
        if not _has_commit(name):
            raise InputError(
                "the log of the Delta table has no commit: the first one was interrupted",
                path=name,
                todo="run again what writes the table, or remove the folder _delta_log",
            )
        root = path_in_store(name) if remote else name

        def path_of(stored: str) -> str:
            """Return the location of a file in the log, whose paths are percent-encoded."""
            path = unquote(stored)
            if "://" in path:
                return path.partition("://")[2]
            return path if path.startswith("/") else f"{root.rstrip('/')}/{path}"

        with delta_reached(name):
            table = library.DeltaTable(
                name, int(version) if version else None, storage_options=storage_options(name)
            )
            actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
            vectors = "deletionVectors" in (table.protocol().reader_features or ())
            rows = pa.table(table.deletion_vectors()).to_pylist() if vectors else []
        deleted = {
            path_of(row["filepath"]): np.flatnonzero(~np.asarray(row["selection_vector"], np.bool_))
            for row in rows
        }
        partitions = table.metadata().partition_columns
        files = [
            DataFile(
                path := path_of(action["path"]),
                tuple((key, key_text(action[f"partition.{key}"])) for key in partitions),
                # Rows may be deleted without a new file.
                f"{action['size_bytes']}{_mark_of(deleted.get(path))}",
                deleted.get(path),
                action["size_bytes"],
            )
            for action in actions
        ]
        return Store(
            name,
            sorted(files, key=lambda file: file.path),
            str(table.version()),
            root,
            filesystem() if remote else None,
            pa.schema(table.schema().to_arrow()),
            table,
        )

    def sweep(self) -> None:
        """Remove what killed jobs have left, also in the log."""
        super().sweep()
        if self.folder.filesystem is None:
            for path in Path(self.name, LOG).glob("*"):
                # Their names do not tell whose they are, but a commit takes no day.
                with suppress(FileNotFoundError):
                    if _DRAFT.fullmatch(path.name) and path.stat().st_mtime < time.time() - _DAY:
                        path.unlink()

    def _newest(self) -> Store | None:
        return self.open(self.name) if _has_commit(self.name) else None

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
        adds: list[object] = [
            AddAction(
                written.path,
                written.size,
                dict(written.keys),
                now,
                True,
                json.dumps({"numRecords": self._rows(written)}),
            )
            for written in added
        ]
        removes: list[object] = [
            RemoveAction(
                path=written.path,
                deletion_timestamp=now,
                data_change=True,
                partition_values=dict(written.keys),
            )
            for written in gone
        ]
        options = storage_options(self.name)
        keys = [name for name, _ in (added or gone)[0].keys]
        if self._seen is None:
            # What an interrupted first commit has left; deltalake would take it for a table.
            if _FIRST in _log_of(self.name) and not _has_commit(self.name):
                self.folder.remove(f"{LOG}/{_FIRST}")
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
        # Two commits of the same number conflict, even if they touch different files.
        mark = Transaction(_JOB, 0 if last is None else last + 1)
        table.create_write_transaction(
            [*adds, *removes],
            mode="append",
            schema=table.schema(),
            partition_by=keys,
            commit_properties=CommitProperties(app_transactions=[mark], max_commit_retries=0),
        )

    def _rows(self, written: Written) -> int:
        return int(footer(self.folder.full(written.path), self.folder.filesystem).num_rows)

    def _schema(self, written: Written) -> Schema:
        from deltalake import Schema

        stored = pq.read_schema(self.folder.full(written.path), filesystem=self.folder.filesystem)
        keys = [pa.field(name, pa.string()) for name, _ in written.keys]
        return Schema.from_arrow(pa.schema([*keys, *stored]).remove_metadata())


TABLE = DeltaOutput
