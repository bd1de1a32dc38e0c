"""The type of row-wise functions, and shared helpers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from inspect import Parameter, Signature, signature
from itertools import repeat
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import F64, U8, frozen
from alignframe.core.arrow import as_array
from alignframe.errors import InputError, plain

Rows = npt.NDArray[np.int64]

# Larger numbers of words are clipped to this, so that sums do not overflow.
_LARGEST = 1 << 40


@dataclass(frozen=True)
class RowFunction:
    """A row-wise function over whole columns.

    ``arguments`` has the name and Arrow type of each argument, in order; ``defaults`` the values of
    trailing optional ones. ``options`` names the arguments that are usually one value for all rows.

    Examples
    --------
    >>> from alignframe.functions import FUNCTIONS
    >>> function = next(one for one in FUNCTIONS if one.name == "lcsr")
    >>> list(function.arguments), function.sql_default("fold_accents")
    (['a', 'b', 'fold_accents'], 'false')
    """

    name: str
    arguments: Mapping[str, pa.DataType]
    returns: pa.DataType
    call: Callable[..., pa.Array]
    summary: str
    defaults: Mapping[str, object] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    def sql_default(self, name: str) -> str | None:
        """Return an argument's default as a literal of SQL; None if it has none."""
        if name not in self.defaults:
            return None
        value = self.defaults[name]
        if isinstance(value, str):
            return f"'{value}'"
        if isinstance(value, float):
            return f"{value:g}"
        return "null" if value is None else str(value).lower()


def declared(
    call: Callable[..., pa.Array],
    returns: pa.DataType,
    summary: str,
    /,
    *,
    options: Iterable[str] = (),
    **arguments: pa.DataType,
) -> RowFunction:
    """Declare a row-wise function named like ``call``; ``options`` have no default."""
    known = signature(call).parameters
    defaults = {
        name: known[name].default
        for name in arguments
        if name in known and known[name].default is not Parameter.empty
    }
    chosen = (*options, *defaults)
    return RowFunction(call.__name__, arguments, returns, call, summary, defaults, chosen)


def late(module: str, name: str, **defaults: object) -> Callable[..., pa.Array]:
    """Return a function imported on its first call, so that it may be of a higher layer."""

    def call(*columns: pa.Array) -> pa.Array:
        function: Callable[..., pa.Array] = getattr(import_module(module), name)
        fixed = len(columns) - len(defaults)
        return function(*columns[:fixed], **dict(zip(defaults, columns[fixed:], strict=True)))

    call.__name__, call.__module__ = name, module
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(argument, Parameter.KEYWORD_ONLY, default=value)
            for argument, value in defaults.items()
        ]
    )
    return call


def of_counts(name: str, measure: Callable[..., F64], *counts: str, summary: str) -> RowFunction:
    """Declare a measure of counts, usually sums; null where it is undefined."""

    def call(*columns: pa.Array) -> pa.Array:
        given = [column.to_numpy(zero_copy_only=False) for column in columns]
        figures = measure(*given)
        return pa.array(figures, mask=np.isnan([figures, *given]).any(axis=0))

    call.__name__, call.__module__ = measure.__name__, measure.__module__
    arguments = dict.fromkeys(counts, pa.float64())
    return RowFunction(name, arguments, pa.float64(), call, summary)


def same_length(*columns: pa.Array) -> None:
    """Refuse columns of different lengths."""
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise InputError(f"columns of {lengths} rows", expected="columns of one length")


def missing_rows(*columns: pa.Array) -> pa.Array | None:
    """Return which rows have a null in any of the columns; None if there are none."""
    nulls = [as_array(column).is_null() for column in columns if column.null_count]
    return reduce(pc.or_, nulls) if nulls else None


def with_nulls(result: pa.Array, *columns: pa.Array) -> pa.Array:
    """Return a result, null in the rows where any of the columns is."""
    missing = missing_rows(*columns)
    return result if missing is None else pc.if_else(missing, pa.scalar(None, result.type), result)


def spread(given: object, rows: int) -> Iterable[Any]:
    """Return an option's value in each row, from a column or a constant."""
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        same_length(given, pa.nulls(rows))
        values: list[object] = given.to_pylist()
        return values
    return repeat(given, rows)


def by_name(
    names: pa.Array | str,
    default: str | None,
    rows: int,
    call: Callable[[str, Rows], pa.Array],
    returns: pa.DataType,
) -> pa.Array:
    """Apply ``call`` to the rows of each name, null being the default, and restore their order."""
    if not isinstance(names, str) and default is not None:
        names = as_array(names).fill_null(default)
    distinct = [names] if isinstance(names, str) else pc.unique(as_array(names)).to_pylist()
    every = np.arange(rows, dtype=np.int64)
    if len(distinct) == 1:
        return call(distinct[0], every)
    if not distinct:
        return pa.array([], returns)
    chosen = [
        np.flatnonzero(pc.equal(as_array(names), name).to_numpy(zero_copy_only=False))
        for name in distinct
    ]
    parts = [call(name, some) for name, some in zip(distinct, chosen, strict=True)]
    # The results stand name by name; the inverse permutation restores the rows.
    back = np.argsort(np.concatenate(chosen), kind="stable")
    return pa.concat_arrays(parts).take(pa.array(back))


def numbers(given: pa.Array | int | None, rows: int, missing: int) -> Rows:
    """Return one number per row; ``missing`` for null."""
    given = plain(given)
    if isinstance(given, (bool, float, str)):
        raise InputError(f"{given!r} for a number of words", expected="a whole number")
    if given is None or isinstance(given, Integral):
        number = missing if given is None else max(-_LARGEST, min(int(given), _LARGEST))
        return frozen(np.full(rows, number, np.int64))
    same_length(given, pa.nulls(rows))
    return frozen(as_array(given).cast(pa.int64()).fill_null(missing).to_numpy())


def flags(given: object, rows: int) -> U8:
    """Return one flag per row as bytes, or one for all rows; null is unset."""
    given = plain(given)
    if isinstance(given, bool):
        return frozen(np.array([given], np.uint8))
    column = as_array(given)
    same_length(column, pa.nulls(rows))
    if not column.null_count and column.true_count in (0, rows):
        return frozen(np.array([column.true_count > 0], np.uint8))
    return frozen(column.fill_null(False).cast(pa.uint8()).to_numpy())
