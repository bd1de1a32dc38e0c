"""BIBLE as a measure over words: the counts of each, and the figures of all."""

from __future__ import annotations

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.figures import Ratio
from alignframe.lexicon.rates import Rates
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.measure import Measure
from alignframe.stats.sample import Sample
from alignframe.typing import Row


def bible(k: int, average: str = "types") -> Measure:
    """Return precision and percent correct at every depth, and recall, as a measure over words."""
    depths = range(1, k + 1)
    return Measure(
        "bible",
        (*(f"hits_{depth}" for depth in depths), "known", "all"),
        (
            *(
                Ratio(f"{figure}_{depth}", f"hits_{depth}", bottom)
                for figure, bottom in (("precision", "known"), ("percent_correct", "all"))
                for depth in depths
            ),
            Ratio("recall", "known", "all"),
        ),
        (f"weigh:{average}", "pairs:nonempty"),
    )


def parts_of(rates: Rates, average: str) -> F64:
    """Return the counts of ``bible``, one row per word."""
    if average == "types":
        parts = [rates.hits / rates.pairs[:, None], rates.known, np.ones(rates.pairs.size)]
    else:
        parts = [rates.token_hits, np.where(rates.known, rates.tokens, 0), rates.tokens]
    return np.column_stack(parts).astype(np.float64)


def figures_of(rates: Rates, average: str, resampling: Resampling) -> pl.DataFrame:
    """Return one row per depth."""
    k = rates.hits.shape[1]
    counts = parts_of(rates, average)
    # Words are drawn; the axis between them and the counts is that of systems, here one.
    sample = Sample.draw(bible(k).of, counts[:, None, :], resampling)
    columns: Row = {"k": np.arange(1, k + 1)}
    places = {"precision": range(k), "recall": [2 * k], "percent_correct": range(k, 2 * k)}
    for name, at in places.items():
        columns[name] = sample.observed[0, at]
        if resampling.resamples:
            ends = np.array([sample.interval(0, place) for place in at])
            columns |= {f"{name}_low": ends[:, 0], f"{name}_high": ends[:, 1]}
    columns |= {"types": rates.pairs.size, "covered_types": np.count_nonzero(rates.known)}
    if average == "tokens":
        columns["tokens"] = rates.tokens.sum()
        columns["covered_tokens"] = rates.tokens[rates.known].sum()
    whole = {name: np.broadcast_to(value, k) for name, value in columns.items()}
    return pl.DataFrame(whole).fill_nan(None)
