"""``alignframe report``: self-contained HTML pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.sources import ENCODING
from alignframe.errors import InputError


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


@dataclass(frozen=True, kw_only=True)
class Judged(Input):
    """A study of alignments by translation."""

    provides: ClassVar[tuple[str, ...]] = ("found",)

    folder: Path = flag("Folder written by mt study.", panel=None, flags="FOLDER", metavar="FOLDER")

    def arguments(self, _: Shell) -> dict[str, Any]:
        """Return the study."""
        from alignframe.mt import read_study

        return {"found": read_study(self.folder)}
