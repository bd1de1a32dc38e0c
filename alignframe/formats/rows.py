"""What all readers of links share: their options, and the batches they make."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from alignframe.arrow import links_array
from alignframe.errors import DataWarning, InputError
from alignframe.kernels.ragged import first_outside, frozen, make_links, swap_sides, tidy

ORDERS = ("src-tgt", "tgt-src")


@dataclass
class Reading:
    """How to read a file of links, and what was mended on the way.

    Parameters
    ----------
    base
        Number of a sentence's first word, where the format leaves it open (Pharaoh): 0 or 1.
    order
        Which side a link names first: ``src-tgt`` or ``tgt-src``.
    first_sentence
        Number of the first sentence, where the format leaves it open (NAACL): 0 or 1.
    min_probability
        Leave out links of a lower probability, where the format has them (NAACL).
    encoding
        Encoding of words, in formats that hold words.
    """

    base: int | None = None
    order: str = "src-tgt"
    first_sentence: int | None = None
    min_probability: float | None = None
    encoding: str = "utf-8"
    duplicates: int = field(default=0, init=False)
    conflicts: int = field(default=0, init=False)
    links: int = field(default=0, init=False)
    zeros: bool = field(default=False, init=False)
    """Whether any link had a position 0: a hint that positions count from 0."""

    def __post_init__(self) -> None:
        if self.base not in (None, 0, 1):
            raise InputError(f"a base of {self.base}", expected="0 or 1")
        if self.order not in ORDERS:
            raise InputError(f"the order {self.order!r}", expected=" or ".join(ORDERS))

    def warn(self, path: str) -> None:
        """Warn of everything that was mended."""
        if self.duplicates:
            warnings.warn(
                f"{path}: {self.duplicates:,} links stood more than once in their sentence; "
                "each was kept once",
                DataWarning,
                stacklevel=3,
            )
        if self.conflicts:
            warnings.warn(
                f"{path}: {self.conflicts:,} links stood both as Sure and as Possible; "
                "each was kept as Sure",
                DataWarning,
                stacklevel=3,
            )


def rows(
    sid: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    i: npt.NDArray[np.uint16],
    j: npt.NDArray[np.uint16],
    sure: npt.NDArray[np.uint8],
    reading: Reading,
) -> pa.RecordBatch:
    """Return parsed links as a batch with the columns sid and links<i, j, sure>."""
    links = make_links(offsets, i, j, sure)
    if reading.order == "tgt-src":
        links = make_links(*swap_sides(*links))
    kept = tidy(links)
    reading.duplicates += kept.duplicates
    reading.conflicts += kept.conflicts
    reading.links += kept.i.size
    reading.zeros = reading.zeros or bool((kept.i == 0).any()) or bool((kept.j == 0).any())
    column = links_array(kept.offsets, kept.i, kept.j, kept.sure)
    return pa.record_batch([pa.array(sid, pa.int64()), column], names=["sid", "links"])


def check_range(
    links: pa.ListArray,
    sid: npt.NDArray[np.int64],
    src_length: npt.NDArray[np.int64],
    tgt_length: npt.NDArray[np.int64],
) -> tuple[int, str] | None:
    """Return the sentence and a description of the first link outside its sentence pair."""
    from alignframe.arrow import to_links

    plain = to_links(links)
    row, link = first_outside(
        plain.starts, plain.ends, plain.i, plain.j, frozen(src_length), frozen(tgt_length)
    )
    if row < 0:
        return None
    return int(sid[row]), (
        f"the link {plain.i[link]}-{plain.j[link]} (counted from 0) lies outside its sentence "
        f"pair of {src_length[row]} source and {tgt_length[row]} target words"
    )
