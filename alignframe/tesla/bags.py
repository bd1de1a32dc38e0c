"""F-measures of bags of n-grams of the target language (Dahlmeier, Liu & Ng 2011, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64, Array
from alignframe.core.choices import EMPTY_ORDERS, SIMILARITIES
from alignframe.core.signatures import exact
from alignframe.errors import InputError, check_known
from alignframe.functions.bags import (
    COUNTS,
    Lookup,
    check_function_weight,
    check_orders,
    f_measure,
    f_measures,
    match,
)
from alignframe.language.analysed import Analysed
from alignframe.language.synonyms import Synonyms
from alignframe.options import Limited, limited
from alignframe.typing import FromOne, Rare, Share

__all__ = ["COUNTS", "BagFeatures", "f_measure", "match", "solve_matching"]


# Integer similarities up to this go to the exact kernel.
_LEVELS = 256

# With weights below this, the sum over 2^24 entries stays within 64 bits.
_LARGEST = 2**31


@dataclass(frozen=True, eq=False)
class BagFeatures(Limited):
    """TESLA-M's features: one F-measure per similarity and order, ``ms_1`` ... ``pos_3``.

    Parameters
    ----------
    synonyms
        The synonyms of lemmas.
    recall_weight
        Weight w of recall in F = PR / (w P + (1 - w) R); with 1, F is recall.
    empty_order
        ``zero``: F of n-grams longer than a sentence is 0; ``skip``: it is left out (in Python,
        NaN), unless the translation is empty.
    similarities
        Any of ``ms`` (1 for equal lemmas, or else one half each for a shared synset and for equal
        tags), ``pos`` (equal tags) and ``lem`` (equal lemmas).
    orders
        The maximum n-gram length.
    function_weight
        Weight of function words, in tenths: 0, 0.1, 0.2, ..., 1 (as content words).
    threads
        Number of threads for matching.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how = tesla.Analysis.of(tagger="none")
    >>> tesla.BagFeatures(how.synonyms, orders=2).names
    ('ms_1', 'ms_2', 'pos_1', 'pos_2')
    """

    synonyms: Synonyms
    recall_weight: Rare[Share] = 0.8
    empty_order: Rare[str] = limited("zero", choices=EMPTY_ORDERS)
    similarities: Sequence[str] = ("ms", "pos")
    orders: int = 3
    function_weight: Rare[Share] = 0.1
    threads: FromOne = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_function_weight(self.function_weight)
        check_orders(self.orders)
        for name in self.similarities:
            check_known("`similarity`", name, SIMILARITIES)

    @property
    def names(self) -> tuple[str, ...]:
        """``ms_1``, ``ms_2``, ``ms_3``, ``pos_1`` ..."""
        return tuple(f"{name}_{n}" for name in self.similarities for n in range(1, self.orders + 1))

    @property
    def signature(self) -> str:
        """The choices that affect the scores."""
        return "|".join(
            (
                f"similarities:{','.join(self.similarities)}",
                f"orders:{self.orders}",
                f"alpha:{exact(self.recall_weight)}",
                f"function:{exact(self.function_weight)}",
                f"empty:{self.empty_order}",
                f"synonyms:{self.synonyms.signature}",
            )
        )

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.synonyms)

    def of(self, hyp: Analysed, ref: Analysed) -> F64:
        """Return the F-measures of each sentence of ``hyp`` against the same row of ``ref``."""
        counts = match(
            hyp,
            ref,
            self._lookup,
            orders=self.orders,
            function_weight=self.function_weight,
            threads=self.threads,
        )
        measures = f_measures(counts, self.recall_weight)
        features = np.empty((hyp.rows, len(self.names)))
        for at, name in enumerate(self.names):
            features[:, at] = measures[name]
            if self.empty_order == "skip":
                # N-grams longer than a sentence: there F is 0, or with this undefined, and left out
                # of means.
                weights = counts[:, int(name.rpartition("_")[2]) - 1, :2]
                features[(weights == 0).any(axis=1), at] = np.nan
        features[hyp.lengths() == 0] = 0.0  # nothing matches an empty sentence
        return features


def solve_matching(
    weights_x: npt.ArrayLike, weights_y: npt.ArrayLike, similarities: npt.ArrayLike
) -> tuple[float, Array]:
    """Match two weighted bags, maximising the sum of similarity times flow (section 2.2).

    Parameters
    ----------
    weights_x, weights_y
        The weight of each entry, 0 or more.
    similarities
        Shape (entries of x, entries of y), 0 or more.

    Returns
    -------
    value, flow
        The sum, and the flow between each two entries. For whole numbers (similarities up to 256,
        weights below 2^31) both are exact integers; otherwise they are from scipy's HiGHS.

    Raises
    ------
    InputError
        If shapes do not fit, or a number is negative, infinite or missing.

    Examples
    --------
    The bigrams of figure 1 with the edges named in the text, weights in hundredths and similarities
    in tenths:

    >>> value, flow = solve_matching([1, 10, 10], [10, 10, 10], [[5, 0, 0], [0, 8, 0], [0, 0, 8]])
    >>> value / 1000
    0.165
    """
    x, y, similar = map(np.asarray, (weights_x, weights_y, similarities))
    if similar.shape != (x.size, y.size) or x.ndim != 1 or y.ndim != 1:
        raise InputError(
            f"similarities of the shape {similar.shape} for {x.size} and {y.size} entries",
            expected="one row per entry of x, one column per entry of y",
        )
    for name, values in (("weight", x), ("weight", y), ("similarity", similar)):
        if not (np.isfinite(values).all() and (values >= 0).all()):
            raise InputError(f"a {name} that is negative or not a number", expected="0 or more")
    if not similar.size or not similar.any():
        return 0, np.zeros(similar.shape, np.int64)
    whole = all(np.issubdtype(values.dtype, np.integer) for values in (x, y, similar))
    if whole and similar.max() <= _LEVELS and max(x.max(), y.max()) < _LARGEST:
        from alignframe.kernels.tesla.transport import solve_whole

        value, flow = solve_whole(*(values.astype(np.int64) for values in (x, y, similar)))
        return int(value), flow
    return _by_highs(x, y, similar)


def _by_highs(x: Array, y: Array, similar: Array) -> tuple[float, F64]:
    """Solve a matching as a linear programme."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    i, j = np.nonzero(similar)
    edges = np.arange(i.size)
    ones = np.ones(2 * i.size)
    places = (np.concatenate([i, x.size + j]), np.concatenate([edges, edges]))
    # The flow of an entry is at most its weight; the objective is negated, as linprog minimises.
    limits = coo_matrix((ones, places), shape=(x.size + y.size, i.size)).tocsr()
    solution = linprog(-similar[i, j], limits, np.concatenate([x, y]), method="highs")
    flow = np.zeros(similar.shape)
    flow[i, j] = solution.x
    return float(-solution.fun), flow
