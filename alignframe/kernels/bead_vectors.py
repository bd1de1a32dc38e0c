"""Scores of beads by sentence embeddings (after Thompson & Koehn 2019, Vecalign).

    far = (1 - cos(x, y)) / mean of the distances of x and of y from random sentences

so that a vector that is close to everything does not attract beads. The score is the polynomial
``curve`` of ``far``, clipped.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import F32, F64, I64
from alignframe.kernels.bead_paths import NEVER
from alignframe.kernels.jit import jit


@jit
def add_cosines(
    lo: I64,
    at: I64,
    m: int,
    n: int,
    src: F32,
    tgt: F32,
    src_random: F64,
    tgt_random: F64,
    curve: F64,
    limit: float,
    scores: F32,
) -> None:
    """Add scores from cosines to beads of m and n sentences.

    ``src`` and ``tgt`` have the unit vector of the run that ends with each sentence; ``src_random``
    and ``tgt_random`` its mean distance (1 - cosine) from random runs of the other side. The score
    is the polynomial ``curve``, constant first, of the distance divided by the mean of both,
    clipped to ``limit`` either way. Beads with a vector of NaN are dropped. Cells are those of
    ``bead_paths``.
    """
    for i in range(m, lo.size):
        first = src[i - 1]
        for c in range(at[i], at[i + 1]):
            j = lo[i] + c - at[i]
            if j < n or scores[c] == NEVER:
                continue
            second = tgt[j - 1]
            if np.isnan(first[0]) or np.isnan(second[0]):
                scores[c] = NEVER
                continue
            cosine = np.float32(0.0)
            for d in range(first.size):
                cosine += first[d] * second[d]
            # 1e-6 avoids a division by 0 if all vectors are the same.
            far = (1.0 - cosine) / (0.5 * (src_random[i - 1] + tgt_random[j - 1]) + 1e-6)
            value = curve[0] + far * (curve[1] + far * curve[2])
            scores[c] += max(-limit, min(limit, value))
