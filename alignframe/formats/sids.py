"""Lists of sentence numbers."""

from __future__ import annotations

import re
from os import PathLike

import numpy as np

from alignframe.arrays import I64
from alignframe.arrow import require_columns, sentence_column
from alignframe.choices import TABLES
from alignframe.errors import InputError, in_file
from alignframe.read.lines import TextFile
from alignframe.read.opening import table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.read.tables import LINE, read_table, whole_numbers

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def read_sids(path: str | PathLike[str]) -> I64:
    """Read sentence numbers from text, one per line, or from a table with a column sid."""
    with in_file(path):
        if is_parquet(path):
            files = ParquetFiles(path)
            require_columns(files.schema, ["sid"], "the list of sentences")
            parts = [sentence_column(batch) for batch in files.batches(["sid"])]
            sids = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        elif table_suffix(path) in TABLES:
            frame = read_table(path, "a list of sentences")
            require_columns(
                frame.drop(LINE, strict=False).to_arrow().schema, ["sid"], "the list of sentences"
            )
            sids = whole_numbers(frame, "sid", 0).to_numpy()
        else:
            texts = ((line, text.strip()) for line, text in TextFile(path, "utf-8").lines())
            sids = np.array([_number(text, line) for line, text in texts if text], np.int64)
        if not sids.size:
            raise InputError("the file has no sentence numbers", expected="one number per line")
        return sids


def _number(text: str, line: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{text!r} is not a sentence number", line=line, expected="a whole number")
    return int(text)
