"""Printing scores and comparisons of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.cli.cells import with_intervals
from alignframe.cli.show import SHOWN, print_table, signature_of, written
from alignframe.errors import number_of

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


def deliver_scores(
    frame: pl.DataFrame, output: Path | None, as_json: bool, title: str, name: str = "scores"
) -> None:
    """Write scores to a file, and print them as JSON or as a table with intervals in the cells."""
    if written(frame, output, as_json, name):
        return
    shown = frame.drop("signature")
    if (
        "sentences" in frame.columns and frame["sentences"].n_unique() == 1
    ):  # shown once, above the table
        each = "" if frame["system"].is_unique().all() else " per group"
        title = f"{title}, {number_of(frame['sentences'][0], 'sentence')}{each}"
        shown = shown.drop("sentences")
    print_table(
        with_intervals(shown.head(SHOWN)),
        title=title,
        caption=signature_of(frame),
        left_out=max(frame.height - SHOWN, 0),
    )


def deliver_comparisons(
    frame: pl.DataFrame, output: Path | None, as_json: bool, baseline: str
) -> None:
    """Write differences from a baseline to a file, and print them as JSON or as a table."""
    if written(frame, output, as_json, "comparisons"):
        return
    shown = frame.drop("signature", "baseline", "baseline_value", "p_value")
    print_table(
        with_intervals(shown), title=f"Differences from {baseline}", caption=signature_of(frame)
    )
