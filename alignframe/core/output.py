"""Writing files: each appears whole or not at all, and tables in any of their formats.

A file is written under a hidden name beside its own, and renamed once it is complete. What a killed
process left goes at the next write to its folder.
"""

from __future__ import annotations

import atexit
import errno
import gzip
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from hashlib import blake2b
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from alignframe.core.choices import COMPRESSED, PARQUET, SEPARATORS
from alignframe.core.suffixes import TABLE
from alignframe.errors import InputError, check_known

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


# Rows of a row group of Parquet.
_ROWS = 1 << 18

# Bytes of the name of a file, on all systems.
_LONGEST = 255

# The complete drafts that wait for their names, with these; see ``together``.
_DRAFTS: ContextVar[list[tuple[Path, Path]] | None] = ContextVar("_DRAFTS", default=None)

WRITTEN_LISTENERS: list[Callable[[Path], None]] = []
"""Called with each file that has got its name, but those written at once (see ``replacing``)."""


def make_folder(path: Path) -> None:
    """Make a folder and those it is in; raise an InputError if that fails."""
    with refusing(path, "made"):
        path.mkdir(parents=True, exist_ok=True)


def file_name(name: str, suffix: str = "") -> str:
    """Return the name of a file, or folder, called after data: whole as far as files can have it.

    A longer one is cut, and a digest tells it from others that begin alike.
    """
    data = os.fsencode(name)
    if len(data) + len(suffix) <= _LONGEST:
        return name + suffix
    mark = f"-{blake2b(data, digest_size=8).hexdigest()}{suffix}"
    cut = data[: _LONGEST - len(mark)].decode("utf-8", "ignore")
    return re.sub("%[0-9A-F]?$", "", cut) + mark  # in percent-encoded text, no half of a byte


def check_table(path: str | PathLike[str], format: str | None = None) -> str:
    """Return the suffix of a table's format, by default that of its path; refuse any other."""
    if format is not None:
        check_known("`format`", format, TABLE.suffixes)
    return f".{TABLE.chosen(path, format)}"


def check_columns(path: str | PathLike[str], suffix: str, schema: pa.Schema) -> None:
    """Refuse columns of lists or structs in separated cells."""
    import pyarrow as pa

    nested = [field.name for field in schema if pa.types.is_nested(field.type)]
    if suffix in SEPARATORS and nested:
        raise InputError(
            f"the column {nested[0]}, which holds lists or structs, for the suffix {suffix!r}",
            path=path,
            expected=".parquet or .jsonl",
        )


def write_table(
    table: pl.DataFrame | pa.Table,
    path: str | PathLike[str],
    format: str | None = None,
    *,
    signature: str | None = None,
) -> None:
    """Write an Arrow table or a polars frame; see ``table_writer``."""
    with table_writer(path, format, signature=signature) as write:
        write(table)


@contextmanager
def table_writer(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    signature: str | None = None,
    schema: pa.Schema | None = None,
    rows: int = _ROWS,
    footer: Callable[[], Mapping[str, str]] | None = None,
    opened: Callable[..., AbstractContextManager[BinaryIO]] | None = None,
) -> Iterator[Callable[[pl.DataFrame | pa.Table], None]]:
    """Open a writer for a table in pieces: Arrow tables, batches or polars frames of one schema.

    Parquet keeps the notes of an Arrow schema and the signature, by default that of a constant
    column ``signature`` if there are no notes; ``footer`` returns notes that are known only at the
    end. ``schema`` is needed if there may be no pieces. ``opened`` opens the file, by default
    ``replacing``.
    """
    suffix = check_table(path, format)
    with (opened or replacing)(path) as out, ExitStack() as stack:
        parquet = None
        first = True

        def write(piece: pl.DataFrame | pa.Table) -> None:
            nonlocal parquet, first
            import polars as pl
            import pyarrow.parquet as pq

            table = _arrow(piece)
            if first:
                check_columns(path, suffix, table.schema)
            if suffix in PARQUET:
                if parquet is None:
                    kept = _with_notes(table, signature)
                    repeated = _repeated(kept)
                    parquet = stack.enter_context(
                        pq.ParquetWriter(out, kept, compression="zstd", use_dictionary=repeated)
                    )
                parquet.write_table(table.cast(parquet.schema), row_group_size=rows)
            else:
                frame = piece if isinstance(piece, pl.DataFrame) else pl.DataFrame(table)
                if suffix in SEPARATORS:
                    mark = SEPARATORS[suffix]
                    frame.write_csv(out, separator=mark, include_header=first)
                else:
                    frame.write_ndjson(out)
            first = False

        yield write
        if first:
            if schema is None:
                raise AssertionError(f"no rows and no schema for {path}")
            write(schema.empty_table())
        if parquet is not None and footer is not None:
            parquet.add_key_value_metadata(footer())


def _arrow(piece: pl.DataFrame | pa.Table | pa.RecordBatch) -> pa.Table:
    """Return a piece as an Arrow table with types that every reader of Parquet knows."""
    import polars as pl
    import pyarrow as pa

    oldest = pl.CompatLevel.oldest()
    if isinstance(piece, pl.DataFrame):
        return piece.to_arrow(compat_level=oldest)
    table = pa.Table.from_batches([piece]) if isinstance(piece, pa.RecordBatch) else piece
    for at, field in enumerate(table.schema):
        if "_view" in str(field.type):  # PyArrow cannot write them in row groups
            plain = pl.Series(field.name, table[at]).to_arrow(compat_level=oldest)
            table = table.set_column(at, field.name, plain)
    return table


