"""Output tables of jobs, one file per unit.

The footer of a file records its inputs, such as ``alignframe.stamp``. In Delta and Iceberg, the
stamp is also in the file name, so that an uncommitted file can be found.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from alignframe.core.output import file_name
from alignframe.errors import InputError
from alignframe.stores.folder import Folder
from alignframe.stores.footers import footer
from alignframe.stores.found import ICEBERG, stamp_of
from alignframe.stores.store import Keys, Store, hive_folder

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

PREFIX = b"alignframe."
STAMP = "stamp"
ATTEMPTS = 10
"""The maximum number of attempts at a commit that conflicts with other jobs."""


@dataclass(frozen=True)
class Written:
    """A unit's file: its path within the folder, its stamp and its size."""

    keys: Keys
    path: str
    stamp: str
    size: int


def _notes(path: str, filesystem: FileSystem | None = None) -> dict[str, str]:
    try:
        metadata = footer(path, filesystem).metadata
    # The unit is then counted again.
    except (OSError, pa.ArrowException):
        return {}
    return {
        name.removeprefix(PREFIX).decode(): value.decode()
        for name, value in (metadata or {}).items()
        if name.startswith(PREFIX)
    }


@lru_cache(maxsize=1 << 14)
def _local_notes(path: str, *_: int) -> dict[str, str]:
    """Return the notes of a file, told from one of the same name by its inode, size and time."""
    return _notes(path)


class Output(ABC):
    """A table of units in a place; the kind of rows, such as ``counts``, is in file names.

    Examples
    --------
    >>> from alignframe.stores import open_output
    >>> open_output("counts", "counts").done()
    {}
    """

    form: ClassVar[str] = ""
    """What names of its places look like, if they are unlike those of folders."""
    keys_in_file = False
    unsigned = True
    """Whether unsigned integers can be stored."""

    def __init__(self, name: str, table: str) -> None:
        self.name = name
        self.table = table
        self.folder = Folder(name)

    @staticmethod
    def holds(name: str) -> bool:  # noqa: ARG004
        """Whether there is such a table at a place, or its name says so."""
        return False

    @staticmethod
    @abstractmethod
    def open(name: str, version: str = "") -> Store:
        """Open a place for reading."""

    def check_exists(self) -> None:
        """Refuse a place that does not exist."""
        if self.folder.filesystem is not None:
            self.folder.check()
        elif not Path(self.name).exists():
            raise InputError("no such folder", path=self.name, expected="the output of a lake job")

    @abstractmethod
    def done(self) -> dict[Keys, Written]:
        """Return the files that readers see, by unit."""

    @abstractmethod
    def path_of(self, keys: Keys, stamp: str) -> str:
        """Return the path for the file of a unit."""

    @abstractmethod
    def commit(self, written: Sequence[Written], removed: Sequence[Written] = ()) -> None:
        """Make exactly these files visible to readers, replacing earlier files of their units."""

    def check(self) -> None:
        """Check that the place can be written, as far as possible without writing."""
        self.folder.check()

    def prepare(self) -> None:
        """Prepare the place for writing; nothing is made there before."""
        self.folder.prepare()

    def sweep(self) -> None:
        """Remove what killed jobs have left."""
        self.folder.sweep()

    def adopted(self, keys: Keys, stamp: str) -> Written | None:  # noqa: ARG002
        """Return a unit's file that was written but not committed."""
        return None

    def keep(self, written: Written) -> None:  # noqa: B027 - the others keep theirs anyway
        """Preserve the file of a unit before it is replaced, in tables that would lose it."""

    def past(self, keys: Keys, stamp: str) -> str | None:
        """Return the path of a current or past file of a unit; None if it is gone."""
        path = self.path_of(keys, stamp)
        return None if self.folder.size_of(path) is None else path

    def notes(self, written: Written) -> dict[str, str]:
        """Return the metadata of a file; empty if it is gone, damaged or foreign."""
        path = self.folder.full(written.path)
        if self.folder.filesystem is not None:
            return _notes(path, self.folder.filesystem)
        try:
            status = os.stat(path)  # noqa: PTH116 - of every file of a lake
        except OSError:  # reading it tells why
            return _notes(path)
        return {**_local_notes(path, status.st_ino, status.st_size, status.st_mtime_ns)}

    def version(self) -> str:
        """Return the version of the table; empty if it has no versions."""
        return ""

    def owns(self, place: str) -> bool:
        """Whether a record in the folder, of a run that wrote to a place, is of this table."""
        return not place.startswith(ICEBERG)


