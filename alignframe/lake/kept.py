"""Copies of small inputs, so that pages show links and translations that were overwritten."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from alignframe.lake.plan import Task
from alignframe.lake.units import unit_name
from alignframe.read.parquet import ParquetFiles
from alignframe.stores import DataFile, Keys, Output, Store
from alignframe.stores.store import digest, file_mark

EVIDENCE = ("score", "tesla")
"""The jobs whose pages show sentences with their links or translations."""
MAX_BYTES = 1 << 19
"""The largest input of a unit that is kept: links of 15,000 sentences, or 6,000 translations."""
VERSIONS = 10
"""How many versions of a unit's input are kept: those of as many runs as pages show."""


def keep_inputs(output: Output, first: str, tasks: Iterable[Task]) -> None:
    """Copy the first input of units just counted, if it is small, and drop the oldest copies.

    Tables keep their versions themselves.
    """
    for task in tasks:
        part = task.unit.inputs[first] if task.unit is not None else None
        if part is None or part.store.table is not None or part.store.filesystem is not None:
            continue
        # A page without them is better than a run that fails, such as on a full disk.
        with suppress(OSError):
            if sum(os.stat(file.path).st_size for file in part.files()) <= MAX_BYTES:  # noqa: PTH116
                _keep(_home(output, task.keys, task.stamps[first]), part.files())


def kept_input(output: Output, keys: Keys, mark: str) -> ParquetFiles | None:
    """Return the copy of the first input of a unit that had a mark; None if there is none."""
    home = _home(output, keys, mark)
    files = [DataFile(str(path), keys) for path in sorted(home.glob("*.past"))]
    store = Store(str(home), files, mark, str(home))
    return ParquetFiles(str(home), part=(store, files, ())) if files else None


def _home(output: Output, keys: Keys, mark: str) -> Path:
    return Path(output.folder.full(f"_alignframe/inputs/{digest([unit_name(keys)])}/{mark}"))


def _keep(home: Path, files: Iterable[DataFile]) -> None:
    if not home.exists():
        draft = home.with_suffix(".draft")
        shutil.rmtree(draft, ignore_errors=True)  # of a run that was killed
        draft.mkdir(parents=True)
        for number, file in enumerate(files):
            # Globs such as *.parquet do not find it.
            copy = shutil.copy2(file.path, draft / f"{number:06}.past")
            if file_mark(copy) != file.mark:  # it has changed since it was counted
                shutil.rmtree(draft)
                return
        draft.rename(home)
    os.utime(home)
    copies = list(home.parent.iterdir())
    if len(copies) > VERSIONS:
        for old in sorted(copies, key=lambda copy: copy.stat().st_mtime_ns)[:-VERSIONS]:
            shutil.rmtree(old)