def _repeated(schema: pa.Schema) -> list[str] | bool:
    """Return the columns whose values repeat: a dictionary of others takes time and space."""
    import pyarrow as pa

    if any(pa.types.is_nested(field.type) for field in schema):
        return True
    return [
        field.name
        for field in schema
        if not pa.types.is_floating(field.type) and field.name != "sid"
    ]


def _with_notes(table: pa.Table, signature: str | None) -> pa.Schema:
    """Return the schema with the notes that Parquet is to keep."""
    from alignframe.core.schemas import SIGNATURE, notes_of

    kept: dict[str | bytes, str | bytes] = dict(notes_of(table.schema).items())
    if signature is None and "signature" in table.column_names and not kept:
        marks = table["signature"].unique().to_pylist()
        signature = marks[0] if len(marks) == 1 else None
    return table.schema.with_metadata(kept | ({} if signature is None else {SIGNATURE: signature}))


@contextmanager
def together() -> Iterator[None]:
    """Give all files written inside their names at the end, if none of them fails."""
    if _DRAFTS.get() is not None:
        yield
        return
    drafts: list[tuple[Path, Path]] = []
    token = _DRAFTS.set(drafts)
    try:
        yield
        for draft, target in drafts:
            with refusing(target):
                _name(draft, target)
    finally:
        _DRAFTS.reset(token)
        for draft, _ in drafts:
            _forget(draft)


@contextmanager
def replacing(path: str | PathLike[str], *, at_once: bool = False) -> Iterator[BinaryIO]:
    """Open a file that gets its name only once it is complete; ``-`` is standard output.

    An existing file's mode is kept. For a symbolic link, its target is replaced; a device or a pipe
    is written directly. With ``at_once``, it does not wait for others; see ``together``.
    """
    name = fspath(path)
    waiting = None if at_once else _DRAFTS.get()
    with (
        refusing(name),
        _opened(name, waiting, at_once=at_once) as out,
        _packed(name, out) as packed,
    ):
        yield packed


@contextmanager
def _packed(name: str, out: BinaryIO) -> Iterator[Any]:
    """Compress what is written, if the suffix of the file says so."""
    packer = COMPRESSED.get(Path(name).suffix.lower())
    if packer is None:
        yield out
    elif packer == "gzip":
        with gzip.GzipFile("", "wb", 6, out, mtime=0) as packed:  # the same bytes at any time
            yield packed
    else:
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(out, mode="w"), packer) as packed:
            yield packed


@contextmanager
def _opened(
    name: str, waiting: list[tuple[Path, Path]] | None, *, at_once: bool
) -> Iterator[BinaryIO]:
    if name == "-":
        if sys.stdout is None:
            raise unwritable_output(OSError(errno.EBADF, "closed"))
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if Path(name).is_dir():
        raise InputError("is a folder", path=name, expected="a file to write")
    if re.match(r"[a-z][a-z0-9+.-]+:/", name):
        raise InputError("is an address", path=name, expected="a file on this machine to write")
    if Path(name).exists() and not Path(name).is_file():
        with Path(name).open("wb") as out:
            yield out
        return
    target = Path(os.path.realpath(name))
    draft = target.with_name(f"{_draft_name()}{os.getpid()}-{os.urandom(4).hex()}.tmp")
    _sweep_once(target.parent)
    try:
        out = draft.open("wb")
    except FileNotFoundError:
        raise InputError("its folder does not exist", path=name) from None
    atexit.register(draft.unlink, missing_ok=True)  # removed if the command is killed
    try:
        with out:
            if target.exists():
                with suppress(OSError):  # some file systems have no modes
                    shutil.copymode(target, draft)
            yield out
        if at_once:
            draft.replace(target)
        elif waiting is None:
            _name(draft, target)
        else:
            waiting.append((draft, target))
    finally:
        if waiting is None or (draft, target) not in waiting:
            _forget(draft)


def _name(draft: Path, target: Path) -> None:
    draft.replace(target)
    for heard in WRITTEN_LISTENERS:
        heard(target)


def _forget(draft: Path) -> None:
    draft.unlink(missing_ok=True)
    atexit.unregister(draft.unlink)


@contextmanager
def refusing(path: str | PathLike[str], done: str = "written") -> Iterator[None]:
    """Turn errors of writing a file into InputErrors."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has closed the pipe
    except OSError as error:
        if path == "-":
            raise unwritable_output(error) from None
        raise InputError(f"cannot be {done} ({error.strerror or error})", path=path) from None


def unwritable_output(error: OSError) -> InputError:
    """Return what to say if standard output cannot be written."""
    place = "standard output"
    if error.errno == errno.EBADF:
        return InputError("is closed", path=place, expected="a file, a pipe or a terminal")
    return InputError(f"cannot be written ({error.strerror or error})", path=place)


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Remove those files of a folder that killed processes of this machine have left."""
    for name in names:
        if not (name.startswith(_draft_name()) and name.endswith(".tmp")):
            continue
        pid = name.removeprefix(_draft_name()).partition("-")[0]
        if pid.isdigit() and not is_running(int(pid)):
            with suppress(OSError):
                (folder / name).unlink()


@cache
def _sweep_once(folder: Path) -> None:
    with suppress(OSError):
        sweep(folder, [path.name for path in folder.iterdir()])


@cache
def _draft_name() -> str:
    """Return what the names of unfinished files of this machine begin with."""
    import socket  # which --help does without

    return f".alignframe-{socket.gethostname()}-"


def is_running(pid: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
