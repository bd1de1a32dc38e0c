"""Word alignment (Brown et al. 1993; Vogel et al. 1996; Och & Ney 2003).

``fit`` trains a model on a bitext, and the model's ``align`` aligns any text. ``align`` trains and
aligns in both directions; ``align_with`` aligns with two trained models, ``evaluate`` shows their
links and probabilities on a page. ``Model.save`` saves a model in a folder, which ``load`` reads;
``load_directions`` reads both directions, with which ``Aligner`` links single sentence pairs.
``describe`` says what a saved model is, ``merge`` adds the counts of models of parts of a text, and
``read_priors`` and ``write_priors`` exchange them with eflomal. ``sentence_scores`` scores sentence
pairs by the probabilities of their links. ``aligner`` wraps a model as a function of files.
``OPTIONS`` has the options of each kind of model, and ``Training`` those of training any of them.
"""

from alignframe.aligners.bidirectional import align, align_with
from alignframe.aligners.confidence import evaluate
from alignframe.aligners.described import describe
from alignframe.aligners.directions import METHODS, load_directions
from alignframe.aligners.eflomal import read_priors, write_priors
from alignframe.aligners.fit import fit
from alignframe.aligners.function import aligner
from alignframe.aligners.merged import merge
from alignframe.aligners.model import KINDS, Model
from alignframe.aligners.sentences import sentence_scores
from alignframe.aligners.service import Aligner
from alignframe.aligners.storage import load
from alignframe.options.aligners import OPTIONS
from alignframe.options.training import Training

__all__ = [
    "KINDS",
    "METHODS",
    "OPTIONS",
    "Aligner",
    "Model",
    "Training",
    "align",
    "align_with",
    "aligner",
    "describe",
    "evaluate",
    "fit",
    "load",
    "load_directions",
    "merge",
    "read_priors",
    "sentence_scores",
    "write_priors",
]


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
