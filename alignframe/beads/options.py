"""Options of sentence aligners."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import numpy as np

from alignframe.arrays import I64
from alignframe.beads.document import WORDS
from alignframe.choices import BEAD_METHODS, SENTENCE_ALIGNERS, UNITS
from alignframe.errors import InputError, is_number, make_plain, unknown
from alignframe.kernels.ragged import frozen
from alignframe.version import __version__

METHODS = SENTENCE_ALIGNERS
"""The aligners that need only text, simplest first."""

ANY_SIZE = ("lex", "vectors")
"""The aligners with beads of more than two sentences per side."""


@dataclass(frozen=True)
class Priors:
    """Prior probabilities of bead types.

    Parameters
    ----------
    skip
        Of a sentence without translation, on either side: 1-0 and also 0-1.
    merge
        Of two sentences with one translation: 2-1 and also 1-2.
    two_two
        Of two sentences with two that cannot be split: 2-2. At 0 there are none.

    Examples
    --------
    >>> from alignframe.beads import Priors
    >>> Priors(skip=0.05).merge
    0.02
    """

    skip: float = 0.01
    merge: float = 0.02
    two_two: float = 0.0

    def __post_init__(self) -> None:
        make_plain(self)

    @property
    def one_one(self) -> float:
        """The prior of 1-1: the rest."""
        return 1.0 - 2.0 * self.skip - 2.0 * self.merge - self.two_two


GALE_CHURCH = Priors(skip=0.00495, merge=0.0445, two_two=0.011)
"""Those of Gale & Church (1993), table 5."""

LEX = Priors(skip=0.02, merge=0.06, two_two=0.006)
"""The initial priors of lex; later it uses the document's own frequencies."""

OWN_PRIORS = {"gale-church": GALE_CHURCH, "lex": LEX}
"""Priors of methods that do not use the defaults of ``Priors``."""

MAX_LARGEST = 6
"""The maximum number of sentences on a side of a bead."""


class FilterOptions(TypedDict, total=False):
    """The fields of ``Options`` that every function takes as keywords."""

    merge: float | None
    two_two: float | None
    band: float
    unit: str | None
    words: str
    smoothing: float | None
    largest: int | None


class BeadOptions(FilterOptions, total=False):
    """The fields of ``Options`` except method, as keywords."""

    threshold: float | None
    skip: float | None


