"""Derivatives of a logistic regression, in one pass without memory per row.

With z the standardised inputs of a row and 1, and its margin m = ``slopes @ z`` if the row is
right, else -``slopes @ z``:

    missed = 1 / (1 + exp(m)), the probability of the wrong answer
    loss = sum of count * log(1 + exp(-m))
    gradient = sum of count * (-missed if right else missed) * z
    Hessian = sum of count * missed * (1 - missed) * z z'
"""

from __future__ import annotations

from math import exp, log1p

import numpy as np

from alignframe.arrays import F64, Bools
from alignframe.kernels.jit import jit


@jit
def derivatives(
    x: F64,
    shifts: F64,
    scales: F64,
    right: Bools,
    count: F64,
    slopes: F64,
    gradient: F64,
    hessian: F64,
) -> float:
    """Return the loss of some slopes, and write its gradient and its Hessian.

    The inputs of a row are ``(x - shifts) / scales``; the last slope is the intercept's. Row r
    counts ``count[r]`` times.
    """
    n = x.shape[1]
    z = np.ones(n + 1)
    loss = 0.0
    gradient[:] = 0.0
    hessian[:] = 0.0
    for r in range(x.shape[0]):
        logit = slopes[n]
        for k in range(n):
            z[k] = (x[r, k] - shifts[k]) / scales[k]
            logit += z[k] * slopes[k]
        margin = logit if right[r] else -logit
        # At most 1, so nothing overflows for either sign.
        tail = exp(-abs(margin))
        loss += count[r] * (log1p(tail) - (margin if margin < 0.0 else 0.0))
        missed = (1.0 if margin < 0.0 else tail) / (1.0 + tail)
        residual = count[r] * (-missed if right[r] else missed)
        curvature = count[r] * missed * (1.0 - missed)
        for k in range(n + 1):
            gradient[k] += residual * z[k]
            part = curvature * z[k]
            # The lower triangle; the Hessian is symmetric.
            for m in range(k + 1):
                hessian[k, m] += part * z[m]
    for k in range(n + 1):
        for m in range(k):
            hessian[m, k] = hessian[k, m]
    return loss
