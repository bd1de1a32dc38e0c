"""The report of how well measures of alignment predict an outside score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import polars as pl

from alignframe import links, stats
from alignframe.charts import correlation as charts
from alignframe.links.inputs import mark_of
from alignframe.measures import alpha_name
from alignframe.report.page import Figure, Page, Table
from alignframe.stats.outside import outside_table
from alignframe.stats.values import ALPHAS

_EVEN = 0.5
_SHOWN = (("sure-possible", "Sure and Possible"), ("sure", "Sure only"))
_BEST = (*_SHOWN, ("possible", "all links alike"))


def correlation_report(
    hyp: Any,
    gold: Any,
    outside: Any,
    *,
    alpha: Sequence[float] = ALPHAS,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 1,
    lower_is_better: bool = False,
    score_name: str = "score",
    bitext: Any = None,
    possible_as_sure: bool = False,
    strict: bool = False,
    title: str = "Which alignment measure predicts translation quality",
    executor: Executor | None = None,
) -> Page:
    """Build the report: correlations of every measure, and measures against the score.

    Parameters
    ----------
    hyp, gold, bitext, possible_as_sure, strict, executor
        See ``alignframe.links.counts``.
    outside, alpha, resamples, confidence, seed, lower_is_better
        See ``alignframe.stats.correlate``. A column ``group`` of ``outside`` gives each group a
        symbol in the charts.
    score_name
        What the outside score is called, for example BLEU.

    Returns
    -------
    Page
        ``write`` makes the HTML file, ``write_figures`` pictures.
    """
    scores = outside_table(outside)
    counts = links.counts(
        hyp,
        gold,
        bitext=bitext,
        possible_as_sure=possible_as_sure,
        strict=strict,
        executor=executor,
    )
    table = stats.correlate(
        counts,
        scores,
        alpha=alpha,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        lower_is_better=lower_is_better,
        subset=mark_of(gold),
    )
    # The warning of scores without a system has been given; charts need not repeat it.
    scores = scores.filter(pl.col("system").is_in(counts["system"].unique().implode()))
    best = {row["annotation"]: row["alpha"] for row in table.filter("best").iter_rows(named=True)}
    values = stats.measure_values(counts, alpha=[_EVEN, *best.values()])
    wanted = [("one-minus-aer", "1-aer", "sure-possible", "The measure that most studies report.")]
    for kind, words in _SHOWN:
        wanted.append((f"f-{kind}-even", alpha_name(_EVEN), kind, f"Balanced F, {words}."))
    for kind, words in _BEST:
        if kind in best:
            text = f"The best of the α tried, {words}: F at α = {best[kind]:g}."
            wanted.append((f"f-{kind}-best", alpha_name(best[kind]), kind, text))
    figures = [
        Figure(
            name,
            charts.measure_against_score(
                values, scores, measure=measure, annotation=kind, score_name=score_name
            ),
            text,
        )
        for name, measure, kind, text in wanted
    ]
    if best:
        figures.append(
            Figure(
                "r2-by-alpha",
                charts.r2_by_alpha(table),
                "Below 0 a higher F goes with a lower score. The dashed level is that of 1 − AER.",
                wide=True,
            )
        )
    direction = "lower" if lower_is_better else "higher"
    return Page(
        title=title,
        lead=f"{len(scores)} systems on {counts['sid'].n_unique():,} gold sentences, against "
        f"{score_name}, of which a {direction} value is better. r² is the share of its variance "
        "that a straight line on the measure explains.",
        table=_table(table, confidence),
        figures=figures,
        notes=_notes(resamples, confidence, "lowest" if lower_is_better else "highest"),
        signature=table["signature"][0],
    )


def _notes(resamples: int, confidence: float, extreme: str) -> list[str]:
    notes = [
        "Definitions: Fraser & Marcu 2007, Computational Linguistics 33(3), sections 3.1-3.3.",
        f"The best α of an annotation has the {extreme} Pearson correlation: r² alone would "
        "prize a measure that predicts the wrong way.",
    ]
    if resamples:
        notes.append(
            f"Intervals ({confidence:.0%}) are over {resamples:,} resamples: of sentences, which "
            "tells how sure the measures are; of systems, how far a few of them carry the figure. "
            "Best in resamples: in how many of those of sentences this α is the best; without "
            "one: in how many of the runs that leave one system out."
        )
    return notes


def _table(correlations: pl.DataFrame, confidence: float) -> Table:
    names = {"sure-possible": "Sure and Possible", "sure": "Sure only", "possible": "all alike"}
    heads = ["Measure", "Gold links", "r", "r²", "p", "ρ", "τ"]
    resampled = bool(correlations["r2_low_systems"].count())
    if resampled:
        heads[3] = f"r² ({confidence:.0%}, sentences)"
        heads.insert(4, f"{confidence:.0%}, systems")
        heads += ["best in resamples", "without one"]
    rows, strong = [], set()
    for at, row in enumerate(correlations.iter_rows(named=True)):
        name = "1 − AER" if row["alpha"] is None else f"F (α = {row['alpha']:g})"
        cells = [name, names[row["annotation"]], *(_figure(row[k]) for k in ("pearson", "r2"))]
        ranks = [_figure(row[name]) for name in ("spearman", "kendall")]
        if resampled:
            over_sentences, over_systems = (_ends(row, kind) for kind in ("sentences", "systems"))
            cells[3] += f"\n{over_sentences}" if over_sentences else ""
            cells.append(over_systems)
            ranks += [_share(row[name]) for name in ("best_share", "best_left_out")]
        small = row["p_value"] is not None and row["p_value"] < 0.0005
        rows.append([*cells, "< 0.001" if small else _figure(row["p_value"]), *ranks])
        if row["best"]:
            strong |= {(at, column) for column in range(2, len(heads))}
    return Table(heads, rows, frozenset(strong), texts=2)


def _ends(row: Mapping[str, Any], kind: str) -> str:
    low, high = row[f"r2_low_{kind}"], row[f"r2_high_{kind}"]
    return "" if low is None or high is None else f"{low:.2f} - {high:.2f}"


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
