"""Filtering parallel text by a classifier or an aligner."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, Unpack

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.arrays import F64, I64
from alignframe.beads.align import lattice
from alignframe.beads.classifier import FOLDS, judge
from alignframe.beads.document import Side, document
from alignframe.beads.lattice import Lattice
from alignframe.beads.learning import checked_model, given_text, learn_words
from alignframe.beads.line_pairs import LinePairs
from alignframe.beads.line_text import BATCH, LineText
from alignframe.beads.options import FilterOptions, Options, for_noise
from alignframe.beads.translations import Known
from alignframe.choices import CLASSIFIER, LINE_FILTERS
from alignframe.errors import DataWarning, InputError, number_of, unknown
from alignframe.executors import mapped, pool_of
from alignframe.result import Result
from alignframe.sources import text_array
from alignframe.tokens import SIDES
from alignframe.typing import IntoSentences, IntoWordModel, Progress
from alignframe.version import __version__

MAX_LINES = 10_000
"""The most lines of a document that is aligned at a time."""

SKIP, SKIP_OTHERS = 0.2, 0.05
"""The prior of a sentence without translation, of mre+ and of the other methods. What does not
belong together is two such sentences. Measured on newstest2010 and multi30k with a twentieth and a
fifth of the target lines shuffled among themselves: mre+ keeps three to four times as many wrong
lines at 0.05 as at 0.2, for less than one in a hundred of the right ones more; 0.25 and more cost
right lines of newstest, and time, as the path by lengths is lost more often and sought in ever
wider bands. At 0.2 mre drops a quarter to four fifths of the right lines.
"""

Sink: TypeAlias = Callable[[pl.DataFrame, pa.Array, pa.Array], None]
"""What takes lines, see ``Filtered``, and both their sides."""

MAX_LEARNT = 50_000
"""The most lines that Model 1 is learnt from, taken evenly from all: about 0.5 GB."""


@dataclass(frozen=True)
class Filtered(Result):
    """A filtered parallel text.

    Attributes
    ----------
    lines
        One row per line: line (its number, from 1), kept, score (the probability that both
        sentences translate each other; null if not considered), group (null without groups); with
        the classifier also one column per feature (see ``FEATURES``).
    shares
        One row per group in order of its first line, and one for all, with a null group: group,
        lines, kept, share (of the lines), src_words, src_words_kept, tgt_words, tgt_words_kept;
        with aligners also moved and merged, the numbers of beads above the threshold with sentences
        from two lines, and with more than two sentences, which are not kept.
    signature
        The choices that affect what is kept.
    thresholds, noise, weights
        With the classifier only: errors at thresholds, the share of each kind of noise dropped, and
        feature weights; see ``alignframe.beads.classifier.Judge``.
    """

    lines: pl.DataFrame
    shares: pl.DataFrame
    signature: str
    thresholds: pl.DataFrame | None = None
    noise: pl.DataFrame | None = None
    weights: pl.DataFrame | None = None


def filter(  # noqa: A001 - called as beads.filter
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    method: str = CLASSIFIER,
    threshold: float | None = None,
    clean: tuple[IntoSentences, IntoSentences] | None = None,
    seed: int = 1,
    skip: float | None = None,
    model: IntoWordModel | None = None,
    groups: Sequence[str] | pa.Array | None = None,
    only: Sequence[str] | None = None,
    max_lines: int = MAX_LINES,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Unpack[FilterOptions],
) -> Filtered:
    """Filter a parallel text: keep the lines whose sides translate each other.

    By default, a classifier is trained to tell the lines from noise made from them. With an
    aligner, the two sides are aligned as documents, and a line is kept if its two sentences form a
    1-1 bead that is more probable than the threshold.

    Parameters
    ----------
    src, tgt
        Parallel sentences. The classifier reads files in batches.
    method
        ``classifier``, or an aligner (see ``Options``), of which ``mre+`` is the best and needs no
        model here.
    threshold
        At least 0 and below 1. By default 0.5 for aligners, and the threshold with the fewest
        expected errors for the classifier, as estimated from synthetic noise.
    clean
        Both sides of a clean parallel text for training the classifier's word and spelling models;
        by default the text itself, with each quarter scored by models of the others.
    seed
        Random seed of the classifier's noise.
    skip
        Prior probability of an untranslated sentence on either side; by default 0.2 for mre+ and
        0.05 for other aligners.
    model
        The model of ``mre+`` (see ``align``). By default, Model 1 is trained on the text itself,
        and each quarter is scored by a model of the others, because a model is biased towards its
        own training pairs.
    groups
        One name per line: the lines of each group form a separate document. Words are learnt from
        all lines.
    only
        The groups to filter; others are kept whole, and the classifier is first trained on them.
    max_lines
        Longer documents are split into parts of equal size, to save memory.
    threads
        Number of threads; one by default.
    executor
        Aligns documents in parallel, on threads or spawned (not forked) processes, with the same
        result.
    progress
        Called after each document or round with the numbers of finished and of all.
    **options
        words, and other options of the aligner (see ``Options``); smoothing defaults to 0.1 for mre
        and 0.2 for mre+.

    Returns
    -------
    Filtered

    Raises
    ------
    InputError
        If an argument is wrong; this is checked before anything is aligned.
    """
    executor = pool_of(threads, executor)
    if method not in LINE_FILTERS:
        raise unknown("method", method, LINE_FILTERS)
    if method == CLASSIFIER:
        given: dict[str, Any] = {"skip": skip, "model": model, **options}
        words = given.pop("words", "words")
        if others := [name for name, value in given.items() if value is not None]:
            raise InputError(f"{others[0]} for the classifier", expected="it with an aligner")
        return classified(
            LineText(src, tgt),
            threshold=threshold,
            clean=clean,
            seed=seed,
            words=words,
            groups=groups,
            only=only,
            progress=progress,
        )
    if clean is not None:
        raise InputError(f"clean text for {method}", expected="it with the classifier")
    threshold = 0.5 if threshold is None else threshold
    if skip is None:
        skip = SKIP if method == "mre+" else SKIP_OTHERS
    chosen = for_noise(method, threshold=threshold, skip=skip, **options)
    learning = method == "mre+" and model is None
    known = None if learning else checked_model([method], model)
    sides = given_text(src, tgt)
    names = _names(groups, only, len(sides[0]))
    if learning and len(names) == 1:
        raise InputError(
            "1 line, and none to learn words from",
            expected="a model, or several lines",
            todo="give a model, or the method len",
        )
    if max_lines < 1:
        raise InputError(f"documents of {max_lines} lines", expected="1 or more")
    rows = np.flatnonzero(names.is_in(list(only))) if only else np.arange(len(names))
    longest = min(max_lines, -(-rows.size // FOLDS)) if learning else max_lines
    documents = _documents(names, rows, longest)
    found: list[_Found] = []
    for some, learnt in (
        _judges(documents, sides, chosen.words) if learning else [(documents, known)]
    ):
        align = partial(_align, _Task(*sides, chosen, learnt))
        for one in mapped(align, some, executor):
            found.append(one)
            if progress is not None:
                progress(len(found), len(documents))
    lines = _lines(names, np.arange(len(names)), found, threshold)
    mark = f"{chosen.signature}|max-lines:{max_lines}"
    if method == "mre+":
        mark += f"|model:{'other-quarters' if learning else 'given'}"
    beads = np.zeros((2, len(names)), np.int64)
    for one in found:
        beads[:, one.rows[0]] = one.moved, one.merged
    told = lines.with_columns(moved=beads[0], merged=beads[1])
    tallies = [
        _tally(
            told[at : at + BATCH],
            [np.diff(Side(side[at : at + BATCH], chosen.words).at) for side in sides],
        )
        for at in range(0, len(names), BATCH)
    ]
    return Filtered(lines, _shares(tallies, grouped=groups is not None), mark)


def classified(
    text: LineText,
    *,
    threshold: float | None,
    clean: tuple[IntoSentences, IntoSentences] | None,
    seed: int,
    words: str,
    groups: Sequence[str] | pa.Array | None,
    only: Sequence[str] | None,
    progress: Progress | None = None,
    writing: Callable[[str], Sink] | None = None,
) -> Filtered:
    """Filter lines by the classifier.

    See ``filter``. ``writing`` gets the signature and returns a function that takes the lines of
    each batch and their sides; ``lines`` of the result is then empty, so that memory does not grow.
    """
    names = None
    if groups is not None or only is not None:
        names = _names(groups, only, len(text))
    if threshold is not None and not 0.0 <= threshold < 1.0:
        raise InputError(f"threshold {threshold!r}", expected="a number of at least 0 and below 1")
    chosen = None
    if names is not None and only:
        chosen = names.is_in(list(only)).fill_null(value=False).to_numpy()
    judged = judge(
        text,
        chosen=chosen,
        clean=None if clean is None else given_text(*clean),
        words=words,
        seed=seed,
        progress=progress,
    )
    limit = judged.suggested if threshold is None else threshold
    mark = f"alignframe:{__version__}|filter:{CLASSIFIER}|threshold:{limit:g}"
    mark += f"|clean:{'own' if clean is None else 'given'}|words:{words}|seed:{seed}"
    found: list[pl.DataFrame] = []
    write = None if writing is None else writing(mark)
    tallies, first, foreign = [], 0, 0
    for sides in text.batches():
        rows = np.arange(first, first := first + len(sides[0]))
        own = np.arange(rows.size) if chosen is None else np.flatnonzero(chosen[rows])
        pairs = LinePairs.of(rows, *sides, words)
        score, columns = judged.score(pairs if own.size == rows.size else pairs.some(own))
        foreign += int(np.sum((score == 0.0) & text.full[rows[own]]))
        group = (
            pl.repeat(None, rows.size, dtype=pl.String, eager=True)
            if names is None
            else names[rows]
        )
        lines = _lines(group, rows, [_Found(own, score, 0, 0)], limit)
        columns = columns.with_columns(line=pl.Series(rows[own] + 1))
        lines = lines.join(columns, on="line", how="left", maintain_order="left")
        tallies.append(_tally(lines, [np.diff(side.at) for side in pairs.sides]))
        if write is None:
            found.append(lines)
        else:
            write(lines, *sides)
    if foreign:
        warnings.warn(
            f"{number_of(foreign, 'line')} mostly in a script other than those of the text "
            f"({', '.join(judged.scripts.names)}), which score 0",
            DataWarning,
            stacklevel=3,
        )
    shares = _shares(tallies, grouped=groups is not None)
    every = pl.concat(found) if found else lines.clear()
    return Filtered(every, shares, mark, judged.thresholds, judged.noise, judged.weights)


@dataclass(frozen=True)
class _Task:
    """Settings shared by all documents."""

    src: pa.Array
    tgt: pa.Array
    options: Options
    model: Known | None


class _Found(NamedTuple):
    """The lines of a document, their probabilities (NaN if not considered), and other beads."""

    rows: I64
    score: F64
    moved: int
    merged: int


def _names(
    groups: Sequence[str] | pa.Array | None, only: Sequence[str] | None, size: int
) -> pl.Series:
    """Return the group of each line, null if there are none."""
    if groups is None:
        if only is not None:
            raise InputError("groups to filter (only), but no groups of lines", expected="both")
        return pl.repeat(None, size, dtype=pl.String, eager=True)
    names = pl.Series("group", pl.from_arrow(text_array(groups)))
    if len(names) != size:
        raise InputError(f"{len(names):,} names of groups for {size:,} lines", expected="one each")
    if only is not None:
        known = names.unique(maintain_order=True).to_list()
        for name in [only] if isinstance(only, str) else only:
            if name not in known:
                shown = ", ".join(map(repr, known[:10])) + ", ..." * (len(known) > 10)
                raise InputError(f"the group {name!r}", expected=f"some of {shown}")
        if isinstance(only, str) or not only:
            raise InputError(f"the groups {only!r}", expected="a list of names")
    return names


def _documents(names: pl.Series, rows: I64, longest: int) -> list[I64]:
    """Return the lines of each document: groups, cut into parts of equal size."""
    frame = pl.DataFrame({"group": names[rows], "row": rows})
    documents: list[I64] = []
    for _, part in frame.group_by("group", maintain_order=True):
        own = part["row"].to_numpy()
        documents += np.array_split(own, -(-own.size // longest))
    return documents


def _judges(
    documents: list[I64], sides: tuple[pa.Array, pa.Array], words: str
) -> Iterator[tuple[list[I64], Known]]:
    """Yield the documents of each fold, with word translations learnt from the other lines."""
    ends = np.cumsum([rows.size for rows in documents])
    middles = ends - np.array([rows.size for rows in documents]) / 2
    fold = (FOLDS * middles / ends[-1]).astype(np.int64)
    for number in np.unique(fold):
        mine = [rows for rows, own in zip(documents, fold, strict=True) if own == number]
        others = np.setdiff1d(np.arange(len(sides[0])), np.concatenate(mine))
        if others.size > MAX_LEARNT:
            others = others[np.linspace(0, others.size - 1, MAX_LEARNT).astype(np.int64)]
        src, tgt = (side.take(pa.array(others)) for side in sides)
        yield mine, learn_words(src, tgt, words=words)


def _align(task: _Task, rows: I64) -> _Found:
    """Align the lines of a document."""
    src, tgt = (side.take(pa.array(rows)) for side in (task.src, task.tgt))
    name = f"lines {rows[0] + 1:,} to {rows[-1] + 1:,}"
    found = lattice(
        document(src, tgt, words=task.options.words, name=name), task.options, task.model
    )
    beads = found.beads(task.options.threshold)
    single = (beads.sizes == 1).all(axis=1)
    return _Found(
        rows,
        _own(found, rows.size),
        int((single & (beads.src != beads.tgt)).sum()),
        int((~single).sum()),
    )


def _own(found: Lattice, size: int) -> F64:
    """Return the probability of each 1-1 bead on the diagonal; NaN if not considered."""
    ends = np.arange(1, size + 1)
    lo, at = found.band
    cells = at[ends] + ends - lo[ends]
    inside = (ends >= lo[ends]) & (cells < at[ends + 1])
    (kind,) = np.flatnonzero((found.steps.sizes == 1).all(axis=1))
    score = np.full(size, np.nan)
    logarithms = found.steps.scores[kind, cells[inside]].astype(np.float64)
    score[inside] = np.exp(np.minimum(logarithms, 0.0))
    return score


def _lines(names: pl.Series, rows: I64, found: list[_Found], threshold: float) -> pl.DataFrame:
    """Return the table of lines with their groups, given the indices of scored lines."""
    score = np.full(len(names), np.nan)
    judged = np.zeros(len(names), np.bool_)
    for one in found:
        score[one.rows] = one.score
        judged[one.rows] = True
    return pl.DataFrame(
        {
            "line": rows + 1,
            "kept": ~judged | (score > threshold),
            "score": pl.Series(score).fill_nan(None),
            "group": names,
        }
    )


def _tally(lines: pl.DataFrame, words: Sequence[I64]) -> pl.DataFrame:
    """Return the numbers of lines and words per group, in total and kept."""
    counted = [pl.Series(f"{side}_words", some) for side, some in zip(SIDES, words, strict=True)]
    sums = [
        pl.len().cast(pl.Int64).alias("lines"),
        pl.col("kept").sum().cast(pl.Int64),
        *chain.from_iterable(
            (
                pl.col(f"{side}_words").sum(),
                pl.col(f"{side}_words").filter("kept").sum().alias(f"{side}_words_kept"),
            )
            for side in SIDES
        ),
        pl.col("^(moved|merged)$").sum(),
    ]
    return lines.with_columns(*counted).group_by("group", maintain_order=True).agg(sums)


def _shares(tallies: list[pl.DataFrame], *, grouped: bool) -> pl.DataFrame:
    """Return the shares kept of each group, and of all."""
    counts = (
        pl.concat(tallies).group_by("group", maintain_order=True).agg(pl.exclude("group").sum())
    )
    whole = counts.select(pl.lit(None, pl.String).alias("group"), pl.exclude("group").sum())
    frame = pl.concat([counts, whole]) if grouped else whole
    share = (pl.col("kept") / pl.col("lines")).alias("share")
    return frame.select("group", "lines", "kept", share, pl.exclude("group", "lines", "kept"))
