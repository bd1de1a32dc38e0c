"""Measures of systems, for evaluation against an external score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, I64
from alignframe.core.arrow import require_columns
from alignframe.core.figures import aer, alpha_name, checked_alphas, f_alpha
from alignframe.core.schemas import COUNTS
from alignframe.errors import InputError, number_of
from alignframe.sources.words import frame_of
from alignframe.stats.bootstrap import MAX_UNITS, unit_of
from alignframe.typing import IntoFrame, IntoScores

ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The values of α searched by Fraser & Marcu (2007, section 3.3)."""

ANNOTATIONS = ("sure-possible", "sure", "possible")
"""Which gold links count: both kinds (eq. 4), the Sure ones only, or all alike (eq. 5)."""


_NO_MEASURES = ("sentences", "links", "pieces", "pairs")
# Parts of the signature of scores that do not affect the figures themselves.
_OF_SCORES = ("alignframe:", "metric:", "bootstrap:")


class LinkMeasure(NamedTuple):
    """A measure's name, its annotation (if known), and its α (if it has one)."""

    name: str
    annotation: str | None
    alpha: float | None


ONE_MINUS_AER = LinkMeasure("1-aer", "sure-possible", None)


@dataclass(frozen=True)
class Measured:
    """Systems and their measures."""

    systems: list[str]
    measures: list[LinkMeasure]
    figures: F64  # (measures, systems); undefined ones are NaN
    per_unit: F64 | None  # (units, parts x 5): counts of each resampled unit
    # The number of parts of each system (1, or its pieces), over which its figures are means.
    parts: I64
    # The parts of the signature that describe how the figures were computed.
    choices: tuple[str, ...] = ()
    subset: str = ""  # parts of the signature: which sentences and links were counted

    def take(self, systems: Sequence[int]) -> Measured:
        """Return some of the systems by index."""
        owner = np.repeat(np.arange(len(self.systems)), self.parts)
        cells = np.repeat(np.isin(owner, systems), len(COUNTS))
        return replace(
            self,
            systems=[self.systems[at] for at in systems],
            figures=self.figures[:, systems],
            per_unit=None if self.per_unit is None else self.per_unit[:, cells],
            parts=self.parts[systems],
        )


def mean_of_parts(figures: F64, parts: I64) -> F64:
    """Return the mean over each system's parts, along the last axis; NaN if one is undefined."""
    if (parts == 1).all():
        return figures
    starts = np.cumsum(parts) - parts
    means: F64 = np.add.reduceat(figures, starts, axis=-1) / parts
    return means


def measure_values(scores: IntoFrame, *, alpha: Sequence[float] = ALPHAS) -> pl.DataFrame:
    """Return every measure of every system, one row each.

    Parameters
    ----------
    scores, alpha
        See ``alignframe.stats.correlate``. With a column ``piece``, a value is the mean over the
        pieces of the system.

    Returns
    -------
    polars.DataFrame
        The columns system, measure, annotation, alpha and value; an undefined value is null.

    Examples
    --------
    >>> from alignframe import links, stats
    >>> scores = links.score(["0-0 1-2"], ["0-0 1-1"]).scores
    >>> stats.measure_values(scores, alpha=[0.5]).select("measure", "value").rows()[:3]
    [('precision', 0.5), ('recall', 0.5), ('1-aer', 0.5)]
    """
    measured = measure(scores, alpha)
    rows = [
        {
            "system": system,
            "measure": measured_by.name,
            "annotation": measured_by.annotation,
            "alpha": measured_by.alpha,
            "value": value,
        }
        for measured_by, line in zip(measured.measures, measured.figures.tolist(), strict=True)
        for system, value in zip(measured.systems, line, strict=True)
    ]
    schema = {
        "system": pl.String,
        "measure": pl.String,
        "annotation": pl.String,
        "alpha": pl.Float64,
        "value": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col("value").fill_nan(None))


_SUBSET = ("subset:", "min-probability:", "outside:", "nulls:")


def measure(scores: IntoScores, alpha: Sequence[float] | float) -> Measured:
    """Return the measures from a table of counts or of scores."""
    alphas = sorted(checked_alphas(alpha))
    frame = frame_of(scores, "the table of counts or scores", ["system"]).with_columns(
        pl.col("system").cast(pl.String)
    )
    if frame["system"].null_count():
        raise InputError("a row without a system", expected="the system of every row")
    if set(COUNTS) & set(frame.columns):
        require_columns(frame.to_arrow().schema, COUNTS, "the table of counts")
        measured = _of_counts(frame, alphas)
    else:
        measured = _of_scores(frame)
    return replace(measured, subset=_subset(frame))


def _subset(frame: pl.DataFrame) -> str:
    """Return the parts of a table's signature that say what was counted of the gold links."""
    if "signature" not in frame.columns:
        return ""
    said = frame["signature"].cast(pl.String).drop_nulls().unique(maintain_order=True)
    parts = dict.fromkeys("|".join(said).split("|"))
    return "|".join(part for part in parts if part.startswith(_SUBSET))


