"""``alignframe gold apply``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.sources import BASE, read_links
from alignframe.core.choices import BASES, PARQUET
from alignframe.core.suffixes import BEAD_FORMATS, BEADS, LINK_FORMATS, LINKS
from alignframe.errors import number_of
from alignframe.typing import Arguments

if TYPE_CHECKING:
    from alignframe.links import EditedGold


class Edited(Input):
    """Gold, the edits of it, and where the new gold is written."""

    provides = ("gold", "edits")

    gold: str = flag("Gold links or beads, in any format.", panel=None)
    edits: list[str] = flag("Files that pages saved (--edit).", panel=None)
    format: str | None = flag(
        "Format of GOLD, if it has links; detected by default.",
        None,
        flags="--from",
        choices=LINK_FORMATS,
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
    )
    to_format: str | None = flag(
        f"Format of the new gold; by default from its suffix: {LINKS.by_suffix}; of beads "
        f"{BEADS.by_suffix}.",
        None,
        panel="Output",
        flags="--to",
        choices=tuple(dict.fromkeys((*LINK_FORMATS, *BEAD_FORMATS))),
        needs="output",
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return gold and the files of edits."""
        from alignframe.formats.edits import kind_of

        if kind_of(self.edits[0]) == "beads":
            return {"gold": self.gold, "edits": self.edits}
        gold = read_links(self.gold, self.format, None, "utf-8", base=self.base)
        return {"gold": gold, "edits": self.edits}


def applied(gold: Any, edits: list[str], **options: Any) -> EditedGold:
    """Return gold with edits, of links or of beads.

    Parameters
    ----------
    gold, edits
        See ``alignframe.links.apply_edits``.
    **options
        See ``alignframe.links.apply_edits``.
    """
    from alignframe import beads, links

    area = beads if isinstance(gold, str) else links
    found: EditedGold = area.apply_edits(gold, edits, **options)
    return found


def show_edited(found: EditedGold, words: Words) -> Pieces:
    """Show the report, and write the new gold, if conflicts are settled."""
    import polars.selectors as cs

    from alignframe import formats
    from alignframe.core.output import write_table

    counts = found.changes.select(cs.integer().exclude("sid"))
    changed = found.changes.filter(counts.sum_horizontal() > 0)
    yield Data(found.signature, **found.tables())
    if changed.height:
        yield Rows(changed, "Changes", whole=False)
    if found.agreement.height:
        yield Rows(found.agreement, "Agreement", whole=False)
    if found.conflicts.height:
        yield Rows(found.conflicts, "Conflicts", whole=False)
    checked = found.changes.height
    unit = "sentence" if "sid" in found.changes.columns else "document"
    yield f"{number_of(checked, unit)} checked, {changed.height:,} with changes or conflicts"
    if words["output"]:
        if words["to_format"] in (None, "parquet") and str(words["output"]).endswith(PARQUET):
            write_table(found.gold, words["output"])  # with other columns, such as a domain
        else:
            base = {"base": words["base"]} if words["base"] else {}
            formats.write(found.gold, words["output"], words["to_format"], **base)
        row = "sentence" if unit == "sentence" else "bead"
        yield f"{number_of(found.gold.num_rows, row)} written to {words['output']}"
