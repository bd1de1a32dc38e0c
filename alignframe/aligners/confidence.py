"""The calibration of link probabilities, measured against gold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.arrays import I64, Bools
from alignframe.errors import InputError, whole_number
from alignframe.links.inputs import gold_source, links_source
from alignframe.measures import MEASURED, link_figures
from alignframe.typing import IntoGold, IntoLinks

# Of 95% intervals.
_Z = 1.96

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(20))


def long_links(alignments: IntoLinks) -> pl.DataFrame:
    """Return system, sid, i, j and probability of each link of an alignment with posteriors."""
    given = links_source(alignments)
    if given.is_long or "probabilities" not in given.columns:
        raise InputError(
            "links without probabilities",
            path=given.name,
            expected="the columns links and probabilities",
            todo="align with `posterior=True`",
        )
    batches = list(given.batches(keep=["probabilities"]))
    if not batches:
        return pl.DataFrame(schema=_LONG)
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches)))
    n_links, n_found = (pl.col(name).list.len().fill_null(0) for name in ("links", "probabilities"))
    if frame.select((n_links != n_found).any()).item():
        raise InputError("a different number of probabilities and links", path=given.name)
    filled = frame.filter(pl.col("links").list.len() > 0)
    every = filled.rename({"probabilities": "probability"}).explode("links", "probability")
    return every.unnest("links").select(pl.col(name).cast(kind) for name, kind in _LONG.items())


_LONG = {
    "system": pl.String,
    "sid": pl.Int64,
    "i": pl.UInt16,
    "j": pl.UInt16,
    "probability": pl.Float64,
}


def calibration(alignments: IntoLinks, gold: IntoGold, bins: int = 10) -> pl.DataFrame:
    """Return the share of correct links by probability, in bins of equal width; see ``binned``."""
    judged, _ = _judged(alignments, gold)
    return binned(judged.rename({"possible": "right"}), bins, "links")


def binned(judged: pl.DataFrame, bins: int, noun: str) -> pl.DataFrame:
    """Return the share of ``right`` items and its 95% interval by bins of their ``probability``."""
    bins = whole_number(bins, 1, "bins")
    # A probability of 1 belongs to the last bin.
    place = (pl.col("probability") * bins).floor().clip(0, bins - 1)
    counts = (
        judged.group_by("system", place=place)
        .agg(
            pl.len().cast(pl.Int64).alias(noun),
            probability=pl.col("probability").mean(),
            correct=pl.col("right").mean(),
        )
        .sort("system", "place")
    )
    n, share = (pl.col(name) for name in (noun, "correct"))
    # Wilson 1927, Probable inference, the law of succession, and statistical inference:
    # (p + z^2 / 2n ± z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * (share * (1 - share) / n + _Z**2 / (4 * n**2)).sqrt()
    return counts.select(
        "system",
        (pl.col("place") / bins).alias("low"),
        ((pl.col("place") + 1) / bins).alias("high"),
        noun,
        "probability",
        "correct",
        correct_low=(middle - reach).clip(0, 1),
        correct_high=(middle + reach).clip(0, 1),
    )


def scores_by_threshold(
    alignments: IntoLinks, gold: IntoGold, thresholds: Sequence[float] = THRESHOLDS
) -> pl.DataFrame:
    """Score the links at or above each probability threshold; undefined figures are null."""
    judged, n_sure = _judged(alignments, gold)
    asked = np.asarray(thresholds, np.float64)
    frames = []
    for (system,), mine in judged.sort("probability").group_by("system", maintain_order=True):
        # Links ascend by probability, so those from a place on are at or above its threshold.
        first = np.searchsorted(mine["probability"].to_numpy(), asked)
        n_hyp = mine.height - first
        n_sure_hyp, n_possible_hyp = (
            _from_each(mine[name].to_numpy())[first] for name in ("sure", "possible")
        )
        counts = (n_hyp, np.full(asked.size, n_sure), n_sure_hyp, n_possible_hyp)
        sums = dict(zip(MEASURED, counts, strict=True))
        figures = {figure.name: figure.of(sums) for figure in link_figures({})}
        columns = {"threshold": asked, "links": n_hyp, **figures}
        frames.append(
            pl.DataFrame(columns).insert_column(0, pl.Series("system", [system] * asked.size))
        )
    if not frames:
        raise InputError("no links in gold's sentences", expected="at least one")
    return pl.concat(frames).sort("system", "threshold").fill_nan(None)


def _from_each(labels: Bools) -> I64:
    """Return the number of true labels from each position on, with 0 for the end."""
    return np.append(np.cumsum(labels[::-1])[::-1], 0)


def _judged(alignments: IntoLinks, gold: IntoGold) -> tuple[pl.DataFrame, int]:
    """Return links of sentences with gold, labelled possible and sure, and gold's Sure links."""
    links_long = long_links(alignments)
    batches = list(gold_source(gold).batches(labels=True))
    if not batches:
        raise InputError("gold has no sentences", expected="at least one")
    rows = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches))).select("sid", "links")
    filled = rows.filter(pl.col("links").list.len() > 0).explode("links").unnest("links")
    sure = pl.col("sure").fill_null(True) if "sure" in filled.columns else pl.lit(True)
    gold_links = filled.group_by("sid", "i", "j").agg(sure=sure.any())
    known = gold_links.with_columns(pl.col("i", "j").cast(pl.UInt16), pl.col("sid").cast(pl.Int64))
    judged = (
        links_long.join(rows.select(pl.col("sid").cast(pl.Int64)).unique(), on="sid", how="semi")
        .join(known, on=["sid", "i", "j"], how="left")
        .with_columns(possible=pl.col("sure").is_not_null(), sure=pl.col("sure").fill_null(False))
    )
    return judged, int(known["sure"].sum())
