"""``alignframe links vary``: aligning pieces and multiples of a text, and scoring the links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import title_of
from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.option import outputs
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_json, print_note, print_table
from alignframe.cli.showing import PRINTED
from alignframe.cli.sources import ENCODING, gold_base, gold_format, read_links, read_text
from alignframe.errors import number_of, unknown

if TYPE_CHECKING:
    from alignframe.aligners.function import FileAligner
    from alignframe.links import QualityStudy


@dataclass(frozen=True, kw_only=True)
class Texts(Input):
    """A bitext, a gold text with its links, extra text, and what aligns them."""

    provides = ("bitext", "gold_text", "gold", "extra", "aligner")

    src: str = flag("Source side of the bitext.", metavar="FILE")
    tgt: str = flag("Target side of the bitext.", metavar="FILE")
    gold_src: str = flag("Source side of the gold text.", metavar="FILE")
    gold_tgt: str = flag("Target side of the gold text.", metavar="FILE")
    gold: str = flag("Gold links, in any format.", metavar="FILE")
    gold_format: str | None = gold_format()
    gold_base: int | None = gold_base()
    extra_src: str | None = flag(
        "Source side of extra text, for --multiples.", None, metavar="FILE"
    )
    extra_tgt: str | None = flag("Target side of the extra text.", None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")
    aligner: str = flag(
        "ibm1, hmm, ibm4 or bayes; or a command with {src} {tgt} {out} that reads two texts and "
        "writes links as 0-0 1-2, one line per sentence.",
        panel="Analysis",
        metavar="NAME|COMMAND",
    )

    def arguments(self, _: Shell) -> dict[str, Any]:
        """Return the texts, the gold links and the aligner."""
        aligner = _aligner(self.aligner)
        gold_text = read_text(self.gold_src, self.gold_tgt, self.encoding)
        base: dict[str, Any] = {"base": self.gold_base}
        return {
            "bitext": read_text(self.src, self.tgt, self.encoding),
            "gold_text": gold_text,
            "gold": read_links(self.gold, self.gold_format, gold_text, self.encoding, **base),
            "extra": read_text(self.extra_src, self.extra_tgt, self.encoding, "extra-"),
            "aligner": aligner,
        }


RUN = (
    outputs(
        "-o --output",
        Path,
        "Folder for all results; run again with the same folder to resume.",
        metavar="FOLDER",
        writes="folder",
    ),
    outputs("--jobs", int, "Number of aligners that run in parallel.", 1, low=1),
    outputs("--dry-run", bool, "Check everything and print the plan, but align nothing.", False),
    *PRINTED,
)


def show_study(study: QualityStudy, words: Mapping[str, Any]) -> None:
    """Run a study, and show its scores; or show its plan."""
    if words["dry_run"]:
        _print_plan(study.plan().to_dicts(), words["as_json"])
        return
    try:
        with ProgressExecutor(words["jobs"], "Aligning pieces") as executor:
            frame = study.run(words["output"], threads=executor)
    except KeyboardInterrupt:
        if stop := getattr(study.aligner.function, "stop", None):
            stop()
        print_note(
            "interrupted; finished alignments are kept: run the same command again to resume"
        )
        raise
    rows = frame.to_dicts()
    if words["as_json"]:
        print_json({"alignments": rows})
        return
    hidden = ("run", "group", "signature")  # the first two are in the system's name
    shown = [{title_of(name): row[name] for name in row if name not in hidden} for row in rows]
    print_table(shown, title="Means over the pieces of each run", caption=rows[0]["signature"])
    written = words["output"] / "alignments"
    print_note(f"{number_of(len(rows), 'alignment')} of the bitext written to {written}")


def _aligner(given: str) -> str | FileAligner:
    """Return one of the package's own aligners, or a command unchanged."""
    from alignframe.aligners import KINDS, aligner

    if given in KINDS:
        return aligner(given)
    if not ({" ", "{"} & set(given)):
        raise unknown("--aligner", given, KINDS, also=", or a command with {src}, {tgt} and {out}")
    return given


def _print_plan(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"plan": rows})
        return
    passes, pairs = (sum(row[name] for row in rows) for name in ("alignments", "total_pairs"))
    said = f"{number_of(pairs, 'sentence pair')} in {number_of(passes, 'pass', 'passes')}"
    print_table(rows, title="Plan", caption=f"in all {said} of the aligner")
