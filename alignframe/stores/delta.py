"""Delta tables: the live files according to the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError, MissingExtraError
from alignframe.stores.remote import (
    endpoint,
    filesystem,
    is_remote,
    path_in_store,
    reached,
)
from alignframe.stores.store import DataFile, Store, key_text

LOG = "_delta_log"


def is_delta(name: str) -> bool:
    """Whether a folder is a Delta table."""
    if is_remote(name):
        from pyarrow.fs import FileSelector

        with reached(name):
            selector = FileSelector(f"{path_in_store(name)}/{LOG}", allow_not_found=True)
            return "*" not in name and bool(filesystem().get_file_info(selector))
    return Path(name, LOG).is_dir()


def delta_library() -> Any:
    """Return the package deltalake."""
    try:
        import deltalake
    except ImportError:
        raise MissingExtraError("deltalake", "delta", "reading and writing Delta tables") from None
    return deltalake


def storage_options(name: str) -> dict[str, str] | None:
    """Return deltalake's storage options for a table."""
    if not is_remote(name):
        return None
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
        raise InputError(
            f"the Delta table cannot be read or written ({str(error).splitlines()[0]})",
            path=name,
        ) from None


class Delta(Store):
    """A folder with ``_delta_log``."""

    def __init__(self, name: str, version: str = "") -> None:
        self.name = name
        library = delta_library()
        remote = is_remote(name)
        if remote:
            path_in_store(name)
            self.filesystem = filesystem()
        with delta_reached(name):
            self.table = library.DeltaTable(
                name, int(version) if version else None, storage_options=storage_options(name)
            )
            actions = pa.table(self.table.get_add_actions(flatten=True)).to_pylist()
        self.partitions: list[str] = list(self.table.metadata().partition_columns)
        self.schema = pa.schema(self.table.schema().to_arrow())
        self.root = path_in_store(name) if remote else name
        deleted = self._deleted()
        self.files = sorted(
            (
                DataFile(
                    path := self._path(one["path"]),
                    tuple((key, key_text(one[f"partition.{key}"])) for key in self.partitions),
                    str(one["size_bytes"]),
                    deleted.get(path),
                    one["size_bytes"],
                )
                for one in actions
            ),
            key=lambda file: file.path,
        )

    @property
    def version(self) -> str:
        """The version number of the table."""
        return str(self.table.version())

    def relative(self, path: str) -> str:
        """Return a file's path within the table."""
        return path.removeprefix(self.root).lstrip("/")

    def _path(self, stored: str) -> str:
        """Return the location of a file in the log; its paths are relative and percent-encoded."""
        path = unquote(stored)
        if "://" in path:
            return path.partition("://")[2]
        return path if path.startswith("/") else f"{self.root.rstrip('/')}/{path}"

    def _deleted(self) -> dict[str, Any]:
        """Return the row numbers in deletion vectors, by file."""
        if not any("deletionVectors" in one for one in self.table.protocol().reader_features or ()):
            return {}
        with delta_reached(self.name):
            rows = pa.table(self.table.deletion_vectors()).to_pylist()
        return {
            self._path(str(row["filepath"]).partition("://")[2] or str(row["filepath"])): (
                np.flatnonzero(~np.asarray(row["selection_vector"], np.bool_))
            )
            for row in rows
        }
