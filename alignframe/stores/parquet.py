"""Parquet files, globs and folders, optionally hive-partitioned: local ones, and as output."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from alignframe.core.choices import PARQUET
from alignframe.core.output import file_name
from alignframe.core.walking import fixed_folder, matching, walked
from alignframe.errors import InputError
from alignframe.stores.folder import Folder
from alignframe.stores.found import METADATA, has_metadata, held_by_iceberg
from alignframe.stores.output import STAMP, Output, Written
from alignframe.stores.remote import check_scheme, is_remote, open_remote
from alignframe.stores.store import (
    DataFile,
    Keys,
    Store,
    digest,
    file_mark,
    hive_folder,
    hive_keys,
    is_hidden,
)

PAST = "_alignframe/past"
"""The folder of replaced Parquet files; their names end such that no ``*.parquet`` finds them."""


def _files(name: str) -> list[str]:
    if Path(name).is_dir():
        files = sorted(_listed(name))
        if not files:
            raise InputError(
                "is a folder without Parquet files",
                path=name,
                expected="a file, or a folder of .parquet files",
            )
        return files
    # A name may have brackets and still be that of a file.
    if glob.has_magic(name) and not Path(name).exists():
        root = fixed_folder(name)
        if Path(root, "_delta_log").is_dir():
            raise InputError(
                "a pattern over a Delta table",
                path=name,
                expected=f"the folder of the table, {root}",
            )
        if has_metadata(Folder(root)):
            raise held_by_iceberg(root)
        every = (file for file in matching(name) if not is_hidden(file, root))
        files = [file for file in every if Path(file).is_file()]
        if not files:
            raise InputError("no file matches the pattern", path=name)
        return files
    if not Path(name).exists():
        raise InputError("no such file", path=name)
    if not Path(name).is_file():
        raise InputError("Parquet from a pipe", path=name, expected="a file")
    return [name]


def _listed(folder: str) -> Iterator[str]:
    """Yield the Parquet files in a folder, recursively; names that begin with _ or . are hidden."""
    for here, below, files in walked(folder):
        # Its folder also holds files that are no longer part of the table.
        if "_delta_log" in below and here != folder:
            raise InputError(
                "holds a Delta table", path=here, todo="name the folder of the table itself"
            )
        if METADATA in below and has_metadata(Folder(here)):
            raise held_by_iceberg(here)
        below[:] = [name for name in below if not _is_hidden_folder(name)]
        for name in files:
            if name.endswith(PARQUET) and not name.startswith(("_", ".")):
                yield os.path.normpath(f"{here}/{name}")


def _mark_of(path: str) -> str:
    """Return the mark of a listed file; empty if it has vanished since, as reading it tells."""
    try:
        return file_mark(path)
    except InputError:
        if Path(path).exists():
            raise
        return ""


def _is_hidden_folder(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


class PlainOutput(Output):
    """A hive-partitioned folder: ``system=giza/domain=news/counts.parquet``.

    Files are replaced one by one, so readers may see new units together with old ones.
    """

    @staticmethod
    def open(name: str, version: str = "") -> Store:  # noqa: ARG004 - there is only one
        """Open a file, a glob or a folder."""
        if is_remote(name):
            if "*" not in name and has_metadata(Folder(name)):
                raise held_by_iceberg(name)
            return open_remote(name)
        if not Path(name).exists():
            check_scheme(name)
        root = str(Path(name)) if Path(name).is_dir() else fixed_folder(name)
        files = [DataFile(path, hive_keys(path), _mark_of(path)) for path in _files(name)]
        store = Store(name, files, "", root)
        store.version = digest(store.marks(files))
        return store

    def path_of(self, keys: Keys, stamp: str) -> str:  # noqa: ARG002 - it is in the footer
        """Return the path of the unit's file, the same for all stamps."""
        folder = hive_folder(keys)
        for step in folder.split("/") if self.folder.filesystem is None else ():
            if step != file_name(step):  # readers take the value from the path: it stays whole
                raise InputError(
                    f"the partition {unquote(step)!r}, as a folder's name {len(step):,} bytes",
                    path=self.name,
                    expected="at most 255, where a byte of other letters than A to Z takes 3",
                    todo="write Delta or Iceberg, which hold any value, or use a shorter one",
                )
        return "/".join(part for part in (folder, f"{self.table}.parquet") if part)

    def done(self) -> dict[Keys, Written]:
        """Return the complete files."""
        written_by_keys = {}
        for path, size in self.folder.listed(".parquet"):
            if path.rpartition("/")[2] != f"{self.table}.parquet":
                raise InputError(
                    "is not a file of this job",
                    path=self.folder.full(path),
                    expected="a separate folder for each job's output",
                )
            draft = Written(hive_keys(path), path, "", size)
            stamp = self.notes(draft).get(STAMP, "")
            written_by_keys[draft.keys] = Written(draft.keys, path, stamp, size)
        return written_by_keys

    def prepare(self) -> None:
        """Prepare the folder, and rename past files that earlier versions called ``.parquet``."""
        super().prepare()
        for path, _ in list(self.folder.listed(".parquet", PAST)):
            self.folder.keep(path, path.removesuffix(".parquet") + ".past")
            self.folder.remove(path)

    def keep(self, written: Written) -> None:
        """Preserve a file next to the table."""
        if written.stamp:
            self.folder.keep(written.path, self._past_path(written.keys, written.stamp))

    def past(self, keys: Keys, stamp: str) -> str | None:
        """Return the path of a current or past file of a unit; None if it is gone."""
        live = self.path_of(keys, stamp)
        # The live file has the same name for all stamps: its footer says which it is.
        if self.notes(Written(keys, live, "", 0)).get(STAMP) == stamp:
            return live
        for suffix in (".past", ".parquet"):  # the second by earlier versions
            kept = self._past_path(keys, stamp, suffix)
            if self.folder.size_of(kept) is not None:
                return kept
        return None

    def _past_path(self, keys: Keys, stamp: str, suffix: str = ".past") -> str:
        parts = (PAST, hive_folder(keys), f"{self.table}-{stamp}{suffix}")
        return "/".join(part for part in parts if part)

    def commit(self, written: Sequence[Written], removed: Sequence[Written] = ()) -> None:  # noqa: ARG002
        """Remove files of units that are gone; others are already in place."""
        for old in removed:
            self.folder.remove(old.path)


TABLE = PlainOutput
