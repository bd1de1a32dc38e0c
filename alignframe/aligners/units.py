"""Links of words as links of units: what stands between spaces, in the positions of the text."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.aligners.text import Text, TextSide
from alignframe.core.arrays import F32, I32, I64, U16
from alignframe.core.arrow import as_array, links_array, to_links
from alignframe.core.choices import POSITIONS
from alignframe.core.tokens import SIDES
from alignframe.errors import check_known
from alignframe.kernels.ragged import tidy
from alignframe.language.words import Splitting


class Units(NamedTuple):
    """The unit of each word of a text, of sides whose links count units."""

    rows: I64  # the row of each sentence pair
    sides: tuple[TextSide | None, TextSide | None]

    @classmethod
    def of(cls, text: Text, positions: str = "auto") -> Self:
        """Return the units of a text, as far as ``positions`` asks for them."""
        check_known("`positions`", positions, POSITIONS)
        src, tgt = (
            side if side.units is not None and not side.splitting.in_words(positions) else None
            for side in (text.src, text.tgt)
        )
        return cls(text.rows, (src, tgt))

    def of_links(self, links: pl.DataFrame) -> pl.DataFrame:
        """Return links of units, each once, with the greatest probability of its words' links."""
        if self.sides == (None, None):
            return links
        table = links.to_arrow()
        found = tidy(to_links(table.column("links")))
        row = np.repeat(np.arange(found.offsets.size - 1), np.diff(found.offsets))
        place = np.zeros(links.height, np.int64)
        place[self.rows] = np.arange(self.rows.size)
        i, j = (
            _units_of(side, place[row], words)
            for side, words in zip(self.sides, (found.i, found.j), strict=True)
        )
        keys = (row << 32) | (i.astype(np.int64) << 16) | j
        kept, at = np.unique(keys, return_inverse=True)
        ends = np.searchsorted(kept >> 32, np.arange(links.height + 1))
        own_i, own_j = ((kept >> bits & 0xFFFF).astype(np.uint16) for bits in (16, 0))
        columns = {"links": pl.Series(values=pl.from_arrow(links_array(ends, own_i, own_j)))}
        if "probabilities" in links.columns:
            given: F32 = as_array(table.column("probabilities")).flatten().to_numpy()
            most = np.zeros(kept.size, np.float32)
            np.maximum.at(most, at, given)
            lists = pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(most))
            columns["probabilities"] = pl.Series(values=pl.from_arrow(lists))
        return links.with_columns(**columns)


AS_ALIGNED = Units(np.zeros(0, np.int64), (None, None))
"""Links stay as they are."""


def in_words(
    text: pa.Table, splittings: tuple[Splitting, Splitting], positions: str = "auto"
) -> pa.Table:
    """Return a text with the words that its links count; see ``Units.of``."""
    for name, splitting in zip(SIDES, splittings, strict=True):
        if splitting.in_words(positions):
            words = splitting.split(as_array(text[name]), fold=False).words
            text = text.set_column(text.schema.get_field_index(name), name, words)
    return text


def _units_of(side: TextSide | None, sentence: I64, words: U16 | I32) -> U16 | I32:
    if side is None or side.units is None:
        return words
    units: U16 = side.units[side.at[sentence] + words]
    return units
