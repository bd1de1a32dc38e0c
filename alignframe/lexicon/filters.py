"""Filters of candidate translations, which can be cascaded (Melamed 1995, section 4).

A filter removes candidates from single sentence pairs. An *oracle* knows likely translations: if
one is among the candidates, all other candidates of its two words are removed. Other filters use
word classes, positions, or a user-defined function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I32
from alignframe.core.arrow import as_array
from alignframe.core.schemas import REMOVED
from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError
from alignframe.functions.row import Rows, by_name, same_length, with_nulls
from alignframe.kernels.lexicon import candidates, masks
from alignframe.lexicon.classes import classes_of
from alignframe.lexicon.corpus import Reading
from alignframe.lexicon.oracles import (
    Cognate,
    Filter,
    Oracle,
    Prefix,
    WordList,
    listing_of,
    sentences_of,
)
from alignframe.lexicon.pairs import Pairs
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.source import is_path
from alignframe.typing import IntoFrame

# The number of candidates passed to a user-defined function at a time.
_MOST = 1 << 20


@dataclass(frozen=True)
class Alignment:
    """Split sentence pairs at word pairs known to oracles, and keep candidates within the parts.

    The oracles are those anywhere in the cascade; candidates removed by earlier filters are
    ignored. The split points are the longest chain of known candidates that ascends on both sides,
    without crossings; ties go to the chain whose points come first.

    Notes
    -----
    Melamed 1995, section 4.4.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> src, tgt = ["she left Paris today"], ["elle quitta Paris hier"]
    >>> found = lexicon.candidates(src, tgt, filters=[lexicon.Cognate(), lexicon.Alignment()])
    >>> found.filter(src="today").select("src", "tgt").rows()
    [('today', 'hier')]
    """

    name: str = field(default="alignment", init=False)

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:
        """Clear the candidates across parts."""
        oracles = [step for step in cascade if isinstance(step, Oracle)]
        if not oracles:
            raise InputError(
                "the filter alignment without an oracle",
                expected="a cognate, prefix or mrbd filter in the cascade, whose word pairs split "
                "the sentences",
            )
        every = [oracle.known(pairs) for oracle in oracles]
        sources = [
            np.repeat(np.arange(pairs_known.starts.size - 1), np.diff(pairs_known.starts))
            for pairs_known in every
        ]
        targets = np.concatenate([pairs_known.targets for pairs_known in every])
        listing = listing_of(np.concatenate(sources), targets, every[0].starts.size - 1)
        masks.keep_aligned(*sentences_of(pairs), *listing)


@dataclass(frozen=True)
class PartOfSpeech:
    """Keep candidates whose words are in the same part-of-speech class.

    Parameters
    ----------
    classes
        A frame with the columns tag and class, and side (``src`` or ``tgt``) if the tags of the two
        languages differ; or a tab-separated file of these columns. The tag ``*`` is for all others.
        Or a name in ``alignframe.lexicon.TAG_SETS``, ``universal`` by default.

    Notes
    -----
    Melamed 1995, section 4.1. Needs tagged text, with the columns src_tags and tgt_tags.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> words = {"src": [["the", "house"]], "tgt": [["das", "Haus"]]}
    >>> tags = {"src_tags": [["DET", "NOUN"]], "tgt_tags": [["DET", "NOUN"]]}
    >>> text = pl.DataFrame({**words, **tags})
    >>> lexicon.candidates(text, filters=[lexicon.PartOfSpeech()]).select("src", "tgt").rows()
    [('house', 'Haus'), ('the', 'das')]
    """

    classes: IntoFrame | Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """The filter as text."""
        if self.classes is None:
            return "pos"
        return f"pos:{fspath(self.classes)}" if is_path(self.classes) else "pos:table"

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:  # noqa: ARG002
        """Clear candidates of different classes."""
        src, tgt = pairs.corpus.src, pairs.corpus.tgt
        if src.tagset is None or tgt.tagset is None:
            raise InputError(
                "text without tags for the filter pos",
                expected="the columns src_tags and tgt_tags, or tagged text (`tagged=True`)",
            )
        of_src, of_tgt = classes_of(self.classes, src.tagset, tgt.tagset)
        mask, mask_at = pairs.masked()
        masks.keep_same_class(mask, mask_at, src.at, of_src[src.tags], tgt.at, of_tgt[tgt.tags])


@dataclass(frozen=True)
class Predicate:
    """Keep candidates accepted by a user-defined function.

    Parameters
    ----------
    function
        Takes two Arrow arrays of equal length, of source and target words, and returns an Arrow
        array of booleans: whether to keep each candidate. It gets each pair of words once.
    name
        The filter's name.

    Examples
    --------
    >>> import pyarrow.compute as pc
    >>> from alignframe import lexicon
    >>> same = lexicon.Predicate(pc.equal, "same")
    >>> found = lexicon.candidates(["in Paris in 2024"], ["2024 à Paris"], filters=[same])
    >>> found.select("src", "tgt").rows()
    [('2024', '2024'), ('Paris', 'Paris')]
    """

    function: Callable[[pa.Array, pa.Array], pa.Array]
    name: str = "predicate"

    def apply(self, pairs: Pairs, cascade: Sequence[Filter]) -> None:  # noqa: ARG002
        """Clear the candidates rejected by the function."""
        mask, _ = pairs.masked()
        text = pairs.tokens()
        src, tgt = pairs.corpus.src.vocabulary, pairs.corpus.tgt.vocabulary
        n = len(src)
        sizes = np.cumsum(candidates.candidate_numbers(text, 0, n))
        low = 0
        while low < n:
            before = sizes[low - 1] if low else 0
            # At least one source word at a time, however many candidates it has.
            high = max(low + 1, int(np.searchsorted(sizes, before + _MOST, "right")))
            starts, targets, *_ = candidates.all_candidates(text, text, 1, low, high)
            if targets.size:
                sources = np.repeat(np.arange(low, high), np.diff(starts))
                kept = self._judge(src.take(pa.array(sources)), tgt.take(pa.array(targets)))
                candidates.keep_candidates(text, mask, low, high, starts, targets, kept)
            low = high

    def _judge(self, sources: pa.Array, targets: pa.Array) -> pa.Array:
        answers = self.function(sources, targets)
        if isinstance(answers, pa.ChunkedArray):
            answers = answers.combine_chunks()
        if not isinstance(answers, pa.Array) or not pa.types.is_boolean(answers.type):
            kind = answers.type if isinstance(answers, pa.Array) else type(answers).__name__
            raise InputError(
                f"the filter {self.name} returned {kind}", expected="an array of booleans"
            )
        if len(answers) != len(sources):
            raise InputError(
                f"the filter {self.name} returned {len(answers)} values for {len(sources)} "
                "candidates",
                expected="one for each",
            )
        return answers.fill_null(False).cast(pa.uint8()).to_numpy()


def removed_candidates(
    src: pa.Array,
    tgt: pa.Array,
    filters: pa.Array | str,
    src_tags: pa.Array | None = None,
    tgt_tags: pa.Array | None = None,
) -> pa.Array:
    """Return the candidates that a cascade removes from each sentence pair, as pairs of words."""
    given = {"src": src, "tgt": tgt, "src_tags": src_tags, "tgt_tags": tgt_tags}
    columns = {name: as_array(column) for name, column in given.items() if column is not None}
    same_length(*columns.values())
    text = pa.table(
        {name: column for name, column in columns.items() if column.null_count < len(column)}
    )

    def removed(cascade: str | None, rows: Rows) -> pa.Array:
        if cascade is None:
            raise InputError("null as filters", expected="text, such as cognate:0.58,alignment")
        return _removed(parse_cascade(cascade), text.take(pa.array(rows)).combine_chunks())

    if not {"src", "tgt"} <= set(text.column_names):
        return pa.nulls(len(src), REMOVED)
    candidates_removed = by_name(filters, None, text.num_rows, removed, REMOVED)
    return with_nulls(candidates_removed, columns["src"], columns["tgt"])


def _removed(cascade: Sequence[Filter], text: pa.Table) -> pa.Array:
    full = np.flatnonzero(list_lengths(text["src"]) * list_lengths(text["tgt"]))
    ends = np.zeros(text.num_rows + 1, np.int64)
    if not full.size:
        return pa.array([[]] * text.num_rows, REMOVED)
    reading = Reading(sentence_pairs(text.take(pa.array(full))))
    pairs = Pairs(reading.corpus(list(reading.batches())), "types")
    pairs.masked()
    for step in cascade:
        step.apply(pairs, cascade)
    left, (src_at, sources) = pairs.left(), pairs.source_types()
    bits = np.unpackbits(left.mask.view(np.uint8), bitorder="little")
    words: tuple[list[I32], list[I32]] = ([], [])
    for s, row in enumerate(full):
        mine = sources[src_at[s] : src_at[s + 1]]
        theirs = left.tgt_words[left.tgt_at[s] : left.tgt_at[s + 1]]
        # A row of the mask is a source type, padded to whole words of 64 bits.
        block = bits[64 * left.mask_at[s] : 64 * left.mask_at[s + 1]].reshape(mine.size, -1)
        i, j = np.nonzero(block[:, : theirs.size] == 0)
        words[0].append(mine[i])
        words[1].append(theirs[j])
        ends[row + 1] = i.size
    sides = [
        side.vocabulary.take(pa.array(np.concatenate(some)))
        for side, some in zip((pairs.corpus.src, pairs.corpus.tgt), words, strict=True)
    ]
    values = pa.StructArray.from_arrays(sides, fields=list(REMOVED.value_type))
    return pa.ListArray.from_arrays(pa.array(np.cumsum(ends), pa.int32()), values)


def parse_filter(text: str) -> Filter:
    """Parse a filter.

    ``cognate[:CUTOFF][:fold-accents]``, ``prefix[:LETTERS][:fold-accents]``,
    ``mrbd:FILE[:fold-case]``, ``alignment`` or ``pos[:TAGS]``, where TAGS is a name or a file.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> lexicon.parse_filter("cognate:0.7").cutoff
    0.7
    """
    name, _, rest = text.strip().partition(":")
    if name in ("cognate", "prefix"):
        words = rest.split(":") if rest else []
        fold = "fold-accents" in words
        values = [word for word in words if word != "fold-accents"]
        if len(values) > 1:
            raise InputError(f"the filter {text!r}", expected=f"{name}:NUMBER[:fold-accents]")
        try:
            if name == "cognate":
                cutoff = _number(values[0], float) if values else Cognate.cutoff
                return Cognate(cutoff, fold)
            return Prefix(_number(values[0], int) if values else Prefix.letters, fold)
        except InputError as error:
            raise InputError(f"the filter {text!r}: {error.said}") from None
    if name == "mrbd" and rest:
        path = rest.removesuffix(":fold-case")
        return WordList(path, fold_case=path != rest)
    if name == "pos":
        return PartOfSpeech(rest or None)
    if text.strip() == "alignment":
        return Alignment()
    raise InputError(
        f"the filter {text!r}",
        expected="cognate:0.58, prefix:4, mrbd:FILE, alignment, pos or pos:TAGS",
    )


def parse_cascade(text: str) -> list[Filter]:
    """Parse comma-separated filters; ``none`` and empty items are ignored.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> [type(one).__name__ for one in lexicon.parse_cascade("cognate:0.7,alignment")]
    ['Cognate', 'Alignment']
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    return [] if names == ["none"] else [parse_filter(name) for name in names]


def name_of(cascade: Sequence[Filter]) -> str:
    """Return a cascade as text."""
    return ",".join(step.name for step in cascade) or "none"


def _number(text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"{text!r}", expected="a number") from None
