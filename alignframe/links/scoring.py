"""Counts, scores and comparisons of links by system and group, with intervals and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.choices import RESAMPLES, TEST_RESAMPLES
from alignframe.core.figures import checked_alphas
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import COUNTS
from alignframe.errors import FROM_1, InputError
from alignframe.links.counting import UNIT, count_stream
from alignframe.links.gold import BANDS, band_names
from alignframe.links.inputs import hypotheses, marks_of, reused_gold, to_score
from alignframe.options import checked
from alignframe.result import SignedResult
from alignframe.sources.keyed import text_of
from alignframe.sources.keys import named_by
from alignframe.sources.source import Source
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.link_measure import links_measure
from alignframe.stats.scores import FORMER, Scores, former
from alignframe.stats.standings import compared
from alignframe.stats.task import Counted, Task
from alignframe.typing import (
    Confidence,
    ForInput,
    FromOne,
    IntoBitext,
    IntoGold,
    IntoHypotheses,
    Rare,
    Resamples,
    Seed,
    Share,
    Threads,
)


@dataclass(frozen=True, repr=False)
class Evaluated(SignedResult):
    """Scores of systems and their differences, with what the page shows of single sentences."""

    scores: pl.DataFrame  # the system with the lowest AER first
    comparisons: pl.DataFrame  # empty with a single system or sentence, or without resamples
    ranks: pl.DataFrame  # those that systems may have, empty as comparisons are
    counted: Counted  # of every sentence, by system, sid and length
    drawn: Resampling
    hyp: Sequence[Source]  # read again for the sentences shown, as are gold and the text
    gold: Source
    text: pa.Table | None
    bands: Sequence[int]
    possible_as_sure: bool
    drop_outside: bool


class LinkScores(Scores):
    """The result of ``score``; its page shows single sentences, with their words if known.

    Examples
    --------
    >>> from alignframe import links
    >>> found = links.score(["0-0 1-2", "0-0"], ["0-0 1p2 2-2", "0-0"])
    >>> found.counts.select("n_hyp", "n_sure", "n_possible", "n_hyp_sure", "n_hyp_possible").row(0)
    (2, 2, 3, 1, 2)
    >>> found.worst(1).select("sid", "errors", "wrong", "missing").row(0)
    (0, 1, '', '2-2')
    """

    def worst(self, n: int = 10) -> pl.DataFrame:
        """Return the sentences with the most errors of each system, and the errors.

        Parameters
        ----------
        n
            The number of sentences per system.

        Returns
        -------
        polars.DataFrame
            One row per system and sentence, most errors first (ties by higher AER, then by sid):
            system, sid, errors, aer, the columns of ``counts``, wrong (the links that are not
            Possible) and missing (the Sure links not found), as text such as ``3-4 house maison``;
            with ``bitext`` also src and tgt; and signature. The sum of errors divided by that of
            n_hyp and n_sure is the corpus AER.
        """
        from alignframe.links.worst import worst_of

        FROM_1.checked(n, "`n`")
        self._check_ungrouped("the worst")
        hyp, gold = self.inputs
        return self.restored(worst_of(self.numbered, hyp, gold, self.options, n))

    def evaluated(self, baseline: str | None = None) -> Evaluated:
        """Return scores with intervals, the lowest AER first, and differences from a system.

        Parameters
        ----------
        baseline
            The system to compare with; by default the one with the lowest AER.
        """
        self._check_ungrouped("a page")
        drawn = self.resampling(TEST_RESAMPLES if baseline else RESAMPLES)
        counted = self.task.count(*self.inputs, by=["length", "sid"], unit=UNIT, **self.options)
        frame, _, parts, *_ = counted
        parts = [one for one in parts if not one.startswith("length:")]
        counted = counted._replace(parts=parts)
        if frame["sid"].n_unique() == 1:
            drawn = replace(drawn, resamples=0)  # a single sentence has no intervals
        scores = counted.scored([], UNIT, drawn).sort("aer", "system", nulls_last=True)
        comparisons = ranks = pl.DataFrame()
        if drawn.resamples and (baseline is not None or scores.height > 1):
            comparisons, ranks = compared(counted, UNIT, drawn, scores["system"][0], baseline)
        names = ("bitext", "bands", "possible_as_sure", "drop_outside")
        shown = (self.options[name] for name in names)
        return Evaluated(scores, comparisons, ranks, counted, drawn, *self.inputs, *shown)


@checked
def score(
    hyp: IntoHypotheses,
    gold: IntoGold,
    *,
    on: ForInput[Sequence[str] | str] = (),
    alpha: Sequence[Share] = (0.5,),
    by: Sequence[str] | str = (),
    bootstrap: Resamples | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    possible_as_sure: Rare[bool] = False,
    bitext: IntoBitext | None = None,
    bands: Sequence[FromOne] = BANDS,
    strict: Rare[bool] = False,
    drop_outside: Rare[bool] = False,
    threads: Threads = None,
) -> LinkScores:
    """Score systems against gold: precision, recall, AER and F at every α.

    Parameters
    ----------
    hyp
        Links of the systems: a frame, a path, or a mapping from system names to these. Long
        (system, sid, i, j) or nested (system, sid, links).
    gold
        Gold links, long or nested, with ``sure``; without it every link is Sure. Or a subset of
        gold (see ``alignframe.links.reading``).
    on
        Columns that identify a sentence on both sides, such as domain and sid if each domain
        numbers its sentences; by default sid.
    alpha
        Weights of precision in F, from 0 to 1; values below 0.5 favour recall.
    by
        Columns to group by besides the system: columns of gold or hypothesis, ``length`` for bands
        of sentence length, or ``sid`` for single sentences.
    bootstrap
        Number of resamples for intervals and tests; by default none for scores, 10,000 for
        comparisons and 1,000 for pages.
    confidence, seed
        The confidence level of the intervals, and the random seed.
    possible_as_sure
        Treat every gold link as Sure.
    bitext
        A frame with sid, src and tgt, which gives lengths for ``length``; links outside their
        sentence pair are then an error. By default, a sentence ends with its last aligned word.
    bands
        The last length of each band except the open one.
    strict
        Fail, rather than warn, if a sentence is missing on one side.
    drop_outside
        Leave out links outside their sentence pair, such as those of the end of sentence, which
        needs the text; by default an error.
    threads
        Number of threads; one by default. In Python, also an executor, which processes parts of the
        hypothesis on threads, processes or a cluster.

    Returns
    -------
    LinkScores
        Its ``scores`` have a row per system and group: the columns in ``by``, system, sentences,
        links (= |A|), precision, recall, aer, ``f_0.5`` and so on, each with ``_low`` and
        ``_high`` when resampled, and signature. Undefined scores are null: precision if the system
        has no links, recall and F if gold has no Sure links. Scores are between 0 and 1.

        Its ``counts`` have a row per system and sentence: system, sid, those in ``by``, n_hyp =
        |A|, n_sure = |S|, n_possible = |P|, n_hyp_sure = |S∩A|, n_hyp_possible = |P∩A| and
        signature. ``compare(baseline)`` tests differences from a system, ``worst(n)`` lists the
        sentences with the most errors, and ``page()`` is a page with charts.

    Raises
    ------
    InputError
        If a source cannot be read, or has a sentence twice or null links; if a system has none of
        gold's sentences, or as many that are numbered differently; if an α is outside [0, 1], or a
        column does not exist. What the sources hold is read when a part is asked for.

    Notes
    -----
    Fraser & Marcu 2007, section 3 and equations 1 to 5; a Sure link is also Possible. Corpus scores
    are ratios of sums over the corpus.

    Examples
    --------
    >>> from alignframe import links
    >>> hyp = {name: f"datasets/en-fr/{name}.talp" for name in ("cautious", "eager")}
    >>> found = links.score(hyp, "datasets/en-fr/gold.talp", alpha=[0.1])
    >>> [round(one, 3) for one in found.scores.select("precision", "recall", "aer", "f_0.1").row(1)]
    [0.846, 0.938, 0.116, 0.928]
    >>> for row in found.compare("eager").rows(named=True):
    ...     print(row["measure"], round(row["difference"], 3), round(row["p_corrected"], 4))
    precision 0.131 0.0006
    recall -0.2 0.0006
    aer 0.041 0.0006
    f_0.1 -0.171 0.0006
    """
    given = locals()
    sources, golden = to_score(hyp, gold, given.pop("on"))
    given["bitext"] = text_of(bitext, golden.keys)
    return LinkScores.of(LINKS, (sources, golden), given)


def _count(
    hyp: object,
    gold: object,
    *,
    by: Sequence[str],
    unit: str,
    alpha: Sequence[float] = (0.5,),
    possible_as_sure: bool = False,
    bitext: object = None,
    bands: Sequence[int] = BANDS,
    threads: Threads = None,
    drop_outside: bool = False,
    **options: Any,
) -> Counted:
    """Sum the counts of sentences by system, group and unit."""
    sources, golden = to_score(hyp, gold)
    executor = pool_of(threads)
    measure = links_measure(checked_alphas(alpha), possible_as_sure=possible_as_sure)
    banded = "length" in by
    if not banded and tuple(bands) != BANDS:
        raise InputError("`bands` needs `by='length'`")
    keys = [*dict.fromkeys([*by, "system", *filter(None, [unit])])]
    stream = count_stream(
        sources,
        golden,
        by=[name for name in by if name != "sid"],
        possible_as_sure=possible_as_sure,
        bitext=bitext,
        bands=bands,
        executor=executor,
        reduce=partial(add_up, keys=keys),
        drop_outside=drop_outside,
        **options,
    )
    with named_by(golden.keys):
        pieces = list(stream)  # a single one is summed already
    whole = pieces[0]
    if len(pieces) > 1:
        whole = add_up(pa.concat_tables(pieces, promote_options="permissive"), keys=keys)
    length = "length:last-linked-word" if bitext is None else "length:mean-of-sides"
    return Counted(
        pl.DataFrame(pl.from_arrow(whole)),
        measure,
        (marks_of(sources, golden, dropped=drop_outside), length if banded else ""),
        {"sentences": "sentences", "n_hyp": "links"},
        band_names(bands) if banded else (),
    )


def add_up(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sum counts by the keys; ``sentences`` is the number of rows, or a sum of such numbers."""
    if "sentences" not in table.column_names:
        ones = pa.array(np.ones(table.num_rows, np.int64))
        table = table.append_column("sentences", ones)
    wanted = [*COUNTS, "sentences"]
    if {"system", "sid"} <= {*keys}:  # each row is one sentence of a system: nothing to sum
        summed = table.select([*keys, *wanted]).unify_dictionaries()
    else:
        summed = (
            table.unify_dictionaries()
            .combine_chunks()
            # With threads, the order of groups would differ between runs.
            .group_by(list(keys), use_threads=False)
            .aggregate([(name, "sum") for name in wanted])
        )
    summed = summed.rename_columns([name.removesuffix("_sum") for name in summed.column_names])
    for at, field in enumerate(summed.schema):
        if pa.types.is_dictionary(field.type):
            summed = summed.set_column(at, field.name, summed[field.name].cast(pa.string()))
    return summed


def _stream(
    hyp: Mapping[str, object] | object, gold: object, *, by: Sequence[str], **options: Any
) -> Iterator[pa.Table]:
    """Yield the counts of sentences; systems that are named count even without any row."""
    systems = [*hyp] if isinstance(hyp, Mapping) else []
    for table in count_stream(
        hypotheses(hyp), reused_gold(gold), by=by, systems=systems, **options
    ):
        yield table.drop_columns([UNIT])


LINKS = Task(_count, drawn=UNIT, stream=_stream)
"""How links are counted."""

counts, scores, compare, evaluate, worst_sentences = (
    former(score, *names) for names in (*FORMER, ("worst_sentences", "worst"))
)
