"""Reading sentence embeddings: arrays, NumPy files, Parquet and numbers without a header."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F32, F64, Array
from alignframe.errors import InputError, in_file
from alignframe.sources.source import is_path
from alignframe.stores.footers import open_parquet

BARE = (".emb", ".bin", ".raw")
"""Suffixes of headerless 32-bit numbers, as written by programs that embed overlaps."""

KNOWN = "vectors in .npy, .emb or Parquet"

SQUARED = 1e15
"""Numbers above this, or below its inverse, are scaled before they are squared."""

SPREAD = 1e-5
"""The median of the numbers of embeddings, beside the largest of them, is above this.

In other kinds of numbers (16 or 64 bits, big-endian), read as 32 bits, it is below.
"""

LOOKED_AT = 100_000
"""The number of values sampled for this check."""


def read_vectors(given: object, size: int, side: str, what: str) -> F32:
    """Return the vectors of ``size`` texts, (texts, dimensions), of unit length or zero."""
    with in_file(given):
        return _checked(_file(given, size) if is_path(given) else _array(given), size, side, what)


def _checked(rows: Array, size: int, side: str, what: str) -> F32:
    if not size and not rows.size:
        return np.zeros((0, 0), np.float32)
    if rows.ndim != 2 or not rows.shape[1] or rows.dtype.kind not in "biuf":
        raise InputError(
            f"{side} vectors that are not a table of numbers",
            expected=f"one row per {what[:-1]}",
        )
    if len(rows) != size:
        raise InputError(f"{len(rows):,} {side} vectors for {size:,} {what}", expected="one each")
    # An extreme of a row that has a NaN is one.
    highest, lowest = (rows.max(axis=1), rows.min(axis=1))
    wrong = np.flatnonzero(~(np.isfinite(highest) & np.isfinite(lowest)))
    if wrong.size:
        raise InputError(
            f"{side} vector {wrong[0] + 1:,} of {size:,} is not finite",
            expected="numbers",
        )
    largest = np.maximum(highest.astype(np.float64), -lowest.astype(np.float64))
    if largest.max() > SQUARED or largest[largest > 0.0].min(initial=np.inf) < 1.0 / SQUARED:
        # Squares of extreme numbers would overflow, or vanish.
        rows = rows / np.where(largest > 0.0, largest, 1.0)[:, None]
    return unit(np.asarray(rows, np.float32))


def unit(vectors: F64 | F32) -> F32:
    """Return rows at unit length; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: F32 = (vectors / np.maximum(lengths, 1e-30)).astype(np.float32, copy=False)
    return scaled


def _array(given: object) -> Array:
    """Return a value as an array, or an empty one if it cannot be converted."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError):  # rows of several lengths
        return np.empty(0, object)


def _file(path: str | PathLike[str], size: int) -> Array:
    """Return the contents of a file; numbers without a header become ``size`` rows."""
    if not Path(path).is_file():
        what = "is a folder" if Path(path).is_dir() else "does not exist"
        raise InputError(what, expected=KNOWN)
    suffix = Path(path).suffix.lower()
    if suffix in BARE:
        return _bare(path, size)
    return _numpy(path) if suffix == ".npy" else _parquet(path)


def _bare(path: str | PathLike[str], size: int) -> F32:
    """Return 32-bit numbers without a header as ``size`` rows."""
    length = Path(path).stat().st_size
    if length % (4 * size) if size else length:
        raise InputError(
            f"{length:,} bytes for {size:,} texts",
            expected="the same number of 32-bit values for each, without a header",
        )
    numbers = np.fromfile(path, "<f4")
    some = np.abs(numbers[:LOOKED_AT])
    some = some[np.isfinite(some) & (some > 0.0)]
    if some.size and np.median(some) < SPREAD * some.max():
        raise InputError(
            "most numbers are tiny compared to the largest",
            expected="32-bit little-endian numbers, without a header",
            todo="save vectors of other numbers as .npy",
        )
    return numbers.reshape(size, -1) if size else numbers


def _numpy(path: str | PathLike[str]) -> Array:
    """Return the array of an .npy file."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        what = "holds Python objects" if "Object arrays" in str(error) else "is not a NumPy array"
        raise InputError(what, expected="a table of numbers in .npy") from None
    if not isinstance(array, np.ndarray):
        raise InputError("is an archive of arrays", expected="a table of numbers in .npy")
    return array


def _parquet(path: str | PathLike[str]) -> Any:
    """Return the numbers of the only column, without a Python object for each."""
    with open_parquet(path, KNOWN) as file:
        table = file.read()
    if table.num_columns != 1:
        raise InputError(f"{table.num_columns} columns", expected="one column, of lists of numbers")
    rows = table.column(0).combine_chunks()
    if not isinstance(rows, (pa.ListArray, pa.LargeListArray, pa.FixedSizeListArray)):
        return np.empty(0)
    lengths = pc.unique(pc.list_value_length(rows)).to_pylist()
    if len(lengths) > 1 or None in lengths:
        raise InputError(
            "lists of several lengths", expected="the same number of values in each row"
        )
    return rows.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), *lengths)
