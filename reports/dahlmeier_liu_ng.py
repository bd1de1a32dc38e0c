"""The evaluation of Dahlmeier, Liu & Ng 2011 on the rankings of WMT 2012, with BLEU and chrF.

``python reports/dahlmeier_liu_ng.py [CORPORA] [--figures] [--quick] [--out FOLDER]`` writes
``reports/dahlmeier_liu_ng/``: report.html, the scores of every segment as Parquet and, optionally,
the figures as PNG; see ``study.py``. ``--quick`` uses one language pair and little text. Needs
WordNet.

TESLA-F is cross-validated on two halves of the sentences of each language pair; the tables cover
all rankings, each scored by the model that was not trained on its sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from dahlmeier_liu_ng_texts import LEARNT, Resources, bleu_and_chrf, resources, wmt12
from study import Run, Statements, beside, each_warning_once, say, statement_table

from alignframe import tesla
from alignframe.cli.progress import ticking
from alignframe.cli.show import print_table
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.tables import p_value, score_table
from alignframe.tesla.charts import metric_against_human, metrics_compared
from alignframe.tesla.meta_page import MEASURES as FIGURES
from alignframe.tesla.meta_page import figures_of, points_of

PAIRS = ("fr-en", "es-en", "de-en")
METRICS = ("BLEU", "chrF", "TESLA-M", "TESLA-B", "TESLA-F")
BESIDE = (("TESLA-M", "chrF"), ("TESLA-B", "chrF"), ("TESLA-F", "chrF"), ("consensus", "chrF"))
"""Further pairs of metrics that the page compares."""
RESAMPLES = 1000
SHOWN = {name: text for name, text in FIGURES.items() if name != "tau_wmt14"}
ORDER = (("TESLA-F", "TESLA-B"), ("TESLA-B", "TESLA-M"), ("TESLA-M", "BLEU"))
"""Pairs of metrics, of which the first agrees with judges at least as well as the second."""

MEASURES = ("consistency", "tau_wmt12", "spearman")

CONSISTENCY = {
    "TESLA-M": {"fr-en": 0.61, "de-en": 0.61, "es-en": 0.59},
    "TESLA-B": {"fr-en": 0.64, "de-en": 0.63, "es-en": 0.62},
    "TESLA-F": {"fr-en": 0.65, "de-en": 0.64, "es-en": 0.62},
}
SPEARMAN = {
    "TESLA-M": {"fr-en": 0.86, "de-en": 0.85, "es-en": 0.99},
    "TESLA-B": {"fr-en": 0.92, "de-en": 0.67, "es-en": 0.95},
    "TESLA-F": {"fr-en": 0.92, "de-en": 0.68, "es-en": 0.94},
}
"""The paper's tables 1 and 2: into English, WMT 2009."""


def scored(run: Run, pair: str, given: Resources) -> pl.DataFrame:
    """Return the scores of all segments of a language pair by every metric."""
    texts, reference, ranked = wmt12(run, pair)
    features = given.features(texts, reference)
    by_m, by_b = (tesla.rescore(features, name, bootstrap=0).segments for name in "mb")
    keys = ["system", "sid"]
    scores = features.select(
        *keys,
        by_m["score"].alias("TESLA-M"),
        by_b["score"].alias("TESLA-B"),
        crossed(features, ranked).alias("TESLA-F"),
    )
    return scores.join(bleu_and_chrf(texts, reference), on=keys)


def crossed(features: pl.DataFrame, rankings: pl.DataFrame) -> pl.Series:
    """Return TESLA-F's scores of each sentence, by the model trained on the other half."""
    half = features["sid"].to_numpy() % 2
    scores = np.zeros(features.height)
    for own in (0, 1):
        model = tesla.train(
            features.filter(pl.col("sid") % 2 != own), rankings.filter(pl.col("sid") % 2 != own)
        )
        found = tesla.rescore(features, "f", model=model, bootstrap=0).segments["score"]
        scores[half == own] = found.to_numpy()[half == own]
    return pl.Series(scores)


def compared(run: Run) -> dict[str, tesla.Meta]:
    """Return the agreement of every metric with human judgements, by language pair."""
    given = resources(run)
    found = {}
    pairs = PAIRS[:1] if run.quick else PAIRS
    for pair in ticking(pairs, "scored", size=lambda _: 1, what="language pairs"):
        scores = run.rows(scored, {pair: (run, pair, given)})[pair]
        run.save(**{f"{pair}.segments": scores})
        found[pair] = tesla.meta(
            wmt12(run, pair)[-1],
            scores,
            metrics=METRICS,
            consensus=True,
            bootstrap=20 if run.quick else RESAMPLES,
        )
    return found


