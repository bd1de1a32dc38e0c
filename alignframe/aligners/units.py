"""Links of words as links of units: what stands between spaces, in the positions of the text."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.aligners.text import Text, TextSide
from alignframe.core.arrays import F32, I64, U16
from alignframe.core.arrow import as_array
from alignframe.core.choices import POSITIONS
from alignframe.errors import check_known
from alignframe.language.words import WHOLE, Splitting, with_words
from alignframe.links.probabilities import from_keys, keys, packed, unpacked


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
        row, *words = unpacked(keys(table.column("links")))
        place = np.zeros(links.height, np.int64)
        place[self.rows] = np.arange(self.rows.size)
        i, j = (
            _units_of(side, place[row], linked)
            for side, linked in zip(self.sides, words, strict=True)
        )
        kept, at = np.unique(packed(row, i, j), return_inverse=True)
        own = from_keys(kept, links.height)
        columns = {"links": pl.Series(values=pl.from_arrow(own))}
        if "probabilities" in links.columns:
            given: F32 = as_array(table.column("probabilities")).flatten().to_numpy()
            most = np.zeros(kept.size, np.float32)
            np.maximum.at(most, at, given)
            lists = pa.ListArray.from_arrays(own.offsets, pa.array(most))
            columns["probabilities"] = pl.Series(values=pl.from_arrow(lists))
        return links.with_columns(**columns)


AS_ALIGNED = Units(np.zeros(0, np.int64), (None, None))
"""Links stay as they are."""


def in_words(
    text: pa.Table, splittings: tuple[Splitting, Splitting], positions: str = "auto"
) -> pa.Table:
    """Return a text with the words that its links count; see ``Units.of``."""
    return with_words(text, (one if one.in_words(positions) else WHOLE for one in splittings))


def _units_of(side: TextSide | None, sentence: I64, words: U16) -> U16:
    if side is None or side.units is None:
        return words
    units: U16 = side.units[side.at[sentence] + words]
    return units
