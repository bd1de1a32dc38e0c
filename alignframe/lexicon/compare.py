"""Comparing lexicons on the words that both have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, number_of
from alignframe.lexicon.evaluate import Rates, rates_of
from alignframe.lexicon.sources import depth_of, named_lexicons, text_loaded
from alignframe.options import checked
from alignframe.stats.ranks import ranks
from alignframe.typing import ForOutput, FromOne, IntoBitext, IntoLexicon, Rare

# With more differences, the signed-rank statistic is taken as normal, as scipy does by default.
_EXACT = 50

_SCHEMA = {
    "lexicon": pl.String,
    "other": pl.String,
    "k": pl.Int64,
    "types": pl.Int64,
    "precision": pl.Float64,
    "other_precision": pl.Float64,
    "difference": pl.Float64,
    "wins": pl.Int64,
    "losses": pl.Int64,
    "ties": pl.Int64,
    "statistic": pl.Float64,
    "p_value": pl.Float64,
    "signature": pl.String,
}


@checked
def compare(
    lexicons: Mapping[str, IntoLexicon],
    bitext: IntoBitext,
    k: FromOne | None = None,
    *,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> pl.DataFrame:
    """Compare lexicons by the Wilcoxon signed-rank test over hit rates of words.

    Parameters
    ----------
    lexicons
        Two or more lexicons by name.
    bitext, k, memory_limit, threads
        See ``alignframe.lexicon.evaluate``.

    Returns
    -------
    polars.DataFrame
        One row per pair of lexicons, in the given order, and depth: lexicon, other, k, types
        (source words of the text that both have), precision and other_precision (over these words),
        difference (the first minus the other), wins, losses and ties (words with a higher, lower or
        equal hit rate in the first), statistic (the smaller rank sum), p_value (two-sided; 1 if all
        words tie) and signature. Figures are null if no word is in both.

    Raises
    ------
    InputError
        If there are fewer than two lexicons, a source cannot be read, or ``k`` is more than a
        lexicon has.

    Notes
    -----
    Melamed 1995, section 4.3. Words with equal hit rates are left out of the test (Wilcoxon 1945).
    The p-value is exact for up to 50 words without ties among the differences, and for up to 13
    with ties; otherwise it is from the normal approximation.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> good, poor = (
    ...     pl.DataFrame({"src": ["a", "book"], "tgt": tgt, "rank": [1, 1]})
    ...     for tgt in (["ein", "Buch"], ["ein", "das"])
    ... )
    >>> text = pl.DataFrame({"src": [["a", "book"]], "tgt": [["ein", "Buch"]]})
    >>> found = lexicon.compare({"good": good, "poor": poor}, text)
    >>> found.select("lexicon", "other", "difference", "wins", "losses", "ties").row(0)
    ('good', 'poor', 0.5, 1, 0, 1)
    """
    if isinstance(lexicons, Mapping) and len(lexicons) < 2:
        raise InputError(number_of(len(lexicons), "lexicon"), expected="two or more to compare")
    given = named_lexicons(lexicons)
    k = depth_of([*given.values()], k)
    with text_loaded(bitext, memory_limit, threads) as connection:
        rates = {name: rates_of(connection, lexicon, k) for name, lexicon in given.items()}
    rows = [
        {"lexicon": name, "other": other, "k": depth + 1} | _row(rates[name], rates[other], depth)
        for name, other in combinations(rates, 2)
        for depth in range(k)
    ]
    mark = whole_signature(
        "metric:bible|weigh:types|pairs:nonempty|"
        "types:known-to-both|test:wilcoxon,two-sided,ties:left-out"
    )
    return pl.DataFrame([row | {"signature": mark} for row in rows], schema=_SCHEMA)


def _row(mine: Rates, others: Rates, depth: int) -> dict[str, object]:
    """Return the figures of two lexicons over their common words."""
    both = mine.known & others.known
    types = int(np.count_nonzero(both))
    pairs = mine.pairs[both]
    hits, other_hits = mine.hits[both, depth], others.hits[both, depth]
    differences = (hits - other_hits) / pairs  # in integers, so that equal ones tie
    precision = float((hits / pairs).mean()) if types else None
    other = float((other_hits / pairs).mean()) if types else None
    statistic, p_value = wilcoxon(differences) if types else (None, None)
    return {
        "types": types,
        "precision": precision,
        "other_precision": other,
        "difference": float(differences.mean()) if types else None,
        "wins": int(np.count_nonzero(differences > 0)),
        "losses": int(np.count_nonzero(differences < 0)),
        "ties": int(np.count_nonzero(differences == 0)),
        "statistic": statistic,
        "p_value": p_value,
    }


def wilcoxon(differences: F64) -> tuple[float, float]:
    """Return the signed-rank statistic and its p-value, ignoring zero differences."""
    left = differences[differences != 0]
    n = left.size
    if not n:
        return 0.0, 1.0
    if n <= _EXACT:
        from scipy.stats import wilcoxon as exact  # slow to import

        test = exact(left)
        return float(test.statistic), float(test.pvalue)
    ranked = ranks(np.abs(left))
    tied = np.unique(ranked, return_counts=True)[1].astype(np.float64)
    # The variance under the null hypothesis, less what ties take from it.
    variance = (n * (n + 1.0) * (2.0 * n + 1.0) - float((tied**3 - tied).sum()) / 2) / 24
    statistic = min(float(ranked[left > 0].sum()), float(ranked[left < 0].sum()))
    z = (n * (n + 1.0) / 4 - statistic) / math.sqrt(variance)
    return statistic, math.erfc(z / math.sqrt(2))
