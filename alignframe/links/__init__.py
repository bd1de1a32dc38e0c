"""Measuring and joining word alignments (Fraser & Marcu 2007; Och & Ney 2003)."""

from alignframe.formats import read
from alignframe.kernels.symmetrize import METHODS
from alignframe.links.counts import counts
from alignframe.links.scores import compare, scores
from alignframe.links.symmetrize import symmetrize

__all__ = ["METHODS", "compare", "counts", "read", "scores", "symmetrize"]
