"""Telling right line pairs from wrong ones, taught by noise made of the text itself.

After Bicleaner (Sánchez-Cartagena et al. 2018): a classifier of features learns to tell lines from
synthetic noise made of them. Here the lines are those to be judged, of which the better ones teach
it again; and there are two logistic regressions, one against noise of all kinds and one against
misplaced lines alone, mixed as the wrong lines of the text seem to be.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from alignframe.arrays import F64, I64, Bools
from alignframe.beads.corrupt import corrupted
from alignframe.beads.line_classifier import Classifier, probability
from alignframe.beads.line_features import design, features, inputs
from alignframe.beads.line_model import LineModel
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.typing import Progress

ROUNDS = 3
"""How often the classifier is taught; from the second time on by the better lines."""

BETTER = 0.5
"""The share of the lines that teach again."""

FOLDS = 4
"""In how many parts a text is judged by what its other parts teach of words."""

LEAST_LINES, FEW = 8, 25
"""With fewer lines nothing can be told apart; with fewer than the second, little can."""

MAX_LEARNT = 20_000
"""The most lines that words are learnt from, taken evenly from all."""

MAX_TAUGHT = 3_000
"""The most lines that teach the classifier, taken evenly from those of which words are learnt."""

SHARE = 1.0
"""The share of these of which noise of each kind is made."""

LIMITS = tuple(limit / 20 for limit in range(1, 19))
"""The thresholds of which it is told what they cost."""

POWER, FACTOR = 0.492, 2.49
"""What the odds are raised to and multiplied by, since real wrong lines are closer to right ones
than noise is: fitted to labelled lines of three texts, and right on four others."""

LEAST_CAUGHT = 0.2
"""The least share of noise below a threshold from which the share of wrong lines is estimated."""


@dataclass(frozen=True)
class Judged:
    """What the classifier says of lines.

    Attributes
    ----------
    score
        The probability of each line that its sides translate each other, were as many lines right
        as wrong; 0 of lines with an empty side.
    features
        The columns ``FEATURES``, a row per line.
    wrong
        The estimated share of wrong lines.
    suggested
        The threshold of the fewest expected errors.
    thresholds
        One row per threshold: threshold, kept (the share of all lines above it), lost (the
        estimated share of right lines that are not), noise_kept (the share of noise that is,
        scored by a classifier that the noise of other lines taught), errors (the estimated share
        of all lines that are kept though wrong, or dropped though right).
    noise
        One row per kind of noise: kind, lines, caught (the share not above the suggested
        threshold).
    weights
        One row per input: input, weight (what one standard deviation of it adds to the log odds
        that a line is right, and no noise of any kind), misplaced (the same against misplaced
        lines).
    """

    score: F64
    features: pl.DataFrame
    wrong: float
    suggested: float
    thresholds: pl.DataFrame
    noise: pl.DataFrame
    weights: pl.DataFrame


class _Lines:
    """The lines to judge, and what is known of words."""

    def __init__(
        self, sides: tuple[pa.Array, pa.Array], clean: tuple[pa.Array, pa.Array] | None, words: str
    ) -> None:
        self.sides, self.words = sides, words
        size = len(sides[0])
        self.fold = (
            np.arange(size) * FOLDS // max(size, 1) if clean is None else np.zeros(size, int)
        )
        self.fixed = None
        if clean is not None:
            rows = evenly(np.arange(len(clean[0])), MAX_LEARNT)
            self.fixed = [LineModel.learn(_take(clean[0], rows), _take(clean[1], rows), words)]

    def taken(self, rows: I64) -> tuple[pa.Array, pa.Array]:
        """Return both sides of some lines."""
        return _take(self.sides[0], rows), _take(self.sides[1], rows)

    def models(self, rows: I64) -> list[LineModel]:
        """Return what some lines teach, without those of each fold in turn."""
        if self.fixed:
            return self.fixed
        return [
            LineModel.learn(*self.taken(rows[self.fold[rows] != number]), self.words)
            for number in range(FOLDS)
        ]

    def features(
        self, models: Sequence[LineModel], fold: npt.NDArray[Any], src: pa.Array, tgt: pa.Array
    ) -> pl.DataFrame:
        """Return the features of lines, each judged by the model of its fold."""
        if len(models) == 1:
            return features(models[0], src, tgt, self.words)
        order = np.argsort(fold, kind="stable")
        parts = []
        for number, model in enumerate(models):
            rows = pa.array(order[fold[order] == number])
            if len(rows):
                parts.append(features(model, src.take(rows), tgt.take(rows), self.words))
        return pl.concat(parts)[np.argsort(order)]


def judge(
    sides: tuple[pa.Array, pa.Array],
    *,
    rows: I64 | None = None,
    clean: tuple[pa.Array, pa.Array] | None = None,
    words: str = "words",
    seed: int = 1,
    progress: Progress | None = None,
) -> Judged:
    """Score line pairs.

    Parameters
    ----------
    sides
        Texts, none missing.
    rows
        The lines to choose from, for which the threshold is; by default all. The others are
        trusted, and teach first.
    clean
        Parallel lines to learn words and spellings from; otherwise each quarter of the text is
        judged by what the other quarters teach.
    words
        What counts as a word.
    seed
        What is left to chance in the noise follows from it.
    progress
        Called after each round, and after the lines are judged.

    Raises
    ------
    InputError
        If there are too few lines.
    """
    lines, rng = _Lines(sides, clean, words), np.random.default_rng(seed)
    full = ~np.logical_or(*(_is_blank(side) for side in sides))
    if full.sum() < LEAST_LINES:
        raise InputError(
            f"{number_of(int(full.sum()), 'line')} with text on both sides",
            expected=f"at least {LEAST_LINES} to learn from",
            todo="take a sentence aligner as the method, such as mre+",
        )
    if full.sum() < FEW:
        warnings.warn(
            f"{full.sum()} lines with text on both sides are few to train the classifier on",
            DataWarning,
            stacklevel=4,
        )
    sample = evenly(np.flatnonzero(full), MAX_LEARNT)
    trusted = sample[:0] if rows is None else np.setdiff1d(sample, rows)
    believed = trusted if trusted.size >= FEW else sample
    taught = evenly(believed, MAX_TAUGHT)
    for number in range(ROUNDS):
        models = lines.models(believed)
        found = lines.features(models, lines.fold[sample], *lines.taken(sample))
        x = design(found)
        lessons = _lessons(lines, models, taught, x[np.searchsorted(sample, taught)], rng)
        classifier = Classifier.learn(*lessons[:4]).mixed(x)
        if number < ROUNDS - 1:
            logits = classifier.logits(x)
            believed = sample[logits >= np.quantile(logits, 1.0 - BETTER)]
            taught = evenly(believed, MAX_TAUGHT)
        if progress is not None:
            progress(number + 1, ROUNDS + 1)
    if sample.size < len(sides[0]):
        found = lines.features(models, lines.fold, *sides)
    # some lines at a time: the inputs of all take several times what their features do
    logits = np.concatenate(
        [classifier.logits(design(part)) for part in found.iter_slices(MAX_LEARNT)]
    )
    score = np.where(full, probability(_calibrated(logits)), 0.0)
    held_out = _calibrated(_held_out(lessons, classifier))
    wrong, thresholds = _thresholds(lessons, held_out, score if rows is None else score[rows])
    suggested = float(thresholds["threshold"][int(thresholds["errors"].arg_min() or 0)])
    caught = _caught(lessons, probability(held_out) > suggested)
    if progress is not None:
        progress(ROUNDS + 1, ROUNDS + 1)
    table = pl.DataFrame(
        {
            "input": inputs(),
            "weight": classifier.every.slopes[:-1],
            "misplaced": classifier.misplaced.slopes[:-1],
        }
    )
    table = table.sort(pl.col("weight").abs(), descending=True)
    return Judged(score, found, wrong, suggested, thresholds, caught, table)


def _calibrated(logits: F64) -> F64:
    """Return the log odds of real lines, given those of lines among noise."""
    found: F64 = POWER * logits + np.log(FACTOR)
    return found


class _Lessons(NamedTuple):
    """Inputs of lines and of noise, whether they are right, what each counts, and its kind.

    ``row`` is that of the line a lesson is made of.
    """

    x: F64
    right: Bools
    weight: F64
    kind: npt.NDArray[np.str_]
    row: I64


def _lessons(
    lines: _Lines, models: Sequence[LineModel], rows: I64, x: F64, rng: np.random.Generator
) -> _Lessons:
    """Return lines and the noise made of them; all noise counts as much as all lines."""
    src, tgt = (side.to_pylist() for side in lines.taken(rows))
    made = list(corrupted(src, tgt, SHARE, rng))
    own = np.concatenate([one.rows for one in made])
    texts = [
        pa.array(chain.from_iterable(side), pa.large_string())
        for side in ((one.src for one in made), (one.tgt for one in made))
    ]
    noise = design(lines.features(models, lines.fold[rows[own]], *texts))
    sizes = [one.rows.size for one in made]
    count = rows.size / len(made) / np.array(sizes)
    return _Lessons(
        np.concatenate([x, noise]),
        np.arange(rows.size + own.size) < rows.size,
        np.concatenate([np.ones(rows.size), np.repeat(count, sizes)]),
        np.repeat(["", *(one.kind for one in made)], [rows.size, *sizes]),
        np.concatenate([rows, rows[own]]),
    )


def _held_out(lessons: _Lessons, classifier: Classifier) -> F64:
    """Return the log odds of lessons by classifiers that the other half of the lines taught."""
    logits = np.empty(lessons.row.size)
    for half in (0, 1):
        own = lessons.row % 2 == half
        others = lessons if own.all() or not own.any() else _Lessons(*(p[~own] for p in lessons))
        known = Classifier.learn(*others[:4])._replace(share=classifier.share)
        logits[own] = known.logits(lessons.x[own])
    return logits


def _caught(lessons: _Lessons, kept: Bools) -> pl.DataFrame:
    return (
        pl.DataFrame({"kind": lessons.kind, "caught": ~kept})
        .filter(pl.col("kind") != "")
        .group_by("kind", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("lines"), pl.col("caught").mean())
    )


def _thresholds(lessons: _Lessons, logits: F64, score: F64) -> tuple[float, pl.DataFrame]:
    """Return the estimated share of wrong lines, and what thresholds cost.

    Were wrong lines scored as noise is, and right ones never so low, then of the lines below a low
    threshold there would be as many as there is noise, for the share of wrong lines. The least
    ratio over thresholds is taken for that share.
    """
    noise = probability(logits[~lessons.right])
    count = lessons.weight[~lessons.right]
    caught = np.array([np.average(noise <= limit, weights=count) for limit in LIMITS])
    dropped = np.array([np.mean(score <= limit) for limit in LIMITS])
    told = caught >= LEAST_CAUGHT
    ratios = dropped[told] / caught[told]
    wrong = float(np.clip(ratios.min(initial=1.0), 0.0, 1.0))
    lost = np.maximum(dropped - wrong * caught, 0.0)
    table = {
        "threshold": LIMITS,
        "kept": 1.0 - dropped,
        "lost": lost / max(1.0 - wrong, 1e-9),
        "noise_kept": 1.0 - caught,
        "errors": lost + wrong * (1.0 - caught),
    }
    return wrong, pl.DataFrame(table)


def evenly(rows: I64, most: int) -> I64:
    """Return rows, or as many as allowed, taken evenly from all."""
    if rows.size <= most:
        return rows
    taken: I64 = rows[np.linspace(0, rows.size - 1, most).astype(np.int64)]
    return taken


def _take(side: pa.Array, rows: I64) -> pa.Array:
    return side.take(pa.array(rows))


def _is_blank(side: pa.Array) -> Bools:
    column = pl.Series("text", pl.from_arrow(side))
    return (column.str.strip_chars().str.len_bytes() == 0).to_numpy()
