"""The tree of commands.

For fast help, a command's module is imported when it runs, and help is printed as plain text, since
Rich takes twice as long as everything else.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import click

from alignframe.cli.commands import GROUPS, RENAMED, command, members, similar
from alignframe.cli.leaving import said_of, status_of
from alignframe.cli.parse import Command
from alignframe.core.lazy import __version__
from alignframe.errors import printable


class Group(click.Group):
    """A group that builds only the command named on the command line."""

    def __init__(self, path: str = "", **words: Any) -> None:
        super().__init__(path or "alignframe", no_args_is_help=True, **words)
        self.path = path
        ops = {op.name.rpartition(" ")[2]: op.help for op in members(path or "general")}
        self.said = ops if path else ops | GROUPS

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a signal that ends it sets the status, as shells expect."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            said = error.message
            for word in sys.argv[1:]:
                said = said.replace(word, printable(word))
            error.message = printable(said, lines=True)  # type: ignore[misc]
            raise
        except KeyboardInterrupt as error:
            with suppress(OSError):  # the terminal is gone
                number = status_of(error) - 128
                click.echo(said_of(number, getattr(error, "__notes__", [])), err=True)
            ctx.exit(status_of(error))

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of commands, in order."""
        return list(self.said)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Build a command, or a group."""
        if name not in self.said:
            return None
        if name in GROUPS and not self.path:
            return Group(name, help=GROUPS[name])
        return Command(command(f"{self.path} {name}".strip()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of an unknown one, say what it may mean."""
        word, *rest = args
        if word == "help":
            if rest:
                return self.resolve_command(ctx, [*rest, "--help"])
            click.echo(ctx.get_help())
            ctx.exit()
        # `report` was a group and is a command now: `report links` must not take links for its
        # result, so both words are looked up.
        for former in (f"{self.path} {word}".strip(), " ".join(args[:2])):
            if now := RENAMED.get(former):
                ctx.fail(f"'{former}' is now: alignframe {now}")
        if word not in self.said and not word.startswith("-"):
            meant = similar(word, self.path)
            wide = max(map(len, meant), default=0)
            lines = [f"\n  alignframe {name:{wide}}  {said}" for name, said in meant.items()]
            ctx.fail(f"No such command {word!r}." + " Did you mean:" * bool(meant) + "".join(lines))
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of commands, each with the first sentence of its description."""
        # As click does it; but click would build every command, and so read all their signatures,
        # to get these texts.
        wide = formatter.width - 6 - max(map(len, self.said))
        rows = [
            (name, click.Command(name, help=said).get_short_help_str(wide))
            for name, said in self.said.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


app = Group(
    help="Translation alignment as tables: alignments of words and sentences, lexicons, scores.",
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            help="Print the version.",
            callback=lambda ctx, _, wanted: _print_version(ctx) if wanted else None,
        )
    ],
)


def _print_version(ctx: click.Context) -> None:
    click.echo(f"alignframe {__version__}")
    ctx.exit()
