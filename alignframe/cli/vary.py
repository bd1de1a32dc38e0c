"""``alignframe links vary``: aligning pieces and multiples of a text, and scoring the links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.option import outputs
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.showing import PRINTED
from alignframe.cli.sources import ENCODING, gold_base, gold_format, read_links, read_text
from alignframe.errors import number_of, unknown_name
from alignframe.typing import Arguments

if TYPE_CHECKING:
    from alignframe.aligners.function import FileAligner
    from alignframe.links import QualityStudy


class Texts(Input):
    """A bitext, a gold text with its links, extra text, and what aligns them."""

    provides = ("bitext", "gold_text", "gold", "extra", "aligner")

    src: str = flag("Source sentences, one per line.", panel=None)
    tgt: str = flag("Their translations, one per line.", panel=None)
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

    def arguments(self, _: Shell) -> Arguments:
        """Return the texts, the gold links and the aligner."""
        aligner = _aligner(self.aligner)
        gold_text = read_text(self.gold_src, self.gold_tgt, self.encoding)
        base: Arguments = {"base": self.gold_base}
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
    outputs("--jobs", int, "Number of aligners that run in parallel.", 1),
    outputs("--dry-run", bool, "Check everything and print the plan, but align nothing.", False),
    *PRINTED,
)


def show_study(study: QualityStudy, words: Words) -> Pieces:
    """Run a study, and show its scores; or show its plan."""
    if words["dry_run"]:
        plan = study.plan()
        yield Data(plan=plan)
        passes, pairs = (sum(plan[name].to_list()) for name in ("alignments", "total_pairs"))
        said = f"{number_of(pairs, 'sentence pair')} in {number_of(passes, 'pass', 'passes')}"
        yield Rows(plan, "Plan", f"in all {said} of the aligner")
        return
    try:
        with ProgressExecutor(words["jobs"], "Aligning pieces") as executor:
            frame = study.run(words["output"], threads=executor)
    except KeyboardInterrupt:
        if stop := getattr(study.aligner.function, "stop", None):
            stop()
        raise
    yield Data(alignments=frame.to_dicts())
    # The system's name has the run and the group.
    yield Rows(frame.drop("run", "group"), "Means over the pieces of each run")
    written = words["output"] / "alignments"
    yield f"{number_of(frame.height, 'alignment')} of the bitext written to {written}"


def _aligner(given: str) -> str | FileAligner:
    """Return one of the package's own aligners, or a command unchanged."""
    from alignframe.aligners import KINDS, aligner

    if given in KINDS:
        return aligner(given)
    if not ({" ", "{"} & set(given)):
        raise unknown_name(
            "--aligner", given, KINDS, also=", or a command with {src}, {tgt} and {out}"
        )
    return given
