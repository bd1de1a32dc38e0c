"""Evidence for beads from sentence embeddings (after Thompson & Koehn 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.arrays import F32, F64, I64
from alignframe.errors import InputError
from alignframe.kernels.bead_paths import REACH, Band, Steps
from alignframe.kernels.bead_vectors import add_cosines
from alignframe.kernels.ragged import frozen
from alignframe.sources import is_path, text_array

BARE = (".emb", ".bin", ".raw")
"""Suffixes of 32-bit numbers without a header, as programs that embed overlaps write them."""

BLANK = "BLANK_LINE"
"""What stands for a sentence without words in overlaps made by Vecalign."""

MOST_LETTERS = 10_000
"""Vecalign cuts longer overlaps."""

RANDOM = 2_000
"""Number of random pairs of sentences."""

LEAST = 10
"""The fewest sure pairs from which it is learnt how near translations are."""

USUAL = (0.6, 0.2)
"""Mean and standard deviation of the distances of translations before anything is learnt, where 1
is that of random pairs."""

LIMIT = 12.0
"""The most that the vectors of a bead tell, as a logarithm."""

WEIGHT = 0.2
"""What vectors count beside words, which say the same in part; times the mean number of sentences
of both sides, or beads of several would be told less of than the single ones they hold."""


@dataclass(frozen=True)
class Vectors:
    """The vectors of both sides, of runs of 1, 2, ... sentences by their last sentence.

    Rows have unit length, or are NaN for runs with an empty sentence. Runs longer than those given
    have the sums of their sentences' vectors.
    """

    src: tuple[F32, ...]
    tgt: tuple[F32, ...]

    @cached_property
    def sample(self) -> tuple[I64, I64]:
        """Random pairs of non-empty sentences."""
        draw = np.random.default_rng(0)
        src, tgt = (np.flatnonzero(~np.isnan(side[0][:, 0])) for side in (self.src, self.tgt))
        size = RANDOM if src.size and tgt.size else 0
        return (
            src[draw.integers(max(src.size, 1), size=size)],
            tgt[draw.integers(max(tgt.size, 1), size=size)],
        )

    def runs(self, m: int, n: int) -> Runs:
        """Return runs of m source and n target sentences."""
        return Runs(_runs(self.src, m), _runs(self.tgt, n), *self.sample)

    def add(self, band: Band, steps: Steps, src: I64, tgt: I64) -> None:
        """Add their evidence to the scores of all beads; ``src`` and ``tgt`` are certain pairs."""
        ones = self.runs(1, 1)
        right = ones.far(src, tgt) if src.size >= LEAST else np.empty(0)
        means = [float(right.mean()) if right.size else USUAL[0], 1.0]
        random = float(ones.far(*self.sample).std())
        spreads = [float(right.std()) if right.size else USUAL[1], random]
        curve = _curve(means, [max(one, 0.02) for one in spreads])
        for (m, n), scores in zip(steps.sizes.tolist(), steps.scores, strict=True):
            if m <= len(self.src[0]) and n <= len(self.tgt[0]):
                weight = WEIGHT * (m + n) / 2
                told = (frozen(weight * curve), weight * LIMIT)
                add_cosines(*band, m, n, *self.runs(m, n).arrays, *told, scores)

    def halved(self) -> Vectors:
        """Return the vectors of every two adjacent sentences."""
        return Vectors(*((_halved(side[0]),) for side in (self.src, self.tgt)))


class Runs:
    """Runs of m source and n target sentences by their last, and mean distances of random ones."""

    def __init__(self, src: F32, tgt: F32, some: I64, others: I64) -> None:
        self.src, self.tgt = src, tgt
        first, second = _mean(src, some), _mean(tgt, others)
        self.src_random = 1.0 - (self.src @ second).astype(np.float64)
        self.tgt_random = 1.0 - (self.tgt @ first).astype(np.float64)

    @property
    def arrays(self) -> tuple[F32, F32, F64, F64]:
        """The arrays for the kernel."""
        return (
            *(frozen(self.src), frozen(self.tgt)),
            *(frozen(self.src_random), frozen(self.tgt_random)),
        )

    def far(self, src: I64, tgt: I64) -> F64:
        """Return the distances of pairs, normalized to 1 for random pairs."""
        cosines = np.einsum("ij,ij->i", self.src[src], self.tgt[tgt]).astype(np.float64)
        found: F64 = (1.0 - cosines) / (0.5 * (self.src_random[src] + self.tgt_random[tgt]) + 1e-6)
        return found


def _runs(given: tuple[F32, ...], size: int) -> F32:
    """Return the vector of each run of ``size`` sentences, by its last sentence."""
    if size <= len(given):
        return given[size - 1]
    vectors = given[0]
    found = vectors.astype(np.float64)
    for back in range(1, size):
        found[back:] += vectors[:-back]
    return unit(found)


def _mean(vectors: F32, rows: I64) -> F32:
    """Return the mean of some vectors, ignoring empty sentences."""
    known = vectors[rows]
    known = known[~np.isnan(known[:, 0])]
    mean: F32 = known.mean(axis=0) if len(known) else np.zeros(vectors.shape[1], np.float32)
    return mean


def _halved(vectors: F32) -> F32:
    """Return the sums of every two rows, with a last single row if odd, at unit length."""
    known = np.nan_to_num(vectors).astype(np.float64)
    return unit(np.add.reduceat(known, np.arange(0, len(known), 2), axis=0))


def unit(vectors: F64 | F32) -> F32:
    """Return rows at unit length; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: F32 = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled


