"""Planning which sentence pairs are aligned together, for alignments of varying quality.

With less text an aligner is worse, with more it is better (Fraser & Marcu 2007, section 2.3).
Nothing is read or run here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from alignframe.errors import InputError, number_of, plain

FRACTIONS = (16, 8, 4, 2)
"""The numbers of pieces that Fraser & Marcu 2007 cut a bitext into."""

MULTIPLES = (2, 4, 8)
"""Multiples of the bitext that they aligned together."""


@dataclass(frozen=True)
class Run:
    """One alignment of the whole bitext."""

    name: str  # 1-16 for sixteen pieces, 1 for the whole, x2 for twice the text
    # The first row of each piece, and the row after its last.
    bounds: tuple[tuple[int, int], ...]
    extra: int = 0  # pairs of extra text aligned with it, and dropped afterwards

    @property
    def pieces(self) -> list[str]:
        """Names of the pieces, zero-padded so that they sort: 01, 02, ..., 16."""
        width = len(str(len(self.bounds)))
        return [f"{number:0{width}d}" for number in range(1, len(self.bounds) + 1)]


def plan_runs(
    sentences: int,
    *,
    extra: int | None = None,
    fractions: Sequence[int] = FRACTIONS,
    multiples: Sequence[int] | None = None,
) -> list[Run]:
    """Plan runs of an aligner, from least to most text.

    Parameters
    ----------
    sentences
        The number of sentence pairs in the bitext.
    extra
        The number of pairs of extra text; None for no extra text.
    fractions
        Numbers of pieces; 16 means runs on sixteenths of the bitext.
    multiples
        Multiples of the bitext's size to align together; by default 2, 4 and 8 if there is extra
        text.

    Returns
    -------
    list of Run
        The fractions, the whole (always), and the multiples. The pieces of a run are consecutive,
        cover the bitext once, and differ in size by at most one.

    Raises
    ------
    InputError
        If there is no sentence pair, a fraction or multiple is below 2, there are more pieces than
        sentence pairs, or the extra text is too short.

    Examples
    --------
    >>> [(run.name, run.bounds) for run in plan_runs(5, fractions=[2])]
    [('1-2', ((0, 2), (2, 5))), ('1', ((0, 5),))]
    """
    if sentences < 1:
        raise InputError("a bitext without sentence pairs", expected="at least one")
    if multiples is None:
        multiples = () if extra is None else MULTIPLES
    pieces = sorted({plain(number) for number in fractions}, reverse=True)
    runs = [_fraction(number, sentences) for number in pieces]
    runs.append(Run("1", ((0, sentences),)))
    runs += [_multiple(times, sentences, extra) for times in sorted(set(map(plain, multiples)))]
    return runs


def _fraction(pieces: int, sentences: int) -> Run:
    if not isinstance(pieces, int) or pieces < 2:
        raise InputError(
            f"`fractions` has {pieces!r}",
            expected="whole numbers from 2, such as 16 for sixteenths",
            todo="the whole bitext is always aligned",
        )
    if pieces > sentences:
        raise InputError(
            f"{number_of(pieces, 'piece')} of a bitext of {number_of(sentences, 'sentence pair')}",
            expected="at least one pair per piece",
            todo="omit this fraction",
        )
    starts = [number * sentences // pieces for number in range(pieces + 1)]
    return Run(f"1-{pieces}", tuple(pairwise(starts)))


def _multiple(times: int, sentences: int, extra: int | None) -> Run:
    if not isinstance(times, int) or times < 2:
        raise InputError(
            f"`multiples` has {times!r}",
            expected="whole numbers from 2, such as 8 for eight times the text",
        )
    if extra is None:
        raise InputError(
            f"no extra text for {times} times the bitext",
            todo="give an extra bitext, or omit the multiples",
        )
    needed = (times - 1) * sentences
    if extra < needed:
        raise InputError(
            f"{number_of(extra, 'pair')} of extra text",
            expected=f"{needed:,} for {times} times the bitext's {sentences:,}",
            todo="give more extra text, or omit this multiple",
        )
    return Run(f"x{times}", ((0, sentences),), needed)


def plan_table(runs: Sequence[Run], gold: int, passes: int, *, gold_apart: bool) -> pl.DataFrame:
    """Return the cost of the runs, one row per run: pieces, pairs and runs of the aligner."""
    rows = []
    for run in runs:
        sizes = [end - start for start, end in run.bounds]
        texts = [size + run.extra for size in sizes]
        # Gold text is aligned with every piece, which may be aligned again without it.
        texts = [size + gold for size in texts] + (texts if gold_apart else [])
        rows.append(
            {
                "run": run.name,
                "pieces": len(sizes),
                "piece_pairs": max(sizes),
                "gold_pairs": gold,
                "extra_pairs": run.extra,
                "alignments": passes * len(texts),
                "total_pairs": passes * sum(texts),
            }
        )
    return pl.DataFrame(rows)
