"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alignframe.cli.align_given import AlignGiven
from alignframe.cli.correlate import (
    ALPHAS,
    LowerOption,
    ResamplesOption,
    ScoresOption,
    studies,
)
from alignframe.cli.given import (
    LINK_FORMATS,
    AlphaOption,
    BandsOption,
    ConfidenceOption,
    Given,
    JsonOption,
    SeedOption,
    SidsOption,
    WhereOption,
    bands_of,
    numbers,
    read_links,
    takes_links,
    with_options,
)
from alignframe.cli.lexicon_study import StudyGiven
from alignframe.cli.phrases import LengthOption, MemoryOption, SureOption, phrase_arguments
from alignframe.cli.report_tesla import TeslaGiven
from alignframe.cli.show import print_json, print_note
from alignframe.cli.tesla_given import AnalysisOptions
from alignframe.cli.tesla_metric import MetricOptions
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.report.page import Page

PageOption = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")
]
ScoreNameOption = Annotated[
    str, typer.Option("--score-name", help="What the score is called, for example BLEU.")
]
TitleOption = Annotated[str, typer.Option("--title", help="Of the page.")]
MetricTitleOption = Annotated[
    str | None, typer.Option("--title", help="Of the page; it names the metric by default.")
]
FiguresOption = Annotated[
    Path | None, typer.Option("--figures", metavar="FOLDER", help="Also write every chart.")
]
FigureFormatOption = Annotated[str, typer.Option("--figure-format", help="png, svg or pdf.")]

