"""``alignframe links retokenize``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.progress import ticking
from alignframe.cli.show import Data, Pieces
from alignframe.cli.sources import (
    ENCODING,
    drop_outside,
    links_base,
    links_order,
    links_output,
    links_to,
    read_links,
)
from alignframe.core.suffixes import LINK_FORMATS
from alignframe.errors import number_of
from alignframe.typing import Arguments, Rare

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.links.retokenizing import Carrying


class Retokenized(Input):
    """Links, both splittings of their text, and the file to write."""

    provides = ("links", "text", "new", "with_words", "encoding", "drop_outside")
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Input.stands,
        "new": ("new_src", "new_tgt"),
    }

    links: str = flag("Links in any format.", panel=None)
    src: str = flag("Source tokens as the links count them: one sentence per line.", metavar="FILE")
    tgt: str = flag("Target tokens, as --src.", metavar="FILE")
    new_src: str | None = flag(
        "Source tokens as the links shall count them; by default --src.", None, metavar="FILE"
    )
    new_tgt: str | None = flag("Target tokens, as --new-src.", None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")
    format: str | None = flag(
        "Format of the links; detected by default.", None, flags="--from", choices=LINK_FORMATS
    )
    base: int | None = links_base()
    order: str = links_order()
    drop_outside: Rare[bool] = drop_outside()
    output: str = links_output()
    to: str | None = links_to()
    as_json: bool = flag("Print JSON.", False, panel="Output", flags="--json")

    def arguments(self, _: Shell) -> Arguments:
        """Return the links and the texts, if the output can be written."""
        from alignframe.formats.links import link_format
        from alignframe.formats.writing import check_format

        goal = check_format(self.output, self.to)
        new = self.new_src, self.new_tgt
        return {
            "links": read_links(
                self.links,
                self.format,
                None,
                self.encoding,
                base=self.base,
                order=self.order,
            ),
            "text": (self.src, self.tgt),
            "new": new if any(new) else None,
            "encoding": self.encoding,
            "with_words": link_format(goal).has_words,
            "drop_outside": self.drop_outside,
        }


def write_retokenized(found: Carrying, words: Words) -> Pieces:
    """Write links as they are carried, and say how many there are."""
    from alignframe import formats
    from alignframe.core.tokens import list_lengths

    output, sentences, links = words["output"], 0, 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal sentences, links
        for batch in ticking(found.batches(), "Carrying", lambda batch: batch.num_rows):
            sentences += batch.num_rows
            links += int(list_lengths(batch.column("links")).sum())
            yield batch

    formats.write(counted(), output, words["to"])
    counts = {"sentences": sentences, "skipped": found.skipped, "links": links}
    yield Data(summary=[counts | {"output": output}])
    if output != "-":
        said = f"{number_of(sentences, 'sentence')}, {number_of(links, 'link')}"
        yield f"{said} written to {output}"