def _curve(means: list[float], spreads: list[float]) -> F64:
    """Return log(N(x; right) / N(x; random)) as a polynomial in x."""
    parts = [
        np.array([-0.5 * (mean / sd) ** 2 - np.log(sd), mean / sd**2, -0.5 / sd**2])
        for mean, sd in zip(means, spreads, strict=True)
    ]
    found: F64 = parts[0] - parts[1]
    return found


def vectors_of(given: Sequence[Any], overlaps: Sequence[Any], sides: Sequence[Any]) -> Vectors:
    """Return the vectors of both sides of a document.

    Parameters
    ----------
    given
        The vectors of each side, as an array or a file.
    overlaps
        The texts of the runs of sentences, one per row; None if the rows are sentences.
    sides
        The sentences.

    Raises
    ------
    InputError
        If only one side is given, they are not rows of finite numbers, one per sentence or run, or
        a sentence is not among the runs.
    """
    if any(one is None for one in given):
        raise InputError("vectors of one side", expected="vectors of both sides or of neither")
    found = [
        _of_side(one, runs, texts, name)
        for one, runs, texts, name in zip(given, overlaps, sides, ("source", "target"), strict=True)
    ]
    src, tgt = found
    if src[0].shape[1] != tgt[0].shape[1]:
        raise InputError(
            f"vectors of {src[0].shape[1]:,} and {tgt[0].shape[1]:,} numbers",
            expected="the same number on both sides, from the same model",
        )
    return Vectors(src, tgt)


def _of_side(given: Any, overlaps: Any, texts: pa.Array, side: str) -> tuple[F32, ...]:
    sentences = [(text or "").strip() for text in texts.to_pylist()]
    if overlaps is None:
        runs: tuple[F32, ...] = (_read(given, len(sentences), side, "sentences"),)
    else:
        lines = text_array(overlaps, f"the {side} overlaps").to_pylist()
        runs = _looked_up(_read(given, len(lines), side, "overlaps"), lines, sentences, side)
    blank = np.flatnonzero([not text for text in sentences])
    if blank.size:
        runs = tuple(run.copy() for run in runs)
    for size, run in enumerate(runs, 1):
        for back in range(size):
            run[(blank + back)[blank + back < len(run)]] = np.nan
    return runs


def _looked_up(
    vectors: F32, lines: list[str | None], sentences: list[str], side: str
) -> tuple[F32, ...]:
    """Return the vectors of all runs with as many sentences as the overlaps have."""
    rows = {(line or "").strip(): row for row, line in enumerate(lines)}
    words = [text or BLANK for text in sentences]
    found: list[F32] = []
    for size in range(1, REACH + 1):
        runs = [" ".join(words[end - size : end]) for end in range(size, len(words) + 1)]
        at = [rows.get(run[:MOST_LETTERS].strip(), -1) for run in runs]
        missing = [k for k, row in enumerate(at) if row < 0 and sentences[k]]
        if missing and size == 1:
            raise InputError(
                f"{len(missing):,} of {len(runs):,} {side} sentences are not among the overlaps, "
                f"the first of them sentence {missing[0] + 1}: {runs[missing[0]][:60]!r}",
                expected="the runs of 1, 2, ... sentences, joined by spaces, one per line",
            )
        if missing or not runs:
            break
        whole = np.full((len(words), vectors.shape[1]), np.nan, np.float32)
        whole[size - 1 :] = vectors[at]
        found.append(whole)
    return tuple(found)


def _read(given: Any, size: int, side: str, what: str) -> F32:
    """Return an array or a file as rows of unit length, one for each of ``size`` texts."""
    path: str | PathLike[str] | None = given if is_path(given) else None
    if path is not None:
        given = _file(path, size)
    try:
        found = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        found = np.empty(0, np.float32)
    if found.ndim != 2 or not found.shape[1]:
        raise InputError(
            f"{side} vectors that are not a table of numbers",
            path=path,
            expected=f"one row per {what[:-1]}",
        )
    if len(found) != size:
        raise InputError(
            f"{len(found):,} {side} vectors for {size:,} {what}", path=path, expected="one each"
        )
    if not np.isfinite(found).all():
        raise InputError(f"a {side} vector that is not finite", path=path, expected="numbers")
    return unit(found)


def _file(path: str | PathLike[str], size: int) -> Any:
    """Return the rows of an .npy file, a Parquet column, or ``size`` rows of raw floats."""
    if not Path(path).is_file():
        raise InputError("does not exist", path=path, expected="vectors in .npy, .emb or Parquet")
    if Path(path).suffix.lower() in BARE:
        numbers = np.fromfile(path, np.float32)
        if not size or numbers.size % size:
            raise InputError(
                f"{numbers.size:,} numbers for {size:,} texts",
                path=path,
                expected="as many 32-bit numbers for each, without a header",
            )
        return numbers.reshape(size, -1)
    if Path(path).suffix.lower() == ".npy":
        try:
            return np.load(path, allow_pickle=False)
        except (ValueError, EOFError):
            raise InputError("is not a NumPy array", path=path, expected=".npy") from None
    from alignframe.parquet import open_parquet

    with open_parquet(path, "vectors in .npy or Parquet") as file:
        table = file.read()
    if table.num_columns != 1:
        raise InputError(
            f"{table.num_columns} columns", path=path, expected="one column, of lists of numbers"
        )
    return table.column(0).to_pylist()
