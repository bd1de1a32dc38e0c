"""Expanding macros in queries; DuckDB determines all columns, on empty tables."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from alignframe.engines.macro_trees import Macro, all_macros, duckdb_dialect
from alignframe.engines.selects import Selects, column
from alignframe.errors import InputError, QueryError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from sqlglot import exp

Scope = Mapping[str, str]
"""The names known in a query: its CTEs, and those of enclosing queries."""
Columns = Sequence[tuple[str, str]]
"""Names and DuckDB's types."""

OF_COLUMNS = ("checked_columns", "checked_groups", "column_names")
"""Macros that only need the columns of a table, so that DuckDB can answer them."""


class Expansion:
    """A query and everything it refers to, as CTEs that refer only to earlier ones.

    Parameters
    ----------
    table
        Returns the columns of an engine's table and the SQL that reads it, given its name or path.

    Attributes
    ----------
    parts
        The name and query of each CTE; the query is a DuckDB syntax tree without macros, or SQL of
        the engine.
    """

    def __init__(self, table: Callable[[str], tuple[Columns, str]]) -> None:
        self.parts: list[tuple[str, exp.Expr | str]] = []
        self._table = table
        self._numbers = count(1)
        self._bases: dict[str, str] = {}
        self._views: list[str] = []
        self._connection = _IDLE.pop() if _IDLE else _connected()
        self._selects = Selects(self.described)

    def close(self) -> None:
        """Drop the tables made for describing columns."""
        for name in self._views:
            self._connection.execute(f"drop view {_quoted(name)}")
        _IDLE.append(self._connection)

    def described(self, query: exp.Expr | str) -> Columns:
        """Return the columns of a query without macros.

        Raises
        ------
        QueryError
            If it refers to something that does not exist.
        """
        import duckdb

        text = query if isinstance(query, str) else query.sql(duckdb_dialect(), comments=False)
        try:
            found = self._connection.sql(text)
        except duckdb.Error as error:
            raise QueryError(text, str(error).splitlines()[0]) from None
        return [(name, str(kind)) for name, kind in zip(found.columns, found.types, strict=True)]

    def query(self, tree: exp.Expr, scope: Scope) -> exp.Expr:
        """Return a query without macros, with its CTEs added as parts."""
        from sqlglot import exp

        if isinstance(tree, exp.Pivot):
            return self._unpivoted(tree, scope)
        if not isinstance(tree, exp.Query):
            raise InputError(f"{tree.sql('duckdb')}", expected="a query, such as select ...")
        scope = self._ctes(tree, scope)
        if isinstance(tree, exp.Subquery):
            tree.set("this", self.query(tree.this, scope))
            return tree
        if isinstance(tree, exp.SetOperation):
            tree.set("this", self.query(tree.this, scope))
            tree.set("expression", self.query(tree.expression, scope))
            return self._selects.united(tree)
        for source in _sources(tree):
            self._source(source, scope)
        if isinstance(tree, exp.Select):
            self._selects.expand(tree)
        for inner in _subqueries(tree):
            inner.replace(self.query(inner, scope))
        self._inline(tree)
        if isinstance(tree, exp.Select):
            self._selects.resolve(tree)
        return tree

    def _ctes(self, tree: exp.Expr, scope: Scope) -> Scope:
        """Add a query's CTEs as parts, and return the scope with them."""
        known = dict(scope)
        given = tree.args.get("with_")
        if given is None:
            return known
        if given.args.get("recursive"):
            raise InputError("a recursive query", expected="a query without recursion on Spark")
        tree.set("with_", None)
        for cte in given.expressions:
            body = self.query(cte.this, known)
            known[cte.alias.lower()] = self._part(cte.alias, body)
        return known

    def _part(self, name: str, body: exp.Expr) -> str:
        """Add a CTE, declare its columns to DuckDB, and return its name."""
        columns = self.described(f"from ({body.sql(duckdb_dialect(), comments=False)})")
        body = self._selects.named(body, [name for name, _ in columns])
        _numbered_alike(body)
        unique = self._declared(name, columns)
        self.parts.append((unique, body))
        return unique

    def _declared(self, name: str, columns: Columns) -> str:
        """Make an empty view, which keeps the type of null, and return its name."""
        unique = f"_{next(self._numbers)}_{name.strip('_')}".lower()
        values = ", ".join(
            f"{'null' if kind == _NULL else f'null::{kind}'} as {_quoted(name)}"
            for name, kind in columns
        )
        self._connection.execute(
            f"create temp view {_quoted(unique)} as select {values} where false"
        )
        self._views.append(unique)
        return unique

    def _source(self, source: exp.Expr, scope: Scope) -> None:
        """Replace a table, function or macro after FROM by its definition."""
        from sqlglot import exp

        if isinstance(source, exp.Subquery):
            source.set("this", self.query(source.this, scope))
            return
        if not isinstance(source, exp.Table):
            return
        alias, inner = source.alias, source.this
        if isinstance(inner, exp.Identifier):
            name = source.sql("duckdb") if source.args.get("db") else inner.name
            alias = alias or inner.name
            unique = self._named(name, scope)
        elif isinstance(inner, exp.Func):
            name = _function_name(inner)
            unique = self._called(name, inner, scope)
            if not unique:
                return
            alias = alias or ("" if name == "query_table" else name)
        else:
            return
        table = exp.Table(this=exp.to_identifier(unique, quoted=True))
        if source.args.get("alias") is not None:
            table.set("alias", source.args["alias"].copy())
        elif alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        for what in ("joins", "pivots", "sample", "laterals"):
            if source.args.get(what):
                table.set(what, source.args[what])
        source.replace(table)

    def _named(self, name: str, scope: Scope) -> str:
        """Return the part for a CTE or a table of the engine."""
        if name.lower() in scope:
            return scope[name.lower()]
        if name not in self._bases:
            columns, reading = self._table(name)
            self._bases[name] = self._declared("table", columns)
            self.parts.append((self._bases[name], reading))
        return self._bases[name]

    def _called(self, name: str, call: exp.Expr, scope: Scope) -> str:
        """Return the part for a table function; empty if the engine has it itself."""
        from sqlglot import exp

        arguments = _arguments(call)
        if name == "query_table":
            if not arguments or not isinstance(arguments[0], exp.Literal):
                raise InputError(f"{call.sql('duckdb')}", expected="the name of a table in quotes")
            return self._named(arguments[0].name, scope)
        macro = all_macros().get(name)
        if macro is None or not macro.is_table:
            return ""
        if name in OF_COLUMNS:
            return self._answered(macro, arguments, scope)
        return self._part(name, self.query(macro.bound(arguments), scope))

    def _answered(self, macro: Macro, arguments: Sequence[exp.Expr], scope: Scope) -> str:
        """Return the part that answers a query about a table's columns."""
        import duckdb
        from sqlglot import exp

        given = [one.copy() for one in arguments]
        if not given or not isinstance(given[0], exp.Literal):
            raise InputError(f"{macro.name} of no table", expected="its name in quotes")
        given[0] = exp.Literal.string(self._named(given[0].name, scope))
        call = exp.Anonymous(this=macro.name, expressions=given)
        self._inline(call)
        try:
            found = self._connection.sql(f"from {call.sql(duckdb_dialect())}")
            (row,) = found.fetchall()
        except duckdb.Error as error:
            said = str(error).removeprefix("Invalid Input Error: ")
            raise InputError(said.splitlines()[0]) from None
        values = [
            exp.alias_(exp.convert(value), name, quoted=True)
            for name, value in zip(found.columns, row, strict=True)
        ]
        return self._part(macro.name, exp.Select(expressions=values))

    def _inline(self, tree: exp.Expr) -> None:
        """Replace calls of scalar macros by their bodies."""
        from sqlglot import exp

        while True:
            calls = [
                (call, macro)
                for call in tree.find_all(exp.Func)
                if (macro := all_macros().get(_function_name(call))) and not macro.is_table
            ]
            if not calls:
                return
            # Innermost first, so that calls among the arguments are expanded before they are
            # copied.
            call, macro = calls[-1]
            call.replace(exp.Paren(this=macro.bound(_arguments(call))))

    def _unpivoted(self, tree: exp.Expr, scope: Scope) -> exp.Expr:
        """Return ``unpivot TABLE on COLUMNS into name N value V`` as a union of its columns."""
        from sqlglot import exp

        into = tree.args.get("into")
        if not tree.args.get("unpivot") or into is None or len(into.expressions) != 1:
            raise InputError(f"{tree.sql('duckdb')}", expected="no pivot on Spark")
        scope = self._ctes(tree, scope)
        holder = exp.Select(expressions=[exp.Star()]).from_(tree.this.copy())
        given = self.query(holder, scope)
        chosen = exp.Select(expressions=[one.copy() for one in tree.expressions])
        chosen.set("from_", given.args["from_"].copy())
        values = [name for name, _ in self.described(chosen)]
        kept = [name for name, _ in self.described(given) if name not in values]
        name, value = into.this.name, into.expressions[0].name
        branches = []
        for one in values:
            items = [
                *map(column, kept),
                exp.alias_(exp.Literal.string(one), name, quoted=True),
                exp.alias_(column(one), value, quoted=True),
            ]
            branch = exp.Select(expressions=items).where(column(one).is_(exp.null()).not_())
            branch.set("from_", given.args["from_"].copy())
            branches.append(branch)
        return branches[0] if len(branches) == 1 else exp.union(*branches, distinct=False)


