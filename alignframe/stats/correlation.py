"""Which measure predicts translation quality: measures of systems against an outside score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from alignframe.errors import InputError
from alignframe.stats.bootstrap import generator, interval, resample_sums
from alignframe.stats.outside import FEWEST, is_constant, match_scores, outside_table, with_ties
from alignframe.stats.values import ALPHAS, Figures, Measure, Measured, figures_of, measure
from alignframe.tables import COUNTS
from alignframe.version import __version__

_SCHEMA = {
    "measure": pl.String,
    "annotation": pl.String,
    "alpha": pl.Float64,
    "systems": pl.Int64,
    "pearson": pl.Float64,
    "r2": pl.Float64,
    "p_value": pl.Float64,
    "spearman": pl.Float64,
    "kendall": pl.Float64,
    "r2_low_sentences": pl.Float64,
    "r2_high_sentences": pl.Float64,
    "r2_low_systems": pl.Float64,
    "r2_high_systems": pl.Float64,
    "best": pl.Boolean,
    "best_share": pl.Float64,
    "best_left_out": pl.Float64,
    "slope": pl.Float64,
    "intercept": pl.Float64,
    "signature": pl.String,
}

_TIE = 1e-12
"""Correlations closer than this are equal; of equals the smallest α is the best."""


def correlate(
    scores: Any,
    outside: Any,
    *,
    alpha: Sequence[float] = ALPHAS,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 1,
    lower_is_better: bool = False,
    subset: str = "",
) -> pl.DataFrame:
    """Correlate measures of systems with an outside score, such as BLEU.

    Parameters
    ----------
    scores
        Counts by sentence, as ``alignframe.links.counts`` returns them: all measures are made of
        them, and sentences resampled. Or a row a system: sums of such counts, or a table of scores
        (as ``alignframe.links.scores`` returns) whose numeric columns are the measures; sentences,
        links, signature and the ends of intervals are left out, and aer is turned into 1 - aer.
        Sentences cannot be resampled then.
    outside
        A frame with the columns system and score, or a mapping from systems to scores.
    alpha
        The values of α at which F is measured, from 0 to 1.
    resamples
        Number of resamples of sentences, and of systems; 0 for none.
    confidence, seed
        Of the intervals.
    lower_is_better
        Whether a lower outside score is the better one, as for TER. ``best`` then looks for the
        lowest Pearson correlation; no other figure changes.
    subset
        What the signature calls the subset of gold that was counted, if it was one.

    Returns
    -------
    polars.DataFrame
        A row a measure: ``1-aer``; then ``f_0.1`` and so on for each annotation: ``sure-possible``
        (precision against Possible, recall against Sure links), ``sure`` (the Sure links are the
        only gold links) and ``possible`` (all links are gold alike). The columns:

        - measure, annotation, alpha (null for ``1-aer``), systems (their number)
        - pearson, r2 (its square), p_value (two-sided, that Pearson's r is 0), spearman, kendall
          (tau-b)
        - r2_low_sentences, r2_high_sentences: the interval of r2 over resampled sentences
        - r2_low_systems, r2_high_systems: that over resampled systems; draws of fewer than three
          different systems, or of a constant figure, are left out
        - best: whether this α has the highest Pearson correlation of its annotation (the lowest,
          if ``lower_is_better``; of equals the smallest α). It is not the highest r2: that would
          prize a measure that strongly predicts the wrong way
        - best_share: the share of sentence resamples in which this α is its annotation's best
        - best_left_out: the share of the runs with one system left out in which it is the best
        - slope, intercept: of the least-squares line, the score as a function of the measure
        - signature: every choice that changes a figure

        A measure that is equal for all systems, or undefined for one, has nulls.

    Raises
    ------
    InputError
        If fewer than three systems have a score, a system has none, a score is missing, not a
        number or given twice, all scores are equal, or systems have counts of different sentences.

    Warns
    -----
    DataWarning
        If there are scores of systems that were not measured.

    Notes
    -----
    Fraser & Marcu 2007, sections 3.1 to 3.3. Figures that agree to 12 digits are equal: computed
    from different counts, they may differ in the last bits.

    Examples
    --------
    >>> counts = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [0.1, 0.2, 0.4]})
    >>> round(correlate(counts, {"a": 20.0, "b": 22.0, "c": 23.0})["r2"][0], 3)
    0.893
    """
    if not isinstance(resamples, int) or resamples < 0:
        raise InputError(f"{resamples} resamples", expected="0 or more")
    if not 0 < confidence < 1:
        raise InputError(f"a confidence of {confidence!r}", expected="a number between 0 and 1")
    measured = measure(scores, alpha)
    score = match_scores(measured.systems, outside_table(outside))
    sign = -1.0 if lower_is_better else 1.0
    figures = measured.figures
    pearson = correlation(figures, score)
    best = best_of(sign * pearson[:, None], measured.measures)
    by_sentence = _over_sentences(measured, score, resamples, seed)
    by_system = _over_systems(figures, score, resamples, seed)
    shares = _shares(best_of(sign * by_sentence, measured.measures), measured.measures)
    without_one = sign * _left_out(figures, score)
    left_out = _shares(best_of(without_one, measured.measures), measured.measures)
    mark = _signature(measured, resamples, confidence, seed, lower_is_better, subset)
    rows = []
    for at, one in enumerate(measured.measures):
        row: dict[str, Any] = {**dict.fromkeys(_SCHEMA), "systems": len(score), "signature": mark}
        row |= {"measure": one.name, "annotation": one.annotation, "alpha": one.alpha}
        row["best"] = bool(best[at, 0])
        if not math.isnan(pearson[at]):
            row |= _association(figures[at], score, float(pearson[at]))
            row["best_share"], row["best_left_out"] = shares[at], left_out[at]
            for drawn, kind in ((by_sentence, "sentences"), (by_system, "systems")):
                low, high = interval(drawn[at] ** 2, confidence)
                row |= {f"r2_low_{kind}": low, f"r2_high_{kind}": high}
        rows.append(row)
    return pl.DataFrame(rows, schema=_SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))


def correlation(x: Figures, y: Figures) -> Figures:
    """Return Pearson's r along the last axis; NaN where a side is constant or undefined.

    Parameters
    ----------
    x, y
        Shapes that can be broadcast together: (..., systems).

    Returns
    -------
    numpy.ndarray
        Shape (...).
    """
    x, y = (_centred(side) for side in np.broadcast_arrays(x, y))
    size = np.sqrt(np.sum(x * x, axis=-1) * np.sum(y * y, axis=-1))
    out = np.full(size.shape, np.nan)
    np.divide(np.sum(x * y, axis=-1), size, out=out, where=size > 0)
    return np.clip(out, -1, 1)


def _centred(figures: Figures) -> Figures:
    """Return figures less their mean, on the scale of the largest; NaN where they are constant."""
    less = figures - figures.mean(axis=-1, keepdims=True)
    largest = np.abs(less).max(axis=-1, keepdims=True)
    out = np.full(less.shape, np.nan)
    np.divide(less, largest, out=out, where=(largest > 0) & ~is_constant(figures)[..., None])
    return out


def least_squares(x: Figures, y: Figures) -> tuple[float, float]:
    """Return slope and intercept of y as a linear function of x."""
    less = x - x.mean()
    slope = float(less @ (y - y.mean()) / (less @ less))
    return slope, float(y.mean() - slope * x.mean())


def _association(x: Figures, y: Figures, pearson: float) -> dict[str, float]:
    """Return what a row says about all systems."""
    # Slow to import, and wanted here only.
    from scipy import stats

    slope, intercept = least_squares(x, y)
    ranked = with_ties(x), y  # the scores are given, so equal ones are equal to the last bit
    return {
        "pearson": pearson,
        "r2": pearson**2,
        "p_value": float(stats.pearsonr(x, y).pvalue),
        "spearman": float(stats.spearmanr(*ranked).statistic),
        "kendall": float(stats.kendalltau(*ranked).statistic),
        "slope": slope,
        "intercept": intercept,
    }


def best_of(directed: Figures, measures: Sequence[Measure]) -> npt.NDArray[np.bool_]:
    """Return where a measure's α is the best of its annotation.

    Parameters
    ----------
    directed
        Shape (measures, runs): correlations, higher ones being better. NaN never is the best.
    measures
        In each annotation ordered by α.
    """
    out = np.zeros(directed.shape, np.bool_)
    known = np.where(np.isnan(directed), -np.inf, directed)
    for kind in dict.fromkeys(one.annotation for one in measures):
        rows = [k for k, m in enumerate(measures) if m.annotation == kind and m.alpha is not None]
        rows.sort(key=lambda k: measures[k].alpha or 0.0)
        if not rows:
            continue
        highest = known[rows].max(axis=0)
        first = np.argmax(known[rows] >= highest - _TIE, axis=0)
        runs = np.flatnonzero(np.isfinite(highest))
        out[np.array(rows)[first[runs]], runs] = True
    return out


def _shares(best: npt.NDArray[np.bool_], measures: Sequence[Measure]) -> list[float | None]:
    """Return how often each α is its annotation's best, of the runs in which one is."""
    kinds = {one.annotation: 0 for one in measures}
    for one, times in zip(measures, best.sum(axis=1).tolist(), strict=True):
        kinds[one.annotation] += times
    return [
        times / kinds[one.annotation] if one.alpha is not None and kinds[one.annotation] else None
        for one, times in zip(measures, best.sum(axis=1).tolist(), strict=True)
    ]


