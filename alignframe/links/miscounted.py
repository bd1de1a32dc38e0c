"""Links that are taken for links of characters or subwords, but count words."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, Links
from alignframe.core.tokens import SIDES, list_lengths
from alignframe.errors import MissingExtraError
from alignframe.formats.bitext import LOOKED_AT
from alignframe.functions.splittings import as_characters
from alignframe.kernels.ragged import reach
from alignframe.language.words import Splitting

# Characters that a sentence has beyond its words: a mark at its end, not linked, is one.
_MORE = 3
# Sentences whose last characters have no links are no chance from this number.
_ENOUGH = 10


def longer_than_linked(links: Links, units: pa.Array, side: str) -> int:
    """Return how many sentences have characters beyond their words, if none of these has links.

    In Chinese, words are characters but for numbers and Latin words, so that links of words lie
    within the characters too.
    """
    units = units[:LOOKED_AT]
    with suppress(MissingExtraError):
        words = list_lengths(Splitting("unicode", spaced=False).split(units).words)
        return longer_than_reached(links, side, list_lengths(as_characters(units, "spaces")), words)
    return 0


def longer_than_reached(links: Links, side: str, tokens: I64, others: I64) -> int:
    """Return how many sentences have more tokens than others, if no link is beyond the others.

    Then it is the others that the links count. Numbers may be those of the first sentences alone.
    """
    more = tokens >= others + _MORE
    ends = reach(links.starts, links.ends, links.i, links.j)[SIDES.index(side)][: len(tokens)]
    beyond = (ends > others)[more]
    found = int(np.count_nonzero((ends > 0)[more]))
    return found if found >= _ENOUGH and not beyond.any() else 0
