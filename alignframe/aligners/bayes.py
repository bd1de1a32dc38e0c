"""A Bayesian aligner with translations, jumps and fertilities, trained by Gibbs sampling.

The model follows Östling & Tiedemann 2016: small Dirichlet priors leave each word few translations,
and the alignments of several samplers are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from alignframe.aligners.checkpoints import Run, folder, resumed
from alignframe.aligners.prior import Prior, Task
from alignframe.aligners.sampled import (
    FERTILITY,
    Parameters,
    check_lengths,
    check_numbers,
    pseudo_counts,
    row_sums,
)
from alignframe.aligners.sampler import STAGES, Settings, joined, run_sampler
from alignframe.aligners.stems import shared_stems
from alignframe.aligners.text import Text
from alignframe.aligners.training_pairs import MOST_TOGETHER, PIECES, Paired, places
from alignframe.aligners.translations import FLOOR, Translations
from alignframe.arrays import F32
from alignframe.errors import InputError
from alignframe.executors import mapped
from alignframe.kernels.gibbs import MAX_FERTILITY, Counts
from alignframe.kernels.ragged import frozen
from alignframe.kernels.stems import Shared
from alignframe.memory_limit import bytes_of
from alignframe.typing import TrainingProgress

__all__ = ["PARTS", "Parameters", "apart", "train", "train_together"]

PARTS = 1
"""Samplers run in parallel, parts of the text do not: each draw depends on the previous ones."""

_MANY, _ENOUGH, _FEW = 200_000, 30_000, 200
"""Numbers of sentence pairs: sweeps depend on the text from ``_FEW`` to ``_ENOUGH``, and above
``_MANY``."""

_MOST_PIECES = 1_000
"""Pieces of a text that a limit of memory may ask for: each takes 50 microseconds a sweep."""

_ROUNDING = 1e-4  # lower counts are rounding errors of float32


def train(
    paired: Paired,
    *,
    seed: int = 1,
    progress: TrainingProgress | None = None,
    prior: Prior | None = None,
    samplers: int | None = None,
    sweeps: tuple[int, int, int] | None = None,
    concentration: float = 0.001,
    null: float = 0.2,
    spelling: float = 1.0,
    stems: float = 1.0,
    checkpoints: str | None = None,
    agreement: float = 3.0,
    memory_limit: str | None = None,
) -> Parameters:
    """Train by Gibbs sampling.

    Parameters
    ----------
    paired
        The text, conditioned on its source words.
    seed
        Random seed of the samplers.
    progress
        Called after each sweep with the sampler and stage (``words``, ``jumps``, ``fertilities``),
        the sweep's number, and the log-probability of the sample; from several threads, in any
        order.
    prior
        Counts added to each sampler's, from an earlier model of this kind or a lexicon.
    samplers
        Number of samplers, each with its own start; by default it depends on the size of the text
        (see ``effort``).
    sweeps
        Number of sweeps over the text in each stage; by default it depends on the size of the text.
        Probabilities are averaged over the second half of the last stage.
    concentration
        The pseudo-count of every pair of co-occurring words.
    null
        The probability that a target word has no source word.
    spelling
        The pseudo-count of a pair of equal words. Other pairs get less, down to none if half of
        their letters differ.
    stems
        The weight of links shared by forms of a word: a pair's pseudo-count is this many times the
        share of the target word's stem in the links of the source word's stem, excluding the pair's
        own links, and updated before each sweep. A stem is a word's first letters.
    checkpoints
        A folder where each finished sampler saves its counts. Training again on the same text, with
        the same options, reuses them, with the same result. The files can be deleted afterwards.
    agreement
        If both directions are trained, a link in the other direction makes it this many times as
        probable, from the second stage on. With 1, the directions are independent.
    memory_limit
        For example ``4GB``. If the numbers of word pairs, four bytes per pair of positions, need
        more than a quarter of it, they and the probable positions of each word are kept in
        temporary files, with the same result. The limit does not cover other memory.

    Raises
    ------
    InputError
        If an option is out of range, or the folder cannot be written to.
    """
    (found,) = train_together(
        [Task(paired, prior, progress)],
        seed=seed,
        samplers=samplers,
        sweeps=sweeps,
        concentration=concentration,
        null=null,
        spelling=spelling,
        stems=stems,
        agreement=agreement,
        checkpoints=checkpoints,
        memory_limit=memory_limit,
    )
    return found


def apart(text: Text, options: Mapping[str, Any]) -> bool:
    """Return whether each direction of a text is trained separately.

    That is so if ``agreement`` is 1, or the pairs of positions of both would take gigabytes.
    """
    return options["agreement"] == 1 or int(places(text)[-1]) > MOST_TOGETHER


def held(options: Mapping[str, Any], pairs: int) -> int | None:
    """Return the maximum number of word pair numbers in memory, or None for all."""
    limit = options.get("memory_limit")
    if limit is None:
        return None
    least = 16 * PIECES * pairs // _MOST_PIECES
    if bytes_of(limit) < least:
        raise InputError(
            f"the memory limit {limit} for a text of {pairs:,} word pairs",
            expected=f"at least {least // 1000 + 1:,}KB",
            todo="with less, training takes several times as long",
        )
    return max(bytes_of(limit) // 16, 1)


def train_together(
    tasks: Sequence[Task],
    *,
    seed: int,
    samplers: int | None,
    sweeps: tuple[int, int, int] | None,
    concentration: float,
    null: float,
    spelling: float,
    stems: float,
    agreement: float,
    checkpoints: str | None,
    memory_limit: str | None,  # noqa: ARG001 (fit_text asks held)
) -> list[Parameters]:
    """Train both directions of a text jointly, so that they agree, or one; see ``train``.

    Each sampler draws alignments of the two directions in turn. Their joint probability is the
    product of both, times ``agreement`` to the power of the number of shared links: the sampling
    counterpart of Liang, Taskar & Klein 2006.
    """
    first = tasks[0].paired
    usual = effort(first.text.sentences)
    samplers = usual[0] if samplers is None else samplers
    sweeps = usual[1] if sweeps is None else sweeps
    _check(samplers, sweeps, agreement)
    check_numbers(concentration, null, spelling, stems)
    if not isinstance(seed, int) or not 0 <= seed < 1 << 53:
        raise InputError(f"the seed {seed!r}", expected="a whole number from 0 to 2**53 - 1")
    check_lengths(first)
    settings = Settings(null, sweeps, concentration, spelling, stems, agreement)
    texts = [one.paired for one in tasks]
    seeds = [(seed, number) for number in range(samplers)]
    # Functions cannot be sent to processes, so progress is reported afterwards.
    live = first.executor is None or isinstance(first.executor, ThreadPoolExecutor)
    callbacks = [one.progress for one in tasks]
    nobody: list[TrainingProgress | None] = [None] * len(tasks)
    alive = callbacks if live else nobody
    begin = mapped(partial(_begin, settings=settings), tasks, first.executor if live else None)
    bases, starts, shared = (list(found) for found in zip(*begin, strict=True))
    parts = [paired.parts[0] for paired in texts]
    call: Callable[[tuple[int, int]], list[Run]] = partial(
        run_sampler, parts=parts, starts=starts, shared=shared, settings=settings, progress=alive
    )
    if checkpoints is not None:
        home = folder(checkpoints, [part.pairing for part in parts], starts, settings)
        call = partial(resumed, home=home, run=call, progress=alive)
    sums: list[Run] = []
    for runs in mapped(call, seeds, first.executor):
        for run, tell in zip(runs, nobody if live else callbacks, strict=True):
            run.tell(tell)
        sums = [joined(*both) for both in zip(sums, runs, strict=True)] if sums else runs
    return [
        _mean(paired, run, samplers, settings, base, seed)
        for paired, run, base in zip(texts, sums, bases, strict=True)
    ]


def effort(sentences: int) -> tuple[int, tuple[int, int, int]]:
    """Return the default number of samplers, and of sweeps in each stage.

    On small texts, samplers vary more and converge later. From 30,000 sentence pairs there are 4
    samplers with 5, 3 and 10 sweeps; on fewer pairs, the total number of sweeps grows with the
    square root of the factor. Above 200,000 pairs, sweeps decrease with the square root of the
    size, and samplers with its sixth root.
    """
    lacking = max(_ENOUGH / max(sentences, _FEW), 1.0)
    plenty = min(_MANY / max(sentences, 1), 1.0)
    times = lacking ** (1 / 3) * plenty**0.5
    words, jumps, fertilities = (max(round(number * times), 1) for number in (5, 3, 10))
    return max(round(4 * (lacking * plenty) ** (1 / 6)), 1), (words, jumps, fertilities)


def _check(samplers: int, sweeps: tuple[int, int, int], agreement: float) -> None:
    if not isinstance(samplers, int) or samplers < 1:
        raise InputError(f"{samplers!r} samplers", expected="a whole number of at least 1")
    three = isinstance(sweeps, (tuple, list)) and len(sweeps) == len(STAGES)
    if not three or any(not isinstance(n, int) or n < 0 for n in sweeps):
        raise InputError(f"the sweeps {sweeps!r}", expected="three non-negative whole numbers")
    if sweeps[2] < 1:
        raise InputError(f"the sweeps {sweeps!r}", expected="at least 1 sweep in the last stage")
    if not isinstance(agreement, (int, float)) or not 1 <= agreement <= 1e6:
        raise InputError(f"agreement {agreement!r}", expected="a number from 1 to 1e6")


def _begin(task: Task, settings: Settings) -> tuple[Counts, Counts, Shared | None]:
    """Return the counts of a direction without and with its prior, and the shared stems."""
    paired, prior = task.paired, task.prior
    pseudo = pseudo_counts(paired, settings.concentration, settings.spelling)
    base = _start(paired, Prior(), pseudo)
    start = _start(paired, prior, pseudo) if prior and prior.known else base
    del pseudo
    small = paired.parts[0].pairing.at[-1] <= MOST_TOGETHER
    return base, start, shared_stems(paired) if settings.stems and small else None


def _start(paired: Paired, prior: Prior, pseudo: F32) -> Counts:
    """Return the initial counts: prior knowledge is added to ``pseudo``.

    Cells are those of the text's only part.
    """
    n_src = paired.text.src.n_words
    pairs = pseudo
    fertilities = np.full((n_src, MAX_FERTILITY + 1), FERTILITY, np.float32)
    if prior.counts is not None:
        pairs = pairs + prior.counts.astype(np.float32)
    if prior.model is not None and prior.src is not None and prior.tgt is not None:
        old = prior.model.parameters
        if not isinstance(old, Parameters):
            raise InputError(f"a prior model of the kind {prior.model.kind}", expected="bayes")
        pairs = pairs + old.pairs.mapped(paired, prior.rows(prior.src), prior.tgt, 0.0)
        known = prior.src >= 0
        fertilities[known] += old.fertilities[prior.src[known]]
    return Counts(pairs[paired.parts[0].own], row_sums(paired, pairs), fertilities)


def _mean(
    paired: Paired,
    sums: Run,
    samplers: int,
    settings: Settings,
    base: Counts,
    seed: int,
) -> Parameters:
    """Return the mean of the samplers' counts, without initial pseudo-counts."""
    own = paired.parts[0].own
    means = sums.counts.pairs
    means /= samplers
    means -= base.pairs
    pairs = np.zeros(paired.n_cells, np.float32)
    pairs[own] = means
    totals = sums.counts.totals / samplers - base.totals
    # Rounding errors are not counts, and counts that would not be saved are not used either.
    least = np.maximum(2 * FLOOR * totals, _ROUNDING).astype(np.float32)
    pairs[pairs <= np.repeat(least, np.diff(paired.starts))] = 0
    return Parameters(
        Translations(paired.starts, paired.targets, frozen(pairs)),
        np.maximum(totals, 0.0),
        sums.counts.fertilities / np.float32(samplers) - np.float32(FERTILITY),
        sums.jumps / samplers,
        (paired.text.src.vocabulary, paired.text.tgt.vocabulary),
        settings.null,
        settings.concentration,
        settings.spelling,
        settings.stems,
        sums.slots,
        samplers * (settings.sweeps[2] - settings.sweeps[2] // 2),
        seed,
        sums.history,
        paired.text,
    )
