"""Leave-one-out prediction of scores by measures.

r2 of the best of many measures is too high, because it was selected on the same scores. Here each
system is left out in turn, and selection and fitting are done without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64, Bools
from alignframe.core.choices import ANY
from alignframe.stats.external import FEWEST
from alignframe.stats.pearson import correlation
from alignframe.stats.values import LinkMeasure

# Closer correlations are equal; among equals the smallest α is the best.
_TIE = 1e-12


class LeftOut(NamedTuple):
    """Correlations and predictions with each system left out, without columns if too few."""

    # (measures, systems): a measure's correlation over the other systems, and the system's score by
    # the least-squares line through them; NaN where a measure is constant or undefined.
    pearson: F64
    predicted: F64


def left_out(figures: F64, score: F64) -> LeftOut:
    """Leave out each system in turn; figures (measures, systems), scores (systems,)."""
    if score.size <= FEWEST:
        none = np.zeros((len(figures), 0))
        return LeftOut(none, none)
    kept = np.array([np.delete(np.arange(score.size), k) for k in range(score.size)])
    pearson, predicted = np.empty(figures.shape), np.empty(figures.shape)
    y, mean_y = score[kept], score[kept].mean(axis=1)
    for at, own in enumerate(figures):
        x, mean_x = own[kept], own[kept].mean(axis=1)
        pearson[at] = correlation(x, y)
        less = x - mean_x[:, None]
        size = np.sum(less * less, axis=1)
        slope = np.full(score.size, np.nan)
        np.divide(
            np.sum(less * (y - mean_y[:, None]), axis=1),
            size,
            out=slope,
            where=~np.isnan(pearson[at]),
        )
        predicted[at] = mean_y + slope * (own - mean_x)
    return LeftOut(pearson, predicted)


def predictive_r2(predicted: F64, score: F64) -> F64:
    """Return 1 minus squared errors of predictions divided by those of the others' mean.

    ``predicted`` has the shape (..., systems), the result (...): 1 where every score is predicted,
    0 where that is no better than the mean, below 0 where worse; NaN where undefined.
    """
    if predicted.shape[-1] == 0:
        return np.full(predicted.shape[:-1], np.nan)
    of_others = (score.sum() - score) / (score.size - 1)
    errors = np.sum((score - predicted) ** 2, axis=-1)
    out: F64 = 1 - errors / np.sum((score - of_others) ** 2)
    return out


def chosen_r2(known: LeftOut, measures: Sequence[LinkMeasure], score: F64, sign: float) -> Chosen:
    """Return the predictive r2 of F with the α that is best on all other systems."""
    each = alphas_by_annotation(measures)
    # One by annotation, if it has more than one α, and one for ANY of several annotations.
    choices: dict[str | None, list[int]] = {k: rows for k, rows in each.items() if len(rows) > 1}
    if len(each) > 1:
        choices[ANY] = [at for rows in each.values() for at in rows]
    if known.predicted.shape[1] == 0:
        return {}
    r2_of: Chosen = {}
    for kind, rows in choices.items():
        at, defined = first_best(sign * known.pearson[rows])
        systems = np.arange(known.predicted.shape[1])
        predicted = np.where(defined, known.predicted[np.array(rows)[at], systems], np.nan)
        r2_of[kind] = float(predictive_r2(predicted, score))
    return r2_of


Chosen = dict[str | None, float]


def alphas_by_annotation(measures: Sequence[LinkMeasure]) -> dict[str | None, list[int]]:
    """Return the indices of each annotation's F, ordered by α."""
    rows_of: dict[str | None, list[int]] = {}
    for at, measure in enumerate(measures):
        if measure.alpha is not None:
            rows_of.setdefault(measure.annotation, []).append(at)
    return {
        kind: sorted(rows, key=lambda k: measures[k].alpha or 0.0) for kind, rows in rows_of.items()
    }


def first_best(directed: F64) -> tuple[npt.NDArray[np.intp], Bools]:
    """Return the first of the best rows of each column, and whether there is one."""
    # Higher is better, and NaN is never the best.
    known = np.where(np.isnan(directed), -np.inf, directed)
    highest = known.max(axis=0)
    return np.argmax(known >= highest - _TIE, axis=0), np.isfinite(highest)


def best_of(directed: F64, measures: Sequence[LinkMeasure]) -> Bools:
    """Return where a measure's α is the best of its annotation, (measures, runs)."""
    out = np.zeros(directed.shape, np.bool_)
    for rows in alphas_by_annotation(measures).values():
        at, defined = first_best(directed[rows])
        runs = np.flatnonzero(defined)
        out[np.array(rows)[at[runs]], runs] = True
    return out
