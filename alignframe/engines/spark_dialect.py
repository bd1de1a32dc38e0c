"""Translating macro-free DuckDB SQL to Spark SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from alignframe.engines.selects import TYPE, is_empty_list
from alignframe.engines.spark_lists import (
    joined,
    list_of,
    range_of,
    rows_of,
    spark_parsed,
    without_filter,
    zipped,
)
from alignframe.errors import InputError
from alignframe.functions import FUNCTIONS

if TYPE_CHECKING:
    from sqlglot import exp

_KINDS = {
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INT",
    "UINT": "BIGINT",
    "UBIGINT": "BIGINT",  # only for hashes, which are signed in Spark
    "INT128": "DECIMAL(38, 0)",
    "UINT128": "DECIMAL(38, 0)",
}
_SUM = "aggregate({0}, cast(null as double), (a, e) -> coalesce(a + e, e, a))"
_LISTS = {
    "list_transform": "transform({0}, {1})",
    "list_filter": "filter({0}, {1})",
    "list_sum": _SUM,
    "list_product": "aggregate({0}, cast(null as double), (a, e) -> coalesce(a * e, e, a))",
    "list_avg": f"{_SUM} / array_size(filter({{0}}, e -> e is not null))",
    "list_count": "array_size(filter({0}, e -> e is not null))",
    "list_has_all": "array_size(filter({1}, _x -> not array_contains({0}, _x))) = 0",
    "list_concat": "concat({0}, {1})",
    "list_append": "concat({0}, array({1}))",
    "list_prepend": "concat(array({0}), {1})",
    "list_distinct": "array_distinct({0})",
    "list_max": "array_max({0})",
    "list_min": "array_min({0})",
    "list_position": "nullif(array_position({0}, {1}), 0)",
    "error": "raise_error({0})",
    "percentile_cont": "percentile({0}, {1})",
    "isfinite": "(not isnan({0}) and abs({0}) < double('infinity'))",
}
"""Functions with other names in DuckDB, by the names that sqlglot leaves unchanged."""
_OF_ANY_NUMBER = {"row": "struct", "hash": "xxhash64"}
"""Functions with any number of arguments, all of which are passed on."""


def spark_sql(tree: exp.Expr) -> str:
    """Return the query in Spark's SQL.

    Raises
    ------
    InputError
        If part of it has no counterpart in Spark.
    """
    from sqlglot import exp

    root = exp.Paren(this=tree.copy())
    changes = _changes()
    for node in reversed(list(root.walk(bfs=False))):
        if node is root or (node.parent is None):
            continue
        for kind, change in changes.items():
            if isinstance(node, kind):
                made = change(node)
                if made is not None and made is not node:
                    node.replace(made)
                break
    text: str = root.this.sql("spark", comments=False, identify=True, copy=False)
    return text


def spark_type(kind: str) -> str:
    """Return Spark's name for a DuckDB type."""
    from sqlglot import exp

    text: str = _spark_kind(exp.DataType.build(kind, dialect="duckdb")).sql("spark")
    return text


def _changes() -> dict[type, Callable[[Any], exp.Expr | None]]:
    """Return the translation of each kind of node."""
    from sqlglot import exp

    return {
        exp.Literal: _literal,
        exp.Cast: _cast,
        exp.ArrayAgg: list_of,
        exp.GroupConcat: joined,
        exp.Bracket: _bracket,
        exp.Length: _length,
        exp.Div: _divided,
        exp.Coalesce: _coalesced,
        exp.Filter: without_filter,
        exp.IgnoreNulls: _not_null,
        exp.PercentileCont: _call,
        exp.AggFunc: _unordered,
        exp.GenerateSeries: range_of,
        exp.Explode: rows_of,
        exp.Func: _call,
        exp.DataType: _kind,
        exp.Select: zipped,
    }


def _literal(node: exp.Literal) -> exp.Expr | None:
    """Numbers with a point are decimals in Spark, whose digits are limited."""
    from sqlglot import exp

    if node.is_string or node.name.isdigit() or isinstance(node.parent, exp.DataTypeParam):
        return None
    return exp.Cast(this=node.copy(), to=exp.DataType.build("double"))


def _kind(node: exp.DataType) -> exp.Expr | None:
    from sqlglot import exp

    name = _KINDS.get(node.this.name if hasattr(node.this, "name") else str(node.this))
    return exp.DataType.build(name, dialect="spark") if name else None


