"""IBM Model 1: words are translated independently of their positions (Brown et al. 1993)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.aligners.prior import Prior
from alignframe.aligners.spelling import spelt_alike
from alignframe.aligners.training_pairs import Paired, Part
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.arrays import F64, Floats
from alignframe.errors import InputError
from alignframe.kernels import ibm1
from alignframe.kernels.links import Weighted, chosen, likely
from alignframe.kernels.translations import add_at, normalize
from alignframe.typing import TrainingProgress

DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class Parameters:
    """The translation probabilities of Model 1."""

    translations: Translations

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        table = self.translations.of(paired)
        for _, links in paired.each(partial(_decode, table=table, threshold=threshold)):
            yield links

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save."""
        return {"translations": self.translations.table(vocabularies)}

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned; raise an InputError if it is damaged."""
        return cls(Translations.from_table(tables["translations"], vocabularies))


def _decode(part: Part, table: Floats, threshold: float | None) -> Weighted:
    pairing = part.pairing
    if threshold is None:
        return chosen(pairing.tgt_at, *ibm1.best(pairing, table[part.own]))
    found = ibm1.posteriors(pairing, table[part.own])
    return likely(pairing.src_at, pairing.at, found, threshold)


def train(
    paired: Paired,
    *,
    seed: int = 1,  # noqa: ARG001  (nothing here is left to chance)
    progress: TrainingProgress | None = None,
    prior: Prior | None = None,
    iterations: int = 5,
    concentration: float = 0.0,
    spelling: float = 0.0,
    dtype: str = "float32",
) -> Parameters:
    """Train by expectation maximisation.

    Parameters
    ----------
    paired
        A text; its source words are conditioned on.
    seed
        Unused: training is deterministic.
    progress
        Called after each iteration.
    prior
        Initial probabilities, and pseudo-counts for each M-step.
    iterations
        0 or more.
    concentration
        Above 0, the concentration of a symmetric Dirichlet prior over the translations of each
        word: a small one (0.01) leaves rare words fewer translations (Riley & Gildea 2012). At 0,
        only the likelihood is maximised.
    spelling
        The pseudo-count of a pair of equal words in each M-step, as in ``bayes``: 3 greatly
        improves the links of small texts. 0 turns it off.
    dtype
        The table's type: float32 or float64.

    Raises
    ------
    InputError
        If an option is out of range.
    """
    check_options(iterations=iterations, concentration=concentration, dtype=dtype)
    prior = with_spelling(prior or Prior(), paired, spelling)
    table = np.empty(paired.n_cells, dtype)
    start, old = _even(paired), prior.start(paired)
    if old is not None:
        start *= old
    normalize(paired.starts, start, 0.0, table)
    for iteration in range(1, iterations + 1):
        counts = np.zeros(paired.n_cells)
        log_likelihood = 0.0
        for part, (some, logarithm) in paired.each(partial(_expect, table=table)):
            add_at(counts, part.own, some)
            log_likelihood += logarithm
        maximize(paired, counts, prior, concentration, table)
        if progress is not None:
            progress("ibm1", iteration, log_likelihood)
    return Parameters(Translations(paired.starts, paired.targets, table))


def _even(paired: Paired) -> F64:
    """Return 1 for each cell; 0 for NULL with words that do not occur in the text."""
    cells = np.ones(paired.n_cells)
    words = np.bincount(paired.text.tgt.words, minlength=paired.text.tgt.n_words)
    cells[: words.size] = words > 0
    return cells


def _expect(part: Part, table: Floats) -> tuple[F64, float]:
    return ibm1.expect(part.pairing, table[part.own])


def maximize(
    paired: Paired, counts: F64, prior: Prior, concentration: float, table: Floats
) -> None:
    """Set probabilities from counts, with the prior's added."""
    if prior.counts is not None:
        counts += prior.counts
    normalize(paired.starts, counts, concentration, table)


def with_spelling(prior: Prior, paired: Paired, spelling: float) -> Prior:
    """Return a prior with pseudo-counts for words of similar spelling."""
    check_options(spelling=spelling)
    if not spelling:
        return prior
    counts = spelling * spelt_alike(paired).astype(np.float64)
    return replace(prior, counts=counts if prior.counts is None else prior.counts + counts)


_LEAST = {"iterations": 0, "ibm1_iterations": 0, "max_jump": 1}


def check_options(**options: Any) -> None:
    """Raise an InputError if an option of the EM models is out of range."""
    for name, value in options.items():
        if name == "dtype":
            if value not in DTYPES:
                raise InputError(f"the dtype {value!r}", expected=" or ".join(DTYPES))
        elif name == "together":
            if not isinstance(value, bool):
                raise InputError(f"{name} {value!r}", expected="true or false")
        elif name in _LEAST:
            if not isinstance(value, int) or value < _LEAST[name]:
                expected = f"a whole number of at least {_LEAST[name]}"
                raise InputError(f"{name} {value!r}", expected=expected)
        elif not isinstance(value, (int, float)):
            raise InputError(f"{name} {value!r}", expected="a number")
        elif name in ("concentration", "spelling"):
            if not 0.0 <= value < np.inf:
                raise InputError(f"{name} {value!r}", expected="a non-negative number")
        elif not 0.0 < value < 1.0:
            raise InputError(f"{name} {value!r}", expected="a number between 0 and 1")
