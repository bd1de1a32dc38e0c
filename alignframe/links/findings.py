"""Findings from the scores of alignments of varying quality."""

from __future__ import annotations

import polars as pl

_KEYS = ("model", "group")


def steps(scores: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return how often more text is better, by model and method, of runs in that order."""
    better = pl.col(measure).diff().drop_nulls() * (-1 if measure == "aer" else 1) > 0
    return (
        with_model(scores)
        .group_by(*_KEYS, maintain_order=True)
        # first and last are with the least and the most text; steps counts the increases of it,
        # better those that improve the measure (lower for AER).
        .agg(
            first=pl.col(measure).first(),
            last=pl.col(measure).last(),
            better=better.sum().cast(pl.Int64),
            steps=pl.len().cast(pl.Int64) - 1,
        )
    )


def winners(scores: pl.DataFrame) -> pl.DataFrame:
    """Return for how many amounts of text each method is best; ties count for all."""
    wanted = ["aer", *scores.select("^f_.*$").columns]
    long = (
        with_model(scores)
        .with_columns(aer=-pl.col("aer"))
        .unpivot(wanted, index=["model", "run", "group"], variable_name="measure")
    )
    best = long.filter(pl.col("value") == pl.col("value").max().over("model", "run", "measure"))
    table = best.pivot("group", index=["model", "measure"], values="run", aggregate_function="len")
    return table.select("model", "measure", pl.exclude("model", "measure").fill_null(0))


def agreement(scores: pl.DataFrame) -> pl.DataFrame:
    """Return Spearman's rho of F with 1 - AER, one row per α."""
    rows = []
    for name in scores.select("^f_.*$").columns:
        rho = pl.corr(name, 1 - pl.col("aer"), method="spearman")
        within = with_model(scores).group_by(_KEYS).agg(rho=rho)["rho"].fill_nan(None)
        rows.append(
            {
                "alpha": float(name.removeprefix("f_")),
                # all is over all alignments; within the least over groups of a model and a method.
                "all": scores.select(rho).item(),
                "within": within.min(),
            }
        )
    schema = {"alpha": pl.Float64, "all": pl.Float64, "within": pl.Float64}
    return pl.DataFrame(rows, schema=schema)


def with_model(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores with a column model, empty for a single model."""
    return scores if "model" in scores.columns else scores.with_columns(model=pl.lit(""))
