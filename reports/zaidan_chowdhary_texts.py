"""The texts of ``zaidan_chowdhary.py``: for alignment, and for training word translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from alignframe.aligners import fit
from alignframe.beads import split
from alignframe.formats.sentences import read_sentences

LEARNT = ("2008", "2009", "2011")
EVALUATED, TUNING = "2010", "2012"
RUNS = 3
"""Number of tuning runs with different noise, where all use the same texts."""


class Text(NamedTuple):
    """Both sides of a line-parallel text."""

    src: pa.Array
    tgt: pa.Array

    def part(self, number: int, of: int) -> Text:
        """Return one of several consecutive parts of about the same size."""
        ends = [len(self.src) * at // of for at in (number, number + 1)]
        return Text(*(side.slice(ends[0], ends[1] - ends[0]) for side in self))

    def head(self, lines: int | None) -> Text:
        """Return the first lines."""
        return self if lines is None else Text(*(side.slice(0, lines) for side in self))


class Part(NamedTuple):
    """Text to align with one word translation model."""

    corpus: str  # the language pair
    name: str
    text: Text  # gets the noise
    learnt: Sequence[Text]  # the training texts of MRE+
    # The source of the first is aligned with the target of the second, which does not translate it.
    different: Sequence[tuple[Text, Text]]
    tuning: Sequence[tuple[Text, Text]]  # the second is for evaluation

    def model(self) -> Any:
        """Return Model 1, trained on ``learnt``."""
        sides = (pa.concat_arrays([text[side] for text in self.learnt]) for side in (0, 1))
        words = dict(zip(("src", "tgt"), map(split, sides), strict=True))
        return fit(pl.DataFrame(words), model="ibm1")


def parts(folder: Path, lines: int | None = None) -> Iterator[Part]:
    """Yield the parts to align, optionally of this many lines of each text."""

    def news(year: str) -> Text:
        home = folder / "newstest" / year / f"newstest{year}"
        return Text(*(read_sentences(f"{home}.{side}") for side in ("en", "es"))).head(lines)

    text, other = news(EVALUATED), news(TUNING)
    yield Part(
        "en-es",
        f"newstest{EVALUATED}",
        text,
        [news(year) for year in LEARNT],
        [(text, other), (other, text)],
        [(other, text)] * RUNS,
    )
    for side in ("ar", "zh"):
        home = folder / "tico19" / f"en-{side}" / "tico19-test"
        whole = Text(*(read_sentences(f"{home}.{name}") for name in ("en", side))).head(lines)
        for half in (0, 1):
            mine = whole.part(half, 2)
            quarters = mine.part(0, 2), mine.part(1, 2)
            both = [quarters, quarters[::-1]]
            learnt = [whole.part(1 - half, 2)]
            yield Part(f"en-{side}", f"tico19, half {half + 1}", mine, learnt, both, both)
