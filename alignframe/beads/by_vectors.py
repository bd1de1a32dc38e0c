"""Alignment by sentence embeddings alone, coarse to fine (Thompson & Koehn 2019, Vecalign)."""

from __future__ import annotations

import numpy as np

from alignframe.beads.document import Document
from alignframe.beads.lattice import Lattice, lattice_of, sizes_up_to
from alignframe.beads.vectors import Vectors
from alignframe.core.arrays import F64, I64
from alignframe.kernels.beads.paths import Band, Path, Steps, band_around, band_near, best_path
from alignframe.kernels.beads.scores import add_cosines
from alignframe.kernels.ragged import frozen
from alignframe.options.beads import Options

SKIP = 0.2
"""The cost of a skipped sentence is this quantile of the costs of random pairs."""

SHARPNESS = 8.0
"""The log odds per unit of cost, which turn costs into probabilities."""

LEAST = 0.01
"""The cost of a pair of equal sentences, so that two of them are two beads, not one."""

COARSEST = 200
"""The maximum number of passages of a side for which all paths are considered."""

WIDTH = 12
"""The search width, in sentences, around the path of the coarser passages."""

PASSAGES = frozen(np.array([[1, 1], [1, 2], [2, 1]]))
"""The kinds of beads of passages."""


def by_vectors(text: Document, options: Options) -> Lattice:
    """Return the probability of every bead near the best path."""
    assert text.vectors is not None  # noqa: S101  (align asks for them)
    assert options.largest is not None  # noqa: S101  (given by the options themselves)
    # A bead costs the distance of its sides times the numbers of their sentences. Both sides are
    # halved by merging neighbours; the best path at half resolution restricts that at full
    # resolution, so that time and memory are linear in the number of sentences.
    steps, band = _steps(text.vectors, sizes_up_to(options.largest))
    return lattice_of(band, steps)


def _steps(vectors: Vectors, sizes: I64) -> tuple[Steps, Band]:
    """Return the scores of all steps within the band around the coarser path."""
    n_src, n_tgt = len(vectors.src[0]), len(vectors.tgt[0])
    if max(n_src, n_tgt) <= COARSEST:
        band = band_around(n_src, n_tgt, max(n_src, n_tgt, 1))
    else:
        steps, coarser = _steps(vectors.halved(), PASSAGES)
        band = _around(best_path(coarser, steps), n_src, n_tgt)
    scores = np.zeros((len(sizes), band.cells), np.float32)
    for (m, n), row in zip(sizes.tolist(), scores, strict=True):
        runs = vectors.runs(m, n)
        # The score is this polynomial of the normalised distance, its constant the least cost.
        curve = -SHARPNESS * m * n * np.array([LEAST, 1.0, 0.0])
        add_cosines(*band, m, n, *runs.arrays, frozen(curve), np.inf, row)
    src, tgt = (np.full(n, -SHARPNESS * _skip(vectors)) for n in (n_src, n_tgt))
    return Steps(sizes, scores, src, tgt), band


def _skip(vectors: Vectors) -> float:
    """Return the cost of a skipped sentence."""
    far: F64 = vectors.runs(1, 1).far(*vectors.sample)
    return float(np.quantile(far, SKIP)) if far.size else 0.0


def _around(path: Path, n_src: int, n_tgt: int) -> Band:
    """Return the band of sentences around a path through pairs of sentences."""
    src = np.append(path.src[::-1], (n_src + 1) // 2).astype(np.int64) * 2
    tgt = np.append(path.tgt[::-1], (n_tgt + 1) // 2).astype(np.int64) * 2
    return band_near(src, tgt, n_src, n_tgt, WIDTH)
