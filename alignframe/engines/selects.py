"""Expanding what DuckDB's binder resolves: stars, COLUMNS, ALL, natural joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from alignframe.errors import AlignframeError, InputError

if TYPE_CHECKING:
    from sqlglot import exp

TYPE = "duckdb_type"
"""The key under which a node stores DuckDB's type, if its translation depends on it."""


class Selects:
    """Expands queries.

    Parameters
    ----------
    described
        Returns the names and types of a query's columns.
    """

    def __init__(self, described: Callable[[exp.Expr | str], Sequence[tuple[str, str]]]) -> None:
        self._described = described

    def expand(self, tree: exp.Select) -> None:
        """Expand the columns of a SELECT whose sources are expanded."""
        from sqlglot import exp

        for k, source in enumerate(_sources(tree)):
            if not source.alias_or_name:
                source.set("alias", exp.TableAlias(this=exp.to_identifier(f"_source_{k}")))
        items = [one for item in tree.expressions for one in self._items(item, tree)]
        tree.set("expressions", items)
        order = tree.args.get("order")
        if order is not None and order.find(exp.Columns):
            keys = [
                exp.Ordered(**{**one.args, "this": _unaliased(key).copy()})
                for one in order.expressions
                for key in self._items(one.this, tree)
            ]
            tree.set("order", exp.Order(expressions=keys))

    def resolve(self, tree: exp.Select) -> None:
        """Expand the rest of a SELECT without macros."""
        from sqlglot import exp

        self._join_by_name(tree)
        self._aliases(tree)
        group, order = tree.args.get("group"), tree.args.get("order")
        if group is not None and group.args.get("all"):
            keys = [one for one in map(_unaliased, tree.expressions) if not self._aggregates(one)]
            wanted = exp.Group(expressions=[one.copy() for one in keys]) if keys else None
            tree.set("group", wanted)
        if order is not None and _is_all(order):
            keys = [
                column(one.alias_or_name) if one.alias_or_name else one.copy()
                for one in tree.expressions
            ]
            tree.set("order", _order_all(keys, order))
        self._note_types(tree)

    def united(self, tree: exp.SetOperation) -> exp.SetOperation:
        """Expand a union by name to the same columns in the same order on both sides."""
        from sqlglot import exp

        wanted = self._described(tree)
        order = tree.args.get("order")
        if order is not None and _is_all(order):
            tree.set("order", _order_all([column(name) for name, _ in wanted], order))
        if not tree.args.get("by_name"):
            return tree
        for side in ("this", "expression"):
            branch = tree.args[side]
            had = {name.lower(): (name, kind) for name, kind in self._described(branch)}
            items: list[exp.Expr] = []
            for name, kind in wanted:
                own, type_ = had.get(name.lower(), ("", ""))
                value: exp.Expr = column(own) if own else exp.null()
                if type_ != kind and '"NULL"' not in kind:
                    if own:
                        value.meta[TYPE] = type_
                    value = exp.Cast(this=value, to=exp.DataType.build(kind, dialect="duckdb"))
                items.append(exp.alias_(value, name, quoted=True))
            inner = branch if isinstance(branch, exp.Subquery) else exp.Subquery(this=branch)
            inner.set("alias", exp.TableAlias(this=exp.to_identifier("_side", quoted=True)))
            tree.set(side, exp.Select(expressions=items).from_(inner))
        tree.set("by_name", False)
        return tree

    def named(self, tree: exp.Expr, names: Sequence[str]) -> exp.Expr:
        """Rename the columns of a query, as DuckDB does for duplicate names."""
        from sqlglot import exp

        if isinstance(tree, exp.Select):
            items = tree.expressions
            if len(items) == len(names):
                for k, (item, name) in enumerate(zip(list(items), names, strict=True)):
                    if not isinstance(item, exp.Column) or item.name != name:
                        items[k] = exp.alias_(_unaliased(item).copy(), name, quoted=True)
                tree.set("expressions", items)
        elif isinstance(tree, exp.SetOperation):
            tree.set("this", self.named(tree.this, names))
        return tree

    def _items(self, item: exp.Expr, tree: exp.Select) -> list[exp.Expr]:
        """Return the columns for an item of the select list."""
        from sqlglot import exp

        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star):
            return self._starred(item, star, tree)
        chosen = [*item.find_all(exp.Columns)]
        if not chosen:
            return [item]
        for one in [one for one in chosen if one.args.get("unpack")]:
            _unpack(one, self._names(_packed(one), tree))
        chosen = [one for one in chosen if not one.args.get("unpack")]
        if not chosen:
            return [item]
        inner = self._names(chosen[0], tree)
        outer = self._names(item, tree)
        found: list[exp.Expr] = []
        for name, alias in zip(inner, outer, strict=True):
            made = exp.Paren(this=_unaliased(item).copy())
            for one in [*made.find_all(exp.Columns)]:
                one.replace(column(name))
            value = made.this
            plain = isinstance(value, exp.Column) and value.name == alias
            found.append(value if plain else exp.alias_(value, alias, quoted=True))
        return found

    def _starred(self, item: exp.Expr, star: exp.Star, tree: exp.Select) -> list[exp.Expr]:
        from sqlglot import exp

        replaced = {one.alias.lower(): one for one in star.args.get("replace") or []}
        table = item.args.get("table") if isinstance(item, exp.Column) else None
        plain = item.copy()
        (plain.this if isinstance(plain, exp.Column) else plain).set("replace", None)
        names = self._names(plain, tree)
        owners = [table.name] * len(names) if table is not None else self._owners(names, tree)
        return [
            exp.alias_(replaced[name.lower()].this.copy(), name, quoted=True)
            if name.lower() in replaced
            else column(name, owner)
            for name, owner in zip(names, owners, strict=True)
        ]

    def _owners(self, names: Sequence[str], tree: exp.Select) -> list[str]:
        """Return the sources of columns with duplicate names."""
        if len({name.lower() for name in names}) == len(names):
            return [""] * len(names)
        known = [(name, owner) for owner, own in self._owned(tree) for name in own]
        if [name for name, _ in known] != list(names):
            raise InputError(
                "two columns of one name", expected="distinct names", todo="name the columns"
            )
        return [owner for _, owner in known]

    def _names(self, item: exp.Expr, tree: exp.Select) -> list[str]:
        """Return the column names of an item of the select list."""
        from sqlglot import exp

        # A star may match nothing, and DuckDB refuses an empty list.
        asked = self._asking([item, exp.null()], tree)
        return [name for name, _ in self._described(asked)][:-1]

    def _asking(self, items: Iterable[exp.Expr], tree: exp.Select) -> exp.Select:
        from sqlglot import exp

        query = exp.Select(expressions=[one.copy() for one in items])
        given = tree.args.get("from_")
        if given is not None:
            query.set("from_", given.copy())
        query.set("joins", [one.copy() for one in tree.args.get("joins") or []])
        return query

    def _owned(self, tree: exp.Select) -> list[tuple[str, list[str]]]:
        """Return the sources of a SELECT with their column names."""
        from sqlglot import exp

        found = []
        for source in _sources(tree):
            owner = source.alias_or_name
            if _is_filter(source.parent):  # its columns are visible only in its condition
                alone = exp.Select(expressions=[exp.Star()]).from_(source.copy())
                found.append((owner, [name for name, _ in self._described(alone)]))
                continue
            whole = exp.Column(this=exp.Star(), table=exp.to_identifier(owner, quoted=True))
            found.append((owner, self._names(whole, tree)))
        return found

    def _join_by_name(self, tree: exp.Select) -> None:
        """Turn natural joins and joins with USING into joins with conditions.

        An unqualified column then refers to the side that has it in every row.
        """
        from sqlglot import exp

        joins = tree.args.get("joins") or []
        if not any(one.args.get("using") or _is_natural(one) for one in joins):
            return
        owned = self._owned(tree)
        meant: dict[str, exp.Expr] = {}
        for k, join in enumerate(joins):
            owner, own = owned[k + 1]
            left = {
                name.lower(): table for table, names in reversed(owned[: k + 1]) for name in names
            }
            if _is_natural(join):
                shared = [name for name in own if name.lower() in left]
            else:
                shared = [one.name for one in join.args.get("using") or []]
            join.set("method", None)
            join.set("using", None)
            side = (join.args.get("side") or "").upper()
            conditions = []
            for name in shared:
                one = meant.get(name.lower(), column(name, left[name.lower()]))
                other = column(name, owner)
                conditions.append(exp.EQ(this=one.copy(), expression=other))
                if side == "FULL":
                    one = exp.Coalesce(this=one.copy(), expressions=[other.copy()])
                meant[name.lower()] = other.copy() if side == "RIGHT" else one
            if conditions:
                join.set("on", exp.and_(*conditions))
            elif not join.args.get("on"):
                join.set("kind", "CROSS")
        for used in [*tree.find_all(exp.Column)]:
            name = used.name.lower()
            if used.args.get("table") is None and name in meant and _select_of(used) is tree:
                is_item = used.parent is tree
                value = meant[name].copy()
                used.replace(exp.alias_(value, used.name, quoted=True) if is_item else value)

    def _aliases(self, tree: exp.Select) -> None:
        """Expand aliases of the select list where the list or a filter uses them."""
        from sqlglot import exp

        given: dict[str, exp.Expr] = {}
        own: set[str] | None = None

        def fill(node: exp.Expr) -> None:
            nonlocal own
            for used in [*node.find_all(exp.Column)]:
                name = used.name.lower()
                if name not in given or used.args.get("table") is not None:
                    continue
                if own is None:
                    all_of_it = self._asking([exp.Star()], tree)
                    own = (
                        {name.lower() for name, _ in self._described(all_of_it)}
                        if tree.args.get("from_")
                        else set()
                    )
                if name not in own and _select_of(used) in (tree, None):
                    used.replace(exp.Paren(this=given[name].copy()))

        for item in tree.expressions:
            holder = exp.Paren(this=item) if item.parent is None else item
            fill(holder)
            if isinstance(item, exp.Alias):
                given[item.alias.lower()] = item.this
        for clause in ("where", "group"):
            if tree.args.get(clause) is not None:
                fill(tree.args[clause])

    def _aggregates(self, node: exp.Expr) -> bool:
        """Whether an expression aggregates rows."""
        from sqlglot import exp

        return any(
            isinstance(one, exp.AggFunc) and not isinstance(one.parent, exp.Window)
            for one in node.find_all(exp.AggFunc)
        )

    def _note_types(self, tree: exp.Select) -> None:
        """Annotate the types on which the translation of an expression depends."""
        from sqlglot import exp

        for node in tree.find_all(exp.Cast, exp.Length, exp.Coalesce, exp.Bracket):
            value: exp.Expr = node if isinstance(node, exp.Coalesce) else node.this
            if TYPE in value.meta or _select_of(node) is not tree:
                continue
            if isinstance(node, exp.Cast) and not node.to.args.get("nested"):
                continue
            if isinstance(node, exp.Coalesce) and not any(map(is_empty_list, node.expressions)):
                continue
            try:
                ((_, kind),) = self._described(self._asking([value], tree))
            except AlignframeError:  # a lambda's variable, which has no type outside the lambda
                continue
            value.meta[TYPE] = kind


