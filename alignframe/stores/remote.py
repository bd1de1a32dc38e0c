"""Places in object stores, ``s3://bucket/folder``, with bounded waits and retries.

Credentials, region and endpoint are those of the store's own tools, from the environment
(``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL`` and so on) or the files in ``~/.aws``.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from alignframe.core.choices import PARQUET
from alignframe.core.parallel import ThreadPool
from alignframe.errors import InputError
from alignframe.stores.store import DataFile, Store, digest, hive_keys, is_hidden

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

SCHEMES = ("s3://",)
ATTEMPTS = 3
"""The maximum number of attempts of a request."""
CONNECT_SECONDS = 5
REQUEST_SECONDS = 30

_ID = re.compile(r" \(Request ID: \w+\)")
# Listings have no ETags, so each file is asked for its own, so many at a time.
_HEADS = 16

_CREDENTIALS = (
    "the store does not accept the credentials",
    "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws",
)
_NO_BUCKET = "check its name and AWS_ENDPOINT_URL, or create it"
_SAID = {
    "ACCESS_DENIED": _CREDENTIALS,
    "INVALID_ACCESS_KEY_ID": _CREDENTIALS,
    "SIGNATURE_DOES_NOT_MATCH": _CREDENTIALS,
    "NETWORK_CONNECTION": ("the store does not answer", "check AWS_ENDPOINT_URL and the network"),
    "NO_SUCH_BUCKET": ("no such bucket", _NO_BUCKET),
}
"""Messages and advice for errors of stores."""


def is_remote(name: str) -> bool:
    """Whether a path is in an object store."""
    return name.startswith(SCHEMES)


def filesystem() -> FileSystem:
    """Return the object store as a file system."""
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    return S3FileSystem(
        endpoint_override=endpoint() or None,
        region=region() or None,
        connect_timeout=CONNECT_SECONDS,
        request_timeout=REQUEST_SECONDS,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
    )


def endpoint() -> str:
    """Return the endpoint of an object store other than Amazon's; empty for Amazon."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")


def region() -> str:
    """Return the region of the object store; empty if left to the store."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION", "")


def path_in_store(name: str) -> str:
    """Return the bucket and key of a URL."""
    path = name.partition("://")[2].strip("/")
    if set(path.partition("/")[0]) & {"@", ":"} or "?" in path:  # a key may contain a slash
        raise InputError(
            "a URL with credentials or options",
            path=name,
            expected="s3://bucket/folder, and credentials in the environment",
        )
    if not path:
        raise InputError("names no bucket", path=name, expected="s3://bucket/folder")
    return path


@contextmanager
def reached(name: str) -> Iterator[None]:
    """Turn errors of a store, and timeouts, into InputErrors."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("no such file", path=name) from None
    except OSError as error:
        # Identifiers of requests would make every message different.
        said = _ID.sub("", str(error).splitlines()[0])
        known = (meaning for code, meaning in _SAID.items() if f"AWS Error {code}" in said)
        what, todo = next(known, ("the store refused a request", ""))
        # What follows is the store's own reason; before it are names of calls.
        reason = said.rpartition(" operation: ")[2]
        raise InputError(f"{what} ({reason})", path=name, todo=todo) from None


def check_bucket(filesystem: FileSystem, name: str) -> None:
    """Refuse a bucket that does not exist; one that may not be looked up may still be used."""
    from pyarrow.fs import FileType

    bucket = path_in_store(name).partition("/")[0]
    # Some stores forbid to look up a bucket whose objects may be read.
    with suppress(OSError):
        if filesystem.get_file_info(bucket).type == FileType.NotFound:
            raise InputError(f"no such bucket {bucket!r}", path=name, todo=_NO_BUCKET)


def check_scheme(name: str) -> None:
    """Refuse an address of another kind than that of object stores."""
    if "://" in name and not is_remote(name):
        raise InputError(
            f"an address that begins with {name.partition('://')[0]}://",
            path=name,
            expected=f"a path, {SCHEMES[0]}bucket/folder or iceberg:CATALOG.namespace.table",
        )


class Remote(Store):
    """Files in an object store."""

    filesystem: FileSystem

    def marks(self, files: Iterable[DataFile]) -> list[str]:
        """Return the path and ETag of each file, since stores' times are in whole seconds."""

        def tag(file: DataFile) -> str:
            address = f"{SCHEMES[0]}{file.path}"
            with reached(address), self.filesystem.open_input_file(file.path) as opened:
                said = {name.lower(): value for name, value in opened.metadata().items()}
            return f"{self.relative(file.path)}:{said.get('etag', b'').decode() or file.mark}"

        with ThreadPool(_HEADS) as pool:
            return list(pool.map(tag, files))


def open_remote(name: str) -> Store:
    """Open a file, a glob or a folder in an object store."""
    path = path_in_store(name)
    # A pattern is matched below the folder that it begins with.
    fixed = path.partition("*")[0]
    root = fixed if fixed == path else fixed.rpartition("/")[0]
    with reached(name):
        system = filesystem()
        files_found = sorted(_found(system, path, root), key=lambda info: str(info.path))
    if not files_found:
        check_bucket(system, name)
        raise InputError("no Parquet file there", path=name, expected="a folder of .parquet")
    files = [
        DataFile(info.path, hive_keys(info.path), f"{info.size}:{info.mtime_ns}")
        for info in files_found
    ]
    return Remote(name, files, digest(f"{info.path}:{info.mark}" for info in files), root, system)


def _found(filesystem: FileSystem, path: str, root: str) -> Iterator[FileInfo]:
    from pyarrow.fs import FileSelector, FileType

    if path == root:
        info = filesystem.get_file_info(path)
        if info.type == FileType.File:
            yield info
            return
    selector = FileSelector(root, recursive=True, allow_not_found=True)
    for info in filesystem.get_file_info(selector):
        wanted = path == root or fnmatch.fnmatchcase(info.path, path)
        plain = info.path.endswith(PARQUET) and not is_hidden(info.path, root)
        if info.type == FileType.File and wanted and plain:
            yield info
