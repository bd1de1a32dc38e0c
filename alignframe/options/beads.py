"""Options of sentence aligners."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from alignframe.core.choices import BEAD_METHODS, SENTENCE_ALIGNERS, UNITS, WORDS
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, is_number, make_plain
from alignframe.options import Limited, limited
from alignframe.typing import BelowOne, Inside, Rare

METHODS = SENTENCE_ALIGNERS
"""The aligners that need only text, simplest first."""

BY_LENGTHS = ("len", "gale-church")
"""The aligners that need only lengths."""

ANY_SIZE = ("lex", "vectors")
"""The aligners with beads of more than two sentences per side."""

NOISE_SMOOTHING = {"mre+": 0.3}
"""The defaults under noise that differ. With more, mre+ pairs more unrelated sentences of matching
length, and finds fewer pairs where sentences are deleted."""


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


def _own(usual: object, **others: object) -> dict[str, object]:
    """Return the default of each aligner of text."""
    return dict.fromkeys(METHODS, usual) | {
        name.replace("_", "-"): value for name, value in others.items()
    }


@dataclass(frozen=True)
class Options(Limited):
    """Options of a sentence aligner.

    Parameters
    ----------
    method
        ``lex``: by lengths, similarly spelt words, and words learnt from the beads found so far, in
        rounds, with beads of up to 6 sentences per side; ``len``: by lengths (Brown et al. 1991, in
        Moore's form); ``mre``: by lengths, and by words learnt from sentences that lengths align
        reliably (Moore 2002); ``mre+``: by lengths and a model; ``gale-church``: by lengths in
        characters; ``vectors``: by sentence embeddings alone (Thompson & Koehn 2019).
    threshold
        Keep only beads with both sides that are more probable than this; by default the best path,
        which covers every sentence.
    skip
        Prior probability of an untranslated sentence, on either side; 0.01 by default (gale-church:
        0.00495; lex: 0.02 initially).
    merge
        Prior probability of a 2-1 bead, and of a 1-2 bead; 0.02 by default (gale-church: 0.0445;
        lex: 0.06 initially).
    two_two
        Prior probability of a 2-2 bead; 0 by default (gale-church: 0.011; lex: 0.006 initially).
    band
        Initial half-width of the search band around the diagonal, in sentences; it is widened by
        half until the best path keeps a quarter of it clear.
    unit
        Unit of length. ``words``: lengths are numbers of words; ``characters``: of characters other
        than white space. By default words (gale-church: characters).
    words
        What counts as a word. ``letters``: lower-cased runs of letters and digits, single
        punctuation marks, single Chinese or Japanese characters; ``spaces``: what is between
        spaces; ``characters``: single characters; ``unicode``: as word aligners split raw text,
        with clitics and Thai words apart, which is slower.
    smoothing
        For mre, mre+ and lex: share of a word's probability that comes from its frequency alone;
        0.5 by default (lex: 0.4). A lower one finds fewer wrong pairs, and often fewer right ones.
    largest
        For lex and vectors: maximum number of sentences of a bead on one side, up to 6; 6 by
        default. Both sides together have at most one more.

    Examples
    --------
    >>> from alignframe.beads import Options
    >>> Options("mre", threshold=0.99).skip
    0.01
    """

    # A field is all that an option needs. ``own`` has the defaults of the methods that take it, if
    # not all do, and ``tried`` the values that are tried in tuning.
    method: str = limited("lex", choices=BEAD_METHODS)
    threshold: BelowOne | None = limited(None, tried=(0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995))
    # The priors of gale-church are those of Gale & Church (1993), table 5; later, lex uses the
    # frequencies in the document itself.
    skip: Rare[Inside | None] = limited(
        None,
        own=_own(0.01, gale_church=0.00495, lex=0.02),
        tried=(0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    )
    merge: Rare[BelowOne | None] = limited(
        None,
        own=_own(0.02, gale_church=0.0445, lex=0.06),
        tried=(0.01, 0.02, 0.04, 0.06, 0.1),
    )
    two_two: Rare[BelowOne | None] = limited(
        None,
        own=_own(0.0, gale_church=0.011, lex=0.006),
        tried=(0.0, 0.003, 0.006, 0.012, 0.05),
    )
    band: Rare[float] = limited(20.0, low=1, own=_own(20.0), tried=(5.0, 10.0, 20.0, 40.0, 80.0))
    unit: Rare[str | None] = limited(
        None, choices=UNITS, own=_own("words", gale_church="characters")
    )
    words: Rare[str] = limited("letters", choices=WORDS, own=_own("letters"))
    # The best values on real documents.
    smoothing: Rare[BelowOne | None] = limited(
        None,
        own={"mre": 0.5, "mre+": 0.5, "lex": 0.4},
        tried=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
    )
    largest: Rare[int | None] = limited(
        None, low=1, high=6, own=dict.fromkeys(ANY_SIZE, 6), tried=(2, 3, 4, 6)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in fields(self):
            value, own = getattr(self, option.name), option.metadata.get("own")
            if own is None:
                continue
            if value is None:
                object.__setattr__(self, option.name, own.get(self.method))
            elif self.method not in own and value != option.default:
                raise InputError(
                    f"`{option.name}` with the method {self.method}",
                    expected=f"one of the methods {', '.join(own)}",
                )
        # 1-0 and 0-1 share a prior, and so do 2-1 and 1-2, so each counts twice.
        p = self.priors
        if p.one_one <= 0.0:
            raise InputError(
                f"priors of {p.skip} (1-0), {p.merge} (2-1) and {p.two_two} (2-2)",
                expected="2 skip + 2 merge + two_two below 1",
            )

    @property
    def priors(self) -> Priors:
        """The priors of bead types; vectors have none."""
        return Priors(self.skip or 0.0, self.merge or 0.0, self.two_two or 0.0)

    @property
    def signature(self) -> str:
        """Every choice that can change a bead."""
        parts = [
            f"beads:{self.method}",
            f"threshold:{'best-path' if self.threshold is None else self.threshold}",
        ]
        values = {name: getattr(self, name) for name in taken_by(self.method)[2:]}
        if "skip" in values:
            skip, merge, two_two = (values.pop(name) for name in ("skip", "merge", "two_two"))
            parts.append(f"priors:skip-{skip:g},merge-{merge:g},two-two-{two_two:g}")
        # An option that is off by default leaves signatures as they were.
        for name, value in values.items():
            if value is not None:
                parts.append(f"{name}:{value:g}" if is_number(value) else f"{name}:{value}")
        return whole_signature(*parts)


TRIED = {f.name: f.metadata["tried"] for f in fields(Options) if "tried" in f.metadata}
"""The values that are tried in tuning, by option."""

FOREIGN = tuple(
    f.name for f in fields(Options) if not {*METHODS} & {*f.metadata.get("own", METHODS)}
)
"""The options that no aligner of text takes."""


def taken_by(*methods: str) -> list[str]:
    """Return the options that all of some methods take, in order."""
    return [
        option.name
        for option in fields(Options)
        if {*methods} <= {*option.metadata.get("own", methods)}
    ]


def for_noise(method: str, **options: Any) -> Options:
    """Return options with the smoothing for noisy text, unless it is given."""
    if options.get("smoothing") is None:
        options["smoothing"] = NOISE_SMOOTHING.get(method)
    return Options(method, **options)
