"""The M-step of Models 3 and 4: fertilities, NULL, and distances of cepts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I32, frozen
from alignframe.kernels.aligners.cepts import MAX_JUMP
from alignframe.kernels.aligners.fertility import LOG_FLOOR, MAX_FERTILITY
from alignframe.kernels.aligners.ibm4 import Counts
from alignframe.kernels.aligners.sentence_pair import Logs

# Longer words share the fertilities of words of this length.
_MAX_LETTERS = 20
# Pseudo-counts of average fertilities for each length.
_PRIOR_WORDS = 5.0
# Smaller counts are ignored (as in GIZA++).
_LEAST_COUNT = 1e-6
FLOOR = float(np.exp(LOG_FLOOR))


@dataclass(frozen=True)
class Distortion:
    """The parameters of Model 4 except translations."""

    fertilities: F64  # [w, φ]: source word w has φ target words
    src_classes: I32
    tgt_classes: I32
    # [g, h, jump + MAX_JUMP]: a head of class h stands `jump` positions after the previous cept,
    # of a source word of class g; the last g is the sentence start.
    heads: F64
    mores: F64  # [h, jump]: a further word of a cept, of class h
    p0: float  # NULL's

    def logs(self) -> Logs:
        """Return the logarithms."""
        start = np.int32(self.heads.shape[0] - 1)
        return Logs(
            frozen(np.log(self.fertilities)),
            *_log_nulls(self.p0),
            frozen(np.append(self.src_classes, start)),
            frozen(self.tgt_classes),
            frozen(np.zeros(0)),
            frozen(np.log(np.maximum(self.heads, FLOOR))),
            frozen(np.log(np.maximum(self.mores, FLOOR))),
        )

    def logs_of_model_3(self, places: F64) -> Logs:
        """Return the logarithms for Model 3, which has positions instead of distances."""
        # Model 3's probability has φ! for each source word (Brown et al. 1993, eq. 32).
        orders = np.concatenate([np.zeros(1), np.cumsum(np.log(np.arange(1, MAX_FERTILITY + 1)))])
        logs = self.logs()
        return logs._replace(
            fertilities=frozen(logs.fertilities + orders),
            places=places,
            heads=frozen(np.zeros((0, 0, 0))),
            mores=frozen(np.zeros((0, 0))),
        )


def _log_nulls(p0: float) -> tuple[float, float]:
    p0 = min(max(p0, FLOOR), 1.0 - FLOOR)
    return float(np.log(p0)), float(np.log1p(-p0))


def no_counts(
    n_cells: int, n_src: int, n_places: int, shape: tuple[int, int] | None = None
) -> Counts:
    """Return counts of 0, including distances if a shape (classes and start, classes) is given."""
    heads, mores = (0, 0, 0), (0, 0)
    if shape is not None:
        heads, mores = (*shape, 2 * MAX_JUMP + 1), (shape[1], MAX_JUMP + 1)
    return Counts(
        np.zeros(n_cells),
        np.zeros((n_src, MAX_FERTILITY + 1)),
        np.zeros(2),
        np.zeros(n_places),
        np.zeros(heads),
        np.zeros(mores),
    )


def drop_small(counts: F64) -> None:
    """Set negligible counts to 0."""
    counts[counts < _LEAST_COUNT] = 0.0


def fertilities(counts: F64, letters: I32, weight: float) -> F64:
    """Return the fertility probabilities of each source word; unseen words have the priors'."""
    # As in GIZA++, `weight` pseudo-counts follow the fertilities of words of the same length.
    by_length = np.zeros((_MAX_LETTERS + 1, counts.shape[1]))
    np.add.at(by_length, letters, counts)
    average = by_length.sum(axis=0) + FLOOR
    by_length += _PRIOR_WORDS * average / average.sum()
    by_length /= by_length.sum(axis=1, keepdims=True)
    added: F64 = counts + weight * by_length[letters]
    shares: F64 = np.maximum(added / added.sum(axis=1, keepdims=True), FLOOR)
    return shares


def word_letters(vocabulary: pa.Array) -> I32:
    """Return the length of each word, at most 20; the unknown word has the mean length."""
    letters = pc.utf8_length(vocabulary).to_numpy(zero_copy_only=False)
    average = round(letters.mean()) if letters.size else 0
    cut: I32 = np.minimum(np.append(letters, average), _MAX_LETTERS).astype(np.int32)
    return cut


def null_share(nulls: F64, p0: float | None) -> float:
    """Return p0, given or estimated from the counts."""
    if p0 is not None:
        return p0
    return float(nulls[0] / nulls.sum()) if nulls.sum() > 0.0 else 0.5


def distances(counts: F64, smoothing: float) -> F64:
    """Normalise over the last axis; the uniform distribution gets the weight ``smoothing``."""
    n = counts.shape[-1]
    total = counts.sum(axis=-1, keepdims=True)
    shares: F64 = np.divide(counts, total, out=np.full_like(counts, 1.0 / n), where=total > 0.0)
    mixed: F64 = (1.0 - smoothing) * shares + smoothing / n
    return mixed


def further_distances(counts: F64, smoothing: float) -> F64:
    """Return the distances of further words, which are 1 or more."""
    shares: F64 = np.zeros_like(counts)
    shares[:, 1:] = distances(counts[:, 1:], smoothing)
    return shares
