"""Which sentences to annotate, and AER estimated from them.

AER is a ratio of sums over sentences, so its variance is that of the residuals ``errors - AER *
links``. They are the larger, the more links a sentence has, and the more systems disagree on it:
sentences are drawn at random from strata by a predicted size of the residual, as many from each as
its sum of these (Neyman 1934). Weights are calibrated (Deville & Särndal 1992) so that the chosen
sentences stand for the links and the disagreement of all: what these explain of the errors is known
without gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, I64
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, number_of, warn
from alignframe.links.inputs import Subset, hypotheses
from alignframe.links.reading import subset
from alignframe.links.scoring import score
from alignframe.options import checked
from alignframe.read.tables import read_table
from alignframe.result import TableResult
from alignframe.sources.source import Source
from alignframe.stats.subsets import Chosen
from alignframe.typing import (
    Confidence,
    FromTen,
    IntoFrame,
    IntoGold,
    IntoHypotheses,
    Seed,
)

PER_STRATUM = 3
"""The number of sentences that a stratum has on average; a variance needs two."""

LEAST = 0.1
"""What a link without disagreement adds to the squared size of a residual, in units of one with."""

SPREAD = 0.5
"""The mean square of a residual by its predicted size on the Hansards and on Chinese-English."""

_COLUMNS = ("sid", "stratum", "of", "weight", "links", "disagreement")
_FEWEST = 10

_RATIOS = {
    "aer": ({"n_hyp": 1, "n_hyp_possible": -1, "n_sure": 1, "n_hyp_sure": -1}, ("n_hyp", "n_sure")),
    "precision": ({"n_hyp_possible": 1}, ("n_hyp",)),
    "recall": ({"n_hyp_sure": 1}, ("n_sure",)),
}


class Sample(NamedTuple):
    """Chosen sentences: their rows, strata, the numbers of sentences of these, and weights."""

    rows: I64
    stratum: I64
    of: I64
    weight: F64


@checked
def choose(
    hyp: IntoHypotheses,
    *,
    n: FromTen = 50,
    pilot: IntoGold | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
) -> TableResult:
    """Choose the sentences to annotate, so that the interval of AER is as narrow as can be.

    Parameters
    ----------
    hyp
        The links of two or more systems, of all sentences that could be annotated.
    n
        The number of sentences to choose.
    pilot
        Gold of some of the sentences, if there is any; the interval to expect is then learnt from
        it, rather than assumed to be as on the Hansards.
    confidence, seed
        The confidence level of the interval to expect, and the random seed.

    Returns
    -------
    TableResult
        A row per chosen sentence: sid, stratum, of (the number of sentences in the stratum),
        weight, links (of two systems, on average) and disagreement (links that only one of two
        systems has, on average), which ``estimate`` needs. Its metadata have ``expected``, half the
        width of the interval of AER to expect of a system like these.

    Raises
    ------
    InputError
        If there is a single system, systems have different sentences, or there are no more
        sentences than ``n``.

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("eager", "cautious", "forward")}
    >>> chosen = links.choose(hyp, n=20)
    >>> chosen.height, round(chosen["weight"].sum())
    (20, 72)
    """
    every = _disagreement(hypotheses(hyp))
    if n >= every.height:
        raise InputError(
            f"`n={n}` of {number_of(every.height, 'sentence')}",
            expected=f"fewer than {every.height:,}",
            todo="annotate all of them",
        )
    size, apart = (every[name].to_numpy() for name in ("links", "disagreement"))
    predicted = residuals(size, apart)
    spread = SPREAD if pilot is None else _spread(every, predicted, hyp, pilot)
    sample = drawn(size, apart, predicted, n, seed)
    half = _normal(confidence) * _expected(predicted * np.sqrt(spread), sample) / size.sum()
    table = every[sample.rows].with_columns(
        stratum=sample.stratum + 1, of=sample.of, weight=sample.weight
    )
    mark = f"chosen:{n}of{every.height}|pilot:{'none' if pilot is None else 'gold'}|seed:{seed}"
    notes = {b"expected": f"{half:.4f}".encode(), b"confidence": f"{confidence:g}".encode()}
    made = table.select(_COLUMNS).sort("sid").to_arrow().replace_schema_metadata(notes)
    return TableResult("chosen", made, whole_signature(mark))


@checked
def estimate(
    hyp: IntoHypotheses, gold: IntoGold, chosen: IntoFrame, *, confidence: Confidence = 0.95
) -> pl.DataFrame:
    """Estimate AER, precision and recall of all sentences from chosen ones with gold.

    Parameters
    ----------
    hyp
        The links of the systems.
    gold
        Gold of the chosen sentences; it may have others, which are left out.
    chosen
        What ``choose`` returned, or a file of it.
    confidence
        The confidence level of the intervals.

    Returns
    -------
    polars.DataFrame
        A row per system: system, sentences, of (of how many they were chosen), and aer, precision
        and recall, each with ``_low`` and ``_high``; and signature. The lowest AER comes first.

    Raises
    ------
    InputError
        If gold or a system lacks one of the chosen sentences, or ``chosen`` is no such table.

    Notes
    -----
    Ratios of weighted sums. Their variance is that of linearised residuals in strata, less what
    links and disagreement explain (Särndal, Swensson & Wretman 1992, chapters 5 to 7), but no less
    than if links were independent, as residuals say nothing where few links are wrong. Intervals
    are Wilson's, of as many links as have this variance (Franco, Little, Louis & Slud 2019,
    Journal of Survey Statistics and Methodology 7).

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("eager", "cautious", "forward")}
    >>> found = links.estimate(hyp, f"{home}/gold.talp", links.choose(hyp, n=20))
    >>> found.select("sentences", "of").row(0)
    (20, 72)
    """
    rows = _read(chosen)
    sids = rows["sid"].to_numpy()
    counts = _counts(hyp, subset(gold, sids=sids), sids)
    if empty := counts.filter(n_possible=0)["sid"].n_unique():
        warn(
            f"gold has no link in {number_of(empty, 'chosen sentence')}: if they are not annotated "
            "yet, the estimate is wrong"
        )
    made = []
    for own in counts.partition_by("system"):
        system = own["system"][0]
        figures: dict[str, float | None] = {}
        for name in _RATIOS:
            found = ratio(*_parts(own, name), rows, confidence)
            ends = (name, f"{name}_low", f"{name}_high")
            figures |= dict(zip(ends, found, strict=True))
        of = int(rows.unique("stratum")["of"].sum())
        mark = f"{own['signature'][0]}|estimate:{rows.height}of{of}|confidence:{confidence:g}"
        made.append(
            {"system": system, "sentences": rows.height, "of": of, **figures} | {"signature": mark}
        )
    return pl.DataFrame(made).sort("aer", "system", nulls_last=True)


def residuals(size: F64, apart: F64) -> F64:
    """Return what the residuals of sentences are proportional to, as predicted."""
    return np.sqrt(apart + LEAST * (size + 1.0))


def drawn(size: F64, apart: F64, predicted: F64, n: int, seed: int) -> Sample:
    """Draw sentences from strata with equal sums of predicted residuals, calibrating weights."""
    order = np.argsort(predicted, kind="stable")
    sums = np.cumsum(predicted[order])
    strata = max(n // PER_STRATUM, 1)
    cut = np.minimum((sums / sums[-1] * strata * (1 - 1e-12)).astype(np.int64), strata - 1)
    number = np.empty(size.size, np.int64)
    number[order] = np.unique(cut, return_inverse=True)[1]
    of = np.bincount(number).astype(np.int64)
    several = allocated(of, np.bincount(number, predicted).astype(np.float64), n)
    random = np.random.default_rng(seed)
    rows = np.concatenate(
        [
            random.choice(np.flatnonzero(number == k), own, replace=False)
            for k, own in enumerate(several.tolist())
        ]
    )
    stratum = number[rows]
    weight = of[stratum] / several[stratum]
    return Sample(rows, stratum, of[stratum], calibrated(weight, _known(size, apart), rows))


def allocated(of: I64, sums: F64, n: int) -> I64:
    """Return how many of ``n`` each stratum gets: in proportion to its sum, but two or all."""
    least = np.minimum(of, 2)
    found = least.copy()
    while found.sum() < n:
        # Always where one more lowers the variance most.
        gain = np.where(found < of, sums**2 / (found * (found + 1.0)), -1.0)
        found[np.argmax(gain)] += 1
    return found


def calibrated(weight: F64, known: F64, rows: I64) -> F64:
    """Return weights with which the sums of the chosen rows of ``known`` are those of all."""
    own = known[rows]
    missing = known.sum(axis=0) - weight @ own
    factors = 1.0 + own @ np.linalg.lstsq((own.T * weight) @ own, missing, rcond=None)[0]
    found: F64 = weight * np.maximum(factors, 0.05)
    return found


def ratio(
    hits: F64, total: F64, chosen: pl.DataFrame, confidence: float
) -> tuple[float | None, float | None, float | None]:
    """Return a ratio of weighted sums, and the ends of its interval."""
    from scipy.special import stdtrit

    weight, stratum, of = (chosen[name].to_numpy() for name in ("weight", "stratum", "of"))
    if not (weight @ total):
        return None, None, None
    value = float(weight @ hits / (weight @ total))
    left = _unexplained(chosen, hits - value * total, weight)
    shares = pl.DataFrame({"h": stratum, "of": of, "u": weight * left})
    by_stratum = shares.group_by("h").agg(
        pl.col("of").first(), n=pl.len(), spread=pl.col("u").var().fill_null(0.0)
    )
    others = 1 - pl.col("n") / pl.col("of")
    summed = float(by_stratum.select((pl.col("n") * others * pl.col("spread")).sum()).item())
    free = max(hits.size - by_stratum.height - 2, 1)  # links and disagreement take two
    wide = float(stdtrit(free, (1 + confidence) / 2))
    # The variance of independent links is value (1 - value) by their number.
    links = float((weight @ total) ** 2 / (weight**2 @ total))
    one, alone = value * (1 - value), (1 - hits.size / float(by_stratum["of"].sum())) / links
    share = max(summed / float(weight @ total) ** 2 / one, alone) if one > 0 else alone
    share *= wide**2
    middle, half = value + share / 2, np.sqrt(share * one + share**2 / 4)
    low, high = (float(end / (1 + share)) for end in (middle - half, middle + half))
    return value, max(min(low, value), 0.0), min(max(high, value), 1.0)


def _known(size: F64, apart: F64) -> F64:
    """Return what is known of all sentences, with which errors grow."""
    return np.stack([np.ones(size.size), size, apart], axis=1)


def _normal(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _expected(predicted: F64, sample: Sample) -> float:
    """Return the standard error of a sum to expect, if residuals are as large as predicted."""
    frame = pl.DataFrame({"h": sample.stratum, "of": sample.of, "s": predicted[sample.rows] ** 2})
    sums = frame.group_by("h").agg(pl.col("of").first(), n=pl.len(), s=pl.col("s").mean())
    variance = pl.col("of") ** 2 * (1 - pl.col("n") / pl.col("of")) / pl.col("n") * pl.col("s")
    return float(np.sqrt(sums.select(variance.sum()).item()))


def _disagreement(sources: Sequence[Source]) -> pl.DataFrame:
    """Return sid, links and disagreement of all sentences, as means over pairs of systems."""
    parts = [
        pl.DataFrame(pl.from_arrow(batch)).select(
            pl.col("system").cast(pl.String),
            "sid",
            *(
                pl.col("links").list.eval(pl.element().struct.field(name)).alias(name)
                for name in "ij"
            ),
        )
        for source in sources
        for batch in source.batches()
    ]
    rows = pl.concat(parts)
    systems = rows["system"].n_unique()
    if systems < 2:
        raise InputError("links of one system", expected="two or more, which may disagree")
    sizes = rows.group_by("system", maintain_order=True).agg(pl.col("sid").n_unique())
    if sizes["sid"].n_unique() > 1 or sizes["sid"][0] != rows["sid"].n_unique():
        listed = ", ".join(f"{name} {number:,}" for name, number in sizes.iter_rows())
        raise InputError(
            f"systems with different sentences ({listed})", expected="the same in all of them"
        )
    links = rows.explode("i", "j").drop_nulls("i").unique(["system", "sid", "i", "j"])
    shared = links.group_by("sid", "i", "j").len("k")
    pairs = systems * (systems - 1) / 2
    k = pl.col("k").cast(pl.Float64)
    sums = shared.group_by("sid").agg(
        links=2 * k.sum() / systems, disagreement=(k * (systems - k)).sum() / pairs
    )
    every = rows.select("sid").unique().join(sums, on="sid", how="left")
    return every.with_columns(pl.col("links", "disagreement").fill_null(0.0)).sort("sid")


def _read(chosen: object) -> pl.DataFrame:
    """Return the table of chosen sentences."""
    table = read_table(chosen, "the chosen sentences")
    kinds = dict.fromkeys(_COLUMNS, pl.Float64) | dict.fromkeys(_COLUMNS[:3], pl.Int64)
    missing = [name for name in kinds if name not in table.columns]
    if not missing:
        rows = table.select(pl.col(name).cast(kind, strict=False) for name, kind in kinds.items())
        known = not rows.null_count().sum_horizontal().item() and rows["sid"].is_unique().all()
        if known and (rows["weight"] > 0).all():
            return rows.sort("sid")
    raise InputError(
        f"a table without the column {missing[0]}" if missing else "a table with other values",
        path=chosen if isinstance(chosen, (str, PathLike)) else None,
        expected="what links.choose returned, with each sentence once",
    )


def _spread(every: pl.DataFrame, predicted: F64, hyp: Any, pilot: Any) -> float:
    """Return the mean square of a residual by its predicted size, in a pilot."""
    known = every.with_columns(predicted=predicted)
    gold = pilot if isinstance(pilot, Subset) else subset(pilot)
    counts = _counts(hyp, gold, gold.sids).join(known, on="sid")
    if (number := counts["sid"].n_unique()) < _FEWEST:
        raise InputError(f"a pilot of {number_of(number, 'sentence')}", expected="10 or more")
    shares = []
    for own in counts.partition_by("system"):
        errors, total = _parts(own, "aer")
        residual = errors - errors.sum() / max(total.sum(), 1) * total
        left = _unexplained(own, residual, np.ones(own.height))
        shares.append((left**2).sum() / (own["predicted"] ** 2).sum())
    return float(np.mean(shares)) * number / (number - 3)


def _counts(hyp: Any, gold: Subset, sids: I64) -> pl.DataFrame:
    """Return the counts of some sentences, which gold and all systems must have."""
    some = Chosen(np.sort(sids), sids.size)
    sources = [replace(one, chosen=some) for one in hypotheses(hyp)]
    return score(sources, gold, strict=True).counts.sort("system", "sid")


def _parts(counts: pl.DataFrame, figure: str) -> tuple[F64, F64]:
    """Return what is divided by what in a figure, by sentence."""
    top, bottom = _RATIOS[figure]
    hits = counts.select(pl.sum_horizontal(pl.col(one) * sign for one, sign in top.items()))
    total = counts.select(pl.sum_horizontal(bottom))
    return hits.to_series().to_numpy().astype(float), total.to_series().to_numpy().astype(float)


def _unexplained(rows: pl.DataFrame, residual: F64, weight: F64) -> F64:
    """Return what links and disagreement leave of residuals."""
    known = _known(*(rows[name].to_numpy() for name in ("links", "disagreement")))
    root = np.sqrt(weight)
    fitted: F64 = known @ np.linalg.lstsq(known * root[:, None], residual * root, rcond=None)[0]
    return residual - fitted
