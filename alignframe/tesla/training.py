"""Training TESLA-F: preferences in human rankings, and weights that predict them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, I64
from alignframe.core.portable import rounded, weighted_sums
from alignframe.core.signatures import exact, whole_signature
from alignframe.errors import InputError, number_of, warn
from alignframe.stats.bootstrap import unit_of
from alignframe.tesla.features import feature_matrix
from alignframe.tesla.model import Model
from alignframe.tesla.rank_svm import TOLERANCE, Fit, rank_svm
from alignframe.tesla.rankings import pairwise, rankings_of, unlike_sids
from alignframe.tesla.segments import read_features
from alignframe.tesla.signatures import made_with
from alignframe.typing import IntoFrame

C = 1_000.0
"""The cost of an error. On WMT 2012 into English, lower costs do worse in cross-validation."""

DIGITS = 6
"""Weights, and the objective, are rounded to these digits of the largest weight. The objective may
be a millionth (``TOLERANCE``) above its optimum; processors differ by 3e-14 of the largest weight.
"""

_PLACES = 10  # of the gap: it is the difference of two sums, which are rounded themselves

_NOT_FEATURES = ("system", "sid", "score", "ranking", "metric")


class Preferences(NamedTuple):
    """Pairs of translations with a preference."""

    differences: F64  # (pairs, features): the preferred one's minus the other's
    sid: I64  # each pair's
    ranking: I64  # each pair's
    ties: int
    unscored: int


def train(
    features: IntoFrame,
    rankings: IntoFrame,
    *,
    names: Sequence[str] | None = None,
    pair: str | None = None,
    c: float = C,
    folds: int = 0,
    signature: str = "",
    tolerance: float = TOLERANCE,
) -> Model:
    """Learn weights of features from human rankings.

    Parameters
    ----------
    features
        A frame with system, sid, and one column per feature; or its file, as written by
        ``--segments``.
    rankings
        The table ``alignframe.core.schemas.RANKINGS``, or a path for ``read_rankings``.
    names
        The features; by default all numeric columns except sid and score.
    pair
        Language pair of the rankings, such as fr-en or French-English; by default the one whose
        systems have features.
    c
        Cost of an error, as in SVM-rank.
    folds
        Number of folds of the cross-validation, of sentences; 0 for none.
    signature
        The signature of the features; by default that in their Parquet file.
    tolerance
        See ``rank_svm``.

    Returns
    -------
    Model
        ``training`` has pairs, ties (left out), unscored (pairs left out for lack of a feature),
        rankings, sentences, c, objective, gap, consistency (the share of pairs that the model
        orders correctly; its ties are wrong) and, with folds, cross_validated (the consistency of
        held-out pairs).

    Raises
    ------
    InputError
        If a column is missing or not numeric, or there is no preference.

    Warns
    -----
    DataWarning
        If preferences are left out for lack of features, or the weights are not exact.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import tesla
    >>> preferred = pl.DataFrame({"sid": [0, 1], "better": ["a", "a"], "worse": ["b", "b"]})
    >>> features = pl.DataFrame(
    ...     {"system": ["a", "b", "a", "b"], "sid": [0, 0, 1, 1], "f": [0.9, 0.2, 0.8, 0.4]}
    ... )
    >>> model = tesla.train(features, tesla.read_rankings(preferred))
    >>> model.training["consistency"]
    1.0
    """
    frame, stored = read_features(features)
    path = features if isinstance(features, (str, PathLike)) else None
    if path is not None and not signature:
        signature = "|".join(made_with(stored))
    rankings = rankings_of(rankings, set(frame["system"].cast(pl.String)), pair)
    own = feature_names(frame, path) if names is None else tuple(names)
    if folds < 0 or folds == 1:
        raise InputError(f"{folds} folds", expected="2 or more, or 0 for none")
    learnt = preferences(frame, rankings, own)
    unlike = unlike_sids(rankings, frame["sid"])
    if not learnt.sid.size:
        raise InputError(
            f"no preferences between translations that have features{unlike}",
            expected="rankings and features of the same systems and sentences",
        )
    if learnt.unscored:
        warn(
            f"left out {number_of(learnt.unscored, 'pair')} of ranked translations, in which at "
            f"least one has no features{unlike}"
        )
    fit = _fit(learnt.differences, learnt.ranking, c, tolerance)
    training: dict[str, object] = {
        "pairs": int(learnt.sid.size),
        "ties": learnt.ties,
        "unscored": learnt.unscored,
        "rankings": int(np.unique(learnt.ranking).size),
        "sentences": int(np.unique(learnt.sid).size),
        "c": float(c),
        "objective": float(rounded(fit.objective, DIGITS)),
        "gap": round(fit.gap, _PLACES),
        "consistency": _consistency(weighted_sums(learnt.differences, fit.weights)),
    }
    if folds:
        margins = _held_out(learnt, c, folds, tolerance)
        training |= {"folds": folds, "cross_validated": _consistency(margins)}
    svm = f"svm:c={exact(c)},queries=rankings,tolerance={exact(tolerance)}"
    mark = whole_signature("metric:tesla-f", signature or "", svm)
    return Model(own, tuple(fit.weights.tolist()), (), mark, training)


def feature_names(frame: pl.DataFrame, path: str | PathLike[str] | None = None) -> tuple[str, ...]:
    """Return the numeric columns that are features; ``path`` is the frame's file, for errors."""
    names = tuple(
        name
        for name, kind in frame.schema.items()
        if kind.is_numeric() and name not in _NOT_FEATURES
    )
    if not names:
        raise InputError(
            f"a table with the columns {', '.join(frame.columns)}",
            path=path,
            expected="features beside system and sid",
            todo="write them with the scores",
        )
    return names


