"""Queries of DuckDB's SQL, without macros, in Spark's SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from alignframe.engines.selects import TYPE, is_empty_list
from alignframe.errors import InputError
from alignframe.functions import FUNCTIONS

if TYPE_CHECKING:
    from sqlglot import exp

_KINDS = {
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INT",
    "UINT": "BIGINT",
    "UBIGINT": "BIGINT",  # hashes alone, which are signed in Spark
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
    "list_distinct": "array_distinct({0})",
    "list_max": "array_max({0})",
    "list_min": "array_min({0})",
    "list_position": "nullif(array_position({0}, {1}), 0)",
    "hash": "xxhash64({0})",
    "error": "raise_error({0})",
    "isfinite": "(not isnan({0}) and abs({0}) < double('infinity'))",
}
"""What DuckDB calls otherwise, by the names that sqlglot leaves as they are."""


def spark_sql(tree: exp.Expr) -> str:
    """Return the query in Spark's SQL.

    Raises
    ------
    InputError
        If it holds what has no counterpart there.
    """
    from sqlglot import exp

    root = exp.Paren(this=tree.copy())
    for node in reversed(list(root.walk(bfs=False))):
        if node is root or (node.parent is None):
            continue
        for kind, change in _changes().items():
            if isinstance(node, kind):
                made = change(node)
                if made is not None and made is not node:
                    node.replace(made)
                break
    text: str = root.this.sql("spark", comments=False, identify=True)
    return text


def spark_type(kind: str) -> str:
    """Return Spark's name of a type of DuckDB."""
    from sqlglot import exp

    text: str = _spark_kind(exp.DataType.build(kind, dialect="duckdb")).sql("spark")
    return text


def _changes() -> dict[type, Callable[[Any], exp.Expr | None]]:
    """Return what becomes of each kind of node."""
    from sqlglot import exp

    return {
        exp.Literal: _literal,
        exp.Cast: _cast,
        exp.ArrayAgg: _list_of,
        exp.GroupConcat: _joined,
        exp.Bracket: _bracket,
        exp.Length: _length,
        exp.Div: _divided,
        exp.Coalesce: _coalesced,
        exp.Filter: _filter,
        exp.AggFunc: _unordered,
        exp.GenerateSeries: _range,
        exp.Explode: _rows_of,
        exp.Func: _call,
        exp.DataType: _kind,
        exp.Select: _zipped,
    }


def _parsed(text: str, *values: exp.Expr) -> Any:
    """Return the tree of an expression of Spark, with values at {0}, {1}."""
    import sqlglot
    from sqlglot import exp

    holders = [f"_value_{k}" for k in range(len(values))]
    tree = exp.Paren(this=sqlglot.parse_one(text.format(*holders), read="spark"))
    named = dict(zip(holders, values, strict=True))
    for column in list(tree.find_all(exp.Column)):
        if column.name in named and column.args.get("table") is None:
            column.replace(_enclosed(named[column.name].copy()))
    return tree.this


