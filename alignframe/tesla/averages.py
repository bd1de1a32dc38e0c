"""Meta-evaluation of several language pairs."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from alignframe.errors import InputError
from alignframe.tesla.agreement import FIGURES


def meta_average(pairs: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the results for several language pairs, and their unweighted mean by metric.

    Parameters
    ----------
    pairs
        ``Meta.scores`` by language pair, or any frames with the column metric and figures.

    Returns
    -------
    polars.DataFrame
        The columns pair, metric and all figures; the pair ``average`` comes last. A mean is null if
        a pair lacks the figure.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import tesla
    >>> french, german = (pl.DataFrame({"metric": ["a"], "kendall": [x]}) for x in (0.25, 0.75))
    >>> tesla.meta_average({"fr-en": french, "de-en": german}).rows()
    [('fr-en', 'a', 0.25), ('de-en', 'a', 0.75), ('average', 'a', 0.5)]
    """
    if not pairs:
        raise InputError("no language pairs", expected="at least one")
    first = next(iter(pairs.values()))
    names = [name for name in FIGURES if name in first.columns] or [
        name for name, kind in first.schema.items() if kind.is_numeric()
    ]
    frames = [
        frame.select(pl.lit(pair).alias("pair"), "metric", *(pl.col(n).cast(float) for n in names))
        for pair, frame in pairs.items()
    ]
    whole = pl.concat(frames)
    means = whole.group_by("metric", maintain_order=True).agg(
        pl.when(pl.col(name).count() == len(pairs)).then(pl.col(name).mean()).alias(name)
        for name in names
    )
    return pl.concat([whole, means.select(pl.lit("average").alias("pair"), "metric", *names)])
