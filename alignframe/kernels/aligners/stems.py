"""Sharing counts among forms of a stem.

    pseudo-count(s, t) = strength * (links of both stems - links(s, t)) / (1 + links of s's stem)

so that a rare form is translated like the other forms of its stem, and a frequent one by its own
counts. All pairs of forms of the same two stems are a group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64
from alignframe.kernels.jit import jit


class Shared(NamedTuple):
    """The pair of stems of each cell: cell c has the row ``rows[c]`` and the group ``groups[c]``.

    Row r has the source stem ``stems[r]``. NULL has row, stem and group 0. There are ``n_groups``
    groups.
    """

    rows: I32
    groups: I32
    stems: I32
    n_groups: int


@jit
def number_groups(starts: I64, targets: I32, src: I32, tgt: I32) -> tuple[I32, int]:
    """Assign a number to the pair of stems of each cell, and return how many there are.

    ``src`` has the stem of each row (0 for NULL only), ``tgt`` that of each target word. NULL's
    cells have the number 0.
    """
    groups = np.zeros(targets.size, np.int32)
    met = np.zeros(tgt.max() + 1, np.int32)  # the group of each target stem with this source stem
    n = 1
    stem, first = 0, 1
    # By stems of the source, so that a group is known by its target stem alone.
    for r in np.argsort(src):
        if src[r] == 0:
            continue
        if src[r] != stem:
            stem, first = src[r], n
        for c in range(starts[r], starts[r + 1]):
            t = tgt[targets[c]]
            if met[t] < first:
                met[t] = n
                n += 1
            groups[c] = met[t]
    return groups, n


@jit
def share(
    shared: Shared, strength: float, start_pairs: F32, start_totals: F64, pairs: F32, totals: F64
) -> None:
    """Add initial pseudo-counts, and those from other forms of the stems, in place.

    The pseudo-count of a cell is ``strength`` times the share of its target stem in the links of
    its source stem, excluding its own links.
    """
    rows, groups, stems = shared.rows, shared.groups, shared.stems
    linked = np.zeros(shared.n_groups, np.float32)
    for c in range(pairs.size):
        if pairs[c] > 0:
            linked[groups[c]] += pairs[c]
    linked[0] = 0  # NULL has no forms
    # From 1 on, so that no division is by 0.
    stem_totals = np.ones(stems.max() + 1)
    for r in range(stems.size):
        stem_totals[stems[r]] += totals[r]
    worth = np.empty(stems.size, np.float32)
    for r in range(stems.size):
        worth[r] = strength / stem_totals[stems[r]]
        totals[r] += start_totals[r]
    for c in range(pairs.size):
        more = linked[groups[c]]
        # More links than its own: another form has some.
        if more > pairs[c]:
            more = (more - pairs[c]) * worth[rows[c]]
            totals[rows[c]] += more
            pairs[c] += more
        pairs[c] += start_pairs[c]