def _enclosed(value: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Paren(this=value) if isinstance(value, (exp.Binary, exp.Case)) else value


def _literal(node: exp.Literal) -> exp.Expr | None:
    """Numbers with a point are of decimals in Spark, whose digits are limited."""
    from sqlglot import exp

    if node.is_string or node.name.isdigit() or isinstance(node.parent, exp.DataTypeParam):
        return None
    return exp.Cast(this=node.copy(), to=exp.DataType.build("double"))


def _kind(node: exp.DataType) -> exp.Expr | None:
    from sqlglot import exp

    name = _KINDS.get(node.this.name if hasattr(node.this, "name") else str(node.this))
    return exp.DataType.build(name, dialect="spark") if name else None


def _cast(node: exp.Cast) -> exp.Expr | None:
    """Structs are cast by their names in DuckDB, and by position in Spark."""
    from sqlglot import exp

    had = node.this.meta.get(TYPE)
    if had is None or '"NULL"' in had:
        return None
    source = exp.DataType.build(had, dialect="duckdb")
    if not any(one.is_type("struct") for one in (source, *source.find_all(exp.DataType))):
        return None
    return _reshaped(node.this.copy(), source, node.to, 0)


def _reshaped(value: exp.Expr, had: exp.DataType, wanted: exp.DataType, depth: int) -> exp.Expr:
    """Return a value with the fields that are wanted; null where it lacks one."""
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


def _list_of(node: exp.ArrayAgg) -> exp.Expr:
    """``list(x order by k)``: structs of keys and the value, sorted; null values are kept."""
    from sqlglot import exp

    given = node.this
    if isinstance(given, exp.Distinct) or (
        isinstance(given, exp.Order) and isinstance(given.this, exp.Distinct)
    ):
        return _sorted_distinct(given)
    if not isinstance(given, exp.Order):
        named = [exp.Literal.string("v"), given.copy()]
        return _kept(node, exp.Anonymous(this="named_struct", expressions=named))
    fields: list[exp.Expr] = []
    for k, key in enumerate(given.expressions):
        if key.args.get("desc"):
            raise InputError(
                "a list in descending order", expected="ascending order", todo="reverse it"
            )
        # Nulls last, as in DuckDB: whether a key is null comes before it.
        null = exp.Is(this=key.this.copy(), expression=exp.null())
        fields += [exp.Literal.string(f"n{k}"), exp.Paren(this=null)]
        fields += [exp.Literal.string(f"k{k}"), key.this.copy()]
    fields += [exp.Literal.string("v"), given.this.copy()]
    row = exp.Anonymous(this="named_struct", expressions=fields)
    return _kept(node, row, sort=True)


def _kept(node: exp.Expr, row: exp.Expr, *, sort: bool = False) -> exp.Expr:
    """Return the list of the field v of rows; null of no rows, as in DuckDB."""
    from sqlglot import exp

    rows: exp.Expr = exp.Anonymous(this="collect_list", expressions=[row])
    if isinstance(node.parent, exp.Filter):
        rows = exp.Filter(this=rows, expression=node.parent.expression.copy())
    count: exp.Expr = exp.Count(this=exp.Star())
    if isinstance(node.parent, exp.Filter):
        count = exp.Filter(this=count, expression=node.parent.expression.copy())
    if sort:
        rows = exp.Anonymous(this="array_sort", expressions=[rows])
    listed = "transform({0}, _r -> _r.v)"
    return _parsed(f"case when {{1}} > 0 then {listed} end", rows, count)  # type: ignore[no-any-return]


def _filter(node: exp.Filter) -> exp.Expr | None:
    """Leave out a filter that its list took along; in a window, a condition does its work."""
    from sqlglot import exp

    given = node.this
    if isinstance(given, exp.Case):
        return given.copy()
    if isinstance(node.parent, exp.Window) and isinstance(given, exp.AggFunc):
        star = isinstance(given.this, exp.Star)
        value = exp.Literal.number(1) if star else given.this
        return type(given)(this=_parsed("case when {0} then {1} end", node.expression.this, value))
    return None


def _sorted_distinct(given: exp.Expr) -> exp.Expr:
    distinct = given if not hasattr(given.this, "expressions") else given.this
    (value,) = distinct.expressions
    return _parsed("array_sort(collect_set({0}))", value)  # type: ignore[no-any-return]


def _joined(node: exp.GroupConcat) -> exp.Expr:
    """``string_agg(x, ', ' order by k)``."""
    from sqlglot import exp

    given = node.this
    separator = node.args.get("separator") or exp.Literal.string(",")
    if isinstance(given, exp.Order) and isinstance(given.this, exp.Distinct):
        listed = _sorted_distinct(given.this)
    elif isinstance(given, exp.Distinct):
        listed = _sorted_distinct(given)
    else:
        made = exp.ArrayAgg(this=given.copy())
        if isinstance(node.parent, exp.Filter):
            exp.Filter(this=made, expression=node.parent.expression.copy())
        listed = _list_of(made)
    return _parsed(  # type: ignore[no-any-return]
        "case when array_size({0}) > 0 then array_join({0}, {1}) end", listed, separator
    )


def _bracket(node: exp.Bracket) -> exp.Expr | None:
    """Elements and slices are counted from 1 in DuckDB."""
    from sqlglot import exp

    (index,) = node.expressions
    is_text = node.this.meta.get(TYPE, "") == "VARCHAR"
    if isinstance(index, exp.Slice):
        first, last = index.this or exp.Literal.number(1), index.expression
        cut = "substring" if is_text else "slice"
        size = "length" if is_text else "array_size"
        if last is None:
            return _parsed(f"{cut}({{0}}, {{1}}, {size}({{0}}))", node.this, first)  # type: ignore[no-any-return]
        return _parsed(  # type: ignore[no-any-return]
            f"{cut}({{0}}, {{1}}, greatest({{2}} - {{1}} + 1, 0))", node.this, first, last
        )
    if index.is_string:
        return exp.Dot(this=node.this.copy(), expression=exp.to_identifier(index.name))
    if is_text:
        return _parsed("substring({0}, {1}, 1)", node.this, index)  # type: ignore[no-any-return]
    return _parsed("try_element_at({0}, cast({1} as int))", node.this, index)  # type: ignore[no-any-return]


def _length(node: exp.Length) -> exp.Expr | None:
    if node.this.meta.get(TYPE, "[]").endswith("]"):
        return _parsed("array_size({0})", node.this)  # type: ignore[no-any-return]
    return None


def _divided(node: exp.Div) -> exp.Expr:
    """Division of whole numbers gives doubles, of decimals too."""
    return _parsed("cast({0} as double) / {1}", node.this, node.expression)  # type: ignore[no-any-return]


def _coalesced(node: exp.Coalesce) -> exp.Expr | None:
    from sqlglot import exp

    kind = node.meta.get(TYPE)
    if kind is not None:
        wanted = _spark_kind(exp.DataType.build(kind, dialect="duckdb"))
        for one in node.expressions:
            if is_empty_list(one):
                one.replace(exp.Cast(this=one.copy(), to=wanted.copy()))
    return None


def _unordered(node: exp.AggFunc) -> exp.Expr | None:
    """Drop the order of sums, which matters to their last digits alone."""
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
    if name == "row":
        return exp.Anonymous(this="struct", expressions=[one.copy() for one in arguments])
    if isinstance(node, exp.Split):
        return _split(node)
    name = _SYNONYMS.get(name, name)
    if name not in _LISTS:
        return None
    found: exp.Expr = _parsed(_LISTS[name], *arguments)
    return exp.Paren(this=found) if isinstance(found, exp.Binary) else found


def _range(node: exp.GenerateSeries) -> exp.Expr | None:
    """``range(a, b)`` ends before b."""
    from sqlglot import exp

    first, last = node.args["start"], node.args.get("end")
    if last is None:
        first, last = exp.Literal.number(0), first
    if not node.args.get("is_end_exclusive"):
        raise InputError(f"{node.sql('duckdb')}", expected="range(first, last)")
    return _parsed(  # type: ignore[no-any-return]
        "slice(sequence({0}, greatest({1}, {0})), 1, cast(greatest({1} - {0}, 0) as int))",
        first,
        last,
    )


def _rows_of(node: exp.Explode) -> exp.Expr | None:
    from sqlglot import exp

    if isinstance(node.this, exp.Null):
        return _parsed("explode(cast(null as array<string>))")  # type: ignore[no-any-return]
    return None


def _zipped(node: exp.Select) -> exp.Expr | None:
    """Unnest lists side by side, and within expressions, as DuckDB does.

    Spark makes every pair of their elements, and unnests a whole column only.
    """
    from sqlglot import exp

    unnested = [one for one in node.find_all(exp.Explode) if one.find_ancestor(exp.Select) is node]
    is_plain = all(isinstance(one.parent, (exp.Select, exp.Alias)) for one in unnested)
    if len(unnested) < 2 and is_plain:
        return None
    lists = [one.this.copy() for one in unnested]
    longest = exp.Greatest(
        this=exp.Literal.number(0),
        expressions=[_parsed("coalesce(array_size({0}), 0)", one) for one in lists],
    )
    fields = [f"'v{k}', get({{{k}}}, _k)" for k in range(len(lists))]
    indexes = f"slice(sequence(0, {{{len(lists)}}}), 1, {{{len(lists)}}})"
    rows = _parsed(
        f"explode(transform({indexes}, _k -> named_struct({', '.join(fields)})))", *lists, longest
    )
    inner = node.copy()
    outer = exp.Select()
    kept: list[exp.Expr] = []
    shown: list[exp.Expr] = []
    k = 0
    for n, item in enumerate(node.expressions):
        name = item.alias_or_name or f"_column_{n}"
        value = item.this if isinstance(item, exp.Alias) else item
        made = exp.Paren(this=value.copy())
        found = [*made.find_all(exp.Explode)]
        if not found:
            kept.append(exp.alias_(value.copy(), name, quoted=True))
            shown.append(exp.column(name, quoted=True))
            continue
        for one in found:
            one.replace(exp.Dot(this=exp.column("_row"), expression=exp.to_identifier(f"v{k}")))
            k += 1
        shown.append(exp.alias_(made.this, name, quoted=True))
    inner.set("expressions", [*kept, exp.alias_(rows, "_row")])
    made_outer = outer.select(*shown).from_(exp.Subquery(this=inner))
    for clause in ("order", "limit", "distinct"):
        if inner.args.get(clause) is not None:
            made_outer.set(clause, inner.args[clause])
            inner.set(clause, None)
    return made_outer


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
    """Return the call with its arguments in order, and lists without elements of their type."""
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
