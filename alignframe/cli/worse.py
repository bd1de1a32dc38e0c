"""Commands that fail if a figure became significantly worse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from alignframe.cli.cells import title_of
from alignframe.cli.option import outputs
from alignframe.errors import Bounds, check_known

if TYPE_CHECKING:
    import polars as pl

    from alignframe.cli.command import Words

FAILING = (
    outputs(
        "--fail-if-worse",
        str,
        "End with status 1 if this figure of a system is significantly worse than the baseline's.",
        None,
        metavar="FIGURE",
    ),
    outputs(
        "--tolerance",
        float,
        "The largest difference that --fail-if-worse allows although it is significant.",
        0.0,
        rare=True,
        needs="fail_if_worse",
        bounds=Bounds(0),
    ),
)


def figure_of(known: Sequence[str], words: Words) -> str:
    """Return the figure by which a command is to fail, which must be known."""
    figure: str = words["fail_if_worse"]
    check_known("figure in `fail_if_worse`", figure, known)
    return figure


def fail_if_any(tests: pl.DataFrame, lower: set[str], level: float, words: Words) -> None:
    """End the command with status 1 if a difference is for the worse, significant and large.

    ``lower`` are the figures that are better if lower, ``level`` the largest p-value.
    """
    import polars as pl

    from alignframe.cli.show import print_note

    known = dict.fromkeys(tests["measure"]) if "measure" in tests.columns else ["precision"]
    figure = figure_of([*known], words)
    loss = pl.col("difference") * (1 if figure in lower else -1)
    p_value = pl.col("p_corrected" if "p_corrected" in tests.columns else "p_value")
    found = tests.filter(loss > words["tolerance"], p_value < level)
    if "measure" in found.columns:
        found = found.filter(measure=figure)
    for row in found.iter_rows(named=True):
        name = row["lexicon"] if "lexicon" in row else row["system"]
        where = f" on {row['corpus']}" if row.get("corpus") else ""
        base = next(row[at] for at in ("baseline", "baseline_run", "other") if at in row)
        size = f"{title_of(figure)} by {abs(row['difference']):.4f}"
        print_note(f"worse than {base}: {name}{where}, {size}")
    if found.height:
        raise SystemExit(1)
