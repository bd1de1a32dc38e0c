"""Filters of candidate translations, to be put in any number and order (Melamed 1995, section 4).

A filter takes candidates out of single sentence pairs. An *oracle* knows pairs of words that are
likely translations: where one stands among the candidates, the other candidates of its two words
go. The others judge a candidate by its words' classes, by its place, or by a function of the user.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, Protocol

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.arrow import require_columns, to_table
from alignframe.errors import InputError
from alignframe.kernels import candidates, cognates, masks
from alignframe.kernels.ragged import frozen
from alignframe.lexicon.classes import classes_of, read_classes
from alignframe.lexicon.pairs import Listing, Pairs, joined
from alignframe.lexicon.spelling import as_letters, beginnings, folded

_MOST = 1 << 20
"""Candidates judged at once by a function of the user."""


class Filter(Protocol):
    """What takes candidates away."""

    @property
    def name(self) -> str:
        """How the filter is written, for example ``cognate:0.58``."""
        ...

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:
        """Clear candidates from the mask of ``pairs``; ``cascade`` has all the filters."""
        ...


class Oracle:
    """A filter that knows pairs of words."""

    def listed(self, pairs: Pairs) -> Listing:
        """Return the pairs of words of the corpus that the oracle knows."""
        raise NotImplementedError

    def known(self, pairs: Pairs) -> Listing:
        """Return what ``listed`` does, found once for each corpus."""
        if id(self) not in pairs.listings:
            pairs.listings[id(self)] = self.listed(pairs)
        return pairs.listings[id(self)]

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:  # noqa: ARG002
        """Keep, of the candidates of words that have a known one, the known ones."""
        masks.keep_known(*_sentences(pairs), *self.known(pairs))


@dataclass(frozen=True)
class Cognate(Oracle):
    """An oracle that takes words which look alike for translations.

    Parameters
    ----------
    cutoff
        The least ratio of the longest common subsequence to the length of the longer word.
    fold_accents
        Take letters with and without accents for the same.

    Notes
    -----
    Melamed 1995, section 4.3. Words are compared in Unicode's form NFC without regard to case.
    """

    cutoff: float = 0.58
    fold_accents: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.cutoff <= 1:
            raise InputError(f"the cut-off {self.cutoff!r}", expected="above 0, at most 1")

    @property
    def name(self) -> str:
        """How the filter is written."""
        return f"cognate:{self.cutoff:g}" + (":fold-accents" if self.fold_accents else "")

    def listed(self, pairs: Pairs) -> Listing:
        """Return the words of the corpus that look alike and stand in one sentence pair."""
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
    """An oracle that takes words with the same first letters for translations.

    Parameters
    ----------
    letters
        How many; shorter words are not compared. Words that are not all letters must be equal.
    fold_accents
        Take letters with and without accents for the same.

    Notes
    -----
    The criterion of Simard, Foster & Isabelle 1992, as given in Melamed 1995, section 4.3.
    """

    letters: int = 4
    fold_accents: bool = False

    def __post_init__(self) -> None:
        if self.letters < 1:
            raise InputError(f"{self.letters} letters", expected="1 or more")

    @property
    def name(self) -> str:
        """How the filter is written."""
        return f"prefix:{self.letters}" + (":fold-accents" if self.fold_accents else "")

    def listed(self, pairs: Pairs) -> Listing:
        """Return the words of the corpus that begin alike and stand in one sentence pair."""
        sides = (pairs.corpus.src.vocabulary, pairs.corpus.tgt.vocabulary)
        words = [folded(side, accents=self.fold_accents) for side in sides]
        keys = beginnings(words, self.letters)
        return pairs.find(lambda low, high: cognates.find_equal(pairs.whole, low, high, *keys))


@dataclass(frozen=True)
class WordList(Oracle):
    """An oracle list of translations, such as a machine-readable bilingual dictionary.

    Parameters
    ----------
    pairs
        A frame with the columns src and tgt, or a file that ``formats.read_word_list`` reads.
    fold_case
        Compare words without regard to case.

    Notes
    -----
    Melamed 1995, section 4.2.
    """

    pairs: Any = field(repr=False)
    fold_case: bool = False
    _words: pl.DataFrame = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.pairs, (str, PathLike)):
            from alignframe.formats import read_word_list

            table = read_word_list(self.pairs)
        else:
            table = to_table(self.pairs)
            require_columns(table.schema, ("src", "tgt"), "the list of words")
        words = pl.DataFrame(pl.from_arrow(table.select(["src", "tgt"])))
        object.__setattr__(self, "_words", words.cast(pl.String).drop_nulls().unique())

    @property
    def name(self) -> str:
        """How the filter is written."""
        path = isinstance(self.pairs, (str, PathLike))
        text = fspath(self.pairs) if path else f"{self._words.height} pairs"
        return f"mrbd:{text}" + (":fold-case" if self.fold_case else "")

    def listed(self, pairs: Pairs) -> Listing:
        """Return the pairs of words of the list that the corpus has."""
        found = self._words
        for side in ("src", "tgt"):
            vocabulary = getattr(pairs.corpus, side).vocabulary
            numbered = pl.DataFrame({side: pl.Series(pl.from_arrow(vocabulary), dtype=pl.String)})
            numbered = numbered.with_row_index(f"{side}_number")
            if self.fold_case:
                found = found.with_columns(_casefolded(found[side]))
                numbered = numbered.with_columns(_casefolded(numbered[side]))
            found = found.join(numbered, on=side)
        found = found.select("src_number", "tgt_number").unique()
        sources = found["src_number"].to_numpy().astype(np.int64)
        targets = found["tgt_number"].to_numpy().astype(np.int32)
        return _listing(sources, targets, len(pairs.corpus.src.vocabulary))


@dataclass(frozen=True)
class Alignment:
    """Part sentence pairs at pairs of words that oracles know; keep candidates inside the parts.

    The oracles are those of the cascade, wherever they stand in it. The points are the longest
    chain of known candidates that ascends on both sides, so that none crosses another; of equals
    the chain whose points come first.

    Notes
    -----
    Melamed 1995, section 4.4.
    """

    name: str = field(default="alignment", init=False)

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:
        """Clear the candidates across parts."""
        oracles = [one for one in cascade if isinstance(one, Oracle)]
        if not oracles:
            raise InputError(
                "the filter alignment without an oracle",
                expected="a filter cognate, prefix or mrbd in the cascade, whose pairs of words "
                "part the sentences",
            )
        every = [one.known(pairs) for one in oracles]
        sources = [np.repeat(np.arange(one.starts.size - 1), np.diff(one.starts)) for one in every]
        targets = np.concatenate([one.targets for one in every])
        listing = _listing(np.concatenate(sources), targets, every[0].starts.size - 1)
        masks.keep_aligned(*_sentences(pairs), *listing)


@dataclass(frozen=True)
class PartOfSpeech:
    """Keep candidates whose words are of the same class of parts of speech.

    Parameters
    ----------
    classes
        A frame with the columns tag and class, and side (``src`` or ``tgt``) where the tags of the
        two languages differ; or a file of such columns parted by tabs. The tag ``*`` stands for
        all others. Left out: classes of the Universal tags.

    Notes
    -----
    Melamed 1995, section 4.1. It needs tagged text: the columns src_tags and tgt_tags.
    """

    classes: Any = None

    @property
    def name(self) -> str:
        """How the filter is written."""
        if self.classes is None:
            return "pos"
        path = isinstance(self.classes, (str, PathLike))
        return f"pos:{fspath(self.classes)}" if path else "pos:table"

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:  # noqa: ARG002
        """Clear the candidates of two classes."""
        src, tgt = pairs.corpus.src, pairs.corpus.tgt
        if src.tagset is None or tgt.tagset is None:
            raise InputError(
                "text without tags for the filter pos",
                expected="the columns src_tags and tgt_tags, or files of tagged text",
            )
        known = read_classes(self.classes)
        of_src, of_tgt = classes_of(known, src.tagset, tgt.tagset)
        mask, mask_at = pairs.masked()
        masks.keep_same_class(mask, mask_at, src.at, of_src[src.tags], tgt.at, of_tgt[tgt.tags])


@dataclass(frozen=True)
class Predicate:
    """Keep candidates that a function of the user approves of.

    Parameters
    ----------
    function
        Takes two Arrow arrays of words, source and target, of one length, and returns an Arrow
        array of booleans: whether to keep each candidate. It sees each pair of words once.
    name
        What to call the filter.
    """

    function: Callable[[pa.Array, pa.Array], pa.Array]
    name: str = "predicate"

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:  # noqa: ARG002
        """Clear the candidates that the function refuses."""
        mask, _ = pairs.masked()
        text = pairs.left()
        src, tgt = pairs.corpus.src.vocabulary, pairs.corpus.tgt.vocabulary
        n = len(src)
        sizes = np.cumsum(candidates.candidate_numbers(text, 0, n))
        low = 0
        while low < n:
            before = sizes[low - 1] if low else 0
            high = max(low + 1, int(np.searchsorted(sizes, before + _MOST, "right")))
            starts, targets, *_ = candidates.all_candidates(text, text, 1, low, high)
            sources = np.repeat(np.arange(low, high), np.diff(starts))
            kept = self._judge(src.take(pa.array(sources)), tgt.take(pa.array(targets)))
            candidates.keep_candidates(text, mask, low, high, starts, targets, kept)
            low = high

    def _judge(self, sources: pa.Array, targets: pa.Array) -> Any:
        found = self.function(sources, targets)
        if isinstance(found, pa.ChunkedArray):
            found = found.combine_chunks()
        if not isinstance(found, pa.Array) or not pa.types.is_boolean(found.type):
            kind = found.type if isinstance(found, pa.Array) else type(found).__name__
            raise InputError(f"the filter {self.name} gave {kind}", expected="an array of booleans")
        if len(found) != len(sources):
            raise InputError(
                f"the filter {self.name} gave {len(found)} values for {len(sources)} candidates",
                expected="one for each",
            )
        return found.fill_null(False).cast(pa.uint8()).to_numpy()


def parse_filter(text: str) -> Filter:
    """Return the filter that a text names.

    ``cognate[:CUTOFF][:fold-accents]``, ``prefix[:LETTERS][:fold-accents]``,
    ``mrbd:FILE[:fold-case]``, ``alignment`` or ``pos[:FILE]``.
    """
    name, _, rest = text.strip().partition(":")
    if name in ("cognate", "prefix"):
        words = rest.split(":") if rest else []
        fold = "fold-accents" in words
        values = [word for word in words if word != "fold-accents"]
        if len(values) > 1:
            raise InputError(f"the filter {text!r}", expected=f"{name}:NUMBER[:fold-accents]")
        if name == "cognate":
            cutoff = _number(values[0], float, text) if values else Cognate.cutoff
            return Cognate(cutoff, fold)
        return Prefix(_number(values[0], int, text) if values else Prefix.letters, fold)
    if name == "mrbd" and rest:
        path = rest.removesuffix(":fold-case")
        return WordList(path, fold_case=path != rest)
    if name == "pos":
        return PartOfSpeech(rest or None)
    if text.strip() == "alignment":
        return Alignment()
    raise InputError(
        f"the filter {text!r}",
        expected="cognate:0.58, prefix:4, mrbd:FILE, alignment, pos or pos:FILE",
    )


def parse_cascade(text: str) -> list[Filter]:
    """Return the filters that a text names, parted by commas; ``none`` or nothing is no filter."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return [] if names == ["none"] else [parse_filter(name) for name in names]


def name_of(cascade: Sequence[Filter]) -> str:
    """Return how a cascade is written."""
    return ",".join(one.name for one in cascade) or "none"


def _number(text: str, kind: type, spec: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"{text!r} in the filter {spec!r}", expected="a number") from None


def _sentences(pairs: Pairs) -> tuple[Any, ...]:
    """Return the mask and the sentences, as the kernels of filters take them."""
    src, tgt = pairs.corpus.src, pairs.corpus.tgt
    return *pairs.masked(), src.at, src.words, tgt.at, tgt.words, len(tgt.vocabulary)


def _listing(sources: Any, targets: Any, n_sources: int) -> Listing:
    """Return pairs of words as a listing, each once."""
    keys = np.unique(sources.astype(np.int64) << 32 | targets)
    starts = np.searchsorted(keys >> 32, np.arange(n_sources + 1)).astype(np.int64)
    return joined([(starts, (keys & 0xFFFFFFFF).astype(np.int32))])


def _casefolded(words: pl.Series) -> pl.Series:
    return pl.Series(words.name, folded(words.to_arrow(), accents=False), dtype=pl.String)
