"""``alignframe links filter``: links with probabilities, and those that are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.showing import PRINTED, links_output, links_to
from alignframe.cli.sources import BASE, read_links
from alignframe.core.choices import BASES
from alignframe.core.suffixes import LINK_FORMATS
from alignframe.typing import Arguments

if TYPE_CHECKING:
    from alignframe.links import Filtered


class Weighed(Input):
    """Links with probabilities."""

    provides = ("links",)

    links: str = flag("Links with probabilities, in any format.", panel=None)
    format: str | None = flag(
        "Format of LINKS; detected by default.", None, flags="--from", choices=LINK_FORMATS
    )
    base: int | None = flag(f"Number of the first word: {BASE}.", None, choices=BASES)

    def arguments(self, _: Shell) -> Arguments:
        """Return the links."""
        return {"links": read_links(self.links, self.format, None, "utf-8", base=self.base)}


KEPT = (links_output, replace(links_to, needs="output"), *PRINTED)


def show_filtered(found: Filtered, words: Words) -> Pieces:
    """Write the links that are kept, and say what to expect of them."""
    from alignframe import formats
    from alignframe.core.arrow import to_reader
    from alignframe.formats.writing import check_format
    from alignframe.links.filtering import said

    output = words["output"]
    yield Data(found.signature, systems=found.systems)
    if output is None:
        yield Rows(found.systems, "Links kept", found.signature)
    else:
        goal = check_format(output, words["to"], words="src" in found.links.columns)
        formats.write(to_reader(found.links), output, goal, base=words["base"] or 0)
    if output != "-":
        yield from map(said, found.systems.rows(named=True))
    if output not in (None, "-"):
        yield f"written to {output}"
