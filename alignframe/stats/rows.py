"""The bootstrap as row-wise functions: a row is a list of counts, one per unit."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import as_array
from alignframe.errors import InputError
from alignframe.functions.row import numbers
from alignframe.stats.bootstrap import resample_sums, unit_of

# The number of lists resampled together; more would take too much memory for the time saved.
_LISTS = 64


def resampled_sums(counts: pa.Array, bootstrap: object = 1000, seed: object = 1) -> pa.Array:
    """Return the sum of each resample of a list<double> of counts, null where the list is."""
    lists = as_array(counts)
    rows = len(lists)
    if rows and lists.flatten().null_count:
        raise InputError("a missing count", expected="a number for every unit")
    sizes = pc.list_value_length(lists).fill_null(-1).to_numpy()
    draws, seeds = numbers(bootstrap, rows, 1000), numbers(seed, rows, 1)
    present = sizes >= 0
    sums_of_rows = [np.empty(0)] * rows
    values = lists.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    starts = np.cumsum(np.maximum(sizes, 0)) - np.maximum(sizes, 0)
    # Lists of equal length and seed share the resamples, so that their sums are paired.
    for size, resamples, own_seed in {
        *zip(sizes[present], draws[present], seeds[present], strict=True)
    }:
        alike = np.flatnonzero((sizes == size) & (draws == resamples) & (seeds == own_seed))
        for first in range(0, alike.size, _LISTS):
            some = alike[first : first + _LISTS]
            matrix = np.stack([values[starts[row] : starts[row] + size] for row in some], axis=1)
            sums = resample_sums(matrix, int(resamples), int(own_seed)) if resamples else matrix[:0]
            for place, row in enumerate(some):
                sums_of_rows[row] = sums[:, place]
    ends = np.cumsum([0, *(own_seed.size for own_seed in sums_of_rows)])
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()),
        pa.array(np.concatenate([np.empty(0), *sums_of_rows])),
        mask=pa.array(~present),
    )


def resampling_unit(sid: pa.Array) -> pa.Array:
    """Return the group, of ``MAX_UNITS``, of each sentence, by its number alone."""
    column = as_array(sid).cast(pa.int64())
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return pa.array(unit_of(column.fill_null(0).to_numpy()), mask=missing)
