"""Row-wise functions for lexicon induction."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, frozen
from alignframe.core.arrow import as_array
from alignframe.errors import InputError
from alignframe.functions.row import flags, same_length


def llr(
    n_both: pa.Array, n_src: pa.Array, n_tgt: pa.Array, n: pa.Array, signed: object = True
) -> pa.Array:
    """Return the log-likelihood ratio of two words.

    Parameters
    ----------
    n_both
        Number of sentence pairs with both words.
    n_src, n_tgt
        Number of sentence pairs with each word.
    n
        Number of all sentence pairs.
    signed
        Negate it where the words co-occur less often than by chance, by default. One for all rows,
        or one per row.

    Returns
    -------
    pyarrow.DoubleArray
        -2 log lambda of the 2x2 table, in natural logarithms, with 0 log 0 = 0; null where an
        argument is.

    Raises
    ------
    InputError
        If the counts are inconsistent.

    Notes
    -----
    Dunning 1993, "Accurate methods for the statistics of surprise and coincidence".

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> counts = [pa.array([count]) for count in (4, 5, 6, 100)]
    >>> [round(ratio, 2) for ratio in functions.llr(*counts).to_pylist()]
    [20.99]
    """
    from alignframe.kernels.lexicon.candidates import llr_of_rows

    columns = [as_array(column) for column in (n_both, n_src, n_tgt, n)]
    same_length(*columns)
    counts = [_numbers(column) for column in columns]
    missing = None
    if any(column.null_count for column in columns):
        known = np.logical_and.reduce(
            [column.is_valid().to_numpy(zero_copy_only=False) for column in columns]
        )
        # Rows with a null become tables of zeros, which are consistent.
        counts = [frozen(column * known) for column in counts]
        missing = ~known
    ratios, fault = llr_of_rows(*counts, flags(signed, counts[0].size))
    if fault >= 0:
        both, src, tgt, total = (int(column[fault]) for column in counts)
        raise InputError(
            f"n_both {both}, n_src {src}, n_tgt {tgt}, n {total}",
            expected="counts of one 2x2 table: n_both at most n_src and n_tgt, and "
            "n_src + n_tgt - n_both at most n",
        )
    return pa.array(ratios, mask=missing)


def _numbers(column: pa.Array) -> I64:
    if column.type != pa.int64():
        column = column.cast(pa.int64())
    return frozen((column.fill_null(0) if column.null_count else column).to_numpy())
