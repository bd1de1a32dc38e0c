"""Two logistic regressions of right line pairs against noise, mixed to fit the text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64, Bools, frozen
from alignframe.core.portable import weighted_sums
from alignframe.kernels.beads import line_features as regressions

MISPLACED = ("shuffled", "as long")
"""The kinds of noise that a sentence aligner would find."""

MIXING = 100
"""Number of EM steps for the shares of right lines and of both sorts of noise."""

LEAST_MISPLACED = 0.3
"""The minimum share of misplaced lines among wrong ones; a lower share may be chance."""

PENALTY = 1.0
"""The weight of the L2 penalty on coefficients of standardised inputs."""

GRADIENT = 1e-6
"""The norm of the gradient at convergence."""

SHORTEST = 1e-9
"""The minimum fraction of a Newton step tried."""

DECIMALS = 7
"""Coefficients are rounded, so that another order of summation gives the same ones."""


class Weights(NamedTuple):
    """A logistic regression over standardised inputs, intercept last."""

    means: F64
    scales: F64
    slopes: F64

    def logits(self, x: F64) -> F64:
        """Return the log odds of rows of inputs, each independent of the other rows."""
        logits: F64 = weighted_sums(x - self.means, self.slopes[:-1] / self.scales)
        logits += self.slopes[-1]
        return logits


class Classifier(NamedTuple):
    """Classifiers of lines against all kinds of noise, and against misplaced lines."""

    every: Weights
    misplaced: Weights
    share: float  # of misplaced lines among wrong ones

    @classmethod
    def learn(
        cls,
        x: F64,
        right: Bools,
        weight: F64,
        kind: npt.NDArray[np.str_],
        start: Classifier | None = None,
    ) -> Classifier:
        """Train on lines and noise, from a classifier to ``start`` from if given."""
        noise = np.isin(kind, MISPLACED)
        own = right | noise
        even = np.where(noise, right.sum() / max(noise.sum(), 1), 1.0)
        first, second = (start.every.slopes, start.misplaced.slopes) if start else (None, None)
        misplaced = regression(x[own], right[own], even[own], second)
        # No wrong line is assumed to be misplaced until `mixed` says how many are.
        return cls(regression(x, right, weight, first), misplaced, 0.0)

    def logits(self, x: F64) -> F64:
        """Return the log odds of rows of inputs, with equal priors of right and wrong."""
        if self.share <= 0.0:
            return self.every.logits(x)
        # A wrong line is of either sort: 1 / odds = (1 - share) / odds of every + share / odds of
        # misplaced.
        logits: F64 = -np.logaddexp(
            np.log1p(-self.share) - self.every.logits(x),
            np.log(self.share) - self.misplaced.logits(x),
        )
        return logits

    def mixed(self, x: F64) -> Classifier:
        """Return the classifier with the most likely share for the lines of ``x`` (by EM)."""
        sorts = np.stack([self.every.logits(x), self.misplaced.logits(x)])
        # Likelihoods relative to those of right lines: 1, and the inverse odds of each sort.
        likely = np.concatenate([np.ones((1, len(x))), np.exp(np.clip(-sorts, -50.0, 50.0))])
        p = np.array([0.5, 0.25, 0.25])
        for _ in range(MIXING):
            each = p[:, None] * likely
            p = (each / each.sum(axis=0)).mean(axis=1)
        share = float(p[2] / max(p[1:].sum(), 1e-12))
        return self._replace(share=min(share, 1.0 - 1e-9) if share > LEAST_MISPLACED else 0.0)


def regression(x: F64, right: Bools, count: F64, start: F64 | None = None) -> Weights:
    """Return the regression with the least penalised loss, by Newton's method from given slopes."""
    means, scales = x.mean(axis=0), x.std(axis=0)
    scales[scales < 1e-9] = 1.0
    slopes = np.zeros(x.shape[1] + 1) if start is None else start
    penalty = np.full(slopes.size, PENALTY)
    penalty[-1] = 0.0
    gradient, hessian = np.empty(slopes.size), np.empty((slopes.size, slopes.size))

    def loss(slopes: F64) -> float:
        rows = (frozen(x), frozen(means), frozen(scales), frozen(right), frozen(count))
        value: float = regressions.derivatives(*rows, frozen(slopes), gradient, hessian)
        return value + float(0.5 * penalty @ slopes**2)

    value = loss(slopes)
    while np.linalg.norm(gradient + penalty * slopes) > GRADIENT:
        # Newton's step is halved until the loss does not grow.
        step = np.linalg.solve(hessian + np.diag(penalty), gradient + penalty * slopes)
        part = 1.0
        while (following := loss(slopes - part * step)) > value * (1.0 + 1e-12) and part > SHORTEST:
            part /= 2.0
        if part <= SHORTEST:
            break  # no improvement at this precision
        slopes, value = slopes - part * step, following
    return Weights(means, scales, np.round(slopes, DECIMALS))


def probability(logits: F64) -> F64:
    """Return the probabilities of log odds."""
    probabilities: F64 = 1.0 / (1.0 + np.exp(np.minimum(-logits, 700.0)))
    return probabilities
