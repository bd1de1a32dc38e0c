"""Scores of the states of a corpus, and tests of the differences between two of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from alignframe.lake.fields import Field
from alignframe.stats.sample import Test
from alignframe.typing import Row

TESTED = {
    "value": pl.Float64,
    "baseline_value": pl.Float64,
    "difference": pl.Float64,
    "difference_low": pl.Float64,
    "difference_high": pl.Float64,
    "p_value": pl.Float64,
}
"""The figures of a test, by column."""


def score_of(field: Field, state: int, figure: str) -> Row:
    """Return a figure of a state with its interval, as far as it has them."""
    figures = field.placed(state, figure)
    if figures is None:
        return {
            "value": None,
            "value_low": None,
            "value_high": None,
            "sentences": field.rows[state],
        }
    sample, *place = figures
    low, high = sample.interval(*place)
    value = float(sample.observed[*place])
    ends = {"value": value, "value_low": low, "value_high": high}
    known = {name: None if np.isnan(end) else end for name, end in ends.items()}
    return {**known, "sentences": field.rows[state]}


def _test(field: Field, state: int, base: int, figure: str) -> tuple[Row, Test | None]:
    """Return the row of a test that needs none, or else the test."""
    nothing = dict.fromkeys(TESTED)
    here, other = field.placed(state, figure), field.placed(base, figure)
    values = [None if at is None else float(at[0].observed[*at[1:]]) for at in (here, other)]
    known = {"value": values[0], "baseline_value": values[1]}
    known = {name: None if x is None or np.isnan(x) else x for name, x in known.items()}
    if field.grounds[state] != field.grounds[base]:
        changed = {
            name
            for mine, before in zip(field.grounds[state], field.grounds[base], strict=True)
            for (name, now), (_, then) in zip(mine, before, strict=True)
            if now != then
        }
        why = " and ".join(sorted(changed))
        return nothing | known | {"verdict": f"not comparable: {why} changed"}, None
    if here is None or other is None:
        return nothing | known | {"verdict": ""}, None
    sample, mine, at = here
    test = (sample, mine, other[1], at)
    same = values[0] == values[1] and not sample.paired(*test[1:]).drawn.any()
    if state == base or same:  # or rewritten with the same counts
        return nothing | known | {"difference": 0.0, "verdict": "unchanged"}, None
    return {}, test


def tests_of(
    field: Field, pairs: Sequence[tuple[int, int, str]]
) -> dict[tuple[int, int, str], tuple[Row, Test | None]]:
    """Return the rows of tests of two states in a figure, and those tests that were made."""
    found = {pair: _test(field, *pair) for pair in pairs}
    made: dict[int, dict[tuple[int, int, str], Test]] = {}  # by sample
    for pair, (_, test) in found.items():
        if test is not None:
            made.setdefault(id(test[0]), {})[pair] = test
    for own in made.values():
        sample = next(iter(own.values()))[0]
        rows = sample.differences([test[1:] for test in own.values()])
        for (pair, test), row in zip(own.items(), rows, strict=True):
            known = {name: None if np.isnan(value) else value for name, value in row.items()}
            found[pair] = {**known, "verdict": ""}, test
    return found
