"""A Bayesian aligner: translations, jumps and fertilities, learnt by Gibbs sampling.

Östling & Tiedemann 2016 describe such a model: small Dirichlet priors leave each word few
translations, and the alignments of several samplers are averaged.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from alignframe.aligners.prior import Prior
from alignframe.aligners.sampled import (
    FERTILITY,
    Parameters,
    check_lengths,
    check_numbers,
    generator,
    jump_table,
    pseudo_counts,
    row_sums,
)
from alignframe.aligners.training_pairs import Paired
from alignframe.aligners.translations import FLOOR, Translations
from alignframe.arrays import F32, I64
from alignframe.errors import InputError
from alignframe.executors import mapped
from alignframe.formats.writing import replacing
from alignframe.kernels import gibbs, slots
from alignframe.kernels.gibbs import MAX_FERTILITY, MAX_JUMP, Counts
from alignframe.kernels.ragged import frozen
from alignframe.kernels.slots import Slots
from alignframe.typing import TrainingProgress
from alignframe.version import __version__

__all__ = ["PARTS", "Parameters", "train"]

PARTS = 1
"""Samplers work side by side, not parts of the text: every word has a say in the next."""

_STAGES = ("words", "jumps", "fertilities")
_ENOUGH, _FEW = 30_000, 200
"""Sentence pairs between which the number of sweeps depends on the text."""

_ROUNDING = 1e-4  # lower counts are roundings of float32


class Settings(NamedTuple):
    """What a sampler is told; see ``train``."""

    null: float
    sweeps: tuple[int, int, int]
    concentration: float
    spelling: float


class Run(NamedTuple):
    """What one sampler leaves: its last counts, probable places, and how it went."""

    counts: Counts
    jumps: I64
    slots: Slots
    history: list[tuple[str, int, float]]


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
    checkpoints: str | None = None,
) -> Parameters:
    """Learn counts of links by Gibbs sampling.

    Parameters
    ----------
    paired
        A text; its source words are conditioned on.
    seed
        The samplers' random numbers follow from it.
    progress
        Called after each sweep with the sampler and stage (``words``, ``jumps``,
        ``fertilities``), the sweep's number, and the log-probability of what was sampled. Threads
        call it themselves, in any order.
    prior
        Counts that are added to each sampler's: those of an earlier model of this kind, or a
        lexicon's.
    samplers
        How many alignments are sampled, each from a start of its own; by the size of the text if
        left out, see ``effort``.
    sweeps
        Over the text, for each stage; by the size of the text if left out. Probabilities are
        averaged over the second half of the last.
    concentration
        The pseudo-count of every pair of words that stand together.
    null
        The probability that a target word has no source word.
    spelling
        The pseudo-count of a pair of equal words. Others get less of it the less they are spelt
        alike, and none if half of their letters differ.
    checkpoints
        A folder where each sampler that is done leaves its counts. Learning again from the same
        text, with the same options, takes what is there: the model is the same. The files can be
        deleted afterwards.

    Raises
    ------
    InputError
        If an option is out of range, or the folder cannot be written to.
    """
    usual = effort(paired.text.sentences)
    samplers = usual[0] if samplers is None else samplers
    sweeps = usual[1] if sweeps is None else sweeps
    _check(samplers, sweeps)
    check_numbers(concentration, null, spelling)
    if not isinstance(seed, int) or not 0 <= seed < 1 << 53:
        raise InputError(f"the seed {seed!r}", expected="a whole number from 0 to 2**53 - 1")
    check_lengths(paired)
    prior = prior or Prior()
    settings = Settings(null, sweeps, concentration, spelling)
    pseudo = pseudo_counts(paired, concentration, spelling)
    start = _start(paired, prior, pseudo)
    start = start._replace(pairs=start.pairs[paired.parts[0].own])
    seeds = [(seed, number) for number in range(samplers)]
    # Processes cannot be handed a function to call: what they did is told afterwards.
    threads = isinstance(paired.executor, ThreadPoolExecutor)
    live = progress if paired.executor is None or threads else None
    alone = replace(paired, executor=None)  # an executor cannot be sent to its processes
    call = partial(_run, paired=alone, start=start, settings=settings, progress=live)
    if checkpoints is not None:
        home = _folder(checkpoints, paired, start, settings)
        call = partial(_resumed, home=home, run=call, progress=live)
    runs = mapped(call, seeds, paired.executor)
    sums = _told(next(runs), progress, live)
    for run in runs:
        sums = _joined(sums, _told(run, progress, live))
    return _mean(paired, sums, samplers, settings, pseudo, seed)


def effort(sentences: int) -> tuple[int, tuple[int, int, int]]:
    """Return how many samplers a text needs, and how many sweeps of each stage.

    Samplers differ more and settle later in little text. From 30,000 sentence pairs on there are 4
    samplers of 5, 3 and 10 sweeps; all in all, sweeps grow with the square root of what lacks.
    """
    lacking = max(_ENOUGH / max(sentences, _FEW), 1.0)
    words, jumps, fertilities = (round(number * lacking ** (1 / 3)) for number in (5, 3, 10))
    return round(4 * lacking ** (1 / 6)), (words, jumps, fertilities)


def _check(samplers: int, sweeps: tuple[int, int, int]) -> None:
    if not isinstance(samplers, int) or samplers < 1:
        raise InputError(f"{samplers!r} samplers", expected="a whole number from 1 on")
    three = isinstance(sweeps, (tuple, list)) and len(sweeps) == len(_STAGES)
    if not three or any(not isinstance(n, int) or n < 0 for n in sweeps):
        raise InputError(f"the sweeps {sweeps!r}", expected="three whole numbers from 0 on")
    if sweeps[2] < 1:
        raise InputError(f"the sweeps {sweeps!r}", expected="at least 1 in the last stage")


def _start(paired: Paired, prior: Prior, pseudo: F32) -> Counts:
    """Return the counts before any link is counted: what is known is added to ``pseudo``."""
    n_src = paired.text.src.n_words
    pairs = pseudo.copy()
    fertilities = np.full((n_src, MAX_FERTILITY + 1), FERTILITY, np.float32)
    if prior.counts is not None:
        pairs += prior.counts.astype(np.float32)
    if prior.model is not None and prior.src is not None and prior.tgt is not None:
        old = prior.model.parameters
        if not isinstance(old, Parameters):
            raise InputError(f"a prior model of the kind {prior.model.kind}", expected="bayes")
        pairs += old.pairs.mapped(paired, prior.rows(prior.src), prior.tgt, 0.0)
        known = prior.src >= 0
        fertilities[known] += old.fertilities[prior.src[known]]
    return Counts(pairs, row_sums(paired, pairs), fertilities)


def _run(
    seed: tuple[int, int],
    paired: Paired,
    start: Counts,
    settings: Settings,
    progress: TrainingProgress | None,
) -> Run:
    """Let one sampler run."""
    pairing = paired.parts[0].pairing
    random = generator(seed)
    place = np.empty(pairing.tgt.size, np.int16)
    gibbs.start(pairing, np.float32(settings.null), random, place)
    places = slots.make_slots(place.size)
    counts = Counts(
        np.empty_like(start.pairs),
        np.empty_like(start.totals),
        np.empty_like(start.fertilities),
    )
    jumps = np.zeros(2 * MAX_JUMP + 1, np.int64)
    history = []
    for stage, sweeps in enumerate(settings.sweeps, 1):
        counts.pairs[:], counts.totals[:] = start.pairs, start.totals
        counts.fertilities[:] = start.fertilities
        jumps[:] = 0
        gibbs.add(pairing, place, counts, jumps)
        for sweep in range(1, sweeps + 1):
            remembering = stage == gibbs.BY_FERTILITY and sweep > sweeps // 2
            ahead, back = jump_table(jumps, pairing)
            jumps = np.zeros_like(jumps)
            _, probability = gibbs.sweep(
                pairing,
                counts,
                place,
                ahead,
                back,
                jumps,
                np.float32(settings.null / (1 - settings.null)),
                stage,
                True,
                random,
                places,
                remembering,
            )
            said = (f"sampler {seed[1] + 1}, {_STAGES[stage - 1]}", sweep, probability)
            history.append(said)
            if progress is not None:
                progress(*said)
    return Run(counts, jumps, places, history)


def _folder(given: str, paired: Paired, start: Counts, settings: Settings) -> Path:
    """Return the folder of the checkpoints of a text and all that its samplers depend on."""
    if not isinstance(given, (str, PathLike)):
        raise InputError(f"the checkpoints {given!r}", expected="a folder")
    digest = sha256(f"{__version__} {settings}".encode())
    pairing = paired.parts[0].pairing
    for array in (pairing.src_at, pairing.src, pairing.tgt_at, pairing.tgt, *start):
        digest.update(np.ascontiguousarray(array).data)
    home = Path(given) / digest.hexdigest()[:16]
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror})", path=home) from None
    return home


def _resumed(
    seed: tuple[int, int],
    home: Path,
    run: Callable[[tuple[int, int]], Run],
    progress: TrainingProgress | None,
) -> Run:
    """Return what a sampler has left before, or let it run and keep what it leaves."""
    path = home / f"seed{seed[0]}-sampler{seed[1] + 1}.npz"
    if not path.is_file():
        found = run(seed)
        arrays = {**found.counts._asdict(), **found.slots._asdict(), "jumps": found.jumps}
        with replacing(path) as out:
            np.savez(out, allow_pickle=False, history=json.dumps(found.history), **arrays)
        return found
    with np.load(path) as kept:
        history = [(stage, sweep, p) for stage, sweep, p in json.loads(str(kept["history"]))]
        counts = Counts(*(kept[name] for name in Counts._fields))
        slots_found = Slots(*(kept[name] for name in Slots._fields))
        found = Run(counts, kept["jumps"], slots_found, history)
    if progress is not None:
        for said in history:
            progress(*said)
    return found


def _told(run: Run, progress: TrainingProgress | None, live: TrainingProgress | None) -> Run:
    """Report how a run went, unless that was told while it was on."""
    if progress is not None and live is None:
        for said in run.history:
            progress(*said)
    return run


def _joined(ours: Run, theirs: Run) -> Run:
    """Add one sampler's counts to another's."""
    mine, other = ours.counts, theirs.counts
    counts = Counts(
        np.add(mine.pairs, other.pairs, out=mine.pairs),
        mine.totals + other.totals,
        mine.fertilities + other.fertilities,
    )
    slots.merge(ours.slots, theirs.slots)
    jumps, history = ours.jumps + theirs.jumps, ours.history + theirs.history
    return ours._replace(counts=counts, jumps=jumps, history=history)


def _mean(
    paired: Paired,
    sums: Run,
    samplers: int,
    settings: Settings,
    pseudo: F32,
    seed: int,
) -> Parameters:
    """Return the mean of the samplers' counts, without the pseudo-counts that all start from."""
    own = paired.parts[0].own
    means = sums.counts.pairs
    means /= samplers
    means -= pseudo[own]
    pairs = np.zeros(paired.n_cells, np.float32)
    pairs[own] = means
    totals = sums.counts.totals / samplers - row_sums(paired, pseudo)
    # Roundings are no counts, and what would not be saved is not used either.
    least = np.maximum(2 * FLOOR * totals, _ROUNDING).astype(np.float32)
    pairs[pairs <= np.repeat(least, np.diff(paired.starts))] = 0
    return Parameters(
        Translations(paired.starts, paired.targets, frozen(pairs)),
        np.maximum(totals, 0.0),
        sums.counts.fertilities / np.float32(samplers) - np.float32(FERTILITY),
        sums.jumps / samplers,
        settings.null,
        settings.concentration,
        settings.spelling,
        sums.slots,
        samplers * (settings.sweeps[2] - settings.sweeps[2] // 2),
        seed,
        sums.history,
    )
