"""Agreement with human judgements as tables for charts and pages."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from alignframe.core.arrow import require_columns, to_table
from alignframe.core.choices import RESAMPLES
from alignframe.errors import number_of, warn
from alignframe.pages.forms import melted
from alignframe.pages.page import Table
from alignframe.pages.tables import score_table
from alignframe.stats.conclusions import ranking
from alignframe.tesla.feature_charts import feature_names

if TYPE_CHECKING:
    from alignframe.tesla.meta import Meta
    from alignframe.tesla.scored import TeslaScores

MEASURES = {
    "consistency": "consistency",
    "tau_wmt12": "Kendall's τ, WMT12",
    "tau_wmt13": "Kendall's τ, WMT13",
    "tau_wmt14": "Kendall's τ, WMT14",
    "spearman": "Spearman's ρ, systems",
    "pearson": "Pearson's r, systems",
}
"""Figures of a meta-evaluation, and their names."""

_DIGITS = 3
_SYSTEM = ("system", "wins", "losses", "ties", "human")


def by_pair(meta: Meta | Mapping[str, Meta]) -> dict[str, Meta]:
    """Return meta-evaluations by language pair; a single one has the pair ``""``."""
    return dict(meta) if isinstance(meta, Mapping) else {"": meta}


def agreement(rankings: Any, scored: TeslaScores, metric: str) -> Meta:
    """Evaluate scores and each of their features against human rankings."""
    from alignframe.tesla.meta import meta

    name = f"TESLA-{metric.upper()}"
    segments, drawn = scored.segments, scored.resampling(RESAMPLES)
    frame = segments.with_columns(pl.col("system").cast(pl.String)).rename({"score": name})
    features = feature_names(segments)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        judged = meta(
            rankings,
            frame,
            metrics=[name, *features],
            bootstrap=drawn.resamples,
            confidence=drawn.confidence,
            seed=drawn.seed,
            sids=scored.of_segments.subset,
        )
    for caught in said:  # the score's warnings hold for its features too
        if not str(caught.message).startswith(tuple(f"{feature}: " for feature in features)):
            warn(str(caught.message))
    return judged


def figures_of(meta: Meta | Mapping[str, Meta]) -> pl.DataFrame:
    """Return the figures of meta-evaluations, one row per metric and measure.

    The columns, for ``alignframe.tesla.charts.metrics_compared``, are pair (if there are
    several), metric, measure, value, low and high.
    """
    every = [rows.scores.with_columns(pair=pl.lit(pair)) for pair, rows in by_pair(meta).items()]
    frame = melted(pl.concat(every, how="diagonal_relaxed"), ["pair", "metric"], MEASURES)
    return frame if isinstance(meta, Mapping) else frame.drop("pair")


def points_of(meta: Meta | Mapping[str, Meta], most: int = 3) -> pl.DataFrame:
    """Return the scores of systems by metrics and humans, one row per metric and system.

    With more than ``most`` metrics, only the first is used. The columns, for
    ``alignframe.tesla.charts.metric_against_human``, are pair (if there are several), metric,
    system, score and human.
    """
    parts = []
    for pair, one in by_pair(meta).items():
        metrics = [name for name in one.systems.columns if name not in _SYSTEM]
        for name in metrics if len(metrics) <= most else metrics[:1]:
            chosen = one.systems.select("system", pl.col(name).alias("score"), "human")
            parts.append(
                chosen.select(pl.lit(pair).alias("pair"), pl.lit(name).alias("metric"), "*")
            )
    frame = pl.concat(parts)
    return frame if isinstance(meta, Mapping) else frame.drop("pair")


def counted_on(meta: Meta | Mapping[str, Meta]) -> dict[str, str]:
    """Describe the basis of agreement, by language pair.

    Preferences and ties are those of pairs of translations that have scores of the first metric.
    """
    counts = {}
    for pair, one in by_pair(meta).items():
        row = one.scores.row(0, named=True)
        counts[pair or one.pair or "language pair not named"] = (
            f"{number_of(row['pairs'], 'preference')}, "
            f"{number_of(row['human_ties'], 'tie')} (left out), "
            f"{number_of(row['sentences'], 'sentence')}, {number_of(row['systems'], 'system')}"
        )
    return counts


def agreement_said(meta: Meta | Mapping[str, Meta]) -> str:
    """Say which metrics agree best with human judges, and which cannot be told apart."""
    said = []
    for pair, one in by_pair(meta).items():
        scores = one.scores.rename({"metric": "system"})
        tests = one.comparisons.filter(figure="consistency")
        best = scores.sort("consistency", "system", descending=[True, False], nulls_last=True)
        turned = tests.rename({"metric": "other", "other": "metric"}).with_columns(
            -pl.col("difference"),
            difference_low=-pl.col("difference_high"),
            difference_high=-pl.col("difference_low"),
        )
        against = pl.concat([tests, turned.select(tests.columns)]).filter(other=best["system"][0])
        named = against.rename({"metric": "system", "other": "baseline"})
        figure = {"consistency": "consistency with human preferences"}
        units = number_of(max(scores["sentences"].to_list(), default=0), "sentence")
        text = ranking(scores, named, figure, noun="metric", digits=_DIGITS, units=units)
        said.append(f"{pair}: {text}" if pair else text)
    return " ".join(said)


def caution_of(meta: Meta | Mapping[str, Meta]) -> str:
    """Return a sentence of caution for each language pair with few systems."""
    named = [(pair, one.caution) for pair, one in by_pair(meta).items() if one.caution]
    said = (f"{pair}: {text}" if pair else text[0].upper() + text[1:] for pair, text in named)
    return " ".join(f"{text}." for text in said)


def negated(meta: Meta | Mapping[str, Meta]) -> str:
    """Say of which metrics the scores shown are negated; empty if higher is better by all."""
    marks = (part for one in by_pair(meta).values() for part in one.signature.split("|"))
    lower = [part.removeprefix("lower:") for part in marks if part.startswith("lower:")]
    names = sorted({name for part in lower for name in part.split(",")})
    said = " and ".join(names)
    return f"Lower {said} is better: its scores are shown negated." if names else ""


def agreement_notes(meta: Meta | Mapping[str, Meta]) -> list[str]:
    """Return a note per language pair with the basis of agreement and the signature."""
    parts = zip(counted_on(meta).items(), by_pair(meta).values(), strict=True)
    return [
        f"Agreement with human judgements, {pair}: {counts}. Signature: "
        + " ".join(one.scores["signature"].unique(maintain_order=True))
        for (pair, counts), one in parts
    ]


def meta_table(figures: object, about: str = "") -> Table:
    """Return measures of agreement with human judgements: one row per metric and pair."""
    table = to_table(figures)
    require_columns(table.schema, ["metric", "measure", "value"], "the table of metrics")
    frame = pl.DataFrame(pl.from_arrow(table))
    keys = [name for name in ("pair", "metric") if name in frame.columns]
    measures = frame["measure"].unique(maintain_order=True).to_list()
    if "low" not in frame.columns:
        frame = frame.with_columns(low=pl.lit(None), high=pl.lit(None))
    wide = frame.pivot("measure", index=keys, values=["value", "low", "high"], separator="|")
    shown = wide.select(
        pl.col(keys).cast(pl.String),
        *(
            pl.col(f"{end}|{name}").alias(name + mark)
            for name in measures
            for end, mark in (("value", ""), ("low", "_low"), ("high", "_high"))
        ),
    )
    heads = {name: name.capitalize() for name in keys} | {name: name for name in measures}
    title = "Agreement with human judgements" + (f": {about}" if about else "")
    return score_table(shown, heads, form=f".{_DIGITS}f", title=title)
