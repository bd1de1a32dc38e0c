"""External scores, such as BLEU: one number per system."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, Bools
from alignframe.errors import InputError, number_of, warn
from alignframe.formats.external import read_external
from alignframe.sources.source import is_columns, is_path
from alignframe.sources.words import table_of
from alignframe.typing import IntoScores

FEWEST = 3
"""A line goes through any two points: a correlation needs three systems."""

DIGITS = 12
"""Figures are equal if they agree to this many digits of the largest one."""


def external_table(external: IntoScores) -> pl.DataFrame:
    """Return external scores as a checked table: system, score and, if given, group."""
    if isinstance(external, Mapping) and not is_columns(external, "system", "score"):
        names, scores, groups = [str(name) for name in external], list(external.values()), None
    else:
        table = table_of(
            read_external(external) if is_path(external) else external,
            "the table of external scores",
            ("system", "score"),
        )
        names, scores = ([*table[name].to_pylist()] for name in ("system", "score"))
        groups = table["group"].to_pylist() if "group" in table.column_names else None
    made = []
    seen: set[str] = set()
    for name, score in zip(names, scores, strict=True):
        if name is None:
            raise InputError(f"an external score of {score!r} without a system")
        if str(name) in seen:
            raise InputError(
                f"the system {name!r} has more than one external score", expected="one score each"
            )
        seen.add(str(name))
        made.append(_number(score, str(name)))
    columns: dict[str, object] = {
        "system": pl.Series([str(name) for name in names], dtype=pl.String),
        "score": pl.Series(made, dtype=pl.Float64),
    }
    if groups is not None:
        named = ["none" if group is None else str(group) for group in groups]
        columns["group"] = pl.Series(named, dtype=pl.String)
    return pl.DataFrame(columns)


def _number(score: Any, system: str) -> float:
    if score is None or (isinstance(score, float) and math.isnan(score)):
        raise InputError(
            f"the external score of the system {system!r} is missing",
            expected="a number for every system",
        )
    known = hasattr(score, "__float__") and not isinstance(score, (bool, str))
    if not known or not math.isfinite(float(score)):
        shown = float(score) if isinstance(score, Real) else score
        raise InputError(f"the external score {shown!r} of {system!r}", expected="a finite number")
    return float(score)


def match_scores(systems: Sequence[str], external: pl.DataFrame) -> F64:
    """Return the external score of each system, in their order, shape (systems,)."""
    scores = dict(external.select("system", "score").iter_rows())
    common = [name for name in systems if name in scores]
    lacking = [name for name in systems if name not in scores]
    extra = sorted(set(scores) - set(systems))
    if len(common) < FEWEST:
        raise InputError(
            f"{number_of(len(common), 'system')} with links and an external score "
            f"({', '.join(common) or 'none'}; without a score: {', '.join(lacking) or 'none'}; "
            f"without links: {', '.join(extra) or 'none'})",
            expected=f"at least {FEWEST}",
            todo="name systems as the scores do" if extra else "",
        )
    if lacking:
        raise InputError(
            f"no external score for {', '.join(lacking)}",
            expected="a score for every system",
            todo="add the scores, or omit these systems"
            + (f"; there are scores of {', '.join(extra)}" if extra else ""),
        )
    if extra:
        warn(
            f"{len(extra):,} external scores of systems without links were ignored: "
            f"{', '.join(extra)}"
        )
    matched = np.array([scores[name] for name in systems])
    if is_constant(matched):
        raise InputError(
            f"all external scores are {matched[0]:g}", expected="scores that are not all equal"
        )
    return matched


def is_constant(figures: F64) -> Bools:
    """Whether all figures along the last axis are equal, to ``DIGITS`` digits of the largest."""
    low, high = figures.min(axis=-1), figures.max(axis=-1)
    # Figures computed from other counts may differ in the last bits.
    same: Bools = high - low <= np.maximum(np.abs(low), np.abs(high)) * 10.0**-DIGITS
    return same


def with_ties(figures: F64) -> F64:
    """Return figures scaled and rounded along the last axis, so that equal ones tie as ranks."""
    largest = np.abs(figures).max(axis=-1, keepdims=True)
    rounded: F64 = np.round(figures / np.where(largest > 0, largest, 1.0), DIGITS)
    return rounded
