"""Matching bags of n-grams of analysed sentences, and their F-measures.

Dahlmeier, Liu & Ng 2011, section 2. Shared by ``functions.tesla`` and ``alignframe.tesla``.
"""

from __future__ import annotations

from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64, I32, I64, U64, frozen
from alignframe.core.choices import EMPTY_ORDERS, SIMILARITIES
from alignframe.core.parallel import ThreadPool
from alignframe.core.tokens import Numbering
from alignframe.errors import SHARE, InputError, check_known, is_number, plain
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.synonyms import Synonyms

COUNTS = ("hyp", "ref", *SIMILARITIES)
"""Counts of each order: the weights of both sides, and the matching by each similarity."""

MAX_TOKENS = 10_000
"""The longest sentence matched: memory (400 MB) and time (15 s) grow with the square of its
length."""

# Rows that a thread matches at a time.
_CHUNK = 2_048


class Lookup:
    """The synonym numbers of a vocabulary's lemmas, each looked up once."""

    def __init__(self, synonyms: Synonyms) -> None:
        self.synonyms = synonyms
        self._known: WeakKeyDictionary[Numbering, I32] = WeakKeyDictionary()

    @cached_property
    def _neighbours(self) -> U64:
        from alignframe.kernels.tesla.bags import neighbours_of

        return frozen(neighbours_of(self.synonyms.table, len(self.synonyms.lemmas)))

    def arrays(self, vocabulary: Vocabulary) -> tuple[I32, U64, U64]:
        """Return the arrays of ``kernels.tesla.bags.Lexicon``."""
        lemmas = vocabulary.lemmas
        known = self._known.get(lemmas, np.zeros(0, np.int32))
        if known.size < len(lemmas.known):
            new = lemmas.known.slice(known.size).to_pylist()
            known = frozen(np.concatenate([known, self.synonyms.numbers(new)]))
            self._known[lemmas] = known
        return frozen(known), self._neighbours, self.synonyms.table


def match(
    hyp: Analysed,
    ref: Analysed,
    synonyms: Synonyms | Lookup,
    *,
    orders: int = 3,
    function_weight: float = 0.1,
    threads: int = 1,
) -> I64:
    """Match the bags of n-grams of each row of ``hyp`` and ``ref``.

    Parameters
    ----------
    hyp, ref
        Sentences with a common vocabulary.
    synonyms
        Synonyms of lemmas; a ``Lookup`` caches them between calls.
    orders
        Maximum n-gram length, 1 to 6.
    function_weight
        The weight of a function word, a multiple of 0.1; content words weigh 1.
    threads
        Number of threads for matching.

    Returns
    -------
    numpy.ndarray
        Additive integers of shape (rows, orders, 5), whose last axis is ``COUNTS``: the weights of
        both sides in units of 10^-n, the maximum matching by s_ms in units of 10^-n / 2n, and by
        s_pos and s_lem in units of 10^-n.

    Raises
    ------
    InputError
        If the sides differ in length or vocabulary, a sentence has more than 10,000 tokens, or an
        option is out of range.

    Examples
    --------
    >>> from alignframe import tesla
    >>> from alignframe.language import Vocabulary
    >>> how, shared = tesla.Analysis.of(tagger="none"), Vocabulary()
    >>> hyp, ref = (how.analyse([text], shared) for text in ("a boat sank", "the boat sank"))
    >>> tesla.match(hyp, ref, how.synonyms, orders=1).tolist()
    [[[30, 30, 50, 30, 20]]]
    """
    from alignframe.kernels.tesla.bags import Lexicon, Side, count_bags

    if hyp.rows != ref.rows or hyp.vocabulary is not ref.vocabulary:
        raise InputError(
            f"{hyp.rows:,} translations and {ref.rows:,} references",
            expected="the same number of both, with one vocabulary",
        )
    for name, side in (("translation", hyp), ("reference", ref)):
        check_sizes(side, f"the {name}")
    check_orders(orders)
    tenths = check_function_weight(function_weight)
    lookup = synonyms if isinstance(synonyms, Lookup) else Lookup(synonyms)
    lexicon = Lexicon(*lookup.arrays(hyp.vocabulary))
    n_tags = len(hyp.vocabulary.tags.known)

    def part(side: Analysed, first: int, last: int) -> Side:
        places = frozen(side.starts[first:last]), frozen(side.ends[first:last])
        return Side(*places, side.lemmas, side.tags, side.content)

    def count(first: int, last: int) -> I64:
        hyp_part, ref_part = part(hyp, first, last), part(ref, first, last)
        return count_bags(hyp_part, ref_part, n_tags, lexicon, orders=orders, function=tenths)

    if threads < 2 or hyp.rows <= _CHUNK:
        return count(0, hyp.rows)
    starts = range(0, hyp.rows, _CHUNK)
    with ThreadPool(threads) as pool:
        return np.concatenate(list(pool.map(lambda at: count(at, at + _CHUNK), starts)))