def _cast(node: exp.Cast) -> exp.Expr | None:
    """Structs are cast by name in DuckDB, and by position in Spark."""
    from sqlglot import exp

    if node.to.is_type("list", "array") and isinstance(node.this, exp.Lower):
        # Spark cannot cast text to a list, which is how names are lower-cased.
        names = exp.Cast(this=node.this.this.this.copy(), to=node.to.copy())
        return spark_parsed("transform({0}, _n -> lower(_n))", names)  # type: ignore[no-any-return]
    had = node.this.meta.get(TYPE)
    if had is None or '"NULL"' in had:
        return None
    source = exp.DataType.build(had, dialect="duckdb")
    if not any(one.is_type("struct") for one in (source, *source.find_all(exp.DataType))):
        return None
    return _reshaped(node.this.copy(), source, node.to, 0)


def _reshaped(value: exp.Expr, had: exp.DataType, wanted: exp.DataType, depth: int) -> exp.Expr:
    """Return a value with the wanted fields; null where it lacks one."""
    from sqlglot import exp

    if wanted.is_type("list", "array") and had.is_type("list", "array"):
        name = f"_e{depth}"
        inner = _reshaped(
            exp.to_identifier(name), had.expressions[0], wanted.expressions[0], depth + 1
        )
        over = exp.Lambda(this=inner, expressions=[exp.to_identifier(name)])
        return exp.Anonymous(this="transform", expressions=[value, over])
    if wanted.is_type("struct") and had.is_type("struct"):
        known = {one.name.lower(): one for one in had.expressions}
        fields: list[exp.Expr] = []
        for field in wanted.expressions:
            own = known.get(field.name.lower())
            kind = field.args["kind"]
            fields.append(exp.Literal.string(field.name))
            if own is None:
                fields.append(exp.Cast(this=exp.null(), to=_spark_kind(kind)))
                continue
            part = exp.Dot(this=value.copy(), expression=exp.to_identifier(own.name))
            fields.append(_reshaped(part, own.args["kind"], kind, depth + 1))
        return exp.Anonymous(this="named_struct", expressions=fields)
    return exp.Cast(this=value, to=_spark_kind(wanted))


def _spark_kind(kind: exp.DataType) -> exp.DataType:
    from sqlglot import exp

    holder = exp.Paren(this=kind.copy())
    for one in list(holder.find_all(exp.DataType)):
        made = _kind(one)
        if made is not None:
            one.replace(made)
    found: exp.DataType = holder.this
    return found


def _bracket(node: exp.Bracket) -> exp.Expr | None:
    """List positions start at 1 in DuckDB, also in slices."""
    from sqlglot import exp

    (index,) = node.expressions
    is_text = node.this.meta.get(TYPE, "") == "VARCHAR"
    if isinstance(index, exp.Slice):
        first, last = index.this or exp.Literal.number(1), index.expression
        cut = "substring" if is_text else "slice"
        size = "length" if is_text else "array_size"
        if isinstance(last, exp.Neg):  # counted from the end
            last = spark_parsed(f"{size}({{0}}) + 1 - {{1}}", node.this, last.this)
        if last is None:
            return spark_parsed(f"{cut}({{0}}, {{1}}, {size}({{0}}))", node.this, first)  # type: ignore[no-any-return]
        return spark_parsed(  # type: ignore[no-any-return]
            f"{cut}({{0}}, {{1}}, greatest({{2}} - {{1}} + 1, 0))", node.this, first, last
        )
    if index.is_string:
        return exp.Dot(this=node.this.copy(), expression=exp.to_identifier(index.name))
    if is_text:
        return spark_parsed("substring({0}, {1}, 1)", node.this, index)  # type: ignore[no-any-return]
    return spark_parsed("try_element_at({0}, cast({1} as int))", node.this, index)  # type: ignore[no-any-return]


def _length(node: exp.Length) -> exp.Expr | None:
    if node.this.meta.get(TYPE, "[]").endswith("]"):
        return spark_parsed("array_size({0})", node.this)  # type: ignore[no-any-return]
    return None


def _divided(node: exp.Div) -> exp.Expr:
    """Division gives doubles; by zero, infinity or NaN, where Spark raises an error."""
    from sqlglot import exp

    divisor = node.expression.unnest()
    text = "cast({0} as double) / {1}"
    if not isinstance(divisor, (exp.Nullif, exp.Literal)) or divisor.name == "0":
        text = f"(case when {{1}} = 0 then {{0}} * double('infinity') else {text} end)"
    return spark_parsed(text, node.this, node.expression)  # type: ignore[no-any-return]


