"""Scores from features: TESLA-M, TESLA-B and TESLA-F.

Sums are taken feature by feature, so that a segment's score is bit-identical whatever other
segments are scored with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from alignframe.core.arrays import F64, Bools
from alignframe.core.choices import TESLA_METRICS
from alignframe.errors import InputError, check_known
from alignframe.tesla.feature_names import LM_PREFIX, PIVOT, SURFACE, TARGET, is_f_measure

if TYPE_CHECKING:
    from alignframe.tesla.model import Model


METRICS = TESLA_METRICS
"""Minimal, basic and full (Dahlmeier, Liu & Ng 2011)."""


class Metric:
    """A score as a function of features."""

    def __init__(self, name: str, features: Sequence[str], model: Model | None = None) -> None:
        check_known("`metric`", name, METRICS)
        if name == "f" and model is None:
            raise InputError("the metric f needs a model (`model`)")
        if len(set(features)) < len(features):
            raise InputError(f"the features {', '.join(features)}", expected="each once")
        self.name = name
        self.model = model if name == "f" else None
        # m: the mean of the target language's F-measures (section 2.3); b: the mean of that and of
        # the mean of all F-measures of pivots (section 3.4).
        self.groups: list[list[str]] = []
        self._f_measures = [feature for feature in features if is_f_measure(feature)]
        if self.model is not None:
            _check_model(self.model, features)
            return
        target = [feature for feature in features if TARGET.fullmatch(feature)]
        pivots = [feature for feature in features if PIVOT.fullmatch(feature)]
        if not target:
            raise InputError(
                f"features {', '.join(features) or '(none)'}", expected="ms_1, pos_1 and so on"
            )
        if name == "b" and not pivots:
            raise InputError("the metric b needs a table of a pivot language (`pivots`)")
        self.groups = [target, pivots] if name == "b" else [target]

    def of(self, features: Mapping[str, F64]) -> F64:
        """Return the score of each row; NaN features are left out of means."""
        if self.model is not None:
            low, high = self.model.scale
            names, weights = self.model.names, self.model.weights
            total = np.zeros_like(features[names[0]])
            for name, weight in zip(names, weights, strict=True):
                total += weight * features[name]
            scores: F64 = np.clip((total - low) / (high - low), 0.0, 1.0)
            # Where nothing matches, a fluent translation of something else must not score.
            scores[self._nothing_matches(features)] = 0.0
            return scores
        means = [mean_of([features[name] for name in group]) for group in self.groups]
        return means[0] if len(means) == 1 else (means[0] + means[1]) / 2

    def _nothing_matches(self, features: Mapping[str, F64]) -> Bools:
        """Return whether each row has F-measures, and all are 0."""
        first = next(iter(features.values()))
        nothing = np.full(first.shape, bool(self._f_measures))
        for name in self._f_measures:
            nothing &= features[name] == 0
        return nothing


def mean_of(columns: Sequence[F64]) -> F64:
    """Return the row-wise mean of columns, ignoring NaN; NaN if all are NaN."""
    total, number = np.zeros_like(columns[0]), np.zeros_like(columns[0])
    for column in columns:
        defined = ~np.isnan(column)
        total += np.where(defined, column, 0.0)
        number += defined
    return np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)


def _check_model(model: Model, features: Sequence[str]) -> None:
    """Refuse features that lack one of the model's, naming the option that adds it."""
    missing = [name for name in model.names if name not in features]
    if not missing:
        return
    options = dict.fromkeys(_option(name) for name in missing)
    raise InputError(
        f"the model weights {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} "
        "not there",
        todo=f"add {', '.join(options)}",
    )


def _option(feature: str) -> str:
    """Return the option that adds a feature."""
    if feature.startswith(LM_PREFIX):
        return f"`language_models` {feature.removeprefix(LM_PREFIX)}=FILE"
    if SURFACE.fullmatch(feature):
        return "`features='wide'`"
    if PIVOT.fullmatch(feature):
        return f"`pivots` {feature.rsplit('_', 2)[0]}=FILE"
    return "the options with which it was trained"
