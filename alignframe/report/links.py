"""The report of word-alignment quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from alignframe.arrow import to_table
from alignframe.charts import links as charts
from alignframe.charts.grid import grid
from alignframe.choices import RESAMPLES
from alignframe.errors import number_of
from alignframe.links.counts import UNIT
from alignframe.links.gold import BANDS
from alignframe.links.scores import LINKS, links_measure
from alignframe.links.worst import explained, judged
from alignframe.measures import alpha_name, checked_alphas
from alignframe.report.grids import GRID_CAPTION, grids
from alignframe.report.page import Figure, Page
from alignframe.report.tables import leading, score_table
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.conclusion import TESTED, ranking
from alignframe.typing import IntoBitext, IntoGold, IntoHypotheses, Threads

_CURVE = [round(step / 20, 2) for step in range(21)]
_SHOWN = 12
_LONGEST = 40


def links_report(
    hyp: IntoHypotheses,
    gold: IntoGold,
    *,
    bitext: IntoBitext | None = None,
    alpha: Sequence[float] = (0.5,),
    bands: Sequence[int] = BANDS,
    bootstrap: int = RESAMPLES,
    seed: int = 1,
    sentences: Sequence[int] | None = None,
    possible_as_sure: bool = False,
    strict: bool = False,
    title: str = "Word alignment quality",
    threads: Threads = None,
) -> Page:
    """Build the report: scores, precision and recall, F against α, AER by length, grids.

    Parameters
    ----------
    hyp, gold, bitext, alpha, bands, bootstrap, seed, possible_as_sure, strict, threads
        See ``alignframe.links.scores``. With ``bitext``, grids show words.
    sentences
        The sids of the grids. By default, the twelve sentences of at most 40 words with the most
        errors of all systems (see ``alignframe.links.worst_sentences``), most errors first.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Examples
    --------
    >>> from alignframe import report
    >>> home = "datasets/en-fr"
    >>> page = report.links_report(f"{home}/eager.talp", f"{home}/gold.talp", bootstrap=0)
    >>> page.lead.split(". ")[0]
    'The AER of eager is 0.1158'
    """
    alphas = checked_alphas(alpha)
    text = None if bitext is None else to_table(bitext)
    every = list(dict.fromkeys([*alphas, *_CURVE]))
    frame, measure, parts, shown, names_of_bands = LINKS.count(
        hyp,
        gold,
        by=["length", "sid"],
        unit=UNIT,
        alpha=every,
        bands=bands,
        possible_as_sure=possible_as_sure,
        bitext=text,
        strict=strict,
        threads=threads,
    )
    counted, marks = judged(frame), parts[:1]  # the last part is of lengths
    number = counted["sid"].n_unique()
    bootstrap *= number > 1  # a single sentence has no intervals
    drawn = Resampling(bootstrap, seed=seed)
    few = replace(drawn, resamples=min(bootstrap, 1_000))
    how: dict[str, Any] = {"unit": UNIT, "also": [*shown]}
    whole = measure.scored(frame, [], marks, resampling=drawn, **how).rename(shown)
    usual = links_measure(alphas, possible_as_sure=possible_as_sure)
    by_length = usual.scored(
        frame, ["length"], parts, resampling=few, bands=names_of_bands, **how
    ).rename(shown)
    fitting = [name for name, last in zip(names_of_bands, bands, strict=False) if last <= _LONGEST]
    chosen = _worst(counted, fitting) if sentences is None else list(sentences)
    cells, words = grids(hyp, gold, [(sid, "") for sid in chosen], text, possible_as_sure)
    order = whole.sort("aer", "system", nulls_last=True)["system"].to_list()
    kind = "mean words of both sides" if text is not None else "up to the last linked word"
    figures = [
        Figure(
            "precision-recall",
            charts.precision_recall(whole, alphas[0]),
            "Bars are 95% intervals over resampled sentences." if bootstrap else "",
        ),
        Figure(
            "f-by-alpha",
            charts.f_by_alpha(whole, _CURVE),
            "The smaller α is, the more F weights recall. Fraser & Marcu (2007) found that α "
            "between 0.1 and 0.4 predicts translation quality best.",
        ),
        Figure(
            "error-by-length",
            charts.error_by_length(by_length, bands, kind, order),
            "Corpus AER of the sentences in each band, best system first."
            + (" Bars are 95% intervals." if bootstrap else ""),
            wide=True,
        ),
    ]
    if cells.height:
        figures.append(Figure("grid", grid(cells, words, order), GRID_CAPTION, wide=True))
    rows = counted.filter(pl.col("sid").is_in(chosen), system=order[0])
    worst = explained(rows, hyp, gold, text, possible_as_sure=possible_as_sure)
    differences = pl.DataFrame()
    if bootstrap and whole.height > 1:
        differences = usual.differences(frame, order[0], marks, unit=UNIT, resampling=drawn)
    tested = differences.filter(measure="aer") if differences.height else differences
    names = {"aer": "AER", **{alpha_name(one): f"F (α = {one:g})" for one in alphas}}
    return Page(
        title=title,
        lead=f"{ranking(whole, tested, names, ['aer'])} "
        f"{number_of(whole.height, 'system')} on {number_of(number, 'gold sentence')}. "
        "Precision counts links that are Possible in gold, recall counts Sure links; all "
        "scores are ratios of sums over the corpus.",
        table=score_table(
            whole.sort("aer", "system", nulls_last=True),
            {
                "system": "System",
                "links": "Links",
                "precision": "Precision",
                "recall": "Recall",
                **names,
            },
            best=leading(whole, differences, ["aer"]),
        ),
        figures=figures,
        tables=[
            score_table(
                worst.with_columns(pl.col("sid").cast(pl.String)),
                {
                    "sid": "Sentence",
                    "errors": "Errors",
                    "aer": "AER",
                    "wrong": "Wrong links",
                    "missing": "Missing Sure links",
                },
                title=f"Errors of {order[0]} in the sentences shown",
                wide=True,
            )
        ],
        notes=[
            "Definitions: Fraser & Marcu 2007, Computational Linguistics 33(3), equations 1-5.",
            *[TESTED] * bool(differences.height),
        ],
        signature=whole["signature"][0],
    )


def _worst(counted: pl.DataFrame, bands: Sequence[str]) -> list[int]:
    """Return the sentences with the most errors of all systems, among those that fit a page."""
    fitting = counted.filter(pl.col("length").is_in(bands))
    worst = (
        (fitting if fitting.height else counted)
        .group_by("sid")
        .agg(pl.col("errors").sum(), pl.col("aer").mean())
        .sort("errors", "aer", "sid", descending=[True, True, False], nulls_last=True)
        .head(_SHOWN)
    )
    return worst["sid"].to_list()
