"""Commands that score by TESLA, and what it learns from a bitext."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli import heed_interrupts
from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.progress import counting, spinner
from alignframe.cli.show import (
    Data,
    Pieces,
    Rows,
    scores_rows,
)
from alignframe.cli.sources import (
    ENCODING,
    links_base,
    links_format,
    links_order,
    named_paths,
    read_linked_text,
)
from alignframe.core.choices import COMPRESSED
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments, ForInput, FromOne, Rare, Row

if TYPE_CHECKING:
    import polars as pl

    from alignframe.result import TableResult


class Resources(Input):
    """Pivot tables and language models by name, threads, and progress."""

    provides = ("pivots", "language_models", "threads", "progress")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "pivots": ("pivot",),
        "language_models": ("lm",),
    }

    pivot: list[str] | None = flag(
        "A pivot table for the features NAME_lem_1 and so on, which count in b, and in f if its "
        "model weights them; NAME is by default the table's own. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )
    lm: list[str] | None = flag(
        "A language model (ARPA, KenLM) for the feature lm_NAME, which counts in f if its model "
        "weights it; by default NAME is the file's name without suffixes and lm_. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )
    threads: FromOne | None = flag("Number of threads; all cores by default.", None, panel="Output")

    def arguments(self, _: Shell) -> Arguments:
        """Return pivots, language_models, threads and progress."""
        show_tagging()
        return {
            "pivots": named_pivots(self.pivot or []),
            "language_models": named_models(self.lm or []),
            "threads": self.threads or cpu_count() or 1,
            "progress": counting("Scoring", "systems"),
        }


def show_tagging() -> None:
    """Show the progress of taggers."""
    from alignframe.language.analysis import LISTENERS

    LISTENERS[:] = [counting("Tagging", "sentences")]


def named_pivots(specs: Sequence[str]) -> dict[str, str]:
    """Return pivot tables by name, by default the one stored in the file."""
    from alignframe.tesla.pivot_table import name_of

    return named_paths(specs, "pivot table", name_of)


def named_models(specs: Sequence[str]) -> dict[str, str]:
    """Return language models by name, by default the first part of the file's name."""

    def own(path: str) -> str:
        name = Path(path).name.split(".")[0]
        return name.removeprefix("lm_") or name

    return named_paths(specs, "language model", own)


def scored_rows(frame: pl.DataFrame, title: str) -> Rows:
    """Return scores in a terminal, under the name of the metric."""
    found = re.search(r"(?<=metric:)[^|]+", str(frame["signature"].first()))
    return scores_rows(frame, found[0].upper() if found else title)


def stream(
    ref: list[Path], metric: str = "m", *, encoding: ForInput[str] = "utf-8", **options: Any
) -> None:
    """Score candidates from standard input as they arrive, one score per line, for tuners.

    A line 'N ||| text' is scored against line N of the references, counted from 0; other lines take
    the references in turn, and start over after the last.

    Parameters
    ----------
    metric
        See ``tesla.score.score``.
    **options
        See ``language.Analysis.of`` and ``tesla.Scorer``.
    """
    if Path("-") in ref:
        raise InputError(
            "--ref -, where candidates come from standard input", expected="the name of a file"
        )
    from alignframe.read.opening import standard_input
    from alignframe.tesla.scorer import scorer_of
    from alignframe.tesla.stream import Stream

    given = standard_input()
    stream = Stream(ref, scorer_of(metric, **options), encoding)
    heed_interrupts()
    spinner().stop()
    stream.serve(given, sys.stdout.buffer)


class Bitext(Input):
    """A bitext with English, and perhaps its links."""

    provides = ("src", "tgt", "links", "tokens")

    src: str = flag("English sentences, one per line.", metavar="FILE")
    tgt: str = flag("The same sentences in the other language.", metavar="FILE")
    links: str | None = flag(
        "Word alignment of both, in any format; by default made by the default aligner.",
        None,
        metavar="FILE",
    )
    tokens: str = flag(
        "Tokenisation: penn (raw text) or spaces (already tokenised).",
        "penn",
        panel="Analysis",
        choices=("penn", "spaces"),
    )
    links_format: Rare[str | None] = links_format()
    base: int | None = links_base()
    order: str = links_order()
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return both sides, links and tokens."""
        sides, _, links = self.read()
        return {"src": sides[0], "tgt": sides[1], "links": links, "tokens": self.tokens}

    def read(self) -> Any:
        """Return the sentences, a table of words, and any links."""
        options = {"base": self.base, "order": self.order}
        return read_linked_text(
            self.src, self.tgt, self.tokens, self.encoding, self.links, self.links_format, **options
        )


class Pivot(Bitext):
    """A bitext of the target language and a pivot language."""

    provides = ("bitext", "links", "name")  # type: ignore[assignment]

    src: str = flag(
        "Sentences in the language of the translations to be scored, optionally compressed.",
        metavar="FILE",
    )
    tgt: str = flag("The same sentences in the pivot language.", flags="--pivot", metavar="FILE")
    tokens: str = flag(
        "Tokenisation: penn (raw text) or spaces (already tokenised).",
        "spaces",
        panel="Analysis",
        choices=("spaces", "penn"),
    )
    name: str | None = flag(
        "Name of the features; by default the suffix of --pivot, such as fr.",
        None,
        panel="Analysis",
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return bitext, links and name."""
        _, bitext, links = self.read()
        return {"bitext": bitext, "links": links, "name": self.name or _name_of(self.tgt)}


def write_pivots(table: TableResult, words: Words) -> Pieces:
    """Write a pivot table, and say how many phrases it has."""
    from alignframe.tesla.pivot_table import about_pivot_table, write_pivot_table

    write_pivot_table(table, words["output"])
    about = about_pivot_table(table)
    summary = {
        "output": str(words["output"]),
        "name": about["name"],
        "sentences": about["options"]["sentences"],
        "phrases": about["options"]["phrases"],
        "pairs": table.height,
        "signature": about["signature"],
    }
    yield Data(summary=[summary])
    yield (
        f"{number_of(summary['phrases'], 'phrase')}, {summary['pairs']:,} pairs of them, of "
        f"{summary['sentences']:,} "
        f"sentence pairs, written to {words['output']}\n{summary['signature']}"
    )


def write_tags(tags: TableResult, words: Words) -> Pieces:
    """Write learnt tags, and say how many words have one."""
    from alignframe.formats import write

    write(tags, words["output"])
    parts = dict(part.split(":", 1) for part in tags.signature.split("|"))
    summary: Row = {
        "output": str(words["output"]),
        "sentences": int(parts["sentences"]),
        "words": tags.frame.height,
        "lemmas": tags.frame["lemma"].n_unique(),
        "signature": tags.signature,
    }
    yield Data(summary=[summary])
    yield (
        f"{number_of(summary['words'], 'word')} with {summary['lemmas']:,} lemmas, of "
        f"{number_of(summary['sentences'], 'sentence pair')}, written to {words['output']}\n"
        f"{summary['signature']}"
    )


def _name_of(path: str) -> str:
    """Return the last suffix of a file's name that is not a compression."""
    suffixes = Path(path).suffixes
    while suffixes and suffixes[-1].lower() in COMPRESSED:
        suffixes.pop()
    name = suffixes[-1][1:] if suffixes else ""
    return name if name.isascii() and name.isalnum() else "pivot"
