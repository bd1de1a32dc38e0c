"""Sentence alignment, and its evaluation under noise (Moore 2002; Zaidan & Chowdhary 2013).

``align`` aligns the sentences of two texts. ``noise`` makes a noisy document with known beads from
a parallel one, and ``grid`` all noisy documents of the paper. ``score`` evaluates beads against
gold; its result has the counts behind all scores, and differences. ``study`` compares aligners on
noisy documents, ``tune`` tunes their options on them, and ``filter`` filters parallel text.
"""

from alignframe.beads.align import align
from alignframe.beads.calibration import calibration
from alignframe.beads.document import split
from alignframe.beads.edits import apply_edits
from alignframe.beads.filter import filter  # noqa: A004 - called as beads.filter
from alignframe.beads.filtered import Filtered
from alignframe.beads.noise import (
    Noisy,
    clean,
    combine,
    delete,
    different,
    length_aligned,
    noise,
    randomize,
)
from alignframe.beads.scenarios import Setting, grid, read_scenarios, settings
from alignframe.beads.score import crossings, score
from alignframe.beads.study import study
from alignframe.beads.tune import Tuned, tune
from alignframe.core.choices import ONE_SIDED, SCENARIOS
from alignframe.core.lazy import lazily
from alignframe.options.beads import METHODS, Options, Priors

__all__ = [
    "METHODS",
    "ONE_SIDED",
    "SCENARIOS",
    "Filtered",
    "Noisy",
    "Options",
    "Priors",
    "Setting",
    "Tuned",
    "align",
    "apply_edits",
    "calibration",
    "clean",
    "combine",
    "crossings",
    "delete",
    "different",
    "filter",
    "grid",
    "length_aligned",
    "noise",
    "randomize",
    "read_scenarios",
    "score",
    "settings",
    "split",
    "study",
    "tune",
]

__getattr__, _ = lazily(
    __name__, {}, former=dict.fromkeys(("compare", "counts", "scores"), "beads.score")
)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
