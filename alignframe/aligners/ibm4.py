"""IBM Model 4: fertilities, and positions of cepts by word classes (Brown et al. 1993).

The training schedule is that of GIZA++ (Och & Ney 2003, section 6): Model 1, the hidden Markov
model, Model 3, Model 4, each initialised by the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.aligners import fertility, hmm
from alignframe.aligners.classes import word_classes
from alignframe.aligners.fertility import Distortion
from alignframe.aligners.ibm1 import check_options, maximize, with_spelling
from alignframe.aligners.ibm4_tables import from_tables, to_tables
from alignframe.aligners.prior import Prior, Task, usual_options
from alignframe.aligners.training_pairs import Paired, Part
from alignframe.aligners.translations import Translations, Vocabularies
from alignframe.arrays import I32, I64, Floats
from alignframe.errors import InputError
from alignframe.kernels import hmm_links, ibm4
from alignframe.kernels.hmm import Chain
from alignframe.kernels.ibm4 import Counts
from alignframe.kernels.links import Weighted, chosen, likely
from alignframe.kernels.places import Blocks, log_places, make_blocks
from alignframe.kernels.ragged import frozen
from alignframe.kernels.sentence import Logs
from alignframe.kernels.translations import add_at
from alignframe.typing import TrainingProgress


@dataclass(frozen=True)
class Parameters:
    """Parameters of Model 4, and the jumps that give its initial alignments."""

    translations: Translations
    chain: Chain
    distortion: Distortion

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part; see ``Model.align``.

        Hill climbing starts from the Viterbi path of the hidden Markov model with Model 4's
        translations.
        """
        call = partial(
            _decode,
            table=self.translations.of(paired),
            chain=self.chain,
            logs=self.distortion.logs(),
            threshold=threshold,
        )
        for _, links in paired.each(call):
            yield links

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return the tables to save."""
        jumps = hmm.Parameters(self.translations, self.chain).tables(vocabularies)
        return {**jumps, **to_tables(self.distortion, vocabularies)}

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Restore from what ``tables`` returned."""
        jumps = hmm.Parameters.from_tables(tables, vocabularies)
        return cls(jumps.translations, jumps.chain, from_tables(tables, vocabularies))


def _decode(
    part: Part, table: Floats, chain: Chain, logs: Logs, threshold: float | None
) -> Weighted:
    pairing, own = part.pairing, table[part.own]
    choice, _ = hmm_links.best(pairing, own, chain)
    if threshold is None:
        return chosen(pairing.tgt_at, *ibm4.best(pairing, own, logs, choice))
    found = ibm4.posteriors(pairing, own, logs, choice)
    return likely(pairing.src_at, pairing.at, found, threshold)


def train(
    paired: Paired,
    *,
    seed: int = 1,
    progress: TrainingProgress | None = None,
    prior: Prior | None = None,
    before: hmm.Parameters | None = None,
    iterations: int = 3,
    model3_iterations: int = 3,
    hmm_iterations: int = 5,
    ibm1_iterations: int = 5,
    classes: int = 50,
    p0: float | None = 0.95,
    smoothing: float = 0.5,
    place_smoothing: float = 0.02,
    fertility_weight: float = 64.0,
    hmm_p0: float = 0.3,
    concentration: float = 0.0,
    spelling: float = 10.0,
    together: bool = True,
    dtype: str = "float32",
) -> Parameters:
    """Train Model 1, the hidden Markov model, Model 3 and Model 4.

    Parameters
    ----------
    paired, seed, progress, prior, concentration, spelling, dtype
        See ``alignframe.aligners.hmm.train``. The log-likelihood of Models 3 and 4 is summed over
        the best alignments found and their neighbours.
    before
        A hidden Markov model of this text, used instead of training one.
    together
        If both directions are trained, train their hidden Markov models jointly.
    iterations, model3_iterations, hmm_iterations, ibm1_iterations
        Iterations of this model, and of those before it.
    classes
        The number of word classes on each side (see ``alignframe.aligners.classes``).
    p0
        The probability that a target word is not followed by one from NULL; None to estimate it.
    smoothing
        The weight of the uniform distribution in those of distances.
    place_smoothing
        The same for the positions of Model 3.
    fertility_weight
        Pseudo-counts for each source word, in proportion to the fertilities of words of its length.
    hmm_p0
        The probability that a target word is linked to NULL in the hidden Markov model.

    Raises
    ------
    InputError
        If an option is out of range.
    """
    _check(iterations, model3_iterations, fertility_weight)
    check_options(
        smoothing=smoothing, place_smoothing=place_smoothing, hmm_p0=hmm_p0, together=together
    )
    if p0 is not None:
        check_options(p0=p0)
    prior = with_spelling(prior or Prior(), paired, spelling)
    text = paired.text
    src_classes = word_classes(text.src, classes, seed=seed)
    tgt_classes = word_classes(text.tgt, classes, seed=seed)
    if before is None:
        before = hmm.train(
            paired,
            seed=seed,
            progress=progress,
            prior=prior,
            iterations=hmm_iterations,
            ibm1_iterations=ibm1_iterations,
            p0=hmm_p0,
            concentration=concentration,
            spelling=0.0,  # the prior already has them
            dtype=dtype,
        )
    table = before.translations.values
    blocks = make_blocks(text.src.at, text.tgt.at)
    letters = fertility.word_letters(text.src.vocabulary)
    shape = (classes + 1, classes)

    def distortion(counts: Counts) -> Distortion:
        # Model 3 has no distances to count.
        placed = counts.heads.size > 0
        return Distortion(
            fertility.fertilities(counts.fertilities, letters, fertility_weight),
            src_classes,
            tgt_classes,
            fertility.distances(counts.heads, smoothing) if placed else found.heads,
            fertility.further_distances(counts.mores, smoothing) if placed else found.mores,
            fertility.null_share(counts.nulls, p0),
        )

    step = _Step(blocks, src_classes, tgt_classes, shape)
    choices, counts, _ = step.start(paired, table, before.chain)
    found = distortion(counts)
    for iteration in range(1, model3_iterations + iterations + 1):
        third = iteration <= model3_iterations
        if third:
            logs = found.logs_of_model_3(log_places(blocks, counts.places, place_smoothing))
        else:
            logs = found.logs()
        choices, counts, log_likelihood = step.expect(
            paired, table, logs, choices, places=iteration < model3_iterations
        )
        fertility.drop_small(counts.cells)
        maximize(paired, counts.cells, prior, concentration, table)
        found = distortion(counts)
        if progress is not None:
            number = iteration if third else iteration - model3_iterations
            progress("ibm3" if third else "ibm4", number, log_likelihood)
    return Parameters(before.translations, before.chain, found)


