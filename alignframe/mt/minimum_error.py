"""Minimum error rate training on an n-best list."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.portable import rounded
from alignframe.core.signatures import exact
from alignframe.errors import (
    InputError,
    check_known,
    in_file,
    number_of,
    warn,
)
from alignframe.mt.n_best import read_feature_files, read_n_best
from alignframe.mt.objective import CountedBleu, Objective, rows_of
from alignframe.mt.search import Pool, optimise
from alignframe.mt.weights import (
    FEATURES,
    FIXED,
    IntoWeights,
    initial_weight,
    number_given,
    read_weights,
    unnamed,
    weights_of,
)
from alignframe.options import checked
from alignframe.result import Result
from alignframe.sources.source import is_path
from alignframe.tesla.scorer import Scorer
from alignframe.typing import ForInput, FromZero, IntoFrame, IntoSystems, Rare, Seed

DIGITS = 8
"""Weights are rounded to these digits of the largest. They are the middles of intervals with equal
scores, and seldom of any as narrow."""


@dataclass(frozen=True, repr=False)
class Mert(Result):
    """The result of minimum error rate training.

    Attributes
    ----------
    weights
        feature, weight, and start, the initial weight.
    starts
        start (0 is the given one, others are random) and the resulting score, best first.
    score
        The score at ``weights``, from 0 to 100.
    start_score
        The score at the start.
    signature
        The signature of all choices.
    """

    weights: pl.DataFrame
    starts: pl.DataFrame
    score: float
    start_score: float
    signature: str

    def to_weights(self) -> dict[str, float]:
        """Return the weights by name."""
        return dict(self.weights.select("feature", "weight").iter_rows())


@checked
def mert(
    candidates: IntoFrame,
    ref: IntoSystems | None = None,
    *,
    counts: str | PathLike[str] | None = None,
    metric: str | Scorer = "bleu",
    weights: IntoWeights = None,
    restarts: Rare[FromZero] = 20,
    seed: Seed = 1,
    encoding: ForInput[str] = "utf-8",
    **options: object,
) -> Mert:
    """Find the weights that maximise the score of an n-best list.

    Parameters
    ----------
    candidates
        Candidates with features: Moses's or Z-MERT's list, Parquet, or Moses's file FEATSTAT. In
        Python, also a frame (see ``read_n_best``).
    ref
        The reference, or a list of several; see ``scores``.
    counts
        Moses's file SCORESTAT, instead of references, if the candidates are its file FEATSTAT.
    metric
        Metric to tune for. ``bleu``, ``chrf``: as in ``mt score``; ``tesla-m``, ``tesla-b``,
        ``tesla-f``: as in ``tesla score`` (in Python, also a ``tesla.Scorer``).
    weights
        Initial weights: a file, as ``mt tune`` writes it (in Python, also by name); by default
        those of Moses, and 1 for features that it does not have. If a list does not name its
        features (Z-MERT's) and the weights are those of the decoder, the columns are taken to be
        its features, in its order (in Python, that of ``FEATURES``).
    restarts
        Random starts of line search.
    seed
        Random seed of the starts.
    encoding
        Character encoding of the references.
    **options
        See ``mt.Options``, ``language.Analysis.of`` and ``tesla.Scorer``: the options of BLEU and
        chrF, or of TESLA. By default, words are split at spaces (``tokenize="none"``,
        ``tokens="spaces"``).

    Returns
    -------
    Mert
        The weights, with absolute values that sum to 1, and the score from each start.

    Raises
    ------
    InputError
        If a candidate has no reference, a sentence no candidate, or a weight no feature.

    Warns
    -----
    DataWarning
        If neither the list nor the weights name the features.

    Notes
    -----
    Och 2003. The line search is exact: it visits every point at which the best candidate of a
    sentence changes.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import mt
    >>> texts = {"sid": [0, 0], "text": ["a house", "the house"]}
    >>> features = {"lm": [-4.1, -5.2], "tm": [-3.0, -1.0]}
    >>> listed, weights = pl.DataFrame(texts | features), {"lm": 1.0, "tm": 0.0}
    >>> found = mt.mert(listed, ["the house"], metric="chrf", weights=weights)
    >>> found.start_score < found.score
    True
    """
    objective: Objective | CountedBleu
    if counts is not None:
        if ref is not None:
            raise InputError("both `ref` and `counts`", expected="one of them")
        if metric != "bleu":
            raise InputError(
                "`counts` with a metric other than bleu",
                expected="the metric bleu, whose counts they are",
            )
        if isinstance(candidates, (str, PathLike)):
            frame, names = read_feature_files(candidates, counts)
        else:
            raise InputError("counts without a file of features", expected="FEATSTAT's name")
        objective = CountedBleu()
        segments = np.unique(frame["sid"].to_numpy(), return_inverse=True)[1].astype(np.int64)
        counted = frame.select(objective.names).to_numpy().astype(np.float64)
    else:
        if ref is None:
            raise InputError("candidates without a reference", expected="`ref` or `counts`")
        frame, names = read_n_best(candidates)
        known = Objective(metric, ref, encoding, **options)
        segments = rows_of(frame["sid"].to_numpy(), known.sid, "the n-best list")
        counted = known.count(segments, frame["text"])
        objective = known
    features = frame.select(names).to_numpy().astype(np.float64)
    begin, names = _start(weights, names)
    # Line search needs the candidates of a sentence together.
    order = np.argsort(segments, kind="stable")
    fixed = np.array([name in FIXED for name in names])
    pool = Pool(segments[order], features[order], counted[order], objective, fixed)
    return found_of(pool, names, begin, restarts, seed, objective)


def found_of(
    pool: Pool,
    names: list[str],
    start: F64,
    restarts: int,
    seed: int,
    objective: Objective | CountedBleu,
) -> Mert:
    """Return the result for the best weights of a pool."""
    points = optimise(pool, start, restarts, seed)
    best = max(points, key=lambda point: point.score)
    moving = np.array([name not in FIXED for name in names])
    # Weights that move sum to 1 in size: only their ratios matter.
    size = np.abs(best.weights[moving]).sum()
    weights = best.weights.copy()
    weights[moving] = rounded(weights[moving] / (size if size > 0 else 1.0), DIGITS)
    starts = pl.DataFrame(
        {"start": range(len(points)), "score": [point.score for point in points]}
    ).sort("score", descending=True, maintain_order=True)
    begin = ",".join(map(exact, start.tolist()))
    mark = f"{objective.signature}|mert:och|start:{begin}|restarts:{restarts}|seed:{seed}"
    table = pl.DataFrame({"feature": names, "weight": weights, "start": start})
    return Mert(table, starts, pool.score(weights), pool.score(start), mark)


def _start(given: IntoWeights, names: list[str]) -> tuple[F64, list[str]]:
    """Return the initial weights and the names of the features, which a list may lack."""
    if given is None:
        if unnamed(names):
            warn(
                f"the list does not name its {number_of(len(names), 'feature')}, so the search "
                "starts at 1, and translate cannot use the result; give initial weights of the "
                "decoder's features, or a list in the format moses or parquet"
            )
        return np.array([initial_weight(name) for name in names]), names
    with in_file(given):
        weights_given: Any = read_weights(given) if is_path(given) else given
        if unnamed(names) and any(name in FEATURES for name in weights_given):
            weights_given = weights_of(given)
            if len(weights_given) != len(names):
                raise InputError(
                    f"{number_of(len(weights_given), 'weight')} for a list with "
                    f"{number_of(len(names), 'feature')} without names",
                    expected="the same number of both",
                )
            names = list(weights_given)
        for name in weights_given:
            check_known("feature", name, names)
        missing = [name for name in names if name not in weights_given and name not in FIXED]
        if missing:
            raise InputError(f"no weight of {', '.join(missing)}", expected=", ".join(names))
        start = [number_given(weights_given.get(name, FEATURES.get(name)), name) for name in names]
    return np.array(start), names
