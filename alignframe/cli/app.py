"""The commands, gathered. Each imports what it needs when it runs, so that help is instant."""

from __future__ import annotations

from typing import Annotated

import typer

from alignframe.cli import (
    align,
    beads,
    bitext,
    convert,
    lexicon,
    links,
    phrases,
    report,
    sql,
    tesla,
)

app = typer.Typer(
    name="alignframe",
    help="Translation alignment as tables: alignments of words and sentences, lexicons, scores.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(links.app, name="links")
app.add_typer(phrases.app, name="phrases")
app.add_typer(lexicon.app, name="lexicon")
app.add_typer(beads.app, name="beads")
app.add_typer(tesla.app, name="tesla")
app.add_typer(report.app, name="report")
app.command("align")(align.align)
app.command("bitext")(bitext.bitext)
app.command("convert")(convert.convert)
app.command("sql")(sql.sql)


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
