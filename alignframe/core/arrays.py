"""The types of arrays of numbers, and the links of many sentences as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[Any]  # of single or double precision
Array = npt.NDArray[Any]

Scalar = TypeVar("Scalar", bound=np.generic)


class Links(NamedTuple):
    """Links of n sentences: row r has the links ``starts[r] <= k < ends[r]``.

    ``sure`` is a bitmap, least significant bit first, whose bit ``first_bit + k`` belongs to
    link k; an empty bitmap means that every link is Sure.
    """

    starts: I64
    ends: I64
    i: U16
    j: U16
    sure: U8
    first_bit: int

    @property
    def rows(self) -> int:
        """Number of sentences."""
        return int(self.starts.size)

    def sizes(self) -> I64:
        """Return the number of links of each sentence."""
        return self.ends - self.starts

    def take(self, rows: I64) -> Links:
        """Return the given sentences, without copying links."""
        return self._replace(starts=frozen(self.starts[rows]), ends=frozen(self.ends[rows]))


def frozen(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return a contiguous read-only view, so that every kernel is compiled for one array type."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def make_links(offsets: I64, i: U16, j: U16, sure: U8 | None = None) -> Links:
    """Wrap arrays from a kernel as links: row r has ``offsets[r] <= k < offsets[r + 1]``.

    ``sure`` has one byte (0 or 1) per link.
    """
    bits = np.packbits(sure, bitorder="little") if sure is not None else np.zeros(0, np.uint8)
    return Links(frozen(offsets[:-1]), frozen(offsets[1:]), frozen(i), frozen(j), frozen(bits), 0)
