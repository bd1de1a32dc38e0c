"""``alignframe tesla pivot-table`` and ``tesla tags``: tables learnt from a bitext."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.choices import COMPRESSED
from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.show import Data, Pieces
from alignframe.cli.sources import (
    ENCODING,
    links_base,
    links_format,
    links_order,
    read_linked_text,
)
from alignframe.errors import number_of

if TYPE_CHECKING:
    from alignframe.result import TableResult


@dataclass(frozen=True, kw_only=True)
class Bitext(Input):
    """A bitext with English, and perhaps its links."""

    provides = ("src", "tgt", "links", "tokens")

    src: str = flag("English sentences, one per line.", metavar="FILE")
    tgt: str = flag("The same sentences in the other language.", metavar="FILE")
    links: str | None = flag(
        "Word alignment of both, in any format; by default made by the default aligner.",
        None,
        metavar="FILE",
    )
    tokens: str = flag(
        "Tokenisation: penn (raw text) or spaces (already tokenised).", "penn", panel="Analysis"
    )
    links_format: str | None = links_format()
    base: int | None = links_base()
    order: str = links_order()
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return both sides, links and tokens."""
        sides, _, links = self.read()
        return {"src": sides[0], "tgt": sides[1], "links": links, "tokens": self.tokens}

    def read(self) -> Any:
        """Return the sentences, a table of words, and any links."""
        options = {"base": self.base, "order": self.order}
        return read_linked_text(
            self.src, self.tgt, self.tokens, self.encoding, self.links, self.links_format, **options
        )


@dataclass(frozen=True, kw_only=True)
class Pivot(Bitext):
    """A bitext of the target language and a pivot language."""

    provides = ("bitext", "links", "name")  # type: ignore[assignment]

    src: str = flag(
        "Sentences in the language of the translations to be scored, optionally compressed.",
        metavar="FILE",
    )
    tgt: str = flag("The same sentences in the pivot language.", flags="--pivot", metavar="FILE")
    tokens: str = flag(
        "Tokenisation: penn (raw text) or spaces (already tokenised).", "spaces", panel="Analysis"
    )
    name: str | None = flag(
        "Name of the features; by default the suffix of --pivot, such as fr.",
        None,
        panel="Analysis",
    )

    def arguments(self, _: Shell) -> Arguments:
        """Return bitext, links and name."""
        _, bitext, links = self.read()
        return {"bitext": bitext, "links": links, "name": self.name or _name_of(self.tgt)}


def write_pivots(table: TableResult, words: Words) -> Pieces:
    """Write a pivot table, and say how many phrases it has."""
    from alignframe.tesla.pivot_table import about_pivot_table, write_pivot_table

    write_pivot_table(table, words["output"])
    about = about_pivot_table(table)
    summary = {
        "output": str(words["output"]),
        "name": about["name"],
        "sentences": about["options"]["sentences"],
        "phrases": about["options"]["phrases"],
        "pairs": table.height,
        "signature": about["signature"],
    }
    yield Data(summary=[summary])
    yield (
        f"{number_of(summary['phrases'], 'phrase')}, {summary['pairs']:,} pairs of them, of "
        f"{summary['sentences']:,} "
        f"sentence pairs, written to {words['output']}\n{summary['signature']}"
    )


def write_tags(found: TableResult, words: Words) -> Pieces:
    """Write learnt tags, and say how many words have one."""
    from alignframe.formats import write

    write(found, words["output"])
    parts = dict(part.split(":", 1) for part in found.signature.split("|"))
    summary: dict[str, Any] = {
        "output": str(words["output"]),
        "sentences": int(parts["sentences"]),
        "words": found.frame.height,
        "lemmas": found.frame["lemma"].n_unique(),
        "signature": found.signature,
    }
    yield Data(summary=[summary])
    yield (
        f"{number_of(summary['words'], 'word')} with {summary['lemmas']:,} lemmas, of "
        f"{number_of(summary['sentences'], 'sentence pair')}, written to {words['output']}\n"
        f"{summary['signature']}"
    )


def _name_of(path: str) -> str:
    """Return the last suffix of a file's name that is not a compression."""
    suffixes = Path(path).suffixes
    while suffixes and suffixes[-1].lower() in COMPRESSED:
        suffixes.pop()
    name = suffixes[-1][1:] if suffixes else ""
    return name if name.isascii() and name.isalnum() else "pivot"
