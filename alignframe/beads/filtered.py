"""A filtered parallel text: its lines, and the shares kept of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64, I64
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError
from alignframe.result import Result
from alignframe.sources.texts import text_array
from alignframe.typing import Progress


@dataclass(frozen=True, repr=False)
class Filtered(Result):
    """A filtered parallel text.

    Attributes
    ----------
    lines
        One row per line: line (its number, from 1), kept, score (the probability that both
        sentences translate each other; null if not considered), group (null without groups); with
        the classifier also one column per feature (see ``FEATURES``).
    shares
        One row per group in order of its first line, and one for all, with a null group: group,
        lines, kept, share (of the lines), src_words, src_words_kept, tgt_words, tgt_words_kept;
        with aligners also moved and merged, the numbers of beads above the threshold with sentences
        from two lines, and with more than two sentences, which are not kept.
    signature
        The choices that affect what is kept.
    threshold
        Lines with a higher score are kept.
    thresholds, noise, weights
        With the classifier only: errors at thresholds, the share of each kind of noise dropped, and
        feature weights; see ``alignframe.beads.classifier.Judge``.
    texts
        Returns both sides of the lines, batch by batch, for the page.

    Examples
    --------
    >>> from alignframe import beads
    >>> src, tgt = ["One boat.", "A long line of words."], ["Un bateau.", "Oui."]
    >>> found = beads.filter(src, tgt, method="len", threshold=0.9)
    >>> found.lines.select("line", "kept").rows()
    [(1, True), (2, True)]
    """

    lines: pl.DataFrame
    shares: pl.DataFrame
    signature: str
    threshold: float
    thresholds: pl.DataFrame | None = None
    noise: pl.DataFrame | None = None
    weights: pl.DataFrame | None = None
    texts: Callable[[], Iterable[Sequence[pa.Array]]] | None = None


class JudgedLines(NamedTuple):
    """The lines of a document, their probabilities (NaN if not considered), and other beads."""

    rows: I64
    score: F64
    moved: int
    merged: int


class Wanted(NamedTuple):
    """Which lines are filtered: their groups, those of them to filter, and a progress callback."""

    groups: Sequence[str] | pa.Array | None = None
    only: Sequence[str] | None = None
    progress: Progress | None = None

    def names(self, size: int) -> pl.Series:
        """Return the group of each line, null if there are none."""
        groups, only = self.groups, self.only
        if groups is None:
            if only is not None:
                raise InputError("`only` needs `groups`, the group of each line")
            return pl.repeat(None, size, dtype=pl.String, eager=True)
        names = pl.Series("group", pl.from_arrow(text_array(groups)))
        if len(names) != size:
            raise InputError(f"{len(names):,} group names for {size:,} lines", expected="one each")
        if only is not None:
            known = names.unique(maintain_order=True).to_list()
            for name in [only] if isinstance(only, str) else only:
                if name not in known:
                    shown = ", ".join(map(repr, known[:10])) + ", ..." * (len(known) > 10)
                    raise InputError(
                        f"`only` has the group {name!r}", expected=f"groups among {shown}"
                    )
            if isinstance(only, str) or not only:
                raise InputError(f"`only` is {only!r}", expected="a list of names")
        return names


def table_of(
    names: pl.Series, rows: I64, judgements: list[JudgedLines], threshold: float
) -> pl.DataFrame:
    """Return the table of lines with their groups, given the indices of scored lines."""
    score = np.full(len(names), np.nan)
    judged = np.zeros(len(names), np.bool_)
    for document in judgements:
        score[document.rows] = document.score
        judged[document.rows] = True
    return pl.DataFrame(
        {
            "line": rows + 1,
            "kept": ~judged | (score > threshold),
            "score": pl.Series(score).fill_nan(None),
            "group": names,
        }
    )


def tally(lines: pl.DataFrame, words: Sequence[I64]) -> pl.DataFrame:
    """Return the numbers of lines and words per group, in total and kept."""
    counted = [pl.Series(f"{side}_words", some) for side, some in zip(SIDES, words, strict=True)]
    sums = [
        pl.len().cast(pl.Int64).alias("lines"),
        pl.col("kept").sum().cast(pl.Int64),
        *chain.from_iterable(
            (
                pl.col(f"{side}_words").sum(),
                pl.col(f"{side}_words").filter("kept").sum().alias(f"{side}_words_kept"),
            )
            for side in SIDES
        ),
        pl.col("^(moved|merged)$").sum(),
    ]
    return lines.with_columns(*counted).group_by("group", maintain_order=True).agg(sums)


def shares_of(tallies: list[pl.DataFrame], *, grouped: bool) -> pl.DataFrame:
    """Return the shares kept of each group, and of all."""
    counts = (
        pl.concat(tallies).group_by("group", maintain_order=True).agg(pl.exclude("group").sum())
    )
    whole = counts.select(pl.lit(None, pl.String).alias("group"), pl.exclude("group").sum())
    frame = pl.concat([counts, whole]) if grouped else whole
    share = (pl.col("kept") / pl.col("lines")).alias("share")
    return frame.select("group", "lines", "kept", share, pl.exclude("group", "lines", "kept"))
