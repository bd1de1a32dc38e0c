"""Row-wise functions of translations: the additive counts of BLEU and chrF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, I64, Array, Bools, frozen
from alignframe.core.arrow import as_array, is_text
from alignframe.core.figures import Sums
from alignframe.errors import InputError, check_hits
from alignframe.functions.row import same_length
from alignframe.functions.sequences import (
    Sequences,
    characters,
    frozen_each,
    numbered,
    references_of,
    separated,
)

BLEU_ORDER = 4
"""The longest n-grams of BLEU, in words."""

Value = TypeVar("Value")

CHRF_ORDER = 6
"""The longest n-grams of chrF, in characters, by default."""

BETA = 2.0
"""The default weight of recall relative to precision in chrF."""


def bleu_names() -> list[str]:
    """Return the names of BLEU's counts, in order."""
    orders = range(1, BLEU_ORDER + 1)
    n_grams = [f"bleu_{what}_{n}" for what in ("match", "total") for n in orders]
    return ["bleu_hyp", "bleu_ref", *n_grams]


def chrf_names(char_order: int = CHRF_ORDER, word_order: int = 2) -> list[str]:
    """Return the names of chrF's counts, in order: three per n-gram length."""
    orders = [f"{n}" for n in range(1, char_order + 1)]
    orders += [f"word_{n}" for n in range(1, word_order + 1)]
    return [f"chrf_{what}_{n}" for n in orders for what in ("hyp", "ref", "match")]


BLEU_COUNTS = pa.struct([pa.field(name, pa.int64()) for name in bleu_names()])
CHRF_COUNTS = pa.struct([pa.field(name, pa.int64()) for name in chrf_names()])


def bleu_counts(hyp: pa.Array, refs: pa.Array) -> pa.Array:
    """Compute the counts of BLEU.

    Parameters
    ----------
    hyp
        list<string>: the words of a translation.
    refs
        list<list<string>>: the words of its references; nulls are ignored.

    Returns
    -------
    pyarrow.StructArray
        bleu_hyp (words of the translation), bleu_ref (words of the reference closest in length,
        ties to the shorter), bleu_match_1 to bleu_match_4 (n-grams that are in a reference) and
        bleu_total_1 to bleu_total_4 (n-grams). Null where the translation or all its references
        are.

    Notes
    -----
    Papineni et al. 2002, sections 2.1 and 2.2.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> hyp, refs = pa.array([["the", "cat", "sat"]]), pa.array([[["the", "cat", "sat", "down"]]])
    >>> found = functions.bleu_counts(hyp, refs)
    >>> [found.field(name)[0].as_py() for name in ("bleu_hyp", "bleu_ref", "bleu_match_2")]
    [3, 4, 2]
    """
    from alignframe.kernels.mt.overlap import count_overlap

    same_length(hyp, refs)
    hyp = as_array(hyp)
    groups, inner = references_of(refs)
    ours, theirs = numbered([hyp, inner])
    matched = count_overlap(
        *frozen_each(ours.bounds[:-1], ours.bounds[1:], ours.items, groups, theirs.bounds),
        frozen(theirs.items),
        BLEU_ORDER,
    )
    size = ours.lengths()
    columns = [size, _closest(size, groups, theirs.lengths()), *matched.T]
    # A sentence of m words has m - n + 1 n-grams of n words; n counts from 0 here.
    columns += [np.maximum(size - n, 0) for n in range(BLEU_ORDER)]
    return _struct(bleu_names(), columns, _missing(hyp, groups))


