"""``alignframe links symmetrize``: its input, and writing links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alignframe.choices import BASES, LINK_FORMATS
from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.places import check_one_output
from alignframe.cli.progress import ticking
from alignframe.cli.show import Data, Pieces
from alignframe.cli.sources import BASE, read_links
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Directions(Input):
    """Links of two directions, and the file to write."""

    provides = ("forward", "reverse")

    forward: str = flag("Links in which each target word picks a source word.", panel=None)
    reverse: str = flag("Links in which each source word picks a target word.", panel=None)
    format: str | None = flag(
        "Format of both files; detected by default.", None, flags="--from", choices=LINK_FORMATS
    )
    base: int | None = flag(f"Number of the first word: {BASE}.", None, choices=BASES)
    output: str = flag(
        "File to write the links to; '-' is standard output.",
        panel="Output",
        flags="-o --output",
        metavar="FILE",
        writes="file",
    )
    to: str | None = flag(
        "Format of the output; by default from its suffix (.talp, .naacl, .parquet, ...).",
        None,
        panel="Output",
        choices=LINK_FORMATS,
    )
    as_json: bool = flag("Print JSON.", False, panel="Output", flags="--json")

    def arguments(self, _: Shell) -> Arguments:
        """Return the links of both directions, if the output can be written."""
        from alignframe.formats.writing import check_format

        check_one_output(self.output, self.as_json)
        check_format(self.output, self.to, words=False)
        return {
            side: read_links(path, self.format, None, "utf-8", base=self.base)
            for side, path in (("forward", self.forward), ("reverse", self.reverse))
        }


def write_links(frame: pl.DataFrame, words: Words) -> Pieces:
    """Write the links of one system in the format of --to, and say how many there are."""
    from alignframe import formats
    from alignframe.arrow import to_reader
    from alignframe.formats.writing import check_format

    output, method = words["output"], words["method"]
    batches = ticking(to_reader(frame), "Writing", lambda batch: batch.num_rows)
    goal = check_format(output, words["to"], words=False)
    formats.write(batches, output, goal, base=words["base"] or 0)
    total = int(frame["links"].list.len().sum())
    found = {"method": method, "sentences": frame.height, "links": total, "output": output}
    yield Data(summary=[found])
    if output != "-":
        said = f"{number_of(frame.height, 'sentence')}, {number_of(total, 'link')}"
        yield f"{method}: {said} written to {output}"
