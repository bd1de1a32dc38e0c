"""Phrase tables from word alignments (Koehn, Och & Marcu 2003)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64, I32, I64, U64, Array, Bools, frozen
from alignframe.core.arrow import to_links
from alignframe.core.schemas import LINKS, PHRASE_TABLE, TOKENS
from alignframe.core.tokens import list_lengths, words_of
from alignframe.errors import InputError, number_of, warn
from alignframe.kernels.phrases import table as kernel
from alignframe.kernels.phrases.extraction import MOSES_LENGTH
from alignframe.kernels.text.trie import Trie
from alignframe.mt.pair_counts import SUMS, PairCounts, added
from alignframe.options import checked
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.texts import are_files, word_array
from alignframe.tesla.pivot_count import NumberedSide, link_ends, linked, phrase_spans
from alignframe.typing import FromOne, IntoBitext, IntoFrame, IntoLinks, IntoSentences

# The number of sentences whose phrases are counted at a time.
_SENTENCES = 2048


@checked
def train(
    links: IntoLinks,
    bitext: IntoBitext,
    *,
    only: IntoSentences | Sequence[IntoSentences] | None = None,
    leave_out: bool = False,
    max_length: FromOne = MOSES_LENGTH,
) -> pl.DataFrame:
    """Extract a phrase table from a word-aligned text.

    Parameters
    ----------
    links
        The word alignment of one system; see ``alignframe.phrases.extract``.
    bitext
        A frame with sid, src and tgt (see ``alignframe.sources.pairs``). Translation will be from
        src to tgt.
    only
        One or more texts to translate: pairs whose source phrase occurs in none of them are left
        out. Counts are still over the whole training text.
    leave_out
        Leave sentences of the texts to translate out of the training text.
    max_length
        Longest phrase, in words of either side: 1 to 8.

    Returns
    -------
    polars.DataFrame
        One row per phrase pair (see ``alignframe.core.schemas.PHRASE_TABLE``): counts, from which
        ``probabilities`` are computed, lexical weights, and counts of orientations.

    Raises
    ------
    InputError
        If the links do not fit the text, or no pair is left.

    Warns
    -----
    DataWarning
        If sentences have no links, or sentences to translate occur in the training text.

    Notes
    -----
    Pairs are those of Moses. A pair with several alignments gets the lexical weights of the most
    frequent one, as in Moses (Koehn, Och & Marcu 2003, section 4).

    Examples
    --------
    >>> from alignframe import mt
    >>> text = [("das Haus", "the house")]
    >>> table = mt.train(["0-0 1-1"], text)
    >>> table.select("src", "tgt").rows()
    [(['das'], ['the']), (['das', 'Haus'], ['the', 'house']), (['Haus'], ['house'])]
    """
    if not 1 <= max_length <= kernel.LONGEST:
        raise InputError(
            f"`max_length` is {max_length}", expected=f"from 1 to {kernel.LONGEST} words"
        )
    text = sentence_pairs(bitext).table().combine_chunks()
    src, tgt = NumberedSide.of(text, "src", lower=False), NumberedSide.of(text, "tgt", lower=False)
    wanted = None if only is None else _Wanted(src, only, max_length, leave_out)
    lexical = Lexical()
    with PairCounts() as counts:
        tries = Trie(1 << 16), Trie(1 << 16)
        for every, links_of_every in linked(text, links):
            kept = np.ones(every.size, np.bool_)
            if wanted is not None and leave_out:
                kept = ~wanted.standing[every]
            rows, column = every[kept], links_of_every.filter(pa.array(kept))
            lexical.add(src, tgt, rows, link_ends(src, tgt, rows, column))
            for start in range(0, rows.size, _SENTENCES):
                some = rows[start : start + _SENTENCES], column.slice(start, _SENTENCES)
                spans, parents = phrase_spans(src, tgt, *some, (max_length, max_length))
                _count(counts, tries, src, tgt, *some, spans, parents, wanted)
        weights = lexical.probabilities(src, tgt)
        known = src.known.known, tgt.known.known
        del text, src, tgt, wanted, lexical  # the table only needs counts
        for trie in tries:
            trie.close()
        parts = [_table(part, counts, tries, known, weights) for part in counts.parts()]
    if not parts:
        raise InputError(
            "no phrase pair is left",
            expected="texts to translate that contain source phrases of the training text",
        )
    return pl.concat(parts)


def probabilities(table: IntoFrame) -> pl.DataFrame:
    """Return phrase pairs with their probabilities, which are ratios of stored counts.

    Parameters
    ----------
    table
        A phrase table: any frame, or its path.

    Returns
    -------
    polars.DataFrame
        src, tgt, p_src (the source phrase given the target phrase), lex_src, p_tgt, lex_tgt.

    Examples
    --------
    >>> from alignframe import mt
    >>> text = [("das Haus", "the house"), ("das Buch", "the book"), ("das", "that")]
    >>> found = mt.probabilities(mt.train(["0-0 1-1", "0-0 1-1", "0-0"], text))
    >>> [(row["tgt"], round(row["p_tgt"], 2)) for row in found.to_dicts() if row["src"] == ["das"]]
    [(['the'], 0.67), (['that'], 0.33)]
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
    """The phrases of texts to translate."""

    def __init__(self, src: NumberedSide, only: Any, max_length: int, leave_out: bool) -> None:
        self._trie = Trie(1 << 16)
        several = isinstance(only, (list, tuple)) and _are_texts(only)
        lines: set[bytes] = set()
        for text_given in only if several else [only]:
            column = word_array(text_given, "a text to translate")
            words = src.known.number(words_of(column).cast(pa.string()))
            lengths = list_lengths(column)
            ends = np.cumsum(lengths)
            lines |= set(_sentences(words, ends - lengths, ends))
            last = np.repeat(ends, lengths)
            for length in range(1, max_length + 1):
                at = np.arange(words.size)
                # Phrases end within their sentence.
                at = at[at + length <= last]
                self._trie.add(frozen(words), at, at + length)
        self._nodes = self._trie.nodes()
        lines.discard(b"")
        of_rows = _sentences(src.words, src.starts[:-1], src.starts[1:])
        self.standing = np.array([line in lines for line in of_rows], np.bool_)
        common = int(self.standing.sum())
        if common:
            so = ", and left out"
            if not leave_out:
                so = "; scores on them are inflated (`leave_out=True`)"
            warn(
                f"{number_of(common, 'sentence')} of the training text found in the texts to "
                f"translate{so}"
            )

    def mask(self, words: I32, starts: I64, ends: I64) -> Bools:
        """Return which phrases occur in the texts."""
        nodes = kernel.find_phrases(*self._nodes, words, frozen(starts), frozen(ends))
        return np.asarray(nodes > 0)


