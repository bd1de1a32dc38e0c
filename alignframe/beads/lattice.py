"""Lattices: all paths of beads within a band, and beads probable by length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alignframe.beads.calibration import posterior_of, probability_of
from alignframe.beads.lengths import LengthModel
from alignframe.beads.picking import Beads, agreeing, path_beads
from alignframe.core.arrays import I64, frozen
from alignframe.errors import InputError, warn
from alignframe.kernels.beads import paths as bead_paths
from alignframe.kernels.beads.paths import Band, Steps
from alignframe.kernels.beads.posteriors import posteriors

WIDENING = 1.5
"""The factor by which a band is widened."""

MARGIN = 0.25
"""The share of a band's width that the best path must keep clear on either side."""

LOST = -0.5
"""Widen the band if the path's score per sentence of the shorter side is below this.

Lengths alone give 1.1 on clean newspaper text, -0.2 if a fifth of one side is deleted, and -0.7 or
less if the sides are shuffled or shifted.
"""

MAX_CELLS = 80_000_000
"""The maximum number of points of a band: about 2 GB."""

NARROWED = 10_000_000
"""In bands of more points than this, only beads near the best path are considered."""

NEAR = 25
"""Their maximum distance in sentences of either side, unless some at the edge are plausible too."""

PLAUSIBLE = -20.0
"""The lowest log-probability by lengths of beads that are rescored by words."""


@dataclass(frozen=True)
class Lattice:
    """All paths within a band; scores are log probabilities of beads."""

    band: Band
    steps: Steps
    plausible: Band
    path: bead_paths.Path
    calibrated: bool = False  # probabilities are corrected to the share of correct beads

    def beads(self, threshold: float | None) -> Beads:
        """Return the beads of the best path, or those above a threshold."""
        if threshold is None:
            picked = path_beads(self.band, self.steps, self.path)
        else:
            least = posterior_of(threshold) if self.calibrated else threshold
            picked = agreeing(self.band, self.steps, least)
        if not self.calibrated:
            return picked
        # Those of skipped sentences need no correction.
        full = (picked.sizes > 0).all(axis=1)
        return picked._replace(score=np.where(full, probability_of(picked.score), picked.score))


def by_lengths(lengths: LengthModel, name: str) -> tuple[LengthModel, Lattice]:
    """Return the ratio of lengths, and the beads that are probable by length."""
    n_src, n_tgt = lengths.src.shape[1], lengths.tgt.shape[1]
    width = lengths.options.band
    # The band is widened until the best path keeps clear of its edges and has a plausible score:
    # a path that misses the right sentences, because one side begins or ends elsewhere, may keep
    # clear of the edges by skipping equally much on both sides.
    while True:
        band = bead_paths.band_around(n_src, n_tgt, width)
        if band.cells > MAX_CELLS and width == lengths.options.band:
            raise InputError(
                f"{name}: a band of {width:g} about {n_src:,} and {n_tgt:,} sentences has "
                f"{band.cells:,} points",
                expected=f"at most {MAX_CELLS:,}",
                todo="split the document, or use a smaller band",
            )
        lengths, path, steps = _fitted(lengths, band)
        clear = _deviation(path, n_src, n_tgt) <= (1.0 - MARGIN) * width
        lost = path.score < LOST * min(n_src, n_tgt) and lengths.options.method != "gale-church"
        if (clear and not lost) or _is_whole(band, n_tgt):
            break
        wider = bead_paths.band_around(n_src, n_tgt, width * WIDENING)
        if wider.cells > MAX_CELLS:
            warn(
                f"{name}: the best path leads {_deviation(path, n_src, n_tgt):,.0f} sentences "
                f"off the diagonal, and the search was limited to {width:,.0f}; the sides may "
                "not be translations of each other"
            )
            break
        width *= WIDENING
        steps = None  # to free the memory
    if band.cells > NARROWED and not lost:
        near = _near(path, n_src, n_tgt)
        if near.cells < band.cells / 2:
            steps = None
            narrowed = lattice_of(near, lengths.steps(near))
            if not _touches(narrowed.plausible, near, n_tgt):
                return lengths, narrowed
    return lengths, lattice_of(band, steps or lengths.steps(band), path)


def _near(path: bead_paths.Path, n_src: int, n_tgt: int) -> Band:
    """Return the points near a path."""
    src, tgt = (
        np.append(ends[::-1], size).astype(np.int64)
        for ends, size in ((path.src, n_src), (path.tgt, n_tgt))
    )
    return bead_paths.band_near(src, tgt, n_src, n_tgt, NEAR)


def _touches(plausible: Band, band: Band, n_tgt: int) -> bool:
    """Whether plausible points reach an edge of the band that is not an edge of the document."""
    some = np.diff(plausible.at) > 0
    last, edge = (points.lo + np.diff(points.at) - 1 for points in (plausible, band))
    low = (plausible.lo <= band.lo) & (band.lo > 0)
    high = (last >= edge) & (edge < n_tgt)
    return bool((some & (low | high)).any())


def _fitted(lengths: LengthModel, band: Band) -> tuple[LengthModel, bead_paths.Path, Steps | None]:
    """Return the ratio of lengths with the best path, that path, and the steps if at no cost."""
    # If a side lacks sentences, the ratio of mean lengths is right; if it joins them, that of
    # total lengths.
    models = lengths.candidates()
    if len(models) == 1:
        steps = models[0].steps(band)
        return models[0], bead_paths.best_path(band, steps), steps
    paths = [
        (candidate, bead_paths.best_path(band, candidate.steps(band)), None) for candidate in models
    ]
    return max(paths, key=lambda path_of_model: path_of_model[1].score)


def lattice_of(band: Band, steps: Steps, path: bead_paths.Path | None = None) -> Lattice:
    """Return the best path, and the probability of every bead, which overwrites its score."""
    if path is None:
        path = bead_paths.best_path(band, steps)
    _, points = posteriors(band, steps, PLAUSIBLE)
    return Lattice(band, steps, points, path)


def _deviation(path: bead_paths.Path, n_src: int, n_tgt: int) -> float:
    """Return how far the path strays from the diagonal, in sentences of the shorter side."""
    off = np.abs(path.src.astype(np.float64) * n_tgt - path.tgt.astype(np.float64) * n_src)
    return float(off.max(initial=0.0)) / max(n_src, n_tgt, 1)


def _is_whole(band: Band, n_tgt: int) -> bool:
    return band.cells == band.lo.size * (n_tgt + 1)


def sizes_up_to(largest: int) -> I64:
    """Return the kinds of beads with at most ``largest`` + 1 sentences, 1-1 first."""
    sizes = [(m, n) for m in range(1, largest + 1) for n in range(1, largest + 2 - m)]
    return frozen(np.array(sorted(sizes, key=lambda size: (sum(size), min(size))), np.int64))
