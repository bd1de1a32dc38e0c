"""Detecting links with the target word first, which fit others far better when reversed."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from alignframe.arrays import I64
from alignframe.arrow import as_array, to_links
from alignframe.errors import DataWarning
from alignframe.kernels.count import Counted, Hits, count_hits, count_swapped
from alignframe.kernels.ragged import Links, frozen, tidy
from alignframe.tokens import SIDES, list_lengths, words_of

SAMPLE = 200
"""The number of sentences compared: enough, and cheap even in a large corpus."""
SENTENCES = 1_000
"""The same for the comparison by words, without other links."""

_TIMES = 2
FEW = 20
"""Smaller differences in numbers of links may be chance."""


class Shared(NamedTuple):
    """Numbers of links shared with others: as given, and with sides swapped."""

    as_given: int = 0
    turned: int = 0

    def plus(self, other: Shared) -> Shared:
        """Return the sum of both."""
        return Shared(self.as_given + other.as_given, self.turned + other.turned)


def shared_links(
    links: Links,
    others: Counted,
    rows: I64,
    chosen: npt.NDArray[Any],
    hits: Hits | None = None,
) -> Shared:
    """Count the links that the first ``chosen`` rows of ``links`` share with others.

    ``rows`` has the row of each sentence in ``others``, -1 for none. ``hits`` are those of all
    sentences, if known.
    """
    some = chosen[:SAMPLE]
    there = frozen(rows[some])
    few = links._replace(starts=frozen(links.starts[some]), ends=frozen(links.ends[some]))
    found = (
        count_hits(few, others, there).n_hyp_possible if hits is None else hits.n_hyp_possible[some]
    )
    return Shared(int(found.sum()), count_swapped(few, others, there))


def warn_if_turned(shared: Shared, found: str, todo: str) -> None:
    """Warn if far more links are shared once one side is reversed.

    ``found`` names the inputs, such as ``the directions``; ``todo`` names the option to use.
    """
    if shared.turned > _TIMES * shared.as_given + FEW:
        warnings.warn(
            f"{found} share {shared.as_given:,} links in the first sentences, and "
            f"{shared.turned:,} if one of them names the target word first; if so, {todo}",
            DataWarning,
            stacklevel=4,
        )


def warn_if_words_turned(text: pa.Table, column: pa.Array, found: str) -> None:
    """Warn if links connect the same words repeatedly only when reversed.

    Correct links do so in any text, reversed ones hardly ever. Each link (i, j) counts the share of
    the other links of its two words that connect both, ``2 (n_both - 1) / (n_src + n_tgt - 2)``;
    links with i = j, or outside the sentence when reversed, are ignored. ``text`` has at most
    ``SENTENCES`` pairs; ``column`` has their links, and possibly those of more.
    """
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
        joined = pair[0].astype(np.int64) << 32 | pair[1]
        _, at, both = np.unique(joined, return_inverse=True, return_counts=True)
        others = np.maximum(sum(of_each) - 2, 1)
        shares.append(float((2 * (both[at] - 1) / others).sum()))
    as_given, turned = shares
    if turned > _TIMES * as_given + FEW:
        percent = [f"{share / fits.sum():.0%}" for share in shares]
        warnings.warn(
            f"{found} join the same words in {percent[0]} of cases, and in {percent[1]} if they "
            "name the target word first; if so, set the other order when reading them (--order)",
            DataWarning,
            stacklevel=4,
        )