def statements(figures: pl.DataFrame) -> Statements:
    """Return whether the order of each pair of metrics holds by each measure, per language pair.

    ``figures`` has one row per pair and metric, with the columns of ``tesla.meta``.
    """
    found = {}
    for measure in MEASURES:
        for better, worse in ORDER:
            cases, shown = [], []
            for pair in figures["pair"].unique(maintain_order=True):
                own = figures.filter(pair=pair)
                one, two = (own.filter(metric=name)[measure][0] for name in (better, worse))
                cases.append(one >= two)
                shown.append(f"{pair} {one:.3f}, {two:.3f}")
            found[f"{measure}: {better} >= {worse}"] = (cases, "; ".join(shown))
    return found


def main(given: Sequence[str] | None = None) -> None:
    """Run the study."""
    run = Run.of("dahlmeier_liu_ng", ("wmt12", "newstest", "europarl-enfr"), given)
    with each_warning_once():
        found = compared(run)
    figures = tesla.meta_average({pair: one.scores for pair, one in found.items()})
    run.save(figures=figures)
    checks = statements(figures.filter(pl.col("pair") != "average"))
    run.page(page(found, figures, checks))
    print_table(
        with_published(figures), title="Agreement with the rankings of WMT 2012 (the paper: 2009)"
    )
    say(checks, "The order of the paper")
    run.done()


def page(found: Mapping[str, tesla.Meta], figures: pl.DataFrame, checks: Statements) -> Page:
    """Return the report."""
    shown = [SHOWN[name] for name in MEASURES]
    measures = figures_of(found).filter(pl.col("measure").is_in(shown))
    rows = with_published(figures)
    heads = list(rows[0])
    return Page(
        "TESLA on the rankings of WMT 2012",
        "How often a metric prefers the translation that human judges prefer, and how its ranking "
        "of systems correlates with theirs.",
        Table(heads, [[str(row[name]) for name in heads] for row in rows], texts=2),
        [
            Figure("metrics", metrics_compared(measures), wide=True),
            Figure("systems", metric_against_human(points_of(found, len(METRICS) + 1)), wide=True),
        ],
        [statement_table(checks, "The order of the paper"), differences(found)],
        notes(),
        next(iter(found.values())).scores["signature"][0],
    )


def differences(found: Mapping[str, tesla.Meta]) -> Table:
    """Return the differences between the metrics that the paper ranks, with significance."""
    parts = []
    for pair, one in found.items():
        for better, worse in (*ORDER, *BESIDE):
            both = pl.col("metric").is_in([better, worse]) & pl.col("other").is_in([better, worse])
            sign = pl.when(metric=better).then(1).otherwise(-1)
            ends = [pl.col(f"difference_{end}") * sign for end in ("low", "high")]
            own = one.comparisons.filter(both, pl.col("figure").is_in(MEASURES)).select(
                pl.lit(pair).alias("pair"),
                pl.lit(f"{better} - {worse}").alias("of"),
                pl.col("figure").replace(SHOWN),
                pl.col("difference") * sign,
                pl.min_horizontal(ends).alias("difference_low"),
                pl.max_horizontal(ends).alias("difference_high"),
                "p_value",
            )
            parts.append(own)
    heads = {"pair": "Pair", "of": "Difference", "figure": "Of", "difference": "Value"}
    return score_table(
        pl.concat(parts),
        heads | {"p_value": "p"},
        form=".3f",
        forms={"p_value": p_value},
        title="Differences between metrics, by resampling sentences",
    )


def with_published(figures: pl.DataFrame) -> list[dict[str, str]]:
    """Return figures as text, with the paper's for WMT 2009 in brackets."""
    published = {"consistency": CONSISTENCY, "spearman": SPEARMAN}
    rows = []
    for row in figures.iter_rows(named=True):
        cells = {"pair": row["pair"], "metric": row["metric"]}
        for name, shown in SHOWN.items():
            paper = published.get(name, {}).get(row["metric"], {}).get(row["pair"])
            theirs = None if paper is None else f"{paper:.2f}"
            cells[shown] = "" if row[name] is None else beside(f"{row[name]:.3f}", theirs)
        rows.append(cells)
    return rows


def notes() -> list[str]:
    """Return notes on the figures."""
    return [
        f"TESLA-B's pivots are French, Spanish and German: news of {LEARNT[0]} to {LEARNT[-1]} "
        "(newstest, 10,068 sentence pairs each), aligned by the default aligner; tags of pivot "
        "words are projected from the English ones. TESLA-F adds two language models, of that news "
        "and of 200,000 sentences of Europarl; weights trained on the rankings of even-numbered "
        "sentences score the odd-numbered ones, and vice versa.",
        "BLEU and chrF of sentences are as in sacrebleu; consensus is the mean rank by all others. "
        "Pairs that judges tie are left out; pairs that a metric ties count as wrong in "
        "consistency and tau (WMT 2012), and are left out of tau (WMT 2013). The human score of a "
        "system is the share of wins among its comparisons without ties. Intervals come from "
        "resampled sentences.",
        "The paper's figures are for WMT 2009: other systems, other rankings.",
    ]


if __name__ == "__main__":
    main()