def _of_counts(frame: pl.DataFrame, alphas: Sequence[float]) -> Measured:
    for name in COUNTS:
        column = frame[name]
        # Not `any(< 0)`, which NaN would pass.
        if not column.dtype.is_numeric() or column.null_count() or not (column >= 0).all():
            raise InputError(
                f"a column {name} of type {column.dtype} with {column.null_count()} missing "
                f"values and the smallest {column.min()!r}",
                expected="counts from 0",
            )
    frame = frame.with_columns(pl.col(COUNTS).cast(pl.Float64))
    by = ["system", "piece"] if "piece" in frame.columns else ["system"]
    has_sid = "sid" in frame.columns
    counts = frame.select(*by, *(["sid"] if has_sid else []), *COUNTS)
    per_unit = _per_unit(counts, by) if has_sid else None
    totals = counts.group_by(by).agg(pl.col(COUNTS).sum()).sort(by)
    parts = totals.group_by("system").len().sort("system")
    sizes = parts["len"].cast(pl.Int64).to_numpy()
    all_sure = bool((totals["n_sure"] == totals["n_possible"]).all())
    return Measured(
        parts["system"].to_list(),
        [
            ONE_MINUS_AER,
            *(LinkMeasure(alpha_name(a), kind, a) for kind in ANNOTATIONS for a in alphas),
        ],
        mean_of_parts(figures_of(totals.select(COUNTS).to_numpy(), alphas), sizes),
        per_unit,
        sizes,
        (
            "from:counts",
            f"possible:{'as-sure' if all_sure else 'includes-sure'}",
            f"average:{'corpus' if by == ['system'] else 'pieces'}",
        ),
    )


def figures_of(counts: F64, alphas: Sequence[float]) -> F64:
    """Return 1 - AER, then F at every α for each annotation, shape (measures, ..., systems)."""
    # Counts, shape (..., systems, 5), are in the order of `COUNTS`.
    hyp, sure, possible, hyp_sure, hyp_possible = np.moveaxis(counts, -1, 0)
    # In F, recall counts links that must be found, precision links that may be found.
    pairs = ((sure, hyp_sure, hyp_possible), (sure, hyp_sure, hyp_sure))
    every = (*pairs, (possible, hyp_possible, hyp_possible))
    figures = [1 - aer(hyp, sure, hyp_sure, hyp_possible)]
    figures += [f_alpha(alpha, hyp, *three) for three in every for alpha in alphas]
    return np.stack(figures)


def _per_unit(counts: pl.DataFrame, by: Sequence[str]) -> F64:
    """Return counts of shape (units, parts x 5), the parts in order next to each other."""
    if counts["sid"].null_count() or not counts["sid"].dtype.is_integer():
        raise InputError(
            f"a column sid of type {counts['sid'].dtype} with {counts['sid'].null_count()} "
            "missing values",
            expected="a whole number for every sentence",
        )
    twice = counts.filter(pl.struct(*by, "sid").is_duplicated())
    if twice.height:
        raise InputError(
            f"{_part(twice.select(by).row(0))} has counts of sentence {twice['sid'][0]} more than "
            "once",
            expected="one row per system and sentence",
        )
    number = counts["sid"].n_unique()
    for *part, own in counts.group_by(by).len().sort(by).iter_rows():
        if own != number:
            raise InputError(
                f"{_part(part)} has counts of {own:,} of {number_of(number, 'sentence')}",
                expected="the same sentences for every system",
                todo="make it with links.score(...).counts, which takes a missing one as empty",
            )
    unit = pl.col("sid").cast(pl.Int64)
    if number > MAX_UNITS:
        sids = counts["sid"].cast(pl.Int64).to_numpy()
        counts = counts.with_columns(sid=pl.Series(unit_of(sids)))
    summed = counts.group_by(unit, *by).agg(pl.col(COUNTS).sum()).sort("sid", *by)
    matrix: F64 = summed.select(COUNTS).to_numpy()
    return matrix.reshape(summed["sid"].n_unique(), -1)


def _part(names: Sequence[str]) -> str:
    """Return the name of a system or a piece of it, for messages."""
    system, *piece = names
    return f"the system {system!r}" + "".join(f", piece {name}," for name in piece)


def _of_scores(frame: pl.DataFrame) -> Measured:
    again = frame.filter(pl.col("system").is_duplicated())["system"].to_list()
    if again:
        raise InputError(
            f"the system {again[0]!r} has more than one row of scores",
            expected="one row per system",
            todo="choose one group of each system",
        )
    names = [
        name
        for name, kind in frame.schema.items()
        if kind.is_numeric()
        and name not in _NO_MEASURES
        and not (name.endswith(("_low", "_high")) and name.rpartition("_")[0] in frame.columns)
    ]
    if not names:
        raise InputError(
            f"a table with the columns {', '.join(frame.columns)}",
            expected=f"counts ({', '.join(COUNTS)}), or scores: numbers in other columns",
        )
    ordered = frame.sort("system")
    figures = ordered.select(pl.col(names).cast(pl.Float64)).to_numpy().T.copy()
    figures[~np.isfinite(figures)] = np.nan
    for at, name in enumerate(names):
        if name == "aer":
            figures[at] = 1 - figures[at]
    marks = ordered["signature"].cast(pl.String).to_list() if "signature" in frame.columns else []
    parts = dict.fromkeys(part for mark in marks if mark for part in mark.split("|"))
    choices = [part for part in parts if not part.startswith(_OF_SCORES)]
    as_sure = "possible:as-sure" in choices
    return Measured(
        ordered["system"].to_list(),
        [_named(name, "possible" if as_sure else "sure-possible") for name in names],
        figures,
        None,
        np.ones(ordered.height, np.int64),
        ("from:scores", *choices),
    )


def _named(column: str, annotation: str) -> LinkMeasure:
    """Return the measure in a column of ``links.score``, or one with another name."""
    if column == "aer":
        return ONE_MINUS_AER._replace(annotation=annotation)
    try:
        alpha = float(column.removeprefix("f_")) if column.startswith("f_") else None
    except ValueError:
        alpha = None
    return LinkMeasure(column, None if alpha is None else annotation, alpha)