class StampedOutput(Output):
    """A table with a log that determines what readers see; its files never change.

    File names contain the stamps.
    """

    unsigned = False
    _seen: Store | None
    """The version that ``done`` has read, on which the next commit builds."""

    @abstractmethod
    def _newest(self) -> Store | None:
        """Return the latest version of the table, if it exists."""

    @abstractmethod
    def _commit(self, added: Sequence[Written], gone: Sequence[Written]) -> None:
        """Add and remove files in one commit, which fails if another came after ``_seen``."""

    @abstractmethod
    def _reached(self) -> AbstractContextManager[None]:
        """Turn errors of the table's library into InputErrors."""

    @abstractmethod
    def _is_conflict(self, error: Exception) -> bool:
        """Whether a commit failed because another job committed first."""

    def done(self) -> dict[Keys, Written]:
        """Return the files of the table's latest version."""
        self._seen = newest = self._newest()
        written_by_keys: dict[Keys, Written] = {}
        if newest is None:
            return written_by_keys
        for file in newest.files:
            path = newest.relative(file.path)
            stamp = stamp_of(path)
            named = path.endswith(f"/{self.table}-{stamp}.parquet")
            # A job replaces files by unit, which must not be those of anyone else.
            if not (stamp and named) or file.keys in written_by_keys:
                raise InputError(
                    "is not a file of this job",
                    path=file.path,
                    expected="a separate table for each job's output",
                )
            written_by_keys[file.keys] = Written(file.keys, path, stamp, file.size)
        return written_by_keys

    def version(self) -> str:
        """Return the version of the table."""
        newest = self._newest()
        return newest.version if newest else ""

    def commit(self, written: Sequence[Written], removed: Sequence[Written] = ()) -> None:
        """Add files and remove those they replace, in one commit."""
        with self._reached():
            for attempt in range(ATTEMPTS):
                # Read anew at each attempt: another job may have replaced the same units.
                added, gone = _replaced(self.done(), written, removed)
                if not added and not gone:
                    return
                try:
                    self._commit(added, gone)
                except Exception as error:
                    if not self._is_conflict(error) or attempt == ATTEMPTS - 1:
                        raise
                    time.sleep(0.05 * 2**attempt)  # another job committed first: read its result
                else:
                    return

    def path_of(self, keys: Keys, stamp: str) -> str:
        """Return the file of a unit and a stamp."""
        # The table says what the keys are, not the path.
        folder = "/".join(map(file_name, hive_folder(keys).split("/")))
        parts = ("data", folder, f"{self.table}-{stamp}.parquet")
        return "/".join(part for part in parts if part)

    def adopted(self, keys: Keys, stamp: str) -> Written | None:
        """Return a unit's file that was written but not committed."""
        path = self.path_of(keys, stamp)
        size = self.folder.size_of(path)
        if size is None:
            return None
        written = Written(keys, path, stamp, size)
        return written if self.notes(written).get(STAMP) == stamp else None


def _replaced(
    live: Mapping[Keys, Written], written: Iterable[Written], removed: Iterable[Written]
) -> tuple[list[Written], list[Written]]:
    """Return the files to add, and the live files to remove."""
    added = [new for new in written if new.keys not in live or live[new.keys].path != new.path]
    gone = [live[new.keys] for new in added if new.keys in live]
    gone += [live[old.keys] for old in removed if old.keys in live]
    return added, gone
