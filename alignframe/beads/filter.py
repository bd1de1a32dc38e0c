"""Filtering parallel text by a classifier or an aligner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from alignframe.beads.filter_by_aligner import aligned, for_lines
from alignframe.beads.filter_by_classifier import Sink, classified
from alignframe.beads.filtered import Filtered, Wanted
from alignframe.beads.line_text import LineText
from alignframe.core.choices import CLASSIFIER, LINE_FILTERS
from alignframe.core.parallel import pool_of
from alignframe.errors import InputError, check_keywords, check_known
from alignframe.options.beads import taken_by
from alignframe.read.texts import text_array
from alignframe.typing import Arguments, IntoSentences, IntoWordModel, Progress, Threads

MAX_LINES = 10_000
"""The maximum number of lines of a document aligned at a time."""


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
    encoding: str = "utf-8",
    writing: Callable[[str], Sink] | None = None,
    threads: Threads = None,
    progress: Progress | None = None,
    **options: Any,
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
        words = given.pop("words", "words")
        if others := [name for name, value in given.items() if value is not None]:
            raise InputError(
                f"`{others[0]}` for the classifier", expected=f"`{others[0]}` only with an aligner"
            )
        return classified(
            LineText(src, tgt, encoding=encoding),
            wanted,
            threshold=threshold,
            clean=clean,
            seed=seed,
            words=words,
            writing=writing,
        )
    if clean is not None:
        raise InputError(f"clean text for {method}", expected="clean text only with the classifier")
    sides = [text_array(side, "text", encoding) for side in (src, tgt)]
    chosen = for_lines(method, threshold, skip, **options)
    filtered = aligned(sides, wanted, chosen, model, max_lines, executor)
    if writing is not None:
        writing(filtered.signature)(filtered.lines, *sides)
    return filtered
