"""What vectors of sentences tell of beads (after Thompson & Koehn 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from alignframe.arrays import F32, F64, I64
from alignframe.errors import InputError
from alignframe.kernels.bead_paths import Band, Steps
from alignframe.kernels.bead_vectors import add_cosines
from alignframe.kernels.ragged import frozen
from alignframe.sources import is_path

RANDOM = 2_000
"""How many random pairs of sentences are looked at."""

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
    """The vectors of both sides, one row per sentence."""

    src: F32
    tgt: F32

    def add(self, band: Band, steps: Steps, src: I64, tgt: I64) -> None:
        """Add what they tell to the scores of all beads; ``src`` and ``tgt`` are sure pairs."""
        draw = np.random.default_rng(0)
        n_src, n_tgt = len(self.src), len(self.tgt)
        sample = draw.integers(n_src, size=RANDOM), draw.integers(n_tgt, size=RANDOM)
        ones = _Runs(self.src, 1, self.tgt, 1, sample)
        pairs = (src, tgt)
        right = ones.far(*pairs) if src.size >= LEAST else np.empty(0)
        means = [float(right.mean()) if right.size else USUAL[0], 1.0]
        spreads = [float(right.std()) if right.size else USUAL[1], float(ones.far(*sample).std())]
        curve = _curve(means, [max(one, 0.02) for one in spreads])
        for (m, n), scores in zip(steps.sizes.tolist(), steps.scores, strict=True):
            if m <= n_src and n <= n_tgt:
                runs = _Runs(self.src, m, self.tgt, n, sample)
                weight = WEIGHT * (m + n) / 2
                add_cosines(
                    *band, m, n, *runs.arrays, frozen(weight * curve), weight * LIMIT, scores
                )


class _Runs:
    """Runs of m source and n target sentences by their last, and how far random ones are."""

    def __init__(self, src: F32, m: int, tgt: F32, n: int, sample: tuple[I64, I64]) -> None:
        self.src, self.tgt = _runs(src, m), _runs(tgt, n)
        first, second = self.src[sample[0]].mean(axis=0), self.tgt[sample[1]].mean(axis=0)
        self.src_random = 1.0 - (self.src @ second).astype(np.float64)
        self.tgt_random = 1.0 - (self.tgt @ first).astype(np.float64)

    @property
    def arrays(self) -> tuple[F32, F32, F64, F64]:
        """What the kernel takes."""
        return (
            *(frozen(self.src), frozen(self.tgt)),
            *(frozen(self.src_random), frozen(self.tgt_random)),
        )

    def far(self, src: I64, tgt: I64) -> F64:
        """Return the distances of pairs, 1 being that of random ones."""
        cosines = np.einsum("ij,ij->i", self.src[src], self.tgt[tgt]).astype(np.float64)
        found: F64 = (1.0 - cosines) / (0.5 * (self.src_random[src] + self.tgt_random[tgt]) + 1e-6)
        return found


def _runs(vectors: F32, size: int) -> F32:
    """Return the sum of each sentence's vector and those of ``size`` - 1 before, of length 1."""
    found = vectors.astype(np.float64)
    for back in range(1, size):
        found[back:] += vectors[:-back]
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    scaled: F32 = (found / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled


def _curve(means: list[float], spreads: list[float]) -> F64:
    """Return log(N(x; right) / N(x; random)) as a polynomial in x."""
    parts = [
        np.array([-0.5 * (mean / sd) ** 2 - np.log(sd), mean / sd**2, -0.5 / sd**2])
        for mean, sd in zip(means, spreads, strict=True)
    ]
    found: F64 = parts[0] - parts[1]
    return found


def vectors_of(src: Any, tgt: Any, n_src: int, n_tgt: int) -> Vectors:
    """Return the vectors of both sides of a document.

    Raises
    ------
    InputError
        If only one side is given, they are no rows of finite numbers, or not one per sentence.
    """
    if src is None or tgt is None:
        raise InputError("vectors of one side", expected="vectors of both sides or of neither")
    sides = [
        _read(one, size, name)
        for one, size, name in ((src, n_src, "source"), (tgt, n_tgt, "target"))
    ]
    if sides[0].shape[1] != sides[1].shape[1]:
        raise InputError(
            f"vectors of {sides[0].shape[1]:,} and {sides[1].shape[1]:,} numbers",
            expected="the same number on both sides, from the same model",
        )
    return Vectors(*sides)


def _read(given: Any, size: int, side: str) -> F32:
    """Return an array, an .npy file, or the lists of Parquet's only column, rows of length 1."""
    path: str | PathLike[str] | None = given if is_path(given) else None
    if path is not None:
        given = _file(path)
    try:
        found = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        found = np.empty(0, np.float32)
    if found.ndim != 2 or not found.shape[1]:
        raise InputError(
            f"{side} vectors that are not a table of numbers",
            path=path,
            expected="one row per sentence",
        )
    if len(found) != size:
        raise InputError(
            f"{len(found):,} {side} vectors for {size:,} sentences", path=path, expected="one each"
        )
    if not np.isfinite(found).all():
        raise InputError(f"a {side} vector that is not finite", path=path, expected="numbers")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    scaled: F32 = found / np.maximum(lengths, 1e-12)
    return scaled


def _file(path: str | PathLike[str]) -> Any:
    if not Path(path).is_file():
        raise InputError("does not exist", path=path, expected="vectors in .npy or Parquet")
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
