"""Scoring analysed translations against analysed references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.errors import InputError
from alignframe.language.analysed import Analysed
from alignframe.tesla.bags import BagFeatures
from alignframe.tesla.features import Features
from alignframe.tesla.metrics import Metric, mean_of
from alignframe.version import __version__

if TYPE_CHECKING:
    from alignframe.language import Analysis
    from alignframe.tesla.model import Model

F64 = npt.NDArray[np.float64]

COMBINED = ("mean", "max")
"""What becomes of the scores against several references."""


class Scores(NamedTuple):
    """Scores of shape (rows,), and the features they are made of; NaN where undefined."""

    score: F64
    features: dict[str, F64]


class Scorer:
    """A metric with all that its features need.

    Parameters
    ----------
    analysis
        How text was analysed; ``analyse`` does it.
    metric
        ``m``, ``b`` or ``f``, see ``metrics.Metric``.
    pivots
        Tables of phrases of pivot languages, or their files, by name.
    language_models
        Language models, or their files, by name.
    model
        The weights of ``f``, or their file.
    references_combined
        Of several references: the ``mean`` of the scores against each, or the ``max``.
    alpha, empty_order, function_weight, threads
        See ``bags.BagFeatures``.
    """

    def __init__(
        self,
        analysis: Analysis,
        metric: str = "m",
        *,
        pivots: Mapping[str, Any] | None = None,
        language_models: Mapping[str, Any] | None = None,
        model: Model | str | PathLike[str] | None = None,
        references_combined: str = "mean",
        alpha: float = 0.8,
        empty_order: str = "zero",
        function_weight: float = 0.1,
        threads: int = 1,
    ) -> None:
        if references_combined not in COMBINED:
            raise InputError(
                f"references by {references_combined!r}", expected=" or ".join(COMBINED)
            )
        if threads < 1:
            raise InputError(f"{threads} threads", expected="1 or more")
        if metric == "f" and empty_order != "zero":
            raise InputError(
                f"empty orders as {empty_order!r} with the metric f",
                expected="zero: a model needs every feature",
            )
        self.analysis = analysis
        self.combined = references_combined
        bags = BagFeatures(
            analysis.synonyms,
            alpha=alpha,
            empty_order=empty_order,
            function_weight=function_weight,
            threads=threads,
        )
        self._groups: list[Features] = [
            bags,
            *_pivot_features(pivots or {}, alpha, empty_order, function_weight),
            *_language_model_features(language_models or {}),
        ]
        self.names = tuple(name for group in self._groups for name in group.names)
        self.model = model_of(model)
        self.metric = Metric(metric, self.names, self.model)

    def signature(self, references: int) -> str:
        """Return every choice that changes a figure, as parts ``key:value`` joined by bars."""
        parts = [f"alignframe:{__version__}", f"metric:tesla-{self.metric.name}"]
        parts += self.analysis.signature.split("|")
        parts += [part for part in self._groups[0].signature.split("|") if part not in parts]
        shared = set(parts)  # what other features share with these is said once
        for group in self._groups[1:]:
            parts += [part for part in group.signature.split("|") if part not in shared]
        if self.metric.model is not None:
            parts.append(f"model:{_digest(self.metric.model)}")
        parts.append(f"refs:{references}" + (f",{self.combined}" if references > 1 else ""))
        return "|".join(parts)

    def score(self, hyp: Analysed, references: Sequence[Analysed]) -> Scores:
        """Score each sentence of ``hyp`` against the same row of each reference.

        All share a vocabulary. An empty translation scores 0; an empty reference counts as none,
        and the score is NaN where there is no other.
        """
        one_of = [self._against(hyp, ref) for ref in references]
        return _best(one_of) if self.combined == "max" else _means(one_of)

    def _against(self, hyp: Analysed, ref: Analysed) -> Scores:
        matrices = [group.of(hyp, ref) for group in self._groups]
        columns = (np.ascontiguousarray(column) for matrix in matrices for column in matrix.T)
        features = dict(zip(self.names, columns, strict=True))
        score = self.metric.of(features)
        score[hyp.lengths() == 0] = 0.0
        absent = ref.lengths() == 0
        for values in (score, *features.values()):
            values[absent] = np.nan
        return Scores(score, features)


def _means(found: Sequence[Scores]) -> Scores:
    """Return the means over the references of what is defined."""
    if len(found) == 1:
        return found[0]
    features = {name: mean_of([one.features[name] for one in found]) for name in found[0].features}
    return Scores(mean_of([one.score for one in found]), features)


def _best(found: Sequence[Scores]) -> Scores:
    """Return the best score of each row, and the features it is made of."""
    best = found[0]
    for other in found[1:]:
        better = (other.score > best.score) | (np.isnan(best.score) & ~np.isnan(other.score))
        features = {
            name: np.where(better, other.features[name], values)
            for name, values in best.features.items()
        }
        best = Scores(np.where(better, other.score, best.score), features)
    return best


def _pivot_features(
    pivots: Mapping[str, Any], alpha: float, empty_order: str, function_weight: float
) -> list[Features]:
    if not pivots:
        return []
    from alignframe.tesla.pivot_table import read_pivot_table
    from alignframe.tesla.pivots import PivotFeatures

    return [
        PivotFeatures(
            read_pivot_table(given) if _is_path(given) else given,
            name,
            alpha=alpha,
            empty_order=empty_order,
            function_weight=function_weight,
        )
        for name, given in pivots.items()
    ]


def _language_model_features(models: Mapping[str, Any]) -> list[Features]:
    if not models:
        return []
    from alignframe.tesla.language_model import LanguageModelFeatures, read_language_model

    return [
        LanguageModelFeatures(read_language_model(given) if _is_path(given) else given, name)
        for name, given in models.items()
    ]


def model_of(given: Model | str | PathLike[str] | None) -> Model | None:
    """Return a model, or that of a file."""
    from alignframe.tesla.model import Model

    return given if given is None or isinstance(given, Model) else Model.load(given)


def _is_path(given: Any) -> bool:
    return isinstance(given, (str, PathLike))


def _digest(model: Model) -> str:
    """Return a few digits that tell a model from others."""
    import hashlib

    weights = repr((model.names, model.weights, model.ranges))
    return hashlib.sha256(weights.encode()).hexdigest()[:8]