def _over_sentences(measured: Measured, score: Figures, resamples: int, seed: int) -> Figures:
    """Return correlations of shape (measures, resamples); none where there are no sentences."""
    if measured.per_unit is None or not resamples:
        return np.zeros((len(measured.measures), 0))
    sums = resample_sums(measured.per_unit, resamples, seed)
    alphas = [m.alpha for m in measured.measures[1:] if m.annotation == "sure"]
    figures = figures_of(
        sums.reshape(resamples, len(score), len(COUNTS)), [a for a in alphas if a is not None]
    )
    return np.stack([correlation(one, score) for one in figures])


def _over_systems(figures: Figures, score: Figures, resamples: int, seed: int) -> Figures:
    """Return correlations of shape (measures, resamples) over systems drawn with replacement."""
    rng = generator(seed, stream=1)  # other draws than those of sentences
    drawn = rng.integers(0, score.size, (resamples, score.size))
    different = 1 + np.count_nonzero(np.diff(np.sort(drawn, axis=1), axis=1), axis=1)
    drawn = drawn[different >= FEWEST]
    return np.stack([correlation(one[drawn], score[drawn]) for one in figures])


def _left_out(figures: Figures, score: Figures) -> Figures:
    """Return correlations of shape (measures, systems), each without one of the systems."""
    if score.size <= FEWEST:
        return np.zeros((len(figures), 0))
    kept = np.array([np.delete(np.arange(score.size), k) for k in range(score.size)])
    return np.stack([correlation(one[kept], score[kept]) for one in figures])


def _signature(
    measured: Measured,
    resamples: int,
    confidence: float,
    seed: int,
    lower_is_better: bool,
    subset: str,
) -> str:
    """Return the text that names every choice which changes a figure."""
    parts = [
        f"alignframe:{__version__}",
        "metric:correlation",
        *measured.choices,
        *([subset] if subset else []),
        f"better:{'lower' if lower_is_better else 'higher'}",
        "best:pearson",
        "kendall:tau-b",
    ]
    if resamples:
        units = "systems" if measured.per_unit is None else "sentences+systems"
        parts.append(f"bootstrap:{resamples},of:{units},seed:{seed},confidence:{confidence:g}")
    return "|".join(parts)
