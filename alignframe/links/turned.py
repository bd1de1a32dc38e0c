"""Whether links name the target word first: they then fit others far better turned round."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.errors import DataWarning
from alignframe.kernels.count import Counted, count_hits
from alignframe.kernels.ragged import Links, frozen, make_links, swap_sides

SAMPLE = 200
"""Sentences that are looked at: enough, and next to no work in a large corpus."""

_TIMES = 2
FEW = 20
"""Links more or less that may be chance."""


class Shared(NamedTuple):
    """Links shared with others by the sentences looked at: as they stand, and turned round."""

    as_given: int = 0
    turned: int = 0

    def plus(self, other: Shared) -> Shared:
        """Return the sum of both."""
        return Shared(self.as_given + other.as_given, self.turned + other.turned)


def shared_links(
    links: Links, others: Counted, rows: npt.NDArray[np.int64], chosen: npt.NDArray[Any]
) -> Shared:
    """Count the links that the first of the chosen sentences share with others.

    Parameters
    ----------
    links
        Links by sentence.
    others
        Those to compare with, as ``count_gold`` returns them; ``rows`` is the row there of each
        sentence, -1 where there is none.
    chosen
        The places of some sentences in ``links``.
    """
    some = chosen[:SAMPLE]
    there = frozen(rows[some])
    few = links._replace(starts=frozen(links.starts[some]), ends=frozen(links.ends[some]))
    hits = (count_hits(one, others, there) for one in (few, make_links(*swap_sides(*few))))
    return Shared(*(int(one.n_hyp_possible.sum()) for one in hits))


def warn_if_turned(shared: Shared, found: str, todo: str) -> None:
    """Warn if far more links are shared once one side is turned round.

    ``found`` says of what, such as ``the directions``; ``todo`` names the option to use.
    """
    if shared.turned > _TIMES * shared.as_given + FEW:
        warnings.warn(
            f"{found} share {shared.as_given:,} links in the first sentences, and "
            f"{shared.turned:,} if one of them names the target word first; if so, {todo}",
            DataWarning,
            stacklevel=4,
        )
