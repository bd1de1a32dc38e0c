"""Evidence for beads from sentence embeddings (after Thompson & Koehn 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike

import numpy as np
import pyarrow as pa

from alignframe.beads.vector_files import read_vectors, unit
from alignframe.core.arrays import F32, F64, I64, frozen
from alignframe.core.portable import product
from alignframe.errors import InputError, number_of, warn
from alignframe.kernels.beads import scores as kernel
from alignframe.kernels.beads.paths import REACH, Band, Steps
from alignframe.sources.source import is_path
from alignframe.sources.texts import text_array

BLANK = "BLANK_LINE"
"""The line for a sentence without words in overlaps made by Vecalign."""

MOST_LETTERS = 10_000
"""Vecalign truncates longer overlaps."""

RANDOM = 2_000
"""Number of random pairs of sentences."""

LEAST = 10
"""The minimum number of certain pairs for estimating the distances of translations."""

USUAL = (0.6, 0.2)
"""Initial mean and standard deviation of the distances of translations, relative to random
pairs."""

LIMIT = 12.0
"""The maximum score of a bead's vectors, as a logarithm."""

WEIGHT = 0.2
"""The weight of vectors beside words, with which they are correlated. It is multiplied by the mean
number of sentences of both sides, so that large beads count as much as the single ones they
replace."""


@dataclass(frozen=True)
class Vectors:
    """The vectors of both sides, of runs of 1, 2, ... sentences by their last sentence."""

    # Rows have unit length, or are NaN for runs with an empty sentence. Runs longer than those
    # given have the sums of their sentences' vectors.
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
        curve = _curve(means, [max(spread, 0.02) for spread in spreads])
        for (m, n), scores in zip(steps.sizes.tolist(), steps.scores, strict=True):
            if m <= len(self.src[0]) and n <= len(self.tgt[0]):
                weight = WEIGHT * (m + n) / 2
                evidence = (frozen(weight * curve), weight * LIMIT)
                kernel.add_cosines(band, m, n, self.runs(m, n).arrays, *evidence, scores)

    def halved(self) -> Vectors:
        """Return the vectors of every two adjacent sentences."""
        return Vectors(*((_halved(side[0]),) for side in (self.src, self.tgt)))


class Runs:
    """Runs of m source and n target sentences by their last, and mean distances of random ones."""

    def __init__(self, src: F32, tgt: F32, some: I64, others: I64) -> None:
        self.src, self.tgt = src, tgt
        first, second = _mean(src, some), _mean(tgt, others)
        self.src_random = 1.0 - product(self.src, second).astype(np.float64)
        self.tgt_random = 1.0 - product(self.tgt, first).astype(np.float64)

    @property
    def arrays(self) -> kernel.Runs:
        """The arrays for the kernel."""
        return kernel.Runs(
            *(frozen(self.src), frozen(self.tgt)),
            *(frozen(self.src_random), frozen(self.tgt_random)),
        )

    def far(self, src: I64, tgt: I64) -> F64:
        """Return the distances of pairs, normalised to 1 for random pairs."""
        cosines = np.einsum("ij,ij->i", self.src[src], self.tgt[tgt]).astype(np.float64)
        distances: F64 = (1.0 - cosines) / (
            0.5 * (self.src_random[src] + self.tgt_random[tgt]) + 1e-6
        )
        return distances


def _runs(given: tuple[F32, ...], size: int) -> F32:
    """Return the vector of each run of ``size`` sentences, by its last sentence."""
    if size <= len(given):
        return given[size - 1]
    vectors = given[0]
    sums = vectors.astype(np.float64)
    for back in range(1, size):
        sums[back:] += vectors[:-back]
    return unit(sums)


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


def _curve(means: list[float], spreads: list[float]) -> F64:
    """Return log(N(x; right) / N(x; random)) as a polynomial in x."""
    # The logarithm of a normal density is -(x - mean)^2 / (2 sd^2) - log(sd), up to a constant.
    parts = [
        np.array([-0.5 * (mean / sd) ** 2 - np.log(sd), mean / sd**2, -0.5 / sd**2])
        for mean, sd in zip(means, spreads, strict=True)
    ]
    curve: F64 = parts[0] - parts[1]
    return curve


