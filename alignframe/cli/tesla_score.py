"""Printing scores by TESLA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_interval, with_intervals
from alignframe.cli.show import print_note, print_table, save_table, written
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl

    from alignframe.tesla import Scored


def show_scored(found: Scored, words: Mapping[str, Any]) -> None:
    """Print the scores of systems, and perhaps write those of segments."""
    path = words["segments_file"]
    if path:
        save_table(found.segments, path, found.signature)
        print_note(f"{number_of(found.segments.height, 'segment')} written to {path}")
    if not written(found.systems, words["output"], words["as_json"], "scores"):
        _show(found.systems.to_dicts(), _title(words), found.signature)


def show_groups(frame: pl.DataFrame, words: Mapping[str, Any]) -> None:
    """Print scores by groups of segments."""
    if not written(frame, words["output"], words["as_json"], "scores"):
        mark = frame["signature"][0]
        print_table(with_intervals(frame.drop("signature")), title=_title(words), caption=mark)


def _title(words: Mapping[str, Any]) -> str:
    return f"TESLA-{words['metric'].upper()}"


def _show(systems: list[dict[str, Any]], title: str, caption: str) -> None:
    rows = []
    for row in systems:
        shown = {
            "system": row["system"],
            "score": with_interval(row["score"], (row["score_low"], row["score_high"])),
            "segments": row["segments"],
        }
        rows.append(shown)
    sizes = {row["segments"] for row in rows}
    if len(sizes) == 1:  # shown once, above the table
        number = sizes.pop()
        title = f"{title}, {number_of(number, 'segment')}"
        for row in rows:
            del row["segments"]
    print_table(rows, title=title, caption=caption)