def column(name: str, table: str = "") -> exp.Column:
    """Return a reference to a column."""
    from sqlglot import exp

    owner = exp.to_identifier(table, quoted=True) if table else None
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=owner)


def _select_of(node: exp.Expr) -> exp.Expr | None:
    from sqlglot import exp

    return node.find_ancestor(exp.Select)


def _is_filter(join: exp.Expr | None) -> bool:
    """Whether a join only filters its left side."""
    return join is not None and (join.args.get("kind") or "").upper() in ("SEMI", "ANTI")


def _is_natural(join: exp.Join) -> bool:
    return (join.args.get("method") or "").upper() == "NATURAL"


def is_empty_list(node: exp.Expr) -> bool:
    """Whether an expression is ``[]``."""
    from sqlglot import exp

    return isinstance(node, exp.Array) and not node.expressions


def _unaliased(item: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    found: exp.Expr = item.this if isinstance(item, exp.Alias) else item
    return found


def _packed(chosen: exp.Columns) -> exp.Columns:
    """Return the same columns as a list."""
    copy = chosen.copy()
    copy.set("unpack", False)
    return copy


def _unpack(chosen: exp.Columns, names: Sequence[str]) -> None:
    """Replace ``*columns(...)`` among a function's arguments by the columns."""
    call, where = chosen.parent, chosen.arg_key
    if call is None or where is None or not names:
        raise InputError(f"{chosen.sql('duckdb')} without columns", expected="at least one column")
    made = [column(name) for name in names]
    if where == "expressions":
        k = chosen.index or 0
        call.set("expressions", [*call.expressions[:k], *made, *call.expressions[k + 1 :]])
    else:
        call.set(where, made[0])
        call.set("expressions", [*made[1:], *call.expressions])


def _order_all(keys: Sequence[exp.Expr], order: exp.Order) -> exp.Order:
    from sqlglot import exp

    how = order.expressions[0]
    wanted = {name: how.args.get(name) for name in ("desc", "nulls_first")}
    return exp.Order(expressions=[exp.Ordered(this=key, **wanted) for key in keys])


def _sources(tree: exp.Select) -> list[exp.Expr]:
    """Return the sources after FROM and JOIN."""
    given = tree.args.get("from_")
    return [
        *([] if given is None else [given.this]),
        *(one.this for one in tree.args.get("joins") or []),
    ]


def _is_all(order: exp.Order) -> bool:
    from sqlglot import exp

    first = order.expressions[0].this
    return isinstance(first, exp.Var) and first.name.upper() == "ALL"
