"""What a sampler starts from: pseudo-counts of spelling and of prior knowledge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.aligners.ibm1 import opposite_alike
from alignframe.aligners.prior import Prior
from alignframe.aligners.sampled import FERTILITY, Parameters
from alignframe.aligners.text import Text
from alignframe.aligners.translations import Translations
from alignframe.core.arrays import F32, F64, I32, I64, Floats, frozen
from alignframe.errors import InputError
from alignframe.kernels.aligners.gibbs import MAX_FERTILITY
from alignframe.kernels.aligners.link_rows import count_opposite, find_opposite
from alignframe.kernels.aligners.link_table import Rows
from alignframe.kernels.small import call
from alignframe.options.aligners import Bayes


class Listed(NamedTuple):
    """Numbers of word pairs, in order of the source words, and of target words with NULL."""

    src: I32
    tgt: I32
    values: F32
    nulls: F32

    def rows(self, n_src: int) -> Rows:
        """Return the pairs as rows by source word."""
        sizes = np.bincount(self.src, minlength=n_src)
        at = np.cumsum(sizes) - sizes
        return Rows(
            frozen(at), frozen(sizes.astype(np.int32)), frozen(self.tgt), frozen(self.values)
        )


class Start(NamedTuple):
    """The counts of a direction before sampling: pseudo-counts.

    ``pairs`` are those with more than the concentration, ``prior`` what prior knowledge added.
    """

    pairs: Rows
    nulls: F32
    totals: F64
    fertilities: F32
    prior: Listed


def start_of(text: Text, options: Bayes, prior: Prior) -> Start:
    """Return the counts of a text before sampling."""
    n_src, n_tgt = text.src.n_words, text.tgt.n_words
    alpha = np.float32(options.concentration)
    alike = _alike(text, options.spelling)
    known, fertilities = _known(text, prior)
    both = added([alike, known])
    # A pair has alpha, then what spelling adds, then what is known.
    values = np.full(both.values.size, alpha)
    for one in (alike, known):
        places = np.searchsorted(_keys(both, n_tgt), _keys(one, n_tgt))
        values[places] += one.values
    nulls = alpha + known.nulls
    totals = np.zeros(n_src + 1)
    totals[0] = nulls.sum(dtype=np.float64)
    n_opposite = call(count_opposite, text.sides, n_src, n_tgt, steps=text.sides.pairs)
    totals[1:] = (n_opposite - np.bincount(both.src, minlength=n_src)) * np.float64(alpha)
    totals[1:] += np.bincount(both.src, values, n_src)
    pairs = both._replace(values=values).rows(n_src)
    return Start(pairs, nulls, frozen(totals), fertilities, known)


def _keys(listed: Listed, n_tgt: int) -> I64:
    keys: I64 = listed.src.astype(np.int64) * n_tgt + listed.tgt
    return keys


def added(lists: list[Listed]) -> Listed:
    """Return the sums of the numbers of each pair."""
    n_tgt = lists[0].nulls.size
    keys, at = np.unique(np.concatenate([_keys(one, n_tgt) for one in lists]), return_inverse=True)
    values = np.zeros(keys.size, np.float32)
    # One list after the other, so that sums of float32 have one order.
    for one, places in zip(
        lists, np.split(at, np.cumsum([one.values.size for one in lists])[:-1]), strict=True
    ):
        values[places] += one.values
    src, tgt = (keys // n_tgt).astype(np.int32), (keys % n_tgt).astype(np.int32)
    return Listed(src, tgt, values, np.sum([one.nulls for one in lists], axis=0, dtype=np.float32))


def _alike(text: Text, spelling: float) -> Listed:
    """Return the pseudo-counts of similarly spelt words."""
    nulls = np.zeros(text.tgt.n_words, np.float32)
    if not spelling:
        none = np.zeros(0, np.int32)
        return Listed(none, none, np.zeros(0, np.float32), nulls)
    starts, targets, degrees = opposite_alike(text)
    src = np.repeat(np.arange(starts.size - 1, dtype=np.int32), np.diff(starts))
    return Listed(src, targets, degrees * np.float32(spelling), nulls)


def _known(text: Text, prior: Prior) -> tuple[Listed, F32]:
    """Return pseudo-counts of prior knowledge, and those of fertilities."""
    fertilities = np.full((text.src.n_words, MAX_FERTILITY + 1), FERTILITY, np.float32)
    nulls = np.zeros(text.tgt.n_words, np.float32)
    src, tgt, values = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)
    if prior.lexicon is not None:
        src, tgt, values = _cells(prior.lexicon)
    if prior.model is not None and prior.src is not None and prior.tgt is not None:
        old = prior.model.parameters
        if not isinstance(old, Parameters):
            raise InputError(f"a prior model of the kind {prior.model.kind}", expected="bayes")
        src, tgt, values = _cells(old.pairs)
        tgt = _new(prior.tgt, tgt)
        with_null = (src < 0) & (tgt >= 0)
        nulls[tgt[with_null]] = values[with_null]
        src = np.where(src < 0, -1, _new(prior.src, np.maximum(src, 0)))
        known = prior.src >= 0
        fertilities[known] += old.fertilities[prior.src[known]]
    kept = np.flatnonzero((src >= 0) & (tgt >= 0) & (values > 0))
    kept = kept[np.argsort(src[kept], kind="stable")]
    src, tgt, values = src[kept], tgt[kept], values[kept].astype(np.float32)
    # Others are never linked.
    starts = np.searchsorted(src, np.arange(text.src.n_words + 1))
    sides, n_tgt = text.sides, text.tgt.n_words
    met = call(find_opposite, sides, frozen(starts), frozen(tgt), n_tgt, steps=sides.pairs) > 0
    return Listed(src[met], tgt[met], values[met], nulls), fertilities


def _cells(pairs: Translations) -> tuple[I32, I32, Floats]:
    """Return the source word of each cell, -1 for NULL, its target word, and its value."""
    src = np.repeat(np.arange(-1, pairs.starts.size - 2, dtype=np.int32), np.diff(pairs.starts))
    return src, pairs.targets, pairs.values


def _new(numbers: I32, old: I32) -> I32:
    """Return the word of a text for each word of a model, or -1, from those of words."""
    new = np.full(max(old.max(initial=0), numbers.max(initial=0)) + 1, -1, np.int32)
    known = np.flatnonzero(numbers >= 0)
    new[numbers[known]] = known
    found: I32 = new[old]
    return found
