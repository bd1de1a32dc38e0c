"""Selecting beads from paths and probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.beads.document import Document
from alignframe.core.arrays import F64, I64
from alignframe.core.schemas import BEADS, SYSTEM
from alignframe.kernels.beads import choice as bead_choice
from alignframe.kernels.beads.paths import FIRST_KIND, SKIP_SRC, SKIP_TGT, Band, Path, Steps
from alignframe.kernels.small import call


class Beads(NamedTuple):
    """Beads in text order: their starts, sizes and probabilities."""

    src: I64
    tgt: I64
    sizes: I64
    score: F64


def path_beads(band: Band, steps: Steps, path: Path) -> Beads:
    """Return the beads of a path; a skipped sentence has the probability of being unaligned."""
    src, tgt, kind = (array[::-1].astype(np.int64) for array in (path.src, path.tgt, path.kind))
    sizes = np.concatenate([np.array([[1, 0], [0, 1]]), steps.sizes])[kind]
    covered = [np.zeros(max(band.lo.size - 1, 0)), np.zeros(steps.skip_tgt.size)]
    call(bead_choice.covered, *band, steps.sizes, steps.scores, *covered)
    score = np.empty(src.size)
    for skip, starts, side in zip((SKIP_SRC, SKIP_TGT), (src, tgt), covered, strict=True):
        score[kind == skip] = 1.0 - side[starts[kind == skip]]
    full = kind >= FIRST_KIND
    rows, columns = (src + sizes[:, 0])[full], (tgt + sizes[:, 1])[full]
    cells = band.at[rows] + columns - band.lo[rows]
    score[full] = np.exp(steps.scores[kind[full] - FIRST_KIND, cells].astype(np.float64))
    return Beads(src, tgt, sizes, np.clip(score, 0.0, 1.0))


def agreeing(band: Band, steps: Steps, threshold: float) -> Beads:
    """Return the beads that are more probable than a threshold."""
    with np.errstate(divide="ignore"):
        limit = float(np.log(threshold))
    src, tgt, kind, score = call(bead_choice.likely, *band, steps.sizes, steps.scores, limit)
    sizes = steps.sizes[kind - FIRST_KIND].reshape(-1, 2)
    # Above one half, no two can conflict. Below, beads are taken greedily by probability, without
    # those that share a sentence with one already taken or cross it.
    if threshold >= 0.5:
        return Beads(src, tgt, sizes, score)
    order = np.argsort(-score, kind="stable")
    taken = np.full(band.lo.size - 1, -1, np.int64)
    kept = call(bead_choice.agreeing, src, tgt, sizes, order, taken)
    return Beads(src[kept], tgt[kept], sizes[kept], score[kept])


def table_of(text: Document, beads: Beads) -> pa.Table:
    """Return beads as a table."""
    doc = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(beads.src.size, np.int32)), pa.array([text.name])
    )
    return pa.Table.from_arrays([doc.cast(SYSTEM), *columns_of(beads)], schema=BEADS)


def columns_of(beads: Beads) -> list[pa.Array]:
    """Return the span and score columns of beads."""
    spans = (beads.src, beads.src + beads.sizes[:, 0], beads.tgt, beads.tgt + beads.sizes[:, 1])
    return [*(pa.array(span.astype(np.int32)) for span in spans), pa.array(beads.score)]