def _coalesced(node: exp.Coalesce) -> exp.Expr | None:
    from sqlglot import exp

    kind = node.meta.get(TYPE)
    if kind is not None:
        wanted = _spark_kind(exp.DataType.build(kind, dialect="duckdb"))
        for one in node.expressions:
            if is_empty_list(one):
                one.replace(exp.Cast(this=one.copy(), to=wanted.copy()))
    return None


def _not_null(node: exp.IgnoreNulls) -> exp.Expr | None:
    """Spark takes no FILTER after IGNORE NULLS."""
    from sqlglot import exp

    if not isinstance(node.this, exp.AnyValue):
        return None
    arguments = [node.this.this.copy(), exp.true()]
    return exp.Anonymous(this="any_value", expressions=arguments)


def _unordered(node: exp.AggFunc) -> exp.Expr | None:
    """Drop the order of sums, which matters only for their last digits."""
    from sqlglot import exp

    given = node.args.get("this")
    if not isinstance(given, exp.Order):
        return None
    if not isinstance(node, (exp.Sum, exp.Avg)):
        raise InputError(f"{node.sql('duckdb')}", expected="an aggregate without order on Spark")
    return type(node)(this=given.this.copy())


def _call(node: exp.Func) -> exp.Expr | None:
    from sqlglot import exp

    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
    arguments = (
        node.expressions
        if isinstance(node, exp.Anonymous)
        else [one for one in node.args.values() if isinstance(one, exp.Expr)]
    )
    if name in _ROW_FUNCTIONS:
        return _row_function(name, arguments)
    if name in _OF_ANY_NUMBER:
        made = [one.copy() for one in arguments]
        return exp.Anonymous(this=_OF_ANY_NUMBER[name], expressions=made)
    if isinstance(node, exp.Split):
        return _split(node)
    name = _SYNONYMS.get(name, name)
    if name not in _LISTS:
        return None
    found: exp.Expr = spark_parsed(_LISTS[name], *arguments)
    return exp.Paren(this=found) if isinstance(found, exp.Binary) else found


def _split(node: exp.Split) -> exp.Expr:
    """Spark splits by a regular expression."""
    import re

    from sqlglot import exp

    by = node.expression
    if not isinstance(by, exp.Literal):
        raise InputError(f"{node.sql('duckdb')}", expected="a text to split by, in quotes")
    pattern = exp.Literal.string(re.sub(r"([^\w\s])", r"[\1]", by.name))
    return exp.Anonymous(this="split", expressions=[node.this.copy(), pattern])


_SYNONYMS = {"array_concat": "list_concat", "array_append": "list_append", "filter": "list_filter"}
_ROW_FUNCTIONS = {one.name: one for one in FUNCTIONS}


def _row_function(name: str, given: list[exp.Expr]) -> exp.Expr:
    """Return the call with positional arguments, and typed empty lists."""
    from pyarrow.types import is_nested
    from sqlglot import exp

    from alignframe.engines.spark import returned, type_name

    function = _ROW_FUNCTIONS[name]
    kinds = [*function.arguments]
    values: dict[str, exp.Expr] = {}
    for k, one in enumerate(given):
        if isinstance(one, (exp.PropertyEQ, exp.Kwarg)):
            values[one.this.name.lower()] = one.expression
        elif k < len(kinds):
            values[kinds[k]] = one
        else:
            values[f"more {k}"] = one  # refused by the function itself
    last = max((k for k, kind in enumerate(kinds) if kind in values), default=-1)
    arguments = []
    for kind in [*kinds[: last + 1], *(one for one in values if one not in kinds)]:
        default = function.defaults.get(kind)
        missing = exp.null() if default is None else exp.Literal.string(default)
        value = values.get(kind, missing).copy()
        argument = function.arguments.get(kind)
        is_untyped = is_empty_list(value) or isinstance(value, exp.Null)
        if is_untyped and argument is not None and is_nested(argument):
            wanted = type_name(returned(argument))
            value = exp.Cast(this=value, to=exp.DataType.build(wanted, dialect="spark"))
        arguments.append(value)
    return exp.Anonymous(this=name, expressions=arguments)
