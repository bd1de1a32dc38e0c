"""Scores from stored features."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

import polars as pl

from alignframe.core.signatures import long
from alignframe.errors import InputError
from alignframe.tesla.metrics import Metric
from alignframe.tesla.score import scores_of
from alignframe.tesla.scored import Segments, TeslaScores
from alignframe.tesla.scorer import model_of, surface_set
from alignframe.tesla.segments import read_features
from alignframe.tesla.signatures import check_enough, made_with, signature_of, warn_of_model
from alignframe.typing import IntoFrame

if TYPE_CHECKING:
    from alignframe.tesla.model import Model


def rescore(
    segments: IntoFrame | TeslaScores,
    metric: str = "m",
    *,
    model: Model | str | PathLike[str] | None = None,
    bootstrap: int | None = None,
    confidence: float = 0.95,
    seed: int = 1,
    signature: str | None = None,
) -> TeslaScores:
    """Compute scores from stored features, with another metric or model.

    Parameters
    ----------
    segments
        The result of ``score``, a table like ``TeslaScores.segments``, or its file (.parquet, .csv,
        .jsonl).
    metric, model, bootstrap, confidence, seed
        See ``score``.
    signature
        The signature of the scores whose features these are; by default taken from the result of
        ``score`` or from Parquet of ``--segments``, and unknown for other tables.

    Raises
    ------
    InputError
        If the file cannot be read, a column that the metric needs is missing, or, according to the
        signature, the features do not suffice.

    Warns
    -----
    DataWarning
        If the model was trained on features made with other options.

    Notes
    -----
    With several references, features are stored as means or as those of the best reference. Means
    do not suffice if orders were skipped, and features of the best reference suffice only for the
    metric that selected it. Without a signature this cannot be checked, and scores may differ from
    those of ``score``.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how = tesla.Analysis.of(tagger="none")
    >>> scored = tesla.score(["the cat"], ["the cat sat"], "f", analysis=how, bootstrap=0)
    >>> tesla.rescore(scored, "m", bootstrap=0).scores["score"].round(3).to_list()
    [0.423]
    """
    keys = None
    if isinstance(segments, TeslaScores):
        signature = signature or segments.of_segments.signature
        keys, segments = segments.keys, segments.of_segments.frame
    frame, stored = read_features(segments)
    known = [name for name in frame.columns if name not in ("system", "sid", "score")]
    if metric == "f" and model is None:
        model = _fitting(known, signature or stored)
    made = Metric(metric, known, model_of(model, metric))
    features = {
        name: frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        for name in known
        if frame[name].dtype.is_numeric()
    }
    choices = made_with(signature or stored)
    mark = signature_of(made, choices)
    check_enough(signature or stored, mark)
    if made.model is not None:
        warn_of_model(made.model, choices)
    scores = pl.Series("score", made.of(features), nan_to_null=True)
    rescored = frame.drop("score", strict=False).insert_column(2, scores)
    systems = rescored["system"].unique(maintain_order=True).to_list()
    made_of = Segments(systems, lambda: rescored, mark, keys=keys)
    return scores_of(made_of, (), bootstrap, confidence, seed)


def _fitting(names: Sequence[str], signature: str) -> str:
    """Return the first shipped model that fits these features."""
    from alignframe.tesla.model import SHIPPED, shipped

    for name in SHIPPED:
        model = shipped(name)
        alike = not signature or f"set:{surface_set(None, model)}," in long(signature)
        if alike and set(model.names) <= set(names):
            return name
    raise InputError(
        f"the metric f of the features {', '.join(names)}",
        todo="give a `model`, or score with the wide features",
    )
