"""``alignframe gold apply``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.places import check_one_output
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.sources import BASE, read_links
from alignframe.core.choices import BASES
from alignframe.core.suffixes import LINK_FORMATS, LINKS
from alignframe.errors import number_of
from alignframe.typing import Arguments

if TYPE_CHECKING:
    from alignframe.links import EditedGold


class Edited(Input):
    """Gold, the edits of it, and where the new gold is written."""

    provides = ("gold", "edits")

    gold: str = flag("Gold links, in any format.", panel=None)
    edits: list[str] = flag("Files that pages saved (links score --page FILE --edit).", panel=None)
    format: str | None = flag(
        "Format of GOLD; detected by default.", None, flags="--from", choices=LINK_FORMATS
    )
    base: int | None = flag(
        f"Number of the first word in GOLD, and in the new gold: {BASE}.", None, choices=BASES
    )
    output: str | None = flag(
        "File to write the new gold to; '-' is standard output. Without it, the report alone.",
        None,
        panel="Output",
        flags="-o --output",
        metavar="FILE",
        writes="links",
        format_by="to",
    )
    to: str | None = flag(
        f"Format of the new gold; by default from its suffix: {LINKS.by_suffix}.",
        None,
        panel="Output",
        choices=LINK_FORMATS,
        needs="output",
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return gold and the files of edits."""
        gold = read_links(self.gold, self.format, None, "utf-8", base=self.base)
        return {"gold": gold, "edits": self.edits}


def show_edited(found: EditedGold, words: Words) -> Pieces:
    """Show the report, and write the new gold, if conflicts are settled."""
    from alignframe import formats
    from alignframe.core.output import write_table
    from alignframe.formats.writing import check_format

    if words["output"]:
        check_one_output(words["output"], words["as_json"])
    changed = found.sentences.filter(found.sentences.drop("sid", "annotators").sum_horizontal() > 0)
    yield Data(found.signature, **found.tables())
    if changed.height:
        yield Rows(changed, "Sentences changed", whole=False)
    if found.agreement.height:
        yield Rows(found.agreement, "Agreement", whole=False)
    if found.conflicts.height:
        yield Rows(found.conflicts, "Conflicts", whole=False)
    checked = found.sentences.height
    yield f"{number_of(checked, 'sentence')} checked, {changed.height:,} with changes or conflicts"
    if words["output"]:
        if check_format(words["output"], words["to"]) == "parquet":
            write_table(found.links, words["output"])  # with other columns, such as a domain
        else:
            formats.write(found.links, words["output"], words["to"], base=words["base"] or 0)
        yield f"{number_of(found.links.num_rows, 'sentence')} written to {words['output']}"
