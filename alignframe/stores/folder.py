"""A folder for atomic writes, local or in an object store."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

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

_TEMPORARY = ".tmp"


class Folder:
    """The output folder of a job.

    A file is written under a hidden name that ends in ``.tmp`` and then renamed; in an object store
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
            with _written(self.root):
                Path(self.root).mkdir(parents=True, exist_ok=True)
                draft = Path(self.root, self._draft("probe"))
                draft.touch()
                draft.unlink()

    def check(self) -> None:
        """Check that it can be created or written, as far as possible without writing."""
        if self.filesystem is not None:
            check_bucket(self.filesystem, self.name)
            return
        path = Path(self.root)
        there = next(one for one in (path, *path.absolute().parents) if one.exists())
        if not there.is_dir():
            raise InputError("is a file", path=there, expected="a folder to write to")
        if not os.access(there, os.W_OK):
            raise InputError("cannot be written (no permission, or read-only)", path=there)

    def full(self, relative: str) -> str:
        """Return the path of a file in its file system."""
        return f"{self.root}/{relative}"

    def write(self, relative: str, make: Callable[[str], object]) -> int:
        """Write a file with a function that gets a local path; return its size."""
        if self.filesystem is not None:
            with tempfile.TemporaryDirectory(prefix="alignframe-") as folder:
                draft = str(Path(folder, "draft"))
                make(draft)
                size = Path(draft).stat().st_size
                self._send(draft, relative, size)
                return size
        target = Path(self.full(relative))
        with _written(str(target)):
            target.parent.mkdir(parents=True, exist_ok=True)
            draft_path = target.with_name(self._draft(target.name))
            try:
                make(str(draft_path))
                size = draft_path.stat().st_size
                os.replace(draft_path, target)
            except BaseException:
                draft_path.unlink(missing_ok=True)
                raise
        return size

    def write_text(self, relative: str, text: str) -> None:
        """Write a small file."""
        self.write(relative, lambda path: Path(path).write_text(text, "utf-8"))

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
            for here, folders, files in os.walk(root):
                if not below:
                    folders[:] = [n for n in folders if n not in ("_alignframe", "_delta_log")]
                for name in files:
                    if name.endswith(suffix) and not name.startswith("."):
                        path = os.path.join(here, name)  # noqa: PTH118 - a thousand files
                        yield path[len(self.root) :].lstrip("/"), os.stat(path).st_size  # noqa: PTH116
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
            found = self.filesystem.get_file_info(self.full(relative))
            return found.size if found.is_file else None

    def remove(self, relative: str) -> None:
        """Remove a file, and folders that become empty."""
        if self.filesystem is not None:
            with reached(self.name):
                self.filesystem.delete_file(self.full(relative))
            return
        path = Path(self.full(relative))
        with _written(str(path)):
            path.unlink(missing_ok=True)
            for folder in path.parents:
                if folder == Path(self.root) or any(folder.iterdir()):
                    break
                folder.rmdir()

    def keep(self, relative: str, name: str) -> None:
        """Link a file under a second name, which survives rewriting of the first."""
        if self.filesystem is not None:
            with reached(self.name):
                self.filesystem.copy_file(self.full(relative), self.full(name))
            return
        target = Path(self.full(name))
        with _written(str(target)):
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                try:
                    os.link(self.full(relative), target)
                except (PermissionError, NotImplementedError):  # the file system has no links
                    shutil.copy2(self.full(relative), target)

    def sweep(self) -> int:
        """Remove leftovers of killed local jobs; return the number of files."""
        if self.filesystem is not None:
            return 0
        swept = 0
        mark = f"-{socket.gethostname()}-"
        for here, _, files in os.walk(self.root):
            for name in files:
                if name.startswith(".") and name.endswith(_TEMPORARY) and mark in name:
                    pid = name.rpartition(mark)[2].partition("-")[0]
                    if pid.isdigit() and not _is_alive(int(pid)):
                        Path(here, name).unlink(missing_ok=True)
                        swept += 1
        return swept

    def _draft(self, name: str) -> str:
        return f".{name}-{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}{_TEMPORARY}"

    def _send(self, draft: str, relative: str, size: int) -> None:
        """Upload a file completely.

        Arrow's ``copy_files`` does not wait for the stream to close, and loses its errors.
        """
        with reached(f"{self.name}/{relative}"):
            with (
                pa.memory_map(draft) as source,
                self.filesystem.open_output_stream(  # type: ignore[union-attr]
                    self.full(relative)
                ) as target,
            ):
                target.write(source.read_buffer())
            found = self.size_of(relative)
            if found != size:
                raise OSError(f"{found or 0:,} of {size:,} bytes are there after it was written")


@contextmanager
def _written(path: str) -> Iterator[None]:
    """Turn write errors into InputErrors."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", path=path) from None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
