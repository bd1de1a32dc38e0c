"""The tree of commands.

For fast help, a command's module is imported when it runs, and help is printed as plain text, since
Rich takes twice as long as everything else.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from alignframe.cli.build import PanelCommand, function_of
from alignframe.operations import GROUPS, RENAMED, members, operation, similar

COMMANDS = {op.name: op.help for op in members()} | GROUPS
"""What each command, or group of commands, does."""


class Named(TyperGroup):
    """A group that builds only the command named on the command line."""

    path = ""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Build the named command, replacing its placeholder in the help."""
        word = args[0]
        for former in (f"{self.path} {word}", " ".join(args[:2])):
            if now := RENAMED.get(former):
                ctx.fail(f"'{former}' is now: alignframe {now}")
        if word not in self.commands and not word.startswith("-"):
            meant = similar(word, self.path)
            wide = max(map(len, meant), default=0)
            lines = [f"\n  alignframe {name:{wide}}  {said}" for name, said in meant.items()]
            ctx.fail(f"No such command {word!r}." + " Did you mean:" * bool(meant) + "".join(lines))
        name, found, rest = super().resolve_command(ctx, args)
        return name, load(f"{self.path} {name}".strip()) if found else None, rest


def load(name: str) -> Any:
    """Return a command built from its declaration, or a group whose commands are built on use."""
    made = typer.Typer(
        name=name.rpartition(" ")[2],
        cls=Named,
        help=GROUPS.get(name),
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
    )
    if name in GROUPS:
        _list(made, {op.name.partition(" ")[2]: op.help for op in members(name)})
        made.callback()(lambda: None)
        found: Any = get_group(made)
        found.path = name
    else:
        op = operation(name)
        made.command(help=op.help, cls=PanelCommand)(function_of(op))
        found = get_command(made)
    # Typer would import pydantic to find out whether help was requested.
    found.context_settings["default_map"] = {"help": False}
    for parameter in found.params:
        _spare(parameter)
    return found


def _list(group: typer.Typer, said: dict[str, str]) -> None:
    """Add placeholders of commands to a group, with names and descriptions."""
    for name, text in said.items():
        group.command(name, help=text)(lambda: None)


def _spare(parameter: Any) -> None:
    """Convert text and defaults without pydantic, whose import takes a tenth of a second."""
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
_list(app, COMMANDS)


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
    """Handle the options before a command."""
