"""Links above a probability, which may be chosen for the precision to expect of them.

If probabilities are calibrated, the sum of those of some links is the number of right ones among
them to expect: their mean is the precision, and their share of the sum over all given links the
recall of what is right among these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64, Array
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, number_of, warn
from alignframe.links.probabilities import weighed_source
from alignframe.options import checked
from alignframe.read.nested import PROBABILITIES, also_kept, are_probable, with_only
from alignframe.read.nested import without_improbable as refused_if_odd
from alignframe.result import Result
from alignframe.typing import IntoLinks, Row, Share

STEPS = 100
"""The number of minimum probabilities in a curve."""

_ROUNDING = 1e-6  # of probabilities in 32 bits, so that links of .95 have a precision of .95


@dataclass(frozen=True, repr=False)
class Filtered(Result):
    """Links that were kept, what is expected of them, and of other minimum probabilities.

    Examples
    --------
    >>> from alignframe import links
    >>> found = links.filter(["0-0:0.99 1-1:0.93 1-2:0.4", "0-0:0.95"], probability=0.9)
    >>> found.systems["kept"].to_list()
    [3]
    """

    systems: pl.DataFrame
    links: pl.DataFrame
    curve: pl.DataFrame
    signature: str


@checked
def filter(  # noqa: A001 - called as links.filter
    links: IntoLinks, *, precision: Share | None = None, probability: Share | None = None
) -> Filtered:
    """Keep the links that are probable enough.

    Parameters
    ----------
    links
        Links with probabilities, as ``align`` writes them with ``posterior``.
    precision
        Keep as many links as possible, the most probable ones, whose expected precision is at least
        this: the mean of their probabilities. The threshold is chosen for each system.
    probability
        Keep the links that are at least this probable.

    Returns
    -------
    Filtered
        ``systems``: links, kept, threshold (the lowest probability kept), and the precision and
        recall to expect, where recall is the share of the right links among all given. ``links``:
        what is kept, one row per sentence, also without links. ``curve``: links, precision and
        recall by minimum probability, which ``page`` draws.

    Raises
    ------
    InputError
        If neither or both of precision and probability are given, or a link has no probability.

    Examples
    --------
    >>> from alignframe import links
    >>> found = links.filter(["0-0:0.99 1-1:0.93 1-2:0.4", "0-0:0.95"], precision=0.95)
    >>> found.systems.drop("system").rows()
    [(4, 3, 0.93, 0.9566666666666667, 0.8776758409785933)]
    >>> found.links["links"].list.len().to_list()
    [2, 1]
    """
    if (precision is None) == (probability is None):
        found = "neither" if precision is None else "both"
        raise InputError(f"{found} of `precision` and `probability`", expected="one of them")
    source = weighed_source(links)
    keep = also_kept(source.schema)
    batches = [refused_if_odd(one, None) for one in source.batches(keep, labels=True)]
    if not batches:
        raise InputError("no sentences", path=source.name, expected="links")
    weights = [_weights(batch, source.name) for batch in batches]
    every, of = np.concatenate(weights), np.concatenate([*map(_systems, batches)])
    rows, least, curves = [], {}, []
    for system in dict.fromkeys(name for batch in batches for name in _names(batch)):
        own = np.sort(every[of == system])[::-1]
        kept = _number(own, precision, probability)
        least[system] = own[kept - 1] if kept else np.inf
        rows.append(
            (system, own.size, kept, own[kept - 1] if kept else None, *_expected(own, kept))
        )
        if not kept:
            sought = (
                f"precision of {precision}" if probability is None else f"probability {probability}"
            )
            # Rounded down, so that it can be asked for.
            most = np.floor((float(own[0]) + _ROUNDING) * 1e4) / 1e4 if own.size else None
            most_said = "" if most is None else f"; the highest to be had is {most:g}"
            warn(f"{system}: no link is kept, as none has an expected {sought}{most_said}")
        curves.append(_curve(system, own))
    chosen = []
    for batch, own in zip(batches, weights, strict=True):
        limits = np.array([least[name] for name in _systems(batch)], own.dtype)
        chosen.append(with_only(batch, own >= limits))
    asked = f"precision:{precision}" if probability is None else f"probability:{probability}"
    columns = ["system", "links", "kept", "threshold", "precision", "recall"]
    return Filtered(
        pl.DataFrame(rows, columns, orient="row"),
        pl.DataFrame(pl.from_arrow(pa.Table.from_batches(chosen))),
        pl.concat(curves),
        whole_signature("metric:links-filter", asked),
    )


def said(row: Row) -> str:
    """Return what is kept of a system, and what to expect of it."""
    links = number_of(row["links"], "link")
    if not row["kept"]:
        return f"{row['system']}: none of {links} kept."
    return (
        f"{row['system']}: {row['kept']:,} of {links} kept, those of a probability from "
        f"{row['threshold']:.4f} on; {row['precision']:.1%} of them are expected to be right, and "
        f"to be {row['recall']:.1%} of all right ones."
    )


def _names(batch: pa.RecordBatch) -> list[str]:
    return [str(name) for name in batch.column("system").cast(pa.string()).to_pylist()]


def _systems(batch: pa.RecordBatch) -> Array:
    """Return the system of each link."""
    sizes = batch.column("links").value_lengths().to_numpy(zero_copy_only=False)
    return np.repeat(np.array(_names(batch), object), sizes)


def _weights(batch: pa.RecordBatch, name: str) -> Array:
    """Return the probability of each link; refuse one that lacks it."""
    given = batch.column(PROBABILITIES).flatten()
    weights: Array = given.to_numpy(zero_copy_only=False)
    if number := int(np.isnan(weights.astype(np.float64)).sum()):
        raise InputError(
            f"{number_of(number, 'link')} without a probability",
            path=name,
            expected="one for every link",
        )
    return weights


def _number(ordered: Array, precision: float | None, probability: float | None) -> int:
    """Return how many of the most probable links are kept; those as probable are kept together."""
    if precision is None:
        return int(are_probable(ordered, probability or 0.0).sum())
    means = np.cumsum(ordered, dtype=np.float64) / np.arange(1, ordered.size + 1)
    last = np.append(np.diff(ordered) != 0, True)[: ordered.size]
    enough = np.flatnonzero(last & (means >= precision - _ROUNDING))
    return int(enough[-1]) + 1 if enough.size else 0


def _expected(ordered: Array, kept: int) -> tuple[float | None, float | None]:
    """Return the expected precision and recall of the most probable links."""
    right, of = float(ordered[:kept].sum(dtype=np.float64)), float(ordered.sum(dtype=np.float64))
    return right / kept if kept else None, right / of if of else None


def _curve(system: str, ordered: Array) -> pl.DataFrame:
    """Return what is expected of the links from each of many probabilities on."""
    steps: F64 = np.arange(STEPS) / STEPS
    numbers = ordered.size - np.searchsorted(ordered[::-1], steps.astype(ordered.dtype))
    rows = [
        (system, step, n, *_expected(ordered, n)) for step, n in zip(steps, numbers, strict=True)
    ]
    columns = {"system": pl.String, "threshold": pl.Float64, "links": pl.Int64}
    columns |= dict.fromkeys(("precision", "recall"), pl.Float64)
    return pl.DataFrame(rows, columns, orient="row")
