"""Which measure predicts translation quality: measures of systems against an external score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from itertools import permutations
from math import factorial
from typing import NamedTuple, TypedDict

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, Array, Bools
from alignframe.core.choices import CHOSEN, RESAMPLES, TEST_RESAMPLES
from alignframe.core.schemas import COUNTS
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError
from alignframe.stats.bootstrap import Resampling, generator, interval, resample_sums
from alignframe.stats.external import FEWEST, external_table, is_constant, match_scores, with_ties
from alignframe.stats.left_out import best_of, chosen_r2, left_out, predictive_r2
from alignframe.stats.multiple import max_t
from alignframe.stats.pearson import correlation, least_squares
from alignframe.stats.ranks import kendall, spearman
from alignframe.stats.values import (
    ALPHAS,
    LinkMeasure,
    Measured,
    figures_of,
    mean_of_parts,
    measure,
)
from alignframe.typing import Confidence, IntoFrame, IntoScores, Resamples, Row, Seed, Share

_SCHEMA = {
    "measure": pl.String,
    "annotation": pl.String,
    "alpha": pl.Float64,
    "group": pl.String,
    "systems": pl.Int64,
    "pearson": pl.Float64,
    "r2": pl.Float64,
    "r2_left_out": pl.Float64,
    "p_value": pl.Float64,
    "p_corrected": pl.Float64,
    "spearman": pl.Float64,
    "kendall": pl.Float64,
    **{
        f"{figure}_{end}_{units}": pl.Float64
        for figure in ("r2", "pearson")
        for units in ("sentences", "systems")
        for end in ("low", "high")
    },
    "best": pl.Boolean,
    "best_share": pl.Float64,
    "best_left_out": pl.Float64,
    "slope": pl.Float64,
    "intercept": pl.Float64,
    "signature": pl.String,
}


class CorrelationOptions(TypedDict, total=False):
    """The options of ``correlate``."""

    alpha: Sequence[float]
    bootstrap: int
    confidence: float
    seed: int
    lower_is_better: bool
    subset: str


def correlate(
    scores: IntoFrame,
    external: IntoScores,
    *,
    alpha: Sequence[Share] = ALPHAS,
    by_group: bool = False,
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    lower_is_better: bool = False,
    subset: str = "",
) -> pl.DataFrame:
    """Correlate measures of systems with an external score, such as BLEU.

    Parameters
    ----------
    scores
        Counts by sentence, as from ``alignframe.links.score``, from which all measures are
        computed, and which are resampled. With a column ``piece``, as in ``counts.parquet`` of a
        ``QualityStudy``, the figures of a system are means over its pieces. Or one row per system:
        sums of such counts, or a table of scores (as ``alignframe.links.score`` returns) whose
        numeric columns are the measures; sentences, links, signature and the ends of intervals are
        left out, and aer is turned into 1 - aer. Sentences cannot be resampled then.
    external
        A frame with the columns system, score and optionally group, or a mapping from systems to
        scores.
    alpha
        The values of α at which F is measured, from 0 to 1.
    by_group
        Also correlate within each group of ``external``.
    bootstrap
        Number of resamples of sentences, and of systems; 0 for none.
    confidence, seed
        The confidence level of the intervals, and the random seed.
    lower_is_better
        Lower scores are better, as for TER. ``best`` then looks for the lowest Pearson
        correlation; no other figure changes but those of choosing α.
    subset
        The signature of the subset of gold counted, if any; by default as in that of the counts.

    Returns
    -------
    polars.DataFrame
        One row per measure: ``1-aer``; then ``f_0.1`` and so on for each annotation:
        ``sure-possible`` (precision against Possible, recall against Sure links), ``sure`` (the
        Sure links are the only gold links) and ``possible`` (all links are gold alike); then, if
        there are more than three systems, ``f_chosen`` for each annotation and for ``any`` of them:
        F whose α is chosen without the system it predicts. The columns:

        - measure, annotation, alpha (null for ``1-aer`` and ``f_chosen``), group (null for all
          systems), systems (their number)
        - pearson, r2 (its square), p_value (two-sided, that Pearson's r is 0), p_corrected (for the
          number of measures, by step-down max-T over permutations of the scores: all of them for up
          to seven systems, or else 10,000; null without resamples), spearman, kendall (tau-b)
        - r2_left_out: how well the score of a system is predicted by the line through all others,
          1 less the squared errors over those of the others' mean; null for three systems or fewer.
          ``f_chosen`` has no other figure: its line has the α that is best on all other systems
        - r2_low_sentences, r2_high_sentences: the interval of r2 over resampled sentences
        - r2_low_systems, r2_high_systems: that over resampled systems; draws of fewer than three
          different systems, or of a constant figure, are left out; null for three systems
        - pearson_low_sentences and so on: the same of Pearson's r
        - best: whether this α has the highest Pearson correlation of its annotation (the lowest,
          if ``lower_is_better``; of equals the smallest α). It is not the highest r2: that would
          prize a measure that strongly predicts the wrong way
        - best_share: the share of sentence resamples in which this α is its annotation's best
        - best_left_out: the share of the runs with one system left out in which it is the best
        - slope, intercept: of the least-squares line, the score as a function of the measure
        - signature: every choice that affects the scores

        A measure that is equal for all systems, or undefined for one, has nulls; so has a group of
        fewer than three systems, or of equal scores.

    Raises
    ------
    InputError
        If fewer than three systems have a score, a system has none, a score is missing, not a
        number or given twice, all scores are equal, systems have counts of different sentences, or
        there are no groups to correlate by.

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
    0.862
    """
    bootstrap, confidence, seed, _ = astuple(Resampling(bootstrap, confidence, seed))
    measured = measure(scores, alpha)
    known = external_table(external)
    score = match_scores(measured.systems, known)
    chosen = _Choices(bootstrap, confidence, seed, -1.0 if lower_is_better else 1.0)
    rows = _rows(measured, score, chosen)
    for group, places in _groups(measured.systems, known) if by_group else ():
        rows += [
            {**row, "group": group} for row in _rows(measured.take(places), score[places], chosen)
        ]
    mark = _signature(measured, chosen, subset or measured.subset)
    return (
        pl.DataFrame([{**dict.fromkeys(_SCHEMA), **row} for row in rows], schema=_SCHEMA)
        .with_columns(pl.col(pl.Float64).fill_nan(None))
        .with_columns(signature=pl.lit(mark))
    )


class _Choices(NamedTuple):
    """Options of a correlation; ``sign`` is -1 if a lower score is better."""

    resamples: int
    confidence: float
    seed: int
    sign: float


def _groups(systems: Sequence[str], external: pl.DataFrame) -> list[tuple[str, list[int]]]:
    """Return the groups of external scores, and the indices of their systems."""
    if "group" not in external.columns:
        raise InputError("external scores without a column group", expected="one per system")
    group_of = dict(external.select("system", "group").iter_rows())
    named = dict.fromkeys(group_of.values())
    placed = [
        (own, [at for at, name in enumerate(systems) if group_of[name] == own]) for own in named
    ]
    return [(own, places) for own, places in placed if places]


def _rows(measured: Measured, score: F64, chosen: _Choices) -> list[Row]:
    """Return the rows of all measures over some systems."""
    named = [
        {"measure": m.name, "annotation": m.annotation, "alpha": m.alpha} for m in measured.measures
    ]
    rows: list[Row] = [{**key, "systems": score.size, "best": False} for key in named]
    few = score.size < FEWEST or bool(is_constant(score))
    figures = measured.figures
    pearson = np.full(len(rows), np.nan) if few else correlation(figures, score)
    without = left_out(figures, score[:0] if few else score)
    predicted = predictive_r2(without.predicted, score)
    if not few:
        best = best_of(chosen.sign * pearson[:, None], measured.measures)
        by_sentence = _over_sentences(measured, score, chosen)
        units = 0 if measured.per_unit is None else len(measured.per_unit)
        drawn_by = (
            (by_sentence, "sentences", units),
            (_over_systems(figures, score, chosen), "systems", score.size),
        )
        shares = _shares(best_of(chosen.sign * by_sentence, measured.measures), measured.measures)
        held = _shares(best_of(chosen.sign * without.pearson, measured.measures), measured.measures)
        known = np.flatnonzero(~np.isnan(pearson)).tolist()
        corrected = _corrected(figures[known], score, pearson[known], chosen)
        for at, association in zip(
            known, _associations(figures[known], score, pearson[known]), strict=True
        ):
            row = rows[at]
            row |= {**association, "best": bool(best[at, 0]), "r2_left_out": float(predicted[at])}
            row |= {"best_share": shares[at], "best_left_out": held[at]}
            row["p_corrected"] = corrected.pop(0) if corrected else None
            for drawn, kind, units in drawn_by:
                for name, figure in (("r2", drawn[at] ** 2), ("pearson", drawn[at])):
                    low, high = interval(figure, chosen.confidence, observed=row[name], units=units)
                    row |= {f"{name}_low_{kind}": low, f"{name}_high_{kind}": high}
    for annotation, r2 in chosen_r2(without, measured.measures, score, chosen.sign).items():
        row = {"measure": CHOSEN, "annotation": annotation, "systems": score.size, "best": False}
        rows.append({**row, "r2_left_out": r2})
    return rows


def _associations(x: F64, y: F64, pearson: F64) -> list[dict[str, float]]:
    """Return the row of each measure over all systems."""
    from scipy.special import betainc  # slow to import, and wanted here only

    ranked = with_ties(x)  # the scores are given, so equal ones are equal to the last bit
    half = y.size / 2 - 1  # where r is 0, (1 + r) / 2 is of the beta distribution with it twice
    columns = {
        "pearson": pearson,
        "r2": pearson**2,
        "p_value": 2 * betainc(half, half, (1 - np.abs(pearson)) / 2),
        "spearman": spearman(ranked, y),
        "kendall": kendall(ranked, y),
    }
    slope, intercept = np.array([least_squares(figure, y) for figure in x]).reshape(-1, 2).T
    columns |= {"slope": slope, "intercept": intercept}
    names = list(columns)
    values = np.stack(list(columns.values()), axis=1).tolist()
    return [dict(zip(names, row, strict=True)) for row in values]


def _corrected(figures: F64, score: F64, pearson: F64, chosen: _Choices) -> list[float]:
    """Return p-values corrected for the number of measures; none without resamples."""
    if not chosen.resamples:
        return []
    # Few systems have few orders: all are tried instead of random ones.
    if factorial(score.size) <= TEST_RESAMPLES:
        orders = np.array([*permutations(range(score.size))])[1:]  # the first is the observed one
    else:
        rng = generator(chosen.seed, stream=2)
        orders = rng.permuted(np.tile(np.arange(score.size), (TEST_RESAMPLES, 1)), axis=1)
    x, y = (side - side.mean(axis=-1, keepdims=True) for side in (figures, score))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    y /= np.linalg.norm(y)
    p_values: list[float] = max_t(pearson, y[orders] @ x.T).tolist()
    return p_values


def _shares(best: Bools, measures: Sequence[LinkMeasure]) -> list[float | None]:
    """Return how often each α is its annotation's best, among runs with a best one."""
    kinds = {m.annotation: 0 for m in measures}
    for m, times in zip(measures, best.sum(axis=1).tolist(), strict=True):
        kinds[m.annotation] += times
    return [
        times / kinds[m.annotation] if m.alpha is not None and kinds[m.annotation] else None
        for m, times in zip(measures, best.sum(axis=1).tolist(), strict=True)
    ]


