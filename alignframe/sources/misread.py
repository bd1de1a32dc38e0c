"""Detecting links that fit others far better in another reading: reversed, or counted from 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import combinations
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, Array, Links, frozen, make_links
from alignframe.core.arrow import as_array, to_links
from alignframe.core.keys import sentence_column
from alignframe.core.tokens import SIDES, list_lengths, words_of
from alignframe.errors import renumbering, sentence_name, warn
from alignframe.kernels.links.counts import Counted, Hits, count_gold, count_hits, count_swapped
from alignframe.kernels.ragged import locate, tidy
from alignframe.sources.source import Source

SAMPLE = 200
"""The number of sentences compared: enough, and cheap even in a large corpus."""
SENTENCES = 1_000
"""The same for the comparison by words, without other links."""

# Another reading fits far better with this many times as many links, and `FEW` more.
_TIMES = 2
# Number of places of a corpus among which the one that fits worst is compared.
_PLACES = 9
FEW = 20
"""Smaller differences in numbers of links may be chance."""


SHIFTS = tuple(shift for shift in range(-8, 9) if shift)
"""Differences between the numbers of a sentence on both sides that are tried."""

Shared: TypeAlias = "Counter[str | int]"
"""Numbers of links shared with others, by how the links are read.

``given``; ``turned``, with sides swapped; ``one`` and ``other one``, if the words of this or the
other side count from 1; each of ``SHIFTS``, added to the numbers of sentences. ``zeros`` and
``other zeros`` are the numbers of links with a position 0, ``low`` and ``high`` the first and the
last sentence compared.
"""


def shared_links(
    links: Links,
    others: Counted,
    rows: I64,
    chosen: Array,
    hits: Hits | None = None,
    sids: tuple[I64, I64] | None = None,
) -> Shared:
    """Count the links that some of the ``chosen`` rows of ``links`` share with others, by reading.

    ``rows`` has the row of each sentence in ``others``, -1 for none; ``hits`` are those of all
    sentences, if known; ``sids`` the numbers of the sentences of both, if they may be shifted.
    """
    known = chosen[rows[chosen] >= 0]
    some = chosen[:SAMPLE]
    if hits is not None and known.size > SAMPLE:
        # Sums up to each row give those of any window as a difference.
        starts = np.linspace(0, known.size - SAMPLE, _PLACES).astype(np.int64)
        lost = np.cumsum((hits.n_hyp - hits.n_hyp_possible)[known])
        start = starts[np.argmax(lost[starts + SAMPLE - 1] - lost[starts])]
        some = known[start : start + SAMPLE]
    there = frozen(rows[some])
    few = links.take(some)
    kept, theirs = tidy(few), tidy(others.links.take(there[there >= 0]))

    def count(change: int, at: I64) -> int:
        i, j = (frozen((side.astype(np.int64) + change).astype(np.uint16)) for side in kept[1:3])
        made = make_links(kept.offsets, i, j)
        return int(count_hits(made, others, frozen(at)).n_hyp_possible.sum())

    shared: Shared = Counter()
    shared["given"] = count(0, there) if hits is None else int(hits.n_hyp_possible[some].sum())
    shared["turned"] = count_swapped(make_links(*kept[:3]), others, there)
    for name, links_of_side in (("zeros", kept), ("other zeros", theirs)):
        shared[name] = int(((links_of_side.i == 0) | (links_of_side.j == 0)).sum())
    # A side that counts from 1 has no position 0, where the other has some.
    if shared["zeros"] == 0 < shared["other zeros"]:
        shared["one"] = count(-1, there)
    if shared["other zeros"] == 0 < shared["zeros"]:
        shared["other one"] = count(1, there)
    if sids is not None and some.size:
        own, known = sids[0][some], sids[1]
        shared["low"], shared["high"] = int(own.min()), int(own.max())
        few_shared = theirs.i.size and _TIMES * shared["given"] < kept.i.size
        for shift in SHIFTS if few_shared else ():
            shared[shift] = count(0, locate(frozen(own + shift), known))
    return shared


def warn_if_misread(shared: Shared, names: tuple[str, str], found: str, todo: str) -> None:
    """Warn if far more links are shared in another reading.

    ``found`` describes the two sides called ``names``; ``todo`` says what to do if sides are
    swapped.
    """
    far, more = _TIMES * shared["given"] + FEW, max(shared["given"], FEW)
    shift = max(SHIFTS, key=shared.__getitem__)
    lower = "subtract 1 from its i and j, or read it with `base=1`"
    readings: list[tuple[str | int, str, bool, str, str]] = [
        (
            "turned",
            names[0],
            shared["turned"] > far,
            "if one of them names the target word first",
            todo,
        ),
        (
            "one",
            names[0],
            shared["zeros"] == 0 and shared["one"] > more,
            f"if the words of {names[0]} count from 1, as it has no position 0",
            lower,
        ),
        (
            "other one",
            names[1],
            shared["other zeros"] == 0 and shared["other one"] > more,
            f"if the words of {names[1]} count from 1, as it has no position 0",
            lower,
        ),
        (
            shift,
            names[0],
            shared[shift] > far,
            "with other numbers of sentences",
            f"{renumbering(shift)} the sid of {names[0]} (of a file: first_sentence=0 when reading "
            "it, in the shell alignframe convert --first-sentence 0)",
        ),
    ]
    where = "in the first sentences"
    if shared["high"]:
        ends = (sentence_name(shared[end]) for end in ("low", "high"))
        low, high = (f"{end:,}" if isinstance(end, int) else end for end in ends)
        where = f"in the sentences {low} to {high}"
    for key, source, fits, reading, change in readings:
        if fits:
            said = f"{found} share {shared['given']:,} links {where}, and {shared[key]:,} {reading}"
            warn(f"{said}; if so, {change}", source)


def warn_if_words_turned(text: pa.Table, column: pa.Array, found: str) -> None:
    """Warn if links connect the same words repeatedly only when reversed.

    ``text`` has at most ``SENTENCES`` pairs; ``column`` has their links, and maybe those of more.
    """
    # Correct links join the same words again in any text, reversed ones hardly ever. A link (i, j)
    # counts the share of other links of its two words that join both:
    # 2 (n_both - 1) / (n_src + n_tgt - 2). Links with i = j are the same in both readings.
    given = tidy(to_links(column.slice(0, SENTENCES)))
    sizes = np.diff(given.offsets)
    rows = np.repeat(np.arange(sizes.size), sizes)
    starts, words = [], []
    fits = given.i != given.j
    for side in SIDES:
        own = as_array(text[side])
        lengths = list_lengths(own)
        starts.append((np.cumsum(lengths) - lengths)[rows])
        words.append(words_of(own).dictionary_encode().indices.to_numpy())
        fits &= np.maximum(given.i, given.j) < lengths[rows]
    ends = given.i[fits], given.j[fits]
    shares = []
    for places in (ends, ends[::-1]):
        pair = [
            side[start[fits] + place]
            for side, start, place in zip(words, starts, places, strict=True)
        ]
        of_each = (np.bincount(side, minlength=1)[side] for side in pair)
        # Both words as one integer, so that equal pairs are found by sorting.
        joined = pair[0].astype(np.int64) << 32 | pair[1]
        _, at, both = np.unique(joined, return_inverse=True, return_counts=True)
        others = np.maximum(sum(of_each) - 2, 1)
        shares.append(float((2 * (both[at] - 1) / others).sum()))
    as_given, turned = shares
    if turned > _TIMES * as_given + FEW:
        percent = [f"{share / fits.sum():.0%}" for share in shares]
        warn(
            f"{found} join the same words in {percent[0]} of cases, and in {percent[1]} if they "
            "name the target word first; if so, read them with the other `order`"
        )


def compare_tables(sources: Mapping[str, Source], told: Collection[frozenset[str]] = ()) -> None:
    """Warn of tables of links whose first batches fit others far better in another reading.

    ``told`` are pairs of names that were compared already.
    """
    read = {name: _first_sentences(source) for name, source in sources.items()}
    for (name, (sid, links)), (other, (other_sid, others)) in combinations(read.items(), 2):
        if {name, other} in told:
            continue
        every, gold = np.arange(sid.size), count_gold(others)
        rows = locate(sid, other_sid)
        offsets, i, j, *_ = tidy(links)
        hits = count_hits(make_links(offsets, i, j), gold, frozen(rows))
        shared = shared_links(links, gold, rows, every, hits, (sid, other_sid))
        warn_if_misread(shared, (name, other), f"{name} and {other}", "use invert_links()")


def _first_sentences(source: Source) -> tuple[I64, Links]:
    """Return the sentences of a table's first system in its first batch, in order."""
    for batch in source.batches():
        codes = batch.column("system").indices.to_numpy()
        sid = sentence_column(batch)[codes == codes[:1]]
        order = np.argsort(sid, kind="stable")
        rows = np.flatnonzero(codes == codes[:1])[order]
        return frozen(sid[order]), to_links(batch.column("links")).take(rows)
    none = np.zeros(0, np.int64)
    return none, make_links(np.zeros(1, np.int64), *(np.zeros(0, np.uint16),) * 2)
