"""A folder for atomic writes, local or in an object store."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from alignframe.core.output import make_folder, refusing, replacing, sweep
from alignframe.core.walking import walked
from alignframe.errors import InputError
from alignframe.stores.remote import (
    check_bucket,
    check_scheme,
    filesystem,
    is_remote,
    path_in_store,
    reached,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_PIECE = 1 << 24
"""Bytes that are uploaded at a time."""


class Folder:
    """The output folder of a job.

    A local file is written like any other (see ``core.output.replacing``); in an object store
    it is uploaded in one piece.
    """

    def __init__(self, name: str) -> None:
        self.name = name.rstrip("/") or name
        self.filesystem: FileSystem | None = None
        check_scheme(name)
        if is_remote(name):
            self.root = path_in_store(name)
            self.filesystem = filesystem()
        else:
            self.root = self.name

    def prepare(self) -> None:
        """Create the folder and check that it is writable."""
        if self.filesystem is not None:
            check_bucket(self.filesystem, self.name)
        else:
            make_folder(Path(self.root))
            # Only writing tells: access rights need not show that a mount is read-only, or a disk
            # full.
            with refusing(self.root), tempfile.TemporaryFile(dir=self.root):
                pass

    def check(self) -> None:
        """Check that it can be created or written, as far as possible without writing."""
        if self.filesystem is not None:
            check_bucket(self.filesystem, self.name)
            return
        path = Path(self.root)
        there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
        if not there.is_dir():
            raise InputError("is a file", path=there, expected="a folder to write to")
        if not os.access(there, os.W_OK):
            raise InputError("cannot be written (no permission, or read-only)", path=there)

    def full(self, relative: str) -> str:
        """Return the path of a file in its file system."""
        return f"{self.root}/{relative}"

    @contextmanager
    def replacing(self, relative: str) -> Iterator[BinaryIO]:
        """Open a file that appears whole or not at all; folders are made as needed."""
        path = self.full(relative)
        if self.filesystem is None:
            make_folder(Path(path).parent)
            with replacing(path, at_once=True) as out:
                yield out
            return
        # An object is not renamed, but replaced as a whole once it is uploaded, so it is completed
        # here first.
        with tempfile.TemporaryFile(prefix="alignframe-") as draft:
            yield draft
            self._send(draft, relative)

    def write_text(self, relative: str, text: str) -> None:
        """Write a small file."""
        with self.replacing(relative) as out:
            out.write(text.encode())

    def read_text(self, relative: str) -> str:
        """Return a small file."""
        if self.filesystem is None:
            return Path(self.full(relative)).read_text("utf-8")
        with reached(self.name), self.filesystem.open_input_file(self.full(relative)) as file:
            return bytes(file.read()).decode()

    def listed(self, suffix: str, below: str = "") -> Iterator[tuple[str, int]]:
        """Yield the path and size of each file with a suffix, in any order."""
        root = self.full(below) if below else self.root
        if self.filesystem is None:
            for here, folders, files in walked(root):
                if not below:
                    folders[:] = [n for n in folders if n not in ("_alignframe", "_delta_log")]
                for name in files:
                    if name.endswith(suffix) and not name.startswith("."):
                        path = os.path.join(here, name)  # noqa: PTH118 - a thousand files
                        # It may have vanished since, or be a link to nothing.
                        with suppress(FileNotFoundError):
                            size = os.stat(path).st_size  # noqa: PTH116
                            yield path[len(self.root) :].lstrip("/"), size
            return
        from pyarrow.fs import FileSelector

        with reached(self.name):
            for info in self.filesystem.get_file_info(
                FileSelector(root, recursive=True, allow_not_found=True)
            ):
                relative = info.path.removeprefix(self.root).lstrip("/")
                hidden = not below and relative.startswith("_")
                if info.is_file and info.path.endswith(suffix) and not hidden:
                    yield relative, info.size

    def size_of(self, relative: str) -> int | None:
        """Return the size of a file; None if there is none."""
        if self.filesystem is None:
            path = Path(self.full(relative))
            return path.stat().st_size if path.is_file() else None
        with reached(self.name):
            info = self.filesystem.get_file_info(self.full(relative))
            return info.size if info.is_file else None

    def time_of(self, relative: str) -> datetime:
        """Return when a file was written."""
        if self.filesystem is None:
            return datetime.fromtimestamp(Path(self.full(relative)).stat().st_mtime, UTC)
        with reached(self.name):
            written = self.filesystem.get_file_info(self.full(relative)).mtime_ns or 0
            return datetime.fromtimestamp(written / 1e9, UTC)

    def remove(self, relative: str) -> None:
        """Remove a file, and folders that become empty."""
        if self.filesystem is not None:
            with reached(self.name):
                self.filesystem.delete_file(self.full(relative))
            return
        path = Path(self.full(relative))
        with refusing(path):
            path.unlink(missing_ok=True)
            for folder in path.parents:
                if folder == Path(self.root) or folder.is_symlink() or any(folder.iterdir()):
                    break
                folder.rmdir()

    def keep(self, relative: str, name: str) -> None:
        """Link a file under a second name, which survives rewriting of the first."""
        if self.size_of(relative) is None:
            return  # another job has removed it
        if self.filesystem is not None:
            with reached(self.name):
                self.filesystem.copy_file(self.full(relative), self.full(name))
            return
        target = Path(self.full(name))
        with refusing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                return
            source = os.path.realpath(self.full(relative))  # a link would become the new file
            try:
                os.link(source, target)
            except FileExistsError:  # another process was faster
                pass
            except (OSError, NotImplementedError):
                # No links, or no more, or not from here (EPERM, ENOSYS, EOPNOTSUPP, EMLINK, EXDEV):
                # a copy does as well. Whatever else is wrong shows when it is made.
                with Path(source).open("rb") as file, replacing(target, at_once=True) as copy:
                    shutil.copyfileobj(file, copy, _PIECE)

    def sweep(self) -> None:
        """Remove what killed local jobs have left."""
        if self.filesystem is None:
            for here, _, names in walked(self.root):
                sweep(Path(here), names)

    def _send(self, draft: BinaryIO, relative: str) -> None:
        """Upload a file completely.

        Arrow's ``copy_files`` does not wait for the stream to close, and loses its errors.
        """
        size = draft.tell()
        draft.seek(0)
        with reached(f"{self.name}/{relative}"):
            with self.filesystem.open_output_stream(  # type: ignore[union-attr]
                self.full(relative)
            ) as target:
                shutil.copyfileobj(draft, target, _PIECE)
            there = self.size_of(relative)
            if there != size:
                raise OSError(f"{there or 0:,} of {size:,} bytes are there after it was written")
