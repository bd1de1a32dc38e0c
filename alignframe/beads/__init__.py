"""Sentence alignment, and its evaluation under noise (Moore 2002; Zaidan & Chowdhary 2013).

``align`` aligns the sentences of two texts. ``noise`` makes noisy documents of a parallel one,
whose right beads are known, and ``grid`` all of the paper's. ``scores`` judges beads by right ones,
from the additive counts of ``counts``.
"""

from alignframe.beads.align import align
from alignframe.beads.document import split
from alignframe.beads.grid import Setting, grid, settings
from alignframe.beads.noise import (
    SCENARIOS,
    Noisy,
    clean,
    combine,
    delete,
    different,
    length_aligned,
    noise,
    randomize,
)
from alignframe.beads.options import METHODS, Options, Priors
from alignframe.beads.score import EMPTY, counts, crossings, scores

__all__ = [
    "EMPTY",
    "METHODS",
    "SCENARIOS",
    "Noisy",
    "Options",
    "Priors",
    "Setting",
    "align",
    "clean",
    "combine",
    "counts",
    "crossings",
    "delete",
    "different",
    "grid",
    "length_aligned",
    "noise",
    "randomize",
    "scores",
    "settings",
    "split",
]
