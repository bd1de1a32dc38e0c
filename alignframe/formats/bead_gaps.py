"""Turning beads listed sentence by sentence into spans, and closing gaps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError, number_of
from alignframe.formats.bead_table import (
    BeadReading,
    Spans,
    bead_table,
    probabilities,
    warn_of,
    way_out,
)


class Listed(NamedTuple):
    """A bead as listed in a file: its line, and the sentences of both sides."""

    line: int
    src: Sequence[int]
    tgt: Sequence[int]
    score: float | None


def gathered(found: list[Listed], reading: BeadReading) -> pa.Table:
    """Return listed beads, in the order of their file, as a table with the schema ``BEADS``."""
    # A bead with a gap becomes its whole span: skipped sentences are taken out of one-sided beads,
    # and two-sided beads that hold them become one with it.
    kept = [bead for bead in found if bead.src or bead.tgt]
    for what in ("source", "target"):
        _check(kept, what, reading)
    ordered = [bead._replace(src=sorted(bead.src), tgt=sorted(bead.tgt)) for bead in kept]
    turned = sum(
        list(written.src) != in_order.src or list(written.tgt) != in_order.tgt
        for written, in_order in zip(kept, ordered, strict=True)
    )
    kept = ordered
    warn_of(reading.path, len(found) - len(kept), "bead", "with both sides empty ignored")
    warn_of(reading.path, turned, "bead", "with sentences out of order sorted")
    if reading.gaps:
        return _in_parts(kept, reading)
    whole, joined = _joined(kept)
    # Lists of their own, because closing gaps moves sentences from one to another.
    sides = [[list(bead.src) for bead in whole], [list(bead.tgt) for bead in whole]]
    before = sum(len(numbers) for side in sides for numbers in side)
    gaps = _closed(sides[0], sides[1]) | _closed(sides[1], sides[0])
    spans, rows = _spans(sides)
    todo = "" if reading.as_written is None else f"; {way_out(reading.as_written)}"
    warn_of(reading.path, joined, "bead", f"merged with others that interleave{todo}")
    taken = before - sum(len(numbers) for side in sides for numbers in side)
    alone = f", with {number_of(taken, 'sentence')} from one-sided beads" if taken else ""
    said = f"that skipped a sentence extended to include it{alone}{todo}"
    warn_of(reading.path, len(gaps), "bead", said)
    scores = probabilities([bead.score for bead in whole], reading.path)
    return bead_table(reading.doc, spans, [scores[row] for row in rows])


def _in_parts(beads: list[Listed], reading: BeadReading) -> pa.Table:
    """Return beads as they are listed; one with a gap has a row for each run of both sides."""
    parts: list[tuple[tuple[int, int, int, int], str | None]] = []
    for bead in beads:
        # Its name has its type, and tells beads apart.
        name = f"{len(bead.src)}-{len(bead.tgt)} {bead.src}:{bead.tgt}"
        gap = _has_gap(bead.src) or _has_gap(bead.tgt)
        runs = ([*_runs(side)] or [(0, 0)] for side in (bead.src, bead.tgt))
        parts += [((*src, *tgt), name if gap else None) for src, tgt in product(*runs)]
    # In the order of `bead_table`.
    parts.sort(key=lambda part: (part[0][0], part[0][2]))
    spans = np.array([span for span, _ in parts], np.int64).reshape(-1, 4)
    names = pa.array([name for _, name in parts], pa.string())
    return bead_table(reading.doc, spans).append_column("part_of", names)


def _sides(bead: Listed) -> tuple[Sequence[int], Sequence[int]]:
    return bead.src, bead.tgt


def _check(beads: list[Listed], what: str, reading: BeadReading) -> None:
    """Refuse a side with a sentence in two beads, or twice in one."""
    owner: dict[int, int] = {}
    shared: dict[int, str] = {}
    for bead in beads:
        numbers = bead.src if what == "source" else bead.tgt
        for number in numbers:
            if number in owner and reading.as_written and owner[number] != bead.line:
                shared.setdefault(number, f"in the lines {owner[number]} and {bead.line}")
            elif number in owner:
                where = f"in the bead of line {owner[number]} as well"
                raise InputError(
                    f"the {what} sentence {number} occurs "
                    f"{'twice' if owner[number] == bead.line else where}",
                    line=bead.line,
                    expected="every sentence in one bead",
                    todo=way_out(reading.as_written),
                )
            owner[number] = bead.line
    for number, where in list(shared.items())[:1]:
        said = f"in two beads, the first ({number}) {where}"
        warn_of(reading.path, len(shared), f"{what} sentence", said)


def _joined(beads: list[Listed]) -> tuple[list[Listed], int]:
    """Join two-sided beads where one skips a sentence of the other, until none does."""
    size = [1] * len(beads)
    if not any(_has_gap(bead.src) or _has_gap(bead.tgt) for bead in beads):
        return beads, 0
    # A union may reach over further beads, so this repeats until no bead lies within another.
    while True:
        group = list(range(len(beads)))
        for side in (0, 1):
            owner = {
                number: row
                for row, bead in enumerate(beads)
                if bead.src and bead.tgt
                for number in _sides(bead)[side]
            }
            known = sorted(owner)
            for row, bead in enumerate(beads):
                for other in _between(_sides(bead)[side], known) if bead.src and bead.tgt else ():
                    _unite(group, row, owner[other])
        roots = [_root(group, row) for row in range(len(beads))]
        if roots == list(range(len(beads))):
            return beads, sum(number_joined for number_joined in size if number_joined > 1)
        parts: dict[int, list[int]] = {}
        for row, root in enumerate(roots):
            parts.setdefault(root, []).append(row)
        size = [sum(size[row] for row in rows) for rows in parts.values()]
        beads = [_union([beads[row] for row in rows]) for rows in parts.values()]


def _has_gap(numbers: Sequence[int]) -> bool:
    return bool(numbers) and numbers[-1] - numbers[0] >= len(numbers)


def _between(numbers: Sequence[int], known: list[int]) -> list[int]:
    """Return the known numbers between first and last of a side, if it has a gap."""
    if not _has_gap(numbers):
        return []
    return known[bisect_left(known, numbers[0]) : bisect_right(known, numbers[-1])]


def _union(beads: list[Listed]) -> Listed:
    """Merge beads into one, with the lowest of their probabilities."""
    if len(beads) == 1:
        return beads[0]
    src, tgt = (sorted(n for bead in beads for n in _sides(bead)[side]) for side in (0, 1))
    scores = [bead.score for bead in beads if bead.score is not None]
    score = min(scores) if len(scores) == len(beads) else None
    return Listed(beads[0].line, src, tgt, score)


def _root(group: list[int], row: int) -> int:
    while group[row] != row:
        row = group[row]
    return row


def _unite(group: list[int], first: int, second: int) -> None:
    """Merge the groups of two rows; a group's root is its first row."""
    low, high = sorted((_root(group, first), _root(group, second)))
    group[high] = low


