"""A Bayesian aligner with translations, jumps and fertilities, trained by Gibbs sampling.

The model follows Östling & Tiedemann 2016: small Dirichlet priors leave each word few translations,
and the alignments of several samplers are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from alignframe.aligners.checkpoints import Run, folder, resumed
from alignframe.aligners.prior import Prior, Task
from alignframe.aligners.sampled import (
    FERTILITY,
    Parameters,
    check_lengths,
    generator,
    jump_table,
    pseudo_counts,
    row_sums,
)
from alignframe.aligners.stems import shared_stems
from alignframe.aligners.training_pairs import MOST_TOGETHER, PIECES, Paired, Part
from alignframe.aligners.translations import FLOOR, Translations
from alignframe.core.arrays import F32, I16, frozen
from alignframe.core.memory import bytes_of
from alignframe.core.parallel import parallel_map
from alignframe.errors import InputError
from alignframe.kernels.aligners import gibbs, slots
from alignframe.kernels.aligners.gibbs import MAX_FERTILITY, MAX_JUMP, Counts
from alignframe.kernels.aligners.stems import Shared, share
from alignframe.options.aligners import Bayes
from alignframe.typing import TrainingProgress

__all__ = ["PARTS", "Parameters", "train"]

_USUAL = Bayes()

PARTS = 1
"""Samplers run in parallel, parts of the text do not: each draw depends on the previous ones."""

# Pieces of a text that a limit of memory may ask for: each takes 50 microseconds a sweep.
_MOST_PIECES = 1_000

_ROUNDING = 1e-4  # lower counts are rounding errors of float32


def held(options: Bayes, pairs: int) -> int | None:
    """Return the maximum number of word pair numbers in memory, or None for all."""
    limit = options.memory_limit
    if limit is None:
        return None
    # Numbers of pairs take 4 bytes each, and a quarter of the limit.
    least = 16 * PIECES * pairs // _MOST_PIECES
    if bytes_of(limit) < least:
        raise InputError(
            f"`memory_limit` is {limit} for a text of {pairs:,} word pairs",
            expected=f"at least {least // 1000 + 1:,}KB",
            todo="with less, training takes several times as long",
        )
    return max(bytes_of(limit) // 16, 1)


def train(tasks: Sequence[Task], options: Bayes = _USUAL, seed: int = 1) -> list[Parameters]:
    """Train both directions of a text jointly, so that they agree, or one."""
    first = tasks[0].paired
    check_lengths(first)
    samplers, sweeps = options.effort(first.text.sentences)
    # What checkpoints depend on.
    settings = replace(options, samplers=None, sweeps=sweeps, checkpoints=None, memory_limit=None)
    seeds = [(seed, number) for number in range(samplers)]
    # Functions cannot be sent to processes, so progress is reported afterwards.
    live = first.executor is None or isinstance(first.executor, ThreadPoolExecutor)
    callbacks = [direction.progress for direction in tasks]
    nobody: list[TrainingProgress | None] = [None] * len(tasks)
    alive = callbacks if live else nobody
    begin = parallel_map(partial(_begin, options=settings), tasks, first.executor if live else None)
    bases, starts, shared = (list(results) for results in zip(*begin, strict=True))
    parts = [direction.paired.parts[0] for direction in tasks]
    # Each sampler draws alignments of the two directions in turn. Their joint probability is the
    # product of both, times `agreement` to the power of the number of shared links: the sampling
    # counterpart of Liang, Taskar & Klein 2006.
    call: Callable[[tuple[int, int]], list[Run]] = partial(
        run_sampler, parts, starts, shared, settings, alive
    )
    if options.checkpoints is not None:
        home = folder(options.checkpoints, [part.pairing for part in parts], starts, settings)
        call = partial(resumed, home, call, alive)
    sums: list[Run] = []
    for runs in parallel_map(call, seeds, first.executor):
        for run, tell in zip(runs, nobody if live else callbacks, strict=True):
            run.tell(tell)
        sums = [joined(*both) for both in zip(sums, runs, strict=True)] if sums else runs
    return [
        _mean(task.paired, run, options, base, seed)
        for task, run, base in zip(tasks, sums, bases, strict=True)
    ]


def _begin(task: Task, options: Bayes) -> tuple[Counts, Counts, Shared | None]:
    """Return the counts of a direction without and with its prior, and the shared stems."""
    paired, prior = task.paired, task.prior
    pseudo = pseudo_counts(paired, options.concentration, options.spelling)
    base = _start(paired, Prior(), pseudo)
    start = _start(paired, prior, pseudo) if prior.known else base
    del pseudo
    small = paired.parts[0].pairing.at[-1] <= MOST_TOGETHER
    return base, start, shared_stems(paired) if options.stems and small else None


def _start(paired: Paired, prior: Prior, pseudo: F32) -> Counts:
    """Return the counts before sampling: prior knowledge added to ``pseudo``, one per cell."""
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


def _mean(paired: Paired, sums: Run, options: Bayes, base: Counts, seed: int) -> Parameters:
    """Return the mean of the samplers' counts, without initial pseudo-counts."""
    samplers, sweeps = options.effort(paired.text.sentences)
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
        options.null,
        options.concentration,
        options.spelling,
        options.stems,
        sums.slots,
        # As many draws as were remembered.
        samplers * (sweeps[2] - sweeps[2] // 2),
        seed,
        sums.history,
        paired.text,
    )


