"""Features of line pairs from characters: byte n-gram probabilities, and scripts.

    p(byte | h) = (count(h byte) + BACK_OFF * p(byte | h')) / (count(h) + BACK_OFF)

where h' is the context h without its first byte, and p is 1/256 below the shortest: interpolation
by a Dirichlet prior (MacKay & Peto 1995). Counts are in hash buckets, so that the memory is fixed.
A side of n lines has n + 1 offsets ``at``.
"""

from __future__ import annotations

from math import exp, log, log1p

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, U8, Bools
from alignframe.kernels.jit import jit
from alignframe.kernels.text.characters import BASIS, PRIME, character

ORDER = 4
"""The maximum length of an n-gram in bytes, including the predicted one."""

BITS = 20
"""N-grams are counted in 2 ** BITS hash buckets; n-grams that collide are counted together."""

BACK_OFF = 5.0
"""The weight of the shorter n-gram's probability, as a pseudo-count."""

_TINY = 1e-200
"""The logarithm is taken before a product of probabilities falls below this."""

_CONTEXT = np.uint64(31)
_HIGH = np.uint64(64 - BITS)


@jit
def ngrams(at: I64, text: U8, counts: I32, contexts: I32) -> None:
    """Count the byte n-grams up to ``ORDER``, and their contexts."""
    for s in range(at.size - 1):
        for x in range(at[s], at[s + 1]):
            context = BASIS
            for n in range(ORDER):
                # The hash of the n bytes before, and that of the n-gram with this byte.
                context_key = context * _CONTEXT + np.uint64(n)
                ngram_key = (context_key ^ np.uint64(text[x] + 1)) * PRIME
                contexts[np.int64((context_key * PRIME) >> _HIGH)] += 1
                counts[np.int64(ngram_key >> _HIGH)] += 1
                previous = text[x - n - 1] if x - n - 1 >= at[s] else 0
                context = (context ^ np.uint64(previous + 1)) * PRIME


@jit
def shares(contexts: I32) -> F32:
    """Return what one occurrence of an n-gram adds to its probability, by context.

    This is 1 / (count of the context + ``BACK_OFF``), and 0 after a new context.
    """
    each = np.zeros(contexts.shape, np.float32)
    for h in range(contexts.shape[0]):
        for side in range(contexts.shape[1]):
            if contexts[h, side] > 0:
                each[h, side] = 1.0 / (contexts[h, side] + BACK_OFF)
    return each


@jit
def likely(at: I64, text: U8, counts: I32, each: F32) -> F64:
    """Return the mean log probability of each line's bytes; 0 for an empty line.

    ``counts`` and ``each`` (see ``shares``) have one column per language, and the result one row:
    both languages' counts of a bucket are next to each other in memory.
    """
    means = np.zeros((2, at.size - 1))
    for s in range(at.size - 1):
        total, other_total = 0.0, 0.0
        product, other_product = 1.0, 1.0
        for x in range(at[s], at[s + 1]):
            context = BASIS
            p = other_p = 1.0 / 256.0
            known = other_known = True
            for n in range(ORDER):
                context_key = context * _CONTEXT + np.uint64(n)
                context_slot = (context_key * PRIME) >> _HIGH
                ngram_slot = ((context_key ^ np.uint64(text[x] + 1)) * PRIME) >> _HIGH
                share, other = each[context_slot, 0], each[context_slot, 1]
                known = known and share > 0.0
                other_known = other_known and other > 0.0
                # Once a context is new, all longer ones are, so the probability stays.
                if known:
                    p = (counts[ngram_slot, 0] + BACK_OFF * p) * share
                if other_known:
                    other_p = (counts[ngram_slot, 1] + BACK_OFF * other_p) * other
                if not known and not other_known:
                    break
                previous = text[x - n - 1] if x - n - 1 >= at[s] else 0
                context = (context ^ np.uint64(previous + 1)) * PRIME
            # Colliding n-grams may have a higher count than their context.
            product *= min(p, 1.0)
            other_product *= min(other_p, 1.0)
            # One logarithm for many bytes.
            if product < _TINY or other_product < _TINY:
                total += log(product)
                other_total += log(other_product)
                product, other_product = 1.0, 1.0
        size = at[s + 1] - at[s]
        if size > 0:
            means[0, s] = (total + log(product)) / size
            means[1, s] = (other_total + log(other_product)) / size
    return means


@jit
def letters(at: I64, text: U8, table: U8) -> tuple[I64, I64]:
    """Count the characters of each line whose bit 0, and whose bit 1, is set in ``table``.

    Lines are UTF-8; the table has a value per code point.
    """
    first, second = np.zeros(at.size - 1, np.int64), np.zeros(at.size - 1, np.int64)
    for s in range(at.size - 1):
        x = at[s]
        while x < at[s + 1]:
            point, x = character(text, x)
            first[s] += table[point] & 1
            second[s] += table[point] >> 1
    return first, second


# Derivatives of a logistic regression, in one pass without memory per row.
#
# With z the standardised inputs of a row and 1, and its margin m = ``slopes @ z`` if the row is
# right, else -``slopes @ z``:
#
# missed = 1 / (1 + exp(m)), the probability of the wrong answer
# loss = sum of count * log(1 + exp(-m))
# gradient = sum of count * (-missed if right else missed) * z
# Hessian = sum of count * missed * (1 - missed) * z z'


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
