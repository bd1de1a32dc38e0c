"""The interface of places with tables: files, partitions, and versions."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import PathLike
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from alignframe.core.arrays import Array
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

Keys = tuple[tuple[str, str | None], ...]
"""The names and values of a partition, such as ``(("system", "giza"), ("domain", "news"))``."""

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class DataFile:
    """A file of a place.

    Parameters
    ----------
    path
        Its path, in the place's file system if there is one.
    keys
        Its partition.
    mark
        An identifier of its contents, such as size and modification time.
    deleted
        Deleted rows, by their number in the file.
    size
        Its size in bytes, if recorded in the table.
    numbers
        The number of the table's column that each of its columns is, if the file has no numbers.

    Examples
    --------
    >>> from alignframe.stores import DataFile
    >>> DataFile("hyp/system=a/links.parquet", (("system", "a"),)).keys
    (('system', 'a'),)
    """

    path: str
    keys: Keys = ()
    mark: str = ""
    deleted: Array | None = field(default=None, compare=False)
    size: int = 0
    numbers: tuple[tuple[str, int], ...] = ()


@dataclass
class Store:
    """A place with one table as Parquet files.

    Parameters
    ----------
    name
        The place as the user names it.
    files
        The live files, in order.
    version
        An identifier that changes with the contents.
    root
        What the paths of files begin with.
    filesystem
        A pyarrow file system, unless local.
    schema, table
        The table's own schema and object, if it has them apart from its files.

    Examples
    --------
    >>> from alignframe.stores import DataFile, Store
    >>> store = Store("hyp", [DataFile("hyp/system=a/links.parquet")], "", "hyp")
    >>> store.relative(store.files[0].path)
    'system=a/links.parquet'
    """

    name: str
    files: list[DataFile]
    version: str
    root: str
    filesystem: FileSystem | None = None
    schema: pa.Schema | None = None
    table: Any = None

    def marks(self, files: Iterable[DataFile]) -> list[str]:
        """Return an identifier of the contents of each file."""
        return [f"{self.relative(file.path)}:{file.mark}" for file in files]

    def relative(self, path: str) -> str:
        """Return a file's path relative to the place."""
        return path.removeprefix(self.root).lstrip("/")


def digest(texts: Iterable[str]) -> str:
    """Return a short digest of texts."""
    hasher = hashlib.blake2b(digest_size=16)
    for text in texts:
        # Names of files need not be UTF-8. The zero ends each text: "ab", "c" is not "a", "bc".
        hasher.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return hasher.hexdigest()


def file_mark(path: str | PathLike[str]) -> str:
    """Return an identifier that changes with a local file."""
    try:
        status = os.stat(path)  # noqa: PTH116 - of every file of a lake
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    return f"{status.st_size}:{status.st_mtime_ns}"


def key_text(value: object) -> str | None:
    """Return the value of a partition key as text, a time with a zone in UTC."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime) and value.tzinfo is not None:
        return str(value.astimezone(UTC))
    return value.decode() if isinstance(value, bytes) else str(value)


def hive_keys(path: str) -> Keys:
    """Return the partition keys in a file's path, each once; that of systems in small letters."""
    keys: dict[str, str | None] = {}
    for name, mark, text in (step.partition("=") for step in path.split("/")[:-1]):
        if mark and name:
            key = "system" if name.lower() == "system" else unquote(name)
            value = None if text == HIVE_NULL else unquote(text)
            if keys.setdefault(key, value) != value:
                raise InputError(
                    f"folders of {key}={keys[key]} and of {key}={value}, one in the other",
                    path=path,
                    expected="one folder for each key",
                    todo="rename one of them",
                )
    return tuple(keys.items())


def hive_folder(keys: Keys) -> str:
    """Return the folder of a partition: ``system=giza/domain=news``."""
    return "/".join(
        f"{quote(name, safe='')}={HIVE_NULL if value is None else quote(value, safe=' ')}"
        for name, value in keys
    )


def is_hidden(path: str, root: str = "") -> bool:
    """Whether a file is hidden: a component of its path below a root begins with _ or a dot.

    But a folder such as ``_key=value`` is a partition.
    """
    steps = PurePosixPath(path[len(root) :]).parts
    *folders, name = steps
    return name.startswith((".", "_")) or any(
        folder.startswith(".") or (folder.startswith("_") and "=" not in folder)
        for folder in folders
    )
