"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.drawn import Drawn
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.report.page import Page


@dataclass(frozen=True)
class PageGiven:
    """The output of a page; the fields are options."""

    output: Path
    title: str | None
    figures: Path | None
    figure_format: str

    @property
    def titled(self) -> dict[str, Any]:
        """The title as an argument, if there is one."""
        return {} if self.title is None else {"title": self.title}

    def deliver(self, page: Page, as_json: bool) -> None:
        """Write a page, and optionally its charts."""
        page.write(self.output)
        written = page.write_figures(self.figures, self.figure_format) if self.figures else []
        if as_json:
            print_summary({"report": str(self.output), "figures": [str(path) for path in written]})
        else:
            print_note(f"report written to {self.output}")
            for path in written:
                print_note(f"figure written to {path}")


def beads(
    *,
    study: str,
    src: str | None,
    tgt: str | None,
    gold: str | None,
    top: int,
    tuning: Path | None,
    encoding: str,
    to: PageGiven,
    as_json: bool,
) -> None:
    """Report a study of sentence aligners, or one alignment with its texts."""
    if src is not None and tgt is not None:
        from alignframe.report.bead_pairs import pairs_page

        if tuning is not None:
            raise InputError("--tuning with an alignment", expected="--tuning only with a study")
        given: dict[str, Any] = {"gold": gold, "top": top, "encoding": encoding}
        to.deliver(pairs_page(study, src, tgt, **given, **to.titled), as_json)
        return
    if src is not None or tgt is not None or gold is not None:
        raise InputError(
            "an alignment without its texts", expected="--src and --tgt, and --gold with both"
        )
    from alignframe.report.beads import beads_page, read_table

    tuned = None if tuning is None else read_table(tuning)
    found = read_table(study, "Parquet of beads study, or beads with --src and --tgt")
    page = beads_page(found, tuning=tuned, **to.titled)
    to.deliver(page, as_json)


def line_filter(*, filtered: Path, top: int, to: PageGiven, as_json: bool) -> None:
    """Report the filtering of line-parallel text: the worst lines kept, the best dropped."""
    from alignframe.report.beads import read_table
    from alignframe.report.line_filter import filter_page

    to.deliver(filter_page(read_table(filtered), top=top, **to.titled), as_json)


def mt_study(
    *,
    folder: Path,
    alpha: list[float],
    drawn: Drawn,
    to: PageGiven,
    as_json: bool,
) -> None:
    """Report a study of word alignments evaluated by translation."""
    from alignframe.mt import read_study

    page = read_study(folder).page(
        alpha=alpha,
        **drawn.words,
        **to.titled,
    )
    to.deliver(page, as_json)
