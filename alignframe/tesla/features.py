"""Features of translations, on which all TESLA metrics are based.

Dahlmeier, Liu & Ng 2011, sections 2.3, 3.4 and 4: TESLA-M averages the F-measures of bags of
n-grams in the target language; TESLA-B adds those of pivot languages; TESLA-F is a weighted sum of
these and language model scores. All are linear in their features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.arrow import to_table
from alignframe.errors import InputError
from alignframe.language.analysed import Analysed
from alignframe.typing import IntoFrame


class Features(Protocol):
    """A group of features: F-measures of bags, of a pivot language, or of a language model."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each feature: ``ms_1``, ``fr_lem_2``, ``lm_news``."""

    @property
    def signature(self) -> str:
        """The choices that affect the scores, as ``key:value`` parts joined by bars."""

    def of(self, hyp: Analysed, ref: Analysed) -> F64:
        """Return the features of each sentence of ``hyp`` against the same row of ``ref``."""


def feature_matrix(features: IntoFrame, names: Sequence[str]) -> F64:
    """Return the features of a frame, shape (rows, features); NaN where one is missing."""
    frame = features if isinstance(features, pl.DataFrame) else None
    if frame is None:
        frame = pl.DataFrame(pl.from_arrow(to_table(features)))
    for name in names:
        if name not in frame.columns:
            raise InputError(
                f"features {', '.join(frame.columns)}", expected=f"the feature {name!r} as well"
            )
        if not frame[name].dtype.is_numeric():
            raise InputError(f"{name} of type {frame[name].dtype}", expected="numbers")
    columns = (pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in names)
    return frame.select(columns).to_numpy()
