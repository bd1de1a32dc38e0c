"""Oracles of likely translations: cognates and word lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from typing import Any, Protocol

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import Array, frozen
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, is_number, make_plain, warn, whole_number
from alignframe.functions.spelling import as_letters, beginnings, folded
from alignframe.kernels.lexicon import cognates, masks
from alignframe.lexicon.pairs import Listing, Pairs, joined
from alignframe.sources.source import is_path
from alignframe.sources.words import word_pairs
from alignframe.studies.runner import digest
from alignframe.typing import IntoWords

# The number of candidates judged at a time.
_CELLS = 1 << 20
# Pairs of a list that may be in a text by chance with their sides swapped.
_CHANCE = 5


class Filter(Protocol):
    """A filter of candidates.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> filters: list[lexicon.Filter] = [lexicon.Cognate(0.7), lexicon.Alignment()]
    >>> [one.name for one in filters]
    ['cognate:0.7', 'alignment']
    """

    @property
    def name(self) -> str:
        """The filter as text, for example ``cognate:0.58``."""
        ...

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:
        """Clear candidates from the mask of ``pairs``; ``cascade`` has all filters."""
        ...


class Oracle:
    """A filter that knows pairs of words."""

    def listed(self, pairs: Pairs) -> Listing:
        """Return the word pairs of the corpus that the oracle knows."""
        raise NotImplementedError

    def known(self, pairs: Pairs) -> Listing:
        """Return the result of ``listed``, cached for each corpus."""
        if id(self) not in pairs.listings:
            pairs.listings[id(self)] = self.listed(pairs)
        return pairs.listings[id(self)]

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:
        """For words with a known candidate in a sentence pair, keep only known candidates.

        Words are types, as in Melamed's removal of all pairs (S, not T) and (not S, T).
        """
        # Filters are compared by identity, since equal ones may occur twice.
        earlier = cascade[: [id(step) for step in cascade].index(id(self))]
        if all(isinstance(step, Oracle) for step in earlier):
            # All occurrences of a word have the same candidates.
            masks.keep_known(*sentences_of(pairs), *self.known(pairs))
        else:
            keep_known_types(pairs, self.known(pairs))


@dataclass(frozen=True)
class Cognate(Oracle):
    """An oracle that treats words of similar spelling as translations.

    Parameters
    ----------
    cutoff
        Minimum longest common subsequence ratio.
    fold_accents
        Ignore accents.

    Notes
    -----
    Melamed 1995, section 4.3. Words are compared case-insensitively in NFC.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> src, tgt = ["the government"], ["le gouvernement"]
    >>> lexicon.candidates(src, tgt, filters=[lexicon.Cognate()]).select("src", "tgt").rows()
    [('government', 'gouvernement'), ('the', 'le')]
    """

    cutoff: float = 0.58
    fold_accents: bool = False

    def __post_init__(self) -> None:
        make_plain(self)
        given: object = self.cutoff
        if not is_number(given) or not 0 < given <= 1:
            raise InputError(f"`cutoff` is {given!r}", expected="above 0, at most 1")

    @property
    def name(self) -> str:
        """The filter as text."""
        return f"cognate:{float(self.cutoff)!r}" + (":fold-accents" if self.fold_accents else "")

    def listed(self, pairs: Pairs) -> Listing:
        """Return the words of similar spelling that co-occur in a sentence pair."""
        sides = (pairs.corpus.src.vocabulary, pairs.corpus.tgt.vocabulary)
        words = [folded(side, accents=self.fold_accents) for side in sides]
        ends, letters, n_letters = as_letters(words)
        sets = [frozen(cognates.letter_sets(*side)) for side in zip(ends, letters, strict=True)]

        def call(low: int, high: int) -> Any:
            return cognates.find_alike(
                pairs.whole,
                low,
                high,
                float(self.cutoff),
                ends[0],
                letters[0],
                sets[0],
                ends[1],
                letters[1],
                sets[1],
                n_letters,
            )

        return pairs.find(call)


@dataclass(frozen=True)
class Prefix(Oracle):
    """An oracle that treats words with the same first letters as translations.

    Parameters
    ----------
    letters
        The length of the prefix; shorter words are not compared. Words with other characters must
        be equal.
    fold_accents
        Ignore accents.

    Notes
    -----
    The criterion of Simard, Foster & Isabelle 1992, as given in Melamed 1995, section 4.3.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> src, tgt = ["national law"], ["droit national"]
    >>> lexicon.candidates(src, tgt, filters=[lexicon.Prefix(4)]).select("src", "tgt").rows()
    [('law', 'droit'), ('national', 'national')]
    """

    letters: int = 4
    fold_accents: bool = False

    def __post_init__(self) -> None:
        make_plain(self)
        whole_number(self.letters, 1, "letters")

    @property
    def name(self) -> str:
        """The filter as text."""
        return f"prefix:{self.letters}" + (":fold-accents" if self.fold_accents else "")

    def listed(self, pairs: Pairs) -> Listing:
        """Return the words with a common prefix that co-occur in a sentence pair."""
        sides = (pairs.corpus.src.vocabulary, pairs.corpus.tgt.vocabulary)
        words = [folded(side, accents=self.fold_accents) for side in sides]
        keys = beginnings(words, self.letters)
        return pairs.find(lambda low, high: cognates.find_equal(pairs.whole, low, high, *keys))


@dataclass(frozen=True)
class WordList(Oracle):
    """An oracle from a word list, such as a machine-readable bilingual dictionary.

    Parameters
    ----------
    pairs
        A frame with the columns src and tgt, or a file for ``formats.read_word_list``.
    fold_case
        Ignore case.

    Notes
    -----
    Melamed 1995, section 4.2.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> known = lexicon.WordList(pl.DataFrame({"src": ["the"], "tgt": ["la"]}))
    >>> lexicon.candidates(["the end"], ["la fin"], filters=[known]).select("src", "tgt").rows()
    [('end', 'fin'), ('the', 'la')]
    """

    pairs: IntoWords = field(repr=False)
    fold_case: bool = False
    _words: pl.DataFrame = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table = word_pairs(self.pairs)
        words = pl.DataFrame(pl.from_arrow(table.select(["src", "tgt"])))
        object.__setattr__(self, "_words", words.cast(pl.String).drop_nulls().unique())

    @property
    def name(self) -> str:
        """The filter as text."""
        text = fspath(self.pairs) if is_path(self.pairs) else f"{self._words.height} pairs"
        return f"mrbd:{text}" + (":fold-case" if self.fold_case else "")

    @property
    def digest(self) -> str:
        """A digest of the words, in any order."""
        return digest(self._words.sort(SIDES)[side].to_arrow() for side in SIDES)

    def listed(self, pairs: Pairs) -> Listing:
        """Return the word pairs of the list that are in the corpus."""
        sides = {side: getattr(pairs.corpus, side).vocabulary for side in SIDES}
        numbers = self._joined(sides)
        swapped = self._joined({"src": sides["tgt"], "tgt": sides["src"]})
        warn_if_turned(self.name, "text", numbers.height, swapped.height)
        sources = numbers["src_number"].to_numpy().astype(np.int64)
        targets = numbers["tgt_number"].to_numpy().astype(np.int32)
        return listing_of(sources, targets, len(sides["src"]))

    def _joined(self, sides: Mapping[str, pa.Array]) -> pl.DataFrame:
        """Return the numbers of the list's words that are in the vocabularies of both sides."""
        words = self._words
        for side, vocabulary in sides.items():
            numbered = pl.DataFrame({side: pl.Series(pl.from_arrow(vocabulary), dtype=pl.String)})
            numbered = numbered.with_row_index(f"{side}_number")
            if self.fold_case:
                words = words.with_columns(_casefolded(words[side]))
                numbered = numbered.with_columns(_casefolded(numbered[side]))
            words = words.join(numbered, on=side)
        return words.select("src_number", "tgt_number").unique()


