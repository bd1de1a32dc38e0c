"""The page of a result: the report of its area if there is one, else its tables and a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

import polars as pl

from alignframe.aligners.confidence import Aligned
from alignframe.aligners.page import aligners_page
from alignframe.beads.filter_page import filtered_page
from alignframe.beads.filtered import Filtered
from alignframe.errors import number_of
from alignframe.lexicon.page import entries_said, lexicon_page
from alignframe.lexicon.study import Study as LexiconStudy
from alignframe.links.correlation import Correlated
from alignframe.links.correlation_page import correlated_page
from alignframe.links.filter_page import filter_page
from alignframe.links.filtering import Filtered as FilteredLinks
from alignframe.links.page import links_page
from alignframe.links.scoring import Evaluated
from alignframe.links.studied import Studied
from alignframe.links.vary_page import studied_page
from alignframe.mt.judged import MtStudy
from alignframe.mt.study_page import mt_study_page
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.ranked import differences_sorted, scores_sorted
from alignframe.pages.sentences import (
    DIFFERENT,
    SPREAD,
    TEXTS,
    Sentences,
    Value,
    by_system,
    held,
    left_out,
    most_different,
    text_rows,
)
from alignframe.pages.tables import (
    differences_tables,
    leading,
    ranked_how,
    score_table,
    scored_how,
    with_ranks,
)
from alignframe.pages.theme import heading
from alignframe.phrases.page import phrases_page
from alignframe.phrases.study import Study as PhraseStudy
from alignframe.result import Result, TableResult
from alignframe.stats.conclusions import decisive, listed, ranking, spans
from alignframe.stats.evaluation import Evaluation
from alignframe.tesla.meta import Meta
from alignframe.tesla.page import meta_page, tesla_page
from alignframe.tesla.scored import TeslaScores

_UNITS = {"sid": "sentence", "doc": "document", "src": "source word"}
_MOST = 100
"""A page shows at most this many rows of a table; files have all."""


@singledispatch
def page_of(found: Result, **options: Any) -> Page:
    """Return the page of a result.

    Parameters
    ----------
    found
        A result of a function of this package.
    options
        title, and further options of the function that is registered for its class.

    Examples
    --------
    >>> from alignframe import lexicon, report
    >>> found = lexicon.induce(["the house"], ["das Haus"], n_best=1)
    >>> report.page_of(found).table.heads[:4]
    ['Src', 'Tgt', 'Rank', 'Llr']
    """
    return tables_page(found, **options)


def evaluation_page(
    evaluated: Evaluation, *, title: str | None = None, notes: Sequence[str] = ()
) -> Page:
    """Build the page of a measure: scores with intervals, differences, and a chart of both."""
    measure, scores = evaluated.measure, evaluated.scores
    heads = {name: heading(name) for name in measure.names}
    table, columns = with_ranks(scores, evaluated.ranks, heads)
    ranked_by = decisive(heads)
    tests, lower = evaluated.comparisons, measure.lower_is_better
    units = number_of(evaluated.units, _UNITS.get(evaluated.unit, evaluated.unit))
    sentences = _sentences(evaluated, heads)
    figures, chart = [], scores_sorted(scores, heads, lower)
    if chart is not None:
        said, mark = spans(scores, units, where="Bars"), str(scores["signature"][0])
        figures.append(Figure("systems", chart, said, signature=mark))
    return Page(
        title=f"Systems by {listed([*ranked_by.values()])}" if title is None else title,
        lead=ranking(scores, tests, ranked_by, lower, units=units),
        about=f"{number_of(scores.height, 'system')}, {units}."
        + left_out(sentences, evaluated.units, DIFFERENT),
        table=score_table(
            table,
            {"system": "System", **columns},
            best=leading(evaluated.ranks),
            caption=scored_how(scores, evaluated.ranks, units),
        ),
        figures=[*figures, *differences_sorted(tests, units, lower)],
        tables=differences_tables(tests, scores, units, lower),
        notes=[*notes, *ranked_how(evaluated.ranks)],
        signature=evaluated.signature,
        sentences=sentences,
    )


def tables_page(result: Result, *, title: str | None = None) -> Page:
    """Build the page of a result without a report: its tables, shortest first."""
    shortest = sorted(result.tables().items(), key=lambda item: item[1].height)
    tables = [_plain(frame, name) for name, frame in shortest]
    named = heading(result.name) if isinstance(result, TableResult) else type(result).__name__
    return Page(
        title=named if title is None else title,
        lead=entries_said(result.tables().get("lexicon", pl.DataFrame())),
        table=tables[0] if tables else None,
        figures=[],
        tables=tables[1:],
        signature=result.signature,
    )


def _sentences(evaluated: Evaluation, heads: Mapping[str, str]) -> Sentences | None:
    """Return the sentences with their figures, those on which systems differ most first."""
    if evaluated.translations is None:
        return None
    shown, lower = evaluated.translations, evaluated.measure.lower_is_better
    systems = [name for name in evaluated.scores["system"] if name in shown.systems]
    figures = [Value(head, lower=name in lower, digits=1) for name, head in heads.items()]
    frame, first = shown.figures, next(iter(heads))
    places = {sid: at for at, sid in enumerate(frame["sid"].unique(maintain_order=True))}
    sids = most_different(frame, first, lower=first in lower)[: held(len(systems), places)]
    texts = [shown.systems[name] for name in systems]
    rows = text_rows(sids, places, texts, shown.references, by_system(frame, [*heads], systems))
    several = len(systems) > 1
    said = "largest differences first" if several else "worst first"
    weighed = (f"Spread of {heads[first]}", SPREAD) if several else None
    return Sentences(TEXTS, rows, systems, figures, first=said, ranked=not several, weighed=weighed)


def _plain(frame: pl.DataFrame, name: str) -> Table:
    """Return the text and number columns of a table, with intervals below their figures."""
    flags = [name for name, kind in frame.schema.items() if kind == pl.Boolean]
    yes = [pl.when(flag).then(pl.lit("yes")).otherwise(pl.lit("no")).alias(flag) for flag in flags]
    frame = frame.with_columns(yes)
    ends = {f"{name}_{end}" for name in frame.columns for end in ("low", "high")}
    simple = [name for name, kind in frame.schema.items() if kind == pl.String or kind.is_numeric()]
    heads = {name: heading(name) for name in simple if name not in ends and name != "signature"}
    said = f"The first {_MOST} of {frame.height:,} rows." if frame.height > _MOST else ""
    return score_table(frame.head(_MOST), heads, title=heading(name), caption=said, wide=True)


for kind, make in (
    (Evaluation, evaluation_page),
    (Aligned, aligners_page),
    (Filtered, filtered_page),
    (Evaluated, links_page),
    (PhraseStudy, phrases_page),
    (LexiconStudy, lexicon_page),
    (TeslaScores, tesla_page),
    (Meta, meta_page),
    (MtStudy, mt_study_page),
    (Studied, studied_page),
    (Correlated, correlated_page),
    (FilteredLinks, filter_page),
):
    page_of.register(kind, make)
