"""Filtering parallel text by a classifier or an aligner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.align import lattice
from alignframe.beads.classifier import FOLDS, evenly
from alignframe.beads.document import DocumentSide, document
from alignframe.beads.filter_by_classifier import Sink, classified
from alignframe.beads.filtered import Filtered, JudgedLines, Wanted, shares_of, table_of, tally
from alignframe.beads.lattice import Lattice
from alignframe.beads.learning import checked_model, given_text, learn_words
from alignframe.beads.line_text import BATCH, LineText
from alignframe.beads.translations import Known
from alignframe.core.arrays import F64, I64
from alignframe.core.choices import CLASSIFIER, LINE_FILTERS
from alignframe.core.parallel import parallel_map, pool_of
from alignframe.errors import InputError, check_keywords, check_known
from alignframe.formats.parallel import read_parallel
from alignframe.options import checked
from alignframe.options.beads import Options, taken_by
from alignframe.sources.source import is_path
from alignframe.sources.texts import text_array
from alignframe.typing import (
    Arguments,
    BelowOne,
    ForInput,
    FromOne,
    Inside,
    IntoSentences,
    IntoWordModel,
    Progress,
    Rare,
    Seed,
    Threads,
)

MAX_LINES = 10_000
"""The maximum number of lines of a document aligned at a time."""


@checked
def filter(  # noqa: A001 - called as beads.filter
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    method: str = CLASSIFIER,
    threshold: BelowOne | None = None,
    clean: tuple[IntoSentences, IntoSentences] | None = None,
    seed: Seed = 1,
    skip: Rare[Inside | None] = None,
    model: IntoWordModel | None = None,
    groups: Sequence[str] | pa.Array | None = None,
    only: Sequence[str] | None = None,
    max_lines: Rare[FromOne] = MAX_LINES,
    encoding: ForInput[str] = "utf-8",
    writing: Callable[[str], Sink] | None = None,
    threads: Threads = None,
    progress: Progress | None = None,
    **options: Any,
) -> Filtered:
    """Filter a parallel text: keep the lines whose sides are translations of each other.

    By default, a classifier is trained to tell the lines from noise made from them. With an
    aligner, the two sides are aligned as documents, and a line is kept if its two sentences form a
    1-1 bead that is more probable than the threshold.

    Parameters
    ----------
    src, tgt
        Parallel sentences. The classifier reads files in batches.
    method
        ``classifier``: by features of each line pair, trained on synthetic noise. Others keep the
        pairs that an aligner confirms. ``mre+``: the best one; by lengths, and words learnt from
        the text itself or given by a model; ``mre``: by lengths, and words learnt from sentences
        that lengths align reliably; ``len``: by lengths; ``gale-church``: by lengths in characters;
        ``lex``: as in ``beads align``.
    threshold
        Keep lines that are more probable than this. By default 0.5 for aligners, and for the
        classifier the threshold with the fewest errors if wrong lines are like its synthetic noise.
    clean
        Both sides of a clean parallel text for training the classifier's word and spelling models;
        by default the text itself, with each quarter scored by models of the others.
    seed
        Random seed of the classifier's noise.
    skip
        For aligners: prior probability of an untranslated sentence, on either side; 0.2 by default
        for mre+, 0.05 for others. A lower one keeps more wrong lines.
    model
        For mre+: a model or a lexicon (see ``align``). By default, Model 1 is learnt from the text,
        for each quarter from the others, because a model is biased towards its own training pairs.
    groups
        One name per line: lines with the same name form a document and are reported together. Words
        are still learnt from all lines.
    only
        Groups to filter; all lines of other groups are kept, and the classifier is first trained on
        them.
    max_lines
        Maximum number of lines aligned at a time; longer documents are split into parts of equal
        size.
    encoding
        Character encoding of text files.
    writing
        Gets the signature, and returns a function that gets lines (see ``Filtered``) and both their
        sides, batch by batch; ``lines`` of the classifier's result is then empty.
    threads
        Number of threads, or an executor of threads or spawned (not forked) processes, to align
        documents in parallel; one by default. The result is the same.
    progress
        Called after each document or round with the numbers of finished and of all.
    **options
        Fields of ``Options``: words, and others of the aligner. By default, smoothing is 0.1 for
        mre and 0.2 for mre+.

    Returns
    -------
    Filtered

    Raises
    ------
    InputError
        If an argument is wrong; this is checked before anything is aligned.

    Examples
    --------
    >>> from alignframe import beads, formats
    >>> src, tgt = (formats.read_sentences(f"datasets/en-fr/text.{one}") for one in ("en", "fr"))
    >>> wrong = [*tgt.to_pylist()[:70], "Oui .", "Non ."]
    >>> found = beads.filter(src, wrong, method="len")
    >>> found.lines.filter(~found.lines["kept"])["line"].to_list()
    [71, 72]
    """
    check_keywords(filter, options, taken_by())
    executor, wanted = pool_of(threads), Wanted(groups, only, progress)
    check_known("`method`", method, LINE_FILTERS)
    if method == CLASSIFIER:
        given: Arguments = {"skip": skip, "model": model, **options}
        words = given.pop("words", "letters")
        if others := [name for name, value in given.items() if value is not None]:
            raise InputError(
                f"`{others[0]}` for the classifier", expected=f"`{others[0]}` only with an aligner"
            )
        text = LineText(src, tgt, encoding=encoding)
        found = classified(text, wanted, threshold, clean, seed, words, writing)
        return replace(found, texts=text.batches)
    if clean is not None:
        raise InputError(f"clean text for {method}", expected="clean text only with the classifier")
    sides: list[Any] = [src, tgt]
    if is_path(src) and is_path(tgt):
        _, *sides = read_parallel(src, tgt, encoding=encoding)
    sides = [text_array(side, "text") for side in sides]
    chosen = for_lines(method, threshold, skip, **options)
    filtered = aligned(sides, wanted, chosen, model, max_lines, executor)
    if writing is not None:
        writing(filtered.signature)(filtered.lines, *sides)
    return replace(filtered, texts=partial(iter, [sides]))


# Filtering parallel text by sentence alignment: its lines are aligned as documents.

SKIP, SKIP_OTHERS = 0.2, 0.05
"""The prior of an untranslated sentence, for mre+ and for the other methods; a wrong line is two
such sentences. Measured on newstest2010 and multi30k with 5% and 20% of the target lines shuffled:
at 0.05 mre+ keeps three to four times as many wrong lines as at 0.2, for less than 1% more right
ones. At 0.25 and more it drops right lines of newstest, and takes longer, as the path by lengths is
lost more often and searched in wider bands. At 0.2 mre drops 25% to 80% of the right lines.
"""

SMOOTHING = {"mre": 0.1, "mre+": 0.2}
"""The defaults when filtering: fewer wrong pairs are kept than by those of ``Options``, and more
right ones are lost."""

MAX_LEARNT = 50_000
"""The maximum number of lines for training Model 1, sampled evenly: about 0.5 GB."""


def for_lines(method: str, threshold: float | None, skip: float | None, **options: Any) -> Options:
    """Return options with the defaults for filtering."""
    threshold = 0.5 if threshold is None else threshold
    if skip is None:
        skip = SKIP if method == "mre+" else SKIP_OTHERS
    if options.get("smoothing") is None:
        options["smoothing"] = SMOOTHING.get(method)
    return Options(method, threshold=threshold, skip=skip, **options)


def aligned(
    given: Sequence[pa.Array],
    wanted: Wanted,
    chosen: Options,
    model: IntoWordModel | None,
    max_lines: int,
    executor: Executor | None,
) -> Filtered:
    """Filter lines by an aligner; see ``filter``."""
    method, only, progress = chosen.method, wanted.only, wanted.progress
    learning = method == "mre+" and model is None
    known = None if learning else checked_model([method], model)
    sides = given_text(*given)
    names = wanted.names(len(sides[0]))
    if learning and len(names) == 1:
        raise InputError(
            "1 line, and no other to learn words from",
            expected="a model, or several lines",
            todo="give a model, or the method len",
        )
    rows = np.flatnonzero(names.is_in(list(only))) if only else np.arange(len(names))
    # Each fold has at least one document, so that others are left to learn from.
    longest = min(max_lines, -(-rows.size // FOLDS)) if learning else max_lines
    documents = _documents(names, rows, longest)
    results: list[JudgedLines] = []
    for some, learnt in (
        _judges(documents, sides, chosen.words) if learning else [(documents, known)]
    ):
        align = partial(_align, _Task(*sides, chosen, learnt))
        for result in parallel_map(align, some, executor):
            results.append(result)
            if progress is not None:
                progress(len(results), len(documents))
    limit = chosen.threshold or 0.0
    lines = table_of(names, np.arange(len(names)), results, limit)
    mark = f"{chosen.signature}|max-lines:{max_lines}"
    if method == "mre+":
        mark += f"|model:{'other-quarters' if learning else 'given'}"
    beads = np.zeros((2, len(names)), np.int64)
    for result in results:
        beads[:, result.rows[0]] = result.moved, result.merged
    table = lines.with_columns(moved=beads[0], merged=beads[1])
    tallies = [
        tally(
            table[at : at + BATCH],
            [np.diff(DocumentSide(side[at : at + BATCH], chosen.words).at) for side in sides],
        )
        for at in range(0, len(names), BATCH)
    ]
    return Filtered(lines, shares_of(tallies, grouped=wanted.groups is not None), mark, limit)


@dataclass(frozen=True)
class _Task:
    """Settings shared by all documents."""

    src: pa.Array
    tgt: pa.Array
    options: Options
    model: Known | None


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
        learnt = pa.array(evenly(others, MAX_LEARNT))
        src, tgt = (side.take(learnt) for side in sides)
        yield mine, learn_words(src, tgt, words=words)


def _align(task: _Task, rows: I64) -> JudgedLines:
    """Align the lines of a document."""
    src, tgt = (side.take(pa.array(rows)) for side in (task.src, task.tgt))
    name = f"lines {rows[0] + 1:,} to {rows[-1] + 1:,}"
    scored = lattice(document(src, tgt, task.options.words, name), task.options, task.model)
    beads = scored.beads(task.options.threshold)
    single = (beads.sizes == 1).all(axis=1)
    return JudgedLines(
        rows,
        _own(scored, rows.size),
        int((single & (beads.src != beads.tgt)).sum()),
        int((~single).sum()),
    )


def _own(scored: Lattice, size: int) -> F64:
    """Return the probability of each 1-1 bead on the diagonal; NaN if not considered."""
    ends = np.arange(1, size + 1)
    lo, at = scored.band
    # The bead of line k ends at the point (k + 1, k + 1) of the band.
    cells = at[ends] + ends - lo[ends]
    inside = (ends >= lo[ends]) & (cells < at[ends + 1])
    (kind,) = np.flatnonzero((scored.steps.sizes == 1).all(axis=1))
    score = np.full(size, np.nan)
    logarithms = scored.steps.scores[kind, cells[inside]].astype(np.float64)
    score[inside] = np.exp(np.minimum(logarithms, 0.0))
    return score
