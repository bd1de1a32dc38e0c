"""Counting phrase pairs of two languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe import functions
from alignframe.core.arrays import I32, I64, U64, frozen
from alignframe.core.arrow import as_array, to_links
from alignframe.core.keys import sentence_column
from alignframe.core.tokens import Numbering, list_lengths, words_of
from alignframe.errors import InputError, warn
from alignframe.kernels.ragged import locate
from alignframe.kernels.text.trie import Trie
from alignframe.links.inputs import hypotheses
from alignframe.links.text import Text
from alignframe.phrases.extract import sentences_once
from alignframe.sources.misread import SENTENCES, warn_if_words_turned

# Number of pairs held before they are counted.
_PENDING = 1 << 23


@dataclass(frozen=True)
class NumberedSide:
    """The words of one side: sentence r has ``words[starts[r] : starts[r + 1]]``."""

    starts: I64
    words: I32
    known: Numbering

    @staticmethod
    def of(text: pa.Table, name: str, lower: bool) -> NumberedSide:
        """Return a column of words as numbers, optionally in lower case."""
        known = Numbering()
        lengths, words = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
        for batch in text.to_batches(max_chunksize=50_000):
            column = batch.column(name)
            lengths.append(list_lengths(column))
            encoded = words_of(column).dictionary_encode()
            forms = encoded.dictionary.cast(pa.string())
            numbers = known.number(pc.utf8_lower(forms) if lower else forms)
            words.append(numbers[encoded.indices.to_numpy()])
        starts = np.cumsum(np.concatenate(lengths), dtype=np.int64)
        return NumberedSide(frozen(starts), frozen(np.concatenate(words)), known)


@dataclass(frozen=True)
class PhrasePairs:
    """Pairs of phrases and their counts."""

    pairs: pl.DataFrame  # tgt, pivot (nodes of the tries), n_both
    tgt: Trie  # phrases as runs of word numbers
    pivot: Trie
    sentences: int  # sentence pairs that have links


def linked(text: pa.Table, links: object) -> Iterator[tuple[I64, pa.Array]]:
    """Yield rows of the text with their links in batches, all of one system."""
    if links is None:
        # Without links, the text is aligned in lower case by the default aligner.
        links = _aligned(text)
    sid = text["sid"].to_numpy()
    order = np.argsort(sid, kind="stable")
    ordered = frozen(sid[order].astype(np.int64))
    systems: set[str] = set()
    n_linked = 0
    for batch, _ in sentences_once(hypotheses(links), Text(text), called="the links"):
        names = batch.column("system")
        systems.update(pc.unique(names.cast(pa.string())).to_pylist())
        if len(systems) > 1:
            raise InputError(
                f"links of several systems: {', '.join(sorted(systems))}", expected="those of one"
            )
        column = batch.column("links")
        rows = order[locate(sentence_column(batch), ordered)]
        if not n_linked:
            own = text.take(pa.array(rows[:SENTENCES]))
            warn_if_words_turned(own, column, f"the links of {names[0].as_py()}")
        n_linked += int(pc.sum(pc.greater(list_lengths(column), 0)).as_py() or 0)
        yield rows, column
    if not n_linked:
        raise InputError("no link in any sentence", expected="a text whose words are aligned")
    if n_linked < text.num_rows:
        warn(
            f"{text.num_rows - n_linked:,} of {text.num_rows:,} sentence pairs have no links; they "
            "give no phrases"
        )


def _aligned(text: pa.Table) -> pa.Table:
    """Return the links of the default aligner on lower-cased text."""
    from alignframe.aligners import align

    columns = {"sid": text["sid"]}
    for name in ("src", "tgt"):
        side = as_array(text[name])
        offsets = np.concatenate(([0], np.cumsum(list_lengths(side))))
        lower = pc.utf8_lower(words_of(side).cast(pa.large_string()))
        columns[name] = pa.LargeListArray.from_arrays(pa.array(offsets), lower)
    return align(pa.table(columns))


def count_phrases(
    tgt: NumberedSide,
    pivot: NumberedSide,
    batches: Iterable[tuple[I64, pa.Array]],
    longest: tuple[int, int],
) -> PhrasePairs:
    """Count consistent phrase pairs of at most ``longest`` words, with unaligned border words."""
    tries = Trie(1 << 16), Trie(1 << 16)
    pending: list[pl.DataFrame] = []
    counted = _counts(np.zeros(0, np.uint64))
    sentences, held = 0, 0
    for rows, links in batches:
        spans, parents = phrase_spans(tgt, pivot, rows, links, longest)
        sentences += np.unique(parents).size
        nodes = []
        for side, trie, ends in zip((tgt, pivot), tries, spans, strict=True):
            base = side.starts[rows[parents]]
            nodes.append(trie.add(side.words, base + ends[0], base + ends[1]).astype(np.uint64))
        # A pair is the nodes of both phrases in one integer.
        pending.append(_counts(nodes[0] << np.uint64(32) | nodes[1]))
        held += pending[-1].height
        if held > _PENDING:
            counted, pending, held = _summed([counted, *pending]), [], 0
    pairs = _summed([counted, *pending]).select(
        tgt=(pl.col("pair") // (1 << 32)).cast(pl.Int32),
        pivot=(pl.col("pair") % (1 << 32)).cast(pl.Int32),
        n_both=pl.col("n_both").cast(pl.Int64),
    )
    return PhrasePairs(pairs, *tries, sentences)


def _counts(pairs: U64) -> pl.DataFrame:
    """Return distinct pairs, two numbers in one, and their counts."""
    each, counts = np.unique(pairs, return_counts=True)
    return pl.DataFrame({"pair": each, "n_both": counts.astype(np.uint32)})


def _summed(frames: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames).group_by("pair").agg(pl.col("n_both").sum())


def phrase_spans(
    tgt: NumberedSide, pivot: NumberedSide, rows: I64, links: pa.Array, longest: tuple[int, int]
) -> tuple[list[I64], I64]:
    """Return the spans of phrases on both sides, shape (2, phrases), and their rows."""
    lengths = [pa.array(side.starts[rows + 1] - side.starts[rows]) for side in (tgt, pivot)]
    phrases = functions.extract_phrases(links, "moses", max(longest), *lengths)
    spans = phrases.flatten()
    parents = np.repeat(np.arange(rows.size), np.diff(phrases.offsets.to_numpy()))
    sides = []
    short = np.ones(len(spans), np.bool_)
    for side, most in zip(("src", "tgt"), longest, strict=True):
        ends = np.stack([spans.field(f"{side}_{end}").to_numpy() for end in ("start", "end")])
        short &= ends[1] - ends[0] <= most
        sides.append(ends.astype(np.int64))
    return [ends[:, short] for ends in sides], parents[short]


def link_ends(
    tgt: NumberedSide, pivot: NumberedSide, rows: I64, links: pa.Array
) -> tuple[I64, I64]:
    """Return the tokens on both sides of each link, numbered through the whole text."""
    given = to_links(links)
    sizes = given.sizes()
    owners = np.repeat(rows, sizes)
    numbers = np.repeat(given.starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(owners.size)
    return tgt.starts[owners] + given.i[numbers], pivot.starts[owners] + given.j[numbers]
