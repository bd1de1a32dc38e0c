"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

import typer

app = typer.Typer(help="Write self-contained HTML reports.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Gather the reports."""