def warn_if_turned(name: str, where: str, shared: int, swapped: int) -> None:
    """Warn of a word list of which far more pairs are found with its sides swapped."""
    if swapped > 2 * shared + _CHANCE:
        warn(
            f"{name}: {shared:,} of its pairs are in the {where}, and {swapped:,} if its sides are "
            "swapped; give the other order, or a list with the source word first"
        )


def sentences_of(pairs: Pairs) -> tuple[object, ...]:
    """Return the mask and the sentences in the form for kernels."""
    src, tgt = pairs.corpus.src, pairs.corpus.tgt
    return *pairs.masked(), src.at, src.words, tgt.at, tgt.words, len(tgt.vocabulary)


def keep_known_types(pairs: Pairs, listing: Listing) -> None:
    """Clear the other candidates of words with a listed one, at all of their occurrences."""
    mask, mask_at = pairs.masked()
    src, tgt = pairs.corpus.src, pairs.corpus.tgt
    sources = np.repeat(np.arange(listing.starts.size - 1), np.diff(listing.starts))
    listed = sources << 32 | listing.targets
    sizes = np.stack([np.diff(src.at), np.diff(tgt.at)])
    ends = np.concatenate([[0], np.cumsum(sizes[0] * sizes[1])])
    first = 0
    while listed.size and first < pairs.corpus.pairs:
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _CELLS, "right")) - 1)
        at = np.repeat(np.arange(first, last), np.diff(ends[first : last + 1]))
        i, j = np.divmod(np.arange(ends[first], ends[last]) - ends[at], sizes[1][at])
        # A row of the mask has as many 64-bit words as the target side needs.
        place = mask_at[at] + i * ((sizes[1][at] + 63) >> 6) + (j >> 6)
        bit = np.uint64(1) << (j & 63).astype(np.uint64)
        left = np.flatnonzero(mask[place] & bit)
        at, place, bit = at[left], place[left], bit[left]
        source = src.words[src.at[at] + i[left]].astype(np.int64)
        target = tgt.words[tgt.at[at] + j[left]].astype(np.int64)
        known = np.isin(source << 32 | target, listed, kind="sort")
        # Words by sentence: a candidate goes if one of its words has a known one that it is not.
        ours, theirs = (at * (1 << 32) + word for word in (source, target))
        decided = np.isin(ours, ours[known]) | np.isin(theirs, theirs[known])
        gone = decided & ~known
        np.bitwise_and.at(mask, place[gone], ~bit[gone])
        first = last


def listing_of(sources: Array, targets: Array, n_sources: int) -> Listing:
    """Return distinct word pairs as a listing."""
    keys = np.unique(sources.astype(np.int64) << 32 | targets)
    starts = np.searchsorted(keys >> 32, np.arange(n_sources + 1)).astype(np.int64)
    return joined([(starts, (keys & 0xFFFFFFFF).astype(np.int32))])


def _casefolded(words: pl.Series) -> pl.Series:
    return pl.Series(words.name, folded(words.to_arrow(), accents=False), dtype=pl.String)
