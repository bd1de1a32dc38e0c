"""Registering the row-wise functions in DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from alignframe.core.lazy import listed
from alignframe.engines.scripts import run_script
from alignframe.functions import FUNCTIONS, RowFunction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]
__dir__ = listed(__all__)

_NAMES = {
    pa.uint16(): "USMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.bool_(): "BOOLEAN",
    pa.string(): "VARCHAR",
    pa.float64(): "DOUBLE",
}


def type_name(kind: pa.DataType) -> str:
    """Return DuckDB's name for an Arrow type."""
    if pa.types.is_list(kind):
        return f"{type_name(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        fields = ", ".join(f"{field.name} {type_name(field.type)}" for field in kind)
        return f"STRUCT({fields})"
    return _NAMES[kind]


def register(connection: DuckDBPyConnection, functions: Iterable[RowFunction] = FUNCTIONS) -> None:
    """Register row-wise functions, by default all, as scalar functions of the connection.

    DuckDB requires arguments of exactly the registered types, so a macro with the function's name
    casts them first: links of any integer type, with or without labels.
    """
    create: Any = connection.create_function  # its type stubs lack names of nested types
    macros = []
    for function in functions:
        inner = f"_alignframe_{function.name}"
        kinds = [type_name(kind) for kind in function.arguments.values()]
        create(
            inner,
            _with_arguments(function),
            kinds,
            type_name(function.returns),
            type="arrow",
            null_handling="special",
        )
        defaults = {name: function.sql_default(name) for name in function.arguments}
        names = ", ".join(
            f"{name} := {value}" if value else name for name, value in defaults.items()
        )
        casts = ", ".join(map(_cast, function.arguments, kinds))
        macros.append(f"create or replace temp macro {function.name}({names}) as {inner}({casts})")
    run_script(connection, ";".join(macros))


def _cast(name: str, kind: str) -> str:
    """Return an argument cast to its type; a list as text is refused, not cast to '[a, b]'."""
    text = {"VARCHAR": name, "VARCHAR[]": f"{name}[1]"}.get(kind)
    if text is None:
        return f"{name}::{kind}"
    # A branch that is never taken refuses it when a query is bound, at no cost per row.
    checked = f"{text} || ''" if kind == "VARCHAR" else f"[{text} || '']"
    return f"case when false then {checked} else {name}::{kind} end"


def _with_arguments(function: RowFunction) -> Callable[..., pa.Array]:
    """Return the function with an explicit signature, from which DuckDB counts the arguments."""

    def call(*columns: pa.Array) -> pa.Array:
        return function.call(*columns)

    kind = Parameter.POSITIONAL_OR_KEYWORD
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, kind) for name in function.arguments]
    )
    return call
