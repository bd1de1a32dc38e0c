"""Making word alignments (Brown et al. 1993; Vogel et al. 1996; Och & Ney 2003).

``fit`` learns a model from a bitext, whose ``align`` aligns any text; ``align`` does both, in both
directions, and ``align_with`` aligns with two models. A model is saved in a folder
(``Model.save``), from where ``load`` reads it, or ``load_directions`` both directions. ``aligner``
makes one a function of files.
"""

from alignframe.aligners.bidirectional import METHODS, align, align_with, load_directions
from alignframe.aligners.fit import fit
from alignframe.aligners.function import aligner
from alignframe.aligners.model import KINDS, Model
from alignframe.aligners.storage import load

__all__ = [
    "KINDS",
    "METHODS",
    "Model",
    "align",
    "align_with",
    "aligner",
    "fit",
    "load",
    "load_directions",
]


def __dir__() -> list[str]:
    """Return what is public."""
    return __all__
