"""Signatures of scores: every choice that affects them, as ``key:value`` parts and bars."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from alignframe.core.signatures import long, whole_signature
from alignframe.errors import InputError, warn
from alignframe.tesla.feature_names import LM_PREFIX
from alignframe.tesla.metrics import Metric

if TYPE_CHECKING:
    from alignframe.tesla.model import Model

UNKNOWN = "features:given"
"""The entry for unknown choices of features."""

# Keys of parts that do not concern features.
_OF_SCORES = ("alignframe", "metric", "model", "bootstrap")

# Keys of parts that do not affect the features of a single translation.
_BESIDE = (*_OF_SCORES, "refs", "features", "svm", "seed", "confidence")


def signature_of(metric: Metric, made: Sequence[str]) -> str:
    """Return the signature of a metric with features ``made`` with these choices."""
    model = "" if metric.model is None else f"model:{_digest(metric.model)}"
    return whole_signature(f"metric:tesla-{metric.name}", *made, model)


def made_with(signature: str | None) -> list[str]:
    """Return the parts of a signature that describe the features."""
    if not signature:
        return [UNKNOWN]
    parts = long(signature).split("|")
    return [part for part in parts if part.partition(":")[0] not in _OF_SCORES]


def check_enough(stored: str | None, wanted: str) -> None:
    """Refuse to compute scores with the signature ``wanted`` from features of another one."""
    before, after = (_by_key(signature) for signature in (stored or "", wanted))
    if before.get("empty") == "skip" and after.get("metric") == "tesla-f":
        raise InputError(
            "features without the empty orders, which the metric f needs",
            todo="score the texts again, with the empty orders as 'zero'",
        )
    number, _, combined = before.get("refs", "1").partition(",")
    if number == "1":
        return
    why = ""
    if combined == "max":
        if any(before.get(key) != after.get(key) for key in ("metric", "model")):
            why = f"of which the best was chosen by another metric, {before.get('metric')}"
    elif before.get("empty") == "skip":
        why = "and orders that were skipped"
    if why:
        raise InputError(
            f"features of {number} references, {why}: scores cannot be computed from them",
            todo="score the texts again",
        )


def _by_key(signature: str) -> dict[str, str]:
    pairs = (part.partition(":")[::2] for part in long(signature).split("|"))
    return dict(pairs)


def warn_of_model(model: Model, made: Sequence[str]) -> None:
    """Raise a ``DataWarning`` if features differ from those a model was trained on."""
    learnt, here = _choices(model.signature.split("|")), _choices(made)
    # Only pivots and language models with a weight count, and choices that both signatures have.
    weighed = {name for name in model.names if name.startswith(LM_PREFIX)}
    weighed |= {name.rsplit("_", 2)[0] for name in model.names} | {""}
    odd = [
        (about, learnt[about, key], here[about, key], key)
        for about, key in learnt
        if about in weighed and (about, key) in here and learnt[about, key] != here[about, key]
    ]
    if odd:
        before, now = (
            ", ".join(
                (f"{about} " if about not in ("", key) else "") + f"{key}:{values[at]}"
                for about, *values, key in odd
            )
            for at in (0, 1)
        )
        warn(f"the model was trained with {before}; here it is {now}")


def _choices(parts: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return the choices of features, by subject (a pivot, a language model, '') and key."""
    choices, about = {}, ""
    for part in parts:
        key, _, value = part.partition(":")
        if key == "pivot":
            about = value
        elif key.startswith(LM_PREFIX):
            choices[key, key] = value
        elif key not in _BESIDE:
            choices[about, key] = value
    return choices


def _digest(model: Model) -> str:
    """Return a short digest of a model."""
    weights = repr((model.names, model.weights, model.ranges))
    return hashlib.sha256(weights.encode()).hexdigest()[:8]
