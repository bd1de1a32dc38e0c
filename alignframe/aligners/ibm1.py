"""IBM Model 1: words are translated independently of their positions (Brown et al. 1993)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from alignframe.aligners.prior import Task
from alignframe.aligners.spelling import spelt_alike
from alignframe.aligners.training_pairs import Paired, Part
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.core.arrays import F64, Floats
from alignframe.kernels.aligners import ibm1
from alignframe.kernels.aligners.translation_tables import add_at, normalize
from alignframe.kernels.aligners.weighted_links import Weighted, chosen, likely
from alignframe.options.aligners import Ibm1

_USUAL = Ibm1()


@dataclass(frozen=True)
class Parameters:
    """The translation probabilities of Model 1."""

    translations: Translations

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``."""
        table = self.translations.values_of(paired)
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
    probabilities = ibm1.posteriors(pairing, table[part.own])
    return likely(pairing.src_at, pairing.at, probabilities, threshold)


def train(tasks: Sequence[Task], options: Ibm1 = _USUAL, seed: int = 1) -> list[Parameters]:  # noqa: ARG001
    """Train each direction by expectation maximisation; nothing depends on the seed."""
    return [_train(task, options) for task in with_spelling(tasks, options.spelling)]


def _train(task: Task, options: Ibm1) -> Parameters:
    paired, prior, _ = task
    table = np.empty(paired.n_cells, options.dtype)
    # The first table: uniform, or the prior model's; normalized, as M-steps do.
    start, old = _even(paired), prior.start(paired)
    if old is not None:
        start *= old
    normalize(paired.starts, start, 0.0, table)
    for iteration in range(1, options.iterations + 1):
        counts = np.zeros(paired.n_cells)
        log_likelihood = 0.0
        for part, (some, logarithm) in paired.each(partial(_expect, table=table)):
            add_at(counts, part.own, some)
            log_likelihood += logarithm
        maximize(task, counts, options.concentration, table)
        task.tell("ibm1", iteration, log_likelihood)
    return Parameters(Translations(paired.starts, paired.targets, table))


def _even(paired: Paired) -> F64:
    """Return 1 for each cell; 0 for NULL with words that do not occur in the text."""
    cells = np.ones(paired.n_cells)
    words = np.bincount(paired.text.tgt.words, minlength=paired.text.tgt.n_words)
    cells[: words.size] = words > 0
    return cells


def _expect(part: Part, table: Floats) -> tuple[F64, float]:
    return ibm1.expect(part.pairing, table[part.own])


def maximize(task: Task, counts: F64, concentration: float, table: Floats) -> None:
    """Set probabilities from counts, with the prior's added."""
    if task.prior.counts is not None:
        counts += task.prior.counts
    normalize(task.paired.starts, counts, concentration, table)


def with_spelling(tasks: Sequence[Task], spelling: float) -> list[Task]:
    """Add pseudo-counts for words of similar spelling to priors."""
    spelt_tasks = []
    for task in tasks:
        counts = task.prior.counts
        if spelling:
            alike = spelling * spelt_alike(task.paired).astype(np.float64)
            counts = alike if counts is None else counts + alike
        spelt_tasks.append(task._replace(prior=replace(task.prior, counts=counts)))
    return spelt_tasks
