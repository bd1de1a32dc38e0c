"""Classifying line pairs as right or wrong, trained on synthetic noise from the text itself.

As in Bicleaner (Sánchez-Cartagena et al. 2018), a classifier is trained to distinguish lines from
synthetic noise made from them. Here the training lines are those to be scored, and it is retrained
on the better ones. There are two logistic regressions, one against all kinds of noise and one
against misplaced lines only, mixed according to the wrong lines in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.beads.corrupt import corrupted
from alignframe.beads.line_classifier import Classifier, probability
from alignframe.beads.line_features import design, features, inputs
from alignframe.beads.line_model import LineModel, Scripts
from alignframe.beads.line_pairs import LinePairs, LineSide
from alignframe.beads.line_text import LineText, has_text
from alignframe.core.arrays import F64, I64, Bools
from alignframe.core.tokens import SIDES, composed
from alignframe.errors import InputError, number_of, warn
from alignframe.typing import Progress

ROUNDS = 3
"""The number of training rounds; from the second on, only the better lines are used."""

BETTER = 0.5
"""The share of lines used again."""

FOLDS = 4
"""The number of parts of a text; each is scored with words learnt from the others."""

LEAST_LINES, FEW, ENOUGH = 8, 25, 50
"""Fewer lines are refused; fewer than the second are not trusted alone; fewer than the third cause
a warning: of 25 real lines, often all are kept."""

MAX_LEARNT = 20_000
"""The maximum number of lines from which words are learnt, sampled evenly."""

MAX_TAUGHT = 3_000
"""The maximum number of lines for training the classifier, sampled evenly from these."""

EARLY, EARLY_WORDS = 0.7, 0.5
"""The shares of these lines used before the last round, for the classifier and for words."""

SHARE = 1.0
"""The share of training lines from which each kind of noise is made."""


@dataclass(frozen=True)
class Judge:
    """A trained classifier of the lines of a text.

    ``thresholds`` has one row per threshold: threshold, kept (the share of lines above it), lost
    (of right lines, not above), noise_kept (of noise, above, by a classifier of other lines) and
    noise_errors (of wrong lines kept and right ones dropped). lost and noise_errors hold if wrong
    lines are like the noise. ``noise`` has kind, lines and caught, the share not above the
    suggested threshold; ``weights`` has input, weight (log odds of a right line per standard
    deviation) and misplaced (the same against misplaced lines).
    """

    words: _Words
    models: Sequence[LineModel]
    classifier: Classifier
    scripts: Scripts
    wrong: float  # the estimated share of wrong lines
    suggested: float  # the threshold with the fewest ``noise_errors``
    # With more than `MAX_LEARNT` lines, these describe the training lines.
    thresholds: pl.DataFrame
    noise: pl.DataFrame
    weights: pl.DataFrame

    def score(self, lines: LinePairs) -> tuple[F64, pl.DataFrame]:
        """Return the probabilities that both sides translate each other, and ``FEATURES``."""
        columns = self.words.features(self.models, lines)
        score = probability(calibrated(self.classifier.logits(design(columns))))
        src, tgt = lines.texts
        known = has_text(src) & has_text(tgt) & self.scripts.known(src, tgt)
        # A line with an empty side, or mostly in a foreign script, is wrong whatever its features.
        return np.where(known, score, 0.0), columns


class _Words:
    """Trains word models and computes features, with cross-fitting over folds of the text."""

    def __init__(self, size: int, clean: tuple[pa.Array, pa.Array] | None, words: str) -> None:
        self.size, self.words = size, words
        self.fixed = None
        if clean is not None:
            rows = evenly(np.arange(len(clean[0])), MAX_LEARNT)
            src, tgt = (side.take(pa.array(rows)) for side in clean)
            self.fixed = [LineModel.learn(LinePairs.of(rows, src, tgt, words))]

    def lines(self, text: LineText, wanted: Bools, scripts: Scripts | None) -> _Sample:
        """Return the wanted lines in the text's scripts, at most as many as may be learnt from."""
        rows = evenly(np.flatnonzero(wanted), MAX_LEARNT)
        src, tgt = map(composed, text.take(rows))
        scripts = scripts or Scripts.of(src, tgt)
        own = scripts.known(src, tgt)
        kept = pa.array(np.flatnonzero(own))
        lines = LinePairs.of(rows[own], src.take(kept), tgt.take(kept), self.words)
        return _Sample(lines, scripts, 1.0 - float(own.mean()) if own.size else 0.0)

    def models(self, lines: LinePairs, number: int) -> list[LineModel]:
        """Return one model per fold, trained on some lines without those of the fold."""
        if self.fixed:
            return self.fixed
        folds = lines.rows * number // self.size
        return [
            LineModel.learn(lines.some(np.flatnonzero(folds != fold))) for fold in range(number)
        ]

    def features(self, models: Sequence[LineModel], lines: LinePairs) -> pl.DataFrame:
        """Return the features of lines, each by the model of its fold."""
        if len(models) == 1 or not lines.size:
            return features(models[0], lines)
        folds = lines.rows * len(models) // self.size
        order = np.argsort(folds, kind="stable")
        parts = []
        for number in np.unique(folds):
            some = order[folds[order] == number]
            own = lines if some.size == lines.size else lines.some(some)
            parts.append(features(models[number], own))
        return pl.concat(parts)[np.argsort(order)]