app = typer.Typer(help="Write self-contained HTML reports.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Write self-contained HTML reports."""


@app.command()
@takes_links
def links(
    files: Given,
    output: PageOption = Path("report.html"),
    alpha: AlphaOption = "0.5",
    bands: BandsOption = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals; 0 for none.")
    ] = 1_000,
    seed: Annotated[int, typer.Option("--seed", help="Of the resampling.")] = 1,
    sentences: Annotated[
        str | None, typer.Option("--sentences", help="Sentences of the grids, counted from 0.")
    ] = None,
    title: TitleOption = "Word alignment quality",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
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
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
@takes_links
def phrases(
    files: Given,
    output: PageOption = Path("report.html"),
    max_length: LengthOption = None,
    sure_only: SureOption = False,
    memory_limit: MemoryOption = None,
    title: TitleOption = "Phrase dictionaries of word alignments",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report phrase dictionaries: scores, sizes, sentence lengths, easy and hard entries."""
    from alignframe.report.phrases import phrases_report

    with files.read() as given:
        page = phrases_report(
            **phrase_arguments(given, files),
            possible_as_sure=given["possible_as_sure"],
            max_length=max_length,
            sure_only=sure_only,
            memory_limit=memory_limit,
            title=title,
        )
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
@takes_links
def correlation(
    files: Given,
    scores: ScoresOption,
    output: PageOption = Path("report.html"),
    alpha: AlphaOption = ALPHAS,
    resamples: ResamplesOption = 1_000,
    confidence: ConfidenceOption = 0.95,
    seed: SeedOption = 1,
    lower_is_better: LowerOption = False,
    score_name: ScoreNameOption = "score",
    title: TitleOption = "Which alignment measure predicts translation quality",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report how well measures predict a score from outside, such as BLEU."""
    from alignframe import formats
    from alignframe.report.correlation import correlation_report

    outside = formats.read_outside(scores)
    with files.read() as given:
        page = correlation_report(
            **given,
            outside=outside,
            alpha=[value for _, value in numbers(alpha, "--alpha")],
            bootstrap=resamples,
            confidence=confidence,
            seed=seed,
            lower_is_better=lower_is_better,
            score_name=score_name,
            title=title,
        )
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
def vary(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FOLDER...",
            help="Written by alignframe links vary; several, with names.",
        ),
    ],
    output: PageOption = Path("report.html"),
    scores: Annotated[
        str | None,
        typer.Option(
            "--scores", metavar="FILE", help="A score of each alignment, with system and score."
        ),
    ] = None,
    sids: SidsOption = None,
    where: WhereOption = None,
    alpha: AlphaOption = ALPHAS,
    resamples: ResamplesOption = 1_000,
    confidence: ConfidenceOption = 0.95,
    seed: SeedOption = 1,
    lower_is_better: LowerOption = False,
    score_name: ScoreNameOption = "score",
    title: TitleOption = "Alignments of varying quality",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report alignments of varying quality, and how well measures predict what they are worth."""
    if scores is None and (lower_is_better or score_name != "score"):
        option = "--lower-is-better" if lower_is_better else "--score-name"
        raise InputError(f"{option} without --scores", expected="a score of each alignment")
    from alignframe import formats
    from alignframe.links import read_study
    from alignframe.report.vary import vary_report

    page = vary_report(
        read_study(studies(folders), sids=sids, where=where),
        None if scores is None else formats.read_outside(scores),
        alpha=[value for _, value in numbers(alpha, "--alpha")],
        bootstrap=resamples,
        confidence=confidence,
        seed=seed,
        lower_is_better=lower_is_better,
        score_name=score_name,
        title=title,
    )
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
@with_options(StudyGiven, "given")
def lexicon(
    given: StudyGiven,
    output: PageOption = Path("report.html"),
    upper_bound: Annotated[
        float | None, typer.Option("--upper-bound", help="Precision that two translators reach.")
    ] = None,
    title: TitleOption = "Cascades of filters for translation lexicons",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report a study of filter cascades: precision and percent correct by training text."""
    from alignframe.report.lexicon import study_page

    page = study_page(given.make(), title, upper_bound)
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
@with_options(AlignGiven, "given")
def align(
    given: AlignGiven,
    output: PageOption = Path("report.html"),
    gold: Annotated[
        str | None,
        typer.Option("--gold", metavar="FILE", help="Gold links: any format, or Parquet."),
    ] = None,
    gold_format: Annotated[
        str | None, typer.Option("--gold-format", help=f"{LINK_FORMATS}.")
    ] = None,
    gold_base: Annotated[
        int | None, typer.Option("--gold-base", help="Number of the first word in Pharaoh gold.")
    ] = None,
    title: TitleOption = "Word alignments and their probabilities",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report an alignment that is made: training, probabilities, and quality where gold is."""
    given.check()
    from alignframe.report.aligners import aligners_report

    text = given.text()
    known = (
        read_links(gold, gold_format, text, given.encoding, option="--gold-format", base=gold_base)
        if gold
        else None
    )
    with given.aligners(text) as aligners:
        page = aligners_report(
            aligners,
            text,
            symmetrize=given.method,
            threshold=given.threshold,
            gold=known,
            title=title,
        )
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
def beads(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Parquet written by alignframe beads study.")
    ],
    output: PageOption = Path("report.html"),
    tuning: Annotated[
        Path | None,
        typer.Option(
            "--tuning", metavar="FILE", help="Parquet written by alignframe beads tune -o."
        ),
    ] = None,
    title: TitleOption = "Sentence alignment under noise",
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report a study of sentence aligners: precision, recall and alignment rate under noise."""
    from alignframe.report.beads import beads_page, read_table

    tuned = None if tuning is None else read_table(tuning)
    page = beads_page(read_table(study), tuning=tuned, title=title)
    _deliver(page, output, figures, figure_format, as_json)


@app.command()
@with_options(TeslaGiven, "given")
@with_options(MetricOptions, "metric")
@with_options(AnalysisOptions, "analysis")
def tesla(
    given: TeslaGiven,
    metric: MetricOptions,
    analysis: AnalysisOptions,
    output: PageOption = Path("report.html"),
    title: MetricTitleOption = None,
    figures: FiguresOption = None,
    figure_format: FigureFormatOption = "png",
    as_json: JsonOption = False,
) -> None:
    """Report scores of translations: systems, segments, features, matchings, human rankings."""
    page = given.page(analysis, metric, title)
    _deliver(page, output, figures, figure_format, as_json)


def _deliver(
    page: Page, output: Path, figures: Path | None, figure_format: str, as_json: bool
) -> None:
    """Write a page, and its charts if asked."""
    page.write(output)
    written = page.write_figures(figures, figure_format) if figures else []
    if as_json:
        print_json({"report": str(output), "figures": [str(path) for path in written]})
    else:
        print_note(f"report written to {output}")
        for path in written:
            print_note(f"figure written to {path}")
