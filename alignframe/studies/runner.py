"""The runner of studies: settings become rows, in parallel, kept in a folder and resumed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.output import make_folder, replacing, table_writer
from alignframe.core.parallel import parallel_map, pool_of
from alignframe.core.portable import rounded
from alignframe.core.schemas import SIGNATURE
from alignframe.core.stopping import told_if_stopped
from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError
from alignframe.typing import FilePath, Progress, Threads

DIGITS = 6
"""Numbers count in digests by these digits of the largest: models have probabilities that were
trained in single precision, whose last bits follow the processor."""

ROWS = "rows"
"""The folder, within that of a study, with a file of rows for each finished setting."""

# Maximum number of unfinished settings that are named.
_NAMED = 5


@dataclass(frozen=True)
class Runner:
    """Rows of named settings, each computed once."""

    # Rows are written as soon as they are known, and read instead of computed again.
    folder: FilePath | None = None
    mark: str = ""  # every choice and text that rows depend on, as a signature
    own: Mapping[str, str] | None = None  # parts of it that belong to single settings, by name

    def rows(
        self,
        call: Callable[[Any], pl.DataFrame],
        settings: Mapping[str, Any],
        threads: Threads = None,
        progress: Progress | None = None,
    ) -> dict[str, pl.DataFrame]:
        """Return the rows of each setting, computed by ``call``, in order."""
        self.check(settings)
        files = {name: self._path(name) for name in settings}
        items = [(setting, files[name], self._mark(name)) for name, setting in settings.items()]
        rows_of: dict[str, pl.DataFrame] = {}
        # After an error or an interruption, finished settings stay; a note says which are not.
        with says_unfinished(self.folder, files):
            rows = parallel_map(_Kept(call), items, pool_of(threads))
            for name, frame in zip(settings, rows, strict=True):
                rows_of[name] = frame
                if progress is not None:
                    progress(len(rows_of), len(settings))
        return rows_of

    def check(self, settings: Mapping[str, Any]) -> list[str]:
        """Return the names of finished settings; refuse those of another study."""
        if self.folder is None:
            return []
        paths = {name: self._path(name) for name in settings}
        known = [name for name, path in paths.items() if path is not None and path.is_file()]
        for name in known:
            mark = _notes(paths[name]).get(SIGNATURE, "")
            if mark != self._mark(name):
                raise InputError(
                    f"has rows of {name!r} from another study, with different "
                    f"{_differences(mark, self._mark(name))}",
                    path=self.folder,
                    expected="rows of the same texts and options",
                    todo="use another folder, or delete this one",
                )
        make_folder(Path(self.folder, ROWS))
        return known

    def _mark(self, name: str) -> str:
        own = (self.own or {}).get(name)
        return f"{self.mark}|{own}" if own else self.mark

    def _path(self, name: str) -> Path | None:
        """Return the file of a setting: its name as far as files can have it, and a digest."""
        if self.folder is None:
            return None
        plain = re.sub(r"[^\w.+=-]+", "_", name, flags=re.ASCII)[:80]
        return Path(self.folder, ROWS, f"{plain}-{digest([pa.array([name])])}.parquet")


@contextmanager
def says_unfinished(folder: FilePath | None, files: Mapping[str, Path | None]) -> Iterator[None]:
    """Note on an exception what is not finished, given the file of each setting in a folder."""

    def unfinished() -> str:
        left = [name for name, path in files.items() if path and not path.is_file()]
        more = len(left) - _NAMED
        named = [*left[:_NAMED], *([f"{more:,} more"] if more > 0 else [])]
        said = (
            f"not finished: {len(left):,} of {len(files):,} ({'; '.join(named)}); what is "
            f"finished is kept in {folder}: run the same again to resume"
        )
        return said if left else ""

    with told_if_stopped(unfinished, BaseException):
        yield


@dataclass(frozen=True)
class _Kept:
    """Computes the rows of a setting unless its file exists; sent to workers."""

    call: Callable[[Any], pl.DataFrame]

    def __call__(self, item: tuple[Any, Path | None, str]) -> pl.DataFrame:
        setting, path, mark = item
        if path is not None and path.is_file():
            return pl.read_parquet(path)
        frame = self.call(setting)
        if path is not None:
            at_once = partial(replacing, at_once=True)
            with table_writer(path, signature=mark, opened=at_once) as write:
                write(frame)
        return frame


def packed(**tables: pl.DataFrame) -> pl.DataFrame:
    """Return several tables as the row of a setting; see ``unpacked``."""
    return pl.DataFrame({name: [table.to_struct()] for name, table in tables.items()})


def unpacked(row: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return one of the tables of a row made by ``packed``."""
    table: pl.DataFrame = row[name][0].struct.unnest()
    return table


def finished(folder: FilePath) -> int:
    """Return the number of settings whose rows are in a folder."""
    return sum(1 for _ in Path(folder, ROWS).glob("*.parquet"))


def _differences(mark: str, other: str) -> str:
    """Return the keys for which two signatures differ."""
    parts = [dict(part.partition(":")[::2] for part in text.split("|")) for text in (mark, other)]
    names = [name for name in {**parts[0], **parts[1]} if parts[0].get(name) != parts[1].get(name)]
    return ", ".join(names) or "its signature"


def whole_means(names: Sequence[str]) -> list[pl.Expr]:
    """Return the mean of each column over the rows of a group; null if any of them is null."""
    return [
        pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).mean()).alias(name)
        for name in names
    ]


def digest(columns: Iterable[Any]) -> str:
    """Return a digest of columns of numbers, rounded, and of sentences, whole or in words."""
    hashed = hashlib.blake2b(digest_size=4)
    for column in columns:
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if isinstance(whole, np.ndarray):
            if whole.dtype.kind == "f":
                whole = rounded(whole, DIGITS)
            hashed.update(np.ascontiguousarray(whole).data)
        elif pa.types.is_string(whole.type) or pa.types.is_large_string(whole.type):
            hashed.update("\n".join(text or "" for text in whole.to_pylist()).encode())
        else:
            hashed.update(np.ascontiguousarray(list_lengths(whole)).data)
            hashed.update(" ".join(word or "" for word in whole.flatten().to_pylist()).encode())
    return hashed.hexdigest()


def _notes(path: Path | None) -> dict[str, str]:
    try:
        return pl.read_parquet_metadata(path or "")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"cannot be read as Parquet ({error})", path=path, todo="delete it, and run again"
        ) from None
