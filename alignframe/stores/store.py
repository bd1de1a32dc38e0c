"""What a place of tables is: its files, the partition each belongs to, and what tells versions."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Keys = tuple[tuple[str, str | None], ...]
"""The names and values of a partition, such as ``(("system", "giza"), ("domain", "news"))``."""

SUFFIXES = (".parquet", ".pq")
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class DataFile:
    """A file of a place.

    Parameters
    ----------
    path
        Where it lies; in the place's file system, if it has one.
    keys
        The partition it belongs to.
    mark
        What tells its versions apart, such as its size and when it was written.
    deleted
        The rows that no longer count, by their number in the file.
    size
        Its size in bytes, where the table tells it.
    """

    path: str
    keys: Keys = ()
    mark: str = ""
    deleted: npt.NDArray[Any] | None = field(default=None, compare=False)
    size: int = 0


class Store(ABC):
    """A place that holds one table as Parquet files.

    Attributes
    ----------
    name
        What the user calls it.
    files
        The files that are alive, in order.
    filesystem
        A file system of pyarrow, where it is not this machine's.
    schema
        The table's own schema, if it has one beside its files.
    version
        What the place holds now: a number, a snapshot, or a digest of its files.
    """

    name: str
    files: list[DataFile]
    filesystem: Any = None
    schema: pa.Schema | None = None

    @property
    @abstractmethod
    def version(self) -> str:
        """What tells what the place holds now from what it held before."""

    def marks(self, files: Iterable[DataFile]) -> list[str]:
        """Return what tells each file from other versions of it."""
        return [f"{self.relative(file.path)}:{file.mark}" for file in files]

    def relative(self, path: str) -> str:
        """Return a file's path within the place, which does not change where the place moves."""
        return path


def digest(texts: Iterable[str]) -> str:
    """Return a short digest of texts."""
    found = hashlib.blake2b(digest_size=16)
    for text in texts:
        found.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return found.hexdigest()


def hive_keys(path: str) -> Keys:
    """Return the keys that the folders of a file's path give it."""
    steps = (step.partition("=") for step in path.split("/")[:-1])
    return tuple(
        (unquote(name), None if value == HIVE_NULL else unquote(value))
        for name, mark, value in steps
        if mark and name
    )


def hive_folder(keys: Keys) -> str:
    """Return the folder of a partition: ``system=giza/domain=news``."""
    return "/".join(
        f"{quote(name, safe='')}={HIVE_NULL if value is None else quote(value, safe=' ')}"
        for name, value in keys
    )


def is_hidden(path: str, root: str = "") -> bool:
    """Whether a file below a root is hidden: a step of its path begins with _ or a dot.

    A folder such as ``_key=value`` is a partition.
    """
    steps = PurePosixPath(path[len(root) :]).parts
    *folders, name = steps
    return name.startswith((".", "_")) or any(
        one.startswith(".") or (one.startswith("_") and "=" not in one) for one in folders
    )
