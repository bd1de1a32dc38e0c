"""Prior knowledge for training: an earlier model, or a lexicon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.aligners.text import Text, TextSide
from alignframe.aligners.training_pairs import Paired
from alignframe.aligners.translations import Translations, Vocabularies, word_numbers
from alignframe.core.arrays import F64, I32, Floats, frozen
from alignframe.errors import InputError, is_number
from alignframe.kernels.aligners.link_rows import find_opposite
from alignframe.sources.words import lexicon_table
from alignframe.typing import TrainingProgress

if TYPE_CHECKING:
    from alignframe.aligners.model import Model


MOST = 1_000_000
"""The maximum pseudo-count that a lexicon may give a word."""

# The share of an earlier table's row that is spread over all its cells, old and new.
_NEW = 0.1


@dataclass(frozen=True)
class Prior:
    """Prior knowledge about a text's words."""

    counts: F64 | None = None  # pseudo-counts of each cell
    lexicon: Translations | None = None  # or of word pairs
    model: Model | None = None  # an earlier model of the same direction
    # On each side, the number in the model of each word of the text; -1 if unknown.
    src: I32 | None = None
    tgt: I32 | None = None

    @property
    def known(self) -> bool:
        """Whether there is any prior knowledge."""
        return any(item is not None for item in (self.counts, self.lexicon, self.model))

    @staticmethod
    def rows(src: I32) -> I32:
        """Return the earlier table's row for NULL and each word of the text; -1 if none."""
        rows: I32 = np.concatenate([np.zeros(1, np.int32), src + 1])
        rows[1:][src < 0] = -1
        return rows

    def start(self, paired: Paired) -> Floats | None:
        """Return the earlier model's translation probability of each cell; None without a model."""
        if self.model is None or self.src is None or self.tgt is None:
            return None
        old = getattr(self.model.parameters, "translations", None)
        if not isinstance(old, Translations):
            raise InputError(
                f"a prior model of the kind {self.model.kind}", expected="one of ibm1, hmm or ibm4"
            )
        values = old.mapped(paired, self.rows(self.src), self.tgt, 0.0).astype(np.float64)
        # A tenth of each row is spread evenly, for words and pairs that the model has not seen.
        sizes = np.diff(paired.starts)
        return values + np.repeat(_NEW / np.maximum(sizes, 1), sizes)


class Task(NamedTuple):
    """Training a direction: the text, prior knowledge, and a progress callback."""

    paired: Paired
    prior: Prior = Prior()
    progress: TrainingProgress | None = None

    def tell(self, stage: str, iteration: int, log_likelihood: float) -> None:
        """Report an iteration."""
        if self.progress is not None:
            self.progress(stage, iteration, log_likelihood)


def check_kind(model: str, prior: Model) -> None:
    """Refuse a prior model that one of the kind ``model`` learns nothing from."""
    if (model == "bayes") != (prior.kind == "bayes"):
        expected = "bayes" if model == "bayes" else "one of ibm1, hmm or ibm4"
        raise InputError(f"a prior model of the kind {prior.kind}", expected=expected)


def read_prior(
    prior: Any, paired: Paired, reverse: bool, strength: float, *, cells: bool = True
) -> Prior:
    """Return the prior knowledge of a model or a lexicon about the words of a text.

    Pseudo-counts of a lexicon are those of cells, or with ``cells`` false of its own word pairs.
    """
    if prior is None:
        return Prior()
    if hasattr(prior, "parameters"):
        if prior.reverse != reverse:
            directions = ("forward", "reverse")
            raise InputError(
                f"a {directions[prior.reverse]} model as prior of a {directions[reverse]} one",
                expected="one of the same direction",
            )
        known = prior.vocabularies[::-1] if reverse else prior.vocabularies
        sides = (paired.text.src, paired.text.tgt)
        src, tgt = (_numbers(side, words) for side, words in zip(sides, known, strict=True))
        return Prior(model=prior, src=src, tgt=tgt)
    if not (is_number(strength) and 0 < strength <= MOST):
        raise InputError(f"`strength` is {strength}", expected=f"a number above 0, up to {MOST:,}")
    known = _pseudo_counts(lexicon_table(prior, "the lexicon"), paired.text, reverse, strength)
    if not cells:
        # Others are never linked.
        text = paired.text
        met = find_opposite(text.sides, frozen(known.starts[1:]), known.targets, text.tgt.n_words)
        return Prior(lexicon=replace(known, values=frozen(known.values * met)))
    rows = np.arange(known.starts.size - 1, dtype=np.int32)
    columns = np.arange(paired.text.tgt.n_words, dtype=np.int32)
    return Prior(known.mapped(paired, rows, columns, 0.0))


def _numbers(side: TextSide, known: pa.Array) -> I32:
    places = pc.index_in(side.vocabulary, value_set=known).fill_null(-1)
    numbers: I32 = np.append(places.to_numpy(), np.int32(-1)).astype(np.int32)
    return numbers


def _pseudo_counts(lexicon: pa.Table, text: Text, reverse: bool, strength: float) -> Translations:
    """Share ``strength`` among the translations of each conditioning word."""
    words: Vocabularies = (text.src.vocabulary, text.tgt.vocabulary)
    src, tgt = (word_numbers(lexicon, side, words[side ^ reverse]) for side in (0, 1))
    if reverse:
        src, tgt = tgt, src
    weights = np.ones(lexicon.num_rows)
    for name in ("llr", "p"):
        if name in lexicon.schema.names:
            weights = _weights(lexicon.column(name), name)
    kept = (src >= 0) & (tgt >= 0) & (weights > 0.0)
    src, tgt, weights = src[kept], tgt[kept], weights[kept]
    # Each source word shares `strength` among its translations by their weights.
    weights *= strength / np.bincount(src, weights, minlength=src.max(initial=0) + 1)[src]
    pairs, at = np.unique(np.stack([src, tgt]), axis=1, return_inverse=True)
    weights = np.bincount(at, weights, minlength=pairs.shape[1])  # a lexicon may list a pair twice
    return Translations.from_cells(pairs[0] + 1, pairs[1], weights, len(words[0]))


def _weights(column: pa.ChunkedArray, name: str) -> F64:
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise InputError(f"a column {name} of type {column.type}", expected="numbers")
    weights: F64 = column.cast(pa.float64()).fill_null(0.0).to_numpy().copy()
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise InputError(f"a value {name} that is below 0, or not finite", expected="0 or more")
    return weights
