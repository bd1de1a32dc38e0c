"""Inducing translation lexicons: candidates, filters, log-likelihood ratios, N-best lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64, frozen
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import CANDIDATES, LEXICON
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, warn
from alignframe.functions.lexicon import llr
from alignframe.kernels.lexicon import candidates as kernel
from alignframe.lexicon.corpus import Batch, Corpus, Reading
from alignframe.lexicon.filters import name_of, parse_filter
from alignframe.lexicon.memory_budget import Room
from alignframe.lexicon.oracles import Filter
from alignframe.lexicon.out_of_core import induce_spilling
from alignframe.lexicon.pairs import Pairs
from alignframe.options import checked
from alignframe.result import TableResult
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import FromOne, IntoBitext, IntoSentences, Rare, Threads

# The size of the table of x log x.
_TABLE = 1 << 22

# The largest possible count.
_HIGHEST = 2**62


@checked
def induce(
    src: IntoSentences | IntoBitext,
    tgt: IntoSentences | None = None,
    *,
    n_best: FromOne = 5,
    filters: Iterable[Filter | str] = (),
    count: Rare[str] = "types",
    signed: bool = True,
    min_both: Rare[FromOne] = 1,
    words: str = "auto",
    memory_limit: Rare[str | None] = None,
    threads: Threads = None,
) -> TableResult:
    """Induce an N-best translation lexicon from a bitext.

    Parameters
    ----------
    src, tgt
        The sentences of both sides: paths, columns, or lists of texts (which are split at spaces)
        or of words. Or ``src`` alone is a bitext: a table with src and tgt, and src_tags and
        tgt_tags if tagged, its path, or a list of pairs of sentences. Pairs with an empty side are
        left out, with a warning.
    n_best
        Maximum number of translations per word.
    filters
        Filters, applied in this order (in Python, also as objects): ``cognate:0.58``, ``prefix:4``,
        ``mrbd:FILE``, ``alignment``, ``pos`` or ``pos:FILE``.
    count
        ``types``: a sentence pair counts once for a word pair; ``tokens``: as often as the rarer of
        the two words occurs in it.
    signed
        Give words that co-occur less often than by chance a negative ratio, which ranks them last.
    min_both
        Minimum number of co-occurrences of two words.
    words
        How raw text without tags is split. ``auto``: as ``unicode`` if a side looks raw;
        ``spaces``: not at all; ``unicode``: marks, elided articles, clitics and Chinese characters
        apart; ``characters``: one by one.
    memory_limit
        Memory limit of the process, for example ``2GB``; larger counts go to a temporary folder,
        through DuckDB.
    threads
        Number of threads, or an executor, to process ranges of source words; one by default.

    Returns
    -------
    TableResult
        The columns src, tgt, rank, llr, n_both, n_src, n_tgt, sorted by source word and rank. Its
        metadata have ``alignframe``, the signature, and ``n_best``.

    Raises
    ------
    InputError
        If the bitext has no pair, a number is out of range, or a filter cannot be used.

    Notes
    -----
    Melamed 1995, section 4; the ratio is Dunning's (1993). Ties are broken by count, then by the
    bytes of the target word, independent of the order of rows.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> src, tgt = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> found = lexicon.induce(src, tgt, n_best=1)
    >>> found.frame.select("src", "tgt", "n_both").rows()
    [('a', 'ein', 1), ('book', 'Buch', 2), ('house', 'Haus', 1), ('the', 'das', 2)]
    """
    executor = pool_of(threads)
    least = min(min_both, _HIGHEST)
    cascade = cascade_of(filters)
    room = None if memory_limit is None else Room(memory_limit)

    def count_of(corpus: Corpus) -> Pairs:
        return counted(corpus, cascade, count, executor)

    reading = Reading(sentence_pairs(src, tgt), words)
    batches = reading.batches()
    # Batches are held while they and their candidates fit in memory; after that, all are spilled.
    held: list[Batch] = []
    tokens = 0
    for batch in batches:
        held.append(batch)
        tokens += batch.tokens
        rows = reading.words("src") * min(n_best, reading.words("tgt"))
        if room and not room.holds(tokens, reading.words(), rows, filtered=bool(cascade)):
            given = chain(_emptied(held), batches)
            columns = induce_spilling(
                reading, given, count_of, room, n_best=n_best, signed=signed, min_both=least
            )
            break
    else:
        columns = _best(count_of(reading.corpus(held)), n_best, signed, least)
    warn_of_skipped(reading.skipped)
    metadata = {
        "alignframe": signature(cascade, count, n_best, signed, min_both, reading.ways),
        "n_best": str(n_best),
    }
    table = pa.Table.from_arrays(columns, schema=LEXICON.with_metadata(metadata))
    return TableResult("lexicon", table, metadata["alignframe"])


@checked
def candidates(
    src: IntoSentences | IntoBitext,
    tgt: IntoSentences | None = None,
    *,
    filters: Iterable[Filter | str] = (),
    count: str = "types",
    signed: bool = True,
    min_both: FromOne = 1,
    words: str = "auto",
    threads: Threads = None,
) -> pl.DataFrame:
    """Count all candidate translations of a bitext.

    Parameters
    ----------
    src, tgt, filters, count, signed, min_both, words, threads
        See ``induce``.

    Returns
    -------
    polars.DataFrame
        The columns src, tgt, n_both, n_src, n_tgt, n_pairs and llr, sorted by the two words.
        Sentence pairs in which filters removed the candidate are not counted. A million pairs have
        a hundred million candidates, most of which ``min_both`` removes.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> src, tgt = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> lexicon.candidates(src, tgt, min_both=2).select("src", "tgt", "n_both").rows()
    [('book', 'Buch', 2), ('the', 'das', 2)]
    """
    executor = pool_of(threads)
    least = min(min_both, _HIGHEST)
    cascade = cascade_of(filters)
    reading = Reading(sentence_pairs(src, tgt), words)
    corpus = reading.corpus(list(reading.batches()))
    warn_of_skipped(reading.skipped)
    pairs = counted(corpus, cascade, count, executor)
    left, whole = pairs.left(), pairs.whole
    counts_by_range = list(
        pairs.by_range(whole, partial(kernel.all_candidates, left, whole, least))
    )
    src, tgt, total = pairs.totals()
    sources = _sources(counts_by_range)
    targets, n_both, n_whole = (
        np.concatenate([part[k] for part in counts_by_range]) for k in (1, 2, 3)
    )
    # Candidates that filters removed do not count in the margins either.
    silent = n_whole - n_both.astype(np.int64)
    both = pa.array(n_both.astype(np.int64))
    margins = [pa.array(whole - silent) for whole in (src[sources], tgt[targets], total)]
    vocabularies = [
        corpus.src.vocabulary.take(pa.array(sources)),
        corpus.tgt.vocabulary.take(pa.array(targets)),
    ]
    columns = [*vocabularies, both, *margins, llr(both, margins[0], margins[1], margins[2], signed)]
    return pl.DataFrame(pl.from_arrow(pa.Table.from_arrays(columns, schema=CANDIDATES)))


def cascade_of(filters: Iterable[Filter | str]) -> list[Filter]:
    """Return filters, parsing those given as text."""
    if isinstance(filters, str) or not isinstance(filters, Iterable):
        raise InputError(f"{filters!r} as filters", expected=f"a list, [{filters!r}]")
    cascade = [parse_filter(item) if isinstance(item, str) else item for item in filters]
    for step in cascade:
        if isinstance(step, type) or not hasattr(step, "apply"):
            raise InputError(
                f"{step!r} in the list of filters", expected="a filter, such as Cognate(0.58)"
            )
    return cascade


def counted(
    corpus: Corpus, cascade: Sequence[Filter], count: str, executor: Executor | None
) -> Pairs:
    """Return the candidates of a corpus after a cascade of filters."""
    pairs = Pairs(corpus, count, executor)
    for step in cascade:
        step.apply(pairs, cascade)
    return pairs


def signature(
    cascade: Sequence[Filter],
    count: str,
    n_best: int,
    signed: bool,
    min_both: int,
    ways: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the signature; ``ways`` are those in which sides of raw text were split."""
    parts = {
        "metric": "llr-signed" if signed else "llr",
        "count": count,
        "n-best": n_best,
        "min-both": min_both,
        "filters": name_of(cascade),
        "pairs": "nonempty",
        **{f"words-{side}": how for side, how in ways.items()},
    }
    return whole_signature(*(f"{key}:{value}" for key, value in parts.items()))


