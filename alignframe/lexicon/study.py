"""The study of Melamed 1995: filter cascades by training size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64
from alignframe.core.arrow import to_table
from alignframe.core.signatures import whole_signature
from alignframe.core.tokens import SIDES, list_lengths
from alignframe.errors import FROM_1, InputError, warn
from alignframe.lexicon.corpus import split_text, text_columns
from alignframe.lexicon.filters import name_of, parse_cascade
from alignframe.lexicon.findings import (
    BACK_OFF,
    best_of,
    changed_words,
    compare_with,
    order_of,
    summarize,
    test_against,
)
from alignframe.lexicon.induce import cascade_of, induce
from alignframe.lexicon.merge import back_off
from alignframe.lexicon.oracles import Filter, WordList
from alignframe.lexicon.score import score
from alignframe.options import checked
from alignframe.result import Result
from alignframe.sources.pairs import sentence_pairs
from alignframe.stats.bootstrap import generator
from alignframe.studies.runner import Runner, digest, packed, unpacked
from alignframe.typing import Confidence, FilePath, FromOne, IntoBitext, Rare, Seed, Threads

BASELINE = "none"
"""The name of the baseline cascade; without one of this name, the first is the baseline."""

SIZES = (500, 1_000, 2_000, 5_000, 10_000, 28_000)

# The number of changed words listed per cascade.
_LISTED = 100

_CALLED = {"train": "the training text", "test": "the test text"}
Cascades = Mapping[str, str | Iterable[Filter | str]] | Sequence[str | Iterable[Filter | str]]
Unit = tuple[str, int, int]
"""A cascade, a size and a training set."""


@dataclass(frozen=True, repr=False)
class Study(Result):
    """The tables of a study.

    Attributes
    ----------
    texts
        text (``train`` or ``test``), pairs, empty (pairs left out), types (source words).
    scores
        cascade (``back-off`` last), size, set (from 1), k, precision, recall, percent_correct,
        types, covered_types: one row per lexicon and depth.
    summary
        cascade, size, k, sets, and the means over sets of precision, recall and percent_correct,
        with Student's intervals, ``_low`` and ``_high`` (null for a single set). Sets whose lexicon
        has no word of the test text are left out of mean precision. Figures 5, 6 and 8.
    order
        size, place, cascade, precision: the order of lexicons in back-off, by descending mean
        precision at k = 1, then by name.
    wilcoxon
        cascade, other (the baseline), size, k, sets, difference (mean precision minus the other's)
        and p_value (signed-rank test over training sets; null with fewer than 6). Sets where one of
        the two has no precision are left out.
    findings
        cascade (and ``back-off``), other (the baseline), size, k (1 and the largest), measure,
        value, other_value, gain, relative_gain (relative to the other's value), and apart (whether
        the intervals are disjoint; null without them).
    best
        size, k, measure, cascade and value: the cascades with the highest mean, without back-off;
        several rows for ties.
    changed
        cascade, other (the baseline), size, words (of the test text, in both lexicons), changed
        (those whose best translation differs), better and worse (those whose translation is in
        more, or fewer, test pairs than the baseline's): for the first training set of the largest
        size, without back-off.
    changes
        cascade, other, size, and the columns of ``alignframe.lexicon.changes``: the first 100 of
        these words per cascade. Like the paper's tables 1, 3 and 4.
    confidence
        Confidence level of the intervals.
    signature
        Every choice that affects the scores.
    test
        The test text, of which the page lists the sentences of ``changes``; None if not known.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> text = ["the house", "the book"], ["das Haus", "das Buch"]
    >>> found = lexicon.study(text, text, ["none"], sizes=[2], sets=1, n_best=1)
    >>> found.summary.select("cascade", "precision", "percent_correct").rows()
    [('none', 1.0, 1.0), ('back-off', 1.0, 1.0)]
    """

    texts: pl.DataFrame
    scores: pl.DataFrame
    summary: pl.DataFrame
    order: pl.DataFrame
    wilcoxon: pl.DataFrame
    findings: pl.DataFrame
    best: pl.DataFrame
    changed: pl.DataFrame
    changes: pl.DataFrame
    confidence: float
    signature: str
    test: pa.Table | None = None


@checked
def study(
    train: IntoBitext,
    test: IntoBitext,
    cascades: Cascades,
    *,
    sizes: Sequence[FromOne] | None = None,
    sets: Rare[FromOne] = 10,
    n_best: FromOne = 5,
    count: Rare[str] = "types",
    signed: bool = True,
    average: Rare[str] = "types",
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    folder: FilePath | None = None,
    threads: Threads = None,
) -> Study:
    """Study how filter cascades change lexicons, by training size.

    Parameters
    ----------
    train, test
        Frames with src and tgt (lists of words), or the paths of such Parquet files; train with
        src_tags and tgt_tags if tagged. Pairs with an empty side are left out, with a warning.
    cascades
        A mapping from names to filters or their texts; or a sequence of texts such as ``none`` or
        ``cognate:0.58,alignment``, which are also the names.
    sizes
        Training sizes in sentence pairs; by default those from 500 to 28,000 (see ``SIZES``) that
        the training text has, or else its own.
    sets
        Maximum number of training sets per size; fewer if the text is too short.
    n_best, count, signed
        See ``alignframe.lexicon.induce``.
    average
        See ``alignframe.lexicon.score``.
    confidence
        Confidence level of the intervals.
    seed
        Random seed for drawing training sets, the same for all sizes.
    folder
        Folder for finished lexicons and their scores, from which an interrupted study resumes.
    threads
        Number of threads, or an executor, to process lexicons; one by default.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If a text or a filter cannot be used, a size exceeds the training text, cascades share a
        name, a number is out of range, or the folder belongs to another study.

    Notes
    -----
    Melamed 1995, sections 4.5 and 5: mutually exclusive training sets of each size, intervals by
    Student's t, and back-off from the most precise cascade to the least.

    Examples
    --------
    >>> from alignframe import formats, lexicon
    >>> text = formats.read_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> cascades = ["none", "cognate:0.58"]
    >>> found = lexicon.study(text[:36], text[36:], cascades, sizes=[18], sets=2, n_best=1)
    >>> found.summary.select("cascade", "size", "k", "sets").rows()
    [('none', 18, 1, 2), ('cognate:0.58', 18, 1, 2), ('back-off', 18, 1, 2)]
    """
    known = _named(cascades)
    wanted = None if sizes is None else _sizes(sizes)
    learnt, numbered, texts = _texts(train, test)
    held_out = numbered.drop_columns("sid")
    fitting = [size for size in SIZES if size <= learnt.num_rows]
    chosen = wanted or fitting or [learnt.num_rows]
    if chosen[-1] > learnt.num_rows:
        raise InputError(
            f"training sets of {chosen[-1]:,} pairs, but the training text has only "
            f"{learnt.num_rows:,}",
            expected="sizes up to that number",
            todo="omit the larger sizes",
        )
    members = {size: training_sets(learnt.num_rows, size, sets, seed) for size in chosen}
    words = _words(held_out)

    def of_depth(lexicon: pl.DataFrame) -> pa.Table:
        return lexicon.to_arrow().replace_schema_metadata({"n_best": str(n_best)})

    def judged(lexicon: pa.Table | None) -> pl.DataFrame:
        if lexicon is None or not lexicon.num_rows:
            return _of_nothing(n_best, len(words))
        # Units run in parallel, so each has one thread.
        return score(lexicon, held_out, n_best, average=average, threads=1).scores

    def made(unit: Unit) -> pl.DataFrame:
        name, size, number = unit
        part = learnt.filter(pa.array(members[size] == number))
        induced = induce(part, n_best=n_best, filters=known[name], count=count, signed=signed)
        # Words missing from the test text do not affect figures, so only the others are kept for
        # back-off.
        lexicon = induced.frame.filter(pl.col("src").is_in(words.implode())).select(
            "src", "tgt", "rank"
        )
        return packed(lexicon=lexicon, figures=judged(of_depth(lexicon)))

    def joined(part: tuple[int, int]) -> pl.DataFrame:
        lexicons = [found[name, *part][0] for name in asked[part[0]]]
        full = [of_depth(lexicon) for lexicon in lexicons if lexicon.height]
        return judged(to_table(back_off(full, threads=1)) if full else None)

    texts_of = (("train", learnt), ("test", held_out))
    mark = whole_signature(
        f"study:cascades|weigh:{average}|signed:{signed}|count:{count}|n-best:{n_best}|seed:{seed}",
        *(f"{name}:{digest(text.columns)}" for name, text in texts_of),
    )
    parts = [(size, number + 1) for size in chosen for number in range(members[size].max())]
    units = {_said(name, *part): (name, *part) for name in known for part in parts}
    own = {said: f"filters:{_marks(known[name])}" for said, (name, *_) in units.items()}
    rows = Runner(folder, mark, own).rows(made, units, threads)
    found = {
        unit: tuple(unpacked(frame, name) for name in ("lexicon", "figures"))
        for unit, frame in zip(units.values(), rows.values(), strict=True)
    }
    scores = _scores((unit, figures) for unit, (_, figures) in found.items())
    order = order_of(summarize(scores, confidence))
    asked = dict(order.group_by("size").agg("cascade").iter_rows())
    joins = {_said(BACK_OFF, *part): part for part in parts}
    chain = {size: ";".join(_marks(known[name]) for name in names) for size, names in asked.items()}
    own = {said: f"filters:{chain[size]}" for said, (size, _) in joins.items()}
    backed = Runner(folder, mark, own).rows(joined, joins, threads)
    scores = scores.vstack(
        _scores(
            ((BACK_OFF, *part), figures)
            for part, figures in zip(parts, backed.values(), strict=True)
        )
    )
    summary = summarize(scores, confidence)
    baseline = BASELINE if BASELINE in known else next(iter(known))
    largest = {name: found[name, chosen[-1], 1][0] for name in known}
    changed, changes = changed_words(largest, baseline, held_out, chosen[-1], _LISTED)
    return Study(
        texts,
        scores,
        summary,
        order,
        wilcoxon=test_against(scores, baseline),
        findings=compare_with(summary, baseline),
        best=best_of(summary),
        changed=changed,
        changes=changes,
        confidence=confidence,
        signature=whole_signature(
            f"study:cascades|metric:bible|weigh:{average}",
            f"lexicon:{'llr-signed' if signed else 'llr'},count:{count},n-best:{n_best}",
            f"pairs:nonempty|sizes:{','.join(map(str, chosen))}|sets:{sets},seed:{seed}",
            f"interval:student-t,of:sets,confidence:{confidence:g}|baseline:{baseline}",
            f"cascades:{';'.join(f'{name}={name_of(filters)}' for name, filters in known.items())}",
        ),
        test=numbered,
    )


def training_sets(pairs: int, size: int, sets: int, seed: int) -> I64:
    """Draw at most ``sets`` disjoint sets: the set of each pair, from 1, or 0 for none."""
    # A random order of the pairs is cut into sets.
    place = np.empty(pairs, np.int64)
    place[generator(seed).permutation(pairs)] = np.arange(pairs)
    number = place // size + 1
    number[number > min(sets, pairs // size)] = 0
    return number


def _named(cascades: object) -> dict[str, list[Filter]]:
    """Return the filters of each cascade."""
    if isinstance(cascades, str) or not isinstance(cascades, (Mapping, Sequence)):
        raise InputError(
            f"{cascades!r} as cascades", expected="a list of texts, or a mapping from names"
        )
    if isinstance(cascades, Mapping):
        given = [(str(name), _filters(given_filters)) for name, given_filters in cascades.items()]
    else:
        given = []
        for item in cascades:
            filters = _filters(item)
            text = item.strip() if isinstance(item, str) and filters else name_of(filters)
            given.append((text, filters))
    if not given:
        raise InputError("no cascade given", expected="at least one, for example none")
    names = [name for name, _ in given]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two cascades are called {name!r}", todo="name them differently")
    if BACK_OFF in names:
        raise InputError(
            f"a cascade called {BACK_OFF!r}",
            expected="another name, as this one is for all cascades combined",
        )
    return dict(given)


def _filters(given: Any) -> list[Filter]:
    return parse_cascade(given) if isinstance(given, str) else cascade_of(given)


def _sizes(sizes: Any) -> list[int]:
    if isinstance(sizes, (Number, str)):
        raise InputError(f"{sizes!r} as sizes", expected=f"a list, [{sizes}]")
    chosen = sorted({FROM_1.checked(size, "`sizes`") for size in sizes})
    if not chosen:
        raise InputError("no sizes of training sets", expected="at least one")
    return chosen


def _texts(train: object, test: object) -> tuple[pa.Table, pa.Table, pl.DataFrame]:
    """Return the texts without pairs with an empty side, and the statistics of both.

    Only the test text has its sentence numbers, which do not affect results.
    """
    tables, rows = [], []
    for name, source in (("train", train), ("test", test)):
        given = sentence_pairs(source, what=_CALLED[name])
        whole = split_text(given.table(text_columns(given.schema)))
        full = np.logical_and(*(list_lengths(whole[side]) > 0 for side in SIDES))
        if not full.any():
            raise InputError(
                f"no sentence pair of {_CALLED[name]} with words on both sides",
                expected="words in src and in tgt",
            )
        tables.append(whole.filter(pa.array(full)))
        empty = int(np.count_nonzero(~full))
        rows.append((name, int(full.sum()), empty, len(_words(tables[-1]))))
    left_out = [f"{empty:,} of {_CALLED[name]}" for name, _, empty, _ in rows if empty]
    if left_out:
        text = f"pairs with an empty side were left out: {', '.join(left_out)}"
        warn(text)
    return (
        tables[0].drop_columns("sid"),
        tables[1],
        pl.DataFrame(rows, ["text", "pairs", "empty", "types"], orient="row"),
    )


def _words(text: pa.Table) -> pl.Series:
    """Return the distinct source words of a text."""
    return pl.Series(pc.unique(pc.list_flatten(text["src"])))


def _said(name: str, size: int, number: int) -> str:
    return f"{name}, {size} pairs, set {number}"


def _marks(filters: Sequence[Filter]) -> str:
    """Return filters as text, with the words of lists."""
    lists = [step.digest for step in filters if isinstance(step, WordList)]
    return ",".join([name_of(filters), *lists])


def _of_nothing(n_best: int, types: int) -> pl.DataFrame:
    """Return the figures of a lexicon without any word of the test text."""
    row = {"precision": None, "recall": 0.0, "percent_correct": 0.0}
    row |= {"types": types, "covered_types": 0}
    rows = [{"k": k, **row} for k in range(1, n_best + 1)]
    return pl.DataFrame(rows, schema_overrides={"precision": pl.Float64})


def _scores(figures_of_units: Iterable[tuple[Unit, pl.DataFrame]]) -> pl.DataFrame:
    return pl.concat(
        figures.select(
            pl.lit(name).alias("cascade"),
            pl.lit(size, pl.Int64).alias("size"),
            pl.lit(number, pl.Int64).alias("set"),
            pl.col("k", "precision", "recall", "percent_correct", "types", "covered_types"),
        )
        for (name, size, number), figures in figures_of_units
    )
