"""Scenarios of noise: the paper's, their text, and the documents made by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from alignframe.beads.noise import RATED, Noisy, different, noise
from alignframe.core.choices import SCENARIOS
from alignframe.errors import InputError, unknown_name
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


TABLE_1 = (
    Setting("clean"),
    Setting("delete", 0.05, 0.05),
    Setting("combine", 0.05, 0.05),
    Setting("randomize"),
    Setting("length-aligned"),
)
"""The scenarios of table 1 of Zaidan & Chowdhary 2013."""


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
    words: str = "letters",
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


def read_scenarios(
    scenarios: str | Iterable[str | Setting], *, other: bool = False
) -> list[Setting]:
    """Return distinct scenarios with their rates.

    Parameters
    ----------
    scenarios
        ``paper`` for the 53 of its section 4.2, plus ``different`` if there is another text. Or a
        list of ``Setting`` or of strings such as ``clean``, ``delete:0.05:0.1`` (rates of source
        and target), ``combine:0.05`` (the same rate on both), ``delete`` (the paper's 35 settings)
        or ``combine`` (its 15).
    other
        Whether there is another text.

    Raises
    ------
    InputError
        If a scenario is unknown, or its rates or the other text do not fit it.

    Examples
    --------
    >>> from alignframe import beads
    >>> for setting in beads.read_scenarios(["clean", "combine:0.05"]):
    ...     print(*setting)
    clean 0.0 0.0
    combine 0.05 0.05
    """
    given = [scenarios] if isinstance(scenarios, str) else list(scenarios)
    if given == ["paper"]:
        return [*settings(), *[Setting("different")] * other]
    settings_read = [setting for text in given for setting in _settings(text)]
    if not settings_read:
        raise InputError("no scenarios", expected="paper, or at least one")
    if other != any(setting.scenario == "different" for setting in settings_read):
        raise InputError(
            f"{'no other' if not other else 'another'} target text",
            expected="another text with the scenario different, and with no other scenario",
        )
    return list(dict.fromkeys(settings_read))


def name_of(setting: Setting) -> str:
    """Return a scenario with its rates as a string for ``read_scenarios``."""
    scenario, *rates = setting
    return ":".join([scenario, *(str(rate) for rate in rates if scenario in RATED)])


def _settings(given: str | Setting) -> list[Setting]:
    if isinstance(given, str):
        scenario, *texts = given.split(":")
        if scenario in RATED and not texts:
            return [known for known in settings() if known.scenario == scenario]
        rates = [_number(text, given) for text in (texts * 2 if len(texts) == 1 else texts)]
    else:
        scenario, *rates = given
    if scenario not in SCENARIOS:
        raise unknown_name("`scenario`", scenario, ("paper", *SCENARIOS))
    if len(rates) > 2 or (isinstance(given, str) and rates and scenario not in RATED):
        expected = "at most two rates" if scenario in RATED else f"{scenario}, without rates"
        raise InputError(f"the scenario {given!r}", expected=expected)
    setting = Setting(scenario, *rates)
    check_rates(setting)
    return [setting]


def check_rates(setting: Setting) -> None:
    """Raise an InputError if the rates do not fit the scenario."""
    scenario, *rates = setting
    for rate in rates:
        fits = {"delete": 0.0 <= rate < 1.0, "combine": 0.0 <= rate <= 0.5}.get(scenario, not rate)
        if not fits:
            expected = {"delete": "0 or more, below 1", "combine": "0 to 0.5"}
            raise InputError(
                f"a `rate` of {rate:g} for {scenario}",
                expected=expected.get(scenario, "no rate"),
            )


def _number(text: str, given: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text!r} in the scenario {given!r} is not a number", expected="such as delete:0.05"
        ) from None