def _are_texts(given: Sequence[Any]) -> bool:
    """Whether a list holds texts or files, as opposed to the sentences of a single text."""
    if all(isinstance(item, str) for item in given):
        return are_files(given)
    return not all(
        item is None
        or isinstance(item, str)
        or (
            isinstance(item, (list, tuple))
            and all(isinstance(word, str) and len(word.split()) < 2 for word in item)
        )
        for item in given
    )


def _sentences(words: I32, starts: I64, ends: I64) -> list[bytes]:
    """Return sentences as bytes, equal for equal words."""
    data, size = words.tobytes(), words.itemsize
    spans = zip((starts * size).tolist(), (ends * size).tolist(), strict=True)
    return [data[start:end] for start, end in spans]


def _count(
    counts: PairCounts,
    tries: tuple[Trie, Trie],
    src: NumberedSide,
    tgt: NumberedSide,
    rows: I64,
    column: pa.Array,
    spans: Sequence[I64],
    parents: I64,
    wanted: _Wanted | None,
) -> None:
    """Count the phrase pairs of some sentences."""
    # Counted before phrases that are not wanted are left out: p(src | tgt) is a share of all.
    base = tgt.starts[rows[parents]]
    tgt_nodes = tries[1].add(tgt.words, base + spans[1][0], base + spans[1][1])
    counts.n_tgt = added(counts.n_tgt, tgt_nodes, tries[1].size)
    base = src.starts[rows[parents]]
    starts, ends = base + spans[0][0], base + spans[0][1]
    if wanted is not None:
        kept = wanted.mask(src.words, starts, ends)
        starts, ends, parents = starts[kept], ends[kept], parents[kept]
        tgt_nodes = tgt_nodes[kept]
        spans = [side[:, kept] for side in spans]
    src_nodes = tries[0].add(src.words, starts, ends)
    counts.n_src = added(counts.n_src, src_nodes, tries[0].size)
    given = to_links(column)
    lengths = np.stack([side.starts[rows + 1] - side.starts[rows] for side in (src, tgt)])
    patterns, previous, following = kernel.describe(
        *(given.starts, given.ends, given.i, given.j, frozen(lengths), frozen(parents)),
        *map(frozen, spans),
    )
    ones = {
        f"{name}_{side}": (orientations == kind).astype(np.uint32)
        for side, orientations in (("previous", previous), ("next", following))
        for name, kind in (("monotone", kernel.MONOTONE), ("swap", kernel.SWAP))
    }
    pair = src_nodes.astype(np.uint64) << np.uint64(32) | tgt_nodes.astype(np.uint64)
    n = np.ones(pair.size, np.uint32)
    counts.add(pl.DataFrame({"pair": pair, "pattern": patterns, "n": n, **ones}))


