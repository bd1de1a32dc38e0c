"""Row-wise functions of TESLA: analysing sentences, and matching and scoring bags of n-grams."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, Bools
from alignframe.core.arrow import as_array
from alignframe.core.choices import SIMILARITIES
from alignframe.core.schemas import ANALYSED
from alignframe.errors import InputError, check_known, is_number, plain
from alignframe.functions.row import Rows, by_name, numbers, same_length

if TYPE_CHECKING:
    from alignframe.functions.bags import Lookup
    from alignframe.language.analysed import Vocabulary

_ORDERS = 3

MATCH = pa.struct(
    [pa.field(name, pa.float64(), nullable=False) for name in ("matched", "hyp", "ref")]
)
"""The matched weight of two bags, and the weight of each."""

TESLA_COUNTS = pa.struct(
    [
        pa.field(f"{name}_{n}", pa.float64(), nullable=False)
        for name in ("hyp", "ref", "ms", "pos", "lem")
        for n in range(1, _ORDERS + 1)
    ]
)
"""Weights of both sides' n-grams, and the matched weights by each similarity."""

_LOOKUPS: dict[str, Lookup] = {}

# The vocabulary shared by all calls, so that synonyms of a lemma are looked up once.
_KEPT: list[Vocabulary] = []

_MOST_LEMMAS = 1 << 20
_LOCK = threading.Lock()


def analyse_text(
    text: pa.Array, language: pa.Array | str = "en", tokens: pa.Array | str = "penn"
) -> pa.Array:
    """Analyse sentences: words, POS tags, lemmas and content words.

    Parameters
    ----------
    text
        Sentences; null stays null.
    language, tokens
        See ``alignframe.language.Analysis.of``; one for all rows or one per row.

    Returns
    -------
    pyarrow.ListArray
        list<struct<word, tag, lemma, content>>.

    Notes
    -----
    ``analyse`` is a reserved word in SQL.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> found = functions.analyse_text(pa.array(["The boats sank."]))  # doctest: +SKIP
    >>> [token["lemma"] for token in found[0].as_py()]  # doctest: +SKIP
    """
    from alignframe.language.kept_analyses import analysed_tokens

    texts = as_array(text)
    missing = texts.is_null()
    filled = texts.cast(pa.string()).fill_null("")

    def of_language(code: str, rows: Rows) -> pa.Array:
        ways = tokens if isinstance(tokens, str) else as_array(tokens).take(pa.array(rows))
        some = filled.take(pa.array(rows))

        def of_way(way: str, places: Rows) -> pa.Array:
            return analysed_tokens(some.take(pa.array(places)), language=code, tokens=way)

        return by_name(ways, "penn", rows.size, of_way, ANALYSED)

    whole = by_name(language, "en", len(texts), of_language, ANALYSED)
    return pc.if_else(missing, pa.scalar(None, ANALYSED), whole) if texts.null_count else whole


def ngram_match(
    hyp: pa.Array,
    ref: pa.Array,
    n: pa.Array | int = 1,
    similarity: pa.Array | str = "ms",
    synonyms: pa.Array | str = "wordnet",
) -> pa.Array:
    """Match the bags of n-grams of a translation and its reference.

    Parameters
    ----------
    hyp, ref
        list<struct<word, tag, lemma, content>>, as ``analyse_text`` returns.
    n
        N-gram length, 1 to 6; like the following, one for all rows or one per row.
    similarity
        ``ms`` (1 for equal lemmas, or else one half each for synonyms and for equal tags), ``pos``
        (equal tags) or ``lem`` (equal lemmas).
    synonyms
        ``wordnet``, ``none``, or a file with one group of tab-separated synonyms per line.

    Returns
    -------
    pyarrow.StructArray
        matched, hyp, ref: the weight of the matching and of both bags; a function word weighs 0.1.
        Null where either side is.

    Notes
    -----
    Dahlmeier, Liu & Ng 2011, sections 2.1 and 2.2.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> word = {"word": "boat", "tag": "NN", "lemma": "boat", "content": True}
    >>> hyp, ref = pa.array([[word]]), pa.array([[word, word | {"word": "ship", "lemma": "ship"}]])
    >>> functions.ngram_match(hyp, ref, synonyms="none").to_pylist()
    [{'matched': 1.0, 'hyp': 1.0, 'ref': 2.0}]
    """
    from alignframe.kernels.tesla.bags import MAX_ORDER

    rows = len(hyp)
    orders = numbers(n, rows, 1)
    wrong = orders[(orders < 1) | (orders > MAX_ORDER)]
    if wrong.size:
        raise InputError(f"n-grams of {wrong[0]} words", expected=f"1 to {MAX_ORDER}")
    names = [similarity] if isinstance(similarity, str) else as_array(similarity).fill_null("ms")
    places = np.zeros(rows, np.int64)
    for name in names if isinstance(similarity, str) else pc.unique(names).to_pylist():
        check_known("`similarity`", name, SIMILARITIES)
        mine = name == similarity if isinstance(similarity, str) else _equal(names, name)
        places[mine] = SIMILARITIES.index(name)
    counts, missing = _counts(hyp, ref, synonyms, int(orders.max(initial=1)))
    chosen = counts[np.arange(rows), orders - 1]
    units = 10.0**orders
    matched = chosen[np.arange(rows), 2 + places]
    # The kernel counts in whole numbers: in units of 10^-n, of ms 10^-n / 2n.
    parts = (
        matched / np.where(places == 0, 2 * orders * units, units),
        chosen[:, 0] / units,
        chosen[:, 1] / units,
    )
    return pa.StructArray.from_arrays(list(map(pa.array, parts)), fields=list(MATCH), mask=missing)


