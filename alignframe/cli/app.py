"""The commands, gathered.

Help is instant: a command's module is imported when it runs, and help is printed as plain text,
since Rich takes twice as long as all else.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from alignframe.cli.build import PanelCommand, function_of
from alignframe.operations import GROUPS, OPERATIONS

COMMANDS = {op.name: op.help for op in OPERATIONS if " " not in op.name} | GROUPS
"""What each command, or group of commands, does."""


class Named(TyperGroup):
    """Commands of which only the one that is named is imported."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the named command in place of what stands for it in the help."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, load(str(name)) if found else None, rest


def load(name: str) -> Any:
    """Return a command, or a group of commands, built from its declaration."""
    made = typer.Typer(
        name=name,
        help=COMMANDS[name],
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
    )
    for op in OPERATIONS:
        if op.name == name or op.name.startswith(f"{name} "):
            last = op.name.rpartition(" ")[2]
            made.command(last, help=op.help, cls=PanelCommand)(function_of(op))
    if name in GROUPS:
        made.callback()(lambda: None)
    found: Any = get_group(made) if name in GROUPS else get_command(made)
    told = [found, *getattr(found, "commands", {}).values()]
    for command in told:
        # Typer would import pydantic to find that nobody asked for help.
        command.context_settings["default_map"] = {"help": False}
        for parameter in command.params:
            _spare(parameter)
    return found


def _spare(parameter: Any) -> None:
    """Take text, and what is not given, as it is: Typer imports pydantic, a tenth of a second."""
    if not hasattr(parameter, "get_runtime_param"):  # another version of Typer
        return
    convert, kind = parameter.get_runtime_param, parameter.type_descriptor.annotation

    def coerce(value: Any, **words: Any) -> Any:
        if value is None:
            return () if parameter.multiple or parameter.nargs == -1 else None
        if kind is str or value is parameter.default:
            return value
        return list(value) if kind == list[str] else convert().coerce(value, **words)

    parameter.get_runtime_param = lambda: SimpleNamespace(coerce=coerce)


app = typer.Typer(
    name="alignframe",
    cls=Named,
    help="Translation alignment as tables: alignments of words and sentences, lexicons, scores.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "default_map": {"help": False}},
)
for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(lambda: None)


def _version(wanted: bool) -> None:
    if wanted:
        from alignframe import __version__

        typer.echo(f"alignframe {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Take the options that come before a command."""