def chrf_counts(
    hyp: pa.Array,
    refs: pa.Array,
    word_order: object = 0,
    beta: object = BETA,
    whitespace: object = False,
    char_order: int = CHRF_ORDER,
) -> pa.Array:
    """Compute the counts of chrF.

    Parameters
    ----------
    hyp
        string: a translation.
    refs
        list<string>: its references. The counts are for the one with the highest chrF.
    word_order
        Maximum word n-gram length: 0, or 2 for chrF++. This and the following are constant.
    beta
        The weight of recall relative to precision when choosing the best reference.
    whitespace
        Whether white space counts.
    char_order
        Maximum character n-gram length.

    Returns
    -------
    pyarrow.StructArray
        For character n-grams chrf_hyp_1, chrf_ref_1 (n-grams of the translation and the reference),
        chrf_match_1 (those in both) and so on up to 6; for word n-grams chrf_hyp_word_1 and so on,
        null unless requested. A translation's n-grams do not count where the reference has none of
        that length. Null where the translation or all its references are.

    Notes
    -----
    Popović 2015 and 2017.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> found = functions.chrf_counts(pa.array(["the cat"]), pa.array([["the cats"]]))
    >>> [found.field(f"chrf_{name}_1")[0].as_py() for name in ("hyp", "ref", "match")]
    [6, 7, 6]
    """
    same_length(hyp, refs)
    words = int(constant(word_order, 0))
    hyp = as_array(hyp)
    groups, inner = references_of(refs)
    for column in (hyp, inner):
        if not is_text(column.type):
            raise InputError(f"sentences of type {column.type}", expected="texts, not lists")
    texts = [hyp.cast(pa.string()).fill_null(""), inner.cast(pa.string())]
    ours, theirs = characters(texts, bool(constant(whitespace, False)))
    counts = against_each(ours, theirs, groups, char_order)
    if words:
        ours, theirs = numbered([separated(text) for text in texts])
        counts = np.concatenate([counts, against_each(ours, theirs, groups, words)], axis=1)
    best = _best(counts, groups, float(constant(beta, BETA)))
    columns: list[I64 | None] = list(best.reshape(len(hyp), 3 * (char_order + words)).T)
    names = chrf_names(char_order, max(words, 2))
    # The columns of word n-grams are there without them, too: a struct in SQL has one type.
    columns += [None] * (len(names) - len(columns))
    return _struct(names, columns, _missing(hyp, groups))


def bleu_of(sums: Sums, *, smooth: str, value: float, effective: bool) -> F64:
    """Return BLEU, 0 to 100, of counts of ``bleu_counts``; 0 where nothing matches."""
    # Papineni et al. 2002, section 2.3: BLEU = min(1, e^(1 - r/c)) exp(mean log p_n); smoothing as
    # in Chen & Cherry 2014.
    hyp, ref = (np.asarray(sums[f"bleu_{side}"], np.float64) for side in ("hyp", "ref"))
    logs, used = np.zeros_like(hyp), np.zeros_like(hyp)
    going = np.ones(hyp.shape, np.bool_)  # until an order without n-grams
    halved, nothing, any_match = np.ones_like(hyp), np.zeros_like(going), np.zeros_like(going)
    for n in range(1, BLEU_ORDER + 1):
        match = np.asarray(sums[f"bleu_match_{n}"], np.float64)
        total = np.asarray(sums[f"bleu_total_{n}"], np.float64)
        check_hits(match, total)
        any_match |= match > 0
        if smooth == "add-k" and n > 1:
            match, total = match + value, total + value
        going &= total > 0
        missed = going & (match == 0)
        if smooth == "exp":
            # The k-th order in a row without a match counts as 1 / 2^k matches.
            halved = np.where(missed, 2 * halved, halved)
            match = np.where(missed, 1 / halved, match)
        elif smooth == "floor":
            match = np.where(missed, value, match)
        nothing |= going & (match == 0)
        share = np.divide(match, total, out=np.ones_like(match), where=going & (match > 0))
        logs += np.log(share)
        used += going
    if not effective:
        nothing |= used < BLEU_ORDER
    mean = np.divide(logs, used, out=np.zeros_like(logs), where=used > 0)
    # A translation without words is infinitely short, so its penalty is 0.
    short = np.divide(ref, hyp, out=np.full_like(hyp, np.inf), where=hyp > 0)
    penalty = np.exp(np.minimum(1 - short, 0))
    out: F64 = np.where(any_match & ~nothing, 100 * penalty * np.exp(mean), 0.0)
    return out


