"""The paper's grid of noisy documents from one parallel document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from alignframe.beads.noise import Noisy, different, noise
from alignframe.typing import IntoSentences

DELETIONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25)
COMBINATIONS = (0.0, 0.05, 0.1, 0.15)
"""Rates of each side; 0 on both is the clean document."""


class Setting(NamedTuple):
    """A scenario and its rates.

    Examples
    --------
    >>> from alignframe.beads import Setting
    >>> Setting("delete", 0.1, 0.2)
    Setting(scenario='delete', src_rate=0.1, tgt_rate=0.2)
    """

    scenario: str
    src_rate: float = 0.0
    tgt_rate: float = 0.0


def settings() -> list[Setting]:
    """Return the 53 scenarios of one parallel document (Zaidan & Chowdhary 2013, section 4.2).

    Examples
    --------
    >>> from alignframe import beads
    >>> len(beads.settings()), beads.settings()[1]
    (53, Setting(scenario='delete', src_rate=0.0, tgt_rate=0.05))
    """
    noisy = [
        Setting(scenario, *rates)
        for scenario, known in (("delete", DELETIONS), ("combine", COMBINATIONS))
        for rates in product(known, repeat=2)
        if any(rates)
    ]
    return [Setting("clean"), *noisy, Setting("randomize"), Setting("length-aligned")]


def grid(
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    seed: int = 1,
    other: tuple[IntoSentences, IntoSentences] | None = None,
    unit: str = "words",
    words: str = "words",
) -> Iterator[Noisy]:
    """Yield the paper's noisy documents made from a parallel one, lazily.

    Parameters
    ----------
    src, tgt, seed, unit, words
        See ``noise``; all documents use the same seed.
    other
        The sides of another parallel document. With it, each document's source is also paired with
        the other's target, the scenario ``different``.

    Yields
    ------
    Noisy
        53 documents: one clean, 35 with deletions, 15 with combinations, one randomized, one
        length-aligned; two more with ``other``.

    Examples
    --------
    >>> from alignframe import beads
    >>> src, tgt = ["One.", "Two.", "Three.", "Four."], ["Un.", "Deux.", "Trois.", "Quatre."]
    >>> found = list(beads.grid(src, tgt))
    >>> len(found), found[0].scenario, found[-1].scenario
    (53, 'clean', 'length-aligned')
    """
    for setting in settings():
        yield noise(
            setting.scenario,
            src,
            tgt,
            src_rate=setting.src_rate,
            tgt_rate=setting.tgt_rate,
            seed=seed,
            unit=unit,
            words=words,
        )
    if other is not None:
        yield different(src, other[1])
        yield different(other[0], tgt)
