"""Lists of sentence numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import pyarrow as pa

from alignframe.arrays import I64
from alignframe.arrow import require_columns, sentence_column
from alignframe.choices import SEPARATORS
from alignframe.errors import InputError
from alignframe.formats.lines import csv_rows, numbered_lines
from alignframe.parquet import ParquetFiles, is_parquet

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def read_sids(path: str | PathLike[str]) -> I64:
    """Read sentence numbers from text, one per line, or from a table with a column sid."""
    if is_parquet(path):
        files = ParquetFiles(path)
        require_columns(files.schema, ["sid"], fspath(path))
        read = [sentence_column(batch) for batch in files.batches(["sid"])]
        found = np.concatenate(read) if read else np.zeros(0, np.int64)
    else:
        mark = SEPARATORS.get(Path(path).suffix.lower())
        rows = numbered_lines(path, "utf-8") if mark is None else _cells(path, mark)
        texts = ((line, text.strip()) for line, text in rows)
        found = np.array([_number(text, path, line) for line, text in texts if text], np.int64)
    if not found.size:
        raise InputError(
            "the file has no sentence numbers", path=path, expected="one number per line"
        )
    return found


def _cells(path: str | PathLike[str], mark: str) -> Iterator[tuple[int, str]]:
    """Yield the column sid of separated values, with the number of each line."""
    rows = csv_rows(path, mark)
    _, heads = next(rows)
    require_columns(pa.schema([(head, pa.string()) for head in heads]), ["sid"], fspath(path))
    at = heads.index("sid")
    for line, cells in rows:
        yield line, cells[at] or "nothing"


def _number(text: str, path: str | PathLike[str], line: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise InputError(
            f"{text!r} is not a sentence number", path=path, line=line, expected="a whole number"
        )
    return int(text)