def chrf_of(counts: Array, beta: float) -> F64:
    """Return chrF, 0 to 100, of n-gram counts: hypothesis, reference and both.

    The counts have the shape (..., orders, 3). chrF is the F-measure of mean precision and mean
    recall over the orders for which both sides have n-grams (Popović 2015); 0 without such an
    order.
    """
    hyp, ref, match = np.moveaxis(np.asarray(counts, np.float64), -1, 0)
    check_hits(match, np.minimum(hyp, ref))
    both = (hyp > 0) & (ref > 0)
    number = np.maximum(both.sum(axis=-1), 1)
    precision, recall = (
        np.divide(match, size, out=np.zeros_like(match), where=both).sum(axis=-1) / number
        for size in (hyp, ref)
    )
    factor = beta**2
    # F = (1 + beta^2) P R / (beta^2 P + R).
    bottom = factor * precision + recall
    out: F64 = np.zeros_like(bottom)
    np.divide(100 * (1 + factor) * precision * recall, bottom, out=out, where=bottom > 0)
    return out


def constant(given: pa.Array | Value | None, default: Value) -> Value:
    """Return an argument that must be constant."""
    if not isinstance(given, (pa.Array, pa.ChunkedArray)):
        return default if given is None else given
    values = pc.unique(as_array(given)).to_pylist()
    if len(values) > 1:
        raise InputError(f"an option that is {values[0]!r} and {values[1]!r}", expected="one value")
    return default if not values or values[0] is None else values[0]


def against_each(ours: Sequences, theirs: Sequences, groups: I64, order: int) -> I64:
    """Return counts for every single reference, of shape (references, order, 3)."""
    from alignframe.kernels.mt.overlap import count_overlap

    owner = np.repeat(np.arange(groups.size - 1), np.diff(groups))
    starts, ends = ours.bounds[:-1][owner], ours.bounds[1:][owner]
    each = np.arange(owner.size + 1)
    matched = count_overlap(
        *frozen_each(starts, ends, ours.items, each, theirs.bounds, theirs.items), order
    )
    shorter = np.arange(order)
    hyp, ref = (
        np.maximum(size[:, None] - shorter, 0) for size in (ends - starts, theirs.lengths())
    )
    # An order without n-grams in the reference does not count against the translation.
    return np.stack([np.where(ref > 0, hyp, 0), ref, matched], axis=2)


def _best(counts: I64, groups: I64, beta: float) -> I64:
    """Return the counts for the reference with the highest chrF, ties to the first."""
    sizes = np.diff(groups)
    if (sizes == 1).all():
        return counts
    scores, owner = chrf_of(counts, beta), np.repeat(np.arange(sizes.size), sizes)
    # By row, then by falling chrF, then by place: the first of each row is the best.
    order = np.lexsort((np.arange(owner.size), -scores, owner))
    out = np.zeros((sizes.size, *counts.shape[1:]), np.int64)
    out[sizes > 0] = counts[order[groups[:-1][sizes > 0]]]
    return out


def _closest(size: I64, groups: I64, lengths: I64) -> I64:
    """Return the length of the reference closest in length, ties to the shorter; 0 without any."""
    owner = np.repeat(np.arange(size.size), np.diff(groups))
    # By row, then by difference, then by length: the first of each row is the closest.
    order = np.lexsort((lengths, np.abs(lengths - size[owner]), owner))
    out = np.zeros(size.size, np.int64)
    some = np.diff(groups) > 0
    out[some] = lengths[order[groups[:-1][some]]]
    return out


def _missing(hyp: pa.Array, groups: I64) -> Bools:
    absent: Bools = hyp.is_null().to_numpy(zero_copy_only=False).copy()
    absent |= np.diff(groups) == 0
    return absent


def _struct(names: Sequence[str], columns: Sequence[I64 | None], missing: Bools) -> pa.StructArray:
    arrays = [
        pa.nulls(missing.size, pa.int64()) if column is None else pa.array(column, mask=missing)
        for column in columns
    ]
    return pa.StructArray.from_arrays(
        arrays, fields=[pa.field(name, pa.int64()) for name in names], mask=pa.array(missing)
    )