def warn_of_skipped(skipped: int) -> None:
    """Warn of sentence pairs that were left out."""
    if skipped:
        what = "pair with an empty side was" if skipped == 1 else "pairs with an empty side were"
        warn(f"{skipped:,} {what} left out")


def _emptied(held: list[Batch]) -> Iterator[Batch]:
    """Yield batches, dropping each from the list."""
    held.reverse()
    while held:
        yield held.pop()


def _best(pairs: Pairs, n_best: int, signed: bool, least: int) -> list[Any]:
    """Return the columns of a lexicon."""
    left, whole = pairs.left(), pairs.whole
    src, tgt, total = pairs.totals()
    table = _xlogx(min(total + 1, _TABLE))
    most = min(n_best, tgt.size)
    best_by_range = list(
        pairs.by_range(
            whole,
            lambda low, high: kernel.best_candidates(
                left, whole, low, high, most, least, signed, src, tgt, total, table
            ),
        )
    )
    sources = _sources(best_by_range)
    targets, both, ratios = (np.concatenate([part[k] for part in best_by_range]) for k in (1, 2, 3))
    ranks = np.concatenate(
        [
            np.arange(part[1].size) - np.repeat(part[0][:-1], np.diff(part[0]))
            for part in best_by_range
        ]
    )
    corpus = pairs.corpus
    return [
        corpus.src.vocabulary.take(pa.array(sources)),
        corpus.tgt.vocabulary.take(pa.array(targets)),
        pa.array((ranks + 1).astype(np.int32)),
        pa.array(ratios),
        pa.array(both),
        pa.array(src[sources]),
        pa.array(tgt[targets]),
    ]


def _sources(parts: Sequence[Any]) -> Any:
    """Return the source word of each candidate in consecutive ranges."""
    sizes = np.concatenate([np.diff(part[0]) for part in parts])
    return np.repeat(np.arange(sizes.size), sizes)


def _xlogx(size: int) -> F64:
    table = np.arange(size, dtype=np.float64)
    table[1:] *= np.log(table[1:])  # 0 log 0 is 0
    return frozen(table)
