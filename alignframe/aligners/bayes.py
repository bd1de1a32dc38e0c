"""A Bayesian aligner with translations, jumps and fertilities, trained by Gibbs sampling.

The model follows Östling & Tiedemann 2016: small Dirichlet priors leave each word few translations,
and the alignments of several samplers are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from alignframe.aligners.checkpoints import Found, Run, folder, resumed
from alignframe.aligners.kept import Free, Kept, free_slots, temporary
from alignframe.aligners.prior import Task
from alignframe.aligners.room import room_for
from alignframe.aligners.sampled import (
    FERTILITY,
    Parameters,
    check_lengths,
    generator,
    jump_table,
)
from alignframe.aligners.starts import Listed, Start, added, start_of
from alignframe.aligners.stems import by_stem
from alignframe.aligners.text import Text
from alignframe.aligners.training_pairs import MOST_TOGETHER, places
from alignframe.aligners.translations import FLOOR, Translations
from alignframe.core.arrays import I16, frozen
from alignframe.core.memory import give_back
from alignframe.core.parallel import parallel_map, workers_of
from alignframe.kernels.aligners import gibbs, slots
from alignframe.kernels.aligners.gibbs import MAX_JUMP, Counts
from alignframe.kernels.aligners.link_rows import ByStem, Sides, count_links
from alignframe.kernels.aligners.link_table import tabulate
from alignframe.options.aligners import Bayes
from alignframe.typing import TrainingProgress

__all__ = ["CELLS", "Parameters", "train"]

_USUAL = Bayes()

CELLS = False
"""Word pairs are not numbered as cells: few are ever linked, and only these have a count."""

_MUCH = 1 << 18
"""Counts of fewer words are not worth giving back: it takes longer than a sweep over the text."""

_ROUNDING = 1e-4  # lower counts are rounding errors of float32


def train(tasks: Sequence[Task], options: Bayes = _USUAL, seed: int = 1) -> list[Parameters]:
    """Train both directions of a text jointly, so that they agree, or one."""
    first = tasks[0].paired
    check_lengths(first.text)
    samplers, sweeps = options.effort(first.text.sentences)
    # What checkpoints depend on.
    settings = replace(options, samplers=None, sweeps=sweeps, checkpoints=None, memory_limit=None)
    seeds = [(seed, number) for number in range(samplers)]
    # Functions cannot be sent to processes, so progress is reported afterwards.
    live = first.executor is None or isinstance(first.executor, ThreadPoolExecutor)
    whole = [task.paired.text for task in tasks]
    # Samplers in other processes have their own memory, and perhaps no files of this one.
    at_once = min((workers_of(first.executor) or 1) if live else 1, samplers)
    room = room_for(whole, options, samplers, at_once)
    in_files = room.in_files and (live or options.memory_limit is not None)
    callbacks = [direction.progress for direction in tasks]
    nobody: list[TrainingProgress | None] = [None] * len(tasks)
    alive = callbacks if live else nobody
    begin = parallel_map(partial(_begin, options=settings), tasks, first.executor if live else None)
    starts, forms = (list(results) for results in zip(*begin, strict=True))
    texts = [text.sides for text in whole]
    free = partial(free_slots, texts, [temporary(text) if in_files else None for text in whole])
    # Each sampler draws alignments of the two directions in turn. Their joint probability is the
    # product of both, times `agreement` to the power of the number of shared links: the sampling
    # counterpart of Liang, Taskar & Klein 2006.
    call: Callable[[tuple[int, int]], list[Run]] = partial(
        run_sampler, texts, starts, forms, free, settings, alive
    )
    if options.checkpoints is not None:
        home = folder(options.checkpoints, texts, starts, settings)
        call = partial(resumed, home, call, alive, free)
    sums: list[Run] = []
    # All wait for a free thread, unless fewer may run at once than there are threads.
    some = samplers if room.at_once == at_once else room.at_once
    parts = (seeds[low : low + some] for low in range(0, samplers, some))
    for runs in chain.from_iterable(parallel_map(call, part, first.executor) for part in parts):
        for run, tell in zip(runs, nobody if live else callbacks, strict=True):
            run.tell(tell)
        sums = [joined(*both) for both in zip(sums, runs, strict=True)] if sums else runs
        del runs
    return [
        _mean(task.paired.text, run, options, start, seed)
        for task, run, start in zip(tasks, sums, starts, strict=True)
    ]


def _begin(task: Task, options: Bayes) -> tuple[Start, ByStem]:
    """Return the counts of a direction with its prior, and the forms of its words."""
    text = task.paired.text
    shared = options.stems > 0 and int(places(text)[-1]) <= MOST_TOGETHER
    return start_of(text, options, task.prior), by_stem(text, shared=shared)


def _mean(text: Text, sums: Run, options: Bayes, start: Start, seed: int) -> Parameters:
    """Return the mean of the samplers' counts, with what is known but without pseudo-counts."""
    samplers, sweeps = options.effort(text.sentences)
    counts, known = sums.counts, start.prior
    n_src, n_tgt = text.src.n_words, text.tgt.n_words
    linked = Listed(counts.src, counts.tgt, counts.pairs / np.float32(samplers), known.nulls * 0)
    both = added([linked, known])
    totals = counts.totals / samplers
    totals[0] += known.nulls.sum(dtype=np.float64)
    totals[1:] += np.bincount(known.src, known.values, n_src)
    src = np.append(np.zeros(n_tgt, np.int32), both.src + np.int32(1))
    tgt = np.append(np.arange(n_tgt, dtype=np.int32), both.tgt)
    pairs = np.append(counts.nulls / np.float32(samplers) + known.nulls, both.values)
    # Rounding errors are not counts, and counts that would not be saved are not used either.
    kept = pairs > np.maximum(2 * FLOOR * totals, _ROUNDING).astype(np.float32)[src]
    return Parameters(
        Translations.from_cells(src[kept], tgt[kept], pairs[kept], n_src - 1),
        totals,
        counts.fertilities / np.float32(samplers) - np.float32(FERTILITY),
        sums.jumps / samplers,
        (text.src.vocabulary, text.tgt.vocabulary),
        options.null,
        options.concentration,
        options.spelling,
        options.stems,
        sums.slots,
        # As many draws as were remembered.
        samplers * (sweeps[2] - sweeps[2] // 2),
        seed,
        sums.history,
        text,
        options.agreement,
    )


# A Gibbs sampler, which draws alignments of each direction in turn and counts the draws.

ALONE = np.empty(0, np.int16)
"""Positions of the other direction if there is none; not frozen, so that the type is the same."""

STAGES = ("words", "jumps", "fertilities")


class Sampler:
    """The alignment of one direction, and its counts."""

    def __init__(
        self,
        sides: Sides,
        start: Start,
        forms: ByStem,
        kept: Kept,
        settings: Bayes,
        seed: tuple[int, int],
    ) -> None:
        self.sides, self.start, self.forms, self.settings = sides, start, forms, settings
        self.random = generator(seed)
        self.place = np.empty(sides.tgt.size, np.int16)
        gibbs.start(sides, np.float32(settings.null), self.random, self.place)
        # Words share counts with other forms if there are stems of several.
        self.stems = settings.stems if forms.at.size <= forms.order.size else 0.0
        self.jumps = np.zeros(2 * MAX_JUMP + 1, np.int64)
        self.slots = kept
        self.history: list[tuple[str, int, float]] = []
        self.counts: Counts | None = None

    def count(self) -> Counts:
        """Count the links and jumps of the alignment, added to their initial counts."""
        self.counts = None  # before the new ones need as much
        if self.place.size >= _MUCH:
            give_back()
        start, alpha = self.start, np.float32(self.settings.concentration)
        counts = start.nulls.copy(), np.zeros(start.totals.size), start.fertilities.copy()
        self.jumps[:] = 0
        gibbs.add(self.sides, self.place, *counts, self.jumps)
        more = (self.stems, start.pairs, start.totals, alpha)
        rows = count_links(self.sides, self.place, self.forms, *more, counts[1])
        return Counts(tabulate(rows), *counts)

    def sweep(self, stage: int, turned: I16, *, again: bool, remembering: bool) -> float:
        """Sample all positions once, given those of the other direction; see ``gibbs.sweep``."""
        # Counts of stems change with each sweep, so all counts are made anew.
        counts = self.counts
        if counts is None or again or self.stems:
            counts = self.count()
        tables = jump_table(self.jumps, self.sides.src_at)
        self.jumps[:] = 0
        probability = 0.0
        settings = self.settings
        spans = self.slots.spans if remembering else [(0, self.sides.tgt_at.size - 1)]
        for n, (low, high) in enumerate(spans):
            seen = self.slots.of(n) if remembering else slots.make_slots(0)
            _, some, pool = gibbs.sweep(
                self.sides.part(low, high),
                counts,
                np.float32(settings.concentration),
                self.place,
                *tables,
                self.jumps,
                np.float32(settings.null / (1 - settings.null)),
                stage,
                self.random,
                seen,
                turned,
                np.float32(settings.agreement),
            )
            counts = counts._replace(pairs=counts.pairs._replace(pool=pool))
            probability += some
            if remembering:
                self.slots.keep(n, seen)
        # Those that are made anew need not wait for the next sweep.
        self.counts = None if self.stems else counts
        return probability

    def result(self) -> Run:
        """Return the counts of links alone, without what priors add and forms of a stem share."""
        self.counts = None
        n_src, n_tgt = self.start.totals.size - 1, self.start.nulls.size
        nulls, totals = np.zeros(n_tgt, np.float32), np.zeros(n_src + 1)
        fertilities = self.start.fertilities.copy()
        self.jumps[:] = 0
        gibbs.add(self.sides, self.place, nulls, totals, fertilities, self.jumps)
        nothing = self.start.pairs._replace(size=frozen(np.zeros(n_src, np.int32)))
        none = (0.0, nothing, frozen(np.zeros(n_src + 1)), np.float32(0))
        at, size, targets, values = count_links(
            self.sides, self.place, self.forms, *none, totals.copy()
        )
        src = np.repeat(np.arange(n_src, dtype=np.int32), size)
        order = np.repeat(at, size) + np.arange(src.size) - np.repeat(np.cumsum(size) - size, size)
        counts = Found(src, targets[order], values[order], nulls, totals, fertilities)
        return Run(counts, self.jumps, self.slots, self.history)


def run_sampler(
    texts: list[Sides],
    starts: list[Start],
    forms: list[ByStem],
    free: Free,
    settings: Bayes,
    progress: list[TrainingProgress | None],
    seed: tuple[int, int],
) -> list[Run]:
    """Run one sampler, alternating between the directions if there are two."""
    both = [
        Sampler(*one, settings, seed) for one in zip(texts, starts, forms, free(seed), strict=True)
    ]
    for stage, sweeps in enumerate(settings.sweeps or (), 1):
        together = len(both) > 1 and stage > gibbs.BY_WORD
        for sweep in range(1, sweeps + 1):
            # Early sweeps still depend on the start, so only the second half counts.
            remembering = stage == gibbs.BY_FERTILITY and sweep > sweeps // 2
            for k, sampler in enumerate(both):
                turned = both[1 - k].place if together else ALONE
                probability = sampler.sweep(
                    stage, turned, again=sweep == 1, remembering=remembering
                )
                said = (f"sampler {seed[1] + 1}, {STAGES[stage - 1]}", sweep, probability)
                sampler.history.append(said)
                tell = progress[k]
                if tell is not None:
                    tell(*said)
    return [sampler.result() for sampler in both]


def joined(ours: Run, theirs: Run) -> Run:
    """Add one sampler's counts to another's."""
    mine, other = ours.counts, theirs.counts
    lists = [Listed(*counts[:4]) for counts in (mine, other)]
    counts = Found(*added(lists), mine.totals + other.totals, mine.fertilities + other.fertilities)
    for n, more in enumerate(theirs.slots):
        sums = ours.slots.of(n)
        slots.merge(sums, more)
        theirs.slots.drop(n)
        ours.slots.keep(n, sums)
        give_back()
    return Run(counts, ours.jumps + theirs.jumps, ours.slots, ours.history + theirs.history)
