"""``alignframe links vary``: align text in pieces and in multiples, and measure what comes out."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli.given import (
    LINK_FORMATS,
    EncodingOption,
    JsonOption,
    names_of,
    numbers,
    prints_tables,
    read_links,
    read_text,
)
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_json, print_note, print_table
from alignframe.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.aligners.function import FileAligner
    from alignframe.links import QualityStudy


@prints_tables
def vary(
    src: Annotated[str, typer.Option("--src", metavar="FILE", help="Source side of the bitext.")],
    tgt: Annotated[str, typer.Option("--tgt", metavar="FILE", help="Its target side.")],
    gold_src: Annotated[
        str, typer.Option("--gold-src", metavar="FILE", help="Source side of the gold text.")
    ],
    gold_tgt: Annotated[str, typer.Option("--gold-tgt", metavar="FILE", help="Its target side.")],
    gold: Annotated[
        str, typer.Option("--gold", metavar="FILE", help="Gold links: any format, or Parquet.")
    ],
    aligner: Annotated[
        str,
        typer.Option(
            "--aligner",
            metavar="NAME|COMMAND",
            help="ibm1, hmm, ibm4 or bayes; or a command with {src} {tgt} {out}, which reads two "
            "texts and writes links 0-0 1-2 line by line.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Start again here to go on.")
    ],
    extra_src: Annotated[
        str | None, typer.Option("--extra-src", metavar="FILE", help="Extra text, for multiples.")
    ] = None,
    extra_tgt: Annotated[
        str | None, typer.Option("--extra-tgt", metavar="FILE", help="Its target side.")
    ] = None,
    fractions: Annotated[
        str, typer.Option("--fractions", help="Numbers of pieces, parted by commas; or none.")
    ] = "16,8,4,2",
    multiples: Annotated[
        str | None,
        typer.Option("--multiples", help="Times the text; 2,4,8 where there is extra text; none."),
    ] = None,
    symmetrize: Annotated[
        str,
        typer.Option(
            "--symmetrize", help="Ways to join both directions; none takes the forward one."
        ),
    ] = "intersection,refined,union-closure",
    alpha: Annotated[
        str, typer.Option("--alpha", help="Weights of precision in F, parted by commas.")
    ] = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9",
    gold_apart: Annotated[
        bool,
        typer.Option("--gold-apart", help="Align the bitext once more without the gold text."),
    ] = False,
    gold_format: Annotated[
        str | None, typer.Option("--gold-format", help=f"{LINK_FORMATS}.")
    ] = None,
    gold_base: Annotated[
        int | None, typer.Option("--gold-base", help="Number of the first word in Pharaoh gold.")
    ] = None,
    encoding: EncodingOption = "utf-8",
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Aligners side by side.")] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, print the plan, align nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make alignments of varying quality with any aligner, and measure them."""
    counted = {"fractions": _counts(fractions, "--fractions")}
    if multiples is not None:
        counted["multiples"] = _counts(multiples, "--multiples")
    alphas = [value for _, value in numbers(alpha, "--alpha")]
    from alignframe import links

    gold_text = read_text(gold_src, gold_tgt, encoding)
    runner = _aligner(aligner)
    study = links.QualityStudy(
        read_text(src, tgt, encoding),
        gold_text,
        read_links(gold, gold_format, gold_text, encoding, option="--gold-format", base=gold_base),
        runner,
        extra=_extra(extra_src, extra_tgt, encoding),
        methods=names_of(symmetrize),
        alpha=alphas,
        gold_apart=gold_apart,
        **counted,
    )
    if dry_run:
        _print_plan(study.plan().to_dicts(), as_json)
        return
    try:
        with ProgressExecutor(jobs, "Aligning pieces") as executor:
            frame = _run(study, output, executor, runner)
    except KeyboardInterrupt:
        print_note("interrupted; what is aligned stays: start the same command again to go on")
        raise
    rows = frame.to_dicts()
    if as_json:
        print_json(rows)
        return
    hidden = ("run", "group", "signature")  # the system's name says the first two
    shown = [{_title(name): row[name] for name in row if name not in hidden} for row in rows]
    print_table(shown, title="Means over the pieces of each run", caption=rows[0]["signature"])
    print_note(f"{len(rows):,} alignments of the bitext written to {output / 'alignments'}")


def _run(
    study: QualityStudy, output: Path, executor: Executor, runner: str | FileAligner
) -> pl.DataFrame:
    """Run the study; an interruption also ends the package's own aligner."""
    try:
        return study.run(output, executor=executor)
    except KeyboardInterrupt:
        if not isinstance(runner, str):
            runner.stop()
        raise


def _aligner(given: str) -> str | FileAligner:
    """Return one of the package's own aligners, or a command as it is."""
    from alignframe.aligners import KINDS, aligner

    if given in KINDS:
        return aligner(given)
    if not ({" ", "{"} & set(given)):
        raise InputError(
            f"the aligner {given!r}",
            expected=f"one of {', '.join(KINDS)}, or a command with {{src}}, {{tgt}} and {{out}}",
        )
    return given


def _counts(text: str, option: str) -> list[int]:
    if text.strip() in ("", "none"):
        return []
    return [number for _, number in numbers(text, option, int)]


def _extra(src: str | None, tgt: str | None, encoding: str) -> pa.Table | None:
    if (src is None) != (tgt is None):
        given, other = ("src", "tgt") if tgt is None else ("tgt", "src")
        raise InputError(f"--extra-{given} without --extra-{other}", expected="both sides")
    return read_text(src, tgt, encoding)


def _title(name: str) -> str:
    return f"F({name.removeprefix('f_')})" if name.startswith("f_") else name


def _print_plan(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    passes, pairs = (sum(row[name] for row in rows) for name in ("alignments", "total_pairs"))
    said = f"in all {pairs:,} sentence pairs in {passes:,} passes of the aligner"
    print_table(rows, title="Plan", caption=said)