def train_together(tasks: Sequence[Task], *, seed: int, **options: Any) -> list[Parameters]:
    """Train both directions of a text, starting from jointly trained HMMs; see ``train``."""
    before = {
        "iterations": options["hmm_iterations"],
        "p0": options["hmm_p0"],
        **{name: options[name] for name in _OF_BOTH},
    }
    models = hmm.train_together(tasks, seed=seed, **usual_options(hmm.train) | before)
    return [
        train(
            one.paired, seed=seed, progress=one.progress, prior=one.prior, before=found, **options
        )
        for one, found in zip(tasks, models, strict=True)
    ]


_OF_BOTH = ("ibm1_iterations", "concentration", "spelling", "dtype")
"""Options passed to the hidden Markov model."""

apart = hmm.apart


def _check(iterations: int, model3_iterations: int, fertility_weight: float) -> None:
    for name, value in (("iterations", iterations), ("model3_iterations", model3_iterations)):
        if not isinstance(value, int) or value < 0:
            raise InputError(f"{name} {value!r}", expected="a non-negative whole number")
    if not 0.0 < fertility_weight < np.inf:
        raise InputError(f"fertility_weight {fertility_weight!r}", expected="a number above 0")


Expected = tuple[list[I32], Counts, float]
"""Alignments of each part, counts, and the log-likelihood."""


@dataclass(frozen=True)
class _Step:
    """The E-step over the parts of a text; sent to other processes, so it holds no text."""

    blocks: Blocks
    src_classes: I32
    tgt_classes: I32
    shape: tuple[int, int]

    def start(self, paired: Paired, table: Floats, chain: Chain) -> Expected:
        """Return the alignments of the hidden Markov model, and their counts."""
        return self.gather(paired, partial(_start, step=self, table=table, chain=chain))

    def expect(
        self, paired: Paired, table: Floats, logs: Logs, choices: list[I32], *, places: bool
    ) -> Expected:
        """Return the alignments after hill climbing, and the expected counts around them.

        Counts positions if an iteration of Model 3 follows, distances otherwise.
        """
        begins = {part.first: choice for part, choice in zip(paired.parts, choices, strict=True)}
        call = partial(_expect, step=self, table=table, logs=logs, begins=begins, places=places)
        return self.gather(paired, call)

    def gather(self, paired: Paired, call: Callable[[Part], tuple[I32, Counts, float]]) -> Expected:
        """Sum the results of the parts, in order."""
        choices: list[I32] = []
        total: Counts | None = None
        cells = np.zeros(paired.n_cells)
        log_likelihood = 0.0
        for part, (choice, counts, logarithm) in paired.each(call):
            choices.append(choice)
            log_likelihood += logarithm
            if counts.cells.size:
                add_at(cells, part.own, counts.cells)
            if total is None:
                total = counts._replace(cells=cells)
            else:
                for whole, some in zip(total[1:], counts[1:], strict=True):
                    whole += some
        if total is None:
            total = self.no_counts(0, places=True, distances=True)
        return choices, total, log_likelihood

    def no_counts(self, n_cells: int, *, places: bool, distances: bool) -> Counts:
        """Return counts of 0."""
        return fertility.no_counts(
            n_cells,
            self.src_classes.size,
            self.blocks.size if places else 0,
            self.shape if distances else None,
        )

    def places_of(self, part: Part) -> I64:
        """Return where the positions of each sentence of a part begin."""
        return frozen(self.blocks.of[part.first : part.first + part.pairing.sentences])


def _start(part: Part, step: _Step, table: Floats, chain: Chain) -> tuple[I32, Counts, float]:
    choice, _ = hmm_links.best(part.pairing, table[part.own], chain)
    counts = step.no_counts(0, places=True, distances=True)
    ibm4.count_alignments(
        part.pairing,
        frozen(choice),
        frozen(np.append(step.src_classes, np.int32(step.shape[0] - 1))),
        step.tgt_classes,
        step.places_of(part),
        counts,
    )
    return frozen(choice), counts, 0.0


def _expect(
    part: Part, step: _Step, table: Floats, logs: Logs, begins: dict[int, I32], *, places: bool
) -> tuple[I32, Counts, float]:
    counts = step.no_counts(part.own.size, places=places, distances=not places)
    choice, log_likelihood = ibm4.expect(
        part.pairing, table[part.own], logs, step.places_of(part), begins[part.first], counts
    )
    return frozen(choice), counts, log_likelihood
