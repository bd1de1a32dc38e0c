"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.drawn import Drawn
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import ENCODING
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


@dataclass(frozen=True, kw_only=True)
class Aligned(Input):
    """A study of sentence aligners; or beads, with their texts."""

    provides: ClassVar[tuple[str, ...]] = (
        *("study", "tuning", "beads", "src", "tgt", "gold", "encoding"),
    )

    study: str = flag(
        "Parquet file written by beads study; or beads in any format, with --src and --tgt.",
        panel=None,
        flags="STUDY",
        metavar="STUDY",
    )
    src: str | None = flag(
        "Source sentences of an alignment, as in beads align.", None, metavar="FILE"
    )
    tgt: str | None = flag("Target sentences, as --src.", None, metavar="FILE")
    gold: str | None = flag("Gold beads to compare an alignment with.", None, metavar="FILE")
    tuning: Path | None = flag("Parquet file written by beads tune -o.", None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> dict[str, Any]:
        """Return the tables of a study, or the files of an alignment."""
        from alignframe.report.beads import read_table

        texts = [self.src, self.tgt]
        if None not in texts and self.tuning is not None:
            raise InputError("--tuning with an alignment", expected="--tuning only with a study")
        if None not in texts:
            return vars(self) | {"beads": self.study}
        if any(one is not None for one in (*texts, self.gold)):
            raise InputError(
                "an alignment without its texts", expected="--src and --tgt, and --gold with both"
            )
        return {
            "study": read_table(
                self.study, "Parquet of beads study, or beads with --src and --tgt"
            ),
            "tuning": None if self.tuning is None else read_table(self.tuning),
        }


@dataclass(frozen=True, kw_only=True)
class Filtered(Input):
    """The lines of a filtered text."""

    provides: ClassVar[tuple[str, ...]] = ("lines",)

    lines: Path = flag(
        "Parquet file written by beads filter --lines.",
        panel=None,
        flags="SCORES",
        metavar="SCORES",
    )

    def arguments(self, _: Shell) -> dict[str, Any]:
        """Return the table of lines."""
        from alignframe.report.beads import read_table

        return {"lines": read_table(self.lines)}


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
