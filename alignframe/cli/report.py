"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alignframe.cli import given as g
from alignframe.cli.given import Given, numbers, threads
from alignframe.cli.show import ProgressExecutor, print_json, print_note

app = typer.Typer(help="Write self-contained HTML reports.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Write self-contained HTML reports."""


@app.command()
def links(
    gold: g.GoldOption,
    hyp: g.HypOption,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")
    ] = Path("report.html"),
    alpha: g.AlphaOption = "0.5",
    bands: Annotated[str | None, typer.Option("--bands", help="Last length of each band.")] = None,
    bootstrap: Annotated[int, typer.Option("--bootstrap", min=0)] = 1_000,
    seed: Annotated[int, typer.Option("--seed")] = 1,
    sentences: Annotated[
        str | None, typer.Option("--sentences", help="Sentences of the grids, counted from 0.")
    ] = None,
    src: g.SrcOption = None,
    tgt: g.TgtOption = None,
    encoding: g.EncodingOption = "utf-8",
    gold_format: g.GoldFormatOption = None,
    gold_base: g.GoldBaseOption = None,
    hyp_format: g.HypFormatOption = None,
    hyp_base: g.HypBaseOption = None,
    hyp_order: g.HypOrderOption = "src-tgt",
    min_probability: g.MinProbabilityOption = None,
    possible_as_sure: g.PossibleOption = False,
    title: Annotated[str, typer.Option("--title")] = "Word alignment quality",
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="FOLDER", help="Also write every chart.")
    ] = None,
    figure_format: Annotated[str, typer.Option("--figure-format", help="png or svg.")] = "png",
    thread_count: g.ThreadsOption = None,
    as_json: g.JsonOption = False,
) -> None:
    """Report word-alignment quality: scores, charts and browsable alignment grids."""
    files = Given(
        gold,
        hyp,
        gold_format,
        gold_base,
        hyp_format,
        hyp_base,
        hyp_order,
        min_probability,
        src,
        tgt,
        encoding,
    )
    from alignframe.links.gold import BANDS
    from alignframe.report.links import links_report

    bitext = files.bitext()
    hypotheses, reference = files.links(bitext)
    with ProgressExecutor(threads(thread_count), "Counting links") as executor:
        page = links_report(
            hypotheses,
            reference,
            bitext=bitext,
            alpha=[value for _, value in numbers(alpha, "--alpha")],
            bands=[last for _, last in numbers(bands, "--bands", int)] if bands else BANDS,
            bootstrap=bootstrap,
            seed=seed,
            sentences=[n for _, n in numbers(sentences, "--sentences", int)] if sentences else None,
            possible_as_sure=possible_as_sure,
            title=title,
            executor=executor,
        )
    page.write(output)
    written = page.write_figures(figures, figure_format) if figures else []
    if as_json:
        print_json({"report": str(output), "figures": [str(path) for path in written]})
    else:
        print_note(f"report written to {output}")
        for path in written:
            print_note(f"figure written to {path}")
