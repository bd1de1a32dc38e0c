"""The files of a piece of a bitext: its text, and its links by an aligner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe import formats
from alignframe.core.arrow import as_array, from_links, to_links
from alignframe.core.output import replacing
from alignframe.core.schemas import TOKENS
from alignframe.errors import InputError
from alignframe.links.aligning import Aligner, Task
from alignframe.read.pairs import sentence_pairs

ORDERS = {"forward": "src-tgt", "reverse": "tgt-src"}
"""The passes over a piece, and the order of sides in their links."""


@dataclass(frozen=True)
class Piece:
    """A folder with ``text.src`` and ``text.tgt``, ``forward.talp`` and ``reverse.talp``."""

    folder: Path
    label: str  # its name in messages
    gold: int  # rows of gold text at the start
    size: int  # rows after them whose links are wanted; later ones are dropped

    def write(self, texts: Sequence[pa.Table]) -> None:
        """Write concatenated texts, and remove links of any other text."""
        text = pa.concat_tables([text_given.select(["src", "tgt"]) for text_given in texts])
        self.folder.mkdir(parents=True, exist_ok=True)
        for side in ("src", "tgt"):
            path = self.folder / f"text.{side}"
            words = as_array(text[side]).cast(pa.list_(pa.string()))  # else Arrow cannot join
            lines = pc.binary_join(words, " ").to_pylist()
            data = "".join(f"{line}\n" for line in lines).encode()
            if path.exists() and path.stat().st_size == len(data) and path.read_bytes() == data:
                continue
            # Links are removed first, so that an interruption leaves none of another text.
            for way in ORDERS:
                self._links(way).unlink(missing_ok=True)
            with replacing(path) as out:
                out.write(data)

    def tasks(self, aligner: Aligner, ways: Sequence[str]) -> list[Task]:
        """Return the tasks of the aligner; ``reverse`` has the sides swapped."""
        src, tgt = self.folder / "text.src", self.folder / "text.tgt"
        sides = {"forward": (src, tgt), "reverse": (tgt, src)}
        return [
            Task(aligner, *sides[way], self._links(way), f"{self.label}, {way}") for way in ways
        ]

    def read(self, way: str) -> tuple[pa.Array, pa.Array]:
        """Return the links of the gold rows and of the bitext rows, source first."""
        table = formats.read(self._links(way), "pharaoh", base=0, order=ORDERS[way])
        links = to_links(table["links"])  # ignores labels from the aligner
        end = self.gold + self.size
        return (
            from_links(links.take(np.arange(self.gold))),
            from_links(links.take(np.arange(self.gold, end))),
        )

    def _links(self, way: str) -> Path:
        return self.folder / f"{way}.talp"


def checked_text(frame: Any, what: str) -> pa.Table:
    """Return a text's columns sid (by default row numbers), src and tgt."""
    table = sentence_pairs(frame, what=what).table()
    if not table.num_rows:
        raise InputError(f"{what} has no sentence pairs", expected="at least one")
    columns = {"sid": table["sid"]}
    for side in ("src", "tgt"):
        columns[side] = table[side].cast(TOKENS)
        words = as_array(columns[side]).flatten()
        blank = pc.match_substring_regex(words, r"^$|[ \t\r\n\v\f]")
        if pc.any(blank).as_py():
            raise InputError(
                f"{side} of {what} has the word {words.filter(blank)[0].as_py()!r}",
                expected="words without spaces, which aligners would miscount",
            )
    return pa.table(columns)
