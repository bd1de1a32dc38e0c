"""Beads that a file lists sentence by sentence become spans; their gaps are closed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.bead_table import Spans, bead_table, probabilities, warn_of


class Listed(NamedTuple):
    """A bead as a file lists it: its line, and the sentences of both sides."""

    line: int
    src: Sequence[int]
    tgt: Sequence[int]
    score: float | None


def gathered(found: list[Listed], doc: str, path: str | PathLike[str]) -> pa.Table:
    """Return listed beads as a table with the schema ``BEADS``, sorted by source and target.

    A bead with a gap becomes its whole span if the sentences skipped stand nowhere else, or in
    beads without another side, which lose them. An empty side stands at the end of the bead that
    the file has before it. Beads with both sides empty are ignored. What is repaired or ignored is
    counted in a ``DataWarning``.

    Raises
    ------
    InputError
        If a sentence stands in two beads, a bead's sentences do not rise, or a gap holds a
        sentence of another bead; with the lines of both.
    """
    kept = [bead for bead in found if bead.src or bead.tgt]
    sides = [[list(bead.src) for bead in kept], [list(bead.tgt) for bead in kept]]
    gaps: set[int] = set()
    before = sum(len(numbers) for side in sides for numbers in side)
    for side, others, what in ((sides[0], sides[1], "source"), (sides[1], sides[0], "target")):
        gaps |= _closed(side, others, [bead.line for bead in kept], what, path)
    spans, rows = _spans(sides)
    warn_of(path, len(found) - len(kept), "beads with both sides empty were ignored")
    taken = before - sum(len(numbers) for side in sides for numbers in side)
    alone = f", with {taken:,} sentences that stood alone" if taken else ""
    warn_of(path, len(gaps), f"beads that skip a sentence became whole spans{alone}")
    scores = probabilities([bead.score for bead in kept], path)
    return bead_table(doc, spans, [scores[row] for row in rows])


def _closed(
    side: list[list[int]],
    others: list[list[int]],
    lines: list[int],
    what: str,
    path: str | PathLike[str],
) -> set[int]:
    """Check one side of all beads, let beads with gaps take what they skip, and return those."""
    owner: dict[int, int] = {}
    for row, numbers in enumerate(side):
        for k, number in enumerate(numbers):
            if k and number <= numbers[k - 1]:
                raise InputError(
                    f"the {what} sentences {numbers[k - 1]} and {number} in this order",
                    path=path,
                    line=lines[row],
                    expected="rising numbers in a bead",
                )
            if number in owner:
                raise InputError(
                    f"the {what} sentence {number} stands in the bead of line "
                    f"{lines[owner[number]]} as well",
                    path=path,
                    line=lines[row],
                    expected="every sentence in one bead",
                )
            owner[number] = row
    gapped = [
        row
        for row, numbers in enumerate(side)
        if numbers and others[row] and numbers[-1] - numbers[0] >= len(numbers)
    ]
    known = sorted(owner) if gapped else []
    for row in gapped:
        first, last = side[row][0], side[row][-1]
        for number in known[bisect_left(known, first) : bisect_right(known, last)]:
            other = owner[number]
            if other == row:
                continue
            if others[other]:
                raise InputError(
                    f"a bead skips the {what} sentence {number}, which stands in the bead of "
                    f"line {lines[other]}",
                    path=path,
                    line=lines[row],
                    expected="a run of sentences on each side",
                )
            side[other].remove(number)
    return set(gapped)


def _spans(sides: list[list[list[int]]]) -> tuple[Spans, list[int]]:
    """Return the spans of beads, and the row each comes from.

    A bead without another side gives one span for each run of its sentences. Of a bead with two
    sides, the first and last sentence of each count.
    """
    spans: list[tuple[int, int, int, int]] = []
    rows: list[int] = []
    src_end = tgt_end = 0
    for row, (src, tgt) in enumerate(zip(*sides, strict=True)):
        if src and tgt:
            spans.append((src[0], src[-1] + 1, tgt[0], tgt[-1] + 1))
            src_end, tgt_end = spans[-1][1], spans[-1][3]
            rows.append(row)
            continue
        for start, end in _runs(src or tgt):
            spans.append((start, end, tgt_end, tgt_end) if src else (src_end, src_end, start, end))
            src_end, tgt_end = spans[-1][1], spans[-1][3]
            rows.append(row)
    return np.array(spans, np.int64).reshape(-1, 4), rows


def _runs(numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield the runs of rising numbers, half-open."""
    start = 0
    for k in range(1, len(numbers) + 1):
        if k == len(numbers) or numbers[k] != numbers[k - 1] + 1:
            yield numbers[start], numbers[k - 1] + 1
            start = k
