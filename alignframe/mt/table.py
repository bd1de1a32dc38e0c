"""Phrase tables from word alignments (Koehn, Och & Marcu 2003)."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from alignframe.arrow import to_links
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.kernels import phrase_table as kernel
from alignframe.kernels.phrases import MOSES_LENGTH
from alignframe.kernels.pivots_trie import Trie
from alignframe.kernels.ragged import frozen
from alignframe.mt.lexical import Lexical
from alignframe.sources import Bitext, word_array
from alignframe.tables import LINKS, PHRASE_TABLE, TOKENS
from alignframe.tesla.pivot_count import Side, link_ends, linked, phrase_spans
from alignframe.tokens import I32, I64, list_lengths, words_of
from alignframe.typing import IntoBitext, IntoFrame, IntoLinks, IntoSentences, Several

_PENDING = 1 << 22
"""Rows of counts that are held before they are summed."""
_MOST = 1 << 25
"""Rows of sums that are held before they go to disk."""
_PARTS = 16
_KEY = ("pair", "pattern")
_SUMS = ("n", "monotone_previous", "swap_previous", "monotone_next", "swap_next")


def train(
    links: IntoLinks,
    bitext: IntoBitext,
    *,
    only: Several[IntoSentences] | None = None,
    leave_out: bool = False,
    max_length: int = MOSES_LENGTH,
) -> pl.DataFrame:
    """Make a phrase table of a word-aligned text.

    Parameters
    ----------
    links
        The word alignment, one system's; see ``alignframe.phrases.extract``.
    bitext
        A frame with sid, src and tgt, see ``alignframe.sources.Bitext``. The source is what will be
        translated.
    only
        Texts to translate, or a list of such files: pairs whose source phrase occurs in none of
        them are left out. The counts are those of the whole text.
    leave_out
        Leave sentences of these texts out of the training text, where they stand in it.
    max_length
        The longest phrase, in words of either side: 1 to 8.

    Returns
    -------
    polars.DataFrame
        One row per phrase pair, see ``alignframe.tables.PHRASE_TABLE``: counts, from which
        ``probabilities`` are made, lexical weights, and counts of orientations.

    Raises
    ------
    InputError
        If the links do not fit the text, or no pair is left.

    Warns
    -----
    DataWarning
        If sentences have no links, or sentences to translate stand in the training text.

    Notes
    -----
    Pairs are those that Moses extracts; a pair that was aligned in several ways has the lexical
    weights of its most frequent alignment, as in Moses (Koehn, Och & Marcu 2003, section 4).
    """
    if not 1 <= max_length <= kernel.LONGEST:
        raise InputError(
            f"phrases of {max_length} words", expected=f"from 1 to {kernel.LONGEST} words"
        )
    text = Bitext(bitext).table().combine_chunks()
    src, tgt = Side.of(text, "src", lower=False), Side.of(text, "tgt", lower=False)
    wanted = None if only is None else _Wanted(src, only, max_length, leave_out)
    lexical = Lexical()
    with _Counts() as counts:
        tries = Trie(1 << 16), Trie(1 << 16)
        for every, links_of_every in linked(text, links):
            kept = np.ones(every.size, np.bool_)
            if wanted is not None and leave_out:
                kept = ~wanted.standing[every]
            rows, column = every[kept], links_of_every.filter(pa.array(kept))
            lexical.add(src, tgt, rows, link_ends(src, tgt, rows, column))
            spans, parents = phrase_spans(src, tgt, rows, column, (max_length, max_length))
            _count(counts, tries, src, tgt, rows, column, spans, parents, wanted)
        weights = lexical.of(src, tgt)
        parts = [
            _table(part, counts, tries, src, tgt, weights) for part in counts.parts() if part.height
        ]
    table = pa.concat_tables([PHRASE_TABLE.empty_table(), *parts])
    if not table.num_rows:
        raise InputError(
            "no phrase pair is left",
            expected="a source phrase of the training text in the texts to translate",
        )
    return pl.DataFrame(pl.from_arrow(table))


def probabilities(table: IntoFrame) -> pl.DataFrame:
    """Return phrase pairs with their probabilities, which are ratios of the stored counts.

    Parameters
    ----------
    table
        A phrase table: any frame, or its path.

    Returns
    -------
    polars.DataFrame
        src, tgt, p_src (of the source phrase given the target phrase), lex_src, p_tgt, lex_tgt.
    """
    from alignframe.mt.phrase_tables import phrase_table

    both = pl.col("n_both")
    return phrase_table(table).select(
        *("src", "tgt"),
        (both / pl.col("n_tgt")).alias("p_src"),
        "lex_src",
        (both / pl.col("n_src")).alias("p_tgt"),
        "lex_tgt",
    )


class _Wanted:
    """The phrases of texts that are to be translated."""

    def __init__(self, src: Side, only: Any, max_length: int, leave_out: bool) -> None:
        self._trie = Trie(1 << 16)
        several = isinstance(only, (list, tuple)) and not any(map(_is_sentence, only))
        lines: set[bytes] = set()
        for one in only if several else [only]:
            column = word_array(one, "a text to translate")
            words = src.known.of(words_of(column).cast(pa.string()))
            lengths = list_lengths(column)
            ends = np.cumsum(lengths)
            lines |= set(_sentences(words, ends - lengths, ends))
            last = np.repeat(ends, lengths)
            for length in range(1, max_length + 1):
                at = np.arange(words.size)
                at = at[at + length <= last]
                self._trie.add(frozen(words), at, at + length)
        self._nodes = self._trie.nodes()
        lines.discard(b"")
        of_rows = _sentences(src.words, src.starts[:-1], src.starts[1:])
        self.standing = np.array([one in lines for one in of_rows], np.bool_)
        common = int(self.standing.sum())
        if common:
            warnings.warn(
                f"{number_of(common, 'sentence')} of the training text found in the texts to "
                "translate" + (", and left out" if leave_out else "; scores on them are too good"),
                DataWarning,
                stacklevel=3,
            )

    def mask(self, words: I32, starts: I64, ends: I64) -> npt.NDArray[np.bool_]:
        """Tell which phrases occur in the texts."""
        found = kernel.find_phrases(*self._nodes, words, frozen(starts), frozen(ends))
        return np.asarray(found > 0)


def _is_sentence(given: Any) -> bool:
    """Whether something is a sentence, not a file or a column of them."""
    words = isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given)
    return words or (isinstance(given, str) and not Path(given).exists())


def _sentences(words: I32, starts: I64, ends: I64) -> list[bytes]:
    """Return sentences as bytes, which are equal where their words are."""
    data, size = words.tobytes(), words.itemsize
    spans = zip((starts * size).tolist(), (ends * size).tolist(), strict=True)
    return [data[start:end] for start, end in spans]


class _Counts(AbstractContextManager["_Counts"]):
    """Counts of pairs, their patterns and orientations; what is too much for memory is on disk."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pending: list[pl.DataFrame] = []
        self._held = 0
        self._files = 0
        self.n_src: I64 = np.zeros(0, np.int64)
        self.n_tgt: I64 = np.zeros(0, np.int64)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows, a pair each."""
        self._pending.append(_summed(rows))
        self._held += self._pending[-1].height
        if self._held > _PENDING:
            self._pending = [_summed(pl.concat(self._pending))]
            self._held = 0
            if self._pending[0].height > _MOST:
                self._spill()

    def _spill(self) -> None:
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="alignframe-")
        part = pl.col("pair") // (1 << 32) % _PARTS
        for number in range(_PARTS):
            self._pending[0].filter(part == number).write_parquet(
                Path(self._folder.name) / f"{number}-{self._files}.parquet"
            )
        self._files += 1
        self._pending = []

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield the sums of pairs and patterns; all those of a source phrase together."""
        if self._folder is None:
            if self._pending:
                yield _summed(pl.concat(self._pending))
            return
        if self._pending:
            self._pending = [_summed(pl.concat(self._pending))]
            self._spill()
        for number in range(_PARTS):
            yield _summed(pl.read_parquet(Path(self._folder.name) / f"{number}-*.parquet"))