def tesla_counts(
    hyp: pa.Array, ref: pa.Array, synonyms: pa.Array | str = "wordnet"
) -> pa.StructArray:
    """Compute the weights of unigrams, bigrams and trigrams, and of their matchings.

    Parameters
    ----------
    hyp, ref, synonyms
        See ``ngram_match``.

    Returns
    -------
    pyarrow.StructArray
        hyp_1 ... hyp_3, ref_1 ..., ms_1 ..., pos_1 ..., lem_1 ...: additive over sentences. Null
        where either side is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> word = {"word": "boat", "tag": "NN", "lemma": "boat", "content": True}
    >>> hyp, ref = pa.array([[word]]), pa.array([[word, word | {"word": "ship", "lemma": "ship"}]])
    >>> found = functions.tesla_counts(hyp, ref, "none")
    >>> [found.field(name)[0].as_py() for name in ("hyp_1", "ref_1", "ms_1")]
    [1.0, 2.0, 1.0]
    """
    counts, missing = _counts(hyp, ref, synonyms, _ORDERS)
    parts = []
    for k in range(counts.shape[2]):
        for n in range(1, _ORDERS + 1):
            # The units of the kernel, as above; k = 2 is ms.
            unit = 2 * n * 10**n if k == 2 else 10**n
            parts.append(pa.array(counts[:, n - 1, k] / unit))
    return pa.StructArray.from_arrays(parts, fields=list(TESLA_COUNTS), mask=missing)


def tesla_m(
    hyp: pa.Array,
    ref: pa.Array,
    synonyms: pa.Array | str = "wordnet",
    recall_weight: pa.Array | float = 0.8,
) -> pa.Array:
    """Score a translation by TESLA-M: the mean of six F-measures, from 0 to 1.

    Parameters
    ----------
    hyp, ref, synonyms
        See ``ngram_match``.
    recall_weight
        The weight w of recall in F = PR / (w P + (1 - w) R); with 1, F is recall.

    Returns
    -------
    pyarrow.DoubleArray
        0 for an empty translation; null where a side is null or the reference is empty.

    Notes
    -----
    Dahlmeier, Liu & Ng 2011, section 2.3: s_ms and s_pos with n-grams of 1, 2 and 3 words. An F is
    0 where either side has no n-grams.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> word = {"word": "boat", "tag": "NN", "lemma": "boat", "content": True}
    >>> hyp = pa.array([[word]])
    >>> functions.tesla_m(hyp, hyp, synonyms="none").to_pylist()
    [0.3333333333333333]
    """
    from alignframe.functions.bags import f_measures

    counts, missing = _counts(hyp, ref, synonyms, _ORDERS)
    if is_number(recall_weight):
        weights = np.full(len(counts), float(plain(recall_weight)))
    else:
        same_length(hyp, recall_weight)
        weights = as_array(recall_weight).cast(pa.float64()).fill_null(0.8).to_numpy()
    scores = np.zeros(len(counts))
    for weight in np.unique(weights).tolist():
        mine = weights == weight
        figures = f_measures(counts[mine], weight)
        for name in TESLA_M:
            scores[mine] += figures[name]
    undefined = counts[:, 0, 1] == 0
    if missing is not None:
        undefined |= missing.to_numpy(zero_copy_only=False)
    return pa.array(scores / len(TESLA_M), mask=undefined)


TESLA_M = tuple(f"{name}_{n}" for name in ("ms", "pos") for n in range(1, _ORDERS + 1))
"""The features of TESLA-M."""


def _counts(
    hyp: pa.Array, ref: pa.Array, synonyms: pa.Array | str, orders: int
) -> tuple[I64, pa.Array | None]:
    """Return the counts of ``bags.match``, and which rows lack a side, if any."""
    from alignframe.functions.bags import match
    from alignframe.language.analysed import from_arrow

    same_length(hyp, ref, *([] if isinstance(synonyms, str) else [synonyms]))
    arrays = [as_array(side) for side in (hyp, ref)]
    with _LOCK:  # engines call from several threads
        vocabulary = _vocabulary()
        sides = [from_arrow(side, vocabulary) for side in arrays]
    counts = np.zeros((sides[0].rows, orders, 5), np.int64)

    def count(spec: str, rows: Rows) -> pa.Array:
        some = [side.take(rows) for side in sides]
        counts[rows] = match(some[0], some[1], _lookup(spec), orders=orders)
        return pa.nulls(rows.size)

    by_name(synonyms, "wordnet", sides[0].rows, count, pa.null())
    if not any(side.null_count for side in arrays):
        return counts, None
    return counts, pc.or_(arrays[0].is_null(), arrays[1].is_null())


def _vocabulary() -> Vocabulary:
    """Return the vocabulary shared by all calls, replaced when it has become large."""
    from alignframe.language.analysed import Vocabulary

    if not _KEPT or len(_KEPT[0].lemmas.known) > _MOST_LEMMAS:
        _KEPT[:] = [Vocabulary()]
    return _KEPT[0]


def _lookup(spec: str) -> Lookup:
    """Return the synonyms of a name or file, cached while they stay the same."""
    from alignframe.functions.bags import Lookup
    from alignframe.language.synonyms import synonyms_of

    known = _LOOKUPS.get(spec)
    # Of `none` there is a new object each time, of others only once they have changed.
    synonyms = known.synonyms if known and spec == "none" else synonyms_of(spec)
    if known is None or known.synonyms is not synonyms:
        known = _LOOKUPS[spec] = Lookup(synonyms)
    return known


def _equal(names: pa.Array, name: str) -> Bools:
    same: Bools = pc.equal(names, name).to_numpy(zero_copy_only=False)
    return same
