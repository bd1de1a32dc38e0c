"""A Bayesian aligner: translations, jumps and fertilities, learnt by Gibbs sampling.

Östling & Tiedemann 2016 describe such a model: small Dirichlet priors leave each word few
translations, and the alignments of several samplers are averaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.aligners.ibm1 import Tell
from alignframe.aligners.paired import Paired, Part
from alignframe.aligners.prior import Prior
from alignframe.aligners.translations import FLOOR, Translations, Vocabularies
from alignframe.errors import InputError
from alignframe.kernels import gibbs, slots
from alignframe.kernels.cells import Pairing
from alignframe.kernels.gibbs import F32, F64, MAX_FERTILITY, MAX_JUMP, MAX_POSITIONS, Counts
from alignframe.kernels.links import Weighted, chosen
from alignframe.kernels.ragged import I64, frozen
from alignframe.kernels.slots import Slots

PARTS = 1
"""Samplers work side by side, not parts of the text: every word has a say in the next."""

_STAGES = ("words", "jumps", "fertilities")
_FERTILITY, _JUMP = 0.5, 0.5  # pseudo-counts
_ROUNDING = 1e-4  # lower counts are roundings of float32
_WARM, _KEPT = 4, 8  # sweeps over text that nothing is learnt from


class Settings(NamedTuple):
    """What a sampler is told; see ``train``."""

    null: float
    sweeps: tuple[int, int, int]


class Run(NamedTuple):
    """What one sampler leaves: its last counts, probable places, and how it went."""

    counts: Counts
    jumps: I64
    slots: Slots
    history: list[tuple[str, int, float]]


@dataclass(frozen=True)
class Parameters:
    """Counts of links, the mean of several samplers, without pseudo-counts.

    ``pairs`` holds counts instead of probabilities, ``totals`` their sum for NULL (first) and each
    source word. ``slots`` are the places of the text that was learnt from, ``trained_on``.
    """

    pairs: Translations
    totals: F64
    fertilities: F32
    jumps: F64
    null: float
    alpha: float
    slots: Slots | None = None
    samples: int = 0
    seed: int = 1

    def decode(self, paired: Paired, threshold: float | None = None) -> Iterator[Weighted]:
        """Yield the links of each part, see ``Model.align``.

        Those of the text that was learnt from are the samplers' own; other text is sampled with
        the counts as they are.
        """
        trained_on = paired.starts is self.pairs.starts and self.slots is not None
        if trained_on and self.slots is not None:
            found = [(paired.parts[0], self.slots)]
            samples = self.samples
        else:
            _check_lengths(paired)
            found = list(paired.each(partial(_sample, known=self._known(paired), model=self)))
            samples = _KEPT
        for part, places in found:
            tgt_at = part.pairing.tgt_at
            if threshold is None:
                yield chosen(tgt_at, *slots.best(places, samples))
            else:
                yield slots.likely(tgt_at, places, samples, threshold)

    def _known(self, paired: Paired) -> Counts:
        """Return the counts for the cells of another text."""
        src, tgt = paired.text.src, paired.text.tgt
        rows = np.arange(src.n_words + 1, dtype=np.int32)
        columns = np.arange(tgt.n_words, dtype=np.int32)
        pairs = self.pairs.mapped(paired, rows, columns, 0.0) + np.float32(self.alpha)
        totals = self.totals + self.alpha * np.maximum(np.diff(paired.starts), 1)
        return Counts(pairs, totals, self.fertilities + np.float32(_FERTILITY))

    def tables(self, vocabularies: Vocabularies) -> dict[str, pa.Table]:
        """Return what is to be saved: see ``from_tables``."""
        rows = np.repeat(np.arange(self.totals.size), np.diff(self.pairs.starts))
        # Not rounded to float32, so that the very counts come back.
        values = self.pairs.values / np.maximum(self.totals[rows], 1e-9)
        shares = Translations(self.pairs.starts, self.pairs.targets, values)
        words = {"src": pa.concat_arrays([pa.nulls(1, pa.string()), vocabularies[0]])}
        words["count"] = pa.array(self.totals[:-1])
        for k in range(MAX_FERTILITY + 1):
            words[f"fertility_{k}"] = np.append(np.float32(0), self.fertilities[:-1, k])
        jumps = {"width": np.arange(-MAX_JUMP, MAX_JUMP + 1), "count": self.jumps}
        settings = {"null": [self.null], "alpha": [self.alpha], "seed": [self.seed]}
        return {
            "translations": shares.table(vocabularies),
            "words": pa.table(words),
            "jumps": pa.table(jumps),
            "settings": pa.table(settings),
        }

    @classmethod
    def from_tables(cls, tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Parameters:
        """Return what ``tables`` made.

        Raises
        ------
        InputError
            If they do not fit together.
        """
        shares = Translations.from_table(tables["translations"], vocabularies)
        names = ["count", *(f"fertility_{k}" for k in range(MAX_FERTILITY + 1))]
        words = [_numbers(tables, "words", name, len(vocabularies[0]) + 1) for name in names]
        totals = np.append(words[0], 0.0)
        unknown = np.zeros((1, MAX_FERTILITY + 1))
        fertilities = np.concatenate([np.stack(words[1:], axis=1)[1:], unknown])
        rows = np.repeat(np.arange(totals.size), np.diff(shares.starts))
        values = (shares.values * totals[rows]).astype(np.float32)
        null, alpha, seed = (
            float(_numbers(tables, "settings", name, 1)[0]) for name in ("null", "alpha", "seed")
        )
        _check_numbers(alpha, null)
        return cls(
            Translations(shares.starts, shares.targets, frozen(values)),
            totals,
            fertilities.astype(np.float32),
            _numbers(tables, "jumps", "count", 2 * MAX_JUMP + 1),
            null,
            alpha,
            seed=int(seed),
        )


def _numbers(tables: Mapping[str, pa.Table], table: str, column: str, size: int) -> F64:
    """Return a column of a saved table, checked."""
    found = tables[table]
    if column not in found.column_names or found.num_rows != size:
        raise InputError(
            f"a table {table} of {found.num_rows:,} rows and the columns "
            f"{', '.join(found.column_names)}",
            expected=f"{size:,} rows, and a column {column}",
        )
    values = found.column(column)
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type)):
        raise InputError(f"{column} of {table} of the type {values.type}", expected="numbers")
    numbers: F64 = values.cast(pa.float64()).fill_null(np.nan).to_numpy().copy()
    if not (np.isfinite(numbers) & (numbers >= 0.0)).all():
        raise InputError(f"{column} of {table} below 0, or not finite", expected="0 or more")
    return numbers


def train(
    paired: Paired,
    *,
    seed: int = 1,
    tell: Tell | None = None,
    prior: Prior | None = None,
    samplers: int = 4,
    sweeps: tuple[int, int, int] = (5, 3, 10),
    alpha: float = 0.001,
    null: float = 0.2,
) -> Parameters:
    """Learn counts of links by Gibbs sampling.

    Parameters
    ----------
    paired
        A text; its source words are conditioned on.
    seed
        The samplers' random numbers follow from it.
    tell
        Called after each sweep with the sampler and stage (``words``, ``jumps``,
        ``fertilities``), the sweep's number, and the log-probability of what was sampled.
    prior
        Counts that are added to each sampler's: an earlier model's, or a lexicon's.
    samplers
        How many alignments are sampled, each from a start of its own.
    sweeps
        Over the text, for each stage. Probabilities are averaged over the second half of the last.
    alpha
        The pseudo-count of every pair of words that stand together.
    null
        The probability that a target word has no source word.

    Raises
    ------
    InputError
        If an option is out of range.
    """
    _check(samplers, sweeps, alpha, null)
    if not isinstance(seed, int) or not 0 <= seed < 1 << 53:
        raise InputError(f"the seed {seed!r}", expected="a whole number from 0 to 2**53 - 1")
    _check_lengths(paired)
    prior = prior or Prior()
    settings = Settings(null, sweeps)
    start = _pseudo_counts(paired, prior, alpha)
    start = start._replace(pairs=start.pairs[paired.parts[0].own])
    seeds = [(seed, number) for number in range(samplers)]
    over: Any = map if paired.executor is None else paired.executor.map
    live = tell if paired.executor is None else None
    alone = replace(paired, executor=None)  # an executor cannot be sent to its processes
    call = partial(_run, paired=alone, start=start, settings=settings, tell=live)
    runs = over(call, seeds)
    sums = _told(next(runs), tell, live)
    for run in runs:
        sums = _joined(sums, _told(run, tell, live))
    return _mean(paired, sums, samplers, settings, alpha, seed)


def _check(samplers: int, sweeps: tuple[int, int, int], alpha: float, null: float) -> None:
    if not isinstance(samplers, int) or samplers < 1:
        raise InputError(f"{samplers!r} samplers", expected="a whole number from 1 on")
    three = isinstance(sweeps, (tuple, list)) and len(sweeps) == len(_STAGES)
    if not three or any(not isinstance(n, int) or n < 0 for n in sweeps):
        raise InputError(f"the sweeps {sweeps!r}", expected="three whole numbers from 0 on")
    if sweeps[2] < 1:
        raise InputError(f"the sweeps {sweeps!r}", expected="at least 1 in the last stage")
    _check_numbers(alpha, null)


def _check_numbers(alpha: float, null: float) -> None:
    if not isinstance(alpha, (int, float)) or not 0.0 < alpha < np.inf:
        raise InputError(f"alpha {alpha!r}", expected="a number above 0")
    if not isinstance(null, (int, float)) or not 0.0 < null < 1.0:
        raise InputError(f"null {null!r}", expected="a number between 0 and 1")


def _check_lengths(paired: Paired) -> None:
    sides = (paired.text.src, paired.text.tgt)
    longest = max(int(np.diff(side.at).max(initial=0)) for side in sides)
    if longest > MAX_POSITIONS:
        raise InputError(
            f"a sentence of {longest:,} words",
            expected=f"at most {MAX_POSITIONS:,}",
            todo="lower max_length",
        )


def _pseudo_counts(paired: Paired, prior: Prior, alpha: float) -> Counts:
    """Return the counts before any link is counted."""
    n_src = paired.text.src.n_words
    pairs = np.full(paired.n_cells, alpha, np.float32)
    fertilities = np.full((n_src, MAX_FERTILITY + 1), _FERTILITY, np.float32)
    if prior.counts is not None:
        pairs += prior.counts.astype(np.float32)
    totals = np.zeros(n_src + 1)
    rows = np.flatnonzero(np.diff(paired.starts))
    totals[rows] = np.add.reduceat(pairs, paired.starts[rows], dtype=np.float64)
    return Counts(pairs, totals, fertilities)


def _run(
    seed: tuple[int, int], paired: Paired, start: Counts, settings: Settings, tell: Tell | None
) -> Run:
    """Let one sampler run."""
    pairing = paired.parts[0].pairing
    random = generator(seed)
    place = np.empty(pairing.tgt.size, np.int16)
    gibbs.start(pairing, np.float32(settings.null), random, place)
    places = slots.make_slots(place.size)
    counts = start
    jumps = np.zeros(2 * MAX_JUMP + 1, np.int64)
    history = []
    for stage, sweeps in enumerate(settings.sweeps, 1):
        counts = Counts(start.pairs.copy(), start.totals.copy(), start.fertilities.copy())
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
            if tell is not None:
                tell(*said)
    return Run(counts, jumps, places, history)


def generator(seed: tuple[int, int]) -> Any:
    """Return the state of a random number generator, which is never 0."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)


