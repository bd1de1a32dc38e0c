"""The macros of ``sql/`` as sqlglot trees, for engines without table macros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from alignframe.errors import InputError, MissingExtraError
from alignframe.scripts import declarations

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class Macro:
    """A parsed macro.

    ``parameters`` holds the text of each default; None where a parameter has none.
    """

    name: str
    parameters: Mapping[str, str | None]
    is_table: bool
    text: str

    @cached_property
    def body(self) -> exp.Expr:
        """The query of a table macro, the expression of a scalar one."""
        found: exp.Expr = parsed(self.text if self.is_table else f"select {self.text}")
        return found

    def bound(self, arguments: Sequence[exp.Expr]) -> exp.Expr:
        """Return a copy of the body with parameters replaced by arguments."""
        from sqlglot import exp

        values = self._values(arguments)
        body = self.body.copy()
        if not self.is_table:
            body = body.selects[0]  # type: ignore[attr-defined]
        root = exp.Paren(this=body)
        for column in list(root.find_all(exp.Column)):
            first, *fields = column.parts
            name = first.name.lower()
            if name not in values or (fields and self.is_table):
                continue
            value: exp.Expr = values[name].copy()
            if isinstance(value, (exp.Binary, exp.Unary, exp.Case)):
                value = exp.Paren(this=value)
            for field in fields:
                value = exp.Dot(this=value, expression=field.copy())
            column.replace(value)
        found: exp.Expr = root.this
        return found

    def _values(self, arguments: Sequence[exp.Expr]) -> dict[str, exp.Expr]:
        from sqlglot import exp

        found: dict[str, exp.Expr] = {}
        names = [*self.parameters]
        for k, argument in enumerate(arguments):
            if isinstance(argument, (exp.PropertyEQ, exp.Kwarg)):
                name, value = argument.this.name.lower(), argument.expression
            else:
                name, value = names[k] if k < len(names) else "", argument
            if name not in self.parameters or name in found:
                raise self._refused(f"the argument {argument.sql('duckdb')}")
            found[name] = value
        for name, default in self.parameters.items():
            if name not in found:
                if default is None:
                    raise self._refused(f"no {name}")
                found[name] = parsed(f"select {default}").selects[0]
        return found

    def _refused(self, found: str) -> InputError:
        return InputError(
            f"{found} for the macro {self.name}", expected=", ".join(self.parameters) or "none"
        )


def parsed(text: str) -> Any:
    """Return the tree of a query in DuckDB's SQL."""
    try:
        import sqlglot
    except ImportError:
        raise MissingExtraError("sqlglot", "sail", "SQL on Spark") from None
    try:
        return sqlglot.parse_one(text, read=duckdb_dialect())
    except sqlglot.ParseError as error:
        first = error.errors[0]
        raise InputError(
            f"SQL that cannot be parsed ({first.get('description')})", line=first.get("line")
        ) from None


@cache
def duckdb_dialect() -> Any:
    """Return DuckDB's dialect with list indices unchanged, which sqlglot would make 0-based."""
    from sqlglot.dialects.duckdb import DuckDB

    return type("CountedFromOne", (DuckDB,), {"INDEX_OFFSET": 0})


@cache
def all_macros() -> Mapping[str, Macro]:
    """Return all macros by name, in order."""
    return {
        one.name: Macro(one.name, one.parameters, one.is_table, one.body) for one in declarations()
    }
