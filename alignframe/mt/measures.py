"""BLEU and chrF as measures: their counts, and figures of sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import F64
from alignframe.core.choices import NORMALIZATIONS, SMOOTHINGS, TOKENIZERS
from alignframe.core.figures import Formula, Sums
from alignframe.core.signatures import exact
from alignframe.core.tokens import composed
from alignframe.errors import (
    InputError,
)
from alignframe.functions.mt import (
    BETA,
    BLEU_ORDER,
    CHRF_ORDER,
    bleu_counts,
    bleu_names,
    bleu_of,
    chrf_counts,
    chrf_names,
    chrf_of,
)
from alignframe.mt.tokenize import tokenized, version
from alignframe.options import Limited, limited
from alignframe.stats.measure import Measure
from alignframe.typing import FromOne, FromZero, Positive, Rare

# Default values of the smoothings that take one.
_SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}


class MetricOptions(TypedDict, total=False):
    """The fields of ``Options``, as keywords."""

    tokenize: str
    lowercase: bool
    normalization: str
    smooth: str
    smooth_value: float | None
    effective_order: bool | None
    char_order: int
    word_order: int
    beta: float
    whitespace: bool


@dataclass(frozen=True)
class Options(Limited):
    """The options of BLEU and chrF.

    Parameters
    ----------
    tokenize
        How BLEU splits text into words. ``13a``, ``zh``, ``char``, ``intl``, ``ja-mecab``,
        ``ko-mecab``: by this tokeniser of sacrebleu; ``none``: at white space, which does not need
        sacrebleu.
    lowercase
        Ignore case.
    normalization
        Unicode normalization form in which text is compared. ``none``: as it is, as in sacrebleu;
        ``nfc``: composed, so that both forms of é are equal.
    smooth
        BLEU's smoothing of orders without a match. ``exp``: each counts half of the one before;
        ``floor``: each counts as a part of a match; ``add-k``: a value is added to matches and
        n-grams of orders above 1; ``none``: BLEU is 0.
    smooth_value
        Value of ``floor`` (0.1 by default) or ``add-k`` (1 by default).
    effective_order
        In BLEU, leave out orders for which a translation has no n-grams; by default only for single
        sentences.
    char_order
        Longest n-grams of characters in chrF.
    word_order
        Longest n-grams of words in chrF; 2 is chrF++.
    beta
        Weight of recall relative to precision in chrF.
    whitespace
        Count white space as characters in chrF.

    Raises
    ------
    InputError
        If an option is invalid.

    Examples
    --------
    >>> from alignframe import mt
    >>> hyp, ref = ["The Cat sat"], ["the cat sat down there"]
    >>> options = {"metrics": ["chrf"], "lowercase": True, "word_order": 2}
    >>> round(mt.score(hyp, ref, **options).scores["chrf"][0], 1)
    50.2
    """

    tokenize: str = limited("13a", choices=TOKENIZERS)
    lowercase: bool = False
    normalization: Rare[str] = limited("none", choices=NORMALIZATIONS)
    smooth: Rare[str] = limited("exp", choices=SMOOTHINGS)
    smooth_value: Rare[Positive | None] = None
    effective_order: Rare[bool | None] = None
    char_order: Rare[FromOne] = CHRF_ORDER
    word_order: Rare[FromZero] = 0
    beta: Rare[Positive] = BETA
    whitespace: Rare[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smooth_value is not None and self.smooth not in _SMOOTHING_VALUES:
            raise InputError(
                f"`smooth_value` with `smooth={self.smooth!r}`", expected="floor or add-k"
            )

    def prepare(self, texts: pa.Array, tokenize: str | None = None) -> pa.Array:
        """Return texts as they are compared: as words, if split by a tokeniser."""
        texts = composed(texts) if self.normalization == "nfc" else texts
        return tokenized(texts, tokenize, lowercase=self.lowercase)

    @property
    def shared(self) -> tuple[str, ...]:
        """The signature parts of all metrics."""
        form = [f"normalization:{self.normalization}"] if self.normalization != "none" else []
        return f"case:{'lower' if self.lowercase else 'mixed'}", *form

    @property
    def smoothing_value(self) -> float:
        """The value of the smoothing; 0 if it has none."""
        if self.smooth_value is None:
            return _SMOOTHING_VALUES.get(self.smooth, 0.0)
        return self.smooth_value


@dataclass(frozen=True)
class Metric:
    """A measure of translations, and the function for its counts."""

    measure: Measure
    prepare: Callable[[pa.Array], pa.Array]
    # Takes translations and a list of references of each, and returns structs of counts.
    count: Callable[[pa.Array, pa.Array], pa.Array]


def bleu(options: Options, *, sentences: bool = False) -> Metric:
    """Return BLEU, for corpora or single sentences (Papineni et al. 2002)."""
    effective = sentences if options.effective_order is None else options.effective_order
    value = f"[{options.smoothing_value:.2f}]" if options.smooth in _SMOOTHING_VALUES else ""
    formula = partial(
        bleu_of, smooth=options.smooth, value=options.smoothing_value, effective=effective
    )
    choices = (
        f"effective-order:{'yes' if effective else 'no'}",
        f"tokens:{options.tokenize}",
        f"smoothing:{options.smooth}{value}",
        *([] if options.tokenize == "none" else [f"sacrebleu:{version()}"]),
    )
    orders = range(1, BLEU_ORDER + 1)
    limits = tuple((f"bleu_match_{n}", f"bleu_total_{n}") for n in orders)
    return Metric(
        Measure("bleu", tuple(bleu_names()), (Formula("bleu", formula),), choices, limits),
        partial(options.prepare, tokenize=options.tokenize),
        bleu_counts,
    )


def chrf(options: Options, *, sentences: bool = False) -> Metric:  # noqa: ARG001 - as of BLEU
    """Return chrF, or chrF++ (Popović 2015, 2017)."""
    orders = options.char_order + options.word_order
    names = chrf_names(options.char_order, options.word_order)

    triples = zip(names[::3], names[1::3], names[2::3], strict=True)
    limits = tuple((match, side) for hyp, ref, match in triples for side in (hyp, ref))

    def formula(sums: Sums) -> F64:
        counts = np.stack([sums[name] for name in names], axis=-1)
        return chrf_of(counts.reshape(*counts.shape[:-1], orders, 3), options.beta)

    choices = (
        f"char-order:{options.char_order}",
        f"word-order:{options.word_order}",
        f"beta:{exact(options.beta)}",
        f"whitespace:{'yes' if options.whitespace else 'no'}",
    )
    count = partial(
        chrf_counts,
        word_order=options.word_order,
        beta=options.beta,
        whitespace=options.whitespace,
        char_order=options.char_order,
    )
    return Metric(
        Measure("chrf", tuple(names), (Formula("chrf", formula),), choices, limits),
        options.prepare,
        count,
    )


METRICS: dict[str, Callable[..., Metric]] = {"bleu": bleu, "chrf": chrf}
"""The measures of translations, by name."""
