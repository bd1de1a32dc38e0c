"""Length models: how probable the lengths of two runs of sentences are as translations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma

import numpy as np

from alignframe.core.arrays import F32, F64, I64, frozen
from alignframe.kernels.beads import scores as bead_scores
from alignframe.kernels.beads.paths import NEVER, Band, Steps
from alignframe.kernels.small import call
from alignframe.options.beads import Options

VARIANCE = 6.8
"""The variance of lengths in characters (Gale & Church 1993, section 3.2)."""


@dataclass(frozen=True)
class LengthModel:
    """The lengths of a document, and the parameters of the model."""

    options: Options
    # A row of lengths of single sentences and one of pairs, by the last sentence.
    src: F64
    tgt: F64
    sizes: I64  # the kinds of beads with both sides
    priors: F64  # their log probabilities
    ratio: float = 1.0  # of target to source length
    again: float = 0.0  # the additional score of a skip after another skip

    def candidates(self) -> list[LengthModel]:
        """Return the models with the ratio of the sides' mean lengths and of the total ones."""
        # A side without words leaves the ratio at 1.
        known = [side[0][~np.isnan(side[0])] for side in (self.src, self.tgt)]
        if not min(map(len, known)):
            return [self]
        whole = float(known[1].sum() / known[0].sum())
        mean = float(known[1].mean() / known[0].mean())
        if self.options.method == "gale-church":
            ratios = [whole]
        else:
            # One model is enough if both ratios are about equal.
            ratios = [mean] if abs(whole - mean) < 0.01 * mean else [mean, whole]
        return [replace(self, ratio=ratio) for ratio in ratios]

    def steps(self, band: Band) -> Steps:
        """Return the scores of all steps within a band."""
        scores = np.empty((self.sizes.shape[0], band.cells), np.float32)
        if self.options.method == "gale-church":
            skips = self._normal(band, scores)
        else:
            self._poisson(band, scores)
            skips = [np.zeros(side.shape[1]) for side in (self.src, self.tgt)]
        scores += self.priors[:, None].astype(np.float32)
        skip = np.log(self.options.priors.skip)
        return Steps(self.sizes, scores, skips[0] + skip, skips[1] + skip, self.again)

    def _poisson(self, band: Band, scores: F32) -> None:
        mean = self.src * self.ratio
        with np.errstate(divide="ignore", invalid="ignore"):
            blank = ~(mean > 0.0)
            log_mean = np.where(blank, 0.0, np.log(mean))
            background = _log_factorials(self.tgt) + _log_frequencies(self.tgt)
        lengths = np.where(np.isnan(self.tgt), 0.0, self.tgt)
        background = np.where(np.isnan(background), np.inf, background)
        means = np.where(blank, np.inf, mean)
        arrays = (frozen(a) for a in (lengths, means, log_mean, background))
        call(bead_scores.poisson, *band, self.sizes, *arrays, scores, steps=scores.size // 8)

    def _normal(self, band: Band, scores: F32) -> list[F64]:
        src, tgt = frozen(self.src), frozen(self.tgt)
        call(bead_scores.normal, *band, self.sizes, src, tgt, self.ratio, VARIANCE, scores)
        skips = []
        for k, side in enumerate((self.src, self.tgt)):
            alone = [(length, 0.0)[:: -1 if k else 1] for length in np.nan_to_num(side[0])]
            shape = self.ratio, VARIANCE
            scored = [call(bead_scores.tail, *lengths, *shape, steps=5) for lengths in alone]
            skips.append(np.array(scored))
        return skips


def length_model(src: F64, tgt: F64, options: Options) -> LengthModel:
    """Return the length model of a document from its sentences' lengths (NaN: no words)."""
    priors = options.priors
    kinds = [(1, 1, priors.one_one), (2, 1, priors.merge), (1, 2, priors.merge)]
    kinds.append((2, 2, priors.two_two))
    kinds = [kind for kind in kinds if kind[2] > 0.0]
    sizes = np.array([kind[:2] for kind in kinds], np.int64)
    log_priors = np.log([kind[2] for kind in kinds])
    return LengthModel(options, _runs(src), _runs(tgt), frozen(sizes), log_priors)


def _runs(lengths: F64) -> F64:
    """Return the lengths of single sentences, and of each two adjacent ones."""
    double = np.full(lengths.size, np.nan)
    double[1:] = lengths[:-1] + lengths[1:]
    return np.stack([lengths, double])


def _log_factorials(lengths: F64) -> F64:
    """Return log n! of each length; NaN for NaN."""
    values, places = np.unique(lengths, return_inverse=True)
    logarithms = np.array([lgamma(value + 1.0) for value in values])
    return logarithms[places].reshape(lengths.shape)


def _log_frequencies(lengths: F64) -> F64:
    """Return log P of each length, and of each sum of two independent lengths."""
    known = lengths[0][~np.isnan(lengths[0])].astype(np.int64)
    if known.size == 0:
        return np.full(lengths.shape, NEVER)
    values, counts = np.unique(known, return_counts=True)
    single = np.zeros(int(values[-1]) + 1)
    single[values] = counts / known.size
    double = np.zeros(2 * single.size)
    for value, p in zip(values, single[values], strict=True):
        # The distribution of sums is the convolution of the lengths' with itself.
        double[value + values] += p * single[values]
    logarithms = np.empty(lengths.shape)
    for row, table, some in zip(logarithms, (single, double), lengths, strict=True):
        places = np.nan_to_num(some).astype(np.int64)
        with np.errstate(divide="ignore"):
            row[:] = np.log(table[places])
    return logarithms