def jump_table(jumps: I64 | F64, pairing: Pairing) -> tuple[F32, F32]:
    """Return the probability of each jump that a text can have, by width, and turned round.

    The middle is the jump of width 0.
    """
    p = (jumps + _JUMP) / (jumps + _JUMP).sum()
    reach = int(np.diff(pairing.src_at).max(initial=0)) + 2
    widths = np.clip(np.arange(-reach, reach + 1), -MAX_JUMP, MAX_JUMP)
    ahead = p[widths + MAX_JUMP].astype(np.float32)
    return frozen(ahead), frozen(ahead[::-1])


def _told(run: Run, tell: Tell | None, live: Tell | None) -> Run:
    """Tell how a run went, unless that was told while it was on."""
    if tell is not None and live is None:
        for said in run.history:
            tell(*said)
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
    return ours._replace(counts=counts, jumps=ours.jumps + theirs.jumps)


def _mean(
    paired: Paired,
    sums: Run,
    samplers: int,
    settings: Settings,
    alpha: float,
    seed: int,
) -> Parameters:
    """Return the mean of the samplers' counts, without the pseudo-counts that all start from."""
    means = sums.counts.pairs
    means /= samplers
    means -= np.float32(alpha)
    pairs = np.zeros(paired.n_cells, np.float32)
    pairs[paired.parts[0].own] = means
    totals = sums.counts.totals / samplers - alpha * np.diff(paired.starts)
    # Roundings are no counts, and what would not be saved is not used either.
    least = np.maximum(2 * FLOOR * totals, _ROUNDING).astype(np.float32)
    pairs[pairs <= np.repeat(least, np.diff(paired.starts))] = 0
    return Parameters(
        Translations(paired.starts, paired.targets, frozen(pairs)),
        np.maximum(totals, 0.0),
        sums.counts.fertilities / np.float32(samplers) - np.float32(_FERTILITY),
        sums.jumps / samplers,
        settings.null,
        alpha,
        sums.slots,
        samplers * (settings.sweeps[2] - settings.sweeps[2] // 2),
        seed,
    )


def _own_words(pairing: Pairing) -> Pairing:
    """Return a part whose target words are its own alone: their places and slots are numbered."""
    low, high = pairing.tgt_at[0], pairing.tgt_at[-1]
    own = frozen(pairing.tgt[low:high])
    return pairing._replace(tgt=own, tgt_at=frozen(pairing.tgt_at - low))


def _sample(part: Part, known: Counts, model: Parameters) -> Slots:
    """Sample the places of a part of another text; nothing is learnt from it."""
    pairing = _own_words(part.pairing)
    counts = known._replace(pairs=known.pairs[part.own])
    ahead, back = jump_table(model.jumps, pairing)
    random = generator((model.seed, part.first))
    place = np.empty(pairing.tgt.size, np.int16)
    gibbs.start(pairing, np.float32(model.null), random, place)
    places = slots.make_slots(place.size)
    jumps = np.zeros(2 * MAX_JUMP + 1, np.int64)
    for sweep in range(1 + _WARM + _KEPT):
        gibbs.sweep(
            pairing,
            counts,
            place,
            ahead,
            back,
            jumps,
            np.float32(model.null / (1 - model.null)),
            gibbs.BY_WORD if sweep == 0 else gibbs.BY_FERTILITY,
            False,
            random,
            places,
            sweep > _WARM,
        )
    return places