_NULL = '"NULL"'
_IDLE: list[DuckDBPyConnection] = []


@atexit.register
def _close() -> None:
    while _IDLE:
        _IDLE.pop().close()


def _numbered_alike(body: exp.Expr) -> None:
    """Order row_number() without an order by the adjacent columns.

    Spark may recompute a part at each use; rows that tie in this order are identical.
    """
    from sqlglot import exp

    for window in body.find_all(exp.Window):
        select = window.find_ancestor(exp.Select)
        if not isinstance(window.this, exp.RowNumber) or window.args.get("order") or not select:
            continue
        columns = [
            one.this if isinstance(one, exp.Alias) else one
            for one in select.expressions
            if not one.find(exp.Window)
        ]
        ordered = [exp.Ordered(this=one.copy()) for one in columns]
        window.set("order", exp.Order(expressions=ordered or [exp.Ordered(this=exp.null())]))


def _connected() -> DuckDBPyConnection:
    """Open a connection with all functions and macros, which takes longer than most queries."""
    import duckdb

    from alignframe.engines.duckdb import register
    from alignframe.scripts import run_script, sql_scripts

    connection = duckdb.connect(config={"python_enable_replacements": "false"})
    register(connection)
    for script in sql_scripts():
        run_script(connection, script)
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _function_name(call: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(call, exp.Anonymous):
        return str(call.this).lower()
    return call.sql_name().lower() if isinstance(call, exp.Func) else ""


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    if isinstance(call, exp.Anonymous):
        return list(call.expressions)
    return [one for one in call.args.values() if isinstance(one, exp.Expr)]


def _sources(tree: exp.Expr) -> list[exp.Expr]:
    """Return the sources after FROM and JOIN."""
    given = tree.args.get("from_")
    found = [] if given is None else [given.this]
    found += [join.this for join in tree.args.get("joins") or []]
    for one in list(found):
        found += [join.this for join in one.args.get("joins") or []]
    return found


def _subqueries(tree: exp.Expr) -> list[exp.Expr]:
    """Return the subqueries in expressions, outermost only."""
    from sqlglot import exp

    skipped = {id(one) for one in _sources(tree)}
    found: list[exp.Expr] = []

    def look(node: exp.Expr) -> None:
        for child in node.iter_expressions():
            if id(child) in skipped:
                continue
            if isinstance(child, exp.Query):
                found.append(child)
            else:
                look(child)

    look(tree)
    return found
