"""A Gibbs sampler, which draws alignments of each direction in turn and counts the draws."""

from __future__ import annotations

import numpy as np

from alignframe.aligners.checkpoints import Run
from alignframe.aligners.sampled import generator, jump_table
from alignframe.aligners.training_pairs import Part
from alignframe.core.arrays import I16
from alignframe.kernels.aligners import gibbs, slots
from alignframe.kernels.aligners.gibbs import MAX_JUMP, Counts
from alignframe.kernels.aligners.stems import Shared, share
from alignframe.options.aligners import Bayes
from alignframe.typing import TrainingProgress

ALONE = np.empty(0, np.int16)
"""Positions of the other direction if there is none; not frozen, so that the type is the same."""

STAGES = ("words", "jumps", "fertilities")


def run_sampler(
    seed: tuple[int, int],
    parts: list[Part],
    starts: list[Counts],
    shared: list[Shared | None],
    settings: Bayes,
    progress: list[TrainingProgress | None],
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
