"""``alignframe beads study`` and ``tune``: their input, and what they show."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.option import outputs
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import (
    Data,
    Pieces,
    Rows,
)
from alignframe.cli.showing import PRINTED
from alignframe.cli.sources import ENCODING, columns
from alignframe.core.choices import SCENARIOS
from alignframe.core.output import write_table
from alignframe.core.suffixes import TABLES_SAID
from alignframe.errors import DataWarning, number_of
from alignframe.result import Row
from alignframe.typing import Arguments, FromOne

if TYPE_CHECKING:
    import polars as pl

    from alignframe.beads import Tuned

THREADS = "Number of threads; all cores by default."


class Parallel(Input):
    """A line-parallel text."""

    provides: ClassVar[tuple[str, ...]] = ("src", "tgt")

    src: str = flag("Source sentences, one per line; or a table with both sides.", panel=None)
    tgt: str | None = flag("Their translations, one per line.", None, panel=None)
    columns: str | None = columns()
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return both sides."""
        from alignframe.formats.parallel import read_parallel

        _, src, tgt = read_parallel(
            self.src, self.tgt, encoding=self.encoding, columns=self.columns
        )
        return {"src": src, "tgt": tgt, "sentences": len(src)}


class WithOther(Parallel):
    """The same, with the target side of another document for noise."""

    provides: ClassVar[tuple[str, ...]] = (*Parallel.provides, "other")

    other: str | None = flag("Target side of another document.", None, metavar="FILE")

    def arguments(self, shell: Shell) -> Arguments:
        """Return both sides and the other one."""
        from alignframe.formats.sentences import read_sentences

        other = None if self.other is None else read_sentences(self.other, self.encoding)
        return super().arguments(shell) | {"other": other}


class Noised(WithOther):
    """The same, with a kind of noise."""

    provides: ClassVar[tuple[str, ...]] = (*WithOther.provides, "scenario")

    scenario: str = flag(
        "Kind of noise; different needs --other.", "delete", choices=SCENARIOS, panel="Analysis"
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the text and the kind of noise."""
        return super().arguments(shell) | {"scenario": self.scenario}


class Tuning(Parallel):
    """A line-parallel text with a name, aligned repeatedly on threads."""

    provides: ClassVar[tuple[str, ...]] = (*Parallel.provides, "corpus", "threads")

    corpus: str | None = flag(
        "Name of the corpus in the table; by default that of SRC.",
        None,
        panel="Output",
        metavar="NAME",
    )
    threads: FromOne | None = flag(THREADS, None, panel="Output")

    def arguments(self, shell: Shell) -> Arguments:
        """Return both sides, the name and the threads, which live as long as the command."""
        from alignframe.formats.files import document_name

        warnings.filterwarnings("once", category=DataWarning)  # the same text is aligned repeatedly
        corpus = document_name(self.src) if self.corpus is None else self.corpus
        threads = shell.stack.enter_context(workers(self.threads))
        return super().arguments(shell) | {"corpus": corpus, "threads": threads}


class Studied(Tuning, WithOther):
    """The same for a study."""

    provides: ClassVar[tuple[str, ...]] = (*Tuning.provides, "other")


TUNED_OUT = (
    outputs(
        "-o --output",
        Path,
        f"Write the table of settings, as {TABLES_SAID}; report --tuning reads Parquet.",
        None,
        metavar="FILE",
        writes="table",
    ),
    outputs(
        "--tried",
        Path,
        "Write all settings that were tried, with their scores.",
        None,
        metavar="FILE",
        writes="table",
    ),
    *PRINTED,
)


def show_study(frame: pl.DataFrame, words: Words) -> Pieces:
    """Show a study: the scenarios of the paper's table 1, or all that were asked for."""
    of_paper = [*words["scenarios"]] == ["paper"]
    yield Data(scores=frame)
    marks = "\n".join(frame["signature"].unique(maintain_order=True))
    rows = _rows(frame, all_rows=not of_paper)
    yield Rows(rows, f"Pairs of sentences: {frame['corpus'][0]}", marks)
    yield from _silent(frame, words["threshold"])
    if of_paper and not words["output"]:
        yield f"{number_of(frame.height, 'row')} in all (-o FILE writes them)"


def _rows(frame: pl.DataFrame, *, all_rows: bool) -> list[Row]:
    """Return one row per scenario and method: all, or those in the paper's table 1."""
    from alignframe.beads.noise import RATED
    from alignframe.beads.scenarios import TABLE_1

    rows: list[Row] = []
    for row in frame.iter_rows(named=True):
        setting = tuple(row[name] for name in ("scenario", "src_rate", "tgt_rate"))
        if not all_rows and setting not in TABLE_1:
            continue
        rates = ", ".join(f"{100 * x:g}%" for x in setting[1:] if row["scenario"] in RATED)
        measures = ("pair_precision", "pair_recall", "alignment_rate")
        precision, recall, rate = (row[name] for name in measures)
        rows.append(
            {
                "scenario": f"{row['scenario']} {rates}".rstrip(),
                "method": row["method"],
                "precision": precision,
                "recall": recall,
                "alignment rate": rate,
            }
        )
    return rows


def _silent(frame: pl.DataFrame, threshold: float) -> list[str]:
    """Explain why methods find nothing in the clean text, where everything can be found."""
    rows = frame.filter(scenario="clean").iter_rows(named=True)
    return [
        f"no bead of {row['method']} is {'above' if not row['n_hyp_pairs'] else 'right above'} "
        f"the threshold {threshold:g} in the clean text; see --threshold"
        for row in rows
        if not row["n_both_pairs"]
    ]


def show_tuned(tuned: Tuned, words: Words) -> Pieces:
    """Show the best settings, and how many were tried."""
    tried = words["tried"]
    if tried:
        write_table(tuned.tried, tried)
    parts = {name: end - start for name, (start, end) in tuned.parts.items()}
    sizes = {f"{name}_pairs": size for name, size in parts.items()}
    yield Data(tuned.signature, best=tuned.best, summary=[{**sizes, "tried": tuned.tried.height}])
    unmet = [] if tuned.best["met"].all() else [_unmet(words["min_precision"])]
    said = ", ".join(f"{name} {size:,}" for name, size in parts.items())
    yield Rows(
        [_shown(row) for row in tuned.best.to_dicts()],
        f"{words['method']}, {words['scenario']}: precision and recall of pairs",
        "\n".join([*unmet, f"sentence pairs before noise: {said}", tuned.signature]),
    )
    where = f", written to {tried}" if tried else ""
    yield f"{number_of(tuned.tried.height, 'setting')} tried{where}"


def _shown(row: Row) -> Row:
    """Return a row for the terminal, marked if it is not precise enough."""
    unshown = ("corpus", "scenario", "rate", "met")
    shown = {key: value for key, value in row.items() if key not in unshown}
    whole = {key: _whole(row[key]) for key in ("band", "largest") if key in row}
    return {**shown, **whole, "tuned": row["tuned"] + " *" * (not row["met"])}


def _whole(value: float) -> float:
    """Return an integral number without decimals."""
    return int(value) if value.is_integer() else value


def _unmet(min_precision: float) -> str:
    return (
        f"* no setting of this row has a precision of {min_precision:g} on the tuning set "
        "(--min-precision); the most precise one is shown"
    )


def workers(threads: int | None) -> ProgressExecutor:
    """Yield threads that show their progress."""
    return ProgressExecutor(threads or os.cpu_count() or 1, "Aligning")
