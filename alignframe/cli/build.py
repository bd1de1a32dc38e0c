"""Building commands from their declarations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from alignframe.cli.places import CHECKS, check_apart
from alignframe.errors import InputError
from alignframe.operation import Op
from alignframe.options import common
from alignframe.options.option import REQUIRED, Option

_SHOWN_CHOICES = 6
_KINDS = {str: "TEXT", int: "INT", float: "FLOAT", list[str]: "TEXT"}


def function_of(op: Op) -> Callable[..., None]:
    """Return a function that runs an operation, with a signature for Typer.

    The operation's own module is imported when it runs.
    """
    options = list(op.each())

    def run(**words: Any) -> None:
        for option in options:
            value = words[option.parameter]
            option.check(value)
            if option.writes and value is not None:
                CHECKS[option.writes](Path(value))
            words[option.parameter] = option.parsed(value)
        _check_apart(options, words)
        if common.table_format not in options:
            op.call(words)
            return
        from alignframe.cli.show import tables_as

        printed_as, signature = words.pop("format"), words.pop("signature", None)
        if words["as_json"] and printed_as not in ("text", "json"):
            raise InputError(f"--json with --format {printed_as}", expected="one of them")
        words["as_json"] |= printed_as == "json"
        with tables_as(printed_as, signature):
            op.call(words)

    parameters = [_parameter(option) for option in options]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _check_apart(options: Sequence[Option], words: Mapping[str, Any]) -> None:
    """Refuse to write over an input."""
    given = [(option.is_output, words[option.parameter]) for option in options]
    inputs = [text for is_output, value in given if not is_output for text in _texts(value)]
    for output in (value for is_output, value in given if is_output and value is not None):
        check_apart(output, inputs)


def _texts(value: Any) -> list[str]:
    """Return what may be paths in the value of an option, also after the = of ``NAME=PATH``."""
    every = value if isinstance(value, (list, tuple)) else [value]
    texts = [str(one) for one in every if isinstance(one, (str, PathLike))]
    return [*texts, *(text.partition("=")[2] for text in texts)]


class PanelCommand(TyperCommand):
    """A command whose help lists options in panels, and arguments by their bare names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; refuse an option of a single value that is given twice."""
        given = [one.partition("=")[0] for one in takewhile("--".__ne__, args)]
        for option in self.get_params(ctx):
            times = sum(given.count(flag) for flag in option.opts if flag.startswith("-"))
            if (
                times > 1
                and not getattr(option, "multiple", True)
                and not getattr(option, "is_flag", True)
            ):
                ctx.fail(f"{option.opts[-1]} is given {times} times; it takes one value.")
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage: ``SRC [TGT]``, not ``{SRC} [TGT]``."""
        return [re.sub("[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, one section per panel."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                panel = getattr(parameter, "rich_help_panel", None) or "Options"
                name, about = record
                panels.setdefault(panel, []).append((re.sub(" <.+>$", "", name), about))
        for name in sorted(panels, key=_panel_order):
            with formatter.section(name):
                formatter.write_dl(panels[name])


def _panel_order(name: str) -> int:
    order = ("Arguments", "Input", "Analysis", "Intervals", "Output")
    return order.index(name) if name in order else len(order)


def _parameter(option: Option) -> inspect.Parameter:
    """Return an option as a function parameter for Typer."""
    kind = option.kind | None if option.default is None else option.kind
    few = 0 < len(option.choices) <= _SHOWN_CHOICES
    words: dict[str, Any] = {
        "help": _help(option),
        "metavar": option.metavar
        or ("|".join(map(str, option.choices)) if few else _KINDS.get(option.kind)),
        "min": option.low,
        "max": option.high,
    }
    if option.is_argument:
        info: Any = typer.Argument(**words, rich_help_panel="Arguments")
    else:
        info = typer.Option(*option.flags.split(), **words, rich_help_panel=option.panel)
    return inspect.Parameter(
        option.parameter,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.default is REQUIRED else option.default,
        annotation=Annotated[kind, info],
    )


def _help(option: Option) -> str:
    """Return the help of an option, with its choices if they do not fit the usage."""
    if len(option.choices) <= _SHOWN_CHOICES:
        return option.help
    return f"{option.help} One of {', '.join(map(str, option.choices))}."