def _table(
    sums: pl.DataFrame,
    counts: PairCounts,
    tries: tuple[Trie, Trie],
    known: tuple[pa.Array, pa.Array],
    weights: Sequence[Array],
) -> pl.DataFrame:
    """Return the rows of sorted sums by source phrase, most frequent first."""
    pair = sums["pair"].to_numpy()
    # Rows of a pair are adjacent, one per pattern of links; the most frequent pattern is kept.
    groups = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1], [True]]))
    forward, reverse = kernel.choose(
        frozen(groups.astype(np.int64)),
        frozen(sums["pattern"].to_numpy()),
        frozen(sums["n"].to_numpy().astype(np.int64)),
    )
    firsts = groups[:-1]
    each = {name: np.add.reduceat(sums[name].to_numpy().astype(np.int64), firsts) for name in SUMS}
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
        _lists(*sides[0], known[0]),
        _lists(*sides[1], known[1]),
        links_of(forward),
        each["n"][order],
        counts.n_src[nodes[0]].astype(np.int64),
        counts.n_tgt[nodes[1]].astype(np.int64),
        *lex,
        *(each[name][order] for name in SUMS[1:]),
    ]
    arrays = [column if isinstance(column, pa.Array) else pa.array(column) for column in columns]
    return pl.DataFrame(pl.from_arrow(pa.Table.from_arrays(arrays, schema=PHRASE_TABLE)))


def _lists(offsets: I64, words: I32, known: pa.Array) -> pa.ListArray:
    if offsets[-1] > np.iinfo(np.int32).max:
        raise InputError(
            "more than 2 billion words in phrases", todo="name the texts to translate (`only`)"
        )
    places = pa.array(offsets.astype(np.int32))
    return pa.ListArray.from_arrays(places, known.take(pa.array(words)), type=TOKENS)


def links_of(patterns: U64) -> pa.ListArray:
    """Return patterns as lists of links, sorted by source position."""
    bits = np.unpackbits(
        patterns.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    # Bit 8 j + i of a pattern is the link of word i with word j.
    grid = bits.reshape(-1, 8, 8).transpose(0, 2, 1)
    rows, i, j = np.nonzero(grid)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=patterns.size))])
    values = pa.StructArray.from_arrays(
        [pa.array(i.astype(np.uint16)), pa.array(j.astype(np.uint16))],
        fields=list(LINKS.value_type),
    )
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values, type=LINKS)


# Word translation probabilities from counts of links, as in Moses.


class Lexical:
    """Counts of linked words over a text; an unaligned word is linked to NULL."""

    def __init__(self) -> None:
        self._pairs: list[U64] = []
        self._counts: list[I64] = []
        self._alone: list[I64] = [np.zeros(0, np.int64), np.zeros(0, np.int64)]

    def add(self, src: NumberedSide, tgt: NumberedSide, rows: I64, ends: tuple[I64, I64]) -> None:
        """Count the links of some sentences, between the tokens ``ends``."""
        words = [side.words[tokens] for side, tokens in zip((src, tgt), ends, strict=True)]
        pairs = words[0].astype(np.uint64) << np.uint64(32) | words[1].astype(np.uint64)
        each, counts = np.unique(pairs, return_counts=True)
        self._pairs.append(each)
        self._counts.append(counts.astype(np.int64))
        for at, (side, tokens) in enumerate(zip((src, tgt), ends, strict=True)):
            sizes = side.starts[rows + 1] - side.starts[rows]
            shift = np.repeat(side.starts[rows] - (np.cumsum(sizes) - sizes), sizes)
            every = np.arange(shift.size) + shift
            linked = np.zeros(side.words.size, np.bool_)
            linked[tokens] = True
            unlinked = np.bincount(side.words[every[~linked[every]]])
            known = self._alone[at]
            total = np.zeros(max(unlinked.size, known.size), np.int64)
            total[: unlinked.size] += unlinked
            total[: known.size] += known
            self._alone[at] = total

    def probabilities(
        self, src: NumberedSide, tgt: NumberedSide
    ) -> tuple[I64, I32, F64, F64, F64, F64]:
        """Return the probabilities in the form for ``kernels.phrases.table.lexical_weights``."""
        pairs, at = np.unique(np.concatenate(self._pairs), return_inverse=True)
        counts = np.bincount(at, weights=np.concatenate(self._counts))
        s = (pairs >> np.uint64(32)).astype(np.int64)
        t = (pairs & np.uint64(2**32 - 1)).astype(np.int32)
        sizes = len(src.known.known), len(tgt.known.known)
        alone = [
            _padded(counts_alone, size)
            for counts_alone, size in zip(self._alone, sizes, strict=True)
        ]
        totals = (
            np.bincount(s, weights=counts, minlength=sizes[0]) + alone[0],
            np.bincount(t, weights=counts, minlength=sizes[1]) + alone[1],
        )
        rows = np.concatenate([[0], np.cumsum(np.bincount(s, minlength=sizes[0]))])
        # As in Moses, p(word, NULL) is the word's share of all unlinked words of its side.
        null = [own / max(own.sum(), 1) for own in alone]
        return (
            frozen(rows.astype(np.int64)),
            frozen(t),
            frozen(counts / totals[0][s]),
            frozen(counts / totals[1][t]),
            frozen(null[1]),
            frozen(null[0]),
        )


def _padded(counts: I64, size: int) -> I64:
    return np.concatenate([counts, np.zeros(size - counts.size, np.int64)])