# A Gibbs sampler, which draws alignments of each direction in turn and counts the draws.

ALONE = np.empty(0, np.int16)
"""Positions of the other direction if there is none; not frozen, so that the type is the same."""

STAGES = ("words", "jumps", "fertilities")


def run_sampler(
    parts: list[Part],
    starts: list[Counts],
    shared: list[Shared | None],
    settings: Bayes,
    progress: list[TrainingProgress | None],
    seed: tuple[int, int],
) -> list[Run]:
    """Run one sampler, alternating between the directions if there are two."""
    odds = np.float32(settings.null / (1 - settings.null))
    random, place, runs = [], [], []
    pairings = [part.pairing for part in parts]
    for part, pairing, start in zip(parts, pairings, starts, strict=True):
        random.append(generator(seed))
        place.append(np.empty(pairing.tgt.size, np.int16))
        gibbs.start(pairing, np.float32(settings.null), random[-1], place[-1])
        counts = Counts(
            np.empty_like(start.pairs),
            np.empty_like(start.totals),
            np.empty_like(start.fertilities),
        )
        jumps = np.zeros(2 * MAX_JUMP + 1, np.int64)
        runs.append(Run(counts, jumps, slots.make_slots(pairing.tgt.size, part.folder), []))
    for stage, sweeps in enumerate(settings.sweeps or (), 1):
        together = len(runs) > 1 and stage > gibbs.BY_WORD
        for sweep in range(1, sweeps + 1):
            # Early sweeps still depend on the start, so only the second half counts.
            remembering = stage == gibbs.BY_FERTILITY and sweep > sweeps // 2
            for k, run in enumerate(runs):
                # Counts of stems change with each sweep, so all counts are made anew.
                if sweep == 1 or shared[k]:
                    _count(run, starts[k], parts[k], place[k], shared[k], settings.stems)
                tables = jump_table(run.jumps, pairings[k].src_at)
                run.jumps[:] = 0
                probability = 0.0
                for piece in parts[k].pieces():
                    _, some = gibbs.sweep(
                        piece,
                        run.counts,
                        place[k],
                        *tables,
                        run.jumps,
                        odds,
                        stage,
                        random[k],
                        run.slots,
                        remembering,
                        place[1 - k] if together else ALONE,
                        np.float32(settings.agreement),
                    )
                    probability += some
                    run.slots.let_go()
                said = (f"sampler {seed[1] + 1}, {STAGES[stage - 1]}", sweep, probability)
                run.history.append(said)
                tell = progress[k]
                if tell is not None:
                    tell(*said)
    for k, run in enumerate(runs):
        if shared[k]:
            # What is kept are counts of links alone, without what forms of a stem share.
            _count(run, starts[k], parts[k], place[k], None, 0.0)
    return runs


def _count(
    run: Run, start: Counts, part: Part, place: I16, shared: Shared | None, stems: float
) -> None:
    """Count the links and jumps of an alignment, added to their initial counts."""
    pairs, totals, fertilities = run.counts
    pairs[:], totals[:] = (0, 0) if shared else (start.pairs, start.totals)
    fertilities[:] = start.fertilities
    run.jumps[:] = 0
    for piece in part.pieces():
        gibbs.add(piece, place, run.counts, run.jumps)
    if shared:
        share(shared, stems, start.pairs, start.totals, pairs, totals)


def joined(ours: Run, theirs: Run) -> Run:
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
