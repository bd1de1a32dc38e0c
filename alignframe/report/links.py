"""The report of word-alignment quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from alignframe.arrow import to_table
from alignframe.charts import links as charts
from alignframe.charts.theme import heading
from alignframe.choices import RESAMPLES
from alignframe.errors import number_of
from alignframe.links.counts import UNIT
from alignframe.links.gold import BANDS
from alignframe.links.scores import LINKS, links_measure
from alignframe.links.worst import judged
from alignframe.measures import checked_alphas
from alignframe.read.pairs import sentence_pairs
from alignframe.report.page import Figure, Page
from alignframe.report.sentences import (
    Sentences,
    Value,
    by_system,
    held,
    left_out,
    line_of,
    link_evidence,
)
from alignframe.report.tables import leading, score_table
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.conclusion import TESTED, ranking
from alignframe.typing import IntoBitext, IntoGold, IntoHypotheses, Threads

_CURVE = [round(step / 20, 2) for step in range(21)]


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
    """Build the report: scores, precision and recall, F against α, AER by length, sentences.

    Parameters
    ----------
    hyp, gold, bitext, alpha, bands, bootstrap, seed, possible_as_sure, strict, threads
        See ``alignframe.links.scores``. With ``bitext``, sentences are shown with their words.
    sentences
        The sids of the sentences listed, each of which opens its links; by default all, or as many
        as a page can hold, most errors of all systems first (see
        ``alignframe.links.worst_sentences``).

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
    text_of = None if text is None else sentence_pairs(text).table()
    given = {"possible_as_sure": possible_as_sure}
    listed = _sentences(counted, order, sentences, hyp, gold, text_of, **given)
    differences = pl.DataFrame()
    if bootstrap and whole.height > 1:
        differences = usual.differences(frame, order[0], marks, unit=UNIT, resampling=drawn)
    tested = differences.filter(measure="aer") if differences.height else differences
    heads = {name: heading(name) for name in usual.names}
    names = {name: heads[name] for name in ("aer", *usual.names[2:])}  # by AER first
    return Page(
        title=title,
        lead=f"{ranking(whole, tested, names, usual.lower_is_better)} "
        f"{number_of(whole.height, 'system')} on {number_of(number, 'gold sentence')}. "
        "Precision counts links that are Possible in gold, recall counts Sure links; all "
        "scores are ratios of sums over the corpus."
        + left_out(
            len(listed.rows),
            number,
            "those with the most errors" if sentences is None else "the chosen ones",
        ),
        table=score_table(
            whole.sort("aer", "system", nulls_last=True),
            {"system": "System", "links": "Links", **heads},
            best=leading(whole, differences, usual.lower_is_better),
        ),
        figures=figures,
        notes=[
            "Definitions: Fraser & Marcu 2007, Computational Linguistics 33(3), equations 1-5.",
            *[TESTED] * bool(differences.height),
        ],
        signature=whole["signature"][0],
        sentences=listed,
    )


def _sentences(
    counted: pl.DataFrame,
    systems: Sequence[str],
    chosen: Sequence[int] | None,
    hyp: Any,
    gold: Any,
    text: Any,
    *,
    possible_as_sure: bool,
) -> Sentences:
    """Return the sentences with errors and AER of every system, most errors of all first."""
    worst = counted.group_by("sid").agg(pl.col("errors").sum(), pl.col("aer").mean())
    down = [True, True, False]
    every = worst.sort("errors", "aer", "sid", descending=down, nulls_last=True)["sid"].to_list()
    sids = every[: held(len(systems), every)] if chosen is None else list(chosen)
    evidence = link_evidence(hyp, gold, sids, text, systems, possible_as_sure=possible_as_sure)
    figures = [Value("Errors", lower=True, digits=0), Value("AER", lower=True)]
    values = by_system(counted, ["errors", "aer"], systems)
    rows = []
    for sid in sids:
        words = evidence[sid].get("src")
        more = {} if words is None else line_of(words)
        rows.append({"unit": sid, "values": values(sid), "detail": evidence[sid], **more})
    return Sentences("links", rows, systems, figures, first="most errors first")