def _summed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by(_KEY).agg(pl.col(_SUMS).sum())


def _count(
    counts: _Counts,
    tries: tuple[Trie, Trie],
    src: Side,
    tgt: Side,
    rows: I64,
    column: pa.Array,
    spans: Sequence[I64],
    parents: I64,
    wanted: _Wanted | None,
) -> None:
    """Count the phrase pairs of some sentences."""
    base = tgt.starts[rows[parents]]
    tgt_nodes = tries[1].add(tgt.words, base + spans[1][0], base + spans[1][1])
    counts.n_tgt = _added(counts.n_tgt, tgt_nodes, tries[1].size)
    base = src.starts[rows[parents]]
    starts, ends = base + spans[0][0], base + spans[0][1]
    if wanted is not None:
        kept = wanted.mask(src.words, starts, ends)
        starts, ends, parents = starts[kept], ends[kept], parents[kept]
        tgt_nodes = tgt_nodes[kept]
        spans = [side[:, kept] for side in spans]
    src_nodes = tries[0].add(src.words, starts, ends)
    counts.n_src = _added(counts.n_src, src_nodes, tries[0].size)
    given = to_links(column)
    lengths = np.stack([side.starts[rows + 1] - side.starts[rows] for side in (src, tgt)])
    patterns, previous, following = kernel.describe(
        *(given.starts, given.ends, given.i, given.j, frozen(lengths), frozen(parents)),
        *map(frozen, spans),
    )
    ones = {
        f"{name}_{side}": (found == kind).astype(np.uint32)
        for side, found in (("previous", previous), ("next", following))
        for name, kind in (("monotone", kernel.MONOTONE), ("swap", kernel.SWAP))
    }
    pair = src_nodes.astype(np.uint64) << np.uint64(32) | tgt_nodes.astype(np.uint64)
    n = np.ones(pair.size, np.uint32)
    counts.add(pl.DataFrame({"pair": pair, "pattern": patterns, "n": n, **ones}))


