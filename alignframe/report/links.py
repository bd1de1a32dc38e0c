"""The report of word-alignment quality."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from alignframe import links
from alignframe.arrow import to_table
from alignframe.charts import links as charts
from alignframe.charts.grid import grid
from alignframe.choices import RESAMPLES
from alignframe.errors import number_of
from alignframe.executors import pool_of
from alignframe.links.gold import BANDS
from alignframe.links.worst import explained, judged
from alignframe.measures import alpha_name, checked_alphas
from alignframe.report.grids import GRID_CAPTION, grids
from alignframe.report.page import Figure, Page
from alignframe.report.tables import leading, score_table
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
    shared: dict[str, Any] = {
        "possible_as_sure": possible_as_sure,
        "bitext": text,
        "threads": pool_of(threads),
    }
    every = list(dict.fromkeys([*alphas, *_CURVE]))
    counted = _by_sentence(hyp, gold, shared)
    bootstrap *= counted["sid"].n_unique() > 1  # a single sentence has no intervals
    whole = links.scores(
        hyp, gold, alpha=every, bootstrap=bootstrap, seed=seed, strict=strict, **shared
    )
    banded: dict[str, Any] = {"by": ["length"], "bands": bands, "bootstrap": min(bootstrap, 1_000)}
    by_length = links.scores(hyp, gold, alpha=alphas, seed=seed, **banded, **shared)
    chosen = _worst(counted) if sentences is None else list(sentences)
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
    number = max(whole["sentences"].to_list())
    differences = pl.DataFrame()
    if bootstrap and number > 1 and whole.height > 1:
        options = {"baseline": order[0], "bootstrap": bootstrap, "seed": seed, "alpha": alphas}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the scores had the same warnings
            differences = links.compare(hyp, gold, **options, **shared)
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


def _by_sentence(hyp: Any, gold: Any, shared: Mapping[str, Any]) -> pl.DataFrame:
    """Return the errors of every sentence; column length tells whether it fits a page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scores had the same warnings
        return judged(links.counts(hyp, gold, by=["length"], bands=[_LONGEST], **shared))


def _worst(counted: pl.DataFrame) -> list[int]:
    """Return the sentences with the most errors of all systems, among those that fit a page."""
    fitting = counted.filter(pl.col("length") == f"1-{_LONGEST}")
    worst = (
        (fitting if fitting.height else counted)
        .group_by("sid")
        .agg(pl.col("errors").sum(), pl.col("aer").mean())
        .sort("errors", "aer", "sid", descending=[True, True, False], nulls_last=True)
        .head(_SHOWN)
    )
    return worst["sid"].to_list()
