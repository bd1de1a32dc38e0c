"""What every TESLA is made of: features of a translation, and a weight for each.

Sections 2.3, 3.4 and 4 of Dahlmeier, Liu & Ng 2011: TESLA-M averages the F-measures of bags of
n-grams of the target language; TESLA-B those and the ones of pivot languages; TESLA-F weighs these
and scores of language models. All are linear in their features.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from alignframe.language.analysed import Analysed

F64 = npt.NDArray[np.float64]


class Features(Protocol):
    """A group of features: F-measures of bags, of a pivot language, or of a language model."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each feature: ``ms_1``, ``fr_lem_2``, ``lm_news``."""

    @property
    def signature(self) -> str:
        """The choices that change a figure, as parts ``key:value`` joined by bars."""

    def of(self, hyp: Analysed, ref: Analysed) -> F64:
        """Return the features of each sentence of ``hyp`` against the same row of ``ref``.

        Both share one vocabulary. The shape is (rows, features).
        """