def _closed(side: list[list[int]], others: list[list[int]]) -> set[int]:
    """Close the gaps of beads on a side with the skipped sentences, and return their rows."""
    owner = {number: row for row, numbers in enumerate(side) for number in numbers}
    gapped = [row for row, numbers in enumerate(side) if others[row] and _has_gap(numbers)]
    known = sorted(owner) if gapped else []
    for row in gapped:
        first, last = side[row][0], side[row][-1]
        for number in known[bisect_left(known, first) : bisect_right(known, last)]:
            if owner[number] != row:
                side[owner[number]].remove(number)
    return set(gapped)


def _spans(sides: list[list[list[int]]]) -> tuple[Spans, list[int]]:
    """Return spans, one per run of a one-sided bead's sentences, and the row of each."""
    spans: list[tuple[int, int, int, int]] = []
    rows: list[int] = []
    src_end = tgt_end = 0
    for row, (src, tgt) in enumerate(zip(*sides, strict=True)):
        if src and tgt:
            spans.append((src[0], src[-1] + 1, tgt[0], tgt[-1] + 1))
            src_end, tgt_end = spans[-1][1], spans[-1][3]
            rows.append(row)
            continue
        # The empty side lies at the end of the preceding bead in the file.
        for start, end in _runs(src or tgt):
            spans.append((start, end, tgt_end, tgt_end) if src else (src_end, src_end, start, end))
            src_end, tgt_end = spans[-1][1], spans[-1][3]
            rows.append(row)
    return np.array(spans, np.int64).reshape(-1, 4), rows


def _runs(numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield the runs of consecutive numbers, half-open."""
    start = 0
    for k in range(1, len(numbers) + 1):
        if k == len(numbers) or numbers[k] != numbers[k - 1] + 1:
            yield numbers[start], numbers[k - 1] + 1
            start = k