@dataclass(frozen=True)
class Options:
    """Options of a sentence aligner.

    Parameters
    ----------
    method
        ``lex``: by lengths, cognates, and translations learnt in both directions from the beads
        found so far, in rounds, with beads of any size; ``len``: by lengths (Brown et al. 1991, in
        Moore's form); ``mre``: by lengths, then by lengths and translations learnt from the
        document itself (Moore 2002); ``mre+``: the same with a given translation model;
        ``gale-church``: by lengths in characters; ``vectors``: by sentence embeddings alone
        (Thompson & Koehn 2019).
    threshold
        Return only beads with sentences on both sides that are more probable than this (0.99 in
        Zaidan & Chowdhary 2013). By default, return the beads of the best path, which cover every
        sentence.
    skip, merge, two_two
        See ``Priors``; by default the method's own.
    band
        The initial half-width, in sentences, of the band around the diagonal that is searched; it
        is widened by half until the best path keeps a quarter of it clear.
    unit
        The unit of lengths, one of ``UNITS``; by default the method's own.
    words
        How sentences are split into words, one of ``WORDS``.
    smoothing
        The weight of a target word's unigram probability in its translation probability; by default
        the method's own. Only ``mre``, ``mre+`` and ``lex`` use words.
    largest
        The maximum number of sentences on a side of a bead of ``lex`` or ``vectors``, up to 6; both
        sides together have at most one more. Other methods have 2.

    Examples
    --------
    >>> from alignframe.beads import Options
    >>> Options("mre", threshold=0.99).band
    20.0
    """

    method: str = "lex"
    threshold: float | None = None
    skip: float | None = None
    merge: float | None = None
    two_two: float | None = None
    band: float = 20.0
    unit: str | None = None
    words: str = "words"
    smoothing: float | None = None
    largest: int | None = None
    priors: Priors = field(init=False, repr=False)

    def __post_init__(self) -> None:
        make_plain(self)
        for name, value, known in (
            ("method", self.method, BEAD_METHODS),
            ("unit", self.unit, (None, *UNITS)),
            ("words", self.words, WORDS),
        ):
            if value not in known:
                raise unknown(name, value, known)
        for name in ("threshold", "skip", "merge", "two_two", "smoothing"):
            number = getattr(self, name)
            if number is not None and not (is_number(number) and 0.0 <= number < 1.0):
                raise InputError(
                    f"{name} {number!r}", expected="a number of at least 0 and below 1"
                )
        if self.skip is not None and not self.skip > 0.0:
            raise InputError(f"skip {self.skip!r}", expected="a number above 0, below 1")
        if self.smoothing is not None and self.method not in SMOOTHING:
            raise InputError(
                f"a smoothing for {self.method}, which does not use words",
                expected=f"smoothing only with {' or '.join(SMOOTHING)}",
            )
        if self.method == "vectors":
            for name in ("skip", "merge", "two_two", "unit"):
                if getattr(self, name) is not None:
                    raise InputError(
                        f"{name} for vectors", expected=f"{name} only with other methods"
                    )
        self._check_largest()
        if not (is_number(self.band) and 1.0 <= self.band < float("inf")):
            raise InputError(
                f"a band of {self.band!r}", expected="a number of sentences of at least 1"
            )
        given = {name: getattr(self, name) for name in ("skip", "merge", "two_two")}
        own = OWN_PRIORS.get(self.method, Priors())
        priors = replace(own, **{name: p for name, p in given.items() if p is not None})
        if priors.one_one <= 0.0:
            raise InputError(
                f"priors of {priors.skip} (1-0), {priors.merge} (2-1) and {priors.two_two} (2-2)",
                expected="2 skip + 2 merge + two_two below 1",
            )
        object.__setattr__(self, "priors", priors)
        if self.unit is None:
            unit = "characters" if self.method == "gale-church" else "words"
            object.__setattr__(self, "unit", unit)
        if self.smoothing is None:
            object.__setattr__(self, "smoothing", SMOOTHING.get(self.method))

    def _check_largest(self) -> None:
        if self.largest is None:
            object.__setattr__(self, "largest", MAX_LARGEST if self.method in ANY_SIZE else 2)
        elif self.method not in ANY_SIZE and self.largest != 2:
            raise InputError(
                f"a largest bead for {self.method}",
                expected=f"largest only with {' or '.join(ANY_SIZE)}; otherwise 2 sentences per "
                "side",
            )
        elif isinstance(self.largest, bool) or self.largest not in range(1, MAX_LARGEST + 1):
            raise InputError(
                f"largest {self.largest!r}", expected=f"a number from 1 to {MAX_LARGEST}"
            )

    @property
    def signature(self) -> str:
        """Every choice that can change a bead."""
        p = self.priors
        parts = [
            f"alignframe:{__version__}|beads:{self.method}",
            f"threshold:{'best-path' if self.threshold is None else self.threshold}",
        ]
        if self.method != "vectors":
            parts += [
                f"priors:skip-{p.skip:g},merge-{p.merge:g},two-two-{p.two_two:g}",
                f"band:{self.band:g}|unit:{self.unit}|words:{self.words}",
            ]
        if self.method in SMOOTHING:
            parts.append(f"smoothing:{self.smoothing:g}")
        if self.method in ANY_SIZE:
            parts.append(f"largest:{self.largest}")
        return "|".join(parts)


def sizes_up_to(largest: int) -> I64:
    """Return the kinds of beads with at most ``largest`` + 1 sentences, 1-1 first."""
    sizes = [(m, n) for m in range(1, largest + 1) for n in range(1, largest + 2 - m)]
    return frozen(np.array(sorted(sizes, key=lambda size: (sum(size), min(size))), np.int64))


SMOOTHING = {"mre": 0.5, "mre+": 0.5, "lex": 0.4}
"""The default of each method that uses words: the best value on real documents."""

NOISE_SMOOTHING = {"mre+": 0.3}
"""The defaults under noise that differ. With more, mre+ pairs more unrelated sentences of matching
length, and finds fewer pairs where sentences are deleted."""


def for_noise(method: str, **options: Any) -> Options:
    """Return options with the smoothing for noisy text, unless it is given."""
    if options.get("smoothing") is None:
        options["smoothing"] = NOISE_SMOOTHING.get(method)
    return Options(method, **options)
