"""Line pairs for the classifier: texts, and stems of words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.beads.document import DocumentSide
from alignframe.beads.evidence import stems
from alignframe.core.arrays import I32, I64, frozen


class LineSide(NamedTuple):
    """One side of line pairs, with its words numbered by stem."""

    texts: pa.Array  # one per line, without nulls, in NFC
    at: I64  # offsets of each line's words, with the end
    numbers: I32  # of each word's stem
    stems: pa.Array  # distinct; some may not occur in the lines

    @classmethod
    def of(cls, texts: pa.Array, words: str) -> LineSide:
        """Split texts into words; see ``alignframe.beads.document.WORDS``."""
        side = DocumentSide(texts, words)
        encoded = stems(side).to_arrow().dictionary_encode()
        numbers = encoded.indices.to_numpy().astype(np.int32)[side.numbers]
        return cls(side.nfc, side.at, frozen(numbers), encoded.dictionary)

    def some(self, places: I64) -> LineSide:
        """Return some of the lines."""
        sizes = np.diff(self.at)[places]
        at = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        own = np.arange(at[-1]) + np.repeat(self.at[places] - at[:-1], sizes)
        texts = self.texts.take(pa.array(places))
        return LineSide(texts, frozen(at), frozen(self.numbers[own]), self.stems)


class LinePairs(NamedTuple):
    """Line pairs: numbers in the text (from 0), and both sides."""

    rows: I64
    src: LineSide
    tgt: LineSide

    @classmethod
    def of(cls, rows: I64, src: pa.Array, tgt: pa.Array, words: str) -> LinePairs:
        """Split the texts of both sides into words."""
        return cls(rows, LineSide.of(src, words), LineSide.of(tgt, words))

    @property
    def size(self) -> int:
        """The number of pairs."""
        return self.rows.size

    @property
    def sides(self) -> tuple[LineSide, LineSide]:
        """The source side and the target side."""
        return self.src, self.tgt

    @property
    def texts(self) -> tuple[pa.Array, pa.Array]:
        """The texts of both sides."""
        return self.src.texts, self.tgt.texts

    def some(self, places: I64) -> LinePairs:
        """Return some of the pairs."""
        return LinePairs(self.rows[places], self.src.some(places), self.tgt.some(places))
