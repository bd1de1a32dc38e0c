"""Ids that lines of text begin with, before a tab: taken off, and compared or joined by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from os import PathLike, fspath

import numpy as np

from alignframe.core.arrays import I64
from alignframe.core.tokens import number_in
from alignframe.errors import InputError, guessed, number_of, warn
from alignframe.read.lines import SNIFFED, TextFile

LOOKED_AT = 1000
"""The number of lines that show what a text is like."""

# One word with a digit, or two; or a name and at least two numbers, such as `1 Samuel 3:16`.
_ID = re.compile(rb"[^\s\d]*\d\S*( \d\S*)?")
_VERSE = re.compile(rb"(\d ?)?[^\d\t]{1,40} \d+([:., ]\d+)+\S*")


def have_ids(data: bytes) -> bool:
    """Whether every line that is not blank begins with an id of its own and a tab."""
    lines = [line for line in data.split(b"\n", LOOKED_AT)[:LOOKED_AT] if line.strip(b" \r")]
    ids = [line.partition(b"\t")[0] for line in lines if b"\t" in line]
    # A single line with a tab has an id only if counting may start with it.
    enough = len(lines) > 1 or ids in ([b"0"], [b"1"])
    return enough and len(set(ids)) == len(lines) and are_ids(ids)


def are_behind_ids(file: TextFile) -> bool:
    """Whether all lines at the start of a file are an id and one text."""
    head = file.head(SNIFFED)
    whole = head[: head.rfind(b"\n") + 1] or head
    return cells_of(whole) == 2 and have_ids(whole)


def are_ids(cells: Sequence[bytes]) -> bool:
    """Whether all cells look like ids, also like numbers."""
    return all(_ID.fullmatch(cell) or _VERSE.fullmatch(cell) for cell in cells)


def cells_of(data: bytes) -> int:
    """Return how many cells between tabs all of the first lines have, 0 if they differ."""
    lines = [line for line in data.split(b"\n", LOOKED_AT)[:LOOKED_AT] if line.strip()]
    tabs = {line.count(b"\t") for line in lines}
    inner = any(b"\t" in line.strip() for line in lines)  # not only at the ends of lines
    return tabs.pop() + 1 if inner and len(tabs) == 1 else 0


def take_ids(lines: list[bytes], first: int) -> list[bytes]:
    """Take the ids off lines, and return them; blank lines have none."""
    ids = []
    for k, line in enumerate(lines):
        own, tab, lines[k] = line.partition(b"\t")
        if not tab and line.strip():
            begin = line.split(maxsplit=1)[:1]
            raise InputError(
                f"a line that begins with {begin[0].decode()[:60] if begin else ''!r}",
                line=first + k,
                expected="an id and a tab, as the previous lines begin with",
            )
        ids.append(own.strip())
    return ids


def rows_by_id(
    ids: Sequence[list[bytes]], paths: Sequence[str | PathLike[str]], *, whole: bool = False
) -> tuple[I64, I64] | None:
    """Return the lines of both sides that have the same id, in source order; None for all as given.

    Lines left out are counted in a warning; if both sides must be ``whole``, they are an error.
    """
    names = [fspath(path) for path in paths]
    if not all(ids):
        for side, name in zip(ids, names, strict=True):
            if not _rise(side):
                raise InputError(
                    f"{name} has ids that are not in order, and the other side has none",
                    expected="lines in the same order on both sides",
                    todo="sort it by id, and add lines that are missing",
                )
        return None
    if ids[0] == ids[1]:
        return None
    places = [dict(zip(side[::-1], range(len(side))[::-1], strict=True)) for side in ids]
    for side, place, name in zip(ids, places, names, strict=True):
        place.pop(b"", None)
        if len(place) < sum(map(bool, side)):
            own, line = next((own, k) for k, own in enumerate(side) if place.get(own, k) != k)
            raise InputError(
                f"the id {own.decode()[:60]!r} is also that of line {place[own] + 1:,}",
                path=name,
                line=line + 1,
                expected="each id once, as both sides have other ids",
            )
    both = [own for own in ids[0] if own in places[1]]
    # Of lines counted from 0 and from 1, those with the same number are not the same.
    counted = {number_in(side[0]) if side[0].isdigit() else -1 for side in ids} == {0, 1}
    lost = [len(place) - len(both) for place in places]
    if not both or (counted and all(map(_rise, ids))) or (whole and any(lost)):
        k = int(places[0].keys() <= places[1].keys())
        odd = next(own for own in ids[k] if own and own not in places[1 - k])
        raise InputError(
            f"the id {odd.decode()[:60]!r} is in {names[k]} and not in {names[1 - k]}",
            expected="lines with the same ids on both sides",
            todo="if the lines are in the same order, leave out their ids: cut -f2- FILE > TEXT",
        )
    said = f"{names[0]} and {names[1]} are joined by the ids of their lines"
    if any(lost):
        warn(
            f"{said}: {number_of(len(both), 'line')}; {lost[0]:,} only in {names[0]} and "
            f"{lost[1]:,} only in {names[1]} left out"
        )
    else:
        guessed(names[1], order="lines in the order of the ids of the other side")
    return np.array([places[0][own] for own in both]), np.array([places[1][own] for own in both])


def _rise(ids: list[bytes]) -> bool:
    """Whether ids are consecutive numbers, or not all numbers."""
    numbers = [number_in(own) for own in ids if own.isdigit()]
    return len(numbers) < len(ids) or all(b == a + 1 for a, b in pairwise(numbers))