def check_sizes(sentences: Analysed, what: str) -> None:
    """Raise an InputError if a sentence is too long for matching."""
    sizes = sentences.lengths()
    if sizes.size and sizes.max() > MAX_TOKENS:
        row = int(sizes.argmax())
        raise InputError(
            f"sentence {row:,} (counted from 0) of {what} has {sizes[row]:,} tokens",
            expected=f"at most {MAX_TOKENS:,}",
            todo="split it into sentences",
        )


def check_orders(orders: int) -> None:
    """Raise an InputError if the n-gram length is out of range."""
    from alignframe.kernels.tesla.bags import MAX_ORDER

    if not 1 <= orders <= MAX_ORDER:
        raise InputError(f"n-grams of up to {orders} words", expected=f"1 to {MAX_ORDER}")


def check_function_weight(weight: float) -> int:
    """Return the weight of a function word as a whole number of tenths."""
    weight = plain(weight)
    tenths = round(weight * 10) if is_number(weight) and 0 <= weight <= 1 else -1
    if tenths < 0 or abs(tenths / 10 - weight) > 1e-12:
        raise InputError(
            f"`function_weight` is {weight!r}", expected="0, 0.1, 0.2 and so on up to 1"
        )
    return tenths


def check_empty_order(name: str) -> None:
    """Raise an InputError for an unknown rule for sides without n-grams of an order."""
    check_known("`empty_order`", name, EMPTY_ORDERS)


def f_measure(
    matched: npt.ArrayLike, hyp: npt.ArrayLike, ref: npt.ArrayLike, recall_weight: float = 0.8
) -> F64:
    """Return F = PR / (w P + (1 - w) R), with P = matched / hyp, R = matched / ref and weight w.

    It equals matched / (hyp + w (ref - hyp)), which is exactly 1 where all three are equal. F is 0
    where nothing matches, even if a side is empty.

    Examples
    --------
    >>> from alignframe import tesla
    >>> round(float(tesla.f_measure(2, 4, 8)), 3)
    0.278
    """
    common = np.asarray(matched, np.float64)
    weight = np.asarray(hyp, np.float64)
    alpha: float = SHARE.checked(recall_weight, "`recall_weight`")
    # P and R multiplied out: F = matched / (hyp + w (ref - hyp)).
    whole = weight + alpha * (np.asarray(ref, np.float64) - weight)
    return np.divide(common, whole, out=np.zeros_like(whole), where=common > 0)


def f_measures(counts: I64, recall_weight: float = 0.8) -> dict[str, F64]:
    """Return the F-measures of counts of ``match``: ``ms_1``, ``ms_2`` ... ``lem_3``."""
    figures: dict[str, F64] = {}
    for at, similarity in enumerate(SIMILARITIES, 2):
        for k in range(counts.shape[1]):
            # Integers in units of 10^-n / 2n, so that only the division is rounded.
            unit = 2 * (k + 1) if similarity == "ms" else 1
            weights = unit * counts[:, k, 0], unit * counts[:, k, 1]
            figures[f"{similarity}_{k + 1}"] = f_measure(counts[:, k, at], *weights, recall_weight)
    return figures
