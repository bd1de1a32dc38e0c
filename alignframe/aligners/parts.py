"""The texts whose counts a model holds, as digests: none of them is to be counted twice."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

from alignframe.aligners.model import Model


def parts_of(model: Model) -> tuple[str, ...]:
    """Return the parts of a model of the kind bayes; a digest of its own if it was made of none."""
    if model.parts:
        return model.parts
    own = model.parameters
    digest = sha256(json.dumps([model.reverse, model.pairs, model.history]).encode())
    for words in model.vocabularies:
        digest.update("\n".join(words.to_pylist()).encode())
    # Saved as they are, without those of the unknown word.
    for counts in (own.totals, own.fertilities):
        digest.update(counts[:-1].tobytes())
    return (digest.hexdigest()[:16],)


def with_parts_of(model: Model, prior: Model | None) -> Model:
    """Return a model that remembers its prior model, whose counts it holds besides its own."""
    if prior is None or model.kind != "bayes":
        return model
    return replace(model, parts=(*parts_of(prior), *parts_of(model)))
