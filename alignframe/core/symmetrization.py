"""Symmetrization methods by name, and the rules of the grow methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from alignframe.core.choices import OTHER_NAMES
from alignframe.errors import check_known

Steps = tuple[tuple[int, int], ...]


class Grow(NamedTuple):
    """How a grow method adds links from the union to the intersection."""

    steps: Steps  # the offsets (di, dj) of a link's neighbours, in the order tried
    by_target: bool = False  # visit links in order of (j, i), not (i, j)
    # Add a visited link of the union if a neighbour is in. Otherwise, a visited link that is in
    # adds its neighbours.
    pull: bool = False
    need: int = 1  # how many of a link's two words must be unaligned for it to be added
    # The same for the final step, which adds links from forward, then from reverse; 0 for none.
    final: int = 0


_STRAIGHT: Steps = ((0, -1), (-1, 0), (0, 1), (1, 0))
_ALL: Steps = (*_STRAIGHT, (-1, -1), (1, -1), (-1, 1), (1, 1))
_EAST_FIRST: Steps = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (1, -1), (1, 1))

_SYMAL = Grow(_ALL, by_target=True)
_ATOOLS = Grow(_ALL, pull=True)
_LILT = Grow(_EAST_FIRST, need=2)

GROWS = {
    "grow": _SYMAL._replace(steps=_STRAIGHT),
    "grow-diag": _SYMAL,
    "grow-final": _SYMAL._replace(steps=_STRAIGHT, final=1),
    "grow-diag-final": _SYMAL._replace(final=1),
    "grow-diag-final-and": _SYMAL._replace(final=2),
    "atools-grow-diag": _ATOOLS,
    "atools-grow-diag-final": _ATOOLS._replace(final=1),
    "atools-grow-diag-final-and": _ATOOLS._replace(final=2),
    "lilt-grow-diag": _LILT,
    "lilt-grow-diag-final": _LILT._replace(final=2),
}
"""The rules of the methods that grow the intersection."""

CLOSURE = "-closure"
"""The suffix of methods whose connected components are made fully connected."""

METHODS = ("intersection", "union", "union-closure", "refined", "refined-closure", *GROWS)
"""The names of all methods."""

DEFAULT = "grow-diag-final-and"
"""The method closest to the best, over texts and measures; see docs/symmetrization.md."""


def check_method(method: str, known: Sequence[str] = METHODS, name: str = "method") -> None:
    """Raise an InputError for an unknown method."""
    check_known(f"`{name}`", method, known, others=OTHER_NAMES)