def _added(counts: I64, nodes: I32, size: int) -> I64:
    found = np.bincount(nodes, minlength=size).astype(np.int64)
    found[: counts.size] += counts
    return found


def _table(
    sums: pl.DataFrame,
    counts: _Counts,
    tries: tuple[Trie, Trie],
    src: Side,
    tgt: Side,
    weights: Sequence[npt.NDArray[Any]],
) -> pa.Table:
    """Return the rows of phrase pairs, by source phrase, the most frequent ones first."""
    sums = sums.sort("pair", "pattern")
    pair = sums["pair"].to_numpy()
    groups = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1], [True]]))
    forward, reverse = kernel.choose(
        frozen(groups.astype(np.int64)),
        frozen(sums["pattern"].to_numpy()),
        frozen(sums["n"].to_numpy().astype(np.int64)),
    )
    firsts = groups[:-1]
    each = {name: np.add.reduceat(sums[name].to_numpy().astype(np.int64), firsts) for name in _SUMS}
    pair = pair[firsts]
    nodes = (pair >> np.uint64(32)).astype(np.int32), (pair & np.uint64(2**32 - 1)).astype(np.int32)
    order = np.lexsort((nodes[1], -each["n"], nodes[0]))
    nodes = nodes[0][order], nodes[1][order]
    forward, reverse = forward[order], reverse[order]
    sides = [trie.phrases(own) for trie, own in zip(tries, nodes, strict=True)]
    lex = kernel.lexical_weights(
        *(frozen(array) for side in sides for array in side),
        frozen(forward),
        frozen(reverse),
        *weights,
    )
    columns = [
        _lists(*sides[0], src.known.known),
        _lists(*sides[1], tgt.known.known),
        links_of(forward),
        each["n"][order],
        counts.n_src[nodes[0]],
        counts.n_tgt[nodes[1]],
        *lex,
        *(each[name][order] for name in _SUMS[1:]),
    ]
    arrays = [one if isinstance(one, pa.Array) else pa.array(one) for one in columns]
    return pa.Table.from_arrays(arrays, schema=PHRASE_TABLE)


def _lists(offsets: I64, words: I32, known: pa.Array) -> pa.ListArray:
    if offsets[-1] > np.iinfo(np.int32).max:
        raise InputError(
            "more than 2 billion words in phrases", todo="name the texts to translate (only, --for)"
        )
    places = pa.array(offsets.astype(np.int32))
    return pa.ListArray.from_arrays(places, known.take(pa.array(words)), type=TOKENS)


def links_of(patterns: npt.NDArray[np.uint64]) -> pa.ListArray:
    """Return patterns as lists of links, sorted by source position."""
    bits = np.unpackbits(
        patterns.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    grid = bits.reshape(-1, 8, 8).transpose(0, 2, 1)
    rows, i, j = np.nonzero(grid)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=patterns.size))])
    values = pa.StructArray.from_arrays(
        [pa.array(i.astype(np.uint16)), pa.array(j.astype(np.uint16))],
        fields=list(LINKS.value_type),
    )
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values, type=LINKS)
