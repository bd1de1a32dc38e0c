"""Printing types of beads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def count_types(beads: pa.Table | pl.DataFrame) -> dict[str, int]:
    """Return the number of beads of each type, most frequent first."""
    import numpy as np

    from alignframe.tables import SPANS

    ends = [beads[name].to_numpy() for name in SPANS]
    sizes = np.stack([ends[1] - ends[0], ends[3] - ends[2]], axis=1)
    kinds, counts = np.unique(sizes, axis=0, return_counts=True)
    by_type = {f"{m}-{n}": int(count) for (m, n), count in zip(kinds, counts, strict=True)}
    return dict(sorted(by_type.items(), key=lambda item: -item[1]))


def listed_types(by_type: dict[str, int]) -> str:
    """Return the counts of ``count_types`` as text."""
    return ", ".join(f"{count:,} {kind}" for kind, count in by_type.items()) or "none"
