"""TESLA-F: weights of features, learned from human rankings.

Dahlmeier, Liu & Ng 2011, section 4: a ranking SVM learns weights of the F-measures of bags and of
language model scores. Section 4.1: scores are scaled so that the smallest possible one, given the
weights and the features' ranges, is 0, and the largest is 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64
from alignframe.core.lazy import __version__
from alignframe.core.output import replacing
from alignframe.core.portable import weighted_sums
from alignframe.errors import InputError, check_known, in_file
from alignframe.language.remedies import MODEL, require_file
from alignframe.tesla.feature_names import LM_PREFIX
from alignframe.tesla.features import feature_matrix
from alignframe.typing import IntoFrame, Row

FORMAT = "alignframe TESLA-F model"
VERSION = 1

SHIPPED = ("wide", "words", "other")
"""Models of the package: ``wide`` has lemmas, synonyms, tags and the surface; ``words``, without a
tagger, only the surface; ``other``, for languages other than English, characters, words and order.
``reports/tesla_models.py`` makes them."""

F_RANGE = (0.0, 1.0)
LM_RANGE = (-15.0, 0.0)


def feature_range(name: str) -> tuple[float, float]:
    """Return the minimum and maximum of a feature, an F-measure or a score ``lm_NAME``."""
    return LM_RANGE if name.startswith(LM_PREFIX) else F_RANGE


@dataclass(frozen=True)
class Model:
    """A linear model of features.

    Parameters
    ----------
    names
        The features.
    weights
        A weight for each.
    ranges
        The minimum and maximum of each; by default those of ``feature_range``.
    signature
        The choices behind features and weights.
    training
        Training statistics from ``alignframe.tesla.training.train``.

    Raises
    ------
    InputError
        If names, weights and ranges are inconsistent, a number is not finite, or all weights are 0.

    Examples
    --------
    >>> model = Model(("ms_1", "lm_news"), (2.0, 0.1))
    >>> model.score([[0.5, -5.0]]).round(4).tolist()
    [0.5714]
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    ranges: tuple[tuple[float, float], ...] = ()
    signature: str = ""
    training: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "weights", tuple(float(weight) for weight in self.weights))
        ranges = self.ranges or tuple(feature_range(name) for name in names)
        ranges = tuple((float(low), float(high)) for low, high in ranges)
        object.__setattr__(self, "ranges", ranges)
        if not names or len(set(names)) < len(names):
            raise InputError(f"the features {', '.join(names) or '(none)'}", expected="each once")
        if not len(names) == len(self.weights) == len(ranges):
            raise InputError(
                f"{len(names)} features, {len(self.weights)} weights and {len(ranges)} ranges",
                expected="the same number of each",
            )
        for name, weight, (low, high) in zip(names, self.weights, ranges, strict=True):
            if not all(map(math.isfinite, (weight, low, high))) or low >= high:
                raise InputError(
                    f"the feature {name!r} with the weight {weight!r} and the range {low!r} to "
                    f"{high!r}",
                    expected="finite numbers, and a range from a lower to a higher one",
                )
        if not any(self.weights):
            raise InputError("a model whose weights are all 0", todo="train it on more rankings")

    @property
    def scale(self) -> tuple[float, float]:
        """The minimum and maximum of the weighted sum within the ranges."""
        ends = [
            sorted((weight * low, weight * high))
            for weight, (low, high) in zip(self.weights, self.ranges, strict=True)
        ]
        # Exact sums do not depend on the order of features.
        return math.fsum(end[0] for end in ends), math.fsum(end[1] for end in ends)

    def score(self, features: npt.ArrayLike) -> F64:
        """Return the score of each translation, from 0 to 1.

        Parameters
        ----------
        features
            Shape (rows, features), in the order of ``names``. Where a feature is outside its range,
            such as the language model score of a sentence of unknown words, the score is clipped to
            0 or 1. ``Metric`` gives 0 to translations without any match.
        """
        matrix = np.asarray(features, np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != len(self.names):
            raise InputError(
                f"features of the shape {matrix.shape}", expected=f"{len(self.names)} columns"
            )
        low, high = self.scale
        sums = weighted_sums(matrix, np.array(self.weights))
        # Scores of language models may be outside their range.
        scores: F64 = np.clip((sums - low) / (high - low), 0.0, 1.0)
        return scores

    def score_frame(self, frame: IntoFrame) -> F64:
        """Return the score of each row of a frame with a column for every feature."""
        return self.score(feature_matrix(frame, self.names))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as JSON."""
        features = [
            {"name": name, "weight": weight, "low": low, "high": high}
            for name, weight, (low, high) in zip(self.names, self.weights, self.ranges, strict=True)
        ]
        about = {
            "format": FORMAT,
            "version": VERSION,
            "features": features,
            "signature": self.signature,
            "training": dict(self.training),
            "written_by": f"alignframe {__version__}",
        }
        with replacing(path) as out:
            out.write((json.dumps(about, indent=1, ensure_ascii=False) + "\n").encode())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Model:
        """Read a saved model.

        Raises
        ------
        InputError
            If the file is missing, damaged, not a model, or of another version.
        """
        about = _read(path)
        try:
            features = [_feature(feature) for feature in about["features"]]
            return cls(
                tuple(name for name, _, _ in features),
                tuple(weight for _, weight, _ in features),
                tuple(span for _, _, span in features),
                about["signature"],
                about["training"],
            )
        except InputError as error:
            raise InputError(str(error), path=path, todo="train the model again") from None


@cache
def shipped(name: str) -> Model:
    """Return one of the models in the package (see ``SHIPPED``)."""
    check_known("shipped model", name, SHIPPED)
    return Model.load(Path(__file__).parent / "models" / f"{name}.json")


_PARTS = {"features": list, "signature": str, "training": dict}


def _read(path: str | PathLike[str]) -> Row:
    with in_file(path):
        require_file(path, MODEL)
        try:
            about = json.loads(Path(path).read_text("utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"cannot be read as a model ({error})") from None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise InputError("is not a model of TESLA-F", expected="what tesla train wrote")
        if about.get("version") != VERSION:
            raise InputError(
                f"a model of the version {about.get('version')!r}",
                expected=f"the version {VERSION}",
                todo="train it again",
            )
        for name, kind in _PARTS.items():
            if not isinstance(about.get(name), kind):
                raise InputError(
                    f"{name} is {about.get(name)!r}",
                    expected={list: "a list", str: "a text", dict: "an object"}[kind],
                    todo="train the model again",
                )
    return about


def _feature(given: object) -> tuple[str, float, tuple[float, float]]:
    keys = ("weight", "low", "high")
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise InputError(f"the feature {given!r}", expected="a name, a weight, low and high")
    numbers = []
    for key in keys:
        number = given.get(key)
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise InputError(f"{key} of the feature {given['name']!r} is {number!r}")
        numbers.append(float(number))
    return given["name"], numbers[0], (numbers[1], numbers[2])
