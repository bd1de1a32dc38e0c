"""Filtering parallel text by a classifier, batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.classifier import judge
from alignframe.beads.filtered import Filtered, JudgedLines, Wanted, shares_of, table_of, tally
from alignframe.beads.learning import given_text
from alignframe.beads.line_pairs import LinePairs
from alignframe.beads.line_text import LineText
from alignframe.core.choices import CLASSIFIER
from alignframe.core.signatures import whole_signature
from alignframe.errors import number_of, warn
from alignframe.typing import IntoSentences

Sink: TypeAlias = Callable[[pl.DataFrame, pa.Array, pa.Array], None]
"""A function that receives lines (see ``Filtered``) and both their sides."""


def classified(
    text: LineText,
    wanted: Wanted,
    threshold: float | None,
    clean: tuple[IntoSentences, IntoSentences] | None,
    seed: int,
    words: str,
    writing: Callable[[str], Sink] | None,
) -> Filtered:
    """Filter lines by the classifier; see ``filter``."""
    names = None
    groups, only, progress = wanted
    if groups is not None or only is not None:
        names = wanted.names(len(text))
    chosen = None
    if names is not None and only:
        chosen = names.is_in(list(only)).fill_null(value=False).to_numpy()
    known = None if clean is None else given_text(*clean)
    judged = judge(text, chosen, known, words, seed, progress)
    limit = judged.suggested if threshold is None else threshold
    mark = whole_signature(
        f"filter:{CLASSIFIER}|threshold:{limit:g}|clean:{'own' if clean is None else 'given'}|"
        f"words:{words}|seed:{seed}"
    )
    batches: list[pl.DataFrame] = []
    # Lines that are written are not kept, so that memory does not grow.
    write = None if writing is None else writing(mark)
    tallies, first, foreign = [], 0, 0
    for sides in text.batches():
        rows = np.arange(first, first := first + len(sides[0]))
        own = np.arange(rows.size) if chosen is None else np.flatnonzero(chosen[rows])
        pairs = LinePairs.of(rows, *sides, words)
        score, columns = judged.score(pairs if own.size == rows.size else pairs.some(own))
        foreign += int(np.sum((score == 0.0) & text.full[rows[own]]))
        group = (
            pl.repeat(None, rows.size, dtype=pl.String, eager=True)
            if names is None
            else names[rows]
        )
        lines = table_of(group, rows, [JudgedLines(own, score, 0, 0)], limit)
        columns = columns.with_columns(line=pl.Series(rows[own] + 1))
        lines = lines.join(columns, on="line", how="left", maintain_order="left")
        tallies.append(tally(lines, [np.diff(side.at) for side in pairs.sides]))
        if write is None:
            batches.append(lines)
        else:
            write(lines, *sides)
    if foreign:
        warn(
            f"{number_of(foreign, 'line')} mostly in a script other than those of the text "
            f"({', '.join(judged.scripts.names)}), which score 0"
        )
    shares = shares_of(tallies, grouped=groups is not None)
    every = pl.concat(batches) if batches else lines.clear()
    return Filtered(every, shares, mark, limit, judged.thresholds, judged.noise, judged.weights)
