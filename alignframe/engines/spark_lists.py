"""DuckDB lists in Spark SQL: aggregated from rows, joined to text, and unnested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alignframe.errors import InputError

if TYPE_CHECKING:
    from sqlglot import exp


def spark_parsed(text: str, *values: exp.Expr) -> Any:
    """Return the tree of a Spark expression, with values moved to {0}, {1}, ..."""
    import sqlglot
    from sqlglot import exp

    holders = [f"_value_{k}" for k in range(len(values))]
    tree = exp.Paren(this=sqlglot.parse_one(text.format(*holders), read="spark"))
    named = dict(zip(holders, values, strict=True))
    placed = set()
    for column in list(tree.find_all(exp.Column)):
        if column.name in named and column.args.get("table") is None:
            value = named[column.name]
            # Copying at every level would take time quadratic in the depth of the expression.
            column.replace(_enclosed(value.copy() if column.name in placed else value))
            placed.add(column.name)
    return tree.this


def _enclosed(value: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Paren(this=value) if isinstance(value, (exp.Binary, exp.Case)) else value


def list_of(node: exp.ArrayAgg) -> exp.Expr:
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
        # Nulls last, as in DuckDB: each key is preceded by whether it is null.
        null = exp.Is(this=key.this.copy(), expression=exp.null())
        fields += [exp.Literal.string(f"n{k}"), exp.Paren(this=null)]
        fields += [exp.Literal.string(f"k{k}"), key.this.copy()]
    fields += [exp.Literal.string("v"), given.this.copy()]
    row = exp.Anonymous(this="named_struct", expressions=fields)
    return _kept(node, row, sort=True)


def _kept(node: exp.Expr, row: exp.Expr, *, sort: bool = False) -> exp.Expr:
    """Return the list of the field v of rows; null for no rows, as in DuckDB."""
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
    return spark_parsed(f"case when {{1}} > 0 then {listed} end", rows, count)  # type: ignore[no-any-return]


def without_filter(node: exp.Filter) -> exp.Expr | None:
    """Drop a filter that was moved into its list; in a window, a condition replaces it."""
    from sqlglot import exp

    given = node.this
    if isinstance(given, exp.Case):
        return given.copy()
    if isinstance(node.parent, exp.Window) and isinstance(given, exp.AggFunc):
        star = isinstance(given.this, exp.Star)
        value = exp.Literal.number(1) if star else given.this
        return type(given)(
            this=spark_parsed("case when {0} then {1} end", node.expression.this, value)
        )
    return None


def _sorted_distinct(given: exp.Expr) -> exp.Expr:
    distinct = given if not hasattr(given.this, "expressions") else given.this
    (value,) = distinct.expressions
    return spark_parsed("array_sort(collect_set({0}))", value)  # type: ignore[no-any-return]


def joined(node: exp.GroupConcat) -> exp.Expr:
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
        listed = list_of(made)
    return spark_parsed(  # type: ignore[no-any-return]
        "case when array_size({0}) > 0 then array_join({0}, {1}) end", listed, separator
    )


def range_of(node: exp.GenerateSeries) -> exp.Expr | None:
    """``range(a, b)`` ends before b."""
    from sqlglot import exp

    first, last = node.args["start"], node.args.get("end")
    if last is None:
        first, last = exp.Literal.number(0), first
    if not node.args.get("is_end_exclusive"):
        raise InputError(f"{node.sql('duckdb')}", expected="range(first, last)")
    return spark_parsed(  # type: ignore[no-any-return]
        "slice(sequence({0}, greatest({1}, {0})), 1, cast(greatest({1} - {0}, 0) as int))",
        first,
        last,
    )


def rows_of(node: exp.Explode) -> exp.Expr | None:
    """Cast a null list to a type, which Spark requires."""
    from sqlglot import exp

    if isinstance(node.this, exp.Null):
        return spark_parsed("explode(cast(null as array<string>))")  # type: ignore[no-any-return]
    return None


def zipped(node: exp.Select) -> exp.Expr | None:
    """Unnest lists in parallel, and within expressions, as DuckDB does.

    Spark would make the cross product of their elements, and can only unnest whole columns. The
    lists are columns of a subquery, so that each is computed once.
    """
    from sqlglot import exp

    unnested = [one for one in node.find_all(exp.Explode) if one.find_ancestor(exp.Select) is node]
    is_plain = all(isinstance(one.parent, (exp.Select, exp.Alias)) for one in unnested)
    if len(unnested) < 2 and is_plain:
        return None
    kept: list[exp.Expr] = []
    lists: list[exp.Expr] = []
    shown: list[exp.Expr] = []
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
            listed = f"_list_{len(lists)}"
            lists.append(exp.alias_(spark_parsed("coalesce({0}, array())", one.this), listed))
            one.replace(exp.Dot(this=exp.column("_row"), expression=exp.to_identifier(listed)))
        shown.append(exp.alias_(made.this, name, quoted=True))
    inner = node.copy()
    inner.set("expressions", [*kept, *lists])
    zipped_lists = ", ".join(one.alias for one in lists)
    row = exp.alias_(spark_parsed(f"explode(arrays_zip({zipped_lists}))"), "_row")
    rows = exp.Select(expressions=[*(exp.column(one.alias, quoted=True) for one in kept), row])
    outer = exp.Select(expressions=shown).from_(
        exp.Subquery(this=rows.from_(exp.Subquery(this=inner)))
    )
    for clause in ("order", "limit", "distinct"):
        if inner.args.get(clause) is not None:
            outer.set(clause, inner.args[clause])
            inner.set(clause, None)
    return outer
