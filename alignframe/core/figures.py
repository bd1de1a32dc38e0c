"""Figures of sums of counts, and those of links (Fraser & Marcu 2007), over numpy arrays.

The counts may be those of sentences, a corpus, or resamples of it. Undefined values are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from alignframe.core.arrays import F64, I64, Array
from alignframe.errors import SHARE, InputError, check_hits, plain, unknown_name

Counts = F64 | I64


MEASURED = ("n_hyp", "n_sure", "n_hyp_sure", "n_hyp_possible")
"""The counts behind the measures, in the order of ``aer`` and ``f_alpha``."""


def ratio(top: Counts, bottom: Counts) -> F64:
    """Return ``top / bottom``; NaN where ``bottom`` is 0."""
    top, bottom = np.asarray(top, np.float64), np.asarray(bottom, np.float64)
    out = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


def share(hits: Counts, total: Counts) -> F64:
    """Return ``hits / total``; NaN where the total is 0."""
    hits, total = np.broadcast_arrays(hits, total)
    check_hits(hits, total)
    return ratio(hits, total)


def precision(n_hyp: Counts, n_hyp_possible: Counts) -> F64:
    """Return |P∩A| / |A| (eq. 1); NaN where A is empty."""
    return share(n_hyp_possible, n_hyp)


def recall(n_sure: Counts, n_hyp_sure: Counts) -> F64:
    """Return |S∩A| / |S| (eq. 2); NaN where S is empty."""
    return share(n_hyp_sure, n_sure)


def aer(n_hyp: Counts, n_sure: Counts, n_hyp_sure: Counts, n_hyp_possible: Counts) -> F64:
    """Return 1 - (|P∩A| + |S∩A|) / (|S| + |A|) (eq. 3); NaN where both sets are empty."""
    _check_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
    return 1 - ratio(
        np.add(n_hyp_possible, n_hyp_sure, dtype=np.float64),
        np.add(n_sure, n_hyp, dtype=np.float64),
    )


def f_alpha(
    alpha: float | F64,
    n_hyp: Counts,
    n_sure: Counts,
    n_hyp_sure: Counts,
    n_hyp_possible: Counts,
) -> F64:
    """Return 1 / (α / Precision + (1 - α) / Recall) (eqs. 4 and 5); NaN where S is empty."""
    for weight_given in np.unique(alpha).tolist() if isinstance(alpha, np.ndarray) else [alpha]:
        SHARE.checked(weight_given, "`alpha`")
    _check_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
    p, r, weight = np.broadcast_arrays(
        ratio(n_hyp_possible, n_hyp), ratio(n_hyp_sure, n_sure), plain(alpha)
    )
    good = (p > 0) & (r > 0)
    # 0 where precision or recall is 0, or A is empty; α below .5 weights recall.
    out: F64 = np.where(np.isnan(r), np.nan, 0.0)
    weight = weight[good]
    out[good] = 1 / (weight / p[good] + (1 - weight) / r[good])
    return out


def _check_counts(
    n_hyp: Counts, n_sure: Counts, n_hyp_sure: Counts, n_hyp_possible: Counts
) -> None:
    """Raise an InputError for counts that no links can have."""
    wrong = np.less(n_hyp_sure, 0) | np.greater(n_hyp_sure, np.minimum(n_sure, n_hyp_possible))
    wrong |= np.greater(n_hyp_possible, n_hyp)
    if wrong.any():
        given = np.broadcast_arrays(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
        said = [
            f"{name} {column[wrong][0]:.15g}" for name, column in zip(MEASURED, given, strict=True)
        ]
        raise InputError(
            f"the counts {', '.join(said)}",
            expected="counts from 0, n_hyp_sure at most n_sure and n_hyp_possible, and "
            "n_hyp_possible at most n_hyp",
        )


def checked_alphas(alpha: Sequence[float] | float) -> list[float]:
    """Return distinct values of α, given alone or in a list."""
    given = list(alpha) if isinstance(alpha, Iterable) else [alpha]
    for value in given:
        SHARE.checked(value, "`alpha`")
    return list(dict.fromkeys(float(plain(value)) for value in given))


def alpha_name(alpha: float) -> str:
    """Return the name of the column of F for a given α."""
    short = f"{alpha:g}"
    return f"f_{short}" if float(short) == alpha else f"f_{alpha!r}"


Sums = Mapping[str, Array]
"""Sums of counts by name, all of one shape."""


@dataclass(frozen=True)
class Ratio:
    """A figure that is a ratio of two sums; NaN if the denominator is 0.

    Examples
    --------
    >>> from alignframe.stats import Measure, Ratio
    >>> counts = {"system": ["a", "a"], "sid": [0, 1], "right": [1, 4], "words": [2, 8]}
    >>> share = Measure("share", ("right", "words"), (Ratio("share", "right", "words"),))
    >>> share.scores(counts)["share"][0]
    0.5
    """

    name: str
    top: str
    bottom: str
    higher_is_better: bool = True

    def of(self, sums: Sums) -> F64:
        """Return the figure."""
        return ratio(sums[self.top], sums[self.bottom])


@dataclass(frozen=True)
class Formula:
    """A figure that is another function of sums; NaN where undefined.

    ``of`` takes a mapping from counts to NumPy arrays of one shape, and returns one of that shape.

    Examples
    --------
    >>> import numpy as np
    >>> from alignframe.stats import Formula, Measure
    >>> error = Formula("rmse", lambda sums: np.sqrt(sums["squares"] / sums["n"]), False)
    >>> counts = {"system": ["a", "a"], "sid": [0, 1], "squares": [1, 7], "n": [1, 1]}
    >>> Measure("error", ("squares", "n"), (error,)).scores(counts)["rmse"][0]
    2.0
    """

    name: str
    of: Callable[[Sums], F64]
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        """Refuse a function that is not callable."""
        if not callable(self.of):
            raise InputError(
                f"the figure {self.name} of type {type(self.of).__name__}",
                expected="a function of sums; of two counts, Ratio(name, top, bottom)",
            )


def computed(figure: Ratio | Formula, sums: Sums, shape: tuple[int, ...]) -> F64:
    """Return a figure of sums; an InputError if its function fails on arrays."""
    of_arrays = "only NumPy functions, which work on arrays of any shape"
    try:
        figures = np.asarray(figure.of(sums), np.float64)
    except KeyError as error:
        raise unknown_name(f"count of the figure {figure.name}", error.args[0], sums) from error
    except InputError:
        raise
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"the figure {figure.name} cannot be computed: its function raised "
            f"{type(error).__name__} ({error})",
            expected=of_arrays,
        ) from error
    if figures.shape != shape:
        raise InputError(
            f"the figure {figure.name} has the shape {figures.shape} for sums of the shape {shape}",
            expected=of_arrays,
        )
    return figures


def link_figures(weights: Mapping[str, float | F64]) -> tuple[Ratio | Formula, ...]:
    """Return the figures of links in the order of tables, with ``weights``: α by names of F."""

    def formula(name: str, figure: Callable[..., F64], *, higher: bool = True) -> Formula:
        return Formula(name, lambda sums: figure(*(sums[count] for count in MEASURED)), higher)

    return (
        Ratio("precision", "n_hyp_possible", "n_hyp"),
        Ratio("recall", "n_hyp_sure", "n_sure"),
        formula("aer", aer, higher=False),
        *(formula(name, partial(f_alpha, alpha)) for name, alpha in weights.items()),
    )