def vectors_of(
    given: Sequence[object], overlaps: Sequence[object], sides: Sequence[object]
) -> Vectors:
    """Return the vectors of both sides of a document.

    On each side, ``overlaps`` has the text of the run of sentences of each row; None if rows are
    sentences.
    """
    if any(vectors is None for vectors in given):
        raise InputError("vectors of one side", expected="vectors of both sides or of neither")
    of_sides = [
        _of_side(vectors, runs, texts, name)
        for vectors, runs, texts, name in zip(
            given, overlaps, sides, ("source", "target"), strict=True
        )
    ]
    widths = [side[0].shape[1] for side in of_sides]
    if len({*widths} - {0}) > 1:
        of_src, of_tgt = (f" in {path}" if is_path(path) else "" for path in given)
        raise InputError(
            f"vectors of {widths[0]:,}{of_src} and {widths[1]:,} numbers{of_tgt}",
            expected="the same number on both sides, from the same model",
        )
    # A side without vectors has no words.
    nothing = (np.full((len(side[0]), max(*widths, 1)), np.nan, np.float32) for side in of_sides)
    src, tgt = (
        side if side[0].shape[1] else (none,) for side, none in zip(of_sides, nothing, strict=True)
    )
    return Vectors(src, tgt)


def _of_side(given: object, overlaps: object, texts: pa.Array, side: str) -> tuple[F32, ...]:
    sentences = [(text or "").strip() for text in texts.to_pylist()]
    if overlaps is None:
        runs: tuple[F32, ...] = (read_vectors(given, len(sentences), side, "sentences"),)
    else:
        lines = text_array(overlaps, f"the {side} overlaps").to_pylist()
        vectors = read_vectors(given, len(lines), side, "overlaps")
        path = overlaps if is_path(overlaps) else None
        runs = _looked_up(vectors, lines, sentences, side, path)
    _check_zeros(runs[0], sentences, side, given if is_path(given) else None)
    blank = np.flatnonzero([not text for text in sentences])
    if blank.size:
        runs = tuple(run.copy() for run in runs)  # the caller's arrays stay as they are
    for size, run in enumerate(runs, 1):
        # A run with a blank sentence is unknown; runs are at their last sentence.
        for back in range(size):
            run[(blank + back)[blank + back < len(run)]] = np.nan
    return runs


def _check_zeros(
    vectors: F32, sentences: list[str], side: str, path: str | PathLike[str] | None
) -> None:
    """Warn of sentences with words whose vectors are zero: they are similar to nothing."""
    known = np.array([bool(text) for text in sentences], bool)
    zeros = np.flatnonzero(known & ~vectors.any(axis=1))
    if not zeros.size:
        return
    if zeros.size == known.sum():
        raise InputError(f"{side} vectors of zeros only", path=path, expected="embeddings")
    where = "" if path is None else f"{path}: "
    warn(
        f"{where}{number_of(zeros.size, f'{side} vector is', f'{side} vectors are')} zero, the "
        f"first of them of sentence {zeros[0] + 1:,}; such sentences count as unrelated to all "
        "others"
    )


def _looked_up(
    vectors: F32,
    lines: list[str | None],
    sentences: list[str],
    side: str,
    path: str | PathLike[str] | None,
) -> tuple[F32, ...]:
    """Return the vectors of all runs with as many sentences as the overlaps have."""
    rows = {(line or "").strip(): row for row, line in enumerate(lines)}
    words = [text or BLANK for text in sentences]
    vectors_of_runs: list[F32] = []
    for size in range(1, REACH + 1):
        runs = [" ".join(words[end - size : end]) for end in range(size, len(words) + 1)]
        at = np.array([rows.get(run[:MOST_LETTERS].strip(), -1) for run in runs], np.int64)
        needed = [k for k in range(len(runs)) if all(sentences[k : k + size])]
        missing = [k for k in needed if at[k] < 0]
        if missing and (size == 1 or len(missing) < len(needed)):
            _say_missing(runs, missing, size, side, path)
        if missing or (size > 1 and not needed):
            break
        whole = np.full((len(words), vectors.shape[1]), np.nan, np.float32)
        known = np.flatnonzero(at >= 0)
        whole[size - 1 + known] = vectors[at[known]]
        vectors_of_runs.append(whole)
    return tuple(vectors_of_runs)


def _say_missing(
    runs: list[str], missing: list[int], size: int, side: str, path: str | PathLike[str] | None
) -> None:
    """Refuse overlaps that lack a sentence, and warn of those that lack some of the runs."""
    what = f"{side} sentences" if size == 1 else f"runs of {size} {side} sentences"
    first = f"the first of them sentence {missing[0] + 1:,}: {runs[missing[0]][:60]!r}"
    text = f"{len(missing):,} of {len(runs):,} {what} are not among the overlaps, {first}"
    if size == 1:
        raise InputError(
            text,
            path=path,
            expected="the runs of 1, 2, ... sentences, joined by spaces, one per line",
        )
    where = "" if path is None else f"{path}: "
    warn(f"{where}{text}; runs of {size} and more have the sum of their sentences' vectors")