class _Sample(NamedTuple):
    """Training lines, the scripts of the text, and the share of lines in other scripts."""

    lines: LinePairs
    scripts: Scripts
    foreign: float


def judge(
    text: LineText,
    chosen: Bools | None = None,
    clean: tuple[pa.Array, pa.Array] | None = None,
    words: str = "letters",
    seed: int = 1,
    progress: Progress | None = None,
) -> Judge:
    """Train a classifier of right and wrong line pairs, for the ``chosen`` lines or all.

    The others are trusted and used for initial training. Word and spelling models learn from the
    parallel lines ``clean``; by default, each quarter of the text is scored by those of the others.
    """
    known, rng = _Words(len(text), clean, words), np.random.default_rng(seed)
    sample, scripts, foreign = known.lines(text, text.full, None)
    rows = sample.rows
    if rows.size < LEAST_LINES:
        raise InputError(
            f"{number_of(rows.size, 'line')} with text on both sides"
            + (f" in its scripts ({', '.join(scripts.names)})" if foreign else ""),
            expected=f"at least {LEAST_LINES} to learn from",
            todo="use a sentence aligner as the method, such as mre+",
        )
    different = pl.DataFrame(dict(zip(SIDES, sample.texts, strict=True))).n_unique()
    if different < ENOUGH:
        warn(
            f"{number_of(different, 'different line')} with text on both sides are too few to "
            f"train the classifier, and it may keep wrong lines; use at least {ENOUGH}, or a "
            "sentence aligner (`method='mre+'`)"
        )
    same = pc.sum(pc.equal(*sample.texts)).as_py() / rows.size
    if same > 0.5:
        warn(
            f"{same:.0%} of the lines have the same text on both sides: copies count as "
            "translations"
        )
    trusted = rows[:0] if chosen is None else np.flatnonzero(~chosen[rows])
    believed = trusted if trusted.size >= FEW else np.arange(rows.size)
    classifier: Classifier | None = None
    for number in range(ROUNDS):
        part, of_words = (EARLY, EARLY_WORDS) if number < ROUNDS - 1 else (1.0, 1.0)
        taught = evenly(believed, int(MAX_TAUGHT * part))
        learnt = evenly(believed, int(MAX_LEARNT * BETTER * of_words))
        models = known.models(sample.some(learnt), FOLDS)
        x = design(known.features(models, sample))
        lessons = _lessons(known, models, sample.some(taught), x[taught], rng)
        classifier = Classifier.learn(*lessons[:4], classifier).mixed(x)
        logits = classifier.logits(x)
        # Each round learns from the better half of the lines by the last one.
        believed = np.flatnonzero(logits >= np.quantile(logits, 1.0 - BETTER))
        if progress is not None:
            progress(number + 1, ROUNDS)
    assert classifier is not None  # noqa: S101  (there are rounds)
    wanted = np.ones(len(text), np.bool_) if chosen is None else chosen
    if chosen is not None:
        sample, _, foreign = known.lines(text, text.full & chosen, scripts)
        logits = classifier.logits(design(known.features(models, sample)))
    score = probability(calibrated(logits))
    blank = 1.0 - float(text.full[wanted].mean()) * (1.0 - foreign)
    score = score if score.size else np.zeros(1)  # all lines to filter are blank
    unseen = calibrated(held_out(lessons, classifier))
    wrong, thresholds = thresholds_of(lessons, unseen, score, blank)
    suggested = float(thresholds["threshold"][int(thresholds["noise_errors"].arg_min() or 0)])
    caught = caught_of(lessons, probability(unseen) > suggested)
    table = pl.DataFrame(
        {
            "input": inputs(),
            "weight": classifier.every.slopes[:-1],
            "misplaced": classifier.misplaced.slopes[:-1],
        }
    )
    table = table.sort(pl.col("weight").abs(), descending=True)
    return Judge(known, models, classifier, scripts, wrong, suggested, thresholds, caught, table)


