"""The candidates of a corpus: the words of its sentence pairs, and the mask of filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from alignframe.core.arrays import I32, I64, U64, frozen
from alignframe.core.choices import TYPES_OR_TOKENS
from alignframe.core.parallel import parallel_map
from alignframe.errors import InputError
from alignframe.kernels.lexicon import cooccurrence as kernel
from alignframe.kernels.lexicon.cooccurrence import Text
from alignframe.kernels.lexicon.masks import full_mask, mask_of_types
from alignframe.lexicon.corpus import Corpus, CorpusSide

COUNTS = TYPES_OR_TOKENS
"""Ways to count co-occurrences; see ``induce``."""

_PARTS = 64
Found = TypeVar("Found")


class Listing(NamedTuple):
    """Word pairs: source word w has the target words ``targets[starts[w] : starts[w + 1]]``."""

    starts: I64
    targets: I32


class Pairs:
    """A corpus, the way of counting candidates, and the candidates left by filters."""

    def __init__(self, corpus: Corpus, count: str, executor: Executor | None = None) -> None:
        if count not in COUNTS:
            raise InputError(f"`count` is {count!r}", expected=" or ".join(COUNTS))
        self.corpus = corpus
        self.by_token = count == "tokens"
        self.mask: U64 = np.zeros(0, np.uint64)
        self.mask_at: I64 = np.zeros(0, np.int64)
        self._executor = executor
        self.listings: dict[int, Listing] = {}
        self._whole: Text | None = None

    @property
    def whole(self) -> Text:
        """The text by types, without a mask."""
        if self._whole is None:
            src, tgt = self.corpus.src, self.corpus.tgt
            src_at, src_types, src_times = _types(src, self.by_token)
            tgt_at, tgt_types, tgt_times = _types(tgt, self.by_token)
            self._whole = Text(
                *_places(src_at, src_types, src, self.by_token),
                src_at,
                src_times,
                tgt_at,
                tgt_types,
                tgt_times,
                len(tgt.vocabulary),
                frozen(np.zeros(0, np.uint64)),
                frozen(np.zeros(0, np.int64)),
                self.by_token,
            )
        return self._whole

    def source_types(self) -> tuple[I64, I32]:
        """Return the distinct source words of each sentence pair, and where each begins."""
        return _types(self.corpus.src, False)[:2]

    def left(self) -> Text:
        """Return the text with the candidates left by filters."""
        if not self.mask_at.size:
            return self.whole
        if self.by_token:
            return self.tokens()
        src, tgt, whole = self.corpus.src, self.corpus.tgt, self.whole
        src_at, src_types = self.source_types()
        mask, mask_at = mask_of_types(
            frozen(self.mask),
            frozen(self.mask_at),
            src.at,
            src.words,
            tgt.at,
            tgt.words,
            src_at,
            src_types,
            whole.tgt_at,
            whole.tgt_words,
            max(len(src.vocabulary), len(tgt.vocabulary)),
        )
        *_, place = _places(src_at, src_types, src, True)
        return whole._replace(place=place, mask=frozen(mask), mask_at=frozen(mask_at))

    def tokens(self) -> Text:
        """Return the text by tokens, with its mask."""
        mask, mask_at = self.masked()
        src, tgt = self.corpus.src, self.corpus.tgt
        none = frozen(np.zeros(0, np.int32))
        return Text(
            *_places(src.at, src.words, src, True),
            src.at,
            none,
            tgt.at,
            tgt.words,
            none,
            len(tgt.vocabulary),
            frozen(mask),
            mask_at,
            True,
        )

    def masked(self) -> tuple[U64, I64]:
        """Return the mask, for changes in place."""
        if not self.mask_at.size:
            self.mask, self.mask_at = full_mask(self.corpus.src.at, self.corpus.tgt.at)
        return self.mask, frozen(self.mask_at)

    def totals(self) -> tuple[I64, I64, int]:
        """Return the count of each word on each side, and the total."""
        # By type, counts are sentence pairs with the word, out of all pairs. By token, they are
        # occurrences, out of the summed lengths of the longer sides.
        src, tgt = self.corpus.src, self.corpus.tgt
        if not self.by_token:
            total = self.corpus.pairs
            return frozen(np.diff(self.whole.starts)), _times(self.whole.tgt_words, tgt), total
        longest = np.maximum(np.diff(src.at), np.diff(tgt.at))
        return _times(src.words, src), _times(tgt.words, tgt), int(longest.sum())

    def by_range(self, text: Text, call: Callable[[int, int], Found]) -> Iterator[Found]:
        """Yield ``call(low, high)`` for ranges of source words of about equal work, in order."""
        # Always as many ranges, so that results do not depend on the number of threads.
        shares = np.linspace(0, text.sentence.size, _PARTS + 1)
        ends = np.searchsorted(text.starts, shares)
        ends[0], ends[-1] = 0, text.starts.size - 1
        bounds = np.unique(ends).tolist()
        ranges = list(pairwise(bounds))
        yield from parallel_map(lambda ends: call(*ends), ranges, self._executor)

    def find(self, call: Callable[[int, int], tuple[I64, I32]]) -> Listing:
        """Return the word pairs found by ``call`` in ranges of source words."""
        return joined(list(self.by_range(self.whole, call)))


def joined(parts: list[tuple[I64, I32]]) -> Listing:
    """Concatenate the listings of ranges of source words."""
    ends, base = [np.zeros(1, np.int64)], 0
    for starts, _ in parts:
        ends.append(starts[1:] + base)
        base += starts[-1]
    targets = np.concatenate([np.zeros(0, np.int32), *(targets for _, targets in parts)])
    return Listing(frozen(np.concatenate(ends)), frozen(targets.astype(np.int32, copy=False)))


def _times(words: I32, side: CorpusSide) -> I64:
    """Return the number of occurrences of each word on a side."""
    return frozen(np.bincount(words, minlength=len(side.vocabulary)).astype(np.int64))


def _places(at: I64, words: I32, side: CorpusSide, placed: bool) -> tuple[I64, I32, I32]:
    if words.size > np.iinfo(np.int32).max:
        raise InputError(
            f"{words.size:,} words on one side",
            expected="at most 2,147,483,647",
            todo="set a memory limit: the text is then counted in parts",
        )
    starts, sentence, place = kernel.invert(at, words, len(side.vocabulary), placed)
    return frozen(starts), frozen(sentence), frozen(place)


def _types(side: CorpusSide, counted: bool) -> tuple[I64, I32, I32]:
    at, types, times = kernel.sentence_types(side.at, side.words, len(side.vocabulary), counted)
    return frozen(at), frozen(types), frozen(times)
