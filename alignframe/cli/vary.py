"""``alignframe links vary``: aligning pieces and multiples of a text, and scoring the links."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import title_of
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_json, print_note, print_table
from alignframe.cli.sources import read_links, read_text
from alignframe.errors import InputError, number_of, unknown
from alignframe.options.option import split

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.aligners.function import FileAligner
    from alignframe.links import QualityStudy


def vary(
    *,
    src: str,
    tgt: str,
    gold_src: str,
    gold_tgt: str,
    gold: str,
    aligner: str,
    output: Path,
    extra_src: str | None,
    extra_tgt: str | None,
    fractions: str,
    multiples: str | None,
    symmetrize: list[str],
    alpha: list[float],
    gold_apart: bool,
    gold_format: str | None,
    gold_base: int | None,
    encoding: str,
    jobs: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make alignments of varying quality with any aligner, and score them."""
    counted = {"fractions": _counts(fractions, "--fractions")}
    if multiples is not None:
        counted["multiples"] = _counts(multiples, "--multiples")
    from alignframe import links

    gold_text = read_text(gold_src, gold_tgt, encoding)
    runner = _aligner(aligner)
    study = links.QualityStudy(
        read_text(src, tgt, encoding),
        gold_text,
        read_links(gold, gold_format, gold_text, encoding, base=gold_base),
        runner,
        extra=_extra(extra_src, extra_tgt, encoding),
        symmetrize=symmetrize,
        alpha=alpha,
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
        print_note(
            "interrupted; finished alignments are kept: run the same command again to resume"
        )
        raise
    rows = frame.to_dicts()
    if as_json:
        print_json({"alignments": rows})
        return
    hidden = ("run", "group", "signature")  # the first two are in the system's name
    shown = [{title_of(name): row[name] for name in row if name not in hidden} for row in rows]
    print_table(shown, title="Means over the pieces of each run", caption=rows[0]["signature"])
    print_note(
        f"{number_of(len(rows), 'alignment')} of the bitext written to {output / 'alignments'}"
    )


def _run(
    study: QualityStudy, output: Path, executor: Executor, runner: str | FileAligner
) -> pl.DataFrame:
    """Run the study; an interruption also stops the package's own aligner."""
    try:
        return study.run(output, executor=executor)
    except KeyboardInterrupt:
        if not isinstance(runner, str):
            runner.stop()
        raise


def _aligner(given: str) -> str | FileAligner:
    """Return one of the package's own aligners, or a command unchanged."""
    from alignframe.aligners import KINDS, aligner

    if given in KINDS:
        return aligner(given)
    if not ({" ", "{"} & set(given)):
        raise unknown("aligner", given, KINDS, also=", or a command with {src}, {tgt} and {out}")
    return given


def _counts(text: str, option: str) -> list[int]:
    if text.strip() in ("", "none"):
        return []
    return split(text, int, option)


def _extra(src: str | None, tgt: str | None, encoding: str) -> pa.Table | None:
    if (src is None) != (tgt is None):
        given, other = ("src", "tgt") if tgt is None else ("tgt", "src")
        raise InputError(f"--extra-{given} without --extra-{other}", expected="both sides")
    return read_text(src, tgt, encoding)


def _print_plan(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"plan": rows})
        return
    passes, pairs = (sum(row[name] for row in rows) for name in ("alignments", "total_pairs"))
    said = f"{number_of(pairs, 'sentence pair')} in {number_of(passes, 'pass', 'passes')}"
    print_table(rows, title="Plan", caption=f"in all {said} of the aligner")
