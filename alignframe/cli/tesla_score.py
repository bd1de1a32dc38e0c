"""Printing scores by TESLA."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alignframe.cli.command import Words
from alignframe.cli.show import (
    Data,
    Pieces,
    Rows,
    print_note,
    save_table,
    scores_rows,
)
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl

    from alignframe.tesla import Scored


def show_scored(found: Scored, words: Words) -> Pieces:
    """Print the scores of systems, and perhaps write those of segments."""
    path = words["segments_file"]
    if path:
        save_table(found.segments, path, found.signature)
        print_note(f"{number_of(found.segments.height, 'segment')} written to {path}")
    yield Data(scores=found.systems)
    shown = found.systems.select("system", "score", "score_low", "score_high", "segments")
    yield replace(scores_rows(shown, _title(words)), caption=found.signature)


def show_groups(frame: pl.DataFrame, words: Words) -> Pieces:
    """Print scores by groups of segments."""
    yield Data(scores=frame)
    yield Rows(frame, _title(words))


def _title(words: Words) -> str:
    return f"TESLA-{words['metric'].upper()}"
