"""The scripts of a text, and lines in other scripts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.characters import POINTS, bytes_of, runs
from alignframe.core.arrays import U8, Bools
from alignframe.kernels.beads.line_features import letters
from alignframe.kernels.ragged import frozen

SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Han", "Hangul", "Hiragana", "Devanagari"),
    *("Bengali", "Tamil", "Telugu", "Thai", "Georgian", "Armenian", "Ethiopic", "Khmer"),
    "Katakana",
)
"""Writing systems by Unicode name."""

TOGETHER = ("Han", "Hiragana", "Katakana", "Hangul")
"""Scripts that a text may mix: if one is the text's, all are."""

SAMPLE = 1_000
"""The maximum number of lines, sampled evenly, in which letters of scripts are counted."""

LEAST_SHARE = 0.2
"""The minimum share of a side's letters for a script to be one of the text's."""


class Scripts(NamedTuple):
    """The scripts of a text, of both sides together."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, src: pa.Array, tgt: pa.Array) -> Scripts:
        """Return the scripts of at least a fifth of the letters on a side."""
        names: set[str] = set()
        for side in (src, tgt):
            counts = letters_by_script(side)
            least = LEAST_SHARE * sum(counts.values())
            names |= {name for name, count in counts.items() if count and count >= least}
        return cls(tuple(name for name in SCRIPTS if name in names))

    def known(self, src: pa.Array, tgt: pa.Array) -> Bools:
        """Return whether at least half of the letters of each line are in these scripts."""
        mixed = TOGETHER if set(TOGETHER).intersection(self.names) else ()
        own = {*self.names, *mixed}
        # Letters of scripts missing from `SCRIPTS` count as the text's own.
        others = letter_table(tuple(name for name in SCRIPTS if name not in own))
        counts = (letters(*bytes_of(side), others) for side in (src, tgt))
        first, second = (2 * foreign <= every for every, foreign in counts)
        are_known: Bools = first & second
        return are_known


def letters_by_script(texts: pa.Array) -> dict[str, int]:
    """Return the number of letters of each script, in evenly sampled lines."""
    column = pl.Series("text", pl.from_arrow(texts))[:: -(-len(texts) // SAMPLE) or 1]
    return {name: int(column.str.count_matches(rf"\p{{{name}}}").sum()) for name in SCRIPTS}


@lru_cache(maxsize=len(SCRIPTS))
def letter_table(scripts: tuple[str, ...]) -> U8:
    """Return 1 for each code point that is a letter, and 3 for letters of the scripts."""
    table = np.zeros(POINTS, np.uint8)
    for low, high in runs(r"\p{L}"):
        table[low:high] = 1
    for name in scripts:
        for low, high in runs(rf"\p{{{name}}}"):
            table[low:high] |= 2 * table[low:high]
    return frozen(table)