def _lessons(
    known: _Words, models: Sequence[LineModel], lines: LinePairs, x: F64, rng: np.random.Generator
) -> Lessons:
    """Return lines and noise made from them, with equal total weights."""
    rows, (src, tgt) = lines.rows, (texts.to_pylist() for texts in lines.texts)
    made = list(corrupted(src, tgt, SHARE, rng))
    own = np.concatenate([noisy.rows for noisy in made])
    both = chain((noisy.src for noisy in made), (noisy.tgt for noisy in made))
    texts = pa.array(chain.from_iterable(both), pa.large_string()).dictionary_encode()
    side = LineSide.of(texts.dictionary, known.words)  # most texts occur in several kinds of noise
    places = texts.indices.to_numpy().reshape(2, -1)
    noise = design(
        known.features(models, LinePairs(rows[own], *(side.some(some) for some in places)))
    )
    sizes = [noisy.rows.size for noisy in made]
    # Each kind of noise weighs the same, and all together as much as the lines.
    count = rows.size / len(made) / np.array(sizes)
    return Lessons(
        np.concatenate([x, noise]),
        np.arange(rows.size + own.size) < rows.size,
        np.concatenate([np.ones(rows.size), np.repeat(count, sizes)]),
        np.repeat(["", *(noisy.kind for noisy in made)], [rows.size, *sizes]),
        np.concatenate([rows, rows[own]]),
    )


def evenly(rows: I64, most: int) -> I64:
    """Return all rows, or a maximum number, evenly spaced."""
    if rows.size <= most:
        return rows
    taken: I64 = rows[np.linspace(0, rows.size - 1, most).astype(np.int64)]
    return taken


# The errors of a line classifier at thresholds, estimated from synthetic noise.

LIMITS = tuple(limit / 20 for limit in range(1, 19))
"""The thresholds for which errors are estimated."""

POWER, FACTOR = 0.492, 2.49
"""The power and the factor of the odds, because real wrong lines are closer to right ones than
noise is. Fitted to labelled lines of three texts; correct on four others."""

LEAST_CAUGHT = 0.2
"""The share of wrong lines is estimated from thresholds with at least this share of noise below."""


class Lessons(NamedTuple):
    """Training examples: inputs, whether they are right, weights, and kinds of noise."""

    x: F64
    right: Bools
    weight: F64
    kind: npt.NDArray[np.str_]
    row: I64  # the line from which an example was made


def calibrated(logits: F64) -> F64:
    """Return calibrated log odds of real lines from those of the classifier."""
    logits_of_lines: F64 = POWER * logits + np.log(FACTOR)
    return logits_of_lines


def held_out(lessons: Lessons, classifier: Classifier) -> F64:
    """Return the log odds of examples by classifiers trained on the other half of the lines."""
    logits = np.empty(lessons.row.size)
    # Every second sampled line, not every second line of the text: all sampled ones may be even.
    place = np.unique(lessons.row, return_inverse=True)[1]
    for half in (0, 1):
        own = place % 2 == half
        others = lessons if own.all() or not own.any() else Lessons(*(p[~own] for p in lessons))
        known = Classifier.learn(*others[:4], classifier)._replace(share=classifier.share)
        logits[own] = known.logits(lessons.x[own])
    return logits


def caught_of(lessons: Lessons, kept: Bools) -> pl.DataFrame:
    """Return the share of each kind of noise that is not kept."""
    return (
        pl.DataFrame({"kind": lessons.kind, "caught": ~kept})
        .filter(pl.col("kind") != "")
        .group_by("kind", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("lines"), pl.col("caught").mean())
    )


def thresholds_of(
    lessons: Lessons, logits: F64, score: F64, blank: float
) -> tuple[float, pl.DataFrame]:
    """Return the estimated share of wrong lines, and the errors at thresholds if they are noise."""
    noise = probability(logits[~lessons.right])
    count = lessons.weight[~lessons.right]
    caught = np.array([np.average(noise <= limit, weights=count) for limit in LIMITS])
    # Blank and foreign lines, of the share `blank`, are always dropped.
    dropped = blank + (1.0 - blank) * np.array([np.mean(score <= limit) for limit in LIMITS])
    enough = caught >= LEAST_CAUGHT
    # If wrong lines are scored like noise, and right ones never as low, the share of lines below
    # a low threshold is that of noise times the share of wrong lines: the least ratio counts.
    ratios = dropped[enough] / caught[enough]
    wrong = float(np.clip(ratios.min(initial=1.0), 0.0, 1.0))
    lost = np.maximum(dropped - wrong * caught, 0.0)
    table = {
        "threshold": LIMITS,
        "kept": 1.0 - dropped,
        # Without right lines, none of them can be lost.
        "lost": np.minimum(lost / (1.0 - wrong), 1.0) if wrong < 1.0 else np.zeros(len(LIMITS)),
        "noise_kept": 1.0 - caught,
        "noise_errors": lost + wrong * (1.0 - caught),
    }
    return wrong, pl.DataFrame(table)