def _drawn_from(measured: Measured) -> Array | None:
    """Return the counts by sentence; None of a single sentence, as every draw of it is itself."""
    several = measured.per_unit is not None and len(measured.per_unit) > 1
    return measured.per_unit if several else None


def _over_sentences(measured: Measured, score: F64, chosen: _Choices) -> F64:
    """Return correlations of shape (measures, resamples); empty without sentences."""
    resamples, per_unit = chosen.resamples, _drawn_from(measured)
    if per_unit is None or not resamples:
        return np.zeros((len(measured.measures), 0))
    sums = resample_sums(per_unit, resamples, chosen.seed)
    alphas = [m.alpha for m in measured.measures[1:] if m.annotation == "sure"]
    figures = figures_of(
        sums.reshape(resamples, -1, len(COUNTS)), [a for a in alphas if a is not None]
    )
    return np.stack(
        [correlation(mean_of_parts(sums_of, measured.parts), score) for sums_of in figures]
    )


def _over_systems(figures: F64, score: F64, chosen: _Choices) -> F64:
    """Return correlations of shape (measures, resamples) over systems drawn with replacement."""
    rng = generator(chosen.seed, stream=1)  # other draws than those of sentences
    drawn = rng.integers(0, score.size, (chosen.resamples, score.size))
    different = 1 + np.count_nonzero(np.diff(np.sort(drawn, axis=1), axis=1), axis=1)
    # Of three systems, all such draws would be the sample itself in another order.
    drawn = drawn[(different >= FEWEST) & (score.size > FEWEST)]
    return np.stack([correlation(figure[drawn], score[drawn]) for figure in figures])


def _signature(measured: Measured, chosen: _Choices, subset: str) -> str:
    """Return the signature."""
    resamples, confidence, seed, _ = chosen
    units = "systems" if _drawn_from(measured) is None else "sentences+systems"
    drawn = f"bootstrap:{resamples},of:{units},seed:{seed},confidence:{confidence:g}"
    return whole_signature(
        "metric:correlation",
        *measured.choices,
        subset,
        f"better:{'lower' if chosen.sign < 0 else 'higher'}",
        "best:pearson",
        "kendall:tau-b",
        *((drawn, "correction:max-t") if resamples else ()),
    )
