"""The row-wise functions as polars expressions.

>>> import polars as pl
>>> from alignframe.engines.polars import lcsr
>>> frame = pl.DataFrame({"a": ["colour"], "b": ["couleur"]})
>>> frame.select(lcsr("a", "b")).item().__round__(3)
0.714

A text names a column; as an option that takes text, such as ``method``, it is the value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from os import PathLike
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from alignframe.core.lazy import listed
from alignframe.errors import InputError, check_known, plain
from alignframe.functions import FUNCTIONS, RowFunction

_PYTHON = {pa.string(): "str", pa.int64(): "int", pa.float64(): "float", pa.bool_(): "bool"}


def _data_type(kind: pa.DataType) -> pl.DataType:
    return pl.from_arrow(pa.array([], kind)).dtype  # type: ignore[union-attr]


def _expressions(function: RowFunction) -> Callable[..., pl.Expr]:
    """Return the function that makes expressions of a row-wise function."""
    name, arguments = function.name, function.arguments
    returns = _data_type(function.returns)
    signature = Signature([_parameter(function, argument) for argument in arguments])

    def call(columns: Sequence[pl.Series]) -> pl.Series:
        # A literal or an aggregate has one row, which is broadcast.
        rows = max(len(column) for column in columns) if all(map(len, columns)) else 0
        full = [c if len(c) == rows or len(c) != 1 else c.new_from_index(0, rows) for c in columns]
        result = function.call(*(column.to_arrow() for column in full))
        return pl.Series(columns[0].name, pl.from_arrow(result), dtype=returns)

    def build(*columns: object, **options: object) -> pl.Expr:
        for option in options:
            check_known("option", option, arguments)
        given = signature.bind(*columns, **options)
        given.apply_defaults()
        inputs = [_input(function, argument, value) for argument, value in given.arguments.items()]
        return pl.map_batches(inputs, call, return_dtype=returns, is_elementwise=True)

    build.__name__ = build.__qualname__ = name
    build.__signature__ = signature  # type: ignore[attr-defined]
    called = f"{function.call.__module__}.{function.call.__name__}"
    build.__doc__ = (
        f"Return {function.summary}.\n\n"
        f"Its arguments are those of ``{called}``: expressions, names of\n"
        "columns, or values of options."
    )
    return build


def _parameter(function: RowFunction, name: str) -> Parameter:
    value = _PYTHON.get(function.arguments[name], "str") if name in function.options else "str"
    return Parameter(
        name,
        Parameter.POSITIONAL_OR_KEYWORD,
        default=function.defaults.get(name, Parameter.empty),
        annotation=f"pl.Expr | {value}",
    )


def _input(function: RowFunction, name: str, value: object) -> pl.Expr:
    """Return an argument as an expression; an option's value is checked against its type."""
    kind = function.arguments[name]
    if isinstance(value, pl.Expr):
        return value
    if isinstance(value, str) and (name not in function.options or kind != pa.string()):
        return pl.col(value)
    value = str(value) if isinstance(value, PathLike) else plain(value)
    try:
        literal = pa.scalar(value, kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        literal = None
    if literal != value or isinstance(value, bool) != isinstance(literal, bool):
        raise InputError(
            f"{function.name}: `{name}` is {value!r}",
            expected=f"{_PYTHON.get(kind, 'a column')}, an expression or the name of a column",
        )
    return pl.lit(literal, _data_type(kind))


globals().update({function.name: _expressions(function) for function in FUNCTIONS})

__all__ = sorted(function.name for function in FUNCTIONS)
__dir__ = listed(__all__)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., pl.Expr]: ...