def preferences(features: pl.DataFrame, rankings: IntoFrame, names: Sequence[str]) -> Preferences:
    """Return preferences in rankings as differences of features."""
    keys = features.select(pl.col("system").cast(pl.String), pl.col("sid").cast(pl.Int64))
    if keys.is_duplicated().any():
        system, sid = keys.filter(keys.is_duplicated()).row(0)
        raise InputError(
            f"the system {system!r} has features of sentence {sid} more than once",
            expected="one row per system and sentence",
        )
    matrix = feature_matrix(features, names)
    whole_rows = pl.Series(np.isfinite(matrix).all(axis=1))
    places = pl.Series(np.arange(keys.height, dtype=np.int64))
    known = keys.with_columns(row=places).filter(whole_rows)
    pairs = pairwise(rankings)
    strict = pairs.filter(pl.col("preference") != 0)
    rows = []
    for side in ("system", "other"):
        mine = strict.select(pl.col(side).alias("system"), "sid")
        rows.append(
            mine.join(known, on=["system", "sid"], how="left", maintain_order="left")["row"]
        )
    whole = rows[0].is_not_null() & rows[1].is_not_null()
    kept = strict.filter(whole)
    first, second = (row.filter(whole).to_numpy() for row in rows)
    sign = kept["preference"].to_numpy()[:, None]
    return Preferences(
        (matrix[first] - matrix[second]) * sign,
        kept["sid"].to_numpy(),
        kept["ranking"].to_numpy(),
        pairs.height - strict.height,
        strict.height - kept.height,
    )


def _fit(differences: F64, ranking: I64, c: float, tolerance: float) -> Fit:
    """Return the solution for pairs of rankings, with weights that are the same anywhere."""
    fit = rank_svm(differences, np.unique(ranking).size, c=c, tolerance=tolerance)
    return fit._replace(weights=rounded(fit.weights, DIGITS))


def _consistency(margins: F64) -> float:
    return float(np.mean(margins > 0))


def _held_out(preferences: Preferences, c: float, folds: int, tolerance: float) -> F64:
    """Return the margin of each pair by a model that was not trained on its sentence."""
    fold = unit_of(preferences.sid, folds)
    margins = np.zeros(preferences.sid.size)
    for number in range(folds):
        out = fold == number
        if out.all() or not out.any():
            raise InputError(
                f"{folds} folds of {np.unique(preferences.sid).size} sentences",
                expected="fewer folds, or more sentences",
            )
        fit = _fit(preferences.differences[~out], preferences.ranking[~out], c, tolerance)
        margins[out] = weighted_sums(preferences.differences[out], fit.weights)
    return margins
