"""Noisy documents with known alignment, made from parallel ones.

Zaidan & Chowdhary 2013, sections 3.1 and 4.2. Random numbers are from numpy's PCG64, with a
separate stream for each side.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.document import DocumentSide, parallel
from alignframe.beads.joined import smallest_beads
from alignframe.core.arrays import I64, Bools
from alignframe.core.choices import SCENARIOS
from alignframe.errors import BELOW_1, FROM_0, InputError, check_known, make_plain
from alignframe.options import checked
from alignframe.sources.texts import text_array
from alignframe.typing import BelowOne, IntoSentences, Rare, Seed

RATED = ("delete", "combine")
"""The scenarios that have rates."""


@dataclass(frozen=True, eq=False)
class Noisy:
    """A document with noise.

    Attributes
    ----------
    src, tgt
        The sentences of each side.
    gold
        The correct alignment, with the columns of ``alignframe.core.schemas.BEADS``: every sentence
        is in one bead; one without a translation is in a 1-0 or 0-1 bead.
    scenario
        Kind of noise: clean, delete, combine, randomize, length-aligned or different, which needs
        ``other``.
    src_rate, tgt_rate
        The share of sentences deleted, or of pairs combined; 0 in other scenarios.
    seed
        The random seed.

    Examples
    --------
    >>> from alignframe import beads
    >>> noisy = beads.randomize(["One.", "Two."], ["Un.", "Deux."])
    >>> noisy.scenario, noisy.src_rate, noisy.gold.height
    ('randomize', 0.0, 2)
    """

    src: pl.Series
    tgt: pl.Series
    gold: pl.DataFrame
    scenario: str
    src_rate: float = 0.0
    tgt_rate: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        make_plain(self)


@checked
def noise(
    scenario: str,
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    rate: BelowOne | None = None,
    src_rate: BelowOne | None = None,
    tgt_rate: BelowOne | None = None,
    seed: Seed = 1,
    other: IntoSentences | None = None,
    unit: Rare[str] = "words",
    words: Rare[str] = "letters",
) -> Noisy:
    """Make a noisy document from a parallel one.

    Parameters
    ----------
    scenario
        Kind of noise: clean, delete, combine, randomize, length-aligned or different, which needs
        ``other``.
    src, tgt
        Parallel sentences. Blank sentences are kept; they and their counterparts count as
        untranslated.
    rate
        Share of sentences to delete, or of pairs to combine, on each side.
    src_rate
        Rate of the source side alone; 0 by default.
    tgt_rate
        Rate of the target side alone; 0 by default.
    seed
        Random seed of the noise.
    other
        The target sentences of ``different``, which may be more or fewer.
    unit
        Unit of length in length-aligned. ``words``: lengths are numbers of words; ``characters``:
        of characters other than white space.
    words
        See ``alignframe.beads.Options``.

    Raises
    ------
    InputError
        If the scenario is unknown, the sides differ in length, or a rate does not fit the scenario.

    Examples
    --------
    >>> from alignframe import beads
    >>> src, tgt = ["One.", "Two.", "Three.", "Four."], ["Un.", "Deux.", "Trois.", "Quatre."]
    >>> noisy = beads.noise("delete", src, tgt, src_rate=0.5)
    >>> len(noisy.src), len(noisy.tgt)
    (2, 4)
    """
    check_known("`scenario`", scenario, SCENARIOS)
    rates = [rate if own is None else own for own in (src_rate, tgt_rate)]
    if scenario not in RATED and any(rates):
        given = {"rate": rate, "src_rate": src_rate, "tgt_rate": tgt_rate}
        named = " and ".join(f"`{name}`" for name, value in given.items() if value)
        raise InputError(
            f"{named} with the scenario {scenario}", expected="rates only with delete or combine"
        )
    if rate is not None and (src_rate is not None or tgt_rate is not None):
        raise InputError(
            "`rate` with `src_rate` or `tgt_rate`",
            expected="either the rate of both sides, or of each",
        )
    if scenario in RATED and rates == [None, None]:
        raise InputError(
            f"no rate for {scenario}",
            todo="give `rate` for both sides, or `src_rate` and `tgt_rate`",
        )
    if (scenario == "different") != (other is not None):
        raise InputError(
            "no `other` text" if other is None else f"`other` with the scenario {scenario}",
            expected="`other` with the scenario different, and with no other scenario",
        )
    if scenario == "delete":
        return delete(src, tgt, rates[0] or 0.0, rates[1] or 0.0, seed)
    if scenario == "combine":
        return combine(src, tgt, rates[0] or 0.0, rates[1] or 0.0, seed)
    if scenario == "randomize":
        return randomize(src, tgt, seed)
    if scenario == "length-aligned":
        return length_aligned(src, tgt, seed, unit=unit, words=words)
    return clean(src, tgt) if other is None else different(src, other)


def clean(src: IntoSentences, tgt: IntoSentences) -> Noisy:
    """Return a parallel document unchanged.

    Examples
    --------
    >>> from alignframe import beads
    >>> beads.clean(["One.", "Two."], ["Un.", "Deux."]).gold.select("src_start", "tgt_start").rows()
    [(0, 0), (1, 1)]
    """
    pair = _Pair(src, tgt)
    every = np.arange(pair.size)
    return pair.chosen((every, every), "clean")


def delete(
    src: IntoSentences, tgt: IntoSentences, src_rate: float, tgt_rate: float, seed: int = 1
) -> Noisy:
    """Delete ``round(rate * n)`` of the n sentences of each side, chosen at random.

    The sides are independent: a sentence may stay while its translation is deleted.

    Examples
    --------
    >>> from alignframe import beads
    >>> src, tgt = ["One.", "Two.", "Three.", "Four."], ["Un.", "Deux.", "Trois.", "Quatre."]
    >>> noisy = beads.delete(src, tgt, src_rate=0, tgt_rate=0.25)
    >>> noisy.tgt.to_list()
    ['Un.', 'Deux.', 'Trois.']
    >>> noisy.gold.select("src_start", "src_end", "tgt_start", "tgt_end").rows()
    [(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3), (3, 4, 3, 3)]
    """
    pair = _Pair(src, tgt)
    kept: list[I64] = []
    BELOW_1.checked(src_rate, "`src_rate`"), BELOW_1.checked(tgt_rate, "`tgt_rate`")
    for rate, draw in zip((src_rate, tgt_rate), _streams(seed), strict=True):
        gone = draw.choice(pair.size, round(rate * pair.size), replace=False)
        kept.append(np.delete(np.arange(pair.size), gone))
    return pair.chosen(kept, "delete", (src_rate, tgt_rate), seed)


def combine(
    src: IntoSentences, tgt: IntoSentences, src_rate: float, tgt_rate: float, seed: int = 1
) -> Noisy:
    """Join ``round(rate * n)`` pairs of adjacent sentences on each side, of n, by a space.

    All choices of that many disjoint pairs are equally likely. At rate 0.5, an odd sentence is left
    over. Gold beads are the smallest that keep translations together.

    Examples
    --------
    >>> from alignframe import beads
    >>> src, tgt = ["One.", "Two.", "Three.", "Four."], ["Un.", "Deux.", "Trois.", "Quatre."]
    >>> beads.combine(src, tgt, src_rate=0.25, tgt_rate=0).src.to_list()
    ['One. Two.', 'Three.', 'Four.']
    """
    pair = _Pair(src, tgt)
    places: list[I64] = []
    for rate, draw in zip((src_rate, tgt_rate), _streams(seed), strict=True):
        if not 0 <= rate <= 0.5:
            raise InputError(
                f"a rate of {rate:g} (`rate`, `src_rate` or `tgt_rate`)", expected="0 to 0.5"
            )
        size = min(round(rate * pair.size), pair.size // 2)
        # With k pairs joined, n - k sentences remain, any k of which may be the joined ones.
        joined = draw.choice(pair.size - size, size, replace=False)
        sizes = np.ones(pair.size - size, np.int64)
        sizes[joined] = 2
        places.append(np.repeat(np.arange(sizes.size), sizes))
    both = pair.linked
    return _noisy(
        _joined(pair.src, places[0]),
        _joined(pair.tgt, places[1]),
        smallest_beads(_count(places[0]), _count(places[1]), places[0][both], places[1][both]),
        "combine",
        src_rate,
        tgt_rate,
        seed,
    )


def randomize(src: IntoSentences, tgt: IntoSentences, seed: int = 1) -> Noisy:
    """Shuffle both sides independently.

    Examples
    --------
    >>> from alignframe import beads
    >>> beads.randomize(["One.", "Two.", "Three."], ["Un.", "Deux.", "Trois."]).src.to_list()
    ['Two.', 'One.', 'Three.']
    """
    pair = _Pair(src, tgt)
    orders: list[I64] = [draw.permutation(pair.size) for draw in _streams(seed)]
    return pair.chosen(orders, "randomize", seed=seed)


def length_aligned(
    src: IntoSentences,
    tgt: IntoSentences,
    seed: int = 1,
    *,
    unit: str = "words",
    words: str = "letters",
) -> Noisy:
    """Pair target sentences with source sentences of about the same length.

    In random order, each source sentence takes a remaining target sentence, at random among those
    closest in length to its own length times the ratio of both sides' total lengths.

    Examples
    --------
    >>> from alignframe import beads
    >>> src = ["One.", "Two words.", "Three short words."]
    >>> tgt = ["Trois petits mots.", "Un.", "Deux mots."]
    >>> beads.length_aligned(src, tgt).tgt.to_list()
    ['Un.', 'Deux mots.', 'Trois petits mots.']
    """
    pair = _Pair(src, tgt)
    draw = _streams(seed)[1]
    src_lengths, tgt_lengths = (
        np.nan_to_num(DocumentSide(texts, words).lengths(unit)).astype(np.int64)
        for texts in (pair.src, pair.tgt)
    )
    taken = _closest(src_lengths, tgt_lengths, draw)
    return pair.chosen((np.arange(pair.size), taken), "length-aligned", seed=seed)


def different(src: IntoSentences, other_tgt: IntoSentences) -> Noisy:
    """Pair source sentences with target sentences of another document; no bead has both sides.

    Examples
    --------
    >>> from alignframe import beads
    >>> noisy = beads.different(["One.", "Two."], ["Chapitre premier."])
    >>> noisy.gold.select("src_start", "src_end", "tgt_start", "tgt_end").rows()
    [(0, 1, 0, 0), (1, 2, 0, 0), (2, 2, 0, 1)]
    """
    sides = text_array(src), text_array(other_tgt)
    none = np.zeros(0, np.int64)
    return _noisy(*sides, smallest_beads(len(sides[0]), len(sides[1]), none, none), "different")


def _noisy(src: pa.Array, tgt: pa.Array, gold: pa.Table, scenario: str, *drawn: Any) -> Noisy:
    return Noisy(
        pl.Series("src", pl.from_arrow(src)),
        pl.Series("tgt", pl.from_arrow(tgt)),
        pl.DataFrame(pl.from_arrow(gold)),
        scenario,
        *drawn,
    )


class _Pair:
    """Line-parallel sentences, and which of them have a translation."""

    def __init__(self, src: IntoSentences, tgt: IntoSentences) -> None:
        self.src, self.tgt = parallel(src, tgt)
        self.size = len(self.src)
        self.linked = _has_text(self.src) & _has_text(self.tgt)

    def chosen(
        self,
        numbers: Sequence[I64],
        scenario: str,
        rates: tuple[float, float] = (0.0, 0.0),
        seed: int = 1,
    ) -> Noisy:
        """Return the document of the sentences with these numbers on each side, in that order."""
        src, tgt = (_places(chosen_numbers, self.size) for chosen_numbers in numbers)
        both = self.linked & (src >= 0) & (tgt >= 0)
        return _noisy(
            self.src.take(pa.array(numbers[0])),
            self.tgt.take(pa.array(numbers[1])),
            smallest_beads(numbers[0].size, numbers[1].size, src[both], tgt[both]),
            scenario,
            *rates,
            seed,
        )


def _places(numbers: I64, size: int) -> I64:
    """Return the new position of each sentence; -1 if deleted."""
    places = np.full(size, -1)
    places[numbers] = np.arange(numbers.size)
    return places


def _streams(seed: int) -> list[np.random.Generator]:
    """Return a random number generator per side."""
    seed = FROM_0.checked(seed, "`seed`")
    seeds = np.random.SeedSequence(seed).spawn(2)
    return [np.random.Generator(np.random.PCG64(child)) for child in seeds]


def _has_text(texts: pa.StringArray) -> Bools:
    return pl.Series("s", pl.from_arrow(texts)).str.contains(r"\S").to_numpy()


def _count(place: I64) -> int:
    return int(place[-1]) + 1 if place.size else 0


def _joined(texts: pa.StringArray, place: I64) -> pa.StringArray:
    """Join the texts at the same position; blank ones disappear."""
    frame = pl.DataFrame({"place": place, "text": pl.from_arrow(texts)})
    written = pl.col("text").filter(pl.col("text").str.contains(r"\S"))
    parts = frame.group_by("place", maintain_order=True).agg(
        written.str.join(" ").alias("joined"),
        pl.col("text").first().alias("first"),
        pl.len().alias("n"),
    )
    kept = pl.when(pl.col("n") == 1).then("first").otherwise("joined")
    return text_array(parts.select(kept.alias("text"))["text"].to_arrow())


def _closest(src: I64, tgt: I64, draw: np.random.Generator) -> I64:
    """Return the number of the target sentence taken by each source sentence."""
    # Relative lengths are compared as integers, multiplied by both sides' sums, so that ties are
    # exact.
    total = int(src.sum()), int(tgt.sum())
    scale = total if all(total) else (1, 1)
    waiting: dict[int, list[int]] = {}
    for number, length in enumerate(tgt.tolist()):
        waiting.setdefault(length * scale[0], []).append(number)
    lengths = sorted(waiting)
    taken = np.zeros(src.size, np.int64)
    for source in draw.permutation(src.size).tolist():
        wanted = int(src[source]) * scale[1]
        at = bisect_left(lengths, wanted)
        near = lengths[max(at - 1, 0) : at + 1]
        least = min(abs(length - wanted) for length in near)
        lists = [waiting[length] for length in near if abs(length - wanted) == least]
        # Ties, which may be shorter and longer, are drawn evenly.
        pick = int(draw.integers(sum(map(len, lists))))
        chosen = lists[0] if pick < len(lists[0]) else lists[1]
        pick -= 0 if chosen is lists[0] else len(lists[0])
        # The last one takes the place of the one drawn: cheaper than removing it.
        chosen[pick], chosen[-1] = chosen[-1], chosen[pick]
        taken[source] = chosen.pop()
        if not chosen:
            gone = next(length for length in near if not waiting[length])
            lengths.remove(gone)
    return taken
