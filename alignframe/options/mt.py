"""Options of the translation system."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike
from typing import Self, TypedDict

from alignframe.core.choices import ORDERS, RESAMPLES, TUNED
from alignframe.options import Limited, limited
from alignframe.typing import Confidence, FromOne, FromZero, Rare, Resamples, Seed


class SearchOptions(TypedDict, total=False):
    """The fields of ``Search``, as keywords."""

    pop: int
    distortion: int
    options: int


class _Part(Limited):
    """Options that are a part of a function's keywords."""

    @classmethod
    def taken(cls, keywords: dict[str, object]) -> Self:
        """Take the options from keywords, and leave the others."""
        names = [option.name for option in fields(cls) if option.name in keywords]  # type: ignore[arg-type]
        return cls(**{name: keywords.pop(name) for name in names})


@dataclass(frozen=True)
class Search(_Part):
    """The decoder's search.

    Parameters
    ----------
    pop
        Partial translations considered per stack; more is better but slower.
    distortion
        Distortion limit: maximum number of words jumped over.
    options
        Maximum number of translations per source phrase.
    """

    pop: Rare[int] = limited(100, low=1, high=100_000)
    distortion: Rare[int] = limited(6, low=0, high=60)
    options: Rare[int] = limited(20, low=1, high=1_000_000)

    @property
    def signature(self) -> str:
        """The signature."""
        return f"pop:{self.pop}|distortion:{self.distortion}|options:{self.options}"


class _LineSearch(_Part):
    """Options with which line search finds weights."""

    rounds: int
    restarts: int
    seed: int

    @property
    def signature(self) -> str:
        """The signature of what line search does."""
        return f"rounds:{self.rounds}|restarts:{self.restarts}|seed:{self.seed}"


@dataclass(frozen=True)
class Tuning(_LineSearch):
    """How weights are tuned.

    Parameters
    ----------
    reordering
        Also tune the features of lexicalised reordering.
    n_best
        Translations per sentence that a round adds.
    rounds
        Maximum number of rounds of translating; tuning ends when one finds nothing new.
    restarts
        Random starts of line search.
    seed
        Random seed of the starts.
    work
        Folder that keeps the rounds, from which interrupted tuning resumes.
    """

    reordering: bool = False
    n_best: FromOne = 100
    rounds: Rare[FromOne] = 10
    restarts: Rare[FromZero] = 20
    seed: Seed = 1
    work: str | PathLike[str] | None = None


@dataclass(frozen=True)
class Judging(_LineSearch):
    """How alignments are judged by translation.

    Parameters
    ----------
    order
        The side that comes first in links, including gold: with ``tgt-src``, translation is in the
        opposite direction to alignment.
    tuned
        ``once``: weights are tuned on one system; ``each``: on each; ``none``: uses the weights
        given, and needs no development set.
    tune_on
        Alignment to tune on once; the first by default.
    reordering, rounds, restarts
        See ``Tuning``.
    bootstrap
        Number of resamples for intervals, of scores over test sentences and of correlations; 0 for
        none.
    confidence, seed
        The confidence level of the intervals, and the random seed of tuning and of intervals.
    """

    order: str = limited("src-tgt", choices=ORDERS)
    tuned: str = limited("once", choices=TUNED)
    tune_on: str | None = None
    reordering: bool = False
    rounds: Rare[FromOne] = 10
    restarts: Rare[FromZero] = 20
    bootstrap: Resamples = RESAMPLES
    confidence: Confidence = 0.95
    seed: Seed = 1
