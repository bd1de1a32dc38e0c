"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alignframe.cli.given import (
    AlphaOption,
    BandsOption,
    Given,
    JsonOption,
    bands_of,
    numbers,
    takes_links,
)
from alignframe.cli.show import print_json, print_note

app = typer.Typer(help="Write self-contained HTML reports.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Write self-contained HTML reports."""


@app.command()
@takes_links
def links(
    files: Given,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")
    ] = Path("report.html"),
    alpha: AlphaOption = "0.5",
    bands: BandsOption = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals; 0 for none.")
    ] = 1_000,
    seed: Annotated[int, typer.Option("--seed", help="Of the resampling.")] = 1,
    sentences: Annotated[
        str | None, typer.Option("--sentences", help="Sentences of the grids, counted from 0.")
    ] = None,
    title: Annotated[str, typer.Option("--title")] = "Word alignment quality",
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="FOLDER", help="Also write every chart.")
    ] = None,
    figure_format: Annotated[str, typer.Option("--figure-format", help="png or svg.")] = "png",
    as_json: JsonOption = False,
) -> None:
    """Report word-alignment quality: scores, charts and browsable alignment grids."""
    from alignframe.report.links import links_report

    with files.read() as given:
        page = links_report(
            **given,
            **bands_of(bands),
            alpha=[value for _, value in numbers(alpha, "--alpha")],
            bootstrap=bootstrap,
            seed=seed,
            sentences=[n for _, n in numbers(sentences, "--sentences", int)] if sentences else None,
            title=title,
        )
    page.write(output)
    written = page.write_figures(figures, figure_format) if figures else []
    if as_json:
        print_json({"report": str(output), "figures": [str(path) for path in written]})
    else:
        print_note(f"report written to {output}")
        for path in written:
            print_note(f"figure written to {path}")
